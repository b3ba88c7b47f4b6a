"""The manifest of a site: its content and origin, as values and as bytes; where the site itself notes its origin.

    {"snapshot":1,"instant":"2026-11-02T10:00:00.000Z","revision":"…","statuary":"0.1.0","only":[],
     "documents":2,"names":3,"size":4711,
     "parts":[{"sha256":"…","first":"api/v2/status.json","documents":2,"size":380}],"sha256":"…"}

The last member is the SHA-256 of the same text without that member. The parts list the documents
(`manifest_parts`). Each value has one encoding, and no other is accepted: a manifest has the same bytes
wherever it was made, so its digest identifies the site and its signature signs the site.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar
from zoneinfo import ZoneInfo

import orjson

from statuary.domain.primitives import (
    Instant,
    InvalidValueError,
    checksum_address,
    format_instant,
    format_utc,
    parse_instant,
)
from statuary.publishing.files import (
    FOLDER,
    MANIFEST,
    OWN_FOLDER,
    PublishingError,
    checked_path,
    fold_case,
    part_path,
    temporary_database,
)
from statuary.publishing.folder.reader import PUBLISHED_HIDDEN_NAMES, find_ledger
from statuary.publishing.ledger.ledger import read_note


class DamagedSnapshotError(PublishingError):
    """A snapshot is incomplete, modified or malicious. Nothing was written."""


def refuse_tar_zst(location: str) -> None:
    """Raise PublishingError for a file or URL named .tar.zst, which early versions wrote besides .zip."""
    if location.partition("?")[0].endswith(".tar.zst"):
        raise PublishingError(
            f"{location} is a .tar.zst, a form of snapshots that is no longer read",
            "unpack it with `tar --zstd -xf` into an empty folder; `statuary snapshot create --from FOLDER OUT.zip` packs that",
        )


NAME = "[0-9A-Za-z_](?:[0-9A-Za-z_.-]{0,100}[0-9A-Za-z_-])?"
PLAIN_PATH = re.compile(f"(?:{NAME}/){{0,10}}{NAME}")
"""Paths that need no further check: nearly all of them, and there may be millions."""


def document_path(path: str) -> str:
    """Return a path if a document of a snapshot may have it.

    Raises:
        DamagedSnapshotError: if it leaves the site, is hidden, is another name on some system, or is in the
            snapshot's own folder.
    """
    if PLAIN_PATH.fullmatch(path) and not fold_case(path).startswith(FOLDER):
        return path
    try:
        checked_path(path)
        path.encode("utf-8")
    except (PublishingError, UnicodeEncodeError):
        raise DamagedSnapshotError(f"{path!r} is not a path inside a site") from None
    names = path.split("/")
    if fold_case(names[0]) in (OWN_FOLDER, FOLDER) or any(map(_is_unwanted, names)):
        raise DamagedSnapshotError(f"{path!r} is not a path that a document may have")
    return path


def _is_unwanted(name: str) -> bool:
    """Return whether a name is hidden, or ends in dots or spaces, which Windows drops."""
    return (name.startswith(".") and name not in PUBLISHED_HIDDEN_NAMES) or name.endswith((".", " "))


ADDRESS = re.compile("0x[0-9a-fA-F]{40}")


def lower_case_address(path: str) -> str:
    """Return a path with its address in lower case; a path without an address is unchanged."""
    return ADDRESS.sub(lambda found: found[0].lower(), path, count=1)


def stored_names(path: str) -> Iterator[str]:
    """Yield the names under which a document with the name or alias `path` may be stored, likeliest first."""
    found = ADDRESS.search(path)
    if found is not None and found[0].islower():
        yield path.replace(found[0], checksum_address(found[0]), 1)
    yield path


class NameTable:
    """The names taken so far, on disk."""

    def __init__(self) -> None:
        self.connection = temporary_database(
            "CREATE TABLE names (folded TEXT PRIMARY KEY, written TEXT, is_folder INTEGER) WITHOUT ROWID"
        )
        self.last_folder = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Delete the table."""
        self.connection.close()

    def claim(self, path: str) -> None:
        """Add the name of a file; raise DamagedSnapshotError if a file or folder has it, in any case."""
        folder = path.rpartition("/")[0]
        if folder != self.last_folder:
            self._claim_folders(folder)
            self.last_folder = folder
        taken = self._take(path, is_folder=False)
        if taken is not None:
            raise _clash(path, taken)

    def _claim_folders(self, folder: str) -> None:
        """Add the names of a folder and of its parents."""
        while folder:
            taken = self._take(folder, is_folder=True)
            if taken is not None and not taken[1]:
                raise _clash(folder, taken)
            if taken is not None:
                return
            folder = folder.rpartition("/")[0]

    def _take(self, name: str, *, is_folder: bool) -> tuple[str, bool] | None:
        """Add a name; return the present owner if there is one, and whether it is a folder."""
        row = (fold_case(name), name, is_folder)
        if self.connection.execute("INSERT OR IGNORE INTO names VALUES (?,?,?)", row).rowcount:
            return None
        query = "SELECT written, is_folder FROM names WHERE folded = ?"
        with closing(self.connection.execute(query, row[:1])) as found:
            written, taken_by_folder = found.fetchone()
        return str(written), bool(taken_by_folder)


def _clash(path: str, taken: tuple[str, bool]) -> DamagedSnapshotError:
    other, is_folder = taken
    if path != other:
        return DamagedSnapshotError(
            f"{path} and {other} differ only in case: on many systems they are one file"
        )
    what = "is a file and a folder" if is_folder else "is listed twice, or is a file and a folder"
    return DamagedSnapshotError(f"{path} {what}")


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
            f"{where} has a newer site, as of {format_utc(there)};"
            f" this snapshot is as of {format_utc(origin.instant)}",
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


def build_notes(origin: SiteOrigin) -> dict[str, str]:
    """Return the notes about a site for the ledger of its folder."""
    return {
        "instant": format_instant(origin.instant, UTC),
        "revision": origin.revision,
        "statuary": origin.statuary,
    }


def noted_origin(root: Path) -> SiteOrigin | None:
    """Return the origin of the site in a folder; None if it is not recorded."""
    ledger = find_ledger(root)
    if ledger is None:
        return None
    instant, revision, version = (
        read_note(ledger, name) or "" for name in ("instant", "revision", "statuary")
    )
    return SiteOrigin(parse_instant(instant), revision, version) if instant else None
