"""The manifest: what a snapshot consists of and where it comes from. Bytes to values and back, and no more.

    {"snapshot":1,"instant":"2026-11-02T10:00:00.000Z","revision":"…","statuary":"0.1.0","only":[],
     "documents":2,"names":3,"size":4711,
     "parts":[{"sha256":"…","first":"api/v2/status.json","documents":2,"size":380}],"sha256":"…"}

Its last member is the SHA-256 of the same text without that member. The parts hold a line for each
document:

    {"path":"v2/contract/1/0xAb…","also":["v2/contract/1/0xab…"],"size":4000,"sha256":"…","media_type":"…"}

There is one way to write each value, and only that is read: a manifest is the same bytes wherever it was made,
which is why its digest names the site, and why a signature of it signs the site.
"""

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

import orjson

from statuary.domain.primitives import Instant, InvalidValueError, format_instant, parse_instant
from statuary.publishing.safe_path import fold_case
from statuary.publishing.snapshot_paths import MANIFEST, part_path
from statuary.snapshots.document_names import document_path
from statuary.snapshots.errors import DamagedSnapshotError

MANIFEST_FORMAT = 1
"""The version of the format that is written and read."""

LONGEST_LINE = 64 * 1024
"""Bytes of the longest line of a part."""

DIGEST = re.compile("[0-9a-f]{64}")
UTC = ZoneInfo("UTC")

Value = TypeVar("Value")


class SiteOrigin(NamedTuple):
    """Where a site comes from.

    Attributes:
        instant: the instant that it tells.
        revision: the revision of its content, such as a git commit; empty if unknown.
        statuary: the version that built it.
        only: which part of the site it is, as `--only` takes it; empty for the whole.
    """

    instant: Instant
    revision: str
    statuary: str
    only: tuple[str, ...] = ()


class ManifestEntry(NamedTuple):
    """A document, as a part's line tells it.

    Attributes:
        path: the name that it is stored under.
        also: its other names; they differ from `path` in case alone, and come after it in order.
        size: bytes.
        sha256: of its bytes, as 64 hex digits.
        media_type: the `Content-Type` it is to be served with.
    """

    path: str
    aliases: tuple[str, ...]
    size: int
    sha256: str
    media_type: str

    @property
    def names(self) -> tuple[str, ...]:
        """All of its names, the one that it is stored under first."""
        return (self.path, *self.aliases)


class ManifestPart(NamedTuple):
    """A stretch of the list of documents.

    Attributes:
        sha256: of its lines, as 64 hex digits; it is stored under this name.
        first: the path of its first document.
        documents: how many lines it has.
        size: bytes of its lines.
    """

    sha256: str
    first: str
    documents: int
    size: int

    @property
    def path(self) -> str:
        """Where it is stored."""
        return part_path(self.sha256)


class Manifest(NamedTuple):
    """What a snapshot consists of.

    Attributes:
        origin: where the site comes from.
        documents: how many documents it has.
        names: how many names they have together.
        size: bytes of all documents, each counted once.
        parts: the list of documents, in the order of paths.
    """

    origin: SiteOrigin
    documents: int
    names: int
    size: int
    parts: tuple[ManifestPart, ...]


def encode_manifest(manifest: Manifest) -> bytes:
    """Return the bytes of a manifest."""
    origin = manifest.origin
    value = {
        "snapshot": MANIFEST_FORMAT,
        "instant": format_instant(origin.instant, UTC),
        "revision": origin.revision,
        "statuary": origin.statuary,
        "only": origin.only,
        "documents": manifest.documents,
        "names": manifest.names,
        "size": manifest.size,
        "parts": [
            {"sha256": part.sha256, "first": part.first, "documents": part.documents, "size": part.size}
            for part in manifest.parts
        ],
    }
    text = orjson.dumps(value)
    return text[:-1] + b',"sha256":"' + sha256(text).hexdigest().encode() + b'"}'


def parse_manifest(text: bytes) -> Manifest:
    """Read a manifest.

    Raises:
        SnapshotDamaged: if it is no manifest, was changed, or is of another version.
    """
    value = _json_object(text, MANIFEST)
    if value.get("snapshot") != MANIFEST_FORMAT:
        raise DamagedSnapshotError(
            f"{MANIFEST} has format {value.get('snapshot')!r}, this statuary reads {MANIFEST_FORMAT}"
        )
    try:
        manifest = _manifest(value)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidValueError) as error:
        raise DamagedSnapshotError(f"{MANIFEST} is not a manifest: {error}") from None
    if encode_manifest(manifest) != text:
        raise DamagedSnapshotError(f"{MANIFEST} was changed: it is not what its own digest was made of")
    return manifest


