"""Read a snapshot once, from its manifest to its end; every byte is checked."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import IO

from statuary.publishing.errors import PublishingError
from statuary.publishing.folder_reader import FolderReader
from statuary.publishing.snapshot_paths import MANIFEST, SIGNATURE, is_snapshot_path
from statuary.snapshots.errors import DamagedSnapshotError, refuse_tar_zst
from statuary.snapshots.http_client import is_archive_url, is_url, stream_url
from statuary.snapshots.manifest import parse_manifest
from statuary.snapshots.manifest_parts import ManifestEntry, ReadPath, check_body, read_entries
from statuary.snapshots.member_sources import MemberSource, SiteMembers, ZipMembers
from statuary.snapshots.members import SnapshotMember
from statuary.snapshots.site_reader import SiteReader, UrlSource, open_site
from statuary.snapshots.zip_file import ZipStreamReader

IN_MEMORY = 16 << 20
"""Bytes of the list of documents that stay in memory before they go into a temporary file."""

OnDamage = Callable[[DamagedSnapshotError], None]


class SnapshotReader:
    """A snapshot being read: first the manifest, then `documents` or `entries`, once."""

    def __init__(self, source: MemberSource, name: str) -> None:
        self.name = name
        self.source = source
        self._first = [source.take(MANIFEST)]
        self.manifest_text = self._first[0].body  # the bytes of the manifest
        self.manifest = parse_manifest(self.manifest_text)
        signature = source.take_if_there(SIGNATURE)
        # the bytes of the signature; None if the snapshot is not signed
        self.signature = None if signature is None else signature.body
        self._first += [] if signature is None else [signature]
        self._lines = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by close()

    def close(self) -> None:
        """Delete the list of documents."""
        self._lines.close()

    def own_members(self) -> Iterator[SnapshotMember]:
        """Yield manifest, signature and parts; the parts are kept for reading again."""
        yield from self._first
        for part in self.manifest.parts:
            member = self.source.take(part.path)
            if len(member.body) != part.size:
                raise DamagedSnapshotError(
                    f"{part.path} is damaged: it does not have the size that the manifest states"
                )
            self._lines.write(member.body)
            yield member

    def kept_entries(self) -> Iterator[ManifestEntry]:
        """Yield the entries of the parts by path, after `own_members`."""
        self._lines.seek(0)
        sizes = iter([part.size for part in self.manifest.parts])
        return read_entries(self.manifest, lambda _: self._lines.read(next(sizes)))

    def entries(self) -> Iterator[ManifestEntry]:
        """Yield the entries of the parts without reading documents."""
        for _ in self.own_members():
            pass
        return self.kept_entries()

    def documents(self, on_damage: OnDamage | None = None) -> Iterator[tuple[ManifestEntry, SnapshotMember]]:
        """Yield every document, checked against the manifest, and read the snapshot to its end.

        Args:
            on_damage: is called for a damaged document, and reading continues as far as possible; without it
                the first damage is raised.

        Raises:
            DamagedSnapshotError: if the snapshot is damaged.
        """
        for _ in self.own_members():
            pass
        yield from self.listed_documents(on_damage)

    def listed_documents(
        self, on_damage: OnDamage | None = None
    ) -> Iterator[tuple[ManifestEntry, SnapshotMember]]:
        """Yield every document as `documents` does, after `own_members`."""
        for entry in self.kept_entries():
            try:
                member = self.source.take(entry.path, entry.aliases)
            except DamagedSnapshotError as damaged:
                if on_damage is None or not self.source.goes_on:
                    raise
                on_damage(damaged)
                continue
            try:
                check_body(entry, member.body)
            except DamagedSnapshotError as damaged:
                if on_damage is None:
                    raise
                on_damage(damaged)
            else:
                yield entry, member
        self._finish(on_damage)

    def _finish(self, on_damage: OnDamage | None) -> None:
        try:
            self.source.finish(self.kept_entries)
        except DamagedSnapshotError as damaged:
            if on_damage is None or not self.source.goes_on:
                raise
            on_damage(damaged)


@contextmanager
def read_snapshot(location: str, against: str | None = None) -> Iterator[SnapshotReader]:
    """Open a snapshot to read it once.

    Args:
        location: a snapshot file, a folder, or a URL of either.
        against: a snapshot whose manifest and signature are used instead of those of `location`.

    Raises:
        PublishingError: if there is nothing, or it cannot be reached.
        DamagedSnapshotError: if it is not a snapshot, or its manifest is not that of `against`.
    """
    with ExitStack() as stack:
        trusted = stack.enter_context(open_site(against)) if against else None
        snapshot = stack.enter_context(closing(SnapshotReader(_source(location, stack, trusted), location)))
        if trusted is not None and trusted.read(MANIFEST) != snapshot.manifest_text:
            raise DamagedSnapshotError(
                f"{location} is another snapshot than {against}: their manifests differ"
            )
        yield snapshot


def _source(location: str, stack: ExitStack, trusted: SiteReader | None) -> MemberSource:
    refuse_tar_zst(location)
    path = Path(location)
    if is_url(location):
        if is_archive_url(location):
            return _zip_members(stack.enter_context(stream_url(location)), location, stack)
        return SiteMembers(_read(UrlSource(location).read, trusted), location, None)
    if path.is_dir():
        folder = FolderReader(path)
        return SiteMembers(_read(folder.read, trusted), location, folder.paths)
    try:
        return _zip_members(stack.enter_context(path.open("rb")), location, stack)
    except OSError as error:
        raise PublishingError(f"{location} cannot be read: {error.strerror}") from None


def _read(read: ReadPath, trusted: SiteReader | None) -> ReadPath:
    """Return a reader of one site's documents and another one's snapshot members."""
    return read if trusted is None else lambda path: (trusted.read if is_snapshot_path(path) else read)(path)


def _zip_members(stream: IO[bytes], name: str, stack: ExitStack) -> MemberSource:
    return ZipMembers(stack.enter_context(ZipStreamReader(stream, name)), name)
