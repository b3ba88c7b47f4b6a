"""ABIs as tables: selectors and topics are those of the record's signatures; arguments are those that were given."""

import json
from pathlib import Path

import pytest

from statuary.base.primitives import checksum_address
from statuary.contracts.pages.context import CallTarget
from statuary.contracts.pages.interface import interface_view
from statuary.contracts.pages.page_members import item_signatures, signature_selector
from support.contracts import made_record
from support.requirements import CHECKOUT

RECORDS = sorted((CHECKOUT / "content/contracts/748463").glob("*.json"))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_interface_page_shows_record_signature_hashes(path: Path) -> None:
    record = json.loads(path.read_text("utf-8"))
    signatures, shown = record["signatures"], interface_view(record["abi"], None, None, None, CallTarget())
    expected = {
        "functions": {one["signatureHash4"] for one in signatures["function"]},
        "events": {one["signatureHash32"] for one in signatures["event"]},
        "errors": {one["signatureHash4"] for one in signatures["error"]},
    }
    assert {kind: {item.hash for item in getattr(shown, kind)} for kind in expected} == expected
    known = {one["signatureHash4"] for kind in signatures.values() for one in kind}
    assert {"0x" + signature_selector(one).hex() for one in item_signatures(record["abi"])} == known


def test_constructor_arguments_show_values() -> None:
    record = made_record("arguments")
    arguments = record["creationBytecode"]["transformationValues"]["constructorArguments"]
    shown = interface_view(record["abi"], None, None, arguments, CallTarget()).constructor
    assert shown is not None
    assert [(one.type, one.name, one.value) for one in shown.inputs] == [
        ("uint256", "n", "7"),
        ("bool", "b", "true"),
    ]


@pytest.mark.parametrize("arguments", [None, "0x", "0x12", "not hex", "0x" + "ff" * 64])
def test_undecodable_arguments_show_no_values(arguments: str | None) -> None:
    shown = interface_view(made_record("arguments")["abi"], None, None, arguments, CallTarget()).constructor
    assert shown is not None
    assert [one.value for one in shown.inputs] == ["", ""]


def test_argument_values_of_types_are_shown() -> None:
    kinds = ["address", "string", "bytes3", "uint8[2]", "bytes"]
    abi = [
        {"type": "constructor", "inputs": [{"name": f"v{n}", "type": kind} for n, kind in enumerate(kinds)]}
    ]
    words = [
        "5a" * 20, "c0", "616263" + "00" * 29, "01", "02", "0100",
        "02", "6869" + "00" * 30, "01", "ff" + "00" * 31,
    ]  # fmt: skip
    encoded = "0x" + "".join(word.zfill(64) for word in words)
    shown = interface_view(abi, None, None, encoded, CallTarget()).constructor
    assert shown is not None
    assert [one.value for one in shown.inputs] == [
        checksum_address("0x" + "5a" * 20),
        '"hi"',
        "0x616263",
        "[1, 2]",
        "0xff",
    ]


def test_struct_types_show_member_names() -> None:
    item = {
        "type": "function",
        "name": "f",
        "inputs": [
            {
                "name": "orders",
                "type": "tuple[]",
                "internalType": "struct Market.Order[]",
                "components": [{"name": "maker", "type": "address"}, {"name": "amount", "type": "uint256"}],
            }
        ],
        "outputs": [],
    }
    (shown,) = interface_view([item], None, None, None, CallTarget()).functions
    assert shown.signature == "f((address,uint256)[])"
    assert shown.inputs[0].type == "(address maker, uint256 amount)[]"
    assert shown.inputs[0].declared == "struct Market.Order[]"


def test_natspec_accompanies_function_and_error() -> None:
    abi = [
        {"type": "error", "name": "Refused", "inputs": []},
        {"type": "function", "name": "meet", "inputs": []},
    ]
    userdoc = {"methods": {"meet()": {"notice": "Meets."}}, "errors": {"Refused()": [{"notice": "Says no."}]}}
    devdoc = {
        "methods": {"meet()": {"details": "As `slowly` as {Other-meet}, <b>.", "custom:audit": "Seen."}}
    }
    shown = interface_view(abi, userdoc, devdoc, None, CallTarget())
    assert (shown.functions[0].notice, shown.errors[0].notice) == ("Meets.", "Says no.")
    assert shown.functions[0].details == (
        "As <code>slowly</code> as <code>Other-meet</code>, &lt;b&gt;.",
        "Seen.",
    )


def test_parameters_and_returns_show_natspec() -> None:
    item = {
        "type": "function",
        "name": "price",
        "inputs": [{"name": "asset", "type": "address"}],
        "outputs": [{"name": "", "type": "uint256"}],
    }
    devdoc = {"methods": {"price(address)": {"params": {"asset": "Which."}, "returns": {"_0": "How much."}}}}
    (shown,) = interface_view([item], None, devdoc, None, CallTarget()).functions
    assert [one.notice for one in (*shown.inputs, *shown.outputs)] == ["Which.", "How much."]


ADDRESS = "0x" + "5a" * 20


@pytest.mark.parametrize(
    ("changes", "command"),
    [
        ({}, f"cast send {ADDRESS} 'give(address,uint256)' TO ARG2 --rpc-url https://rpc.example"),
        (
            {"stateMutability": "view", "outputs": [{"name": "", "type": "bool"}]},
            f"cast call {ADDRESS} 'give(address,uint256)(bool)' TO ARG2 --rpc-url https://rpc.example",
        ),
        (
            {"stateMutability": "payable"},
            f"cast send {ADDRESS} 'give(address,uint256)' TO ARG2 --value WEI --rpc-url https://rpc.example",
        ),
        ({"name": "x'; rm -rf ~; '"}, ""),
    ],
)
def test_function_shows_call_command(changes: dict[str, object], command: str) -> None:
    item = {
        "type": "function",
        "name": "give",
        "inputs": [{"name": "to", "type": "address"}, {"name": "$(x)"[:1], "type": "uint256"}],
        "outputs": [],
    }
    target = CallTarget(ADDRESS, "https://rpc.example")
    (shown,) = interface_view([item | changes], None, None, None, target).functions  # type: ignore[list-item]
    assert shown.command == command


def test_repeated_item_has_single_anchor() -> None:
    item = {"type": "function", "name": "f", "inputs": []}
    first, second = interface_view([item, item], None, None, None, CallTarget()).functions
    assert first.anchor == first.hash != ""
    assert second.anchor == ""


@pytest.mark.parametrize("abi", [None, [], {}, "x", [1, None, "f"], [{"type": "function"}], [{"inputs": 3}]])
def test_invalid_abi_yields_no_hashes(abi: object) -> None:
    shown = interface_view(abi, None, None, None, CallTarget())
    assert all(not item.hash for item in (*shown.functions, *shown.events, *shown.errors))
