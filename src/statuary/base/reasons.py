"""The reason why a claim of a proof holds or fails: a text key with values."""

from typing import NamedTuple

from statuary.base.errors import StatuaryError


class Reason(NamedTuple):
    """A translatable sentence that explains why a claim is proven or not.

    A claim is a statement about a contract. The reason has the key of a text below `claim_reason`, and the
    values to fill in.
    """

    key: str
    values: tuple[tuple[str, str | int], ...] = ()


def make_reason(key: str, /, **values: str | int) -> Reason:
    """Make a reason, a sentence that pages can show in any language.

    Args:
        key: the key of the sentence in the translated texts, without the prefix `claim_reason.`.
        values: the values for the placeholders of the sentence.
    """
    return Reason(key, tuple(values.items()))


class EvidenceError(StatuaryError, ValueError):
    """The evidence does not prove a claim; the reason says why."""

    def __init__(self, key: str, /, **values: str | int) -> None:
        self.reason = make_reason(key, **values)
        super().__init__(f"{key} {values}")
