"""The reason why a claim of a proof holds or fails: a text key with values."""

from typing import NamedTuple

from statuary.base.errors import StatuaryError


class Reason(NamedTuple):
    """The reason for the status of a claim, for pages in any language.

    It is the key of a text below `claim_reason`, and the values to fill in.
    """

    key: str
    values: tuple[tuple[str, str | int], ...] = ()


def because(key: str, /, **values: str | int) -> Reason:
    """Make the reason for a claim's status from its text key."""
    return Reason(key, tuple(values.items()))


class EvidenceError(StatuaryError, ValueError):
    """Evidence does not prove what it should; the reason says why."""

    def __init__(self, key: str, /, **values: str | int) -> None:
        self.reason = because(key, **values)
        super().__init__(f"{key} {values}")
