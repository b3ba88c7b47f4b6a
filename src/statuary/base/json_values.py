"""JSON values whose numbers keep their spelling.

A record is published byte for byte, so a number that `int` or `float` would spell differently (beyond 64
bits, `1.0`, `1e5`) stays a string.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeGuard

from statuary.base.limits import MAX_INTEGER_DIGITS, MAX_JSON_VALUES, MAX_QUOTED, MAX_RECORD_DEPTH
from statuary.base.primitives import InvalidValueError, shorten

Json: TypeAlias = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None
"""A JSON value to be read; a number whose spelling matters is a `NumberText`."""

JsonObject: TypeAlias = Mapping[str, Json]
"""A JSON object to be read."""


class NumberText(str):
    """A JSON number as a string, which keeps its original spelling."""

    __slots__ = ()


def has_many_values(text: bytes, limit: int = MAX_JSON_VALUES) -> bool:
    """Return whether a JSON text may have more values than a limit.

    The text is not parsed. Its commas and opening brackets are counted, even inside strings, so the count may
    be too high.

    Args:
        text: the JSON as bytes.
        limit: the maximum number of values.
    """
    return sum(map(text.count, (b",", b"[", b"{"))) >= limit


def shorten_value(value: Json) -> str:
    """Describe a JSON value in a few characters for an error message.

    Returns:
        A string in quotes, shortened if it is long; a number, boolean or None as in Python; or only the
        words `an object` or `a list`.
    """
    if isinstance(value, str):
        return shorten(value, MAX_QUOTED)
    if isinstance(value, Mapping):
        return "an object"
    return repr(value) if value is None or isinstance(value, int | float) else "a list"


def is_whole_number(value: object) -> TypeGuard[int]:
    """Return whether a JSON value is an integer.

    Booleans are excluded, although they are integers in Python.
    """
    return isinstance(value, int) and not isinstance(value, bool)


def sorted_jsonb_keys(keys: Iterable[str]) -> list[str]:
    """Sort keys as PostgreSQL's `jsonb` does: shorter ones first.

    The length is in bytes. Keys of the same length are sorted by their bytes.
    """
    by_bytes = {key.encode("utf-8", "surrogatepass"): key for key in keys}
    return [by_bytes[encoded] for encoded in sorted(by_bytes, key=lambda encoded: (len(encoded), encoded))]


def sort_keys_as_jsonb(value: Json, depth: int = 0) -> Json:
    """Sort the keys of a JSON value's objects like PostgreSQL's `jsonb`.

    Shorter keys come first: `{"abi": 1, "id": 2}` becomes `{"id": 2, "abi": 1}`. Arrays keep their order.

    Args:
        depth: the number of arrays and objects around the value.

    Raises:
        InvalidValueError: if the value is nested more than `MAX_RECORD_DEPTH` levels.
    """
    if depth > MAX_RECORD_DEPTH:
        raise InvalidValueError(f"the JSON is nested deeper than the limit of {MAX_RECORD_DEPTH} levels")
    if isinstance(value, dict):
        return {key: sort_keys_as_jsonb(value[key], depth + 1) for key in sorted_jsonb_keys(value)}
    if isinstance(value, list):
        return [sort_keys_as_jsonb(item, depth + 1) for item in value]
    return value


def as_object(value: Json) -> JsonObject:
    """Return the value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Json) -> Sequence[Json]:
    """Return the value if it is a JSON list, else an empty one."""
    return value if isinstance(value, list) else ()


def as_text(value: Json) -> str:
    """Return the value if it is a string, else an empty string."""
    return value if isinstance(value, str) else ""


def as_non_negative_integer(value: Json) -> int | None:
    """Return a JSON number or decimal string as a non-negative integer.

    Returns:
        The integer, or None for any other value.
    """
    if is_whole_number(value):
        return value if value >= 0 else None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= MAX_INTEGER_DIGITS:
        return int(value)
    return None
