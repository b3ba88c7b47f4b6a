"""The pages of a chain's list of contracts, and which of them a change affects."""

from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from statuary.contracts.model.contract_row import ContractRow

PAGE_SIZE = 200
"""Contracts in a list at most: the real server's default and largest `limit`."""

OLDEST_PAGE = "oldest"
"""The name of the page with the oldest contracts."""


class PageSummary(NamedTuple):
    """A page of a chain's list, without its contracts."""

    name: str
    first: str  # the match id of its oldest contract
    last: str  # the match id of its newest contract
    size: int  # the number of its contracts
    day: str  # the day on which its oldest contract was verified, such as 2026-11-02
    exact: int  # the number of exact matches
    languages: tuple[str, ...]  # the languages of its contracts, sorted


class PageRows(NamedTuple):
    """A page of a list with its contracts."""

    page: PageSummary
    rows: list[ContractRow]  # oldest first


def divide_into_list_pages(
    contracts_oldest_first: Iterable[ContractRow], name: str = OLDEST_PAGE
) -> Iterator[PageRows]:
    """Divide a chain's contracts into pages, so that few pages change later.

    If every page had the same number of contracts, removing one would change all later pages. So each page but the newest
    ends at the contract whose address has the largest last digits. Later builds mostly choose the same contract.

    Args:
        contracts_oldest_first: the list entries of the contracts.
        name: the name of the first page. All other pages, and the first if this is empty, are named after their
            first match id.
    """
    contracts = iter(contracts_oldest_first)
    rows = list(islice(contracts, PAGE_SIZE))
    while rows:
        end = len(rows)
        if end == PAGE_SIZE:
            places = range(PAGE_SIZE // 4, PAGE_SIZE)
            end = 1 + max(places, key=lambda place: (rows[place].address[-8:].lower(), place))
        yield PageRows(_summarize_page(name, rows[:end]), rows[:end])
        rows = [*rows[end:], *islice(contracts, end)]
        name = ""


def _summarize_page(name: str, rows: Sequence[ContractRow]) -> PageSummary:
    first = rows[0]
    return PageSummary(
        name=name or first.matchId,
        first=first.matchId,
        last=rows[-1].matchId,
        size=len(rows),
        day=first.verifiedAt[:10],
        exact=sum(row.runtimeMatch == "exact_match" and not row.is_contradicted for row in rows),
        languages=tuple(sorted({row.language.partition(" ")[0] for row in rows} - {""})),
    )


class ChainList:
    """The list of a chain's contracts, divided into pages.

    If some contracts changed since the last build, only pages near them are divided again.

    Attributes:
        pages: all pages, oldest first, after `divide` or `find_pages`.
    """

    def __init__(
        self,
        chain_id: str,
        rows_after: Callable[[str], Iterable[ContractRow]],
        previous_pages: Sequence[PageSummary] = (),
        changed_match_ids: Iterable[str] | None = None,
    ) -> None:
        """Prepare the list; `divide` makes its pages.

        Args:
            rows_after: returns the list entries with a higher match id than the given one, oldest first; all
                of them if it is empty. A match id is Sourcify's number for a verification.
            previous_pages: the pages of the last build.
            changed_match_ids: the match ids at which the list differs from that of the last build; None if
                everything may differ.
        """
        self.chain_id, self.rows_after = chain_id, rows_after
        self.pages: list[PageSummary] = []
        self._previous_pages = () if changed_match_ids is None else previous_pages
        self._number_after = {page.last: number for number, page in enumerate(self._previous_pages, start=1)}
        self._changes = None if changed_match_ids is None else sorted(map(_match_id_order, changed_match_ids))
        self._changed_pages: set[str] = set()
        self._next_page = -1  # the index of the page with the next of `_next_rows`
        self._next_rows: Iterator[ContractRow] = iter(())

    def divide(self) -> Iterator[PageRows]:
        """Divide the contracts into pages, and yield those that changed.

        Only contracts near a change are read. The pages are those of `divide_into_list_pages` for all
        contracts.
        """
        number: int | None = 0  # the index of the next page in the last build
        while number is not None:
            last = self.pages[-1].last if self.pages else ""
            if self._has_change_between(last, self._last_deciding_match_id(number)):
                number = yield from self._divide_changed_pages(last)
            elif number < len(self._previous_pages):
                self.pages.append(self._previous_pages[number])
                number += 1
            else:
                number = None

    def _divide_changed_pages(self, last: str) -> Generator[PageRows, None, int | None]:
        """Divide contracts into pages until a page ends as in the last build.

        Args:
            last: the match id before the first contract; empty for the start of the list.

        Returns:
            The index of the next page of the last build; None at the end of the list.
        """
        for divided in divide_into_list_pages(self.rows_after(last), "" if last else OLDEST_PAGE):
            page = divided.page
            self.pages.append(page)
            number = self._number_after.get(page.last)
            is_known = number is not None and self._previous_pages[number - 1].name == page.name
            if not is_known or self._has_change_between(last, page.last):
                self._changed_pages.add(page.name)
                yield divided
            if number is not None:
                return number
            last = page.last
        return None

    def find_pages(self) -> None:
        """Fill `pages` like `divide`, for a caller that needs no contracts."""
        for _ in self.divide():
            pass

    def _last_deciding_match_id(self, number: int) -> str | None:
        """Return the last match id that affects where a page ends.

        A page of at most `PAGE_SIZE` contracts begins where the one before ended. A change to any contract that could be on
        it can move its end.

        Args:
            number: the index of the page in the last build; the number of pages for the end of the list.

        Returns:
            The match id, or a later one; None if all later contracts matter.
        """
        size = 0
        for index in range(number, len(self._previous_pages)):
            size += self._previous_pages[index].size
            if size >= PAGE_SIZE:
                return self._previous_pages[index].last
        return None

    def _has_change_between(self, after: str, until: str | None) -> bool:
        if self._changes is None:
            return True
        place = bisect_right(self._changes, _match_id_order(after))
        changes = self._changes[place : place + 1]
        return bool(changes) and (until is None or changes[0] <= _match_id_order(until))

    def unchanged_pages(self) -> set[str]:
        """Return the names of pages that need not be rendered again.

        They have the same contracts and neighbours as in the last build.
        """
        previous_names = set(_names_with_neighbours(self._previous_pages))
        same = {names.name for names in _names_with_neighbours(self.pages) if names in previous_names}
        return same - self._changed_pages

    def rows_of_page(self, number: int) -> list[ContractRow]:
        """Return the contracts on a page, oldest first.

        Call it for one page after the other: a single query then reads them all.

        Args:
            number: the index of the page in `pages`.
        """
        if number != self._next_page:
            self._next_rows = iter(self._rows_from_page(number))
        self._next_page = number + 1
        return list(islice(self._next_rows, self.pages[number].size))

    def newest_rows(self, count: int) -> list[ContractRow]:
        """Return the newest contracts, oldest first.

        Args:
            count: the most contracts to return.
        """
        number, found = len(self.pages), 0
        while number and found < count:
            number -= 1
            found += self.pages[number].size
        return list(self._rows_from_page(number))[-count:]

    def _rows_from_page(self, number: int) -> Iterable[ContractRow]:
        return self.rows_after(self.pages[number - 1].last if number else "")


class _PageNeighbours(NamedTuple):
    """The name of a page, and those of the pages before and after it; empty for none."""

    before: str
    name: str
    after: str


def _names_with_neighbours(pages: Sequence[PageSummary]) -> Iterator[_PageNeighbours]:
    names = ["", *(page.name for page in pages), ""]
    return map(_PageNeighbours, names, names[1:], names[2:])


class _MatchIdOrder(NamedTuple):
    """The order of match ids as numbers, without a limit of their size."""

    digits: int
    match_id: str


def _match_id_order(match_id: str) -> _MatchIdOrder:
    return _MatchIdOrder(len(match_id), match_id)
