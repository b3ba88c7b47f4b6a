"""The tables and views of a ledger.

`main` is the ledger's file. `work` holds the running build and is attached, so the ledger does not change
before the site does, and no list is kept in memory. `owned`, beside it, has only the names of our files, so
that they are known even if the ledger is lost.

    state      entered by                     main                removals      unfinished run   work
    finished   finish, a transaction          the site            none          none             none
    adding     begin_build                    the site            none          none             added files
    applying   save, a transaction            the new site        old names     this build       added files

    killed while adding     The next build begins at "finished", and reuses the staged files.
    killed while applying   The next build repeats the last steps first: it puts staged files in place and
                            removes old names. Until it has finished, it trusts neither size nor time of a file
                            of the unfinished run.
    main lost or damaged    The next build begins with the names in `owned`, without digests, and compares
                            every file.

A name is in `owned` from before its file is put in place until after it has been removed. Tables with what a
section knows of its sources are the section's own (`LedgerTable`).
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from typing_extensions import override

from statuary.base.files import MANIFEST, PARTS, SIGNATURE
from statuary.registry import CONTENT_SECTIONS
from statuary.site.document import Document
from statuary.system.databases import CACHE, PAGE_SIZE


class LedgerEntry(NamedTuple):
    """A published file, as the ledger lists it."""

    path: str
    digest: bytes  # SHA-256 of the body
    size: int
    modified: int  # the modification time in nanoseconds, when the file was written
    sources: str  # content paths, a line each; empty for the whole content
    settled: bool  # whether the build that wrote it finished, so size and time can be trusted


class CachedGroup(NamedTuple):
    """A set of documents of the last build, which this build may reuse."""

    fingerprint: str  # fingerprint of everything that the group depends on
    items: int = 0  # the number of records or pages in the group
    paths: tuple[str, ...] = ()  # the paths of the documents in the group
    run: int = 0  # the build that made or kept the group; documents of later runs do not belong to it


class AddedFile(NamedTuple):
    """A file that the running build adds, as a row of its database."""

    path: str
    aliases: str  # other names, which differ only in case, one a line
    digest: bytes  # SHA-256 of the body
    size: int
    modified: int  # `st_mtime_ns` of the file, staged or in place
    sources: str  # content paths, one a line
    persistent: bool  # whether the file stays when a build does not add it
    actions: str  # the action for each name, one letter each


def all_names(path: str, aliases: str) -> list[str]:
    """Return all paths under which a file is published.

    Args:
        path: the path of the file.
        aliases: the other paths, one on each line.
    """
    return [path, *aliases.split("\n")] if aliases else [path]


SCHEMA_VERSION = 12

FILES = """(
    path TEXT PRIMARY KEY COLLATE NOCASE,  -- relative to the site's root, in its published case
    aliases TEXT NOT NULL,                 -- further names that differ in case alone, a line each
    digest BLOB NOT NULL,                  -- SHA-256 of the body
    size INTEGER NOT NULL,                 -- bytes
    modified INTEGER NOT NULL,             -- st_mtime_ns of the file
    sources TEXT NOT NULL,                 -- content paths, a line each; empty for the whole content
    persistent INTEGER NOT NULL,           -- whether it stays when a build does not offer it
    actions TEXT NOT NULL,                 -- the action for each name in that build, one letter each
    run INTEGER NOT NULL                   -- the build that wrote the file
) WITHOUT ROWID"""
"""The columns of `documents` and `offered`.

