"""The last contract of each page of a chain's list."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from statuary.contracts.model.contract_row import ContractRow

PAGE_SIZE = 200
"""Contracts in a list at most: the real server's default and largest `limit`."""

OLDEST_PAGE = "oldest"
"""The name of the page with the oldest contracts."""


class PageRows(NamedTuple):
    """The contracts on one page of a list."""

    name: str
    rows: list[ContractRow]  # oldest first


def divide_into_list_pages(oldest_first: Iterable[ContractRow]) -> Iterator[PageRows]:
    """Divide a chain's contracts into pages, so that few pages change later.

    With a fixed number of contracts, one removal would change all later pages. So a page ends where the last
    digits of an address are large; such a place rarely moves.

    Args:
        oldest_first: the list entries of the contracts.
    """
    contracts = iter(oldest_first)
    rows = list(islice(contracts, PAGE_SIZE))
    name = OLDEST_PAGE
    while len(rows) == PAGE_SIZE:
        end = 1 + max(
            range(PAGE_SIZE // 4, PAGE_SIZE), key=lambda place: (rows[place].address[-8:].lower(), place)
        )
        yield PageRows(name, rows[:end])
        rows = [*rows[end:], *islice(contracts, end)]
        name = rows[0].matchId if rows else ""
    if rows:
        yield PageRows(name, rows)
