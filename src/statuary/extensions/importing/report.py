"""The result of an import, for its report."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from statuary.base.errors import StatuaryError
from statuary.base.json_values import Json, JsonObject
from statuary.base.primitives import Address, ChainId


class NotImportableError(StatuaryError):
    """Raised if a source, or one record in it, cannot be imported."""


class SkippedRecord(NamedTuple):
    """A record that was not imported, or only partly, with the reason."""

    record: str  # the id, file or name of the record
    reason: str  # the reason, spelled the same for all records that it applies to


def group_skipped_by_reason(skipped_records: Sequence[SkippedRecord]) -> Iterator[tuple[str, list[str]]]:
    """Group the names of skipped records by the reason for skipping.

    The most frequent reason comes first.
    """
    for reason, _ in Counter(record.reason for record in skipped_records).most_common():
        yield reason, [record.record for record in skipped_records if record.reason == reason]


@dataclass(slots=True)
class ImportReport:
    """The added, changed and skipped records of an import."""

    added_paths: list[str] = field(default_factory=list)
    changed_paths: list[str] = field(default_factory=list)
    present_count: int = 0  # how many records of the source are already in the content
    skipped: list[SkippedRecord] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # notes for the user
    compared: list[str] = field(default_factory=list)  # lines that compare the source with the content
    incomplete: str = ""  # why the import ended early; the next run continues the import


class AddressResult(NamedTuple):
    """The result of an import for one address."""

    chain_id: ChainId | None  # None if the source does not name it
    address: Address | None  # None for an entry without one
    name: str  # the name of the address in the source
    outcome: str  # `imported`, `present`, `incomplete`, `not_imported`, or `mentioned` where there is nothing to do
    reason: str = ""  # why the contract was not imported
    hint: str = ""  # what to do
    match: str = ""  # the match level of the imported record
    is_compiled_again: bool = False
    is_anchored: bool = False
    notes: tuple[str, ...] = ()  # notes about what was imported

    @property
    def to_json(self) -> JsonObject:
        """This result as JSON, for a line of the `--report` file."""
        optional: dict[str, Json] = {
            "match": self.match,
            "reason": self.reason,
            "hint": self.hint,
            "notes": list(self.notes),
        }
        steps: dict[str, Json] = {"compiledAgain": self.is_compiled_again, "anchored": self.is_anchored}
        return {
            "chainId": self.chain_id,
            "address": self.address,
            "name": self.name,
            "outcome": self.outcome,
            **{key: value for key, value in optional.items() if value},
            **(steps if self.match else {}),
        }
