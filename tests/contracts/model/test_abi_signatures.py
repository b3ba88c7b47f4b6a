"""Signatures as ethers v6 writes them, and the items that it leaves out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.base.limits import MAX_ABI_TYPE_DEPTH
from statuary.base.primitives import InvalidValueError
from statuary.contracts.model.abi import SIGNATURE_KINDS, abi_signatures, item_signature, parse_abi_parameters
from support.strategies import steady

TRANSFER = {
    "type": "function",
    "name": "transfer",
    "inputs": [{"type": "address"}, {"type": "uint"}],
    "outputs": [],
}


def function(*types, **members):
    return {"type": "function", "name": "f", "inputs": [{"type": name} for name in types]} | members


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (TRANSFER, "transfer(address,uint256)"),
        (function("int", "uint8[]", "bytes32[2][]"), "f(int256,uint8[],bytes32[2][])"),
        (function(), "f()"),
        ({"type": "function", "name": "f"}, "f()"),
        ({"type": "function", "name": "f", "inputs": None}, "f()"),
        (
            function()
            | {"inputs": [{"type": "tuple[]", "components": [{"type": "bool"}, {"type": "string"}]}]},
            "f((bool,string)[])",
        ),
        (
            {
                "type": "event",
                "name": "E",
                "anonymous": True,
                "inputs": [{"type": "address", "indexed": True}],
            },
            "E(address)",
        ),
        ({"type": "error", "name": "Oops", "inputs": []}, "Oops()"),
        (function("fixed128x18"), None),
        (function("function"), None),
        (function("Lib.Kind"), None),
        (function("uint7"), None),
        (function("uint0"), None),
        (function("bytes33"), None),
        (function("bytes0"), None),
        (function("tuple"), None),
        (function("address payable"), None),
        (function(outputs=[{"type": "mapping(address => uint256)"}]), None),
        (function() | {"inputs": [{"type": "bool", "indexed": False}]}, None),
        (function() | {"name": "a b"}, None),
        (function() | {"name": None}, None),
        (function() | {"inputs": [{"type": "bool", "name": "not a name"}]}, None),
        (function() | {"inputs": [7]}, None),
        (function() | {"inputs": "bool"}, None),
    ],
)
def test_signature_text_matches_ethers(item, text):
    assert item_signature(item) == text


def test_signature_lists_are_sorted_and_unique():
    abi = [TRANSFER, function("bool"), TRANSFER, {"type": "constructor"}, {"type": "receive"}, "x", None]
    listed = abi_signatures(abi)
    assert list(listed) == list(SIGNATURE_KINDS)
    assert [entry["signature"] for entry in listed["function"]] == ["f(bool)", "transfer(address,uint256)"]
    assert listed["function"][1] == {  # the ERC-20 standard's selector
        "signature": "transfer(address,uint256)",
        "signatureHash4": "0xa9059cbb",
        "signatureHash32": "0xa9059cbb2ab09eb219583f4a59a5d0623ade346d962bcd4e46b11da047c9049b",
    }
    assert abi_signatures(None) == {"function": [], "event": [], "error": []}


@pytest.mark.parametrize(
    "bad",
    [
        "uint256" + "[1]" * 1_000,
        "[" * 10_000,
        "uint256[" + "9" * 5_000 + "]",
        "uint" + "9" * 5_000,
        "\ud800",
        "uint\uff18",
    ],
)
def test_invalid_types_are_rejected(bad):
    with pytest.raises(InvalidValueError):
        parse_abi_parameters([{"type": bad}])


def test_deep_tuples_are_rejected():
    inner = {"type": "bool"}
    for _ in range(MAX_ABI_TYPE_DEPTH):
        inner = {"type": "tuple", "components": [inner]}
    parse_abi_parameters([inner])
    with pytest.raises(InvalidValueError):
        parse_abi_parameters([{"type": "tuple", "components": [inner]}])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "name", "inputs", "outputs", "components", "x"]), inner, max_size=5
        )
    ),
    max_leaves=20,
)


@steady
@given(
    JSON
    | st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(SIGNATURE_KINDS), "name": st.text(max_size=4), "inputs": JSON}
        )
    )
)
def test_arbitrary_json_yields_sorted_signatures(abi):
    for entries in abi_signatures(abi).values():
        texts = [entry["signature"] for entry in entries]
        assert texts == sorted(set(texts))
