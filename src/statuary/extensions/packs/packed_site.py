"""Read a site whose records and proofs are only in packs."""

from collections.abc import Iterator
from threading import Lock
from time import monotonic

from statuary.base.files import PublishingError
from statuary.base.primitives import checksum_address
from statuary.contracts.paths import CONTRACT_PATH, plain_path, sharded_path
from statuary.extensions.packs.pack_format import make_pack_key
from statuary.extensions.packs.pack_list import (
    FOLDER,
    LIST,
    ListedPack,
    PackListReader,
    iter_newest_documents,
    parse_pack_list,
)
from statuary.extensions.snapshots.site_reader import DocumentSource, UrlSource
from statuary.extensions.snapshots.streams import ByteRanges, FileRanges, UrlRanges
from statuary.publish.folder.built_site import is_built_site
from statuary.publish.folder.reader import FolderReader
from statuary.site.document import ADDRESS

LIST_SECONDS = 5.0
"""Seconds for which the list of a site behind a URL is not read again."""


class PackedDocuments:
    """Reads records and proofs from packs in a folder or URL."""

    def __init__(self, source: FolderReader | UrlSource) -> None:
        self.source = source
        self._lock = Lock()
        self._text: bytes | None = None
        self._reader: PackListReader | None = None
        self._renewed = -LIST_SECONDS

    def read(self, path: str) -> bytes | None:
        """Read a record or proof from the site's packs.

        Args:
            path: the path of the document, with or without the subfolders by address that some hosts need.

        Returns:
            The bytes, or None if no pack has the document.

        Raises:
            DamagedSnapshotError: if the list or a pack is damaged.
            MissingExtraError: if no Zstandard library is installed.
            PublishingError: if the list or a pack cannot be read.
        """
        place = CONTRACT_PATH.fullmatch(plain_path(path))
        if place is None:
            return None
        address = place["address"]
        if not address.islower() and address != checksum_address(address):
            return None
        key = make_pack_key(place[0])
        with self._lock:
            reader = self._read_current_packs()
            try:
                return None if reader is None else reader.find(key)
            except PublishingError:  # published again: a pack that the list named is gone
                self._renewed = -LIST_SECONDS
                newer = self._read_current_packs()
                if newer is None or newer is reader:
                    raise
                return newer.find(key)

    def clear_cache(self) -> None:
        """Fetch the list of packs again at the next read.

        Call this method after the site was published anew.
        """
        with self._lock:
            self._renewed = -LIST_SECONDS

    def paths(self) -> Iterator[str]:
        """Yield the paths of documents in packs that are not also files.

        All packs are read for this. So nothing is yielded for a site at a URL, from which they would be downloaded.
        """
        with self._lock:
            reader = self._read_current_packs()
        if reader is None or not isinstance(self.source, FolderReader):
            return
        for document in iter_newest_documents(reader.packs, self._open_pack, with_removals=False):
            path = ADDRESS.sub(lambda address: checksum_address(address[0]), document.key, count=1)
            if not any((self.source.root / name).is_file() for name in (path, sharded_path(path))):
                yield path

    def close(self) -> None:
        """Close all packs."""
        with self._lock:
            self._switch_to_list(None)

    def _read_current_packs(self) -> PackListReader | None:
        """Return a reader of the packs that the site's list names now.

        Returns:
            The reader, or None if the site has no packs.
        """
        is_remote = isinstance(self.source, UrlSource)
        if not is_remote or monotonic() - self._renewed >= LIST_SECONDS:
            self._switch_to_list(self.source.read(LIST))
            self._renewed = monotonic()
        return self._reader

    def _switch_to_list(self, new_list: bytes | None) -> None:
        if new_list == self._text:
            return
        if self._reader is not None:
            self._reader.close()
        self._text = self._reader = None
        if new_list is not None:
            packs = parse_pack_list(new_list, f"{self.source.name}/{LIST}")
            self._text = new_list
            self._reader = PackListReader(packs, self._open_pack)

    def _open_pack(self, pack: ListedPack) -> ByteRanges:
        path = f"{FOLDER}/{pack.path}"
        if isinstance(self.source, UrlSource):
            return UrlRanges(self.source.file_url(path))
        return FileRanges(self.source.root / path)


def open_packed_documents(source: DocumentSource) -> PackedDocuments | None:
    """Open a site's packs, to read documents that exist only there.

    Packs are archives of many documents. Snapshots and folders of builds have every document as a file too.

    Returns:
        The reader, or None for a snapshot or the folder of a build.
    """
    if isinstance(source, FolderReader):
        return None if is_built_site(source.root) else PackedDocuments(source)
    return PackedDocuments(source) if isinstance(source, UrlSource) else None
