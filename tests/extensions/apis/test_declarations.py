"""What is kept of an ABI: the signatures of its record, and declarations that readers of events take."""

import orjson
import pytest

from statuary.contracts.model.abi import abi_signatures
from statuary.extensions.apis.declarations import MAX_DECLARATION, Declarations, parse_declarations
from support.contracts import FEATURES, made_record


def event(*inputs: dict[str, object], name: str = "E") -> dict[str, object]:
    return {"type": "event", "name": name, "inputs": list(inputs)}


ADDRESS = {"type": "address", "name": "from", "indexed": True}


@pytest.mark.parametrize("name", FEATURES)
def test_abi_declarations_match_record_signatures(name):
    record = made_record(name)
    declared = parse_declarations(record["abi"])
    by_kind = {
        kind: [item["signature"] for item in items] for kind, items in abi_signatures(record["abi"]).items()
    }
    assert list(declared.functions) == by_kind["function"]
    assert list(declared.errors) == by_kind["error"]
    assert [text for text, _ in declared.events] == by_kind["event"]
    assert not any(declared) or Declarations.parse(declared.encode()) == declared


@pytest.mark.parametrize(
    ("inputs", "declaration"),
    [
        ([], "E()"),
        ([ADDRESS, {"type": "uint", "name": "value"}], "E(address indexed from, uint256 value)"),
        ([{"type": "uint[2][]", "name": ""}], "E(uint256[2][])"),
        ([{"type": "uint8", "name": "indexed"}], "E(uint8)"),
        (
            [
                {
                    "type": "tuple[]",
                    "name": "rows",
                    "indexed": True,
                    "components": [{"type": "int", "name": "a"}, {"type": "bytes", "name": "calldata"}],
                }
            ],
            "E((int256 a, bytes)[] indexed rows)",
        ),
    ],
)
def test_event_declaration_contains_parameter_names(inputs, declaration):
    [(_, full)] = parse_declarations([event(*inputs)]).events
    assert full == declaration


def test_overlong_event_declaration_becomes_signature():
    inputs = [{"type": "uint256", "name": "n" * 100}] * (MAX_DECLARATION // 100)
    [(text, full)] = parse_declarations([event(*inputs)]).events
    assert full == text


@pytest.mark.parametrize(
    "item",
    [
        None,
        7,
        {},
        {"type": "event"},
        {"type": "event", "name": "two words", "inputs": []},
        {"type": "function", "name": "f", "inputs": [{"type": "uint257"}]},
        {"type": "error", "name": "x\n", "inputs": []},
        {"type": ["event"], "name": "E", "inputs": []},
        {"type": "event", "name": "E", "inputs": "none"},
    ],
)
def test_invalid_abi_item_is_skipped(item):
    assert parse_declarations([item]) == Declarations()


@pytest.mark.parametrize("abi", [None, {}, "abi", 3])
def test_invalid_abi_yields_no_declarations(abi):
    assert parse_declarations(abi).encode() == b""


def test_duplicate_abi_event_keeps_one_declaration():
    one, other = event(ADDRESS), event({**ADDRESS, "name": "a"})
    assert parse_declarations([one, other]) == parse_declarations([other, one])
    assert orjson.loads(parse_declarations([one, other]).encode())[2] == [
        ["E(address)", "E(address indexed a)"]
    ]
