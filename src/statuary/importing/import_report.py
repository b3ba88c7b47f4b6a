"""What was imported into the content folder, and what could not be."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple


class Lost(NamedTuple):
    """Something of the source that is not in the content."""

    reason: str  # why, in words that are the same for every such case
    what: str  # which one, such as an id or a file


@dataclass(slots=True)
class ImportReport:
    """What an import did, or would do."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    kept: int = 0  # how many things of the source are in the content already
    lost: list[Lost] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what a person should know or do
    incomplete: str = ""  # why the import ended early; running it again continues it

    def counts_by_reason(self) -> list[tuple[str, int, list[str]]]:
        """Return each reason with how many things were lost for it, the most frequent first, and what they are."""
        counts = Counter(lost.reason for lost in self.lost)
        return [
            (reason, count, [lost.what for lost in self.lost if lost.reason == reason])
            for reason, count in counts.most_common()
        ]
