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
        removes old names. Until it
                            has finished, it trusts neither size nor time of a file of the unfinished run.
    main lost or damaged    The next build begins with the names in `owned`, without digests, and compares
    every file.

A name is in `owned` from before its file is put in place until after it has been removed. The views show the
site after the build: the files of this build and, in a partial build, those of the last one that this one
does not replace.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from typing_extensions import override

from statuary.publish.ledger.contract_rows import ContractRow
from statuary.site.document import Document
from statuary.system.databases import CACHE


class LedgerEntry(NamedTuple):
    """A published file."""

    path: str
    digest: bytes  # SHA-256 of the body
    size: int
    modified: int  # `st_mtime_ns` when it was written
    sources: str  # content paths, a line each; empty for the whole content
    settled: bool  # whether the build that wrote it finished, so size and time can be trusted


class CachedGroup(NamedTuple):
    """A reusable part of a site, with its inputs' fingerprint."""

    fingerprint: str  # fingerprint of everything that the group depends on
    items: int = 0  # how many of its kind there are
    paths: tuple[str, ...] = ()  # of its documents
    run: int = 0  # the build that made or kept it; a document that a later run wrote is another one


class AddedFile(NamedTuple):
    """A file that the running build adds."""

    path: str
    aliases: str  # other names, which differ only in case, one a line
    digest: bytes  # SHA-256 of the body
    size: int
    modified: int  # `st_mtime_ns` of the file, staged or in place
    sources: str  # content paths, one a line
    persistent: bool  # whether the file stays when a build does not add it
    actions: str  # the action for each name, one letter each


class SourceRow(NamedTuple):
    """The result of one source."""

    location: str  # the file, and the line in a bulk file
    unit: str  # the file or folder that is compared to find changes
    git: str  # the source's git object id when it was read; empty if unknown
    stat: str  # the source's size and time; empty if they cannot be trusted
    digest: bytes  # the source's SHA-256; empty if it was not computed
    documents: str  # the paths of its documents, one a line
    reason: str
    findings: str  # findings about the source as JSON; empty if there are none
    published: bool
    facts: bytes = b""  # data that extensions keep of its record
    match: str | None = None  # the first member of its list entry; all are None if it has none
    creation_match: str | None = None
    runtime_match: str | None = None
    chain_id: str | None = None
    address: str | None = None
    verified_at: str | None = None
    match_order: str | None = None  # the match id as `match_order` writes it
    name: str = ""
    language: str = ""
    selectors: bytes = b""
    abi_names: str = ""
    verdict: str = ""
    proxy: str = ""
    trail: str = ""

    def listed_as(self, row: ContractRow | None) -> "SourceRow":
        """Return the row with a list entry."""
        if row is None:
            return self
        own_columns = self[: -len(row)]  # the columns of a list entry are the last ones, in its order
        return SourceRow._make((*own_columns, *row[:6], match_order(row.matchId), *row[7:]))


class LocatedContract(NamedTuple):
    """A contract with the location of its record in the content."""

    location: str
    unit: str  # the file or folder that it is written in
    row: ContractRow  # its list entry


class DuplicateContracts(NamedTuple):
    """Contracts that have the same address or match id."""

    kept: LocatedContract  # the one that stays
    newcomers: tuple[LocatedContract, ...]


def match_order(match_id: str) -> str:
    """Return a string that sorts like a match id's number.

    Args:
        match_id: a number of at most 39 decimal digits.
    """
    return f"{len(match_id):02d}{match_id}"


def names_of(path: str, aliases: str) -> list[str]:
    """Return all names of a file."""
    return [path, *aliases.split("\n")] if aliases else [path]


SCHEMA_VERSION = 11

MAIN = """
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept (
    name TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    items INTEGER NOT NULL,
    paths TEXT NOT NULL,                   -- a line each
    run INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents (
    path TEXT PRIMARY KEY COLLATE NOCASE,  -- relative to the site's root, in its published case
    aliases TEXT NOT NULL,                 -- further names that differ in case alone, a line each
    digest BLOB NOT NULL,                  -- SHA-256 of the body
    size INTEGER NOT NULL,                 -- bytes
    modified INTEGER NOT NULL,             -- st_mtime_ns of the file
    sources TEXT NOT NULL,                 -- content paths, a line each; empty for the whole content
    persistent INTEGER NOT NULL,              -- whether it stays when a build does not offer it
    run INTEGER NOT NULL                   -- the build that wrote the file
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS documents_of_the_site ON documents (path) WHERE persistent = 0;
CREATE TABLE IF NOT EXISTS removals (path TEXT PRIMARY KEY) WITHOUT ROWID;
"""

OWNED = """
PRAGMA owned.synchronous=OFF;
CREATE TABLE IF NOT EXISTS owned.names (path TEXT PRIMARY KEY COLLATE NOCASE, aliases TEXT NOT NULL) WITHOUT ROWID;
"""
"""A database with the names of our files: it still identifies them if the ledger is lost."""

