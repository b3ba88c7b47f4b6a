"""JSON values whose numbers keep their text.

A record is published byte for byte, so a number that `int` or `float` would write otherwise (beyond 64 bits,
`1.0`, `1e5`) stays text.
"""

from typing import Any

Json = Any
"""A JSON value: dict, list, str, int, float, bool, None or `NumberText`."""


class NumberText(str):
    """A JSON number as it was written: text in Python, a number in the published JSON."""

    __slots__ = ()


def is_whole_number(value: Json) -> bool:
    """Return whether a JSON value is an integer (`true` and `false` are not)."""
    return isinstance(value, int) and not isinstance(value, bool)
