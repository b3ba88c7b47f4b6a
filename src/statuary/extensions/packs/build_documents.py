"""The documents of a build that go into packs, sorted by key.

Workers read them in ranges, from the tables of the build. So the building process lists none of them. If
published packs are merged, a table also has their documents, each with the pack from which to read it.
"""

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from hashlib import sha256
from heapq import merge
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple, Self

from statuary.base.files import PublishingError, transaction
from statuary.contracts.paths import SHARDS, plain_path, sharded_path
from statuary.extensions.packs.pack_format import PackedDocument, make_pack_key
from statuary.extensions.packs.pack_list import FOLDER, ListedPack, open_listed_pack
from statuary.extensions.packs.pack_reader import PackReader
from statuary.extensions.packs.pack_sources import is_packable
from statuary.extensions.snapshots.streams import FileRanges
from statuary.publish.folder.site_folder import BODIES, SITE, STAGED
from statuary.publish.ledger.ranges import BuildTables
from statuary.system.databases import open_database
from statuary.system.files import MAX_FILE, OpenFolder, read_descriptor
from statuary.system.writing import sync_file

RANGE_SAMPLE = bytes([0, 32])
"""The ends of ranges: documents whose digest is less than this, one of 2,048."""

READ_TOGETHER = 32
"""Documents that a worker asks the disk for at the same time: if the system no longer caches them, it waits a
quarter as long for them (`tests/benchmarks/packs_of_many.py --cold`)."""

FAMILIES = sorted((plain, sharded.prefix) for plain, sharded in SHARDS.items())
"""The two folders of each family of documents: in the plain layout, and in that of shards."""


PACK_SUFFIX = ".pack"

PLAIN_PATH = re.compile(rf"(?:{'|'.join(SHARDS)})[0-9a-z-]+/0x[0-9a-fA-F]{{40}}(?:\.json)?")
"""Paths whose key is the path in lower case, as most are: checking others takes ten times as long."""


class BuildDocument(NamedTuple):
    """A document of a site, and where to read it."""

    key: str
    path: str
    size: int
    digest: bytes | None  # SHA-256 of the document; None if it is removed
    place: str  # the build's actions on its file, or the path of the published pack that has the document

    @property
    def is_staged(self) -> bool:
        """Whether this build has written the document to a file."""
        return self.place[0] in STAGED


class DocumentRow(NamedTuple):
    """A row of a copied table, with the columns of a build's own that are read here."""

    path: str
    size: int
    digest: bytes | None
    actions: str  # also the path of a pack, as `BuildDocument.place`


class KeyRange(NamedTuple):
    """A range of keys, whose documents one worker handles."""

    number: int
    after: str  # the key before the first one; empty for none
    until: str | None  # the last key; None for the end


class BuildDocuments(NamedTuple):
    """The documents of a build, for workers to read."""

    tables: BuildTables
    staged: str  # the folder of files that the build has not published yet
    published: str  # the folder of the site

    def after(self, key: str) -> Generator[BuildDocument, None, None]:
        """Yield the documents whose key sorts after `key`, sorted by key.

        A key is the path by which packs find a document. If several documents have the same key, the first one that is
        not removed is yielded.
        """
        for folders in FAMILIES:
            rows = merge(
                *(self._rows_in(folder, folders[0], key) for folder in folders), key=attrgetter("key")
            )
            for _, same in groupby(rows, attrgetter("key")):
                first, *others = same
                yield next((row for row in (first, *others) if row.digest is not None), first)

    def _rows_in(self, folder: str, family: str, key: str) -> Generator[BuildDocument, None, None]:
        if key > family and not key.startswith(family):  # all keys of this family sort before `key`
            return
        start = folder if key < family else key if folder == family else sharded_path(key)
        query = "SELECT path, size, digest, actions FROM offered WHERE path > ? AND path < ? ORDER BY path"
        with closing(self.tables.rows(query, start, f"{folder[:-1]}0")) as rows:
            for path, size, digest, actions in rows:
                if PLAIN_PATH.fullmatch(path):
                    yield BuildDocument(path.lower(), path, size, digest, actions)
                elif is_packable(path):
                    yield BuildDocument(make_pack_key(plain_path(path)), path, size, digest, actions)

    def ranges(self) -> list[KeyRange]:
        """Divide the documents that go into packs into ranges of keys.

        Each range is the work of one task. A key is the path by which packs find a document.
        """
        query = "SELECT path FROM offered WHERE digest < ? AND path > ? AND path < ?"
        ends = sorted(
            make_pack_key(plain_path(path))
            for folders in FAMILIES
            for folder in folders
            for (path,) in self.tables.rows(query, RANGE_SAMPLE, folder, f"{folder[:-1]}0")
            if is_packable(path)
        )
        return [
            KeyRange(number, after, until)
            for number, (after, until) in enumerate(zip(["", *ends], [*ends, None], strict=True))
        ]

    def reader(self) -> "DocumentReader":
        """Open the documents' files, to read them in a worker process."""
        return DocumentReader(self)