ADOPT_OWNED = """
INSERT OR IGNORE INTO documents SELECT path, aliases, x'', 0, 0, '', 0, 0 FROM owned.names
"""
SAVE_OWNED = """
INSERT INTO owned.names SELECT path, aliases FROM work.offered WHERE 1 ON CONFLICT (path) DO UPDATE
    SET path = excluded.path, aliases = excluded.aliases
    WHERE path != excluded.path COLLATE BINARY OR aliases != excluded.aliases
"""
FORGET_OWNED = """
DELETE FROM owned.names
    WHERE path IN (SELECT path FROM main.removals) AND path NOT IN (SELECT path FROM main.documents)
"""

ADDED_COLUMNS = """(
    path TEXT {key}, aliases TEXT NOT NULL, digest BLOB NOT NULL, size INTEGER NOT NULL,
    modified INTEGER NOT NULL, sources TEXT NOT NULL, persistent INTEGER NOT NULL, actions TEXT NOT NULL
)"""
"""Columns as `AddedFile` has them."""

SOURCE_COLUMNS = """(
    location TEXT {key}, unit TEXT NOT NULL, git TEXT NOT NULL, stat TEXT NOT NULL, digest BLOB NOT NULL,
    documents TEXT NOT NULL, reason TEXT NOT NULL, findings TEXT NOT NULL,
    published INTEGER NOT NULL, facts BLOB NOT NULL, match TEXT, creation_match TEXT, runtime_match TEXT,
    chain_id TEXT, address TEXT, verified_at TEXT, match_order TEXT,
    name TEXT NOT NULL, language TEXT NOT NULL, selectors BLOB NOT NULL,
    abi_names TEXT NOT NULL, verdict TEXT NOT NULL, proxy TEXT NOT NULL,
    trail TEXT NOT NULL
)"""
"""Columns as `SourceRow` has them."""

ADDED_VALUES = f"VALUES ({','.join('?' * len(AddedFile._fields))})"
SOURCE_VALUES = f"VALUES ({','.join('?' * len(SourceRow._fields))})"

SOURCES = f"CREATE TABLE IF NOT EXISTS main.sources {SOURCE_COLUMNS.format(key='PRIMARY KEY')} WITHOUT ROWID;"

WORK = f"""
PRAGMA work.journal_mode=OFF; PRAGMA work.synchronous=OFF;
PRAGMA work.cache_size=-{CACHE}; PRAGMA main.cache_size=-{CACHE};
CREATE TABLE work.offered {ADDED_COLUMNS.format(key="PRIMARY KEY COLLATE NOCASE")} WITHOUT ROWID;
CREATE TABLE work.removed_unless_offered (path TEXT PRIMARY KEY COLLATE NOCASE) WITHOUT ROWID;
CREATE TABLE work.built {SOURCE_COLUMNS.format(key="PRIMARY KEY")} WITHOUT ROWID;
CREATE TABLE work.changed_units (unit TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE work.superseded (location TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE work.touched (location TEXT PRIMARY KEY, git TEXT NOT NULL, stat TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE work.differing (chain_id TEXT, match_order TEXT, address TEXT);
"""

SOURCE_INDEXES = {
    "listed": "(chain_id, match_order, address, published) WHERE published",
    "by_address": "(address, chain_id)",
    "by_match_order": "(match_order)",
    "with_findings": "(location) WHERE findings != ''",
    "of_units": "(unit) WHERE unit != location",
}
"""The indexes of sources by name."""

LISTED = (
    "match, creation_match, runtime_match, chain_id, address, verified_at,"
    " substr(match_order, 3) AS match_id, name, language, selectors, abi_names, verdict, proxy, trail"
)
"""The columns of `ContractRow`."""

SERVED = (
    "match, creation_match, runtime_match, chain_id, address, verified_at,"
    " substr(match_order, 3) AS match_id, '', '', x'', '', verdict, '', ''"
)
"""The columns of `ContractRow` that the API's lists need; those for pages are empty."""

SUPERSEDED = "SELECT location FROM work.superseded"

EXPECTED_COLUMNS = {
    "notes": ("name", "value"),
    "kept": ("name", *CachedGroup._fields),
    "documents": ("path", "aliases", *AddedFile._fields[2:7], "run"),
    "removals": ("path",),
    "sources": SourceRow._fields,
}
"""The columns of the ledger's tables; a ledger with others is damaged."""

FULL_VIEWS = """
CREATE TEMP VIEW next_sources AS SELECT * FROM work.built;
CREATE TEMP VIEW next_counts AS
    SELECT chain_id, COUNT(*) AS contracts FROM work.built WHERE published GROUP BY chain_id;
CREATE TEMP VIEW changed_sources AS SELECT * FROM work.built;
CREATE TEMP VIEW changed_rows AS SELECT chain_id, match_order, address FROM work.built WHERE published;
CREATE TEMP VIEW leaving_documents AS SELECT path, aliases, size FROM main.documents AS d
    WHERE NOT EXISTS (SELECT 1 FROM work.offered AS o WHERE o.path = d.path);
"""

