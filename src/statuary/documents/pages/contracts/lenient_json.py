"""Access to JSON of unknown shape: a value of another type than expected counts as absent."""

from collections.abc import Mapping, Sequence

from statuary.domain.json_values import Json, is_whole_number


def as_object(value: Json) -> Mapping[str, Json]:
    """Return an object, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Json) -> Sequence[Json]:
    """Return a list, or an empty one."""
    return value if isinstance(value, list) else ()


def as_text(value: Json) -> str:
    """Return a text, or an empty one."""
    return value if isinstance(value, str) else ""


def as_size(value: Json) -> int | None:
    """Return a whole number, zero or more, given as a number or as decimal digits; else None."""
    if is_whole_number(value):
        return int(value) if value >= 0 else None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS:
        return int(value)
    return None


MAX_DIGITS = 80
"""Digits of a number: storage slots have up to 78."""
