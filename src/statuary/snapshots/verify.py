"""Verify a snapshot, or a site published from one, against its manifest, byte for byte."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.manifest import Manifest, manifest_digest
from statuary.snapshots.manifest_parts import ManifestEntry
from statuary.snapshots.manifest_signature import key_id, verify_manifest_signature
from statuary.snapshots.snapshot_reader import SnapshotReader, read_snapshot

if TYPE_CHECKING:
    from minisign import PublicKey, Signature

InspectDocument = Callable[[ManifestEntry, bytes], None]
"""Is called with every undamaged document."""


class Verification(NamedTuple):
    """The result of verifying."""

    manifest: Manifest
    manifest_digest: str  # SHA-256 of the manifest, which identifies the exact site
    whole: int  # the number of documents that match the manifest
    problems: tuple[str, ...]  # everything that is wrong, as sentences
    signed_by: str  # id of the signature's key, as minisign shows it; empty if there is none
    signature: "Signature | None"  # None unless it was verified
    lacks_aliases: bool  # whether it is a folder that a snapshot was unpacked into by another program

    @property
    def is_whole(self) -> bool:
        """Whether there are no problems."""
        return not self.problems


def verify_snapshot(
    location: str,
    *,
    public_key: "PublicKey | None" = None,
    against: str | None = None,
    inspect: InspectDocument | None = None,
) -> Verification:
    """Check every byte of a snapshot against its manifest, and the manifest against its signature.

    Args:
        location: a file, folder or URL.
        public_key: the required key; without one, a signature is not verified.
        against: a snapshot whose manifest and signature are used instead of those of `location`: for a mirror
            without them, or with replaced ones.
        inspect: is called with every undamaged document.

    Raises:
        DamagedSnapshotError: if it is not a snapshot, or so damaged that nothing more can be read.
        PublishingError: if it cannot be read.
    """
    problems: list[str] = []
    with read_snapshot(location, against) as snapshot:
        signature = _signature(snapshot, public_key, problems)
        whole = 0
        for entry, member in snapshot.documents(lambda damaged: problems.append(str(damaged))):
            whole += 1
            if inspect is not None:
                inspect(entry, member.body)
        return Verification(
            manifest=snapshot.manifest,
            manifest_digest=manifest_digest(snapshot.manifest_text),
            whole=whole,
            problems=tuple(problems),
            signed_by=key_id(snapshot.signature) if snapshot.signature else "",
            signature=signature,
            lacks_aliases=snapshot.source.lacks_aliases,
        )


def _signature(
    snapshot: SnapshotReader, public_key: "PublicKey | None", problems: list[str]
) -> "Signature | None":
    """Return the signature if it is right; otherwise add to the problems."""
    if public_key is None:
        return None
    try:
        return verify_manifest_signature(
            snapshot.name, snapshot.manifest_text, snapshot.signature, public_key
        )
    except DamagedSnapshotError as damaged:
        problems.append(str(damaged))
        return None
