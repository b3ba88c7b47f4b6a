"""Read single documents of a site: a snapshot, folder or URL.

If the site has a manifest, every returned byte is checked against it; where a server chooses by the clock,
against the site's own schedule. In the folder of a build, the ledger decides, which lists the host's files
too.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from functools import cached_property, lru_cache, partial
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

import orjson
from typing_extensions import override

from statuary.base.files import MANIFEST, SIGNATURE, PublishingError, is_manifest_path, require_safe_path
from statuary.base.primitives import checksum_address
from statuary.contracts.paths import CONTRACT_PATH, sharded_path
from statuary.extensions.snapshots.manifest_signature import verify_manifest_signature
from statuary.extensions.snapshots.schedule import SiteSchedule
from statuary.extensions.snapshots.streams import FileRanges, UrlRanges, require_entry_matches
from statuary.extensions.snapshots.zip_file import ZipReader
from statuary.extensions.snapshots.zip_format import refuse_tar_zst
from statuary.publish.folder.built_site import is_built_site
from statuary.publish.folder.changed_files import LedgerFolder
from statuary.publish.folder.reader import LARGEST_DOCUMENT, FolderReader
from statuary.publish.listing import (
    DamagedSnapshotError,
    Entry,
    ReadPath,
    check_part,
    parse_entry_line,
)
from statuary.publish.locations import SiteLocation
from statuary.publish.manifest import parse_manifest, read_entries
from statuary.registry import load, providers
from statuary.site.document import ADDRESS
from statuary.system.network.client import (
    NOT_FOUND_STATUSES,
    display_location,
    get,
    is_archive_url,
    is_url,
    url_below,
)

if TYPE_CHECKING:
    from minisign import PublicKey


KEPT_PARTS = 128
"""Parts of a manifest that stay in memory, of some 100 kB each."""


class DocumentSource(Protocol):
    """Reads the files of a site, wherever it is."""

    name: str
    has_manifest: bool  # whether it is a snapshot, which always has a manifest

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file, or None if missing.

        Raises:
            PublishingError: if the file cannot be read.
        """

    def paths(self) -> Iterator[str]:
        """Yield the paths of all files.

        Raises:
            PublishingError: if the files cannot be listed, as on a web server.
        """

    def close(self) -> None:
        """Close open files and connections."""


class DocumentFallback(Protocol):
    """Reads documents that are not separate files, such as packed ones.

    Implementations must be thread-safe.
    """

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a document that an archive contains.

        For example, the extension `packs` stores many documents in one file.

        Returns:
            The bytes, or None if there is no such document.

        Raises:
            PublishingError: if the document cannot be read.
        """

    def paths(self) -> Iterator[str]:
        """Yield the paths of the documents that archives contain.

        Nothing is yielded for a site that cannot be listed, such as one on a web server.
        """

    def clear_cache(self) -> None:
        """Clear cached data, after a new version of the site was published."""

    def close(self) -> None:
        """Close open files and connections."""


class DocumentFallbacks:
    """Reads documents that extensions store in archives."""

    def __init__(self, source: DocumentSource) -> None:
        self._source = source

    @cached_property
    def _fallbacks(self) -> tuple[DocumentFallback, ...]:
        opened = (load(target)(self._source) for target in providers("documents").values())
        return tuple(fallback for fallback in opened if fallback is not None)

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a document that an extension's archive contains.

        For example, the extension `packs` stores many documents in one file.

        Returns:
            The bytes, or None if no extension has the document.

        Raises:
            PublishingError: if the document cannot be read.
        """
        if is_manifest_path(path):
            return None
        return next((body for fallback in self._fallbacks if (body := fallback.read(path)) is not None), None)

    def paths(self) -> Iterator[str]:
        """Yield the paths of the documents in extensions' archives.

        For example, the extension `packs` stores many documents in one file. Nothing is yielded for a site
        that cannot be listed, such as one on a web server.
        """
        for fallback in self._fallbacks:
            yield from fallback.paths()

    def clear_cache(self) -> None:
        """Clear cached data, after a new version of the site was published."""
        for fallback in self.__dict__.get("_fallbacks", ()):
            fallback.clear_cache()

    def close(self) -> None:
        """Close open files and connections."""
        for fallback in self.__dict__.get("_fallbacks", ()):
            fallback.close()


