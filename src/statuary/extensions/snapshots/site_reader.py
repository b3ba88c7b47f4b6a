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

from statuary.base.files import MANIFEST, SIGNATURE, PublishingError, checked_path, is_snapshot_path
from statuary.base.primitives import checksum_address
from statuary.contracts.paths import CONTRACT_PATH, sharded_path
from statuary.extensions.snapshots.manifest_signature import verify_manifest_signature
from statuary.extensions.snapshots.schedule import SiteSchedule
from statuary.extensions.snapshots.streams import FileRanges, UrlRanges, check_body
from statuary.extensions.snapshots.zip_file import ZipReader
from statuary.extensions.snapshots.zip_format import refuse_tar_zst
from statuary.publish.folder.built_site import is_built
from statuary.publish.folder.changed_files import LedgerFolder
from statuary.publish.folder.reader import LARGEST_DOCUMENT, FolderReader
from statuary.publish.listing import (
    DamagedSnapshotError,
    Entry,
    ReadPath,
    check_part,
    parse_entry,
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
        """Return the bytes of a file, or None.

        Raises:
            PublishingError: if they cannot be read.
        """

    def paths(self) -> Iterator[str]:
        """Yield the paths of all files.

        If the site cannot be listed, it raises PublishingError.
        """

    def close(self) -> None:
        """Release what is open."""


class DocumentFallback(Protocol):
    """Reads documents without files of their own, as in packs.

    It is thread-safe.
    """

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a document, or None.

        Raises:
            PublishingError: if they cannot be read.
        """

    def paths(self) -> Iterator[str]:
        """Yield the paths of these documents, if the site can be listed."""

    def renew(self) -> None:
        """Clear the cache after a publication."""

    def close(self) -> None:
        """Release resources."""


class DocumentFallbacks:
    """Reads documents that extensions store in other ways than files."""

    def __init__(self, source: DocumentSource) -> None:
        """Prepare to open files as they are needed."""
        self._source = source

    @cached_property
    def _fallbacks(self) -> tuple[DocumentFallback, ...]:
        opened = (load(target)(self._source) for target in providers("documents").values())
        return tuple(fallback for fallback in opened if fallback is not None)

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a document, or None.

        Raises:
            PublishingError: if they cannot be read.
        """
        if is_snapshot_path(path):
            return None
        return next((body for fallback in self._fallbacks if (body := fallback.read(path)) is not None), None)

    def paths(self) -> Iterator[str]:
        """Yield the paths of these documents, if the site can be listed."""
        for fallback in self._fallbacks:
            yield from fallback.paths()

    def renew(self) -> None:
        """Clear the caches after a publication."""
        for fallback in self.__dict__.get("_fallbacks", ()):
            fallback.renew()

    def close(self) -> None:
        """Release resources."""
        for fallback in self.__dict__.get("_fallbacks", ()):
            fallback.close()


class StoredDocuments:
    """Reads a site's documents from files, or as extensions store them."""

    def __init__(self, source: DocumentSource) -> None:
        self.source = source
        self.fallbacks = DocumentFallbacks(source)

    def read(self, path: str) -> bytes | None:
        """Return the bytes stored under a path, or None.

        Raises:
            PublishingError: if they cannot be read.
        """
        body = self.source.read(path)
        return self.fallbacks.read(path) if body is None else body

    def paths(self) -> Iterator[str]:
        """Yield the paths of all documents.

        If the site cannot be listed, it raises PublishingError.
        """
        yield from self.source.paths()
        yield from self.fallbacks.paths()

    def close(self) -> None:
        """Release resources."""
        self.fallbacks.close()
        self.source.close()


def not_found_statuses(path: str) -> Collection[int]:
    """Return the HTTP statuses that mean that a file does not exist.

    An object store answers 403 for a missing file if you may not list it. For the manifest, which is asked
    first, a 403 means that you may not read the site at all.
    """
    return NOT_FOUND_STATUSES if path == MANIFEST else NOT_FOUND_STATUSES | {HTTPStatus.FORBIDDEN}


class UrlSource:
    """Reads a site over HTTP."""

    has_manifest = False

    def __init__(self, base: str) -> None:
        self.name = display_location(base)
        self._base = base

    def close(self) -> None:
        """Do nothing: no connection is kept."""

    def read(self, path: str) -> bytes | None:
        """Fetch a file, or return None if it does not exist.

        Raises:
            UnreachableError: if the server cannot be reached or responds with an error.
        """
        try:
            checked_path(path)
        except PublishingError:
            return None
        return get(self.url_of(path), LARGEST_DOCUMENT, not_found_statuses=not_found_statuses(path))

    def url_of(self, path: str) -> str:
        """Return the URL of a file.

        Messages should use `name` instead, because a URL may contain secrets.
        """
        return url_below(self._base, path)

    def paths(self) -> Iterator[str]:
        """Raise an error: a web server does not list its files."""
        raise PublishingError(
            f"{self.name} cannot be listed: it has no {MANIFEST}",
            "build the site with this version of statuary, which writes one",
        )


class ManifestIndex:
    """Looks up files in a manifest, reading its parts on demand."""

    def __init__(self, text: bytes, read_path: ReadPath) -> None:
        self.text = text
        self.manifest = parse_manifest(text)
        self.part = lru_cache(KEPT_PARTS)(self._read_part)
        self._read = read_path
        self._firsts = [part.first for part in self.manifest.parts]

    def _read_part(self, number: int) -> list[bytes]:
        part = self.manifest.parts[number]
        return check_part(self._read(part.path), part).splitlines(keepends=True)

    def find(self, path: str) -> Entry | None:
        """Return the manifest's entry for a file, by any of its names.

        Raises:
            DamagedSnapshotError: if the part that lists it is missing or damaged.
        """
        for name in stored_names(path):
            entry = self._find_stored(name)
            if entry is not None and path in entry.names:
                return entry
        return None

    def _find_stored(self, name: str) -> Entry | None:
        number = bisect_right(self._firsts, name) - 1
        if number < 0:
            return None
        lines = self.part(number)
        line = bisect_left(lines, name, key=_path_of)
        return parse_entry(lines[line]) if line < len(lines) and _path_of(lines[line]) == name else None

    def entries(self) -> Iterator[Entry]:
        """Yield the entries of all files.

        If a part is missing or damaged, it raises DamagedSnapshotError.
        """
        return read_entries(self.manifest, self._read)

    def paths(self) -> Iterator[str]:
        """Yield all names of all files.

        Raises:
            DamagedSnapshotError: if a part is missing or damaged.
        """
        for entry in self.entries():
            yield from entry.names


def _path_of(line: bytes) -> str:
    """Return the path of a manifest's line without parsing it all."""
    try:
        return str(orjson.loads(line)["path"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise DamagedSnapshotError(f"the manifest is damaged: it has the line {line[:100]!r}") from None


class SiteReader:
    """Reads the documents of a published site."""

    def __init__(
        self,
        source: DocumentSource,
        index: ManifestIndex | None,
        schedule: SiteSchedule | None = None,
        read_index: Callable[[], ManifestIndex | None] | None = None,
    ) -> None:
        """Prepare a reader.

        Args:
            schedule: the versions of documents at other instants, if a server may answer by its clock.
            read_index: reads the manifest again; None if the site is not published again meanwhile.
        """
        self.source = source
        self._stored = StoredDocuments(source)
        self._schedule, self._read_index = schedule, read_index
        self.index = index  # its manifest; None for a folder or URL without one, whose bytes are not checked

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release resources."""
        self._stored.close()

    def read(self, path: str) -> bytes | None:
        """Return a document by any of its names.

        A contract's document is also found by the lower-case address, and in either layout.

        Returns:
            The bytes, or None if the site has none.

        Raises:
            DamagedSnapshotError: if they are missing, or differ from the manifest.
            PublishingError: if the site cannot be read.
        """
        if is_snapshot_path(path):
            return self.source.read(path) if self.index is None or path != MANIFEST else self.index.text
        names = (path, *(stored_names(path) if CONTRACT_PATH.fullmatch(path) else ()))
        places = dict.fromkeys(place for name in names for place in (name, sharded_path(name)))
        return next((body for place in places if (body := self._read(place)) is not None), None)

    def _read(self, path: str) -> bytes | None:
        if self.index is None:
            return self._stored.read(path)
        try:
            return self._checked(path, self.index)
        except DamagedSnapshotError:
            index = None if self._read_index is None else self._read_index()
            if index is None or index.text == self.index.text:
                raise
            self.index = index  # the site was published again
            self._stored.fallbacks.renew()
            return self._checked(path, index)

    def _checked(self, path: str, index: ManifestIndex) -> bytes | None:
        entry = index.find(path)
        if entry is None:
            return None
        body = self._stored.read(entry.path)
        if body is None:
            raise DamagedSnapshotError(f"{entry.path} is missing in {self.source.name}")
        try:
            check_body(entry, body)
        except DamagedSnapshotError:
            if self._schedule is None or body not in self._schedule.versions(entry.path):
                raise
        return body

    def paths(self) -> Iterator[str]:
        """Yield all names of all documents.

        Raises:
            PublishingError: if the site cannot be listed: a URL without a manifest.
        """
        return self._stored.paths() if self.index is None else self.index.paths()


def open_site(
    location: str | Path, public_key: "PublicKey | None" = None, *, as_served: bool = False
) -> SiteReader:
    """Open a site to read documents from it.

    Args:
        location: a snapshot, a folder with a site, or the http(s) URL of either.
        public_key: the required key of the manifest's signature.
        as_served: whether to read the folder of a build as a web server does: every file, as it is now.

    Raises:
        DamagedSnapshotError: if the manifest is damaged, or not signed with the key.
        PublishingError: if there is no site, or it is a .tar.zst.
        UnreachableError: if its server cannot be reached.
    """
    source = open_source(location)
    if isinstance(source, FolderReader) and not as_served:
        source = _checked_folder(source, trusts_ledger=public_key is None)
    try:
        index = _index(source, public_key)
        if not isinstance(source, UrlSource):
            return SiteReader(source, index)
        return SiteReader(source, index, SiteSchedule(source.read), partial(_index, source, public_key))
    except BaseException:
        source.close()
        raise


def _checked_folder(folder: FolderReader, *, trusts_ledger: bool) -> FolderReader:
    """Return a reader that compares a built folder with its ledger.

    For a folder without a build, or if the ledger is not trusted, only the manifest is compared.

    Raises:
        DamagedSnapshotError: if the manifest is not the one that was written: it would vouch for any file.
    """
    checked = LedgerFolder(folder.root)
    if trusts_ledger and is_built(folder.root):
        return checked
    with closing(checked):
        checked.read(MANIFEST)
    return folder


def open_source(location: str | Path) -> DocumentSource:
    """Open a site without verifying what is read.

    It raises PublishingError as `open_site` does.
    """
    text = str(location)
    refuse_tar_zst(text)
    if is_url(text):
        return ZipReader(UrlRanges(text)) if is_archive_url(text) else UrlSource(text)
    path = Path(location)
    return FolderReader(path) if path.is_dir() else ZipReader(FileRanges(path))


class ReadOnlyLocation(SiteLocation):
    """A snapshot or URL, which cannot be written to."""

    def __init__(self, name: str) -> None:
        """Open it; raise PublishingError as `open_site` does."""
        self.name = name
        self.source = open_source(name)

    @override
    def read(self, path: str) -> bytes | None:
        return self.source.read(path)

    @override
    def close(self) -> None:
        self.source.close()


def _index(source: DocumentSource, public_key: "PublicKey | None") -> ManifestIndex | None:
    if public_key is None and isinstance(source, FolderReader) and is_built(source.root):
        return None
    text = source.read(MANIFEST)
    if public_key is not None:
        verify_manifest_signature(source.name, text, source.read(SIGNATURE), public_key)
    if text is not None:
        return ManifestIndex(text, source.read)
    if source.has_manifest:
        raise DamagedSnapshotError(f"{source.name} is not a snapshot: it has no {MANIFEST}")
    return None


def stored_names(path: str) -> Iterator[str]:
    """Yield the file names under which a document may be stored."""
    address = ADDRESS.search(path)
    if address is not None and address[0].islower():
        yield path.replace(address[0], checksum_address(address[0]), 1)
    yield path
