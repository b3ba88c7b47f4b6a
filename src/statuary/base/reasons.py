"""The reason for a claim's outcome: a text key with values."""

from typing import NamedTuple

from statuary.base.errors import StatuaryError


class Reason(NamedTuple):
    """The key of a string below `claim_reason`, and its placeholders' values.

    Pages show numbers with grouped digits.
    """

    key: str
    values: tuple[tuple[str, str | int], ...] = ()


def because(key: str, /, **values: str | int) -> Reason:
    """Return the reason with a key and values."""
    return Reason(key, tuple(values.items()))


class EvidenceError(StatuaryError, ValueError):
    """The evidence does not prove a claim; the reason says why."""

    def __init__(self, key: str, /, **values: str | int) -> None:
        self.reason = because(key, **values)
        super().__init__(f"{key} {values}")
