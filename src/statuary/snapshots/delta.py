"""Deltas turn one snapshot into another, byte for byte, and contain little more than what is new.

A delta is a zip, so any unzip shows its content: first `snapshot/delta.json`,

    {"delta":1,"from":{"sha256":"…","size":4711},"to":{"sha256":"…","size":4720}}

then those members of the new snapshot that the old one does not have in the same compressed bytes. Everything
else is copied from the old one; nothing is compressed again, so the result does not depend on a zlib version.
The digests are those in the snapshots' trailers.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import orjson

from statuary.publishing.atomic_file import atomic_file
from statuary.publishing.errors import PublishingError
from statuary.publishing.snapshot_paths import DELTA, MANIFEST, SIGNATURE
from statuary.snapshots.byte_ranges import FileRanges
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.manifest import parse_manifest
from statuary.snapshots.manifest_parts import read_entries
from statuary.snapshots.members import CompressedMember, SnapshotMember, compress_member, decompress_member
from statuary.snapshots.snapshot_format import require_snapshot_or_nothing, write_compressed
from statuary.snapshots.zip_reader import ZipReader

DELTA_FORMAT = 1
"""The version of the format that is written and read."""

ReadMember = Callable[[str], CompressedMember | None]
"""Returns a member by its name."""


class ArchiveDigest(NamedTuple):
    """One end of a delta."""

    sha256: str  # from the snapshot's trailer
    size: int  # of its file in bytes


def write_delta(before: Path, after: Path, out: Path) -> None:
    """Write the delta that turns one snapshot into another.

    Raises:
        PublishingError: if one is not a snapshot in zip format, or the delta cannot be written.
    """
    require_snapshot_or_nothing(out)
    with closing(_open_zip(before)) as old, closing(_open_zip(after)) as new, atomic_file(out) as stream:
        write_compressed(stream, _delta_members(old, new))


def _delta_members(old: ZipReader, new: ZipReader) -> Iterator[CompressedMember]:
    ends = {"from": _digest(old)._asdict(), "to": _digest(new)._asdict()}
    yield compress_member(SnapshotMember(path=DELTA, body=orjson.dumps({"delta": DELTA_FORMAT, **ends})))
    for path in _member_order(new, new.compressed):
        packed = _require(path, new.compressed, new.name)
        if path in (MANIFEST, SIGNATURE) or old.compressed(path) != packed:
            yield packed


def apply_delta(before: Path, delta: Path, out: Path) -> str:
    """Apply a delta to the snapshot `before`; return the SHA-256 in the new file's trailer.

    `out` may be `before` itself.

    Raises:
        DamagedSnapshotError: if the delta was made from another snapshot, or either is damaged; `out` is
            unchanged.
        PublishingError: if one cannot be read, or `out` cannot be written.
    """
    require_snapshot_or_nothing(out)
    with closing(_open_zip(before)) as old, closing(_open_zip(delta)) as changes:
        made_from, made = _parse_ends(changes)
        if _digest(old) != made_from:
            raise DamagedSnapshotError(
                f"{before} is not the snapshot that {delta} was made from (SHA-256 {made_from.sha256})",
                "`statuary snapshot diff` compares two snapshots",
            )
        with atomic_file(out) as stream:
            digest = write_compressed(stream, _merged_members(old, changes))
            if ArchiveDigest(digest, stream.tell()) != made:
                raise DamagedSnapshotError(
                    f"{before} and {delta} do not give the expected snapshot: one is damaged",
                    "`statuary snapshot verify` shows which",
                )
        return digest


def _merged_members(old: ZipReader, changes: ZipReader) -> Iterator[CompressedMember]:
    def member(path: str) -> CompressedMember | None:
        return changes.compressed(path) or old.compressed(path)

    for path in _member_order(changes, member):
        yield _require(path, member, f"{old.name} and {changes.name}")


def _require(path: str, member: ReadMember, where: str) -> CompressedMember:
    packed = member(path)
    if packed is None:
        raise DamagedSnapshotError(f"{path} is missing in {where}")
    return packed


def _member_order(newest: ZipReader, member: ReadMember) -> Iterator[str]:
    """Yield the path of every member of a snapshot, in order.

    Args:
        newest: contains its manifest and signature.
        member: returns its other members.
    """
    manifest = parse_manifest(newest.read(MANIFEST) or b"")
    yield MANIFEST
    if newest.compressed(SIGNATURE) is not None:
        yield SIGNATURE
    for part in manifest.parts:
        yield part.path

    def read(path: str) -> bytes | None:
        packed = member(path)
        return None if packed is None else decompress_member(packed)

    for entry in read_entries(manifest, read):
        yield entry.path


def _parse_ends(changes: ZipReader) -> tuple[ArchiveDigest, ArchiveDigest]:
    try:
        value = orjson.loads(changes.read(DELTA) or b"")
        if value["delta"] != DELTA_FORMAT:
            raise DamagedSnapshotError(
                f"{changes.name} has format {value['delta']!r}; this version of statuary reads format {DELTA_FORMAT}"
            )
        made_from, made = (
            ArchiveDigest(str(end["sha256"]), int(end["size"])) for end in (value["from"], value["to"])
        )
    except (ValueError, KeyError, TypeError):
        raise DamagedSnapshotError(f"{changes.name} is not a delta between snapshots") from None
    return made_from, made


def _digest(snapshot: ZipReader) -> ArchiveDigest:
    return ArchiveDigest(snapshot.digest, snapshot.ranges.size)


def _open_zip(path: Path) -> ZipReader:
    if path.name.endswith(".tar.zst"):
        raise PublishingError(
            f"{path} is a .tar.zst: a delta is made between zips",
            "`statuary snapshot convert` makes a .zip of it",
        )
    return ZipReader(FileRanges(path))
