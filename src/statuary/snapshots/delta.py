"""A delta: what turns one snapshot into another, byte for byte, and little more than what is new.

It is a zip of the same kind, so that any unzip shows what it brings: first `snapshot/delta.json`,

    {"delta":1,"from":{"sha256":"…","size":4711},"to":{"sha256":"…","size":4720}}

then the new snapshot's own members, as far as the old one has no such part of a manifest, then the documents that the
old one does not hold in the same packed bytes. Everything else is copied from the old one as it lies there; nothing
is packed anew, so the result does not depend on anybody's zlib. The digests are those that snapshots tell of
themselves.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from statuary.publishing.atomic_file import atomic_file
from statuary.publishing.errors import PublishingError
from statuary.publishing.snapshot_paths import DELTA, MANIFEST, SIGNATURE
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.manifest import parse_manifest
from statuary.snapshots.manifest_entries import read_entries
from statuary.snapshots.members import CompressedMember, SnapshotMember, compress_member, decompress_member
from statuary.snapshots.snapshot_format import require_snapshot_or_nothing, write_compressed
from statuary.snapshots.zip_reader import FileByteRanges, ZipReader

DELTA_FORMAT = 1
"""The version of the format that is written and read."""


class ArchiveDigest(NamedTuple):
    """One end of a delta.

    Attributes:
        sha256: what the snapshot tells of itself.
        size: bytes of its file.
    """

    sha256: str
    size: int


def write_delta(before: Path, after: Path, out: Path) -> None:
    """Write what turns one snapshot into another.

    Args:
        before: the snapshot that receivers have.
        after: the snapshot that they shall have.
        out: the delta to be.

    Raises:
        PublishingRefused: if one is no snapshot in the form of a zip, or the delta cannot be written.
    """
    require_snapshot_or_nothing(out)
    with _open_zip(before) as old, _open_zip(after) as new, atomic_file(out) as stream:
        write_compressed(stream, _delta_members(old, new))


def _delta_members(old: ZipReader, new: ZipReader) -> Iterator[CompressedMember]:
    """Yield the members of a delta."""
    ends = {"from": _archive_value(old), "to": _archive_value(new)}
    yield compress_member(SnapshotMember(path=DELTA, body=orjson.dumps({"delta": DELTA_FORMAT, **ends})))
    for path, aliases in _member_order(new, new.packed):
        packed = new.packed(path)
        if packed is None:
            raise DamagedSnapshotError(f"{path} is missing in {new.name}")
        if path in (MANIFEST, SIGNATURE) or old.packed(path) != packed:
            yield packed._replace(aliases=aliases)


def apply_delta(before: Path, delta: Path, out: Path) -> str:
    """Write the snapshot that a delta makes of another; return the SHA-256 that it tells of itself.

    Args:
        before: the snapshot that the delta was made from.
        delta: the delta.
        out: the snapshot to be; it may be `before` itself.

    Raises:
        SnapshotDamaged: if the delta was made from another snapshot, or either is damaged; `out` is as it was
            then.
        PublishingRefused: if one cannot be read, or `out` not be written.
    """
    require_snapshot_or_nothing(out)
    with _open_zip(before) as old, _open_zip(delta) as changes:
        made_from, made = _parse_ends(changes)
        if ArchiveDigest(old.digest, old.byte_ranges.size) != made_from:
            raise DamagedSnapshotError(
                f"{before} is not the snapshot that {delta} was made from (SHA-256 {made_from.sha256})",
                "statuary snapshot diff tells two snapshots apart",
            )
        with atomic_file(out) as stream:
            digest = write_compressed(stream, _merged_members(old, changes))
            if ArchiveDigest(digest, stream.tell()) != made:
                raise DamagedSnapshotError(
                    f"{before} and {delta} do not give the snapshot that they should: one is damaged",
                    "statuary snapshot verify tells which",
                )
        return digest


def _merged_members(old: ZipReader, changes: ZipReader) -> Iterator[CompressedMember]:
    """Yield the members of the snapshot that a delta makes."""

    def member(path: str) -> CompressedMember | None:
        return changes.packed(path) or old.packed(path)

    for path, aliases in _member_order(changes, member):
        packed = member(path)
        if packed is None or packed.header.path != path:
            raise DamagedSnapshotError(f"neither {old.name} nor {changes.name} has {path}")
        yield packed._replace(aliases=aliases)


def _member_order(
    newest: ZipReader, member: Callable[[str], CompressedMember | None]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield path and second names of every member of a snapshot, in the order in which they stand.

    Args:
        newest: has its manifest and signature.
        member: gives its other members.
    """
    manifest = parse_manifest(newest.read(MANIFEST) or b"")
    yield MANIFEST, ()
    if newest.packed(SIGNATURE) is not None:
        yield SIGNATURE, ()
    for part in manifest.parts:
        yield part.path, ()

    def read(path: str) -> bytes | None:
        packed = member(path)
        return None if packed is None else decompress_member(packed)

    for entry in read_entries(manifest, read):
        yield entry.path, entry.aliases


def _parse_ends(changes: ZipReader) -> tuple[ArchiveDigest, ArchiveDigest]:
    """Return what a delta was made from, and what it makes."""
    try:
        value = orjson.loads(changes.read(DELTA) or b"")
        if value["delta"] != DELTA_FORMAT:
            raise DamagedSnapshotError(
                f"{changes.name} has format {value['delta']!r}, this statuary reads {DELTA_FORMAT}"
            )
        made_from, made = (
            ArchiveDigest(str(end["sha256"]), int(end["size"])) for end in (value["from"], value["to"])
        )
    except (ValueError, KeyError, TypeError):
        raise DamagedSnapshotError(f"{changes.name} is no delta between snapshots") from None
    return made_from, made


def _archive_value(site: ZipReader) -> dict[str, Any]:
    return {"sha256": site.digest, "size": site.byte_ranges.size}


def _open_zip(path: Path) -> ZipReader:
    """Open a snapshot or a delta.

    Raises:
        PublishingRefused: if it is no zip.
    """
    if path.name.endswith(".tar.zst"):
        raise PublishingError(
            f"{path} is solid: a delta is made between zips", "statuary snapshot convert makes a .zip of it"
        )
    return ZipReader(FileByteRanges(path))
