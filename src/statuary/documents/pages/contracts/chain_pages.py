"""The contracts of a chain as pages: the newest first, then pages filled from the oldest, so that full ones stand still."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from statuary.documents.document import Document
from statuary.documents.pages.dates import FormattedTime, Localization
from statuary.documents.pages.rendering import Renderer
from statuary.documents.pages.site_context import PageHead
from statuary.documents.pages.visible_text import one_line
from statuary.documents.url_table import (
    CHAIN_PAGE,
    CHAIN_PAGES,
    CONTRACT,
    CONTRACT_PAGE,
    CONTRACTS,
    CONTRACTS_HOME,
)
from statuary.domain.contracts.record import ContractRow
from statuary.domain.primitives import parse_instant
from statuary.domain.site_settings import Chain

CONTRACTS_PER_PAGE = 100
"""Contracts on a page."""

NEWEST_CONTRACTS = 100
"""Contracts on a chain's first page."""

MATCH_LEVEL_ICONS = {"exact_match": "operational", "match": "match"}
"""The sign of a match level in lists."""


class ContractListRow(NamedTuple):
    """A contract in a list.

    Attributes:
        name: its name.
        address: its address.
        href: its page, or its record where it has none, relative to the site's root.
        level: its match level in words.
        sign: the sign of the level.
        language: what it is written in.
        verified_at: when it was verified.
    """

    name: str
    address: str
    href: str
    level: str
    sign: str
    language: str
    verified_at: FormattedTime


class PageLink(NamedTuple):
    """A page of a chain's list; the present one has no address."""

    number: int
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainView:
    """What a page of a chain's list says.

    Attributes:
        chain: the chain's name.
        title: its longer name.
        chain_id: its number.
        count: how many contracts it has, in words.
        page: the number of the page; 0 of the newest.
        rows: the contracts on it, the newest first.
        pages: the other pages.
        first: the chain's first page, relative to the site's root.
        json: the document of the newest contracts likewise.
    """

    chain: str
    title: str
    chain_id: str
    count: str
    page: int
    rows: tuple[ContractListRow, ...]
    pages: tuple[PageLink, ...]
    first: str
    json: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainSummary:
    """A chain on the first page of all contracts.

    Attributes:
        name: its name.
        chain_id: its number.
        href: its page, relative to the site's root; empty if its contracts are not listed.
        json: the document of its newest contracts likewise.
        count: how many contracts it has.
        exact: how many of them match exactly; empty if they are not listed.
    """

    name: str
    chain_id: str
    href: str
    json: str
    count: str
    exact: str


class ContractsIndexView(NamedTuple):
    """What the first page of all contracts says.

    Attributes:
        chains: the chains.
        search: whether there is a search.
        listed: whether contracts are listed.
        newest: the newest contracts of all chains.
    """

    chains: tuple[ChainSummary, ...]
    search: bool
    listed: bool
    newest: tuple[ContractListRow, ...]


class ContractListPages:
    """Makes the lists of a site's contracts."""

    def __init__(self, renderer: Renderer, entries: Sequence[ContractRow], *, with_pages: bool) -> None:
        """Take how to render, the contracts, and whether each has a page of its own."""
        self._renderer = renderer
        self._voice: Localization = renderer.voice
        self._with_pages = with_pages
        self._by_chain: dict[str, list[ContractRow]] = {}
        for entry in sorted(entries, key=lambda entry: (int(entry.matchId), entry.chainId, entry.address)):
            self._by_chain.setdefault(entry.chainId, []).append(entry)

    def chain_documents(self, chain: Chain) -> Iterator[Document]:
        """Yield the pages of a chain's list."""
        oldest_first = self._by_chain.get(chain.chain_id, [])
        pages = [
            oldest_first[start : start + CONTRACTS_PER_PAGE]
            for start in range(0, len(oldest_first), CONTRACTS_PER_PAGE)
        ]
        numbers = range(len(pages), 0, -1) if len(oldest_first) > NEWEST_CONTRACTS else range(0)
        yield self._page(chain, 0, oldest_first[-NEWEST_CONTRACTS:], numbers, len(oldest_first))
        for number in numbers:
            yield self._page(chain, number, pages[number - 1], numbers, len(oldest_first))

    def home(
        self, chains: Sequence[Chain], counts: dict[str, int], *, search: bool, listed: bool
    ) -> Document:
        """Return the first page of all contracts."""
        texts = self._voice.texts
        newest = sorted(
            (entry for entries in self._by_chain.values() for entry in entries[-NEWEST_CONTRACTS:]),
            key=lambda entry: (entry.verifiedAt, int(entry.matchId)),
            reverse=True,
        )
        view = ContractsIndexView(
            chains=tuple(self._summary(chain, counts.get(chain.chain_id, 0), listed) for chain in chains),
            search=search,
            listed=listed,
            newest=tuple(self._row(entry) for entry in newest[:10]),
        )
        head = PageHead(
            path=CONTRACTS_HOME.path(),
            title=texts("contracts.title"),
            description=texts("contracts.page", name=self._renderer.frame.name),
            section="contracts",
        )
        return self._renderer.page(CONTRACTS_HOME, "contracts.html", head, view)

    def _page(
        self, chain: Chain, number: int, oldest_first: Sequence[ContractRow], numbers: range, count: int
    ) -> Document:
        texts = self._voice.texts
        first = CHAIN_PAGE.path(chain_id=chain.chain_id)
        view = ChainView(
            chain=one_line(chain.name),
            title=one_line(chain.title),
            chain_id=chain.chain_id,
            count=texts.count("contracts.count", count),
            page=number,
            rows=tuple(map(self._row, reversed(oldest_first))),
            pages=tuple(
                PageLink(number=one, href="" if one == number else _page_path(chain, one)) for one in numbers
            ),
            first=first,
            json=CONTRACTS.path(chain_id=chain.chain_id),
        )
        head = PageHead(
            path=_page_path(chain, number) if number else first,
            title=texts("contracts.of_chain", chain=one_line(chain.name)),
            description=texts("contracts.chain_page", chain=one_line(chain.title)),
            section="contracts",
        )
        return self._renderer.page(CHAIN_PAGES if number else CHAIN_PAGE, "chain.html", head, view)

    def _summary(self, chain: Chain, count: int, listed: bool) -> ChainSummary:  # noqa: FBT001 - called in one place
        exact = sum(entry.match == "exact_match" for entry in self._by_chain.get(chain.chain_id, ()))
        numbers = self._voice.texts.number
        return ChainSummary(
            name=one_line(chain.title),
            chain_id=chain.chain_id,
            href=CHAIN_PAGE.path(chain_id=chain.chain_id) if listed else "",
            json=CONTRACTS.path(chain_id=chain.chain_id),
            count=numbers(count),
            exact=numbers(exact) if listed else "",
        )

    def _row(self, entry: ContractRow) -> ContractListRow:
        url = CONTRACT_PAGE if self._with_pages else CONTRACT
        return ContractListRow(
            name=entry.name or entry.address,
            address=entry.address,
            href=url.path(chain_id=entry.chainId, address=entry.address),
            level=self._voice.texts(f"level.{entry.match or 'none'}"),
            sign=MATCH_LEVEL_ICONS.get(entry.match or "", "unknown"),
            language=entry.language,
            verified_at=self._voice.calendar.moment(parse_instant(entry.verifiedAt)),
        )


def _page_path(chain: Chain, number: int) -> str:
    return CHAIN_PAGES.path(chain_id=chain.chain_id, page=number)
