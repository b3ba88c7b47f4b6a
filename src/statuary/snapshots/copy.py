"""Copy a snapshot into a file, and sign it if wanted; every byte is verified."""

import os
from collections.abc import Iterator
from pathlib import Path

from statuary.publishing.atomic_file import atomic_file
from statuary.publishing.errors import PublishingError
from statuary.publishing.snapshot_paths import MANIFEST, SIGNATURE
from statuary.snapshots.manifest import SiteOrigin, refuse_older
from statuary.snapshots.manifest_signature import Signer
from statuary.snapshots.members import SnapshotMember, compress_members
from statuary.snapshots.snapshot_reader import SnapshotReader, read_snapshot
from statuary.snapshots.zip_file import require_zip_name, write_zip
from statuary.snapshots.zip_format import ENDING_SIZE, parse_ending


def copy_snapshot(
    location: str,
    out: Path,
    *,
    signer: Signer | None = None,
    allow_older: bool = False,
) -> str:
    """Write a snapshot into a file; return the SHA-256 in the new file's trailer.

    Args:
        location: a file, or a folder or URL that a snapshot was published into.
        out: the new file; its name ends in .zip.
        signer: signs the manifest; without one, an existing signature stays.
        allow_older: replace a newer snapshot.

    Raises:
        DamagedSnapshotError: if the snapshot is damaged; `out` is unchanged.
        PublishingError: if `out` cannot be written, or is newer.
    """
    with read_snapshot(location) as snapshot:
        require_zip_name(out)
        _require_snapshot_or_nothing(out)
        if not allow_older:
            refuse_older_file(snapshot.manifest.origin, out)
        with atomic_file(out) as stream:
            return write_zip(stream, compress_members(_members(snapshot, signer)))


def _require_snapshot_or_nothing(path: Path) -> None:
    """Raise PublishingError if there is a file that is not a snapshot, by its trailer."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - ENDING_SIZE))
            tail = file.read()
    except FileNotFoundError:
        return
    except OSError as error:
        raise PublishingError(f"{path} cannot be written: {error.strerror}") from None
    if parse_ending(tail) is None:
        raise PublishingError(f"{path} exists and is not a snapshot", "move it, or name another file")


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
