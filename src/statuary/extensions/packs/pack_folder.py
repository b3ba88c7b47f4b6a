"""A folder of packs and their list.

`statuary pack update` and `merge` write it; it is read from a folder or URL.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from heapq import merge
from operator import attrgetter
from pathlib import Path
from secrets import token_hex

from statuary.base.files import PublishingError
from statuary.base.primitives import checksum_address
from statuary.extensions.packs.limits import MAX_LIST
from statuary.extensions.packs.pack_format import PackedDocument, Totals, make_pack_key
from statuary.extensions.packs.pack_list import (
    FOLDER,
    LIST,
    ListedPack,
    PackList,
    PackListReader,
    encode_pack_list,
    iter_newest_documents,
    make_list_entry,
    make_pack_name,
    open_listed_pack,
    parse_pack_list,
    write_changes,
)
from statuary.extensions.packs.pack_reader import PackReader, PackVerification, verify_pack
from statuary.extensions.packs.pack_sources import KeyTable
from statuary.extensions.packs.pack_writer import WrittenPack, write_pack
from statuary.extensions.snapshots.streams import ByteRanges, FileRanges, UrlRanges
from statuary.publish.listing import DamagedSnapshotError
from statuary.site.document import ADDRESS
from statuary.system.files import read_start
from statuary.system.network.client import get, is_url, url_below
from statuary.system.writing import atomic_file


class PackFolder:
    """The packs of a site, in a folder or at a URL."""

    def __init__(self, location: str) -> None:
        self.location = location
        self.root = None if is_url(location) else Path(location)

    def packs(self) -> PackList | None:
        """Read the site's list of packs (archives of many documents), if any.

        Returns:
            The list, or None if the site has none.

        Raises:
            DamagedSnapshotError: if the list is malformed.
            PublishingError: if the list cannot be read.
        """
        url, root = url_below(self.location, LIST), self.root
        text = get(url, MAX_LIST) if root is None else _read_file_if_exists(root / LIST)
        return None if text is None else parse_pack_list(text, f"{self.location}/{LIST}")

    def require_pack_list(self) -> PackList:
        """Read the list of packs, or raise an error without one.

        A pack is an archive of many documents of the site.

        Raises:
            DamagedSnapshotError: if the list is malformed.
            PublishingError: if the site has no list, or it cannot be read.
        """
        packs = self.packs()
        if packs is None:
            raise PublishingError(
                f"{self.location} has no {LIST}", "write `packs: true` in site.yaml, and build the site"
            )
        return packs

    def open_ranges(self, pack: ListedPack) -> ByteRanges:
        """Open a pack to read ranges of its bytes.

        Raises:
            PublishingError: if the pack cannot be read.
        """
        if self.root is None:
            return UrlRanges(url_below(self.location, f"{FOLDER}/{pack.path}"))
        return FileRanges(self.root / FOLDER / pack.path)

    def reader(self) -> PackListReader:
        """Open all packs of the site, to find documents in them."""
        return PackListReader(self.require_pack_list(), self.open_ranges)

    def verify(self) -> Iterator[tuple[ListedPack, PackVerification]]:
        """Verify every pack of the site against the list of packs.

        Yields:
            The pack as listed, and the result.
        """
        for pack in self.require_pack_list():
            if self.root is not None and not (self.root / FOLDER / pack.path).exists():
                yield pack, PackVerification(Totals(), 0, 0, "", (f"{pack.path} is missing",))
                continue
            try:
                with open_listed_pack(pack, self.open_ranges) as reader:
                    verification = verify_pack(reader)
            except DamagedSnapshotError as damaged:
                yield pack, PackVerification(pack.totals, 0, 0, "", (str(damaged),))
                continue
            if verification.sha256 != pack.sha256:
                problem = f"{pack.path} is damaged: its SHA-256 differs from the one in the list of packs"
                verification = verification._replace(problems=(*verification.problems, problem))
            yield pack, verification


class WritablePackFolder(PackFolder):
    """The packs in a folder on this machine."""

    def __init__(self, folder: Path, workers: int | None = None) -> None:
        super().__init__(str(folder))
        self.folder = folder / FOLDER
        self.workers = workers

    def update(self, table: KeyTable, keys_to_remove: Iterable[str]) -> PackList:
        """Add and remove documents by writing a small new pack.

        Args:
            table: the documents to add, in a temporary database.
            keys_to_remove: the documents to remove: their paths, with addresses in lower case.

        Returns:
            The new list of packs.

        Raises:
            DamagedSnapshotError: if an existing pack that must be merged is damaged.
            PublishingError: if a document is both added and removed, or a file cannot be written.
        """
        previous_packs = self.packs()
        removed_documents = [PackedDocument(key, None) for key in sorted(set(keys_to_remove))]
        changes = _skip_repeated_keys(merge(table.documents(), removed_documents, key=attrgetter("key")))
        count = table.count + len(removed_documents)
        if previous_packs:
            packs = (
                write_changes(previous_packs, changes, count, self.open_ranges, self.put)
                if count
                else previous_packs
            )
        else:
            packs = tuple(
                make_list_entry(pack, 0) for pack in self.put(table.documents(), table.dictionary())
            )
        self.save(packs)
        return packs

    def merge(self) -> PackList:
        """Merge all packs into one, without removed documents and old versions.

        Returns:
            The new list of packs.
        """
        previous_packs = self.require_pack_list()
        if len({pack.run for pack in previous_packs}) > 1:
            with open_listed_pack(previous_packs[0], self.open_ranges) as base:
                dictionary = base.codec.dictionary()
            documents = iter_newest_documents(previous_packs, self.open_ranges, with_removals=False)
            self.save(tuple(make_list_entry(pack, 0) for pack in self.put(documents, dictionary)))
        return self.require_pack_list()

    def put(self, documents: Iterable[PackedDocument], dictionary: bytes) -> Iterator[WrittenPack]:
        """Write documents to a new pack, named after its SHA-256.

        If there are no documents, nothing is written.

        Args:
            documents: the documents, sorted by key.
            dictionary: the compression dictionary.

        Yields:
            The written pack.
        """
        file = self.folder / f".{token_hex(8)}.pack"
        try:
            written_pack = write_pack(file, documents, dictionary, self.workers)
            if written_pack.totals.first:
                place = self.folder / make_pack_name(written_pack.sha256)
                place.parent.mkdir(exist_ok=True)
                file.replace(place)
                yield written_pack
        finally:
            with suppress(OSError):
                file.unlink()

    def save(self, packs: PackList) -> None:
        """Write the list of packs, and delete packs that are not listed."""
        previous_packs = self.packs() or ()
        with atomic_file(self.folder / Path(LIST).name) as stream:
            stream.write(encode_pack_list(packs))
        for name in {pack.path for pack in previous_packs} - {pack.path for pack in packs}:
            with suppress(OSError):
                (self.folder / name).unlink()


class PackedSource:
    """Reads documents from a single pack as from a site."""

    has_manifest = False

    def __init__(self, location: str) -> None:
        """Open a pack, given its file name or URL.

        Raises:
            PublishingError: if the pack cannot be read.
            DamagedSnapshotError: if the file is not a pack.
        """
        self.name = location
        self.pack = PackReader(UrlRanges(location) if is_url(location) else FileRanges(Path(location)))

    def read(self, path: str) -> bytes | None:
        """Return a document from the pack.

        Returns:
            The bytes, or None if the pack does not contain the document.

        Raises:
            DamagedSnapshotError: if the pack is damaged.
        """
        try:
            key = make_pack_key(path)
        except DamagedSnapshotError:  # no document has such a path
            return None
        document = self.pack.find(key)
        return None if document is None else document.body

    def paths(self) -> Iterator[str]:
        """Read the whole pack, and yield the paths of its documents."""
        for key, body in self.pack.documents():
            if body is not None:
                yield ADDRESS.sub(lambda address: checksum_address(address[0]), key, count=1)

    def close(self) -> None:
        """Close the file or the connection."""
        self.pack.close()


def _skip_repeated_keys(sorted_documents: Iterable[PackedDocument]) -> Iterator[PackedDocument]:
    last_key = ""
    for document in sorted_documents:
        if document.key == last_key:
            raise PublishingError(
                f"{last_key} is in a file of --from and in the file of --remove",
                "delete it from one of the two files",
            )
        last_key = document.key
        yield document


def _read_file_if_exists(file: Path) -> bytes | None:
    try:
        return read_start(file, MAX_LIST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise PublishingError(f"{file} cannot be read: {error.strerror}") from None
