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

from statuary.publishing.refused import PublishingRefused
from statuary.publishing.snapshots.damaged import SnapshotDamaged
from statuary.publishing.snapshots.forms import refuse_foreign, write_packed
from statuary.publishing.snapshots.listing import listed_entries
from statuary.publishing.snapshots.manifest import parse_manifest
from statuary.publishing.snapshots.names import DELTA, MANIFEST, SIGNATURE
from statuary.publishing.snapshots.packing import Member, Packed, pack, unpack
from statuary.publishing.snapshots.written_file import written_file
from statuary.publishing.snapshots.zip_site import FileStretches, ZipSite

FORMAT = 1
"""The version of the format that is written and read."""


class Archive(NamedTuple):
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
    refuse_foreign(out)
    with _opened(before) as old, _opened(after) as new, written_file(out) as stream:
        write_packed(stream, _brought(old, new))


def _brought(old: ZipSite, new: ZipSite) -> Iterator[Packed]:
    """Yield the members of a delta."""
    ends = {"from": _told(old), "to": _told(new)}
    yield pack(Member(path=DELTA, body=orjson.dumps({"delta": FORMAT, **ends})))
    for path, also in _order(new, new.packed):
        packed = new.packed(path)
        if packed is None:
            raise SnapshotDamaged(f"{path} is missing in {new.name}")
        if path in (MANIFEST, SIGNATURE) or old.packed(path) != packed:
            yield packed._replace(also=also)


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
    refuse_foreign(out)
    with _opened(before) as old, _opened(delta) as changes:
        made_from, made = _ends(changes)
        if Archive(old.digest, old.stretches.size) != made_from:
            raise SnapshotDamaged(
                f"{before} is not the snapshot that {delta} was made from (SHA-256 {made_from.sha256})",
                "statuary snapshot diff tells two snapshots apart",
            )
        with written_file(out) as stream:
            digest = write_packed(stream, _made(old, changes))
            if Archive(digest, stream.tell()) != made:
                raise SnapshotDamaged(
                    f"{before} and {delta} do not give the snapshot that they should: one is damaged",
                    "statuary snapshot verify tells which",
                )
        return digest


def _made(old: ZipSite, changes: ZipSite) -> Iterator[Packed]:
    """Yield the members of the snapshot that a delta makes."""

    def member(path: str) -> Packed | None:
        return changes.packed(path) or old.packed(path)

    for path, also in _order(changes, member):
        packed = member(path)
        if packed is None or packed.header.path != path:
            raise SnapshotDamaged(f"neither {old.name} nor {changes.name} has {path}")
        yield packed._replace(also=also)


def _order(newest: ZipSite, member: Callable[[str], Packed | None]) -> Iterator[tuple[str, tuple[str, ...]]]:
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
        return None if packed is None else unpack(packed)

    for entry in listed_entries(manifest, read):
        yield entry.path, entry.also


def _ends(changes: ZipSite) -> tuple[Archive, Archive]:
    """Return what a delta was made from, and what it makes."""
    try:
        value = orjson.loads(changes.read(DELTA) or b"")
        if value["delta"] != FORMAT:
            raise SnapshotDamaged(
                f"{changes.name} has format {value['delta']!r}, this statuary reads {FORMAT}"
            )
        made_from, made = (
            Archive(str(end["sha256"]), int(end["size"])) for end in (value["from"], value["to"])
        )
    except (ValueError, KeyError, TypeError):
        raise SnapshotDamaged(f"{changes.name} is no delta between snapshots") from None
    return made_from, made


def _told(site: ZipSite) -> dict[str, Any]:
    return {"sha256": site.digest, "size": site.stretches.size}


def _opened(path: Path) -> ZipSite:
    """Open a snapshot or a delta.

    Raises:
        PublishingRefused: if it is no zip.
    """
    if path.name.endswith(".tar.zst"):
        raise PublishingRefused(
            f"{path} is solid: a delta is made between zips", "statuary snapshot convert makes a .zip of it"
        )
    return ZipSite(FileStretches(path))
