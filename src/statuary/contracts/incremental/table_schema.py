"""The tables and views of contracts in the ledger.

`main.sources` has a row for each source of the last build, `work.built` for each that this build has read. The
views show the contracts after the build: the rows of this build and, in a partial build, those of the last one
that this one does not replace.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from statuary.contracts.model.contract_row import ContractRow


class SourceRow(NamedTuple):
    """The result of building one source: a row of the build database."""

    location: str  # the file, and the line in a bulk file
    unit: str  # the file or folder that is compared to find changes
    git: str  # the source's git object id when it was read; empty if unknown
    stat: str  # the source's size and time; empty if they cannot be trusted
    digest: bytes  # the source's SHA-256; empty if it was not computed
    documents: str  # the paths of the contract's documents, separated by newlines
    reason: str
    findings: str  # findings about the source as JSON; empty if there are none
    published: bool
    facts: bytes = b""  # data that extensions derived from the record
    match: str | None = None  # the members of the list entry begin here; None without an entry
    creation_match: str | None = None
    runtime_match: str | None = None
    chain_id: str | None = None
    address: str | None = None
    verified_at: str | None = None
    match_order: str | None = None  # the match id in the format of `match_order`
    name: str = ""
    language: str = ""
    selectors: bytes = b""
    abi_names: str = ""
    verdict: str = ""
    proxy: str = ""
    trail: str = ""

    def with_list_entry(self, row: ContractRow | None) -> "SourceRow":
        """Return the row with the values of the contract's list entry.

        Args:
            row: the list entry; None to leave the row as it is.
        """
        if row is None:
            return self
        own_columns = self[: -len(row)]  # the last columns are those of the list entry, in the same order
        return SourceRow._make((*own_columns, *row[:6], match_id_sort_key(row.matchId), *row[7:]))

    def list_entry(self) -> ContractRow:
        """Return the contract's list entry, which `with_list_entry` has added."""
        members: Sequence[Any] = self[-len(ContractRow._fields) :]
        return ContractRow._make((*members[:6], members[6][2:], *members[7:]))


class LocatedContract(NamedTuple):
    """A contract with the location of its record in the content."""

    location: str
    unit: str  # the file or folder that contains the record
    row: ContractRow  # the contract's entry in lists


class DuplicateContracts(NamedTuple):
    """Contracts that have the same address or match id."""

    kept: LocatedContract  # the contract that is kept
    newcomers: tuple[LocatedContract, ...]


def match_id_sort_key(match_id: str) -> str:
    """Return a string that sorts like the number in a match id.

    Example: "42" -> "0242"

    Args:
        match_id: a number of at most 39 decimal digits.
    """
    return f"{len(match_id):02d}{match_id}"


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

SOURCE_VALUES = f"VALUES ({','.join('?' * len(SourceRow._fields))})"

SOURCES = f"CREATE TABLE IF NOT EXISTS main.sources {SOURCE_COLUMNS.format(key='PRIMARY KEY')} WITHOUT ROWID"

WORK = f"""
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
}
"""The indexes of sources by name."""


def index_statements(schema: str, table: str) -> Iterator[str]:
    """Yield the statements that create the indexes of a table of sources, unless they exist."""
    for name, columns in SOURCE_INDEXES.items():
        yield f"CREATE INDEX IF NOT EXISTS {schema}.{table}_{name} ON {table} {columns}"


LISTED = (
    "match, creation_match, runtime_match, chain_id, address, verified_at,"
    " substr(match_order, 3) AS match_id, name, language, selectors, abi_names, verdict, proxy, trail"
)
"""The columns of `ContractRow`."""

SHOWN = (
    "match, creation_match, runtime_match, chain_id, address, verified_at,"
    " substr(match_order, 3) AS match_id, name, language, x'', '', verdict, proxy, trail"
)
"""The columns of `ContractRow` that pages show; those that only the search needs, which are the longest, are empty."""

SERVED = (
    "match, creation_match, runtime_match, chain_id, address, verified_at,"
    " substr(match_order, 3) AS match_id, '', '', x'', '', verdict, '', ''"
)
"""The columns of `ContractRow` that the API's lists need; those for pages are empty."""

BELOW = "WHERE (location = ?1 OR location >= ?1 || '/' AND location < ?1 || '0' OR location >= ?1 || ':' AND location < ?1 || ';')"
"""Selects the rows of a file with one contract, of one with many, or of a folder."""

UNREAD = "it cannot be read, so that what it published stays"
"""The reason in a row whose source this build could not read."""

SUPERSEDED = "SELECT location FROM work.superseded"

FULL_VIEWS = """
CREATE TEMP VIEW next_sources AS SELECT * FROM work.built;
CREATE TEMP VIEW next_counts AS
    SELECT chain_id, COUNT(*) AS contracts FROM work.built WHERE published GROUP BY chain_id;
CREATE TEMP VIEW changed_sources AS SELECT * FROM work.built;
CREATE TEMP VIEW changed_rows AS SELECT chain_id, match_order, address FROM work.built WHERE published;
"""

PARTIAL_VIEWS = f"""
DROP VIEW IF EXISTS next_sources; DROP VIEW IF EXISTS next_counts;
DROP VIEW IF EXISTS changed_sources; DROP VIEW IF EXISTS changed_rows;
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
    SELECT * FROM work.built WHERE address IN (SELECT address FROM work.differing)
    UNION ALL SELECT * FROM main.sources
        WHERE address IN (SELECT address FROM work.differing) AND location NOT IN ({SUPERSEDED});
CREATE TEMP VIEW changed_rows AS SELECT chain_id, match_order, address FROM work.differing;
"""

SUPERSEDE = """
INSERT OR IGNORE INTO work.superseded SELECT unit FROM work.changed_units UNION SELECT location FROM work.built;
INSERT OR IGNORE INTO work.superseded SELECT s.location FROM work.superseded AS u CROSS JOIN main.sources AS s
    ON s.location > u.location || ':' AND s.location < u.location || ';' AND s.unit = u.location;
INSERT OR IGNORE INTO work.superseded SELECT s.location FROM work.superseded AS u CROSS JOIN main.sources AS s
    ON s.location > u.location || '/' AND s.location < u.location || '0' AND s.unit = u.location;
"""
"""Marks the rows of the last build that this build replaces: those of a file, of its lines, and of an export's files."""

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