PARTIAL_VIEWS = f"""
CREATE TEMP VIEW next_sources AS
    SELECT * FROM work.built
    UNION ALL SELECT * FROM main.sources WHERE location NOT IN ({SUPERSEDED});
CREATE TEMP VIEW next_counts AS
    SELECT chain_id, SUM(counted) AS contracts FROM (
        SELECT chain_id, COUNT(*) AS counted FROM work.built WHERE published GROUP BY chain_id
        UNION ALL SELECT chain_id, COUNT(*) FROM main.sources WHERE published GROUP BY chain_id
        UNION ALL SELECT chain_id, -COUNT(*) FROM main.sources
            WHERE published AND location IN ({SUPERSEDED}) GROUP BY chain_id
    ) GROUP BY chain_id HAVING SUM(counted) > 0;
CREATE TEMP VIEW changed_sources AS
    SELECT * FROM next_sources WHERE address IN (SELECT address FROM work.differing);
CREATE TEMP VIEW changed_rows AS SELECT chain_id, match_order, address FROM work.differing;
CREATE TEMP VIEW leaving_documents AS SELECT path, aliases, size FROM main.documents AS d
    WHERE NOT EXISTS (SELECT 1 FROM work.offered AS o WHERE o.path = d.path)
    AND path IN (SELECT path FROM work.removed_unless_offered);
"""

NO_VIEWS = """
DROP VIEW IF EXISTS next_sources; DROP VIEW IF EXISTS next_counts; DROP VIEW IF EXISTS changed_sources;
DROP VIEW IF EXISTS changed_rows; DROP VIEW IF EXISTS leaving_documents;
"""

SUPERSEDE = """
INSERT OR IGNORE INTO work.superseded SELECT unit FROM work.changed_units UNION SELECT location FROM work.built;
INSERT OR IGNORE INTO work.superseded SELECT location FROM main.sources
    WHERE unit != location AND unit IN (SELECT location FROM work.superseded);
"""

COMPARED = (
    "chain_id, match_order, address, match, creation_match, runtime_match, verified_at, name, language, selectors,"
    " abi_names, verdict, proxy, trail, facts"
)
BUILT_ROWS = f"SELECT {COMPARED} FROM work.built WHERE published"
REPLACED_ROWS = f"SELECT {COMPARED} FROM main.sources WHERE published AND location IN ({SUPERSEDED})"
SEARCHED = (
    "NULL, NULL, runtime_match, chain_id, address, '', substr(match_order, 3), name, language, selectors, abi_names,"
    " verdict, proxy, trail"
)
"""The columns of `ContractRow` that the search over contracts is made from; the others are empty."""

SEARCH_DIFFERENCE = f"""
SELECT * FROM (SELECT {SEARCHED} FROM work.built WHERE published
    EXCEPT SELECT {SEARCHED} FROM main.sources WHERE published AND location IN ({SUPERSEDED}))
UNION ALL SELECT * FROM (SELECT {SEARCHED} FROM main.sources WHERE published AND location IN ({SUPERSEDED})
    EXCEPT SELECT {SEARCHED} FROM work.built WHERE published)
"""
"""Selects the new and the former entries of contracts that the search shows otherwise."""

COMPARE = f"""
INSERT INTO work.differing SELECT chain_id, match_order, address FROM (
    SELECT * FROM ({BUILT_ROWS} EXCEPT {REPLACED_ROWS})
    UNION SELECT * FROM ({REPLACED_ROWS} EXCEPT {BUILT_ROWS})
    UNION {BUILT_ROWS} AND reason = ?
)
"""
"""Stores the list entries that are new, removed or different, and those built for a given reason."""


class PartitionResult(NamedTuple):
    """The documents and rows of a partition."""

    items: int
    rows: Sequence[SourceRow] = ()
    documents: Sequence[Document] = ()  # documents of the source that were not staged
    files: Sequence[AddedFile] = ()
    file: Path | None = None  # where all of this is recorded; None if it is here


class PartitionOutput(Protocol):
    """Receives the documents of one partition."""

    discards: bool = False  # whether it takes none

    def add(self, documents: Iterable[Document]) -> list[str]:
        """Add the documents of one source; return their paths."""

    def result(self, items: int, rows: Sequence[SourceRow] = ()) -> PartitionResult:
        """Return the partition's result, after all documents have been added."""


class CollectedOutput(PartitionOutput):
    """Returns the documents to the process that builds."""

    def __init__(self) -> None:
        self.documents: list[Document] = []

    @override
    def add(self, documents: Iterable[Document]) -> list[str]:
        count_before = len(self.documents)
        self.documents += documents
        return [document.path for document in self.documents[count_before:]]

    @override
    def result(self, items: int, rows: Sequence[SourceRow] = ()) -> PartitionResult:
        return PartitionResult(items=items, rows=rows, documents=self.documents)


class NoOutput(PartitionOutput):
    """Makes no documents: for a check."""

    discards = True

    @override
    def add(self, documents: Iterable[Document]) -> list[str]:
        return []

    @override
    def result(self, items: int, rows: Sequence[SourceRow] = ()) -> PartitionResult:
        return PartitionResult(items=items, rows=rows)
