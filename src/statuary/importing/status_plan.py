"""The request to a reader of another status page, and the content that it returns."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from statuary.domain.primitives import Instant
from statuary.editing.yaml.yaml_blocks import YamlValue
from statuary.importing.import_error import SourceError
from statuary.importing.import_report import Lost
from statuary.importing.source_members import files_below, parse_json, read_file
from statuary.importing.web_source import WebSource
from statuary.snapshots.http_client import is_url

Source: TypeAlias = dict[str, Any]
"""A mapping of a source file, in the order of its keys."""


class ImportRequest(NamedTuple):
    """The source, and what the content already has."""

    source: str  # a URL, a folder or a file
    web: WebSource
    known: Collection[str]  # ids of the incidents and maintenances that the content has
    keys: Mapping[str, str]  # keys of the components that it has, by id
    now: Instant

    @property
    def is_url(self) -> bool:
        """Whether the source is on the web."""
        return is_url(self.source)

    def json_files(self) -> Iterator[Any]:
        """Yield what the JSON files of the source hold; raise SourceError if there is none, or one is not JSON."""
        for file in files_below(self.source, (".json",)):
            yield parse_json(read_file(file), str(file))


@dataclass(slots=True, kw_only=True)
class StatusPlan:
    """Page, components, incidents and maintenances in the form of content."""

    page: Source = field(default_factory=dict)  # the `page` of site.yaml; empty if the source has none
    # by key, in the order of the page; a group holds its components
    components: dict[str, Source] = field(default_factory=dict)
    incidents: dict[str, Source] = field(default_factory=dict)  # by id, which becomes the name of the file
    maintenances: dict[str, Source] = field(default_factory=dict)  # by id
    known: int = 0  # how many records of the source were not read because the content has them
    # what content cannot express, and what looks wrong
    lost: list[Lost] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what a person should know or do
    incomplete: SourceError | None = None  # why reading ended early

    def leaves(self) -> Iterator[tuple[str, Source]]:
        """Yield the components without the groups, by key."""
        for key, source in self.components.items():
            children = source.get("components")
            yield from children.items() if isinstance(children, Mapping) else [(key, source)]


def given(**values: YamlValue) -> Source:
    """Return the keys whose value is neither null nor empty."""
    return {key: value for key, value in values.items() if value is not None and value not in ("", {}, [])}