def _manifest(value: Mapping[str, Any]) -> Manifest:
    origin = SiteOrigin(
        instant=parse_instant(value["instant"]),
        revision=_text(value["revision"]),
        statuary=_text(value["statuary"]),
        only=tuple(map(_text, value["only"])),
    )
    parts = tuple(map(_part, value["parts"]))
    if any(part.first >= following.first for part, following in pairwise(parts)):
        raise ValueError("its parts are not in order")
    return Manifest(
        origin=origin,
        documents=_count(value["documents"]),
        names=_count(value["names"]),
        size=_count(value["size"]),
        parts=parts,
    )


def _part(value: Mapping[str, Any]) -> ManifestPart:
    return ManifestPart(
        sha256=_digest(value["sha256"]),
        first=document_path(_text(value["first"])),
        documents=_count(value["documents"]),
        size=_count(value["size"]),
    )


def encode_entry(entry: ManifestEntry) -> bytes:
    """Return the line of a document, with its end of line.

    Raises:
        SnapshotDamaged: if it is longer than any reader takes.
    """
    value: dict[str, object] = {"path": entry.path}
    if entry.aliases:
        value["also"] = entry.aliases
    value |= {"size": entry.size, "sha256": entry.sha256, "media_type": entry.media_type}
    line = orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    if len(line) > LONGEST_LINE:
        raise DamagedSnapshotError(f"{entry.path} has too many or too long names")
    return line


def parse_entry(line: bytes) -> ManifestEntry:
    """Read the line of a document.

    Raises:
        SnapshotDamaged: if it is no such line, or names a path that no document may have.
    """
    value = _json_object(line, "a line of the manifest")
    try:
        entry = _entry(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedSnapshotError(
            f"the manifest has a line that is none: {line[:100]!r} ({error})"
        ) from None
    if encode_entry(entry) != line:
        raise DamagedSnapshotError(
            f"the manifest's line of {entry.path} is not written as statuary writes it"
        )
    return entry


def _entry(value: Mapping[str, Any]) -> ManifestEntry:
    path = document_path(_text(value["path"]))
    aliases = tuple(document_path(_text(name)) for name in value.get("also", ()))
    if list(aliases) != sorted(set(aliases)) or any(
        name <= path or fold_case(name) != fold_case(path) for name in aliases
    ):
        raise DamagedSnapshotError(f"{path} has second names that are not its own: {', '.join(aliases)}")
    return ManifestEntry(
        path=path,
        aliases=aliases,
        size=_count(value["size"]),
        sha256=_digest(value["sha256"]),
        media_type=_header(value["media_type"]),
    )


def parse_part(text: bytes, part: ManifestPart) -> list[ManifestEntry]:
    """Read a part, and hold it to what the manifest says of it.

    Raises:
        SnapshotDamaged: if it is another, or its lines are not in order.
    """
    if len(text) != part.size or sha256(text).hexdigest() != part.sha256:
        raise DamagedSnapshotError(f"{part.path} is damaged: it has not the SHA-256 that is its name")
    entries = [parse_entry(line) for line in text.splitlines(keepends=True)]
    if len(entries) != part.documents or not entries or entries[0].path != part.first:
        raise DamagedSnapshotError(f"{part.path} is not the part that the manifest tells of")
    return entries


def _json_object(text: bytes, what: str) -> Mapping[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise DamagedSnapshotError(f"{what} is not JSON") from None
    if not isinstance(value, dict):
        raise DamagedSnapshotError(f"{what} is not a JSON object")
    return value


def _checked(value: Value, is_right: Callable[[Any], bool], what: str) -> Value:
    if not is_right(value):
        raise ValueError(f"{value!r} is no {what}")
    return value


def _text(value: str) -> str:
    return _checked(value, lambda found: isinstance(found, str), "text")


def _header(value: str) -> str:
    """Return a text that may stand in a header: printable ASCII, so that it cannot end the line."""
    return _checked(_text(value), lambda found: found.isascii() and found.isprintable(), "media type")


def _count(value: int) -> int:
    return _checked(value, lambda found: type(found) is int and found >= 0, "count")


def _digest(value: str) -> str:
    return _checked(_text(value), lambda found: DIGEST.fullmatch(found) is not None, "SHA-256")


def manifest_digest(manifest_text: bytes) -> str:
    """Return the name of a site's exact state: the SHA-256 of its manifest, as 64 hex digits."""
    return sha256(manifest_text).hexdigest()
