"""The results of sources and list entries, in the ledger."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from typing_extensions import override

from statuary.base.files import transaction
from statuary.contracts.incremental.built_rows import BY_MATCH_ID, BuiltRows
from statuary.contracts.incremental.precedence import Precedence, precedence_of
from statuary.contracts.incremental.table_schema import (
    BELOW,
    COMPARE,
    FULL_VIEWS,
    LISTED,
    PARTIAL_VIEWS,
    SEARCH_DIFFERENCE,
    SERVED,
    SHOWN,
    SOURCE_INDEXES,
    SOURCE_VALUES,
    SOURCES,
    SUPERSEDE,
    SUPERSEDED,
    UNREAD,
    WORK,
    DuplicateContracts,
    LocatedContract,
    SourceRow,
    index_statements,
    match_id_sort_key,
)
from statuary.contracts.model.contract_row import ContractCounts, ContractRow
from statuary.publish.ledger.ledger import Ledger, LedgerTable
from statuary.publish.ledger.ranges import tables_for_workers
from statuary.publish.ledger.read import open_ledger_read_only
from statuary.publish.ledger.schema import PartitionRows

KnownSource = tuple[str, str, str, bytes]
"""A source of the last build: path, git id, size and time, SHA-256."""

MOST_SEARCH_CHANGES = 1_000
"""Contracts of which the search is renewed in part; more are in nearly all of its files."""

PAGE = 2_000
"""Rows of each read: no statement may be open while partitions are merged."""


class ContractFiles(NamedTuple):
    """A contract as this build publishes it, with its files' paths."""

    location: str  # the file of the record, with the line if the file has many contracts
    match_id: str
    paths: tuple[str, ...]  # the paths of the documents made from the record
    is_contradicted: bool


class PreviousContracts(NamedTuple):
    """The number of contracts that the last build had in a place."""

    sources: int  # the number of content files
    published: int
    in_bulk: int  # the number of contracts in files that have many


