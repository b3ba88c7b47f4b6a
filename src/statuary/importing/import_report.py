"""What an import brought into the content folder, and what it could not bring."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple


class Lost(NamedTuple):
    """Something of the source that is not in the content.

    Attributes:
        reason: why, in words that are the same for every such case.
        what: which one, such as an id or a file.
    """

    reason: str
    what: str


@dataclass(slots=True)
class ImportReport:
    """What an import did, or would do.

    Attributes:
        kept: how many things of the source are in the content already.
        notes: what a person should know or do.
        incomplete: why the import ended early; running it again goes on.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    kept: int = 0
    lost: list[Lost] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    incomplete: str = ""

    def counts_by_reason(self) -> list[tuple[str, int, list[str]]]:
        """Return each reason with how many things were lost for it, the most frequent first, and what they are."""
        counts = Counter(lost.reason for lost in self.lost)
        return [
            (reason, count, [lost.what for lost in self.lost if lost.reason == reason])
            for reason, count in counts.most_common()
        ]
