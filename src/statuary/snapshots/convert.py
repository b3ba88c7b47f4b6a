"""A snapshot made of a snapshot: in the other form, or signed. Every byte is verified on the way."""

from collections.abc import Iterator
from pathlib import Path

from statuary.publishing.atomic_file import atomic_file
from statuary.publishing.snapshot_paths import MANIFEST, SIGNATURE
from statuary.snapshots.manifest_signature import Signer
from statuary.snapshots.members import SnapshotMember
from statuary.snapshots.snapshot_format import format_of, require_snapshot_or_nothing, write_members
from statuary.snapshots.snapshot_reader import SnapshotReader, read_snapshot


def convert_snapshot(
    location: str, out: Path, *, signer: Signer | None = None, workers: int | None = None
) -> str:
    """Write a snapshot again; return the SHA-256 that the new file states of itself.

    Args:
        location: a snapshot: a file, or a folder or URL that one was published into.
        out: the new file; its name determines the form.
        signer: signs the manifest; without one, a signature that is there stays.
        workers: threads that compress; one for each core if None.

    Raises:
        DamagedSnapshotError: if the snapshot is not whole; `out` is unchanged then.
        PublishingError: if `out` cannot be written.
    """
    form = format_of(out)
    require_snapshot_or_nothing(out)
    with read_snapshot(location) as snapshot, atomic_file(out) as stream:
        return write_members(stream, form, _members(snapshot, signer), workers)


def _members(snapshot: SnapshotReader, signer: Signer | None) -> Iterator[SnapshotMember]:
    for member in snapshot.own_members():
        if signer is None or member.path != SIGNATURE:
            yield member
        if signer is not None and member.path == MANIFEST:
            yield SnapshotMember(path=SIGNATURE, body=signer(member.body))
    for entry, member in snapshot.listed_documents():
        yield member._replace(aliases=entry.aliases)
