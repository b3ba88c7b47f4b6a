"""A snapshot from a snapshot: into the other form, or signed. It is verified on the way, byte for byte."""

from collections.abc import Iterator
from pathlib import Path

from statuary.publishing.snapshots.create import Signer
from statuary.publishing.snapshots.forms import form_of, refuse_foreign, write_members
from statuary.publishing.snapshots.names import MANIFEST, SIGNATURE
from statuary.publishing.snapshots.packing import Member
from statuary.publishing.snapshots.snapshot_pass import SnapshotPass, opened_pass
from statuary.publishing.snapshots.written_file import written_file


def rewrite_snapshot(
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
    form = form_of(out)
    refuse_foreign(out)
    with opened_pass(place) as snapshot, written_file(out) as stream:
        return write_members(stream, form, _members(snapshot, signer), workers)


def _members(snapshot: SnapshotPass, signer: Signer | None) -> Iterator[Member]:
    for member in snapshot.own_members():
        if signer is None or member.path != SIGNATURE:
            yield member
        if signer is not None and member.path == MANIFEST:
            yield Member(path=SIGNATURE, body=signer(member.body))
    for entry, member in snapshot.listed_documents():
        yield member._replace(also=entry.also)
