"""The manifest of a site: its content and its origin.

    {"snapshot":1,"instant":"2026-11-02T10:00:00.000Z","revision":"…","statuary":"0.2.0","only":[],
     "documents":2,"names":3,"size":4711,
     "parts":[{"sha256":"…","first":"api/v2/status.json","documents":2,"size":380}],"sha256":"…"}

The last member is the SHA-256 of the same text without that member. The parts list the documents
(`listing`). Each value has one encoding, and no other is accepted: a manifest has the same bytes
wherever it was made, so its digest identifies the site and its signature signs the site.
"""

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import chain, pairwise
from typing import NamedTuple

import orjson

from statuary.base.files import MANIFEST, SIGNATURE, is_manifest_path
from statuary.base.json_values import JsonObject, as_list
from statuary.base.primitives import InvalidValueError, format_instant, parse_instant
from statuary.publish.listing import (
    DamagedSnapshotError,
    EncodedPart,
    Entry,
    NameTable,
    Part,
    ReadPath,
    encode_part,
    parse_json_object,
    parse_part,
    parse_part_description,
    require_count,
    require_string,
)
from statuary.publish.origin import UTC, SiteOrigin
from statuary.registry import HOST_FILES

MANIFEST_FORMAT = 1
"""The version of the format that is written and read."""


class Manifest(NamedTuple):
    """The manifest of a site: the list of its files, and facts about its build."""

    origin: SiteOrigin
    documents: int  # the number of documents
    names: int  # the number of all their names
    size: int  # bytes of all documents, each counted once
    parts: tuple[Part, ...]  # the list of documents, by path


def encode_manifest(manifest: Manifest) -> bytes:
    """Encode a manifest, the list of a site's files, as JSON."""
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
        "parts": [part._asdict() for part in manifest.parts],
    }
    text = orjson.dumps(value)
    return text[:-1] + b',"sha256":"' + sha256(text).hexdigest().encode() + b'"}'


def parse_manifest(text: bytes) -> Manifest:
    """Parse a manifest, the list of a site's files.

    Raises:
        DamagedSnapshotError: if the manifest is malformed, was modified, or has another version.
    """
    value = parse_json_object(text, MANIFEST)
    if value.get("snapshot") != MANIFEST_FORMAT:
        raise DamagedSnapshotError(
            f"{MANIFEST} has format {value.get('snapshot')!r}; this version of statuary reads format {MANIFEST_FORMAT}",
            "read the site with the version of statuary that built it",
        )
    try:
        manifest = _manifest_from_json(value)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidValueError) as error:
        raise DamagedSnapshotError(f"{MANIFEST} is damaged: {error}") from None
    if encode_manifest(manifest) != text:
        raise DamagedSnapshotError(f"{MANIFEST} was changed after the build: its digest is wrong")
    return manifest


def _manifest_from_json(value: JsonObject) -> Manifest:
    origin = SiteOrigin(
        instant=parse_instant(require_string(value["instant"])),
        revision=require_string(value["revision"]),
        statuary=require_string(value["statuary"]),
        only=tuple(map(require_string, as_list(value["only"]))),
    )
    parts = tuple(map(parse_part_description, as_list(value["parts"])))
    if any(part.first >= following.first for part, following in pairwise(parts)):
        raise ValueError("its parts are not in order")
    return Manifest(
        origin=origin,
        documents=require_count(value["documents"]),
        names=require_count(value["names"]),
        size=require_count(value["size"]),
        parts=parts,
    )


def manifest_digest(manifest_text: bytes) -> str:
    """Return the SHA-256 of a manifest, by which a site can be identified."""
    return sha256(manifest_text).hexdigest()


class ManifestBuilder:
    """Makes a manifest, the list of a site's files, part by part."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.names = 0
        self.size = 0

    def add(self, entries: list[Entry]) -> EncodedPart:
        """Add documents to the manifest as a new part.

        Args:
            entries: the documents, which come after those of all previous parts.

        Returns:
            The part with its encoded lines.
        """
        encoded = encode_part(entries)
        self.parts.append(encoded.part)
        self.add_to_totals(entries)
        return encoded

    def add_to_totals(self, entries: list[Entry]) -> None:
        """Add the number and size of some documents to the totals.

        Call this method for documents of a part that was encoded elsewhere.
        """
        self.names += len(entries) + sum(len(entry.aliases) for entry in entries)
        self.size += sum(entry.size for entry in entries)

    def manifest(self, origin: SiteOrigin) -> Manifest:
        """Return the manifest of all parts that were added.

        Args:
            origin: the time, git revision and statuary version of the build.
        """
        documents = sum(part.documents for part in self.parts)
        return Manifest(origin, documents, self.names, self.size, tuple(self.parts))


def read_entries(manifest: Manifest, read_path: ReadPath) -> Iterator[Entry]:
    """Yield all documents that a manifest lists, sorted by path.

    Raises:
        DamagedSnapshotError: if a part is missing or damaged, paths are unsorted or clash, or counts differ.
    """
    last_path, counted = "", ManifestBuilder()
    with NameTable() as table:
        for part in manifest.parts:
            entries = parse_part(read_path(part.path), part)
            counted.parts.append(part)
            counted.add_to_totals(entries)
            for entry in entries:
                if entry.path <= last_path:
                    raise DamagedSnapshotError(
                        f"the manifest is damaged: it lists {entry.path} twice, or not in order"
                    )
                table.reserve(entry.path)
                last_path = entry.path
                yield entry
    if counted.manifest(manifest.origin) != manifest:
        raise DamagedSnapshotError(f"{MANIFEST} is damaged: it counts more or fewer files than it lists")


def is_listed(path: str) -> bool:
    """Return whether the manifest of a site lists a path.

    The manifest lists every file except its own files and those that only the host reads.
    """
    return not is_manifest_path(path) and path.partition("/")[0] not in HOST_FILES


def listed_files(text: bytes, read_path: ReadPath) -> Iterator[tuple[str, str]]:
    """Yield the files of a site, as its manifest lists them.

    If a part of the manifest is damaged, the iteration ends there without an error.

    Args:
        text: the manifest.
        read_path: returns the bytes at a path, or None.

    Yields:
        The path of the file, and its aliases, one on each line.
    """
    with suppress(DamagedSnapshotError):
        manifest = parse_manifest(text)
        own_entries = [Entry(path) for path in (MANIFEST, SIGNATURE, *(part.path for part in manifest.parts))]
        for entry in chain(own_entries, read_entries(manifest, read_path)):
            bodies = [read_path(name) for name in entry.names]
            if all(body is not None and entry.sha256 in ("", sha256(body).hexdigest()) for body in bodies):
                yield entry.path, "\n".join(entry.aliases)
