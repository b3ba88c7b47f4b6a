"""Why a claim is shown, not shown or contradicted: a key with values; its sentence stands in the texts of each language."""

from typing import NamedTuple

from statuary.base.errors import StatuaryError


class Reason(NamedTuple):
    """The key of a text below `claim_reason`, and the values of its placeholders; digits of numbers are grouped."""

    key: str
    values: tuple[tuple[str, str | int], ...] = ()


def because(key: str, /, **values: str | int) -> Reason:
    """Return the reason with a key and values."""
    return Reason(key, tuple(values.items()))


class EvidenceError(StatuaryError, ValueError):
    """Bytes that do not show a claim, for a reason."""

    def __init__(self, key: str, /, **values: str | int) -> None:
        self.reason = because(key, **values)
        super().__init__(f"{key} {values}")