class ContractTable(LedgerTable):
    """The table of a site's contracts in the ledger, the build database.

    The table `main.sources` has the rows of the last build, `work.built` those of this build.
    """

    schema = SOURCES
    columns = MappingProxyType({"sources": SourceRow._fields})
    build_indexes = tuple(index_statements("work", "built"))

    def __init__(self, ledger: Ledger, connection: sqlite3.Connection) -> None:
        super().__init__(ledger, connection)
        connection.executescript(WORK + FULL_VIEWS)

    @property
    def keeps_unreplaced(self) -> bool:
        """Whether the last build's contracts stay unless this build replaces them."""
        return self.ledger.keeps_unreplaced

    @override
    def keep_unreplaced(self) -> None:
        self.connection.executescript(PARTIAL_VIEWS)

    def has_no_previous_contracts(self) -> bool:
        """Return whether the last build had no contracts."""
        return self.connection.execute("SELECT 1 FROM main.sources LIMIT 1").fetchone() is None

    def previous_sources(self) -> Iterator[KnownSource]:
        """Yield the source files of the last build's contracts, sorted by path."""
        return self._read_sources("main.sources WHERE location = unit")

    def count_previous_contracts(self, path: str) -> "PreviousContracts":
        """Count the contracts that the last build had in a file, or at or below a folder."""
        query = f"SELECT TOTAL(location = unit), TOTAL(published), TOTAL(location != unit) FROM main.sources {BELOW}"
        return PreviousContracts(*map(int, self.connection.execute(query, (path,)).fetchone()))

    def previous_rows(self, path: str, *, is_partial: bool) -> Iterator[SourceRow]:
        """Yield the last build's rows of a file or folder that this build could not read completely.

        Rows of contracts that this build has read are left out.

        Args:
            path: the path of the file or folder.
            is_partial: whether this build has a row for the file itself, and read some of its contracts.
        """
        condition = "unit = ?1 AND published" if is_partial else "(published OR location = unit)"
        query = (
            f"SELECT * FROM main.sources AS s {BELOW} AND {condition} AND location > ?2 AND NOT EXISTS (SELECT 1 FROM"
            " work.built AS b WHERE b.address = s.address AND b.chain_id = s.chain_id AND (b.published OR b.unit = s.unit))"
            f" ORDER BY location LIMIT {PAGE}"
        )
        last_location = ""
        while page := self.connection.execute(query, (path, last_location)).fetchall():
            yield from map(SourceRow._make, page)
            last_location = page[-1][0]

    def restored_rows(self) -> Iterator[SourceRow]:
        """Yield the rows of the last build that this build has added again, sorted by location."""
        query = f"SELECT * FROM work.built WHERE reason = ? AND published AND location > ? ORDER BY location LIMIT {PAGE}"
        last_location = ""
        while page := self.connection.execute(query, (UNREAD, last_location)).fetchall():
            yield from map(SourceRow._make, page)
            last_location = page[-1][0]

    def unread_rows(self) -> list[SourceRow]:
        """Return this build's rows of sources that could not be read, sorted by unit and line."""
        query = "SELECT * FROM work.built WHERE findings != '' AND reason = ? ORDER BY unit, length(location), location"
        return [SourceRow._make(row) for row in self.connection.execute(query, (UNREAD,))]

    def finished_sources(self) -> Iterator[KnownSource]:
        """Yield the source files whose contracts an interrupted build has finished."""
        return self._read_sources("work.built WHERE location = unit AND address IS NOT NULL")

    def _read_sources(self, rows: str) -> Iterator[KnownSource]:
        query = (
            f"SELECT location, git, stat, digest FROM {rows} AND location > ? ORDER BY location LIMIT {PAGE}"
        )
        last_location = ""
        while page := self.connection.execute(query, (last_location,)).fetchall():
            yield from page
            last_location = page[-1][0]

    def mark_changed(self, changed_paths: Iterable[str]) -> None:
        """Mark content files whose contracts from the last build are outdated.

        Args:
            changed_paths: the paths of these files and folders.
        """
        with transaction(self.connection):
            query = "INSERT OR IGNORE INTO work.changed_units VALUES (?)"
            self.connection.executemany(query, ((unit,) for unit in changed_paths))

    def update_file_states(self, file_states: Iterable[tuple[str, str, str]]) -> None:
        """Store new git ids, sizes and times of sources with unchanged content.

        Args:
            file_states: the path, git id, and size and time of each source.
        """
        with transaction(self.connection):
            self.connection.executemany("INSERT OR REPLACE INTO work.touched VALUES (?,?,?)", file_states)

    def add(self, rows: Iterable[SourceRow]) -> None:
        """Store the rows of contracts that this build has checked."""
        with transaction(self.connection):
            self.connection.executemany(f"INSERT OR REPLACE INTO work.built {SOURCE_VALUES}", rows)

    def discard_added_rows(self) -> None:
        """Delete everything that this build has stored, after a failure."""
        for table in ("built", "changed_units", "superseded", "touched", "differing"):
            self.connection.execute(f"DELETE FROM work.{table}")

    def forget_git_ids(self) -> None:
        """Make the next build read every source of this build again.

        The next build then cannot recognize unchanged files by git id, size and time.
        """
        self.connection.execute("UPDATE work.built SET git = '', stat = ''")

    def have_git_ids(self) -> bool:
        """Return whether git's object id is known for every source file."""
        query = "SELECT 1 FROM work.built WHERE git = '' AND location = unit LIMIT 1"
        return self.connection.execute(query).fetchone() is None

    def discard_documents(self, locations: Iterable[str]) -> None:
        """Delete documents that an interrupted build made.

        Args:
            locations: the paths of the content files from which it made them.
        """
        query = "DELETE FROM work.built WHERE location = ? RETURNING documents"
        for location in locations:
            rows = self.connection.execute(query, (location,)).fetchall()
            self.ledger.documents.discard(path for (lines,) in rows for path in lines.split("\n"))

    def discard_bulk_rows(self) -> None:
        """Delete what an interrupted build made from files with many contracts."""
        query = "SELECT location FROM work.built WHERE unit != location"
        self.discard_documents([location for (location,) in self.connection.execute(query)])

    def mark_superseded_rows(self) -> None:
        """Mark the contracts of the last build that this build replaces.

        Call this method after all rows have been added.
        """
        for statement in self.build_indexes:
            self.connection.execute(statement)
        if self.keeps_unreplaced:
            self.connection.executescript(SUPERSEDE)

    def exclude_contract(self, contract: LocatedContract, finding: str) -> list[str]:
        """Exclude a contract from the site, such as a duplicate of another.

        The next build reads its file again, because the author may have removed the other one by then.

        Args:
            contract: the contract with its location.
            finding: the finding that says why, as JSON.

        Returns:
            The paths of the documents that are no longer published.
        """
        execute = self.connection.execute
        location = (contract.location,)
        if self.keeps_unreplaced:
            execute(
                "INSERT OR IGNORE INTO work.built SELECT * FROM main.sources WHERE location = ?", location
            )
            execute("INSERT OR IGNORE INTO work.superseded VALUES (?)", location)
            execute("INSERT OR REPLACE INTO work.touched VALUES (?, '', '')", (contract.unit,))
        execute(
            "UPDATE work.built SET git = '', stat = '', digest = x'' WHERE location IN (?, ?)",
            (*location, contract.unit),
        )
        ((findings, documents),) = execute(
            "SELECT findings, documents FROM work.built WHERE location = ?", location
        ).fetchall()
        findings = f"{findings[:-1]},{finding}]" if findings else f"[{finding}]"
        execute(
            "UPDATE work.built SET findings = ?, published = 0, documents = '' WHERE location = ?",
            (findings, *location),
        )
        return documents.split("\n") if documents else []

    def mark_changed_entries(self, rebuild_reason: str) -> None:
        """Mark the list entries that differ from those of the last build.

        Args:
            rebuild_reason: entries of contracts that were built for this reason are marked even if equal.
        """
        if self.keeps_unreplaced:
            self.connection.execute(COMPARE, (rebuild_reason,))

    @override
    def replaced_document_paths(self) -> Iterator[str]:
        query = f"SELECT documents FROM main.sources WHERE documents != '' AND location IN ({SUPERSEDED})"
        for (paths,) in self.connection.execute(query):
            yield from paths.split("\n")

    def count_by_chain(self) -> dict[str, int]:
        """Return the number of published contracts on each chain, by chain id."""
        return dict(self.connection.execute("SELECT chain_id, contracts FROM next_counts ORDER BY chain_id"))

    def contract_counts(self) -> ContractCounts:
        """Return the number of published contracts, with one as an example.

        The example is the last contract that no evidence contradicts.
        """
        condition = "published AND verdict != 'contradicted' ORDER BY location DESC LIMIT 1"
        last_rows = self.connection.execute(self._union(f"location, {LISTED}", condition)).fetchall()
        example = ContractRow._make(max(last_rows)[1:]) if last_rows else None
        return ContractCounts(by_chain=self.count_by_chain(), example=example)

    def list_entries(self) -> Iterator[ContractRow]:
        """Yield the list entries of all published contracts.

        The entries are in no particular order.
        """
        return self._query_contract_rows(self._union(LISTED, "published"))

    def _union(self, columns: str, condition: str) -> str:
        """Return a query for this build's contracts and the last build's that stay.

        It reads the tables from end to end. Looking up each row by an index takes twice as long, and so does the view
        `next_sources`, because it sorts the rows.

        Args:
            columns: the columns to read.
            condition: the SQL after WHERE, which may end with ORDER BY and LIMIT. It applies to both tables, one by one.
        """
        built = f"SELECT * FROM (SELECT {columns} FROM work.built NOT INDEXED WHERE {condition})"
        if not self.keeps_unreplaced:
            return built
        stays = f"location NOT IN ({SUPERSEDED})"
        return f"{built} UNION ALL SELECT * FROM (SELECT {columns} FROM main.sources NOT INDEXED WHERE {stays} AND {condition})"

    def entries_with_extension_facts(self) -> Iterator[tuple[ContractRow, bytes]]:
        """Yield published contracts with the data that extensions stored for them.

        They are sorted by address. Contracts without such data are skipped.
        """
        query = f"SELECT facts, {LISTED} FROM next_sources WHERE published AND facts != x'' ORDER BY address, chain_id"
        return ((ContractRow._make(columns), facts) for facts, *columns in self.connection.execute(query))

    def rows_after(self, chain_id: str, match_id: str) -> Iterator[ContractRow]:
        """Yield a chain's published contracts with a higher match id, oldest first.

        Members that only the search needs are left out.
        """
        # SQLite merges the rows of two tables by their indexes, so that it reads no more rows than are used. The
        # view `next_sources` would first sort them all.
        condition = "published AND chain_id = ?1 AND match_order > ?2"
        query = f"SELECT {SHOWN}, match_order FROM work.built WHERE {condition}"
        if self.keeps_unreplaced:
            stays = f"location NOT IN ({SUPERSEDED})"
            query += f" UNION ALL SELECT {SHOWN}, match_order FROM main.sources WHERE {condition} AND {stays}"
        values = (chain_id, match_id_sort_key(match_id))
        rows = self.connection.execute(f"{query} ORDER BY {BY_MATCH_ID}", values)
        return (ContractRow._make(row[:-1]) for row in rows)

    def rows_for_workers(self) -> BuiltRows | None:
        """Return the list entries in tables that worker processes can read.

        Add no rows until the workers have finished reading.

        Returns:
            The entries. None if the tables are in memory, or contain entries of the last build.
        """
        tables = None if self.keeps_unreplaced else tables_for_workers(self.ledger)
        return None if tables is None else BuiltRows(tables)

    def range_end_addresses(self, range_size: int) -> list[str]:
        """Divide all contract addresses into ranges, and return their ends.

        Args:
            range_size: the number of contracts in a range.
        """
        # SQLite answers this query from an index alone, without reading rows. The result may include excluded
        # contracts, because the ranges need not have exactly the same size.
        query = "SELECT address FROM work.built WHERE address > ? ORDER BY address LIMIT 1 OFFSET ?"
        ends = [""]
        while row := self.connection.execute(query, (ends[-1], range_size - 1)).fetchone():
            ends += row
        return ends[1:]

    def _query_contract_rows(self, query: str, *values: str) -> Iterator[ContractRow]:
        return map(ContractRow._make, self.connection.execute(query, values))

    def changed_match_ids(self) -> dict[str, list[str]]:
        """Return the match ids of changed list entries, by chain id."""
        changes: dict[str, list[str]] = {}
        for chain_id, match_id in self.connection.execute(
            "SELECT chain_id, substr(match_order, 3) FROM changed_rows ORDER BY 1"
        ):
            changes.setdefault(chain_id, []).append(match_id)
        return changes

    def changed_addresses(self) -> Iterator[str]:
        """Yield the addresses with a changed contract, sorted."""
        query = f"SELECT DISTINCT address FROM changed_rows WHERE address > ? ORDER BY 1 LIMIT {PAGE}"
        last_address = ""
        while page := self.connection.execute(query, (last_address,)).fetchall():
            yield from (address for (address,) in page)
            last_address = page[-1][0]

    def rows_of_changed_addresses(self) -> Iterator[tuple[str, ContractRow]]:
        """Yield all contracts at addresses where a contract changed.

        They are sorted by address. Members that only pages need are empty, so that less is sent to worker
        processes.

        Yields:
            The location and the list entry of each contract.
        """
        query = (
            f"SELECT location, {SERVED} FROM changed_sources WHERE published AND address > ?"
            f" ORDER BY address, {BY_MATCH_ID} LIMIT {PAGE}"
        )
        last_address = ""
        while rows := self.connection.execute(query, (last_address,)).fetchall():
            page = [(location, ContractRow._make(columns)) for location, *columns in rows]
            if len(page) == PAGE:  # the last address may continue beyond the page
                page = [row for row in page if row[1].address != page[-1][1].address]
            yield from page
            last_address = page[-1][1].address

    def has_changed_entries(self) -> bool:
        """Return whether any list entry has changed since the last build."""
        return self.connection.execute("SELECT 1 FROM changed_rows LIMIT 1").fetchone() is not None

    def search_changes(self) -> list[ContractRow] | None:
        """Return the entries that the search index must add or remove.

        For a changed contract, both its earlier and its new entry are returned.

        Returns:
            The entries; None if the index has to be made again, for example because there are too many.
        """
        if not self.keeps_unreplaced:
            return None
        changes = list(self._query_contract_rows(f"{SEARCH_DIFFERENCE} LIMIT {MOST_SEARCH_CHANGES + 1}"))
        return changes if len(changes) <= MOST_SEARCH_CHANGES else None

    def stored_findings(self) -> Iterator[tuple[str, bool]]:
        """Yield the errors, warnings and notes about each content file.

        Yields:
            The findings as JSON, and whether the contract is published.
        """
        query = "SELECT findings, published FROM next_sources WHERE findings != '' ORDER BY location"
        for findings, is_published in self.connection.execute(query):
            yield findings, bool(is_published)

    def find_duplicates(self, equal_columns: str) -> Iterator[DuplicateContracts]:
        """Find groups of contracts that have the same address or match id.

        Both published and excluded contracts are considered.

        Args:
            equal_columns: the columns that must be equal: `chain_id, address` or `match_order`.
        """
        repeated = self._repeated_values_query(equal_columns.split(", "))
        if self.connection.execute(f"SELECT 1 FROM ({repeated}) LIMIT 1").fetchone() is None:
            return  # do not read every row if there are no duplicates
        query = (
            f"SELECT location, unit, digest, published, {equal_columns}, {LISTED} FROM next_sources"
            f" WHERE ({equal_columns}) IN ({repeated})"
        )
        groups: dict[tuple[str, ...], list[Precedence]] = {}
        width = equal_columns.count(",") + 1
        for location, unit, digest, is_published, *values in self.connection.execute(query):
            contract = LocatedContract(location, unit, ContractRow._make(values[width:]))
            precedence = precedence_of(
                contract,
                digest,
                self._published_before(contract.row, equal_columns),
                is_published=bool(is_published),
                is_same_contract=equal_columns != "match_order",
            )
            groups.setdefault(tuple(values[:width]), []).append(precedence)
        for key in sorted(groups):
            kept, *newcomers = (precedence.contract for precedence in sorted(groups[key]))
            yield DuplicateContracts(kept, tuple(newcomers))

    def _published_before(self, row: ContractRow, columns: str) -> list[tuple[str, bytes, ContractRow]]:
        """Return the rows that the last build published for a contract.

        Args:
            columns: with `match_order`, only the rows with the contract's match id; else all rows of the contract.
        """
        query = (
            f"SELECT location, digest, {LISTED} FROM main.sources"
            " WHERE published AND address = ? AND chain_id = ? AND (match_order = ? OR ?)"
        )
        values = row.address, row.chainId, match_id_sort_key(row.matchId), columns != "match_order"
        return [
            (location, digest, ContractRow._make(entry))
            for location, digest, *entry in self.connection.execute(query, values)
        ]

    def built_documents(self, location: str) -> list[str]:
        """Return the paths of a contract's documents in this build.

        Args:
            location: the contract's source file, with the line if the file has many contracts.
        """
        query = "SELECT documents FROM work.built WHERE location = ? AND documents != ''"
        rows = self.connection.execute(query, (location,)).fetchall()
        return [path for (lines,) in rows for path in lines.split("\n")]

    def verified_after(self, time_text: str) -> list[LocatedContract]:
        """Return the contracts that were verified after a time.

        The result includes contracts of this build that are excluded from the site.

        Args:
            time_text: the time, in the format of the column `verified_at`.
        """
        query = f"SELECT location, unit, {LISTED} FROM work.built WHERE verified_at > ? ORDER BY location"
        return [
            LocatedContract(location, unit, ContractRow._make(values))
            for location, unit, *values in self.connection.execute(query, (time_text,))
        ]

    def contract_at(self, chain_id: str, address: str) -> ContractFiles | None:
        """Return the contract at an address, as this build publishes it.

        If several records have the address, the published one is returned.

        Returns:
            The location, match id and documents of the contract, or None if there is no contract.
        """
        query = (
            "SELECT location, substr(match_order, 3), documents, verdict FROM next_sources"
            " WHERE address = ? AND chain_id = ? ORDER BY published DESC, location"
        )
        row = self.connection.execute(query, (address, chain_id)).fetchone()
        if row is None:
            return None
        location, match_id, documents, verdict = row
        return ContractFiles(
            location, match_id or "", tuple(documents.split("\n")), verdict == "contradicted"
        )

    def changed_contracts(self, *, yield_all: bool) -> Iterator[tuple[str, str]]:
        """Yield the contracts that may have changed, sorted by address.

        Args:
            yield_all: whether to yield unchanged contracts, too.

        Yields:
            The chain id and the address of each contract.
        """
        rows = (
            "SELECT chain_id, address FROM next_sources"
            if yield_all
            else "SELECT chain_id, address FROM work.built UNION SELECT chain_id, address FROM main.sources"
            f" WHERE location IN ({SUPERSEDED})"
        )
        query = (
            f"SELECT DISTINCT address, chain_id FROM ({rows}) WHERE (address, chain_id) > (?, ?)"
            f" ORDER BY 1, 2 LIMIT {PAGE}"
        )
        last_key = ("", "")
        while page := self.connection.execute(query, last_key).fetchall():
            yield from ((chain_id, address) for address, chain_id in page)
            last_key = page[-1]

    def _repeated_values_query(self, columns: list[str]) -> str:
        names = ", ".join(columns)
        repeated = f"SELECT {names} FROM work.built WHERE {columns[0]} IS NOT NULL GROUP BY {names} HAVING COUNT(*) > 1"
        if not self.keeps_unreplaced:
            return repeated
        column_list = ", ".join(f"b.{column}" for column in columns)
        same = " AND ".join(f"b.{column} = s.{column}" for column in columns)
        return (
            f"{repeated} UNION SELECT {column_list} FROM work.built AS b CROSS JOIN main.sources AS s ON {same}"
            f" WHERE s.location NOT IN ({SUPERSEDED})"
        )

    @override
    def save(self) -> None:
        execute = self.connection.execute
        (built_count,) = execute("SELECT COUNT(*) FROM work.built").fetchone()
        execute(
            f"DELETE FROM main.sources{f' WHERE location IN ({SUPERSEDED})' if self.keeps_unreplaced else ''}"
        )
        (staying,) = execute("SELECT COUNT(*) FROM main.sources").fetchone()
        if not staying:  # SQLite copies rows and indexes as they are into an empty table with the same ones
            for statement in index_statements("main", "sources"):
                execute(statement)
        elif built_count > staying:  # rebuilding the indexes is then faster than updating them for each row
            for name in SOURCE_INDEXES:
                execute(f"DROP INDEX IF EXISTS main.sources_{name}")
        execute("INSERT OR REPLACE INTO main.sources SELECT * FROM work.built")
        execute(
            "UPDATE main.sources SET (git, stat) ="
            " (SELECT t.git, t.stat FROM work.touched AS t WHERE t.location = sources.location)"
            " WHERE location IN (SELECT location FROM work.touched)"
        )
        for statement in index_statements("main", "sources"):
            execute(statement)


def partition_rows(rows: Sequence[SourceRow]) -> PartitionRows:
    """Return a worker's rows about contracts, with their table and columns."""
    return PartitionRows("built", SourceRow._fields, rows)


def read_reasons(file: Path, sources: Iterable[str]) -> dict[str, str]:
    """Return the reasons for which the last build read each content file.

    Args:
        file: the ledger, the database of a published site.
        sources: the paths of the files.

    Returns:
        The reasons by path. Files that the ledger does not contain are missing.

    Raises:
        DamagedLedgerError: if the ledger is damaged.
    """
    query = "SELECT reason FROM sources WHERE location = ?"
    with open_ledger_read_only(file) as connection:
        if connection is None:
            return {}
        rows = {source: connection.execute(query, (source,)).fetchone() for source in sources}
    return {source: str(row[0]) for source, row in rows.items() if row is not None}
