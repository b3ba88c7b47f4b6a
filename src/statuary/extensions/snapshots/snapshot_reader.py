"""Read a snapshot from start to end, and check every byte."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import IO, NamedTuple, Protocol

from statuary.base.files import (
    MANIFEST,
    SIGNATURE,
    PublishingError,
    is_manifest_path,
)
from statuary.extensions.snapshots.schedule import SiteSchedule
from statuary.extensions.snapshots.site_reader import SiteReader, StoredDocuments, UrlSource, open_site
from statuary.extensions.snapshots.streams import require_entry_matches
from statuary.extensions.snapshots.zip_file import ZipStreamReader
from statuary.extensions.snapshots.zip_format import SnapshotMember, refuse_tar_zst
from statuary.publish.folder.reader import FolderReader
from statuary.publish.host_layout import cache_control_of, media_type_of
from statuary.publish.listing import DamagedSnapshotError, Entry, ReadPath, require_document_path
from statuary.publish.listing_on_disk import Listing
from statuary.publish.manifest import is_listed, parse_manifest, read_entries
from statuary.site.document import Document
from statuary.system.files import open_file
from statuary.system.network.client import display_location, is_archive_url, is_url, open_stream

SHOWN = 5
"""The largest number of names in a message; the others are counted."""

Entries = Callable[[], Iterator[Entry]]
"""A function that yields the entries of a manifest from the first on, each time it is called."""


class MemberSource(Protocol):
    """Reads the files of a snapshot in order."""

    allows_more: bool  # whether members after a damaged one can be read

    @property
    def lacks_aliases(self) -> bool:
        """Whether files lack their second names, such as lower-case addresses.

        This is so if another program unpacked the snapshot.
        """

    def next_member(self, path: str, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Return the next file, and raise an error if its path differs.

        Args:
            path: the path of the file.
            aliases: the other names of the file.

        Raises:
            DamagedSnapshotError: if the file is missing or damaged.
        """

    def next_member_if_present(self, path: str) -> SnapshotMember | None:
        """Return the next file only if it has this path.

        Args:
            path: the path of a file that a snapshot may lack, such as the signature.

        Returns:
            The file, or None if the next file has another path.
        """

    def find_version(self, path: str, sha256_hex: str, /) -> bytes | None:
        """Find the version of a document with a given SHA-256.

        Some documents change at scheduled times, so they have several versions.

        Args:
            path: the path of the file.
            sha256_hex: the SHA-256 as hex.

        Returns:
            The bytes of the version, or None if the source has no such version.
        """

    def verify_end(self, entries: Entries) -> None:
        """Verify that the snapshot has no further files.

        Args:
            entries: a function that returns the entries of the manifest.

        Raises:
            DamagedSnapshotError: if there are other files.
        """


