"""Calls as a wallet shows them, in Python and on the command line."""

import json

import pytest

from statuary.base.primitives import InvalidValueError
from statuary.extensions.clear_signing.formats import (
    DisplayContext,
    Names,
    Token,
    format_decimal,
    format_value,
)
from statuary.extensions.clear_signing.render import Call, NotShownError, render_call
from statuary.extensions.clear_signing.values import Leaf
from support.commands import run_command
from support.signing_sites import OTHER, TOKEN, TOKEN_FILE, descriptor, field, signing_content
from support.sites import CHAIN

TRANSFER = "a9059cbb" + OTHER[2:].lower().rjust(64, "0") + f"{1_500_000:064x}"
NAMES = Names(
    tokens={TOKEN.lower(): Token("TKN", 6)},
    addresses={OTHER.lower(): "Ada"},
    collections={TOKEN.lower(): "Cats"},
    chains={1: ("Ethereum", Token("ETH", 18)), int(CHAIN): ("Plinth", Token("PLN", 18))},
    block_times={7: 1_709_191_632},
)


def lines(made, data, **call):
    shown = render_call(made, Call(int(CHAIN), TOKEN.lower(), bytes.fromhex(data), **call), NAMES)
    return [(line.label, line.value) for line in shown.lines]


def test_token_transfer_call_is_rendered():
    shown = render_call(descriptor(), Call(int(CHAIN), TOKEN.lower(), bytes.fromhex(TRANSFER)), NAMES)
    assert shown.interpolated == "Send 1.5 TKN to Ada"
    assert shown.owner == "Plinth"
    assert [(line.label, line.value) for line in shown.lines] == [("Amount", "1.5 TKN"), ("To", "Ada")]


@pytest.mark.parametrize(
    ("name", "value", "params", "text"),
    [
        ("raw", Leaf("bool", True), {}, "true"),
        ("raw", Leaf("bytes", b"\x01"), {}, "0x01"),
        ("amount", Leaf("uint", 1_500_000_000_000_000_000), {}, "1.5 PLN"),
        ("tokenAmount", Leaf("uint", 10**30), {"token": TOKEN, "threshold": "0xff"}, "Unlimited TKN"),
        (
            "tokenAmount",
            Leaf("uint", 10**30),
            {"token": TOKEN, "threshold": "9", "message": "Max"},
            "Max TKN",
        ),
        ("tokenAmount", Leaf("uint", 5), {"token": OTHER}, "5"),
        ("tokenAmount", Leaf("uint", 10**18), {"token": OTHER, "nativeCurrencyAddress": OTHER}, "1 PLN"),
        ("nftName", Leaf("uint", 9), {"collection": TOKEN}, "Cats #9"),
        ("date", Leaf("uint", 1_709_191_632), {"encoding": "timestamp"}, "2024-02-29 07:27:12Z"),
        ("date", Leaf("uint", 7), {"encoding": "blockheight"}, "2024-02-29 07:27:12Z"),
        ("date", Leaf("uint", 1 << 255), {"encoding": "timestamp"}, str(1 << 255)),
        ("duration", Leaf("uint", 3_661), {}, "01:01:01"),
        ("unit", Leaf("uint", 3_000), {"base": "%", "decimals": 4}, "0.3%"),
        ("unit", Leaf("uint", 36_000), {"base": "h", "prefix": True}, "36kh"),
        ("enum", Leaf("uint", 1), {"$ref": "$.metadata.enums.mode"}, "stable"),
        ("enum", Leaf("uint", 3), {"$ref": "$.metadata.enums.mode"}, "3"),
        ("chainId", Leaf("uint", 1), {}, "Ethereum"),
        ("addressName", Leaf("slice", bytes.fromhex(OTHER[2:])), {}, "Ada"),
        ("addressName", Leaf("address", bytes.fromhex(OTHER[2:])), {"sources": ["ens"]}, OTHER),
        ("tokenTicker", Leaf("address", bytes.fromhex(TOKEN[2:])), {}, "TKN"),
    ],
)
def test_descriptor_value_formats_render_expected_text(name, value, params, text):
    made = descriptor(metadata={"enums": {"mode": {"1": "stable"}}})
    show = DisplayContext(int(CHAIN), NAMES, lambda _: None, made)
    assert format_value(name, value, params, show).text == text


