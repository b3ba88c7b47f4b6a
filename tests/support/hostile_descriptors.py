"""Descriptors that deceive, or break what reads them: each with the rule whose finding it is."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

from support.signing_sites import SEND, SEND_KEY, TOKEN, descriptor, field, messages

SHAPE, KEYS, TYPES = "invalid-descriptor", "invalid-format-key", "invalid-message-key"
PATHS, FITS, TEXTS = "invalid-field-path", "format-type-mismatch", "deceptive-text"
CODE, NAMES, VALUE = (
    "unknown-function",
    "parameter-name-mismatch",
    "value-display-mismatch",
)
INCLUDES, READABLE, BOUND = "invalid-include", "unreadable-descriptor", "invalid-deployment-address"
LIMITS, TEXT = "limit-exceeded", "parse-error"

Case = tuple[str, dict[str, Any]]
"""The rule, and the files by their names in the case's folder; the first is the descriptor."""

APPROVE_KEY = "approve(address spender,uint256 value)"
PERMIT = "Permit(address owner,address spender,uint256 value)"


def _one(value: Any, rule: str, name: str = "calldata-x.json") -> Case:
    return rule, {name: value}


def _fields(*fields: dict[str, Any], **members: Any) -> dict[str, Any]:
    return descriptor({SEND_KEY: {"intent": "Send", "fields": list(fields), **members}})


def _send(key: str) -> dict[str, Any]:
    return descriptor({key: {"intent": "Send", "fields": []}})


def _includes() -> Iterator[Case]:
    yield INCLUDES, {"calldata-x.json": descriptor(includes="calldata-x.json")}
    yield (
        INCLUDES,
        {
            "calldata-x.json": descriptor(includes="common-a.json"),
            "common-a.json": {"includes": "common-b.json"},
            "common-b.json": {"includes": "common-a.json"},
        },
    )
    chain = {f"common-{n}.json": {"includes": f"common-{n + 1}.json"} for n in range(30)}
    yield INCLUDES, {"calldata-x.json": descriptor(includes="common-0.json"), **chain, "common-30.json": {}}
    for target in (
        "../../../site.yaml",
        "../../../../etc/passwd",
        "/etc/passwd",
        "https://example.org/common.json",
        "file:///etc/passwd",
        "..\\..\\..\\site.yaml",
        "..",
        "missing.json",
        "../../proof/1/x.json",
    ):
        yield _one(descriptor(includes=target), INCLUDES)
    yield _one(descriptor(includes=7), INCLUDES)
    yield INCLUDES, {"calldata-x.json": descriptor(includes="./a/../calldata-x.json")}


def _shapes() -> Iterator[Case]:
    for value in ([], 7, "x", None, True):
        yield _one(value, READABLE)
    for member, value in {
        "context": [],
        "display": None,
        "metadata": "x",
        "contxt": {},
        "$schema": "https://example.org/erc7730-v1.schema.json",
    }.items():
        yield _one(descriptor(**{member: value}), SHAPE)
    yield _one(descriptor(display={"formats": []}), SHAPE)
    yield _one(_fields({"path": "to", "label": "To", "format": "rawest"}), SHAPE)
    yield _one(_fields({"path": "to", "label": "To", "format": "raw", "visible": "sometimes"}), SHAPE)
    yield _one(_fields({"path": "to", "value": 1, "label": "To", "format": "raw"}), SHAPE)
    yield _one(_fields(field("value", "V", "tokenAmount", token=TOKEN, tokenPath="to")), SHAPE)
    yield _one(_fields(field("value", "V", "unit", base="%", decimals=1.5)), SHAPE)
    yield _one(_fields(field("to", "To", "calldata")), SHAPE)
    yield _one(_fields({"path": ["to"], "label": "To", "format": "raw"}), SHAPE)
    nested: dict[str, Any] = field("to", "To")
    for _ in range(40):
        nested = {"fields": [nested]}
    yield _one(_fields(nested), SHAPE)
    yield _one(_fields(*[{"path": "to"}] * 100_000), SHAPE)
    yield _one(
        b'{"display":{"formats":{"' + SEND_KEY.encode() + b'":{"fields":[' + b"{}," * 1_000_000 + b"{}]}}}}",
        SHAPE,
    )
    yield _one(b"[" * 100_000, LIMITS)
    yield _one(b'{"context":{},"context":{}}', TEXT)
    yield _one(b"\xff\xfe{}", TEXT)
    yield _one(b"{} " * 2_000_000, LIMITS)
    many = descriptor(None, *[f"0x{number:040x}" for number in range(3_000)])
    yield _one(many, SHAPE)