class StoredDocuments:
    """Reads a site's documents from files or an extension's storage."""

    def __init__(self, source: DocumentSource) -> None:
        self.source = source
        self.fallbacks = DocumentFallbacks(source)

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a document, from a file or an archive.

        Returns:
            The bytes, or None if the document does not exist.

        Raises:
            PublishingError: if the document cannot be read.
        """
        body = self.source.read(path)
        return self.fallbacks.read(path) if body is None else body

    def paths(self) -> Iterator[str]:
        """Yield the paths of all documents.

        Raises:
            PublishingError: if the site cannot be listed, as on a web server.
        """
        yield from self.source.paths()
        yield from self.fallbacks.paths()

    def close(self) -> None:
        """Close open files and connections."""
        self.fallbacks.close()
        self.source.close()


def list_missing_file_statuses(path: str) -> Collection[int]:
    """List the HTTP statuses that mean that a file does not exist.

    Object stores may send 403 for a missing file, so 403 is included. It is not included for the manifest,
    which is requested first: there, 403 means that the site may not be read at all.

    Args:
        path: the path of the requested file.
    """
    return NOT_FOUND_STATUSES if path == MANIFEST else NOT_FOUND_STATUSES | {HTTPStatus.FORBIDDEN}


class UrlSource:
    """Reads the files of a site over HTTP."""

    has_manifest = False

    def __init__(self, base_url: str) -> None:
        self.name = display_location(base_url)
        self._base = base_url

    def close(self) -> None:
        """Do nothing, because no connection is kept open."""

    def read(self, path: str) -> bytes | None:
        """Fetch a file, or return None if the file does not exist.

        Raises:
            UnreachableError: if the server does not respond, or responds with an error.
        """
        try:
            require_safe_path(path)
        except PublishingError:
            return None
        return get(self.file_url(path), LARGEST_DOCUMENT, not_found_statuses=list_missing_file_statuses(path))

    def file_url(self, path: str) -> str:
        """Return the URL of a file, which may contain secrets.

        In messages, show `name` instead.
        """
        return url_below(self._base, path)

    def paths(self) -> Iterator[str]:
        """Raise an error, because a web server does not list its files.

        Raises:
            PublishingError: always.
        """
        raise PublishingError(
            f"{self.name} cannot be listed: it has no {MANIFEST}",
            "build the site with this version of statuary, which writes one",
        )


class ManifestIndex:
    """Finds files in a manifest (file list), whose parts are read on demand."""

    def __init__(self, text: bytes, read_path: ReadPath) -> None:
        self.text = text
        self.manifest = parse_manifest(text)
        self.part = lru_cache(KEPT_PARTS)(self._read_part_lines)
        self._read_document_file = read_path
        self._firsts = [part.first for part in self.manifest.parts]

    def _read_part_lines(self, part_number: int) -> list[bytes]:
        part = self.manifest.parts[part_number]
        return check_part(self._read_document_file(part.path), part).splitlines(keepends=True)

    def find(self, path: str) -> Entry | None:
        """Find a file in the site's manifest, the list of its files.

        Args:
            path: the path of the file, or one of its other names.

        Returns:
            The path, size and SHA-256 of the file, or None if the manifest does not list it.

        Raises:
            DamagedSnapshotError: if the part of the manifest that lists the file is missing or damaged.
        """
        for name in iter_possible_paths(path):
            entry = self._find_entry_of_path(name)
            if entry is not None and path in entry.names:
                return entry
        return None

    def _find_entry_of_path(self, name: str) -> Entry | None:
        number = bisect_right(self._firsts, name) - 1
        if number < 0:
            return None
        lines = self.part(number)
        line = bisect_left(lines, name, key=_read_path_of_line)
        return (
            parse_entry_line(lines[line])
            if line < len(lines) and _read_path_of_line(lines[line]) == name
            else None
        )

    def entries(self) -> Iterator[Entry]:
        """Yield the path, size and SHA-256 of each file of the site.

        Raises:
            DamagedSnapshotError: if a part of the manifest is missing or damaged.
        """
        return read_entries(self.manifest, self._read_document_file)

    def paths(self) -> Iterator[str]:
        """Yield the path and the other names of each listed file.

        For example, a contract's file has a second name with the address in lower case.

        Raises:
            DamagedSnapshotError: if a part of the manifest is missing or damaged.
        """
        for entry in self.entries():
            yield from entry.names


def _read_path_of_line(manifest_line: bytes) -> str:
    """Return the path in a manifest's line, without parsing the rest."""
    try:
        return str(orjson.loads(manifest_line)["path"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise DamagedSnapshotError(
            f"the manifest is damaged: it has the line {manifest_line[:100]!r}"
        ) from None


class SiteReader:
    """Reads documents of a published site, verified against its manifest."""

    def __init__(
        self,
        source: DocumentSource,
        index: ManifestIndex | None,
        schedule: SiteSchedule | None = None,
        read_index: Callable[[], ManifestIndex | None] | None = None,
    ) -> None:
        """Prepare to read a site.

        Args:
            source: reads the files of the site.
            index: the manifest; None if the site has none.
            schedule: the scheduled versions of documents, for a server that already sends a later version.
            read_index: reads the manifest again; None if the site cannot be published again meanwhile.
        """
        self.source = source
        self._stored = StoredDocuments(source)
        self._schedule, self._read_index = schedule, read_index
        self.index = (
            index  # the site's manifest; None for a folder or URL without one, whose bytes are not checked
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close open files and connections."""
        self._stored.close()

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a document, or None if missing.

        Args:
            path: the path of the document. The address of a contract may be in lower case, and its folder with or
                without the subfolders by address that some hosts need.

        Raises:
            DamagedSnapshotError: if the file is missing although the manifest lists it, or differs from the
                manifest.
            PublishingError: if the site cannot be read.
        """
        if is_manifest_path(path):
            return self.source.read(path) if self.index is None or path != MANIFEST else self.index.text
        names = (path, *(iter_possible_paths(path) if CONTRACT_PATH.fullmatch(path) else ()))
        places = dict.fromkeys(place for name in names for place in (name, sharded_path(name)))
        return next((body for place in places if (body := self._read_document_file(place)) is not None), None)

    def _read_document_file(self, path: str) -> bytes | None:
        if self.index is None:
            return self._stored.read(path)
        try:
            return self._read_listed_document(path, self.index)
        except DamagedSnapshotError:
            index = None if self._read_index is None else self._read_index()
            if index is None or index.text == self.index.text:
                raise
            self.index = index  # the site was published again
            self._stored.fallbacks.clear_cache()
            return self._read_listed_document(path, index)

    def _read_listed_document(self, path: str, index: ManifestIndex) -> bytes | None:
        entry = index.find(path)
        if entry is None:
            return None
        body = self._stored.read(entry.path)
        if body is None:
            raise DamagedSnapshotError(f"{entry.path} is missing in {self.source.name}")
        try:
            require_entry_matches(entry, body)
        except DamagedSnapshotError:
            if self._schedule is None or body not in self._schedule.iter_scheduled_versions(entry.path):
                raise
        return body

    def paths(self) -> Iterator[str]:
        """Yield the paths of all documents, and their other names.

        For example, a contract's document has a second name with the address in lower case.

        Raises:
            PublishingError: if the site cannot be listed, as a URL without a manifest.
        """
        return self._stored.paths() if self.index is None else self.index.paths()


def open_site(
    location: str | Path, public_key: "PublicKey | None" = None, *, as_served: bool = False
) -> SiteReader:
    """Open a published site to read its documents.

    Args:
        location: a snapshot, a folder with a site, or the http(s) URL of either.
        public_key: the key that must have signed the manifest; None to accept any site.
        as_served: whether to read a folder like a web server, which also serves files that were changed after
            the build.

    Raises:
        DamagedSnapshotError: if the manifest is damaged, or not signed with the key.
        PublishingError: if there is no site, or the location is a .tar.zst file.
        UnreachableError: if the server does not respond.
    """
    source = open_unverified_source(location)
    if isinstance(source, FolderReader) and not as_served:
        source = _open_checked_folder(source, trusts_ledger=public_key is None)
    try:
        index = _read_manifest_index(source, public_key)
        if not isinstance(source, UrlSource):
            return SiteReader(source, index)
        return SiteReader(
            source, index, SiteSchedule(source.read), partial(_read_manifest_index, source, public_key)
        )
    except BaseException:
        source.close()
        raise


def _open_checked_folder(folder: FolderReader, *, trusts_ledger: bool) -> FolderReader:
    """Return a reader that compares a built folder with its ledger.

    The ledger is the build's database of files. Without a build, or if the ledger is not trusted, the reader
    only compares the files with the manifest.

    Raises:
        DamagedSnapshotError: if the manifest differs from the ledger, so the files listed in it cannot be trusted.
    """
    checked = LedgerFolder(folder.root)
    if trusts_ledger and is_built_site(folder.root):
        return checked
    with closing(checked):
        checked.read(MANIFEST)
    return folder


def open_unverified_source(location: str | Path) -> DocumentSource:
    """Open a site to read its files without verifying them.

    Args:
        location: a snapshot, a folder with a site, or the http(s) URL of either.

    Raises:
        PublishingError: if there is no site, or the location is a .tar.zst file.
        UnreachableError: if the server does not respond.
    """
    text = str(location)
    refuse_tar_zst(text)
    if is_url(text):
        return ZipReader(UrlRanges(text)) if is_archive_url(text) else UrlSource(text)
    path = Path(location)
    return FolderReader(path) if path.is_dir() else ZipReader(FileRanges(path))


class ReadOnlyLocation(SiteLocation):
    """A snapshot or URL, which cannot be written to."""

    def __init__(self, location: str) -> None:
        """Open the snapshot or URL `location`.

        Raises:
            PublishingError: if there is no site, or the location is a .tar.zst file.
            UnreachableError: if the server does not respond.
        """
        self.name = location
        self.source = open_unverified_source(location)

    @override
    def read(self, path: str) -> bytes | None:
        return self.source.read(path)

    @override
    def close(self) -> None:
        self.source.close()


def _read_manifest_index(source: DocumentSource, public_key: "PublicKey | None") -> ManifestIndex | None:
    if public_key is None and isinstance(source, FolderReader) and is_built_site(source.root):
        return None
    text = source.read(MANIFEST)
    if public_key is not None:
        verify_manifest_signature(source.name, text, source.read(SIGNATURE), public_key)
    if text is not None:
        return ManifestIndex(text, source.read)
    if source.has_manifest:
        raise DamagedSnapshotError(f"{source.name} is not a snapshot: it has no {MANIFEST}")
    return None


def iter_possible_paths(requested_path: str) -> Iterator[str]:
    """Yield the paths at which a requested document may be stored.

    For example, a contract's document is stored under the checksummed address. So this path comes first if
    the request has the address in lower case.

    Args:
        requested_path: the path that a reader requests.
    """
    address = ADDRESS.search(requested_path)
    if address is not None and address[0].islower():
        yield requested_path.replace(address[0], checksum_address(address[0]), 1)
    yield requested_path
