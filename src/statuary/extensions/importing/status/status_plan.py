"""The request to a reader of another status page, and the content that it returns."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import orjson

from statuary.content.parse_yaml import parse_yaml
from statuary.content.source_files import SourceFile, decode_utf8
from statuary.content.unreadable import UnreadableError
from statuary.domain.primitives import Instant, InvalidValueError, format_exact, parse_instant, shorten
from statuary.editing.yaml_nodes import YamlValue
from statuary.extensions.http.client import is_url
from statuary.extensions.importing.report import Lost, SourceError
from statuary.extensions.importing.sources import WebSource

Members = dict[str, Any]
Made = TypeVar("Made")

MAX_FILE = 256 << 20
"""Bytes of the longest file that is read."""

LABEL = ("id", "code", "number", "name", "title")
"""The members that name a record in a report; the first present one does."""


def text_of(members: Members, *names: str) -> str:
    """Return the first of these members that is a text or number, as text; empty if there is none."""
    values = (members.get(name) for name in names)
    found = (value for value in values if isinstance(value, str | int) and not isinstance(value, bool))
    return next((str(value) for value in found if value != ""), "")


def required_text(members: Members, *names: str) -> str:
    """Return what `text_of` returns; raise SourceError if it is empty."""
    text = text_of(members, *names)
    if not text:
        raise SourceError(f"has no {' or '.join(map(repr, names))}")
    return text


def instant_of(members: Members, *names: str) -> str | None:
    """Return an instant as content holds it; None if there is none.

    Raises:
        SourceError: if it is not an instant.
    """
    text = text_of(members, *names)
    if not text:
        return None
    try:
        return format_exact(parse_instant(text))
    except InvalidValueError:
        name = next(name for name in names if members.get(name))
        raise SourceError(f"{name!r} is not an instant: {shorten(text)}") from None


def required_instant(members: Members, *names: str, read: Callable[..., str | None] = instant_of) -> str:
    """Return an instant as content holds it; raise SourceError if there is none."""
    found = read(members, *names)
    if found is None:
        raise SourceError(f"has no {' or '.join(map(repr, names))}")
    return found


def list_of(members: Members, name: str) -> list[Members]:
    """Return a member that is a list of objects; empty if there is none.

    Raises:
        SourceError: if it is anything else.
    """
    found = members.get(name)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise SourceError(f"{name!r} is not a list of objects")
    return found


def as_members(value: object) -> Members:
    """Return a value that is an object; raise SourceError if it is anything else."""
    if not isinstance(value, dict):
        raise SourceError("is not an object")
    return value


def convert_each(
    records: Iterable[Any], convert: Callable[[Members], Made], lost: list[Lost], noun: str
) -> list[Made]:
    """Convert records; those that cannot be converted are lost with the reason."""
    made = []
    for place, record in enumerate(records, start=1):
        try:
            made.append(convert(as_members(record)))
        except SourceError as error:
            label = text_of(record, *LABEL) if isinstance(record, dict) else ""
            lost.append(Lost(f"{noun} {error}", label or f"number {place}"))
    return made


def read_file(file: Path) -> bytes:
    """Return the bytes of a file; raise SourceError if it cannot be read."""
    try:
        return SourceFile(file.parent, file.name).bytes(MAX_FILE)
    except UnreadableError as error:
        raise SourceError(f"{file}: {error}", error.hint) from None


def parse_json(raw: bytes, source: str) -> Any:
    """Return what JSON holds; raise SourceError if it is not JSON."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise SourceError(f"{source} is not JSON: {error}") from None


def files_below(source: str, suffixes: tuple[str, ...]) -> list[Path]:
    """Return a file, or the files of a folder and its subfolders with these suffixes, sorted by path.

    Raises:
        SourceError: if there is none.
    """
    path = Path(source)
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise SourceError(f"there is no {source}", "give a URL, a folder or a file")
    found = sorted(one for one in path.rglob("*") if one.name.endswith(suffixes) and one.is_file())
    visible = [
        one for one in found if not any(part.startswith(".") for part in one.relative_to(path).parts[:-1])
    ]
    if not visible:
        raise SourceError(f"{source} has no file that ends with {' or '.join(suffixes)}")
    return visible


def read_text(file: Path) -> str:
    """Return the text of a file; raise SourceError if it cannot be read or is not UTF-8."""
    try:
        return decode_utf8(read_file(file))
    except UnreadableError as error:
        raise SourceError(f"{file}: {error}", error.hint) from None


def yaml_file(file: Path) -> Members:
    """Return the mapping of a YAML file, scalars as text; raise SourceError if it has none."""
    return as_members(parse_source_yaml(read_text(file), str(file)) or {})


@contextmanager
def losing(lost: list[Lost], noun: str, what: str) -> Iterator[None]:
    """Continue after a record that cannot be imported; report it with the reason."""
    try:
        yield
    except SourceError as error:
        lost.append(Lost(f"{noun} {error}", what))


def parse_source_yaml(text: str, name: str) -> Any:
    """Return what YAML holds, scalars as text; raise SourceError if it is not YAML."""
    try:
        return parse_yaml(text)
    except UnreadableError as error:
        raise SourceError(f"{name}, line {error.position.line}, is not YAML: {error}") from None


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
