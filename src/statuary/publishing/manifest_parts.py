"""The list of a snapshot's documents: a JSON line for each, sorted by path, divided into parts.

    {"path":"v2/contract/1/0xAb…","also":["v2/contract/1/0xab…"],"size":4000,"sha256":"…","media_type":"…"}

A part ends after a path whose SHA-256 ends in nine zero bits: every 512th on average. Since only the path
decides, an added or removed document changes only its own part, and the difference between two snapshots
stays small.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import orjson

from statuary.publishing.files import MANIFEST
from statuary.publishing.manifest import (
    DamagedSnapshotError,
    Manifest,
    ManifestPart,
    NameTable,
    SiteOrigin,
    checked_count,
    checked_digest,
    checked_text,
    document_path,
    json_object,
    lower_case_address,
)
from statuary.publishing.plan import Action, Change

MEAN_PART_LENGTH = 512
"""Lines of a part on average; a power of two."""

MAX_PART_LENGTH = 4 * MEAN_PART_LENGTH
"""Lines after which a part ends in any case."""

LONGEST_LINE = 64 * 1024
"""Bytes of the longest line of a part."""

ReadPath = Callable[[str], bytes | None]
"""Returns the bytes at a path; None if there are none."""


class ManifestEntry(NamedTuple):
    """A document in the list."""

    path: str  # the name that the document is stored under
    aliases: tuple[str, ...]  # its other names: the path with the address in lower case, or none
    size: int
    sha256: str  # of the bytes, as 64 hex digits
    media_type: str  # the `Content-Type` to serve it with

    @property
    def names(self) -> tuple[str, ...]:
        """All its names, the stored one first."""
        return (self.path, *self.aliases)


def encode_entry(entry: ManifestEntry) -> bytes:
    """Return the line of a document, with its line break; raise DamagedSnapshotError if it is too long."""
    value: dict[str, object] = {"path": entry.path}
    if entry.aliases:
        value["also"] = entry.aliases
    value |= {"size": entry.size, "sha256": entry.sha256, "media_type": entry.media_type}
    line = orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    if len(line) > LONGEST_LINE:
        raise DamagedSnapshotError(f"{entry.path} has too long a name")
    return line


def parse_entry(line: bytes) -> ManifestEntry:
    """Parse the line of a document; raise DamagedSnapshotError if it is malformed or of a wrong path."""
    value = json_object(line, "a line of the manifest")
    try:
        entry = _entry(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedSnapshotError(f"the manifest has a malformed line: {line[:100]!r} ({error})") from None
    if encode_entry(entry) != line:
        raise DamagedSnapshotError(f"the manifest's line of {entry.path} is not in statuary's format")
    return entry


def _entry(value: Mapping[str, Any]) -> ManifestEntry:
    path = document_path(checked_text(value["path"]))
    aliases = tuple(document_path(checked_text(name)) for name in value.get("also", ()))
    if aliases and aliases != (lower_case_address(path),):
        raise DamagedSnapshotError(f"{path} has unexpected aliases: {', '.join(aliases)}")
    return ManifestEntry(
        path=path,
        aliases=aliases,
        size=checked_count(value["size"]),
        sha256=checked_digest(value["sha256"]),
        media_type=_header_value(value["media_type"]),
    )


def _header_value(value: str) -> str:
    """Return a text that is a valid header value: printable ASCII without line breaks."""
    if not (checked_text(value).isascii() and value.isprintable()):
        raise ValueError(f"{value!r} is not a media type")
    return value


def check_body(entry: ManifestEntry, body: bytes) -> None:
    """Check the bytes of a document against its entry; raise DamagedSnapshotError if they differ."""
    if len(body) != entry.size:
        raise DamagedSnapshotError(
            f"{entry.path} is damaged: it has {len(body):,} bytes, the manifest lists {entry.size:,}"
        )
    if sha256(body).hexdigest() != entry.sha256:
        raise DamagedSnapshotError(f"{entry.path} is damaged: its SHA-256 is not the one in the manifest")


def ends_part(path: str) -> bool:
    """Return whether a part ends after a path."""
    return int.from_bytes(sha256(path.encode()).digest()[-2:], "big") % MEAN_PART_LENGTH == 0


def split_into_parts(entries: Iterable[ManifestEntry]) -> Iterator[list[ManifestEntry]]:
    """Yield sorted entries in parts."""
    part: list[ManifestEntry] = []
    for entry in entries:
        part.append(entry)
        if ends_part(entry.path) or len(part) == MAX_PART_LENGTH:
            yield part
            part = []
    if part:
        yield part


def encode_part(entries: list[ManifestEntry]) -> tuple[ManifestPart, bytes]:
    """Return a part and the bytes of its lines."""
    lines = bytearray()  # orjson's lines have spare capacity: many of them together would need much memory
    for entry in entries:
        lines += encode_entry(entry)
    text = bytes(lines)
    digest = sha256(text).hexdigest()
    part = ManifestPart(sha256=digest, first=entries[0].path, documents=len(entries), size=len(text))
    return part, text


def check_part(text: bytes | None, part: ManifestPart) -> bytes:
    """Return the bytes of a part; raise DamagedSnapshotError if they are missing or modified."""
    if text is None:
        raise DamagedSnapshotError(f"{part.path} is missing")
    if len(text) != part.size or sha256(text).hexdigest() != part.sha256:
        raise DamagedSnapshotError(f"{part.path} is damaged: its SHA-256 is not the one in its name")
    return text


def parse_part(text: bytes | None, part: ManifestPart) -> list[ManifestEntry]:
    """Parse a part; raise DamagedSnapshotError if it is not the part that the manifest lists."""
    entries = [parse_entry(line) for line in check_part(text, part).splitlines(keepends=True)]
    if len(entries) != part.documents or not entries or entries[0].path != part.first:
        raise DamagedSnapshotError(f"{part.path} is not the part that the manifest lists")
    return entries


class ManifestBuilder:
    """Counts the content of a manifest while its parts are made."""

    def __init__(self) -> None:
        self.parts: list[ManifestPart] = []
        self.names = 0
        self.size = 0

    def add(self, entries: list[ManifestEntry]) -> tuple[ManifestPart, bytes]:
        """Count a part; return it with the bytes of its lines."""
        part, text = encode_part(entries)
        self.parts.append(part)
        self.count(entries)
        return part, text

    def count(self, entries: list[ManifestEntry]) -> None:
        """Count entries."""
        self.names += sum(len(entry.names) for entry in entries)
        self.size += sum(entry.size for entry in entries)

    def manifest(self, origin: SiteOrigin) -> Manifest:
        """Return the manifest of all parts."""
        documents = sum(part.documents for part in self.parts)
        return Manifest(origin, documents, self.names, self.size, tuple(self.parts))


def read_entries(manifest: Manifest, read: ReadPath) -> Iterator[ManifestEntry]:
    """Yield the entries of a manifest, by path.

    Raises:
        DamagedSnapshotError: if a part is missing or damaged, paths are unsorted or clash, or counts differ.
    """
    last, counted = "", ManifestBuilder()
    with NameTable() as table:
        for part in manifest.parts:
            entries = parse_part(read(part.path), part)
            counted.parts.append(part)
            counted.count(entries)
            for entry in entries:
                if entry.path <= last:
                    raise DamagedSnapshotError(f"{entry.path} is in the manifest twice, or out of order")
                table.claim(entry.path)
                last = entry.path
                yield entry
    if counted.manifest(manifest.origin) != manifest:
        raise DamagedSnapshotError(f"{MANIFEST} has counts that differ from the documents that it lists")


class DocumentDifference(NamedTuple):
    """A document that differs."""

    before: ManifestEntry | None  # None if it is new
    after: ManifestEntry | None  # None if it is removed

    @property
    def action(self) -> Action:
        """The kind of difference."""
        if self.before is None:
            return Action.ADD
        return Action.REMOVE if self.after is None else Action.REPLACE

    @property
    def path(self) -> str:
        """The name that it is stored under."""
        entry = self.after or self.before
        return entry.path if entry is not None else ""

    @property
    def change(self) -> Change:
        """The difference in the form of a plan."""
        return Change(self.action, self.path, self.after.size if self.after is not None else 0)


def differences(
    before: Iterable[ManifestEntry], after: Iterable[ManifestEntry]
) -> Iterator[DocumentDifference]:
    """Yield the differences by path; both sides are sorted by path."""
    sides = merge(((entry.path, 0, entry) for entry in before), ((entry.path, 1, entry) for entry in after))
    for _, group in groupby(sides, itemgetter(0)):
        found = {side: entry for _, side, entry in group}
        if found.get(0) != found.get(1):
            yield DocumentDifference(found.get(0), found.get(1))