class DocumentReader:
    """Reads documents of a build, and compares them with their digests; a context manager."""

    def __init__(self, documents: BuildDocuments) -> None:
        self._root = Path(documents.published)
        self._packs = dict[str, PackReader]()
        self._published = OpenFolder(documents.published)
        self._staged = [OpenFolder(f"{documents.staged}/{tree}") for tree in (BODIES, SITE)]
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        for folder in (self._published, *self._staged):
            self._stack.callback(folder.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def read_all(self, documents: Sequence[BuildDocument]) -> Iterator[PackedDocument]:
        """Read documents of the build, and compare them with their digests.

        Raises:
            PublishingError: if a document has changed since it was built.
        """
        for start in range(0, len(documents), READ_TOGETHER):
            some = documents[start : start + READ_TOGETHER]
            bodies = dict[str, bytes | None]()
            for folder, is_staged in ((self._staged[0], True), (self._published, False)):
                paths = [one.path for one in some if one.is_staged == is_staged and one.digest is not None]
                bodies.update(zip(paths, folder.read_together(paths, MAX_FILE), strict=True))
            for document in some:
                body = bodies.get(document.path)
                is_intact = body is not None and sha256(body).digest() == document.digest
                yield PackedDocument(document.key, body) if is_intact else self.read(document)

    def read(self, document: BuildDocument) -> PackedDocument:
        """Read a document of the build, and compare it with its digest.

        Raises:
            PublishingError: if the document has changed since it was built.
        """
        if document.digest is None:
            return PackedDocument(document.key, None)
        if document.place.endswith(PACK_SUFFIX):
            return self._read_from_pack(document)
        for folder in (*self._staged, self._published) if document.is_staged else (self._published,):
            try:
                body = read_descriptor(folder.open_file(document.path), document.path, MAX_FILE)
            except OSError:
                continue
            if sha256(body).digest() == document.digest:
                return PackedDocument(document.key, body)
        raise _changed_document_error(document.path)

    def _read_from_pack(self, document: BuildDocument) -> PackedDocument:
        if (pack := self._packs.get(document.place)) is None:
            pack = PackReader(FileRanges(self._root / document.place))
            self._packs[document.place] = self._stack.enter_context(pack)
        packed = pack.find(document.key)
        if packed is None or sha256(packed.body or b"").digest() != document.digest:
            raise _changed_document_error(document.place)
        return packed


def _changed_document_error(path: str) -> PublishingError:
    return PublishingError(f"{path} has changed since it was built", "build the site again with --verify")


def copy_documents(file: Path, rows: Iterable[DocumentRow]) -> BuildTables:
    """Write the list of documents to pack to a database for workers.

    Args:
        file: the database to create.
        rows: the documents, in any order.

    Returns:
        The location of the database.
    """
    unfinished = file.with_suffix(f".{token_hex(4)}")
    with closing(open_database(unfinished)) as connection:
        connection.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
            "CREATE TABLE offered (path TEXT COLLATE NOCASE, size INTEGER, digest BLOB, actions TEXT); BEGIN;"
        )
        connection.executemany("INSERT INTO offered VALUES (?,?,?,?)", map(tuple, rows))
        connection.execute("CREATE INDEX offered_by_path ON offered (path)")
        connection.execute("COMMIT")
    sync_file(unfinished)
    unfinished.replace(file)
    return BuildTables(str(file))


class PackListing(NamedTuple):
    """A published pack whose documents a worker lists."""

    name: str  # for messages
    pack: ListedPack
    documents: BuildDocuments
    file: Path  # the database to create


def list_packed_documents(task: PackListing) -> Path:
    """Write the list of a published pack's documents to a database, in a worker process.

    Raises:
        DamagedSnapshotError: if the pack is damaged.
    """
    path = f"{FOLDER}/{task.pack.path}"
    with open_listed_pack(task.pack, lambda _: FileRanges(Path(task.documents.published) / path)) as pack:
        rows = (
            DocumentRow(key, len(body or b""), None if body is None else sha256(body).digest(), path)
            for key, body in pack.documents()
        )
        copy_documents(task.file, rows)
    return task.file


def add_older_documents(tables: BuildTables, older_files: Iterable[Path]) -> None:
    """Add the documents of published packs to a list of documents to pack, except those that it has.

    Args:
        tables: the list, as `copy_documents` has written it.
        older_files: the lists of the packs' documents, newest first.
    """
    file = Path(tables.database)
    with closing(open_database(file)) as connection:
        connection.create_function("sharded_path", 1, sharded_path, deterministic=True)
        for older_file in older_files:
            connection.execute("ATTACH ? AS older", (str(older_file),))
            with transaction(connection):
                connection.execute(
                    "INSERT INTO offered SELECT * FROM older.offered AS o WHERE NOT EXISTS"
                    " (SELECT 1 FROM offered WHERE path IN (o.path, sharded_path(o.path)))"
                )
            connection.execute("DETACH older")
    sync_file(file)
