"""What an import has added to the content, and what it could not import."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from statuary.domain.errors import StatuaryError


class NotImportableError(StatuaryError):
    """Something cannot be imported: it is missing, malformed, or does not fit the content."""


class Skipped(NamedTuple):
    """A record of the source that is not in the content as the source has it."""

    record: str  # its id, its file or its name
    reason: str  # the same text for every such case


def by_reason(skipped: Sequence[Skipped]) -> Iterator[tuple[str, list[str]]]:
    """Yield each reason with the skipped records, the most frequent first."""
    for reason, _ in Counter(record.reason for record in skipped).most_common():
        yield reason, [record.record for record in skipped if record.reason == reason]


@dataclass(slots=True)
class ImportReport:
    """What an import did, or would do."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    present: int = 0  # how many records of the source are already in the content
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what a person should know or do
    compared: list[str] = field(default_factory=list)  # lines: what the source shows beside the content
    incomplete: str = ""  # why the import ended early; running it again continues it
