"""One pass through a snapshot, from its manifest to its end: every byte is looked at, nothing is believed."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path

from statuary.publishing.refused import PublishingRefused
from statuary.publishing.sites.folder_site import FolderSite
from statuary.publishing.sites.site_reader import SiteReader
from statuary.publishing.sites.web import is_url, streamed
from statuary.publishing.snapshots.damaged import SnapshotDamaged
from statuary.publishing.snapshots.listing import listed_entries
from statuary.publishing.snapshots.manifest import Entry, parse_manifest
from statuary.publishing.snapshots.names import MANIFEST, SIGNATURE
from statuary.publishing.snapshots.open_site import is_archive_url, open_site
from statuary.publishing.snapshots.packing import Member
from statuary.publishing.snapshots.sources import ArchiveSource, SiteSource, Source
from statuary.publishing.snapshots.streams import Readable
from statuary.publishing.snapshots.tar_zst import TarZstStream
from statuary.publishing.snapshots.trusted_site import TrustedSite
from statuary.publishing.snapshots.url_site import UrlSite
from statuary.publishing.snapshots.zip_stream import ZipStream

IN_MEMORY = 16 << 20
"""Bytes of the list of documents that are kept in memory before they go into a temporary file."""

OnDamage = Callable[[SnapshotDamaged], None]


class SnapshotPass:
    """A snapshot being read. The manifest is there at once; then `members` or `entries` once.

    Attributes:
        name: what it is called in messages.
        manifest_member: the manifest as a member.
        manifest: what it says.
        signature: the signature as a member, if the snapshot has one.
        digest: the SHA-256 that an archive tells of itself, once the pass is over.
    """

    def __init__(self, source: Source, name: str) -> None:
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

    def own_members(self) -> Iterator[Member]:
        """Yield manifest, signature and parts; the parts are kept, to be read again."""
        yield self.manifest_member
        if self.signature is not None:
            yield self.signature
        for part in self.manifest.parts:
            member = self.source.take(part.path)
            if len(member.body) != part.size:
                raise SnapshotDamaged(f"{part.path} is damaged: it has not the size that the manifest tells")
            self._lines.write(member.body)
            yield member

    def kept_entries(self) -> Iterator[Entry]:
        """Yield what the parts list, in the order of paths, once `own_members` has been through."""
        self._lines.seek(0)
        sizes = iter([part.size for part in self.manifest.parts])
        return listed_entries(self.manifest, lambda _: self._lines.read(next(sizes)))

    def entries(self) -> Iterator[Entry]:
        """Yield what the parts list, without reading the documents."""
        for _ in self.own_members():
            pass
        return self.kept_entries()

    def documents(self, on_damage: OnDamage | None = None) -> Iterator[tuple[Entry, Member]]:
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

    def listed_documents(self, on_damage: OnDamage | None = None) -> Iterator[tuple[Entry, Member]]:
        """Yield every document as `documents` does, once `own_members` has been through."""
        for entry in self.kept_entries():
            try:
                member = self.source.take(entry.path, entry.also)
            except SnapshotDamaged as damaged:
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
        except SnapshotDamaged as damaged:
            if on_damage is None or not self.source.goes_on:
                raise
            on_damage(damaged)


def _difference(entry: Entry, member: Member) -> SnapshotDamaged | None:
    """Return what is wrong with a document, or None."""
    if len(member.body) != entry.size:
        return SnapshotDamaged(
            f"{entry.path} has {len(member.body):,} bytes, its manifest says {entry.size:,}"
        )
    if sha256(member.body).hexdigest() != entry.sha256:
        return SnapshotDamaged(f"{entry.path} is damaged: it has not the SHA-256 that its manifest says")
    return None


@contextmanager
def opened_pass(place: str, against: str | None = None) -> Iterator[SnapshotPass]:
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
        snapshot = SnapshotPass(_source(place, stack, trusted), place)
        stack.callback(snapshot.close)
        if trusted is not None and trusted.read(MANIFEST) != snapshot.manifest_member.body:
            raise SnapshotDamaged(f"{place} is another snapshot than {against}: their manifests differ")
        yield snapshot


def _source(place: str, stack: ExitStack, trusted: SiteReader | None) -> Source:
    if is_url(place):
        if is_archive_url(place):
            return _archive(stack.enter_context(streamed(place)), place, stack)
        return SiteSource(_overlaid(UrlSite(place), trusted), place)
    path = Path(place)
    if path.is_dir():
        folder = FolderSite(path)
        return SiteSource(_overlaid(folder, trusted), place, folder.paths)
    try:
        return _archive(stack.enter_context(path.open("rb")), place, stack)
    except OSError as error:
        raise PublishingRefused(f"{place} cannot be read: {error.strerror}") from None


def _overlaid(site: SiteReader, trusted: SiteReader | None) -> SiteReader:
    return site if trusted is None else TrustedSite(site, trusted)


def _archive(stream: Readable, name: str, stack: ExitStack) -> Source:
    """Return the source of an archive; its first bytes tell its form."""
    first = stream.read(4)
    whole = Prefixed(first, stream)
    if first == b"PK\x03\x04":
        return ArchiveSource(stack.enter_context(ZipStream(whole, name)), name)
    if first == b"\x28\xb5\x2f\xfd":
        return ArchiveSource(stack.enter_context(TarZstStream(whole, name)), name)
    raise SnapshotDamaged(f"{name} is no snapshot: it is neither a zip nor Zstandard")


class Prefixed:
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
