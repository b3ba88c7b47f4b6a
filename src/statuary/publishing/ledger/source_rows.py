"""Which sources made which documents, and what lists say of them: rows in a database, never a list in memory.

The rows of the last build are in the ledger's table `sources`, those that the running build has made in
`work.pressed`; what the site will have is both but for the superseded ones. Contracts are told apart here by the columns that
lists are ordered by; what their documents say is nobody's business on this floor.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self

from statuary.domain.contracts.contract_counts import ContractCounts
from statuary.domain.contracts.record import ContractRow
from statuary.publishing.ledger.transaction import transaction


class SourceRow(NamedTuple):
    """What became of one source.

    Attributes:
        place: where it is written: the file, and the line of a bulk file.
        unit: the file or folder that is looked at for changes.
        git: git's id of it when it was read; empty if that is not known.
        stat: its size and time; empty if they are not to be believed.
        digest: SHA-256 of it; empty if it has not been taken.
        documents: the paths that it made, a line each.
        reason: why it was pressed.
        findings: what there is to say of it, as JSON; empty for nothing.
        refused: whether its claim is not believed.
        published: whether the record is published.
        entry: what pages list of it, as JSON; empty if they list nothing.
        match: here begins its entry in lists, None throughout if the record could not be filed.
    """

    place: str
    unit: str
    git: str
    stat: str
    digest: bytes
    documents: str
    reason: str
    findings: str
    refused: bool
    published: bool
    entry: str
    match: str | None = None
    creation_match: str | None = None
    runtime_match: str | None = None
    chain_id: str | None = None
    address: str | None = None
    verified_at: str | None = None
    match_order: str | None = None


def match_order(match_id: str) -> str:
    """Return a text that sorts as the number that a match id is (at most 39 digits)."""
    return f"{len(match_id):02d}{match_id}"


COLUMNS = """(
    place TEXT {key}, unit TEXT NOT NULL, git TEXT NOT NULL, stat TEXT NOT NULL, digest BLOB NOT NULL,
    documents TEXT NOT NULL, reason TEXT NOT NULL, findings TEXT NOT NULL, refused INTEGER NOT NULL,
    published INTEGER NOT NULL, entry TEXT NOT NULL, match TEXT, creation_match TEXT, runtime_match TEXT,
    chain_id TEXT, address TEXT, verified_at TEXT, match_order TEXT
)"""
"""A table of source rows; columns as `SourceRow` has them."""

INSERT = f"INSERT OR REPLACE INTO {{}} VALUES ({','.join('?' * len(SourceRow._fields))})"

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS main.sources {COLUMNS.format(key="PRIMARY KEY")} WITHOUT ROWID;
CREATE TABLE work.pressed {COLUMNS.format(key="PRIMARY KEY")} WITHOUT ROWID;
CREATE TABLE work.units (unit TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE work.superseded (place TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE work.touched (place TEXT PRIMARY KEY, git TEXT NOT NULL, stat TEXT NOT NULL) WITHOUT ROWID;
"""

INDEXES = {
    "listed": "(chain_id, match_order, address, published) WHERE published",
    "by_address": "(address, chain_id)",
    "by_match_order": "(match_order)",
    "with_findings": "(place) WHERE findings != ''",
    "of_units": "(unit) WHERE unit != place",
}
"""What rows are looked for by."""

LISTED = (
    "match, creation_match, runtime_match, chain_id, address, verified_at, substr(match_order, 3) AS match_id"
)
"""The columns of an entry in lists, as `ContractRow` has them."""

MATCH_ORDER = "length(match_id), match_id, chain_id, address"
"""The order of lists: by match id as a number, then chain and address."""


PAGE = 2_000
"""Rows that are read at a time."""


class DuplicateContract(NamedTuple):
    """A contract that repeats another.

    Attributes:
        place: where it is written.
        unit: the file or folder that it is written in.
        row: its entry in lists.
        first: where the other is written.
    """

    place: str
    unit: str
    row: ContractRow
    first: str


