"""Convert a snapshot to the other format, or sign it; every byte is verified."""

from collections.abc import Iterator
from pathlib import Path

from statuary.publishing.atomic_file import atomic_file
from statuary.publishing.snapshot_paths import MANIFEST, SIGNATURE
from statuary.snapshots.manifest import SiteOrigin, refuse_older
from statuary.snapshots.manifest_signature import Signer
from statuary.snapshots.members import SnapshotMember
from statuary.snapshots.snapshot_format import format_of, require_snapshot_or_nothing, write_members
from statuary.snapshots.snapshot_reader import SnapshotReader, read_snapshot


def convert_snapshot(
    location: str,
    out: Path,
    *,
    signer: Signer | None = None,
    workers: int | None = None,
    allow_older: bool = False,
) -> str:
    """Rewrite a snapshot; return the SHA-256 in the new file's trailer.

    Args:
        location: a file, or a folder or URL that a snapshot was published into.
        out: the new file; its extension determines the format.
        signer: signs the manifest; without one, an existing signature stays.
        allow_older: replace a newer snapshot.

    Raises:
        DamagedSnapshotError: if the snapshot is damaged; `out` is unchanged.
        PublishingError: if `out` cannot be written, or is newer.
    """
    form = format_of(out)
    require_snapshot_or_nothing(out)
    with read_snapshot(location) as snapshot, atomic_file(out) as stream:
        if not allow_older:
            refuse_older_file(snapshot.manifest.origin, out)
        return write_members(stream, form, _members(snapshot, signer), workers)


def refuse_older_file(origin: SiteOrigin, out: Path) -> None:
    """Raise an error if a file is a newer snapshot than one that would replace it.

    Raises:
        DamagedSnapshotError: if the file is a damaged snapshot.
        PublishingError: if it is newer.
    """
    if out.exists():
        with read_snapshot(str(out)) as there:
            refuse_older(origin, there.manifest.origin.instant, str(out))


def _members(snapshot: SnapshotReader, signer: Signer | None) -> Iterator[SnapshotMember]:
    for member in snapshot.own_members():
        if signer is None or member.path != SIGNATURE:
            yield member
        if signer is not None and member.path == MANIFEST:
            yield SnapshotMember(path=SIGNATURE, body=signer(member.body))
    for entry, member in snapshot.listed_documents():
        yield member._replace(aliases=entry.aliases)