They are those of `AddedFile`, and `run`. Because they are the same, SQLite copies the rows of a new site without
decoding them.
"""

MAIN = f"""
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept (
    name TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    items INTEGER NOT NULL,
    paths TEXT NOT NULL,                   -- a line each
    run INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents {FILES};
CREATE INDEX IF NOT EXISTS documents_of_the_site ON documents (path) WHERE persistent = 0;
CREATE TABLE IF NOT EXISTS removals (path TEXT PRIMARY KEY) WITHOUT ROWID;
"""

OWNED = f"""
PRAGMA owned.page_size={PAGE_SIZE}; PRAGMA owned.synchronous=OFF;
CREATE TABLE IF NOT EXISTS owned.names (path TEXT PRIMARY KEY COLLATE NOCASE, aliases TEXT NOT NULL) WITHOUT ROWID;
"""
"""A database with the names of our files: it still identifies them if the ledger is lost."""

ADOPT_OWNED = """
INSERT OR IGNORE INTO documents SELECT path, aliases, x'', 0, 0, '', 0, '', 0 FROM owned.names
"""
SAVE_OWNED = """
INSERT INTO owned.names SELECT path, aliases FROM work.offered WHERE {condition} ON CONFLICT (path) DO UPDATE
    SET path = excluded.path, aliases = excluded.aliases
    WHERE path != excluded.path COLLATE BINARY OR aliases != excluded.aliases
"""
IS_OF_MANIFEST = f"(path IN ('{MANIFEST}', '{SIGNATURE}') OR path > '{PARTS}' AND path < '{PARTS[:-1]}0')"
"""The condition of the files that a build adds last: those of the manifest."""

FORGET_OWNED = """
DELETE FROM owned.names
    WHERE path IN (SELECT path FROM main.removals) AND path NOT IN (SELECT path FROM main.documents)
"""

WORK_SETTINGS = f"""
PRAGMA work.page_size={PAGE_SIZE}; PRAGMA work.journal_mode=OFF; PRAGMA work.synchronous=OFF;
PRAGMA work.cache_size=-{CACHE}; PRAGMA main.cache_size=-{CACHE};
"""

WORK = f"""
CREATE TABLE work.offered {FILES};
CREATE INDEX work.offered_of_the_site ON offered (path) WHERE persistent = 0;
CREATE TABLE work.removed_unless_offered (path TEXT PRIMARY KEY COLLATE NOCASE) WITHOUT ROWID;
"""

EXPECTED_COLUMNS = {
    "notes": ("name", "value"),
    "kept": ("name", *CachedGroup._fields),
    "documents": (*AddedFile._fields, "run"),
    "removals": ("path",),
}
"""The columns of the ledger's own tables; a ledger with others is damaged."""

SECTION_TABLES = tuple(
    row.provides["ledger table"] for row in CONTENT_SECTIONS if "ledger table" in row.provides
)
"""The `LedgerTable` of each section that has one in every ledger."""

FULL_VIEW = """
CREATE TEMP VIEW leaving_documents AS SELECT path, aliases, size FROM main.documents AS d
    WHERE NOT EXISTS (SELECT 1 FROM work.offered AS o WHERE o.path = d.path);
"""

PARTIAL_VIEW = """
DROP VIEW IF EXISTS leaving_documents;
CREATE TEMP VIEW leaving_documents AS SELECT path, aliases, size FROM main.documents AS d
    WHERE NOT EXISTS (SELECT 1 FROM work.offered AS o WHERE o.path = d.path)
    AND path IN (SELECT path FROM work.removed_unless_offered);
"""


class PartitionRows(NamedTuple):
    """Rows for the table of a section, from a worker that made its documents."""

    table: str  # the name of the table in `work`
    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]

    @property
    def insert_clause(self) -> str:
        """The table and placeholders for `INSERT INTO`, such as `built VALUES (?,?)`."""
        return f"{self.table} VALUES ({','.join('?' * len(self.columns))})"


class PartitionResult(NamedTuple):
    """The result of a worker's task: documents, and rows of a table."""

    items: int
    rows: PartitionRows | None = None
    documents: Sequence[Document] = ()  # documents of the source that were not staged
    files: Sequence[AddedFile] = ()
    file: Path | None = None  # the database with the results; None if the other fields have them


class PartitionOutput(Protocol):
    """Receives the documents that a worker makes in one task."""

    discards: bool = False  # whether it discards all documents

    def add(self, documents: Iterable[Document]) -> list[str]:
        """Add documents to the result of the task, and return their paths."""

    def result(self, items: int, rows: PartitionRows | None = None) -> PartitionResult:
        """Return the worker's results, after all documents were added.

        Args:
            items: how many records or other units the task has processed.
            rows: rows for a table, such as that of contracts; None if there are none.
        """


class CollectedOutput(PartitionOutput):
    """Keeps a worker's documents in memory, for the main process to publish."""

    def __init__(self) -> None:
        self.documents: list[Document] = []

    @override
    def add(self, documents: Iterable[Document]) -> list[str]:
        count_before = len(self.documents)
        self.documents += documents
        return [document.path for document in self.documents[count_before:]]

    @override
    def result(self, items: int, rows: PartitionRows | None = None) -> PartitionResult:
        return PartitionResult(items=items, rows=rows, documents=self.documents)


class NoOutput(PartitionOutput):
    """Discards documents, for a check."""

    discards = True

    @override
    def add(self, documents: Iterable[Document]) -> list[str]:
        return []

    @override
    def result(self, items: int, rows: PartitionRows | None = None) -> PartitionResult:
        return PartitionResult(items=items, rows=rows)