def _keys() -> Iterator[Case]:
    for key in (
        "transfer(address to,uint value)",
        "transfer(address to,uint256 value) returns (bool)",
        "transfer(address to,uint256 value",
        "transfer(address to uint256 value)",
        "transfer(address to,uint257 value)",
        "transfer(address to,uint256 to)",
        "transfer(adress to,uint256 value)",
        "transfer((address to,uint256 value)",
        "transfer(address payable to,uint256 value)",
        "transfer(address calldata to,uint256 value)",
        "tr\u0430nsfer(address to,uint256 value)",
        "transfer(address\u00a0to,uint256 value)",
        "transfer\u200b(address to,uint256 value)",
        "(address to)",
        "7(address to)",
        "transfer(tuple to)",
        "transfer" + "(" * 64 + "uint256 a" + ")" * 64,
        "transfer(uint256" + "[]" * 100 + " a)",
        "transfer(" + ",".join(f"uint256 a{n}" for n in range(3_000)) + ")",
    ):
        yield _one(_send(key), KEYS)
    both = {SEND_KEY: SEND, "transfer(address recipient,uint256 amount)": {"intent": "Get", "fields": []}}
    yield _one(descriptor(both), KEYS)
    first, second = COLLIDING
    spec: dict[str, Any] = {"intent": "Send", "fields": []}
    yield _one(descriptor({f"{first}()": spec, f"{second}()": spec}), KEYS)


COLLIDING = "f8491", "f130736"
"""Names of functions without parameters whose selectors are one, the first pair in counting."""


def _paths() -> Iterator[Case]:
    for path in (
        "amount",
        "to.name",
        "value.[]",
        "to.[0]",
        "to.[0:4]",
        "value.[0:40]",
        "value.[20:10]",
        "value.[0:4].[0:2]",
        "@.gas",
        "@.value.wei",
        "$.metadata.secret",
        "to..value",
        "to[0]",
        "$",
        "@",
        "",
        "t\u043e",
        "x." * 600 + "y",
    ):
        yield _one(_fields(field(path, "To")), PATHS)
    for name, params in (
        ("tokenAmount", {"tokenPath": "token"}),
        ("tokenAmount", {"token": "$.metadata.constants.none"}),
        ("tokenAmount", {"nativeCurrencyAddress": ["$.metadata.constants.none"]}),
        ("tokenAmount", {"token": {"map": "$.metadata.maps.none", "keyPath": "@.chainId"}}),
        ("tokenAmount", {"chainIdPath": "to"}),
        ("nftName", {"collectionPath": "collection"}),
        ("tokenAmount", {"threshold": "$.metadata.constants.none"}),
    ):
        yield _one(_fields(field("value", "V", name, **params)), PATHS)
    yield _one(_fields({"path": "to", "$ref": "$.display.definitions.none"}), PATHS)
    yield _one(_fields({"path": "to", "$ref": "$.metadata.owner"}), PATHS)
    yield _one(_fields({"path": "nothing", "fields": [field("to", "To")]}), PATHS)
    yield _one(_fields(field("to", "To", "addressName"), interpolatedIntent="Send {value} to {to}"), PATHS)
    yield _one(_fields(field("to", "To", "addressName"), interpolatedIntent="Send {to"), PATHS)


