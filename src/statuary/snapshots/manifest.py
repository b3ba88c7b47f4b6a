"""The manifest: the content and origin of a snapshot, as values and as bytes.

    {"snapshot":1,"instant":"2026-11-02T10:00:00.000Z","revision":"…","statuary":"0.1.0","only":[],
     "documents":2,"names":3,"size":4711,
     "parts":[{"sha256":"…","first":"api/v2/status.json","documents":2,"size":380}],"sha256":"…"}

The last member is the SHA-256 of the same text without that member. The parts list the documents
(`manifest_parts`). Each value has one encoding, and no other is accepted: a manifest has the same bytes
wherever it was made, so its digest identifies the site and its signature signs the site.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

import orjson

from statuary.domain.primitives import Instant, InvalidValueError, format_instant, parse_instant
from statuary.publishing.errors import PublishingError
from statuary.publishing.snapshot_paths import MANIFEST, part_path
from statuary.snapshots.document_names import document_path
from statuary.snapshots.errors import DamagedSnapshotError

MANIFEST_FORMAT = 1
"""The version of the format that is written and read."""

DIGEST = re.compile("[0-9a-f]{64}")
UTC = ZoneInfo("UTC")

Value = TypeVar("Value")


class SiteOrigin(NamedTuple):
    """The origin of a site."""

    instant: Instant  # the instant that the site shows
    revision: str  # of the content, such as a git commit; empty if unknown
    statuary: str
    only: tuple[str, ...] = ()  # the part of the site, as given to `--only`; empty for the whole


def refuse_older(origin: SiteOrigin, there: Instant | None, where: str) -> None:
    """Raise an error if the site at a place is newer than a snapshot for it: an old signed one may be a replay.

    Args:
        there: the instant of the site at the place, if known.

    Raises:
        PublishingError: if it is newer.
    """
    if there is not None and origin.instant < there:
        raise PublishingError(
            f"{where} has a newer site, as of {there.isoformat()};"
            f" this snapshot is as of {origin.instant.isoformat()}",
            "use --allow-older to replace it",
        )


class ManifestPart(NamedTuple):
    """A part of the list of documents."""

    sha256: str  # of its lines, as 64 hex digits; also its file name
    first: str  # the path of its first document
    documents: int  # the number of its lines
    size: int  # of its lines in bytes

    @property
    def path(self) -> str:
        """The path of its member."""
        return part_path(self.sha256)


class Manifest(NamedTuple):
    """The content of a snapshot."""

    origin: SiteOrigin
    documents: int  # the number of documents
    names: int  # the number of all their names
    size: int  # bytes of all documents, each counted once
    parts: tuple[ManifestPart, ...]  # the list of documents, by path


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
    """Parse a manifest; raise DamagedSnapshotError if it is none, was modified, or has another version."""
    value = json_object(text, MANIFEST)
    if value.get("snapshot") != MANIFEST_FORMAT:
        raise DamagedSnapshotError(
            f"{MANIFEST} has format {value.get('snapshot')!r}; this version of statuary reads format {MANIFEST_FORMAT}"
        )
    try:
        manifest = _manifest(value)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidValueError) as error:
        raise DamagedSnapshotError(f"{MANIFEST} is not a manifest: {error}") from None
    if encode_manifest(manifest) != text:
        raise DamagedSnapshotError(f"{MANIFEST} was changed: it does not match the digest that it contains")
    return manifest


def _manifest(value: Mapping[str, Any]) -> Manifest:
    origin = SiteOrigin(
        instant=parse_instant(value["instant"]),
        revision=checked_text(value["revision"]),
        statuary=checked_text(value["statuary"]),
        only=tuple(map(checked_text, value["only"])),
    )
    parts = tuple(map(_part, value["parts"]))
    if any(part.first >= following.first for part, following in pairwise(parts)):
        raise ValueError("its parts are not in order")
    return Manifest(
        origin=origin,
        documents=checked_count(value["documents"]),
        names=checked_count(value["names"]),
        size=checked_count(value["size"]),
        parts=parts,
    )


def _part(value: Mapping[str, Any]) -> ManifestPart:
    return ManifestPart(
        sha256=checked_digest(value["sha256"]),
        first=document_path(checked_text(value["first"])),
        documents=checked_count(value["documents"]),
        size=checked_count(value["size"]),
    )


def json_object(text: bytes, what: str) -> Mapping[str, Any]:
    """Return the members of a JSON object; raise DamagedSnapshotError if the text is anything else."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise DamagedSnapshotError(f"{what} is not JSON") from None
    if not isinstance(value, dict):
        raise DamagedSnapshotError(f"{what} is not a JSON object")
    return value


def checked_text(value: str) -> str:
    """Return a value that must be a string; raise ValueError if it is not."""
    return _checked(value, "text", is_right=isinstance(value, str))


def checked_count(value: int) -> int:
    """Return a value that must be an integer of at least 0; raise ValueError if it is not."""
    return _checked(value, "a count", is_right=type(value) is int and value >= 0)


def checked_digest(value: str) -> str:
    """Return a value that must be a SHA-256 in hex; raise ValueError if it is not."""
    return _checked(value, "a SHA-256", is_right=DIGEST.fullmatch(checked_text(value)) is not None)


def _checked(value: Value, what: str, *, is_right: bool) -> Value:
    if not is_right:
        raise ValueError(f"{value!r} is not {what}")
    return value


def manifest_digest(manifest_text: bytes) -> str:
    """Return the SHA-256 of a manifest, which identifies the exact site."""
    return sha256(manifest_text).hexdigest()
