"""The input and output of readers of status pages."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeVar

from statuary.base.errors import StatuaryError
from statuary.base.primitives import Instant
from statuary.extensions.importing.report import NotImportableError, SkippedRecord
from statuary.extensions.importing.sources import WebSource
from statuary.extensions.importing.status.fields import LABEL, Fields, read_json_documents
from statuary.source.yaml_nodes import YamlValue
from statuary.status.model.vocabulary import ComponentStatus
from statuary.system.network.client import is_url

Source: TypeAlias = dict[str, Any]
"""A mapping of a source file, in the order of its keys."""

Converted = TypeVar("Converted")


def drop_empty_values(**values: YamlValue) -> Source:
    """Return the keyword arguments as a mapping, without None and empty values."""
    return {key: value for key, value in values.items() if value is not None and value not in ("", {}, [])}


def convert_records_or_skip(
    records: Iterable[Any],
    convert: Callable[[Fields], Converted],
    skipped_records: list[SkippedRecord],
    record_noun: str,
) -> list[Converted]:
    """Convert incidents or other records, and skip those that fail.

    Args:
        records: the JSON objects of the other system.
        convert: converts one record.
        skipped_records: a list to which the skipped records are appended, with the reason.
        record_noun: the noun with its article for the report, such as `an incident`.
    """
    converted = []
    for place, record in enumerate(records, start=1):
        try:
            converted.append(convert(Fields.from_json_value(record)))
        except NotImportableError as error:
            label = Fields(record).get_text(*LABEL) if isinstance(record, dict) else ""
            skipped_records.append(SkippedRecord(label or f"number {place}", f"{record_noun} {error}"))
    return converted


class ImportRequest(NamedTuple):
    """A page to import, and the content that exists already."""

    source: str  # a URL, a folder or a file
    web: WebSource
    known_ids: Collection[str]  # ids of incidents and maintenance windows in the content
    component_keys: Mapping[str, str]  # keys of components in the content, by id
    now: Instant

    @property
    def is_url(self) -> bool:
        """Whether the source is a URL instead of a folder or file."""
        return is_url(self.source)

    def read_json_documents(self) -> Iterator[Any]:
        """Yield the values in the source's JSON and JSON Lines files.

        Raises:
            NotImportableError: if there is no such file, or a file is not JSON.
        """
        return (document for _, document in read_json_documents(self.source))


@dataclass(slots=True, kw_only=True)
class ShownStatus:
    """The status that the imported page shows, for the comparison."""

    name: str = ""
    language: str = ""  # empty if the source does not name it
    unresolved: dict[str, str] = field(default_factory=dict)  # names of open incidents by id
    statuses: dict[str, ComponentStatus] = field(default_factory=dict)
    """The status of each component by its key; empty if unknown."""
    records: dict[str, int | None] = field(default_factory=dict)
    """The year of each incident and maintenance window by its id; None if there is no year."""


@dataclass(slots=True, kw_only=True)
class StatusPlan:
    """An imported page: components, incidents and maintenance windows."""

    page: Source = field(default_factory=dict)  # the `page` of site.yaml; empty if the source has none
    components: dict[str, Source] = field(default_factory=dict)
    """Components and groups by key, in the order of the page. A group contains its components."""
    incidents: dict[str, Source] = field(default_factory=dict)  # by id, which names the file
    maintenances: dict[str, Source] = field(default_factory=dict)  # by id
    present_count: int = 0  # the number of records that were not read because the content has them
    skipped: list[SkippedRecord] = field(default_factory=list)
    """The records and parts of records that content cannot express, or that look wrong."""
    notes: list[str] = field(default_factory=list)  # notes for the user
    incomplete: StatuaryError | None = None  # why reading ended early
    language: str = ""  # the language of the pages; empty for the default
    original: ShownStatus = field(default_factory=ShownStatus)  # the status on the source's own page

    def iter_components(self) -> Iterator[tuple[str, Source]]:
        """Yield the key and settings of each component of the imported page.

        Components in groups are included, but not the groups themselves.
        """
        for key, source in self.components.items():
            children = source.get("components")
            yield from children.items() if isinstance(children, Mapping) else [(key, source)]
