"""The SDK that wallets use reads a served site unchanged, and shows what `statuary signing render` shows."""

import pytest

from clients.installed import installed
from statuary.extensions.clear_signing.formats import Names, Token
from statuary.extensions.clear_signing.render import Call, render_call
from support.file_server import served
from support.signing_sites import (
    OTHER,
    SEND,
    SEND_KEY,
    TOKEN,
    TOKEN_FILE,
    descriptor,
    field,
    messages,
    signed_site,
)
from support.sites import CHAIN

pytestmark = pytest.mark.slow

PERMIT = "Permit(address owner,address spender,uint256 value)"
CALLDATA = "0xa9059cbb" + OTHER[2:].lower().rjust(64, "0") + f"{1_500_000:064x}"
MESSAGE = {
    "account": OTHER,
    "primaryType": "Permit",
    "domain": {"name": "Token", "chainId": int(CHAIN), "verifyingContract": TOKEN},
    "types": {
        "Permit": [
            {"name": "owner", "type": "address"},
            {"name": "spender", "type": "address"},
            {"name": "value", "type": "uint256"},
        ]
    },
    "message": {"owner": OTHER, "spender": TOKEN, "value": "7"},
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """What the SDK shows of a call, of a call to a contract without a descriptor, and of a message."""
    folder = tmp_path_factory.mktemp("sdk")
    shared = {"display": {"formats": {SEND_KEY: {**SEND, "intent": "Send a token"}}}}
    own = descriptor({SEND_KEY: {"intent": "Send"}}, includes="common-token.json")
    permit = messages(
        {PERMIT: {"intent": "Permit", "fields": [field("spender", "Spender"), field("value", "Sum")]}}
    )
    signed_site(
        folder,
        {
            TOKEN_FILE: own,
            "registry/plinth/common-token.json": shared,
            "registry/plinth/eip712-Token.json": permit,
        },
    )
    client = installed("clear-signing")
    call = {"chainId": int(CHAIN), "to": TOKEN, "data": CALLDATA}
    request = {
        "calls": [call, call | {"to": OTHER}],
        "messages": [MESSAGE],
        "tokens": {TOKEN.lower(): {"symbol": "TKN", "decimals": 6, "name": "Token"}},
    }
    with served(folder / "site") as (url, _):
        return client.ask(request | {"url": url}, folder)


def test_wallet_sdk_displays_described_call(asked):
    call = asked[0]
    assert call["intent"] == "Send"
    assert [(item["label"], item["value"]) for item in call["fields"]] == [
        ("Amount", "1.5 TKN"),
        ("To", OTHER),
    ]
    assert call["interpolatedIntent"] == f"Send 1.5 TKN to {OTHER}"


def test_rendered_call_matches_wallet_sdk_output(asked):
    names = Names(tokens={TOKEN.lower(): Token("TKN", 6)})
    data = bytes.fromhex(CALLDATA[2:])
    ours = render_call(descriptor(), Call(int(CHAIN), TOKEN.lower(), data), names)
    assert [(line.label, line.value) for line in ours.lines] == [
        (item["label"], item["value"]) for item in asked[0]["fields"]
    ]
    assert ours.interpolated == asked[0]["interpolatedIntent"]


def test_wallet_sdk_warns_without_descriptor(asked):
    assert [item["code"] for item in asked[1]["warnings"]] == ["NO_DESCRIPTOR"]


def test_wallet_sdk_finds_typed_message_descriptor(asked):
    assert [(item["label"], item["value"]) for item in asked[2]["fields"]] == [
        ("Spender", TOKEN),
        ("Sum", "7"),
    ]