def test_rendered_amounts_have_no_trailing_zeros():
    assert [
        format_decimal(1_050, 3),
        format_decimal(1_000, 3),
        format_decimal(-5, 1),
        format_decimal(7, 0),
    ] == ["1.05", "1", "-0.5", "7"]


def word(number):
    return f"{number:064x}"


def test_array_fields_render_each_item():
    key = "pay(address[] to,uint256[] amounts)"
    spec = {"intent": "Pay", "fields": [field("to.[]", "To"), field("amounts.[]", "Sum")]}
    made = descriptor({key: spec})
    from statuary.extensions.clear_signing.key_types import parse_function_key

    selector = parse_function_key(key).selector[2:]
    data = selector + word(64) + word(160) + word(2) + word(1) + word(2) + word(2) + word(30) + word(40)
    assert [value for _, value in lines(made, data)][2:] == ["30", "40"]
    spec["fields"] = [{"iteration": "bundled", "fields": spec["fields"]}]
    assert [value for _, value in lines(made, data)][1::2] == ["30", "40"]


@pytest.mark.parametrize("data", ["a9059cbb", "a9059cbb00", "deadbeef", "a9059cbb" + "ff" * 40])
def test_malformed_calldata_is_not_rendered(data):
    with pytest.raises(InvalidValueError):
        lines(descriptor(), data)


def test_calldata_with_huge_array_is_rejected():
    made = descriptor({"f(uint256[] a)": {"intent": "F", "fields": [field("a.[]", "A")]}})
    from statuary.extensions.clear_signing.key_types import selector_of

    with pytest.raises(InvalidValueError, match="does not fit"):
        lines(made, selector_of("f(uint256[])")[2:] + word(32) + word(1 << 40))


def test_must_match_field_rejects_different_value():
    spec = {"intent": "Send", "fields": [{**field("value", "V"), "visible": {"mustMatch": [7]}}]}
    with pytest.raises(NotShownError):
        lines(descriptor({"transfer(address to,uint256 value)": spec}), TRANSFER)


def render(folder, *arguments):
    return run_command(folder, "signing", "render", *arguments)


def test_signing_render_command_prints_call(tmp_path):
    signing_content(tmp_path, {TOKEN_FILE: descriptor()}, {})
    known = {"tokens": {TOKEN.lower(): {"symbol": "TKN", "decimals": 6, "name": "Token"}}}
    (tmp_path / "names.json").write_text(json.dumps(known))
    done = render(tmp_path, TRANSFER, "--to", TOKEN, "--names", "names.json")
    assert (done.exit_code, done.stdout) == (
        0,
        f"Send 1.5 TKN to {OTHER} (Plinth)\n  Amount: 1.5 TKN\n  To: {OTHER}\n",
    )
    shown = json.loads(render(tmp_path, "0x" + TRANSFER, "--to", TOKEN, "--json").stdout)
    assert shown["fields"][0] == {"label": "Amount", "value": "1500000"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("0x12", "--to", TOKEN), 2),
        ((TRANSFER, "--to", "0x12"), 2),
        ((TRANSFER, "--to", OTHER), 1),
        ((TRANSFER, "--to", TOKEN, "--chain-id", "x"), 2),
        ((TRANSFER, "--to", TOKEN, "--names", "none.json"), 2),
        (("deadbeef", "--to", TOKEN), 1),
    ],
)
def test_signing_render_command_reports_errors(tmp_path, arguments, code):
    signing_content(tmp_path, {TOKEN_FILE: descriptor()}, {})
    done = render(tmp_path, *arguments)
    assert done.exit_code == code
    assert done.stderr