class ZipMembers:
    """Reads the files of a zip in order."""

    allows_more = False
    lacks_aliases = False

    def __init__(self, reader: ZipStreamReader, name: str) -> None:
        self.reader = reader
        self.name = name

    def next_member(self, path: str, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Return the next file, and raise an error if its path differs.

        Raises:
            DamagedSnapshotError: if the next file has another path, or is damaged.
        """
        read_next_path = self.reader.read_next_path()
        if read_next_path != path:
            raise self._unexpected_file_error(read_next_path, path)
        return self.reader.read_member(aliases)

    def next_member_if_present(self, path: str) -> SnapshotMember | None:
        """Return the zip's next file only if it has this path.

        Returns:
            The file, or None if the next file has another path. Then the file can still be read.
        """
        return self.reader.read_member() if self.reader.read_next_path() == path else None

    def find_version(self, _path: str, _digest: str, /) -> bytes | None:
        """Return None, because a zip contains only one version of each file."""
        return None

    def verify_end(self, entries: Entries) -> None:  # noqa: ARG002 - the order of the members shows it
        """Verify that no file follows the last one that was read.

        Raises:
            DamagedSnapshotError: if another file follows, or the zip's directory does not match the files.
        """
        read_next_path = self.reader.read_next_path()
        if read_next_path is not None:
            raise self._unexpected_file_error(read_next_path, None)
        self.reader.verify_end()

    def _unexpected_file_error(
        self, found_path: str | None, expected_path: str | None
    ) -> DamagedSnapshotError:
        if found_path is not None and not is_manifest_path(found_path):
            require_document_path(found_path)  # an invalid document name is the better message
        if expected_path == MANIFEST:
            return DamagedSnapshotError(
                f"{self.name} is not a snapshot of statuary: its first file is not {MANIFEST}"
            )
        if found_path is None:
            return DamagedSnapshotError(f"{expected_path} is missing in {self.name}")
        where = f"in place of {expected_path}" if expected_path else "after its last file"
        return DamagedSnapshotError(f"{self.name} is damaged: it has the file {found_path} {where}")


class SiteMembers:
    """Reads the files of an unpacked snapshot, from a folder or URL."""

    allows_more = True

    def __init__(
        self, read_path: ReadPath, name: str, list_paths: Callable[[], Iterator[str]] | None
    ) -> None:
        """Prepare to read the files of an unpacked snapshot.

        Args:
            read_path: returns the bytes at a path, or None.
            name: the location of the snapshot, for error messages.
            list_paths: yields all paths; None if they cannot be listed, as at a URL.
        """
        self._schedule = SiteSchedule(read_path) if list_paths is None else None
        self._read = read_path
        self.name = name
        self._list_paths = list_paths
        self._aliases = 0
        self._missing = 0
        self._shown: list[str] = []

    @property
    def lacks_aliases(self) -> bool:
        """Whether the files so far lack their second, lower-case names."""
        return self._missing > 0

    def next_member(self, path: str, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Return the file at a path of the site.

        Files of a site can be read in any order, so each file can be the next one.

        Args:
            path: the path of the file.
            aliases: the other names of the file, which are compared with it.

        Raises:
            DamagedSnapshotError: if the file is missing, or an existing alias has other bytes.
        """
        body = self._read(path)
        if body is None:
            hint = "publish a snapshot into it, or verify it with --against" if path == MANIFEST else ""
            raise DamagedSnapshotError(f"{path} is missing in {self.name}", hint)
        for alias in aliases:
            self._require_alias_matches(alias, body)
        return SnapshotMember(path=path, body=body, aliases=aliases)

    def find_version(self, path: str, sha256_hex: str, /) -> bytes | None:
        """Find the version of a document with a given SHA-256.

        The server may already send a later version of a document that changes at scheduled times.

        Args:
            path: the path of the file.
            sha256_hex: the SHA-256 as hex.

        Returns:
            The bytes of the version, or None if there is none.
        """
        return None if self._schedule is None else self._schedule.find_version(path, sha256_hex)

    def _require_alias_matches(self, alias: str, content: bytes) -> None:
        body_there = self._read(alias)
        if body_there is None:
            self._missing += 1
            self._shown = [*self._shown, alias][:SHOWN]
            return
        self._aliases += 1
        if body_there != content:
            raise DamagedSnapshotError(
                f"{alias} is damaged: it differs from the document of which the file should be a copy"
            )

    def next_member_if_present(self, path: str) -> SnapshotMember | None:
        """Return the file at a path of the site, or None."""
        body = self._read(path)
        return None if body is None else SnapshotMember(path=path, body=body)

    def verify_end(self, entries: Entries) -> None:
        """Verify that the site has exactly the files in its manifest.

        Files may have second names, such as lower-case addresses. Another program that unpacks a snapshot
        omits all of them, which is allowed.

        Raises:
            DamagedSnapshotError: if only some second names are missing, or the manifest does not list a file.
        """
        if self._aliases and self._missing:
            missing_text = _format_first_paths(self._shown, self._missing)
            raise DamagedSnapshotError(
                f"{self.name} lacks these aliases (second names of documents): {missing_text}"
            )
        try:
            extra = _find_extra_paths(self._list_paths() if self._list_paths else iter(()), entries)
        except PublishingError as error:
            raise DamagedSnapshotError(str(error), error.hint) from None
        if extra.total:
            raise DamagedSnapshotError(
                f"{self.name} has files that its manifest does not list: {_format_first_paths(extra.first, extra.total)}"
            )


class _ExtraPaths(NamedTuple):
    """Paths that the snapshot does not have."""

    first: list[str]  # the first few of the paths
    total: int


def _find_extra_paths(paths: Iterator[str], entries: Entries) -> _ExtraPaths:
    first_paths: list[str] = []
    count = 0
    with Listing() as names:
        for entry in entries():
            for name in entry.names:
                names.add(Entry(name))
        for path in paths:
            if is_listed(path) and names.find(path) is None:
                count += 1
                first_paths = [*first_paths, path][:SHOWN]
    return _ExtraPaths(first_paths, count)


def _format_first_paths(first_paths: list[str], total: int) -> str:
    return ", ".join(first_paths) + (
        f" and {total - len(first_paths):,} more" if total > len(first_paths) else ""
    )


IN_MEMORY = 16 << 20
"""Bytes of the list of documents that stay in memory before they go into a temporary file."""

OnDamage = Callable[[DamagedSnapshotError], None]


class SnapshotReader:
    """Reads a snapshot from start to end: the file list first, then the files."""

    def __init__(self, source: MemberSource, name: str) -> None:
        self.name = name
        self.source = source
        self._first = [source.next_member(MANIFEST)]
        self.manifest_text = self._first[0].body  # the bytes of the manifest
        self.manifest = parse_manifest(self.manifest_text)
        signature = source.next_member_if_present(SIGNATURE)
        self.signature = None if signature is None else signature.body
        if signature is not None:
            self._first.append(signature)
        self._lines = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by close()

    def close(self) -> None:
        """Delete the temporary copy of the list of files."""
        self._lines.close()

    def iter_manifest_members(self) -> Iterator[SnapshotMember]:
        """Yield the manifest, its signature and its parts.

        The parts, which list the files, are also copied to a temporary file for `iter_manifest_entries`.
        """
        yield from self._first
        for part in self.manifest.parts:
            member = self.source.next_member(part.path)
            if len(member.body) != part.size:
                raise DamagedSnapshotError(
                    f"{part.path} is damaged: it has {len(member.body):,} bytes, and the manifest says {part.size:,}"
                )
            self._lines.write(member.body)
            yield member

    def iter_manifest_entries(self) -> Iterator[Entry]:
        """Yield the path, size and SHA-256 of each file in the manifest.

        They are read from a temporary copy. So read `iter_manifest_members` to its end first.
        """
        self._lines.seek(0)
        sizes = iter([part.size for part in self.manifest.parts])
        return read_entries(self.manifest, lambda _: self._lines.read(next(sizes)))

    def entries(self) -> Iterator[Entry]:
        """Yield the path, size and SHA-256 of each file, without reading it."""
        for _ in self.iter_manifest_members():
            pass
        return self.iter_manifest_entries()

    def documents(self, on_damage: OnDamage | None = None) -> Iterator[tuple[Entry, SnapshotMember]]:
        """Verify each file of the snapshot, and yield it with its entry.

        An entry is the path, size and SHA-256 of a file in the snapshot's manifest.

        Args:
            on_damage: a function to call for each damaged file, after which reading continues if possible;
                None to raise the error.

        Raises:
            DamagedSnapshotError: if the snapshot is damaged.
        """
        for _ in self.iter_manifest_members():
            pass
        yield from self.iter_listed_documents(on_damage)

    def iter_listed_documents(
        self, on_damage: OnDamage | None = None
    ) -> Iterator[tuple[Entry, SnapshotMember]]:
        """Verify each listed file of the snapshot, and yield it.

        Read `iter_manifest_members` to its end first; `documents` does that itself.

        Args:
            on_damage: a function to call for each damaged file, after which reading continues if possible;
                None to raise the error.

        Raises:
            DamagedSnapshotError: if the snapshot is damaged.
        """
        for entry in self.iter_manifest_entries():
            try:
                member = self.source.next_member(entry.path, entry.aliases)
            except DamagedSnapshotError as damaged:
                if on_damage is None or not self.source.allows_more:
                    raise
                on_damage(damaged)
                continue
            try:
                member = self._match_member_to_entry(entry, member)
            except DamagedSnapshotError as damaged:
                if on_damage is None:
                    raise
                on_damage(damaged)
            else:
                yield entry, member
        self._check_snapshot_end(on_damage)

    def _match_member_to_entry(self, entry: Entry, member: SnapshotMember) -> SnapshotMember:
        """Return the version of a file that the manifest lists.

        Raises:
            DamagedSnapshotError: if neither the file nor another stored version has the right SHA-256.
        """
        try:
            require_entry_matches(entry, member.body)
        except DamagedSnapshotError:
            body = self.source.find_version(entry.path, entry.sha256)
            if body is None:
                raise
            return member._replace(body=body)
        return member

    def _check_snapshot_end(self, on_damage: OnDamage | None) -> None:
        try:
            self.source.verify_end(self.iter_manifest_entries)
        except DamagedSnapshotError as damaged:
            if on_damage is None or not self.source.allows_more:
                raise
            on_damage(damaged)


@contextmanager
def read_snapshot(location: str, trusted_snapshot: str | None = None) -> Iterator[SnapshotReader]:
    """Open a snapshot to read it once, from start to end.

    Args:
        location: a snapshot file, a folder, or the URL of either.
        trusted_snapshot: a snapshot whose manifest and signature replace those of `location`, or None.

    Raises:
        PublishingError: if the location has no site, or cannot be reached.
        DamagedSnapshotError: if the location is not a snapshot, or its manifest is not that of
            `trusted_snapshot`.
    """
    with ExitStack() as stack:
        trusted = stack.enter_context(open_site(trusted_snapshot)) if trusted_snapshot else None
        snapshot = stack.enter_context(
            closing(SnapshotReader(_open_members(location, stack, trusted), location))
        )
        if trusted is not None and trusted.read(MANIFEST) != snapshot.manifest_text:
            raise DamagedSnapshotError(
                f"{location} is not the same version of the site as {trusted_snapshot}: their manifests differ",
                "name the snapshot of the same build with --against, or publish it there again",
            )
        yield snapshot


def _open_members(location: str, stack: ExitStack, manifest_site: SiteReader | None) -> MemberSource:
    refuse_tar_zst(location)
    path = Path(location)
    if is_url(location):
        if is_archive_url(location):
            return _open_zip_members(
                stack.enter_context(open_stream(location)), display_location(location), stack
            )
        stored = stack.enter_context(closing(StoredDocuments(UrlSource(location))))
        return SiteMembers(
            _choose_manifest_reader(stored.read, manifest_site), display_location(location), None
        )
    if path.is_dir():
        folder = FolderReader(path)
        stored = stack.enter_context(closing(StoredDocuments(folder)))
        return SiteMembers(_choose_manifest_reader(stored.read, manifest_site), location, folder.paths)
    try:
        return _open_zip_members(stack.enter_context(open_file(path)), location, stack)
    except OSError as error:
        raise PublishingError(
            f"{location} cannot be read: {error.strerror}",
            "name a snapshot or the folder of a site; `statuary build` makes one",
        ) from None


def _choose_manifest_reader(read_path: ReadPath, manifest_site: SiteReader | None) -> ReadPath:
    """Return a reader of one site's manifest and another site's documents.

    Args:
        read_path: reads files of the site with the documents.
        manifest_site: the site whose manifest and signature are read; None to read all from one site.
    """
    return (
        read_path
        if manifest_site is None
        else lambda path: (manifest_site.read if is_manifest_path(path) else read_path)(path)
    )


def _open_zip_members(stream: IO[bytes], name: str, stack: ExitStack) -> MemberSource:
    return ZipMembers(stack.enter_context(ZipStreamReader(stream, name)), name)


def iter_snapshot_documents(snapshot: SnapshotReader, *, with_manifest: bool = True) -> Iterator[Document]:
    """Verify the documents of a snapshot, and yield them.

    Args:
        snapshot: the opened snapshot.
        with_manifest: whether to yield the manifest, its signature and its parts too, so that the target can
            be verified without the snapshot.

    Raises:
        DamagedSnapshotError: if the snapshot is damaged; do not publish the documents yielded so far.
    """
    for member in snapshot.iter_manifest_members():
        if with_manifest:
            yield Document(
                path=member.path,
                body=member.body,
                media_type=media_type_of(member.path),
                cache=cache_control_of(member.path),
            )
    for entry, member in snapshot.iter_listed_documents():
        yield Document(
            path=entry.path,
            body=member.body,
            media_type=entry.media_type,
            cache=cache_control_of(entry.path),
            aliases=entry.aliases,
        )
