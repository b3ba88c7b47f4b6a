"""JSON as values, with the spelling of numbers that Python's own types would lose.

A published record is byte for byte its source, so a number that `int` or a double cannot spell back
(beyond 64 bits, `1.0`, `1e5`) stays the text that it was.
"""

from typing import Any

Json = Any
"""A JSON value: dict, list, str, int, float, bool, None or `NumberText`."""


class NumberText(str):
    """A JSON number kept as the text it was written as, because no Python number would spell it so.

    It is a number to every reader of the published JSON; to Python it is text.
    """

    __slots__ = ()


def is_whole_number(value: Json) -> bool:
    """Say whether a JSON value is a whole number (`true` and `false` are not)."""
    return isinstance(value, int) and not isinstance(value, bool)
