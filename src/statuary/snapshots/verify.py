"""Whether a snapshot, or a site that was published from one, is what its manifest says, byte for byte."""

from collections.abc import Callable
from typing import NamedTuple

from statuary.publishing.snapshot_paths import SIGNATURE
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.manifest import Manifest, ManifestEntry, manifest_digest
from statuary.snapshots.member_sources import SiteMembers
from statuary.snapshots.minisign import (
    MinisignSignature,
    PublicKey,
    key_id_text,
    parse_signature,
    verify_signature,
)
from statuary.snapshots.snapshot_reader import SnapshotReader, read_snapshot

InspectDocument = Callable[[ManifestEntry, bytes], None]
"""Is shown every document that is whole."""


class Verification(NamedTuple):
    """What came of verifying.

    Attributes:
        manifest: what the snapshot says of itself.
        identity: SHA-256 of the manifest, which names this exact site.
        archive_digest: SHA-256 that an archive tells of its own bytes; empty for a folder or a URL.
        whole: how many documents are what the manifest says.
        problems: everything that is wrong, as sentences.
        signed_by: id of the key that the signature names, as minisign shows it; empty if there is none.
        signature: the signature, if it was verified.
        lacks_second_names: whether it is a folder that a snapshot was merely unpacked into.
    """

    manifest: Manifest
    manifest_digest: str
    archive_digest: str
    whole: int
    problems: tuple[str, ...]
    signed_by: str
    signature: MinisignSignature | None
    lacks_other_names: bool

    @property
    def is_whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify_snapshot(
    place: str,
    *,
    public_key: PublicKey | None = None,
    against: str | None = None,
    examine: InspectDocument | None = None,
) -> Verification:
    """Hold every byte of a snapshot against its manifest, and the manifest against its signature.

    Args:
        place: a file, folder or URL.
        public_key: the key that must have signed it; without one a signature is not looked at.
        against: a snapshot whose manifest and signature to believe instead of those of `place`: for a mirror
            that has none, or that may have been given others.
        examine: is shown every document that is whole.

    Raises:
        SnapshotDamaged: if it is no snapshot, or broken so that nothing behind that can be read.
        PublishingRefused: if it cannot be read.
    """
    problems: list[str] = []
    with read_snapshot(place, against) as snapshot:
        signature = _signature(snapshot, public_key, problems)
        whole = 0
        for entry, member in snapshot.documents(lambda damaged: problems.append(str(damaged))):
            whole += 1
            if examine is not None:
                examine(entry, member.body)
        source = snapshot.source
        return Verification(
            manifest=snapshot.manifest,
            manifest_digest=manifest_digest(snapshot.manifest_member.body),
            archive_digest=snapshot.digest,
            whole=whole,
            problems=tuple(problems),
            signed_by=_signed_by(snapshot),
            signature=signature,
            lacks_other_names=isinstance(source, SiteMembers) and source.missing > 0,
        )


def _signature(
    snapshot: SnapshotReader, public_key: PublicKey | None, problems: list[str]
) -> MinisignSignature | None:
    """Return the signature if it is right; note what is wrong with it."""
    if public_key is None:
        return None
    try:
        return required_signature(snapshot, public_key)
    except DamagedSnapshotError as damaged:
        problems.append(str(damaged))
        return None


def required_signature(snapshot: SnapshotReader, public_key: PublicKey) -> MinisignSignature:
    """Return the signature of a snapshot's manifest, once it has been verified.

    Raises:
        SnapshotDamaged: if there is none, or not one of this manifest by this key.
    """
    if snapshot.signature is None:
        raise DamagedSnapshotError(f"{snapshot.name} is not signed: it has no {SIGNATURE}")
    try:
        return verify_signature(snapshot.manifest_member.body, snapshot.signature.body, public_key)
    except DamagedSnapshotError as damaged:
        raise DamagedSnapshotError(f"{SIGNATURE}: {damaged}") from None


def _signed_by(snapshot: SnapshotReader) -> str:
    return key_id_text(parse_signature(snapshot.signature.body).key_id) if snapshot.signature else ""
