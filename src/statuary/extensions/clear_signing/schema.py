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
    """An error of a descriptor against the ERC-7730 schema, with its place."""

    pointer: Pointer
    message: str
    hint: str = ""
    on_key: bool = False


Check = Callable[[Json, Pointer], Iterator[SchemaError]]


def _check_nothing(_value: Json, _at: Pointer) -> Iterator[SchemaError]:
    return iter(())


def _check_string(value: Json, at: Pointer) -> Iterator[SchemaError]:
    if not isinstance(value, str):
        yield SchemaError(at, f"{_quote_value(value)} is not a text")


def _check_integer(value: Json, at: Pointer) -> Iterator[SchemaError]:
    if not is_whole_number(value):
        yield SchemaError(at, f"{_quote_value(value)} is not a whole number")


def _check_boolean(value: Json, at: Pointer) -> Iterator[SchemaError]:
    if not isinstance(value, bool):
        yield SchemaError(at, f"{_quote_value(value)} is not true or false")


def _check_scalar(value: Json, at: Pointer) -> Iterator[SchemaError]:
    if isinstance(value, dict | list):
        yield SchemaError(at, "expected one value, found an object or a list")


def choice_check(*choices: str) -> Check:
    """Return a function that checks whether a value is one of these strings."""

    def check(value: Json, at: Pointer) -> Iterator[SchemaError]:
        if value not in choices:
            hint = did_you_mean(value, choices) if isinstance(value, str) else ""
            yield SchemaError(at, f"{_quote_value(value)} is not one of {', '.join(choices)}", hint)

    return check


def _check_list(
    value: Json, at: Pointer, item: Check, max_items: int, min_items: int = 0
) -> Iterator[SchemaError]:
    if not isinstance(value, list):
        yield SchemaError(at, f"{_quote_value(value)} is not a list")
        return
    if not min_items <= len(value) <= max_items:
        yield SchemaError(at, f"a list of {len(value):,} items; {min_items:,} to {max_items:,} are allowed")
        return
    for number, inner in enumerate(value):
        consume(1)
        yield from item(inner, (*at, number))


def list_check(item: Check, max_items: int = 1_000, min_items: int = 0) -> Check:
    """Return a check of a list's length and of every item.

    Args:
        item: the check for each item.
        max_items: the largest allowed number of items.
        min_items: the smallest allowed number of items.
    """
    return partial(_check_list, item=item, max_items=max_items, min_items=min_items)


def _check_map(value: Json, at: Pointer, item: Check) -> Iterator[SchemaError]:
    if not isinstance(value, dict):
        yield SchemaError(at, f"{_quote_value(value)} is not an object")
        return
    for key, inner in value.items():
        consume(1)
        yield from item(inner, (*at, key))


def map_check(item: Check) -> Check:
    """Return a function that checks every value of a JSON object.

    Args:
        item: the check for a single value.
    """
    return partial(_check_map, item=item)


def _check_alternatives(value: Json, at: Pointer, checks: tuple[Check, ...]) -> Iterator[SchemaError]:
    misfits = []
    for check in checks:
        misfits = list(check(value, at))
        if not misfits:
            return
    yield misfits[0]


def alternatives_check(*checks: Check) -> Check:
    """Return a function that accepts a value if one of several checks does.

    If all fail, it reports the first error of the last check.
    """
    return partial(_check_alternatives, checks=checks)


def _check_members(
    value: Json,
    at: Pointer,
    members: Mapping[str, Check],
    required: tuple[str, ...],
    *,
    is_open: bool,
    apart: tuple[tuple[str, str], ...],
) -> Iterator[SchemaError]:
    if not isinstance(value, dict):
        yield SchemaError(at, f"{_quote_value(value)} is not an object")
        return
    for key, inner in value.items():
        if key in members:
            yield from members[key](inner, (*at, key))
        elif not is_open:
            yield _unknown_member_error(key, at, members)
    yield from (SchemaError(at, f"the key {key!r} is missing") for key in required if key not in value)
    for first_key, second_key in apart:
        if first_key in value and second_key in value:
            yield SchemaError(
                (*at, second_key),
                f"{first_key!r} and {second_key!r} exclude each other",
                "keep one",
                on_key=True,
            )


