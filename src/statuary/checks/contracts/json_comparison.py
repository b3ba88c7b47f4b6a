"""Parts of a record as JSON, and their comparison."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

import orjson

from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError, decode_hex_digits

Part = TypeVar("Part")

EMPTY_OBJECT: Mapping[str, Json] = MappingProxyType({})
"""An object without members."""


def parsed_or_error(parser: Callable[[Json], Part], value: Json) -> Part | InvalidValueError:
    """Return a part of a record parsed, or what is wrong with it."""
    try:
        return parser(value)
    except InvalidValueError as error:
        return error.with_traceback(None)


def as_object(value: Json) -> Mapping[str, Json]:
    """Return a JSON object; an empty one for anything else."""
    return value if isinstance(value, dict) else EMPTY_OBJECT


def as_text(value: Json) -> str:
    """Return a text; an empty one for anything else."""
    return value if isinstance(value, str) else ""


def hex_bytes(text: Json) -> bytes | None:
    """Return the bytes of `0x` and lower-case hex digits; None for anything else."""
    if not isinstance(text, str) or not text.startswith("0x"):
        return None
    digits = text[2:]
    data = decode_hex_digits(digits)
    return data if data is not None and data.hex() == digits else None  # capitals are decoded too


def json_bytes(value: Json, *, sort_keys: bool = False) -> bytes | None:
    """Return a JSON value as compact text; None if it is nested deeper than any compiler's output."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS if sort_keys else 0)
    except (TypeError, ValueError):  # orjson's own error is a TypeError
        return None


def as_json_text(value: Json) -> str:
    """Return a JSON value for a message."""
    if isinstance(value, str):
        return repr(str(value))
    text = json_bytes(value)
    return repr(value) if text is None else text.decode()


def same_json(one: Json, other: Json) -> bool:
    """Return whether two JSON values are equal, in any order of keys (`1`, `1.0` and `true` differ)."""
    if one is other:
        return True
    if one is None or other is None or isinstance(one, str) or isinstance(other, str):
        return bool(type(one) is type(other) and one == other)
    text = json_bytes(one)
    if text is not None and text == json_bytes(other):
        return True  # nearly always in the same order too, which is faster to compare
    return text is not None and same_members(one, other)


def same_members(one: Json, other: Json) -> bool:
    """Return the same as `same_json`, faster for values in different orders."""
    text = json_bytes(one, sort_keys=True)
    return text is not None and text == json_bytes(other, sort_keys=True)