class SourceTable:
    """The rows of a site.

    Attributes:
        partial: whether rows of the last build stay, unless their unit is noted as changed.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Begin with the rows of the last build.

        Args:
            connection: a ledger's, to which the database `work` is attached.
        """
        self.connection = connection
        self.connection.executescript(SCHEMA)
        self.partial = False

    @classmethod
    def apart(cls) -> Self:
        """Return rows that belong to no ledger: in memory, and in a temporary file if they are many."""
        connection = sqlite3.connect("", isolation_level=None)
        connection.execute("ATTACH '' AS work")
        return cls(connection)

    def known(self) -> Iterator[tuple[str, str, str, bytes]]:
        """Yield every unit of the last build with git's id, size and time, and SHA-256, in byte order."""
        return self._units("main.sources WHERE place = unit")

    def change(self, units: Iterable[str]) -> None:
        """Note units whose rows of the last build no longer count, though nothing has been pressed of them."""
        with transaction(self.connection):
            self.connection.executemany(
                "INSERT OR IGNORE INTO work.units VALUES (?)", ((one,) for one in units)
            )

    def touch(self, units: Iterable[tuple[str, str, str]]) -> None:
        """Note git's id, and size and time, of units that hold what they held."""
        with transaction(self.connection):
            self.connection.executemany("INSERT OR REPLACE INTO work.touched VALUES (?,?,?)", units)

    def add(self, rows: Iterable[SourceRow]) -> None:
        """Note what became of sources."""
        with transaction(self.connection):
            self.connection.executemany(INSERT.format("work.pressed"), rows)

    def resumed(self) -> Iterator[tuple[str, str, str, bytes]]:
        """Yield what `known` yields, of the units that an interrupted build has been through already."""
        return self._units("work.pressed WHERE place = unit AND address IS NOT NULL")

    def _units(self, rows: str) -> Iterator[tuple[str, str, str, bytes]]:
        """Yield units a page at a time, so that no statement is open while shards are merged."""
        query = f"SELECT place, git, stat, digest FROM {rows} AND place > ? ORDER BY place LIMIT {PAGE}"
        last = ""
        while page := self.connection.execute(query, (last,)).fetchall():
            yield from page
            last = page[-1][0]

    def of_bulk(self) -> list[str]:
        """Return the places of this build that lie in bulk sources."""
        query = "SELECT place FROM work.pressed WHERE unit != place"
        return [place for (place,) in self.connection.execute(query)]

    def drop(self, place: str) -> list[str]:
        """Forget a row of this build; return the paths that its source made."""
        found = self.connection.execute("SELECT documents FROM work.pressed WHERE place = ?", (place,))
        paths = [path for (lines,) in found.fetchall() for path in lines.split("\n")]
        self.connection.execute("DELETE FROM work.pressed WHERE place = ?", (place,))
        return paths

    def prepare(self, doubted: str = "") -> None:
        """Make ready for questions, once every row has been added.

        Args:
            doubted: the reason of rows that count as different even if they say the same.
        """
        for name, columns in INDEXES.items():
            self.connection.execute(f"CREATE INDEX IF NOT EXISTS work.pressed_{name} ON pressed {columns}")
        if self.partial:
            self.connection.execute(
                "INSERT OR IGNORE INTO work.superseded SELECT unit FROM work.units"
                " UNION SELECT place FROM work.pressed"
            )
            self.connection.execute(
                "INSERT OR IGNORE INTO work.superseded SELECT place FROM main.sources"
                " WHERE unit != place AND unit IN (SELECT place FROM work.superseded)"
            )
        self.connection.execute("DROP TABLE IF EXISTS temp.differing")
        new = f"SELECT {LISTED} FROM work.pressed WHERE published"
        old = f"SELECT {LISTED} FROM main.sources WHERE published AND place IN (SELECT place FROM work.superseded)"
        self.connection.execute(
            f"CREATE TEMP TABLE differing AS SELECT * FROM ({new} EXCEPT {old})"
            f" UNION SELECT * FROM ({old} EXCEPT {new}) UNION SELECT * FROM ({new} AND reason = ?)"
            if self.partial
            else f"CREATE TEMP TABLE differing AS {new} AND ? IS NOT NULL",
            (doubted,),
        )

    def _now(self, columns: str, condition: str = "1") -> str:
        """Return the query for columns of the rows that the site will have, where a condition is true."""
        new = f"SELECT {columns} FROM work.pressed WHERE {condition}"
        if not self.partial:
            return new
        old = f"SELECT {columns} FROM main.sources WHERE {condition}"
        return f"{new} UNION ALL {old} AND place NOT IN (SELECT place FROM work.superseded)"

    def superseded_documents(self) -> Iterator[str]:
        """Yield the paths that changed units made in the last build."""
        query = "SELECT documents FROM main.sources WHERE place IN (SELECT place FROM work.superseded)"
        for (paths,) in self.connection.execute(query):
            yield from paths.split("\n") if paths else ()

    def counts(self) -> dict[str, int]:
        """Return how many contracts are published, by chain."""
        counted: Counter[str] = Counter()
        parts = [("work.pressed", "1", 1)]
        if self.partial:
            parts += [
                ("main.sources", "1", 1),
                ("main.sources", "place IN (SELECT place FROM work.superseded)", -1),
            ]
        for table, condition, sign in parts:
            query = (
                f"SELECT chain_id, COUNT(*) FROM {table} WHERE published AND {condition} GROUP BY chain_id"
            )
            for chain_id, count in self.connection.execute(query):
                counted[chain_id] += sign * count
        return {chain_id: counted[chain_id] for chain_id in sorted(counted) if counted[chain_id]}

    def tally(self) -> ContractCounts:
        """Return the published contracts in numbers."""
        lasts = []
        for part in self._now(f"place, {LISTED}", "published").split(" UNION ALL "):
            lasts += self.connection.execute(f"{part} ORDER BY place DESC LIMIT 1").fetchall()
        example = ContractRow._make(max(lasts)[1:]) if lasts else None
        return ContractCounts(by_chain=self.counts(), example=example)

    def __iter__(self) -> Iterator[ContractRow]:
        now = self._now(f"place, {LISTED}", "published")
        for _, *listed in self.connection.execute(f"SELECT * FROM ({now}) ORDER BY place"):
            yield ContractRow._make(listed)

    def of_chain(self, chain_id: str) -> Iterator[ContractRow]:
        """Yield the published contracts of a chain by match id, the oldest first."""
        return self._listed("chain_id = ?", f"ORDER BY {MATCH_ORDER}", chain_id)

    def _listed(self, condition: str, order: str, *values: str) -> Iterator[ContractRow]:
        now = self._now(LISTED, f"published AND {condition}")
        found = self.connection.execute(f"SELECT * FROM ({now}) {order}", values * (1 + self.partial))
        return map(ContractRow._make, found)

    def changed_chains(self) -> dict[str, int]:
        """Return the chains whose lists change, each with how many of its oldest contracts stand as they stood."""
        first = f"SELECT * FROM differing WHERE chain_id = ? ORDER BY {MATCH_ORDER} LIMIT 1"
        before = self._now(
            "COUNT(*)",
            "published AND chain_id = ? AND (match_order, address) < (?, ?)",
        )
        stand = {}
        for (chain_id,) in self.connection.execute("SELECT DISTINCT chain_id FROM differing ORDER BY 1"):
            row = ContractRow._make(self.connection.execute(first, (chain_id,)).fetchone())
            values = (chain_id, match_order(row.matchId), row.address) * (1 + self.partial)
            stand[chain_id] = sum(count for (count,) in self.connection.execute(before, values))
        return stand

    def changed_addresses(self) -> Iterator[str]:
        """Yield the addresses of which something changed, in order."""
        query = f"SELECT DISTINCT address FROM differing WHERE address > ? ORDER BY 1 LIMIT {PAGE}"
        last = ""
        while page := self.connection.execute(query, (last,)).fetchall():
            yield from (address for (address,) in page)
            last = page[-1][0]

    def of_changed_addresses(self) -> Iterator[tuple[str, ContractRow]]:
        """Yield every published contract at an address of which something changed, by address and match id.

        Yields:
            Where it is written, and its entry in lists.
        """
        changed = "AND address IN (SELECT address FROM differing)" if self.partial else ""
        now = self._now(f"place, {LISTED}", f"published AND address > ? {changed}")
        query = f"SELECT * FROM ({now}) ORDER BY address, {MATCH_ORDER} LIMIT {PAGE}"
        last = ""
        while found := self.connection.execute(query, (last,) * (1 + self.partial)).fetchall():
            page = [(place, ContractRow._make(listed)) for place, *listed in found]
            if len(page) == PAGE:  # the last address may go on beyond the page
                page = [one for one in page if one[1].address != page[-1][1].address]
            yield from page
            last = page[-1][1].address

    def differ(self) -> bool:
        """Say whether any entry of lists differs from the last build's."""
        return self.connection.execute("SELECT 1 FROM differing LIMIT 1").fetchone() is not None

    def entries(self) -> Iterator[tuple[str, ContractRow]]:
        """Yield what pages list of each published contract, as JSON, with its entry in lists."""
        now = self._now(f"place, entry, {LISTED}", "published AND entry != ''")
        for _, entry, *listed in self.connection.execute(f"SELECT * FROM ({now}) ORDER BY place"):
            yield entry, ContractRow._make(listed)

    def findings(self) -> Iterator[tuple[str, bool]]:
        """Yield what there is to say of sources, as JSON, and whether it is why a claim is not believed."""
        now = self._now("place, findings, refused", "findings != ''")
        for _, findings, refused in self.connection.execute(f"SELECT * FROM ({now}) ORDER BY place"):
            yield findings, bool(refused)

    def twins(self, columns: str) -> Iterator[DuplicateContract]:
        """Yield the contracts, published or refused, that repeat an earlier one.

        Args:
            columns: what they have in common: `chain_id, address` or `match_order`.
        """
        parts = columns.split(", ")
        repeated = f"SELECT {columns} FROM work.pressed WHERE address IS NOT NULL GROUP BY {columns} HAVING COUNT(*) > 1"
        if self.partial:
            same = " AND ".join(f"p.{column} = s.{column}" for column in parts)
            listed = ", ".join(f"p.{column}" for column in parts)
            repeated += (
                f" UNION SELECT {listed} FROM work.pressed AS p CROSS JOIN main.sources AS s ON {same}"
                " WHERE s.place NOT IN (SELECT place FROM work.superseded)"
            )
        if self.connection.execute(f"SELECT 1 FROM ({repeated}) LIMIT 1").fetchone() is None:
            return  # which spares looking at every row
        now = self._now(f"place, unit, {LISTED}", f"({columns}) IN ({repeated})")
        first: dict[tuple[object, ...], str] = {}
        for place, unit, *held in self.connection.execute(f"SELECT * FROM ({now}) ORDER BY place"):
            row = ContractRow._make(held)
            key = (row.matchId,) if parts == ["match_order"] else (row.chainId, row.address)
            if first.setdefault(key, place) != place:
                yield DuplicateContract(place, unit, row, first[key])

    def save(self) -> None:
        """Make the ledger's table of sources what the running build found; a step of one transaction."""
        execute = self.connection.execute
        (pressed,) = execute("SELECT COUNT(*) FROM work.pressed").fetchone()
        stays = "place IN (SELECT place FROM work.superseded)" if self.partial else "1"
        execute(f"DELETE FROM main.sources WHERE {stays}")
        (kept,) = execute("SELECT COUNT(*) FROM main.sources").fetchone() if self.partial else (0,)
        if pressed > kept:  # sorting all anew is then faster than finding a place for each
            for name in INDEXES:
                execute(f"DROP INDEX IF EXISTS main.sources_{name}")
        execute("INSERT OR REPLACE INTO main.sources SELECT * FROM work.pressed")
        execute(
            "UPDATE main.sources SET"
            " git = (SELECT t.git FROM work.touched AS t WHERE t.place = sources.place),"
            " stat = (SELECT t.stat FROM work.touched AS t WHERE t.place = sources.place)"
            " WHERE place IN (SELECT place FROM work.touched)"
        )
        for name, columns in INDEXES.items():
            execute(f"CREATE INDEX IF NOT EXISTS main.sources_{name} ON sources {columns}")