def _unknown_member_error(key: str, at: Pointer, known_keys: Mapping[str, Check]) -> SchemaError:
    hint = did_you_mean(key, known_keys) or f"the keys are: {', '.join(known_keys)}"
    return SchemaError((*at, key), f"unknown key {shorten(key)}", hint, on_key=True)


def object_check(
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
    return partial(_check_members, members=known_keys, required=required, is_open=is_open, apart=apart)


def _quote_value(value: Json) -> str:
    return "null" if value is None else shorten(str(value))


MAP_REFERENCE = object_check({"map": _check_string, "keyPath": _check_string}, is_open=True)
TEXT_OR_MAP = alternatives_check(_check_string, MAP_REFERENCE)
WHOLE_OR_MAP = alternatives_check(_check_integer, MAP_REFERENCE)
TEXT_OR_TEXTS = alternatives_check(_check_string, list_check(_check_string))
ADDRESS_NAME = object_check(
    {
        "types": list_check(choice_check("wallet", "eoa", "contract", "token", "collection")),
        "sources": list_check(_check_string),
        "senderAddress": TEXT_OR_TEXTS,
    }
)

PARAMETERS: Final[Mapping[str, Check]] = {
    "addressName": ADDRESS_NAME,
    "interoperableAddressName": ADDRESS_NAME,
    "calldata": object_check(
        {
            "callee": TEXT_OR_MAP,
            "calleePath": _check_string,
            "selector": TEXT_OR_MAP,
            "selectorPath": _check_string,
            "amount": WHOLE_OR_MAP,
            "amountPath": _check_string,
            "spender": TEXT_OR_MAP,
            "spenderPath": _check_string,
        },
        apart=(
            ("callee", "calleePath"),
            ("selector", "selectorPath"),
            ("amount", "amountPath"),
            ("spender", "spenderPath"),
        ),
    ),
    "tokenAmount": object_check(
        {
            "token": TEXT_OR_MAP,
            "tokenPath": _check_string,
            "nativeCurrencyAddress": TEXT_OR_TEXTS,
            "threshold": _check_string,
            "message": _check_string,
            "chainId": WHOLE_OR_MAP,
            "chainIdPath": _check_string,
        },
        apart=(("token", "tokenPath"), ("chainId", "chainIdPath")),
    ),
    "tokenTicker": object_check(
        {"chainId": WHOLE_OR_MAP, "chainIdPath": _check_string}, apart=(("chainId", "chainIdPath"),)
    ),
    "nftName": object_check(
        {"collection": TEXT_OR_MAP, "collectionPath": _check_string},
        apart=(("collection", "collectionPath"),),
    ),
    "date": object_check({"encoding": choice_check("blockheight", "timestamp")}, "encoding"),
    "unit": object_check(
        {"base": _check_string, "decimals": _check_integer, "prefix": _check_boolean}, "base"
    ),
    "enum": object_check({"$ref": _check_string}, "$ref"),
}
"""The parameters of each format that has some."""

FORMATS: Final = ("raw", "amount", "duration", "chainId", *PARAMETERS, "tokenTicker")
"""The names of formats."""

_CALLEE: Final = ("callee", "calleePath")
NEEDED: Final = {"calldata": _CALLEE, "nftName": ("collection", "collectionPath")}
"""Formats that need one of two parameters."""

_MATCHED = list_check(_check_scalar, min_items=1)
VISIBLE = alternatives_check(
    choice_check("always", "never", "optional"),
    object_check({"ifNotIn": _MATCHED, "mustMatch": _MATCHED}, apart=(("ifNotIn", "mustMatch"),)),
)
ENCRYPTION = object_check(
    {"scheme": _check_string, "plaintextType": _check_string, "fallbackLabel": _check_string}, "scheme"
)

_COMMON: Final[dict[str, Check]] = {
    "path": _check_string,
    "value": _check_scalar,
    "label": _check_string,
    "separator": _check_string,
    "visible": VISIBLE,
    "encryption": ENCRYPTION,
}
_REFERENCE = object_check(
    {**_COMMON, "$ref": _check_string, "params": map_check(_check_nothing)},
    "$ref",
    apart=(("path", "value"),),
)


def _check_field(value: Json, at: Pointer) -> Iterator[SchemaError]:
    if not isinstance(value, dict):
        yield SchemaError(at, f"{_quote_value(value)} is not an object")
        return
    name = value.get("format")
    checks: dict[str, Check] = {
        **_COMMON,
        "$id": _check_string,
        "format": choice_check(*dict.fromkeys(FORMATS)),
    }
    checks["params"] = (
        PARAMETERS.get(name, map_check(_check_nothing)) if isinstance(name, str) else _check_nothing
    )
    yield from object_check(checks, apart=(("path", "value"),))(value, at)
    needed = NEEDED.get(name) if isinstance(name, str) else None
    parameters = value.get("params")
    if needed and not (isinstance(parameters, dict) and any(key in parameters for key in needed)):
        yield SchemaError(at, f"the format {name!r} needs {' or '.join(map(repr, needed))} in `params`")


def _check_field_or_group(value: Json, at: Pointer) -> Iterator[SchemaError]:
    if isinstance(value, dict) and "fields" in value:
        if sum(part == "fields" for part in at) > MAX_GROUPS:
            yield SchemaError(at, f"groups are nested deeper than {MAX_GROUPS} levels")
            return
        yield from GROUP(value, at)
    elif isinstance(value, dict) and "$ref" in value:
        yield from _REFERENCE(value, at)
    else:
        yield from _check_field(value, at)


FIELDS = list_check(_check_field_or_group, MAX_FIELDS)
GROUP = object_check(
    {
        "$id": _check_string,
        "path": _check_string,
        "label": _check_string,
        "iteration": choice_check("sequential", "bundled"),
        "fields": FIELDS,
    },
    "fields",
)
FORMAT = object_check(
    {
        "$id": _check_string,
        "intent": alternatives_check(_check_string, map_check(_check_string)),
        "interpolatedIntent": _check_string,
        "fields": FIELDS,
    }
)
DEPLOYMENTS = list_check(
    object_check({"chainId": _check_integer, "address": _check_string}, is_open=True), MAX_DEPLOYMENTS
)
CONTRACT = object_check(
    {
        "abi": _check_nothing,
        "deployments": DEPLOYMENTS,
        "factory": object_check(
            {"deployments": DEPLOYMENTS, "deployEvent": _check_string}, "deployments", "deployEvent"
        ),
    }
)
MESSAGES = object_check(
    {
        "schemas": _check_nothing,
        "domain": object_check(
            {
                "name": _check_string,
                "version": _check_string,
                "chainId": _check_integer,
                "verifyingContract": _check_string,
            },
            is_open=True,
        ),
        "domainSeparator": _check_string,
        "deployments": DEPLOYMENTS,
    }
)
DESCRIPTOR = object_check(
    {
        "$schema": _check_string,
        "$comment": _check_string,
        "includes": _check_string,
        "context": object_check(
            {"$id": _check_string, "contract": CONTRACT, "eip712": MESSAGES}, apart=(("contract", "eip712"),)
        ),
        "metadata": object_check(
            {
                "owner": _check_string,
                "contractName": _check_string,
                "info": object_check({"deploymentDate": _check_string, "url": _check_string}, "url"),
                "token": object_check(
                    {"name": _check_string, "ticker": _check_string, "decimals": _check_integer},
                    "name",
                    "ticker",
                    "decimals",
                ),
                "constants": map_check(_check_scalar),
                "enums": map_check(map_check(_check_string)),
                "maps": map_check(
                    object_check(
                        {"$keyType": _check_string, "values": map_check(_check_scalar)}, is_open=True
                    )
                ),
            },
            is_open=True,
        ),
        "display": object_check(
            {"definitions": map_check(_check_field), "formats": map_check(FORMAT)}, "formats"
        ),
    },
    "context",
    "display",
)


def schema_errors(descriptor: JsonObject) -> Iterator[SchemaError]:
    """Yield each place where a descriptor breaks the schema of ERC-7730.

    Args:
        descriptor: the descriptor, merged with the files that it includes.
    """
    return DESCRIPTOR(descriptor, ())
