"""Check descriptors against ERC-7730's schema (version 2), with positions."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from statuary.base.budget import consume
from statuary.base.findings import Pointer, did_you_mean
from statuary.base.json_values import Json, JsonObject, is_whole_number
from statuary.base.primitives import shorten
from statuary.extensions.clear_signing.limits import MAX_DEPLOYMENTS, MAX_FIELDS, MAX_GROUPS


class SchemaError(NamedTuple):
    """A place where a descriptor does not fit the schema."""

    pointer: Pointer
    message: str
    hint: str = ""
    on_key: bool = False


Check = Callable[[Json, Pointer], Iterator[SchemaError]]


def _anything(_value: Json, _at: Pointer) -> Iterator[SchemaError]:
    return iter(())


def _text(value: Json, at: Pointer) -> Iterator[SchemaError]:
    if not isinstance(value, str):
        yield SchemaError(at, f"{_quoted(value)} is not a text")


def _whole(value: Json, at: Pointer) -> Iterator[SchemaError]:
    if not is_whole_number(value):
        yield SchemaError(at, f"{_quoted(value)} is not a whole number")


def _flag(value: Json, at: Pointer) -> Iterator[SchemaError]:
    if not isinstance(value, bool):
        yield SchemaError(at, f"{_quoted(value)} is not true or false")


def _scalar(value: Json, at: Pointer) -> Iterator[SchemaError]:
    if isinstance(value, dict | list):
        yield SchemaError(at, "expected one value, found an object or a list")


def choice(*choices: str) -> Check:
    """Return a check that a value is one of these strings."""

    def check(value: Json, at: Pointer) -> Iterator[SchemaError]:
        if value not in choices:
            hint = did_you_mean(value, choices) if isinstance(value, str) else ""
            yield SchemaError(at, f"{_quoted(value)} is not one of {', '.join(choices)}", hint)

    return check


def _list(value: Json, at: Pointer, item: Check, most: int, least: int = 0) -> Iterator[SchemaError]:
    if not isinstance(value, list):
        yield SchemaError(at, f"{_quoted(value)} is not a list")
        return
    if not least <= len(value) <= most:
        yield SchemaError(at, f"a list of {len(value):,} items; {least:,} to {most:,} are allowed")
        return
    for number, inner in enumerate(value):
        consume(1)
        yield from item(inner, (*at, number))


def items(item: Check, most: int = 1_000, least: int = 0) -> Check:
    """Return a check of a list's length and of every item.

    Args:
        item: the check for each item.
        most: the largest allowed number of items.
        least: the smallest allowed number of items.
    """
    return partial(_list, item=item, most=most, least=least)


def _map(value: Json, at: Pointer, item: Check) -> Iterator[SchemaError]:
    if not isinstance(value, dict):
        yield SchemaError(at, f"{_quoted(value)} is not an object")
        return
    for key, inner in value.items():
        consume(1)
        yield from item(inner, (*at, key))


def values(item: Check) -> Check:
    """Return a check of every value of an object."""
    return partial(_map, item=item)


def _either(value: Json, at: Pointer, checks: tuple[Check, ...]) -> Iterator[SchemaError]:
    misfits = []
    for check in checks:
        misfits = list(check(value, at))
        if not misfits:
            return
    yield misfits[0]


def either(*checks: Check) -> Check:
    """Return a check that passes if one of several checks passes.

    If all fail, it reports the first error of the last check.
    """
    return partial(_either, checks=checks)


def _members(
    value: Json,
    at: Pointer,
    members: Mapping[str, Check],
    required: tuple[str, ...],
    *,
    is_open: bool,
    apart: tuple[tuple[str, str], ...],
) -> Iterator[SchemaError]:
    if not isinstance(value, dict):
        yield SchemaError(at, f"{_quoted(value)} is not an object")
        return
    for key, inner in value.items():
        if key in members:
            yield from members[key](inner, (*at, key))
        elif not is_open:
            yield _unknown(key, at, members)
    yield from (SchemaError(at, f"the key {key!r} is missing") for key in required if key not in value)
    for first_key, second_key in apart:
        if first_key in value and second_key in value:
            yield SchemaError(
                (*at, second_key),
                f"{first_key!r} and {second_key!r} exclude each other",
                "keep one",
                on_key=True,
            )


def _unknown(key: str, at: Pointer, known_keys: Mapping[str, Check]) -> SchemaError:
    hint = did_you_mean(key, known_keys) or f"the keys are: {', '.join(known_keys)}"
    return SchemaError((*at, key), f"unknown key {shorten(key)}", hint, on_key=True)


def members(
    known_keys: Mapping[str, Check],
    *required: str,
    is_open: bool = False,
    apart: tuple[tuple[str, str], ...] = (),
) -> Check:
    """Return a check for the members of an object.

    Args:
        known_keys: the check for the value of each key.
        required: the keys that must be present.
        is_open: whether other keys are allowed.
        apart: pairs of keys that exclude each other.
    """
    return partial(_members, members=known_keys, required=required, is_open=is_open, apart=apart)


def _quoted(value: Json) -> str:
    return "null" if value is None else shorten(str(value))


MAP_REFERENCE = members({"map": _text, "keyPath": _text}, is_open=True)
TEXT_OR_MAP = either(_text, MAP_REFERENCE)
WHOLE_OR_MAP = either(_whole, MAP_REFERENCE)
TEXT_OR_TEXTS = either(_text, items(_text))
ADDRESS_NAME = members(
    {
        "types": items(choice("wallet", "eoa", "contract", "token", "collection")),
        "sources": items(_text),
        "senderAddress": TEXT_OR_TEXTS,
    }
)

PARAMETERS: Final[Mapping[str, Check]] = {
    "addressName": ADDRESS_NAME,
    "interoperableAddressName": ADDRESS_NAME,
    "calldata": members(
        {
            "callee": TEXT_OR_MAP,
            "calleePath": _text,
            "selector": TEXT_OR_MAP,
            "selectorPath": _text,
            "amount": WHOLE_OR_MAP,
            "amountPath": _text,
            "spender": TEXT_OR_MAP,
            "spenderPath": _text,
        },
        apart=(
            ("callee", "calleePath"),
            ("selector", "selectorPath"),
            ("amount", "amountPath"),
            ("spender", "spenderPath"),
        ),
    ),
    "tokenAmount": members(
        {
            "token": TEXT_OR_MAP,
            "tokenPath": _text,
            "nativeCurrencyAddress": TEXT_OR_TEXTS,
            "threshold": _text,
            "message": _text,
            "chainId": WHOLE_OR_MAP,
            "chainIdPath": _text,
        },
        apart=(("token", "tokenPath"), ("chainId", "chainIdPath")),
    ),
    "tokenTicker": members(
        {"chainId": WHOLE_OR_MAP, "chainIdPath": _text}, apart=(("chainId", "chainIdPath"),)
    ),
    "nftName": members(
        {"collection": TEXT_OR_MAP, "collectionPath": _text}, apart=(("collection", "collectionPath"),)
    ),
    "date": members({"encoding": choice("blockheight", "timestamp")}, "encoding"),
    "unit": members({"base": _text, "decimals": _whole, "prefix": _flag}, "base"),
    "enum": members({"$ref": _text}, "$ref"),
}
"""The parameters of each format that has some."""

FORMATS: Final = ("raw", "amount", "duration", "chainId", *PARAMETERS, "tokenTicker")
"""The names of formats."""

_CALLEE: Final = ("callee", "calleePath")
NEEDED: Final = {"calldata": _CALLEE, "nftName": ("collection", "collectionPath")}
"""Formats that need one of two parameters."""

_MATCHED = items(_scalar, least=1)
VISIBLE = either(
    choice("always", "never", "optional"),
    members({"ifNotIn": _MATCHED, "mustMatch": _MATCHED}, apart=(("ifNotIn", "mustMatch"),)),
)
ENCRYPTION = members({"scheme": _text, "plaintextType": _text, "fallbackLabel": _text}, "scheme")

_COMMON: Final[dict[str, Check]] = {
    "path": _text,
    "value": _scalar,
    "label": _text,
    "separator": _text,
    "visible": VISIBLE,
    "encryption": ENCRYPTION,
}
_REFERENCE = members(
    {**_COMMON, "$ref": _text, "params": values(_anything)}, "$ref", apart=(("path", "value"),)
)


def _field(value: Json, at: Pointer) -> Iterator[SchemaError]:
    if not isinstance(value, dict):
        yield SchemaError(at, f"{_quoted(value)} is not an object")
        return
    name = value.get("format")
    checks: dict[str, Check] = {**_COMMON, "$id": _text, "format": choice(*dict.fromkeys(FORMATS))}
    checks["params"] = PARAMETERS.get(name, values(_anything)) if isinstance(name, str) else _anything
    yield from members(checks, apart=(("path", "value"),))(value, at)
    needed = NEEDED.get(name) if isinstance(name, str) else None
    parameters = value.get("params")
    if needed and not (isinstance(parameters, dict) and any(key in parameters for key in needed)):
        yield SchemaError(at, f"the format {name!r} needs {' or '.join(map(repr, needed))} in `params`")


def _field_or_group(value: Json, at: Pointer) -> Iterator[SchemaError]:
    if isinstance(value, dict) and "fields" in value:
        if sum(part == "fields" for part in at) > MAX_GROUPS:
            yield SchemaError(at, f"groups are nested deeper than {MAX_GROUPS} levels")
            return
        yield from GROUP(value, at)
    elif isinstance(value, dict) and "$ref" in value:
        yield from _REFERENCE(value, at)
    else:
        yield from _field(value, at)


FIELDS = items(_field_or_group, MAX_FIELDS)
GROUP = members(
    {
        "$id": _text,
        "path": _text,
        "label": _text,
        "iteration": choice("sequential", "bundled"),
        "fields": FIELDS,
    },
    "fields",
)
FORMAT = members(
    {
        "$id": _text,
        "intent": either(_text, values(_text)),
        "interpolatedIntent": _text,
        "fields": FIELDS,
    }
)
DEPLOYMENTS = items(members({"chainId": _whole, "address": _text}, is_open=True), MAX_DEPLOYMENTS)
CONTRACT = members(
    {
        "abi": _anything,
        "deployments": DEPLOYMENTS,
        "factory": members({"deployments": DEPLOYMENTS, "deployEvent": _text}, "deployments", "deployEvent"),
    }
)
MESSAGES = members(
    {
        "schemas": _anything,
        "domain": members(
            {"name": _text, "version": _text, "chainId": _whole, "verifyingContract": _text}, is_open=True
        ),
        "domainSeparator": _text,
        "deployments": DEPLOYMENTS,
    }
)
DESCRIPTOR = members(
    {
        "$schema": _text,
        "$comment": _text,
        "includes": _text,
        "context": members(
            {"$id": _text, "contract": CONTRACT, "eip712": MESSAGES}, apart=(("contract", "eip712"),)
        ),
        "metadata": members(
            {
                "owner": _text,
                "contractName": _text,
                "info": members({"deploymentDate": _text, "url": _text}, "url"),
                "token": members(
                    {"name": _text, "ticker": _text, "decimals": _whole}, "name", "ticker", "decimals"
                ),
                "constants": values(_scalar),
                "enums": values(values(_text)),
                "maps": values(members({"$keyType": _text, "values": values(_scalar)}, is_open=True)),
            },
            is_open=True,
        ),
        "display": members({"definitions": values(_field), "formats": values(FORMAT)}, "formats"),
    },
    "context",
    "display",
)


def schema_errors(descriptor: JsonObject) -> Iterator[SchemaError]:
    """Yield each error of a descriptor against the ERC-7730 schema."""
    return DESCRIPTOR(descriptor, ())
