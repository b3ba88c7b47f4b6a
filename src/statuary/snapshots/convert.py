"""A snapshot from a snapshot: into the other form, or signed. It is verified on the way, byte for byte."""

from collections.abc import Iterator
from pathlib import Path

from statuary.publishing.atomic_file import atomic_file
from statuary.publishing.snapshot_paths import MANIFEST, SIGNATURE
from statuary.snapshots.members import SnapshotMember
from statuary.snapshots.snapshot_format import format_of, require_snapshot_or_nothing, write_members
from statuary.snapshots.snapshot_reader import SnapshotReader, read_snapshot
from statuary.snapshots.snapshot_target import Signer


def convert_snapshot(
    place: str, out: Path, *, signer: Signer | None = None, workers: int | None = None
) -> str:
    """Write a snapshot anew; return the SHA-256 that the new file says of itself.

    Args:
        place: a snapshot: a file, or a folder or URL that one was published into.
        out: the file to be; its name tells the form.
        signer: signs the manifest; without one a signature that is there stays.
        workers: threads that pack; as many as there are cores if None.

    Raises:
        SnapshotDamaged: if the snapshot is not whole; `out` is as it was then.
        PublishingRefused: if `out` cannot be written.
    """
    form = format_of(out)
    require_snapshot_or_nothing(out)
    with read_snapshot(place) as snapshot, atomic_file(out) as stream:
        return write_members(stream, form, _members(snapshot, signer), workers)


def _members(snapshot: SnapshotReader, signer: Signer | None) -> Iterator[SnapshotMember]:
    for member in snapshot.own_members():
        if signer is None or member.path != SIGNATURE:
            yield member
        if signer is not None and member.path == MANIFEST:
            yield SnapshotMember(path=SIGNATURE, body=signer(member.body))
    for entry, member in snapshot.listed_documents():
        yield member._replace(aliases=entry.aliases)