def _types() -> Iterator[Case]:
    for path, name, params in (
        ("to", "tokenAmount", {}),
        ("to", "date", {"encoding": "timestamp"}),
        ("to", "amount", {}),
        ("to", "unit", {"base": "%"}),
        ("value", "calldata", {"calleePath": "to"}),
        ("value", "enum", {"$ref": "$.metadata.owner"}),
        ("value", "enum", {"$ref": "$.metadata.enums.none"}),
    ):
        yield _one(_fields(field(path, "Label", name, **params)), FITS)
    yield _one(_fields({"path": "to", "format": "raw"}), FITS)
    yield _one(_fields({"path": "to", "label": "To"}), FITS)


def _texts() -> Iterator[Case]:
    for text in (
        "\u0410mount",  # the Cyrillic A
        "Amo\u200bunt",
        "\u202eDNES",
        "Send\u0000",
        "\u0415\u0422\u041d",  # ETH in Cyrillic letters alone
        "\u0391mount",  # the Greek A
        "\uff33end",  # a full-width S
        "\U0001d412end",  # a bold S
        "Send\ue000",
        "Send \u2066to",
        "S\u0435nd",  # the Cyrillic e
        "\u13a0\u13ac",  # Cherokee
    ):
        yield _one(_fields(field("to", text, "addressName")), TEXTS)
    yield _one(descriptor({SEND_KEY: {**SEND, "intent": "S\u0435nd"}}), TEXTS)
    yield _one(descriptor({SEND_KEY: {**SEND, "interpolatedIntent": "S\u0435nd {value}"}}), TEXTS)
    yield _one(descriptor(metadata={"owner": "Pl\u0456nth"}), TEXTS)
    yield _one(descriptor(metadata={"owner": "P", "contractName": "\u202eekoT"}), TEXTS)
    yield _one(descriptor(metadata={"token": {"name": "T", "ticker": "\u0415TH", "decimals": 18}}), TEXTS)
    yield _one(descriptor(metadata={"enums": {"mode": {"1": "st\u0430ble"}}}), TEXTS)


def _code() -> Iterator[Case]:
    yield _one(_send("withdraw(uint256 value)"), CODE)
    yield _one(_send("transfer(address to,uint128 value)"), CODE)
    yield _one(_send("many_msg_babbage(bytes1 a)"), CODE)  # its selector is that of transfer(address,uint256)
    yield _one(_send("transfer(address from,uint256 value)"), NAMES)
    yield _one(_send("approve(address value,uint256 spender)"), NAMES)
    yield _one(_fields(field("@.value", "Paid", "amount")), VALUE)
    wrong = descriptor(None, "0x" + "A1" + "a1" * 19)
    yield _one(wrong, BOUND)


def _messages() -> Iterator[Case]:
    name = "eip712-x.json"
    for key in (
        "Permit(address owner, address spender)",
        "Permit(address owner,address owner)",
        "Permit(Person owner)",
        "Permit(address owner)Unused(uint256 a)",
        "Permit(B b,A a)B(uint256 x)A(uint256 x)",
        "Permit(address owner)Permit(address owner)",
        "Permit(address  owner)",
        "Permit(uint owner)",
        "Permit",
    ):
        yield _one(messages({key: {"intent": "Permit", "fields": []}}), TYPES, name)
    spec = {"intent": "Permit", "fields": []}
    yield _one(messages({PERMIT: spec}, domain={"chainId": 5}), BOUND, name)
    yield _one(messages({PERMIT: spec}, domain={"verifyingContract": "0x" + "11" * 20}), BOUND, name)
    yield _one(messages({PERMIT: {"intent": "P", "fields": [field("amount", "A")]}}), PATHS, name)
    yield _one(messages({"A(A a)": {"intent": "P", "fields": [field("a.a.b", "A")]}}), PATHS, name)
    yield _one(descriptor(), SHAPE, name)
    yield _one(messages({PERMIT: spec}), SHAPE)


def hostile_descriptors() -> dict[str, Case]:
    """Return every case by the name of its folder."""
    cases = itertools.chain(
        _includes(), _shapes(), _keys(), _paths(), _types(), _texts(), _code(), _messages()
    )
    return {f"h{number:03}": case for number, case in enumerate(cases)}


def file_of(value: Any) -> bytes:
    """Return a file of a case as it is written."""
    return value if isinstance(value, bytes) else json.dumps(value).encode()
