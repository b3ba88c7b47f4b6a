"""The list entries of a full build: in the ledger, for worker processes, or in memory."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple, Protocol

from statuary.contracts.incremental.table_schema import LISTED, SERVED, SHOWN, match_id_sort_key
from statuary.contracts.model.contract_row import ContractRow
from statuary.publish.ledger.ranges import BuildTables

BY_MATCH_ID = "match_order, chain_id, address"
"""The order of lists: by match id as a number, then chain and address."""


class ListEntries(Protocol):
    """The list entries of a site, such as its table of contracts."""

    def list_entries(self) -> Iterator[ContractRow]:
        """Yield the list entries of all published contracts, in no particular order."""

    def rows_after(self, chain_id: str, match_id: str) -> Iterator[ContractRow]:
        """Yield a chain's entries with a higher match id, oldest first."""


class EntriesInMemory:
    """List entries that are read once, for all lists, pages and the search."""

    def __init__(self, entries: Iterable[ContractRow]) -> None:
        self._entries = sorted(entries, key=_list_order)
        self._by_chain: dict[str, list[ContractRow]] = {}
        for entry in self._entries:
            self._by_chain.setdefault(entry.chainId, []).append(entry)

    def list_entries(self) -> Iterator[ContractRow]:
        """Yield the list entries of all contracts, oldest first."""
        return iter(self._entries)

    def rows_after(self, chain_id: str, match_id: str) -> Iterator[ContractRow]:
        """Yield a chain's entries with a higher match id, oldest first."""
        entries = self._by_chain.get(chain_id, [])
        start = bisect_right(entries, match_id_sort_key(match_id), key=_match_order) if match_id else 0
        return islice(entries, start, None)


def _match_order(entry: ContractRow) -> str:
    return match_id_sort_key(entry.matchId)


def _list_order(entry: ContractRow) -> tuple[str, str]:
    return _match_order(entry), entry.address


class BuiltRows(NamedTuple):
    """The list entries of a full build, for worker processes to read.

    Nobody may write to the tables until the workers have finished.
    """

    tables: BuildTables

    def all_rows(self) -> Iterator[ContractRow]:
        """Yield the list entries of all contracts, sorted by location."""
        return (row for _, row in self._query_rows(LISTED, "ORDER BY location"))

    def rows_after(self, chain_id: str, match_id: str) -> Iterator[ContractRow]:
        """Yield a chain's entries with a higher match id, oldest first.

        Members that only the search needs are left out.
        """
        condition = f"AND chain_id = ? AND match_order > ? ORDER BY {BY_MATCH_ID}"
        return (row for _, row in self._query_rows(SHOWN, condition, chain_id, match_id_sort_key(match_id)))

    def rows_at_addresses(
        self, after_address: str, last_address: str | None
    ) -> Iterator[tuple[str, ContractRow]]:
        """Yield the published contracts in a range of addresses, sorted.

        Args:
            after_address: the address before the range; empty for the first range.
            last_address: the last address of the range; None for the last range.

        Yields:
            The location and the list entry of each contract.
        """
        order = f"ORDER BY address, {BY_MATCH_ID}"
        if last_address is None:
            return self._query_rows(SERVED, f"AND address > ? {order}", after_address)
        return self._query_rows(
            SERVED, f"AND address > ? AND address <= ? {order}", after_address, last_address
        )

    def _query_rows(self, columns: str, condition: str, *values: str) -> Iterator[tuple[str, ContractRow]]:
        query = f"SELECT location, {columns} FROM built WHERE published {condition}"
        return ((location, ContractRow._make(row)) for location, *row in self.tables.rows(query, *values))
