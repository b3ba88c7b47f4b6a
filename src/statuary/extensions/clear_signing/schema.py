"""Check descriptors against ERC-7730's schema (version 2), with positions."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from statuary.base.budget import consume_steps
from statuary.base.findings import Pointer, did_you_mean
from statuary.base.json_values import Json, JsonObject, is_whole_number
from statuary.base.primitives import shorten
from statuary.extensions.clear_signing.limits import MAX_DEPLOYMENTS, MAX_FIELDS, MAX_GROUPS


class SchemaError(NamedTuple):
    """A place in a descriptor that breaks the ERC-7730 schema, and why."""

    pointer: Pointer
    message: str
    hint: str = ""
    on_key: bool = False


Check = Callable[[Json, Pointer], Iterator[SchemaError]]


def _check_nothing(_value: Json, _pointer: Pointer) -> Iterator[SchemaError]:
    return iter(())


def _check_string(value: Json, pointer: Pointer) -> Iterator[SchemaError]:
    if not isinstance(value, str):
        yield SchemaError(pointer, f"{_quote_value(value)} is not a text")


def _check_integer(value: Json, pointer: Pointer) -> Iterator[SchemaError]:
    if not is_whole_number(value):
        yield SchemaError(pointer, f"{_quote_value(value)} is not a whole number")


def _check_boolean(value: Json, pointer: Pointer) -> Iterator[SchemaError]:
    if not isinstance(value, bool):
        yield SchemaError(pointer, f"{_quote_value(value)} is not true or false")


def _check_scalar(value: Json, pointer: Pointer) -> Iterator[SchemaError]:
    if isinstance(value, dict | list):
        yield SchemaError(pointer, "expected one value, found an object or a list")


def make_choice_check(*choices: str) -> Check:
    """Make a check that accepts only these strings.

    Example: `make_choice_check("always", "never")` makes a check that reports `"often"` as an error.
    """

    def check_choice(value: Json, pointer: Pointer) -> Iterator[SchemaError]:
        if value not in choices:
            hint = did_you_mean(value, choices) if isinstance(value, str) else ""
            yield SchemaError(pointer, f"{_quote_value(value)} is not one of {', '.join(choices)}", hint)

    return check_choice


def _check_list(
    value: Json, pointer: Pointer, check_item: Check, max_items: int, min_items: int = 0
) -> Iterator[SchemaError]:
    if not isinstance(value, list):
        yield SchemaError(pointer, f"{_quote_value(value)} is not a list")
        return
    if not min_items <= len(value) <= max_items:
        yield SchemaError(
            pointer, f"the list has {len(value):,} items; {min_items:,} to {max_items:,} are allowed"
        )
        return
    for number, inner in enumerate(value):
        consume_steps(1)
        yield from check_item(inner, (*pointer, number))


def make_list_check(check_item: Check, max_items: int = 1_000, min_items: int = 0) -> Check:
    """Make a check of a list: its length, and each item.

    Args:
        max_items: the largest allowed number of items.
        min_items: the smallest allowed number of items.
    """
    return partial(_check_list, check_item=check_item, max_items=max_items, min_items=min_items)


def _check_map(value: Json, pointer: Pointer, check_value: Check) -> Iterator[SchemaError]:
    if not isinstance(value, dict):
        yield SchemaError(pointer, f"{_quote_value(value)} is not an object")
        return
    for key, inner in value.items():
        consume_steps(1)
        yield from check_value(inner, (*pointer, key))


def make_map_check(check_value: Check) -> Check:
    """Make a check of a JSON object that applies to every value.

    Args:
        check_value: the check of one value.
    """
    return partial(_check_map, check_value=check_value)


def _check_alternatives(value: Json, pointer: Pointer, checks: tuple[Check, ...]) -> Iterator[SchemaError]:
    misfits = []
    for check in checks:
        misfits = list(check(value, pointer))
        if not misfits:
            return
    yield misfits[0]


def make_alternatives_check(*checks: Check) -> Check:
    """Make a check that accepts a value if any given check does.

    If no check accepts the value, the first error of the last check is reported.
    """
    return partial(_check_alternatives, checks=checks)


def _check_object(
    value: Json,
    pointer: Pointer,
    checks_by_key: Mapping[str, Check],
    required: tuple[str, ...],
    *,
    allow_other_keys: bool,
    exclusive_pairs: tuple[tuple[str, str], ...],
) -> Iterator[SchemaError]:
    if not isinstance(value, dict):
        yield SchemaError(pointer, f"{_quote_value(value)} is not an object")
        return
    for key, inner in value.items():
        if key in checks_by_key:
            yield from checks_by_key[key](inner, (*pointer, key))
        elif not allow_other_keys:
            yield _unknown_member_error(key, pointer, checks_by_key)
    yield from (SchemaError(pointer, f"the key {key!r} is missing") for key in required if key not in value)
    for first_key, second_key in exclusive_pairs:
        if first_key in value and second_key in value:
            yield SchemaError(
                (*pointer, second_key),
                f"{first_key!r} and {second_key!r} cannot be used together",
                "remove one of the two keys",
                on_key=True,
            )


def _unknown_member_error(key: str, pointer: Pointer, known_keys: Mapping[str, Check]) -> SchemaError:
    hint = did_you_mean(key, known_keys) or f"the keys are: {', '.join(known_keys)}"
    return SchemaError((*pointer, key), f"unknown key {shorten(key)}", hint, on_key=True)


def make_object_check(
    checks_by_key: Mapping[str, Check],
    *required: str,
    allow_other_keys: bool = False,
    exclusive_pairs: tuple[tuple[str, str], ...] = (),
) -> Check:
    """Make a check of a JSON object: its keys and their values.

    Args:
        checks_by_key: the check for the value of each known key.
        required: the keys that must be present.
        allow_other_keys: whether keys without a check are accepted.
        exclusive_pairs: pairs of keys of which only one may be present.
    """
    return partial(
        _check_object,
        checks_by_key=checks_by_key,
        required=required,
        allow_other_keys=allow_other_keys,
        exclusive_pairs=exclusive_pairs,
    )


def _quote_value(value: Json) -> str:
    return "null" if value is None else shorten(str(value))


MAP_REFERENCE = make_object_check({"map": _check_string, "keyPath": _check_string}, allow_other_keys=True)
TEXT_OR_MAP = make_alternatives_check(_check_string, MAP_REFERENCE)
WHOLE_OR_MAP = make_alternatives_check(_check_integer, MAP_REFERENCE)
TEXT_OR_TEXTS = make_alternatives_check(_check_string, make_list_check(_check_string))
ADDRESS_NAME = make_object_check(
    {
        "types": make_list_check(make_choice_check("wallet", "eoa", "contract", "token", "collection")),
        "sources": make_list_check(_check_string),
        "senderAddress": TEXT_OR_TEXTS,
    }
)

PARAMETERS: Final[Mapping[str, Check]] = {
    "addressName": ADDRESS_NAME,
    "interoperableAddressName": ADDRESS_NAME,
    "calldata": make_object_check(
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
        exclusive_pairs=(
            ("callee", "calleePath"),
            ("selector", "selectorPath"),
            ("amount", "amountPath"),
            ("spender", "spenderPath"),
        ),
    ),
    "tokenAmount": make_object_check(
        {
            "token": TEXT_OR_MAP,
            "tokenPath": _check_string,
            "nativeCurrencyAddress": TEXT_OR_TEXTS,
            "threshold": _check_string,
            "message": _check_string,
            "chainId": WHOLE_OR_MAP,
            "chainIdPath": _check_string,
        },
        exclusive_pairs=(("token", "tokenPath"), ("chainId", "chainIdPath")),
    ),
    "tokenTicker": make_object_check(
        {"chainId": WHOLE_OR_MAP, "chainIdPath": _check_string}, exclusive_pairs=(("chainId", "chainIdPath"),)
    ),
    "nftName": make_object_check(
        {"collection": TEXT_OR_MAP, "collectionPath": _check_string},
        exclusive_pairs=(("collection", "collectionPath"),),
    ),
    "date": make_object_check({"encoding": make_choice_check("blockheight", "timestamp")}, "encoding"),
    "unit": make_object_check(
        {"base": _check_string, "decimals": _check_integer, "prefix": _check_boolean}, "base"
    ),
    "enum": make_object_check({"$ref": _check_string}, "$ref"),
}
"""The parameters of each format that has some."""

FORMATS: Final = ("raw", "amount", "duration", "chainId", *PARAMETERS, "tokenTicker")
"""The names of formats."""

_CALLEE: Final = ("callee", "calleePath")
NEEDED: Final = {"calldata": _CALLEE, "nftName": ("collection", "collectionPath")}
"""Formats that need one of two parameters."""

_MATCHED = make_list_check(_check_scalar, min_items=1)
VISIBLE = make_alternatives_check(
    make_choice_check("always", "never", "optional"),
    make_object_check(
        {"ifNotIn": _MATCHED, "mustMatch": _MATCHED}, exclusive_pairs=(("ifNotIn", "mustMatch"),)
    ),
)
ENCRYPTION = make_object_check(
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
_REFERENCE = make_object_check(
    {**_COMMON, "$ref": _check_string, "params": make_map_check(_check_nothing)},
    "$ref",
    exclusive_pairs=(("path", "value"),),
)


def _check_field(field_json: Json, pointer: Pointer) -> Iterator[SchemaError]:
    if not isinstance(field_json, dict):
        yield SchemaError(pointer, f"{_quote_value(field_json)} is not an object")
        return
    name = field_json.get("format")
    checks: dict[str, Check] = {
        **_COMMON,
        "$id": _check_string,
        "format": make_choice_check(*dict.fromkeys(FORMATS)),
    }
    checks["params"] = (
        PARAMETERS.get(name, make_map_check(_check_nothing)) if isinstance(name, str) else _check_nothing
    )
    yield from make_object_check(checks, exclusive_pairs=(("path", "value"),))(field_json, pointer)
    needed = NEEDED.get(name) if isinstance(name, str) else None
    parameters = field_json.get("params")
    if needed and not (isinstance(parameters, dict) and any(key in parameters for key in needed)):
        yield SchemaError(pointer, f"the format {name!r} needs {' or '.join(map(repr, needed))} in `params`")


def _check_field_or_group(field_or_group: Json, pointer: Pointer) -> Iterator[SchemaError]:
    if isinstance(field_or_group, dict) and "fields" in field_or_group:
        if sum(part == "fields" for part in pointer) > MAX_GROUPS:
            yield SchemaError(pointer, f"groups are nested deeper than {MAX_GROUPS} levels")
            return
        yield from GROUP(field_or_group, pointer)
    elif isinstance(field_or_group, dict) and "$ref" in field_or_group:
        yield from _REFERENCE(field_or_group, pointer)
    else:
        yield from _check_field(field_or_group, pointer)


FIELDS = make_list_check(_check_field_or_group, MAX_FIELDS)
GROUP = make_object_check(
    {
        "$id": _check_string,
        "path": _check_string,
        "label": _check_string,
        "iteration": make_choice_check("sequential", "bundled"),
        "fields": FIELDS,
    },
    "fields",
)
FORMAT = make_object_check(
    {
        "$id": _check_string,
        "intent": make_alternatives_check(_check_string, make_map_check(_check_string)),
        "interpolatedIntent": _check_string,
        "fields": FIELDS,
    }
)
DEPLOYMENTS = make_list_check(
    make_object_check({"chainId": _check_integer, "address": _check_string}, allow_other_keys=True),
    MAX_DEPLOYMENTS,
)
CONTRACT = make_object_check(
    {
        "abi": _check_nothing,
        "deployments": DEPLOYMENTS,
        "factory": make_object_check(
            {"deployments": DEPLOYMENTS, "deployEvent": _check_string}, "deployments", "deployEvent"
        ),
    }
)
MESSAGES = make_object_check(
    {
        "schemas": _check_nothing,
        "domain": make_object_check(
            {
                "name": _check_string,
                "version": _check_string,
                "chainId": _check_integer,
                "verifyingContract": _check_string,
            },
            allow_other_keys=True,
        ),
        "domainSeparator": _check_string,
        "deployments": DEPLOYMENTS,
    }
)
DESCRIPTOR = make_object_check(
    {
        "$schema": _check_string,
        "$comment": _check_string,
        "includes": _check_string,
        "context": make_object_check(
            {"$id": _check_string, "contract": CONTRACT, "eip712": MESSAGES},
            exclusive_pairs=(("contract", "eip712"),),
        ),
        "metadata": make_object_check(
            {
                "owner": _check_string,
                "contractName": _check_string,
                "info": make_object_check({"deploymentDate": _check_string, "url": _check_string}, "url"),
                "token": make_object_check(
                    {"name": _check_string, "ticker": _check_string, "decimals": _check_integer},
                    "name",
                    "ticker",
                    "decimals",
                ),
                "constants": make_map_check(_check_scalar),
                "enums": make_map_check(make_map_check(_check_string)),
                "maps": make_map_check(
                    make_object_check(
                        {"$keyType": _check_string, "values": make_map_check(_check_scalar)},
                        allow_other_keys=True,
                    )
                ),
            },
            allow_other_keys=True,
        ),
        "display": make_object_check(
            {"definitions": make_map_check(_check_field), "formats": make_map_check(FORMAT)}, "formats"
        ),
    },
    "context",
    "display",
)


def schema_errors(descriptor: JsonObject) -> Iterator[SchemaError]:
    """Report each place in a descriptor that breaks the ERC-7730 schema.

    Args:
        descriptor: the descriptor, merged with the files that it includes.
    """
    return DESCRIPTOR(descriptor, ())
