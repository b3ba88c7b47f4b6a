"""The decoder of calls and logs on contract pages gives the values that eth-abi gives."""

import json
import subprocess
from random import Random
from typing import Any

import pytest
from eth_abi import encode

from statuary.contracts.model.abi import signature_hash
from support.edge_runtimes import node
from support.requirements import CHECKOUT

pytestmark = pytest.mark.slow

ROUNDS = 150
ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"


def decoded(questions: list[dict[str, Any]]) -> list[Any]:
    done = subprocess.run(
        [node(), CHECKOUT / "tests/browser/decode_all.js"],
        input=json.dumps(questions).encode(),
        capture_output=True,
        check=True,
    )
    return list(json.loads(done.stdout))


def random_type(random: Random, depth: int = 0) -> str:
    kinds = ["uint256", "int64", "uint8", "address", "bool", "bytes32", "bytes4", "bytes", "string"]
    if depth < 3 and random.random() < 0.4:
        inner = random_type(random, depth + 1)
        return random.choice((f"{inner}[]", f"{inner}[2]", f"({inner},{random_type(random, depth + 1)})"))
    return random.choice(kinds)


def parts_of(kind: str) -> list[str]:
    parts, depth, start = [], 0, 1
    for place, letter in enumerate(kind):
        depth += (letter in "([") - (letter in ")]")
        if (letter == "," and depth == 1) or (letter == ")" and depth == 0):
            parts.append(kind[start:place])
            start = place + 1
    return parts


def value_of(kind: str, random: Random) -> tuple[Any, Any]:
    """Return a value as eth-abi takes it, and as the page shows it."""
    if kind.endswith("]"):
        inner, _, length = kind[:-1].rpartition("[")
        pairs = [value_of(inner, random) for _ in range(int(length or random.randrange(3)))]
        return [value for value, _ in pairs], [shown for _, shown in pairs]
    if kind.startswith("("):
        pairs = [value_of(part, random) for part in parts_of(kind)]
        return tuple(value for value, _ in pairs), [shown for _, shown in pairs]
    return plain_value(kind, random)


def plain_value(kind: str, random: Random) -> tuple[Any, Any]:
    """Return a value that is no array and no tuple, in both forms."""
    if kind == "address":
        return ADDRESS, ADDRESS
    if kind == "bool":
        truth = random.random() < 0.5
        return truth, str(truth).lower()
    if kind == "string":
        text = random.choice(("", "x", "Grüße\n", "a" * 70))
        return text, json.dumps(text, ensure_ascii=False)
    if kind.startswith("bytes"):
        raw = random.randbytes(int(kind[5:] or random.randrange(70)))
        return raw, f"0x{raw.hex()}"
    bits = int(kind.lstrip("uint"))
    low = -(1 << bits - 1) if kind.startswith("int") else 0
    number = random.choice((0, low, low + (1 << bits) - 1, random.randrange(1 << bits) + low))
    return number, str(number)


def parameter(kind: str, name: str) -> dict[str, Any]:
    """Return a parameter of an ABI: of a tuple in brackets, with its components."""
    base, brackets = kind, ""
    while base.endswith("]"):
        base, _, length = base[:-1].rpartition("[")
        brackets = f"[{length}]{brackets}"
    if not base.startswith("("):
        return {"name": name, "type": kind}
    components = [parameter(part, f"m{place}") for place, part in enumerate(parts_of(base))]
    return {"name": name, "type": f"tuple{brackets}", "components": components}


@pytest.mark.parametrize("kind", ["function", "error"])
def test_decoded_values_match_eth_abi(kind: str) -> None:
    random = Random(kind)
    questions, expected = [], []
    for _ in range(ROUNDS):
        types = [random_type(random) for _ in range(random.randrange(1, 4))]
        pairs = [value_of(one, random) for one in types]
        inputs = [parameter(one, f"p{place}") for place, one in enumerate(types)]
        selector = signature_hash(f"f({','.join(types)})")[:10]
        data = selector + encode(types, [value for value, _ in pairs]).hex()
        questions.append({"abi": [{"type": kind, "name": "f", "inputs": inputs}], "data": data})
        expected.append([{"name": "f", "values": [shown for _, shown in pairs], "rest": 0}])
    assert decoded(questions) == expected


def test_event_logs_are_decoded_from_receipt() -> None:
    inputs = [
        {"name": "from", "type": "address", "indexed": True},
        {"name": "memo", "type": "string", "indexed": True},
        {"name": "value", "type": "uint256"},
    ]
    abi = [{"type": "event", "name": "Sent", "inputs": inputs}]
    topics = [
        signature_hash("Sent(address,string,uint256)"),
        "0x" + encode(["address"], [ADDRESS]).hex(),
        "0x" + "ab" * 32,
    ]
    log = {"topics": topics, "data": "0x" + encode(["uint256"], [7]).hex()}
    found = [{"name": "Sent", "values": [ADDRESS, "0x" + "ab" * 32, "7"], "rest": 0}]
    receipt = {"result": {"logs": [log]}}
    assert decoded([{"abi": abi, "data": json.dumps(one)} for one in (log, [log], receipt)]) == [found] * 3


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("", "not whole bytes of hex"),
        ("0x12", "shorter than a selector"),
        ("0xabc", "not whole bytes of hex"),
        ("{}", "no log, transaction or receipt in it"),
        (signature_hash("f(uint8)")[:10] + "ff" * 32, "bits outside of uint8"),
        (signature_hash("f(uint8)")[:10], "the arguments end too early"),
    ],
)
def test_undecodable_calldata_shows_reason(data: str, reason: str) -> None:
    abi = [{"type": "function", "name": "f", "inputs": [{"name": "x", "type": "uint8"}]}]
    assert decoded([{"abi": abi, "data": data}]) == [{"error": reason}]


def test_unknown_selector_or_calldata_is_reported() -> None:
    abi = [{"type": "function", "name": "f", "inputs": []}]
    call = signature_hash("f()")[:10]
    assert decoded([{"abi": abi, "data": "0x12345678"}, {"abi": abi, "data": f"{call}00ff"}]) == [
        [{}],
        [{"name": "f", "values": [], "rest": 2}],
    ]
