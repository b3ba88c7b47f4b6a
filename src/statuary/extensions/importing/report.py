"""What an import has added to the content, and what it could not import."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from statuary.domain.errors import StatuaryError


class Lost(NamedTuple):
    """A record of the source that is not in the content."""

    reason: str  # the reason, the same text for every such case
    what: str  # which one, such as an id or a file


@dataclass(slots=True)
class ImportReport:
    """What an import did, or would do."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    kept: int = 0  # how many records of the source are already in the content
    lost: list[Lost] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what a person should know or do
    incomplete: str = ""  # why the import ended early; running it again continues it

    def counts_by_reason(self) -> list[tuple[str, int, list[str]]]:
        """Return each reason with the number and the names of the lost records, the most frequent first."""
        counts = Counter(lost.reason for lost in self.lost)
        return [
            (reason, count, [lost.what for lost in self.lost if lost.reason == reason])
            for reason, count in counts.most_common()
        ]


class ContractImportError(StatuaryError):
    """The input cannot become a contract of the site."""


class SourceError(StatuaryError):
    """The source of an import does not exist, or is malformed."""


class SourceUnavailableError(SourceError):
    """A server does not respond at present; the same import, run again later, continues where this one ends."""
