"""One pass through a snapshot, from its manifest to its end: every byte is looked at, nothing is believed."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path

from statuary.publishing.errors import PublishingError
from statuary.publishing.folder_reader import FolderReader
from statuary.publishing.site_reader import SiteReader
from statuary.publishing.snapshot_paths import MANIFEST, SIGNATURE
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.http_client import is_url, stream_url
from statuary.snapshots.manifest import ManifestEntry, parse_manifest
from statuary.snapshots.manifest_entries import read_entries
from statuary.snapshots.member_sources import ArchiveMembers, MemberSource, SiteMembers
from statuary.snapshots.members import SnapshotMember
from statuary.snapshots.open_site import is_archive_url, open_site
from statuary.snapshots.streams import Readable
from statuary.snapshots.tar_zst import TarZstReader
from statuary.snapshots.trusted_site import TrustedSite
from statuary.snapshots.url_reader import UrlReader
from statuary.snapshots.zip_stream import ZipStreamReader

IN_MEMORY = 16 << 20
"""Bytes of the list of documents that are kept in memory before they go into a temporary file."""

OnDamage = Callable[[DamagedSnapshotError], None]


class SnapshotReader:
    """A snapshot being read. The manifest is there at once; then `members` or `entries` once.

    Attributes:
        name: what it is called in messages.
        manifest_member: the manifest as a member.
        manifest: what it says.
        signature: the signature as a member, if the snapshot has one.
        digest: the SHA-256 that an archive tells of itself, once the pass is over.
    """

    def __init__(self, source: MemberSource, name: str) -> None:
        """Read the manifest and the signature.

        Raises:
            SnapshotDamaged: if that is no snapshot.
        """
        self.name = name
        self.source = source
        self.manifest_member = source.take(MANIFEST)
        self.manifest = parse_manifest(self.manifest_member.body)
        self.signature = source.take_if_there(SIGNATURE)
        self.digest = ""
        self._lines = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by close()

    def close(self) -> None:
        """Forget the list of documents."""
        self._lines.close()

    def own_members(self) -> Iterator[SnapshotMember]:
        """Yield manifest, signature and parts; the parts are kept, to be read again."""
        yield self.manifest_member
        if self.signature is not None:
            yield self.signature
        for part in self.manifest.parts:
            member = self.source.take(part.path)
            if len(member.body) != part.size:
                raise DamagedSnapshotError(
                    f"{part.path} is damaged: it has not the size that the manifest tells"
                )
            self._lines.write(member.body)
            yield member

    def kept_entries(self) -> Iterator[ManifestEntry]:
        """Yield what the parts list, in the order of paths, once `own_members` has been through."""
        self._lines.seek(0)
        sizes = iter([part.size for part in self.manifest.parts])
        return read_entries(self.manifest, lambda _: self._lines.read(next(sizes)))

    def entries(self) -> Iterator[ManifestEntry]:
        """Yield what the parts list, without reading the documents."""
        for _ in self.own_members():
            pass
        return self.kept_entries()

    def documents(self, on_damage: OnDamage | None = None) -> Iterator[tuple[ManifestEntry, SnapshotMember]]:
        """Yield every document, held to the manifest, and go on to the end of the snapshot.

        Args:
            on_damage: is told of a document that is not whole, and the others follow as far as that is possible;
                without it the first is raised.

        Raises:
            SnapshotDamaged: if the snapshot is not whole.
        """
        for _ in self.own_members():
            pass
        yield from self.listed_documents(on_damage)

    def listed_documents(
        self, on_damage: OnDamage | None = None
    ) -> Iterator[tuple[ManifestEntry, SnapshotMember]]:
        """Yield every document as `documents` does, once `own_members` has been through."""
        for entry in self.kept_entries():
            try:
                member = self.source.take(entry.path, entry.aliases)
            except DamagedSnapshotError as damaged:
                if on_damage is None or not self.source.goes_on:
                    raise
                on_damage(damaged)
                continue
            problem = _difference(entry, member)
            if problem is None:
                yield entry, member
            elif on_damage is None:
                raise problem
            else:
                on_damage(problem)
        self._finish(on_damage)

    def _finish(self, on_damage: OnDamage | None) -> None:
        try:
            self.digest = self.source.finish(self.kept_entries)
        except DamagedSnapshotError as damaged:
            if on_damage is None or not self.source.goes_on:
                raise
            on_damage(damaged)


def _difference(entry: ManifestEntry, member: SnapshotMember) -> DamagedSnapshotError | None:
    """Return what is wrong with a document, or None."""
    if len(member.body) != entry.size:
        return DamagedSnapshotError(
            f"{entry.path} has {len(member.body):,} bytes, its manifest says {entry.size:,}"
        )
    if sha256(member.body).hexdigest() != entry.sha256:
        return DamagedSnapshotError(f"{entry.path} is damaged: it has not the SHA-256 that its manifest says")
    return None


@contextmanager
def read_snapshot(place: str, against: str | None = None) -> Iterator[SnapshotReader]:
    """Open a snapshot for one pass.

    Args:
        place: a snapshot file (.zip or .tar.zst, by its first bytes), a folder, or a URL of either.
        against: a snapshot whose manifest is to be believed instead of that of `place`.

    Raises:
        PublishingRefused: if there is nothing, or it cannot be reached.
        SnapshotDamaged: if it is no snapshot, or its manifest is not the one to be believed.
    """
    with ExitStack() as stack:
        trusted = stack.enter_context(open_site(against)) if against else None
        snapshot = SnapshotReader(_source(place, stack, trusted), place)
        stack.callback(snapshot.close)
        if trusted is not None and trusted.read(MANIFEST) != snapshot.manifest_member.body:
            raise DamagedSnapshotError(f"{place} is another snapshot than {against}: their manifests differ")
        yield snapshot


def _source(place: str, stack: ExitStack, trusted: SiteReader | None) -> MemberSource:
    if is_url(place):
        if is_archive_url(place):
            return _archive(stack.enter_context(stream_url(place)), place, stack)
        return SiteMembers(_overlaid(UrlReader(place), trusted), place)
    path = Path(place)
    if path.is_dir():
        folder = FolderReader(path)
        return SiteMembers(_overlaid(folder, trusted), place, folder.paths)
    try:
        return _archive(stack.enter_context(path.open("rb")), place, stack)
    except OSError as error:
        raise PublishingError(f"{place} cannot be read: {error.strerror}") from None


def _overlaid(site: SiteReader, trusted: SiteReader | None) -> SiteReader:
    return site if trusted is None else TrustedSite(site, trusted)


def _archive(stream: Readable, name: str, stack: ExitStack) -> MemberSource:
    """Return the source of an archive; its first bytes tell its form."""
    first = stream.read(4)
    whole = PrefixedStream(first, stream)
    if first == b"PK\x03\x04":
        return ArchiveMembers(stack.enter_context(ZipStreamReader(whole, name)), name)
    if first == b"\x28\xb5\x2f\xfd":
        return ArchiveMembers(stack.enter_context(TarZstReader(whole, name)), name)
    raise DamagedSnapshotError(f"{name} is no snapshot: it is neither a zip nor Zstandard")


class PrefixedStream:
    """A stream whose first bytes have been read already."""

    def __init__(self, first: bytes, stream: Readable) -> None:
        self.first = first
        self.stream = stream

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; none at the end."""
        if self.first:
            data, self.first = self.first[:size], self.first[size:]
            return data
        return self.stream.read(size)
