"""The contracts of a chain: the newest, and pages that are filled from the oldest, so that full ones do not change."""

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
    """A contract in a list."""

    name: str
    address: str
    href: str  # its page, or its record if it has none, relative to the site's root
    level: str
    sign: str  # the icon of the level
    language: str  # with the version of the compiler
    verified_at: FormattedTime


class PageLink(NamedTuple):
    """A page of the list; the link of the present one is empty."""

    number: int
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainView:
    """The content of a page of the list."""

    chain: str
    title: str
    chain_id: str
    count: str  # the number of contracts, in words
    page: int  # the number of the page; 0 for the newest contracts
    rows: tuple[ContractListRow, ...]  # newest first
    pages: tuple[PageLink, ...]
    first: str  # the chain's first page, relative to the site's root
    json: str  # the document of the newest contracts


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainSummary:
    """A chain on the contracts index."""

    name: str
    chain_id: str
    href: str  # its page, relative to the site's root; empty if its contracts are not listed
    json: str  # the document of its newest contracts
    count: str
    exact: str  # the number of exact matches; empty if contracts are not listed


class ContractsIndexView(NamedTuple):
    """The content of the contracts index."""

    chains: tuple[ChainSummary, ...]
    search: bool
    listed: bool
    newest: tuple[ContractListRow, ...]


class ContractListPages:
    """Renders the lists of contracts."""

    def __init__(self, renderer: Renderer, entries: Sequence[ContractRow], *, with_pages: bool) -> None:
        self._renderer = renderer
        self._localization: Localization = renderer.localization
        self._with_pages = with_pages
        self._by_chain: dict[str, list[ContractRow]] = {}
        for entry in sorted(entries, key=lambda entry: (int(entry.matchId), entry.chainId, entry.address)):
            self._by_chain.setdefault(entry.chainId, []).append(entry)

    def chain_documents(self, chain: Chain) -> Iterator[Document]:
        """Yield the pages of the list of a chain."""
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
        """Return the contracts index."""
        texts = self._localization.texts
        newest = sorted(
            (entry for entries in self._by_chain.values() for entry in entries[-NEWEST_CONTRACTS:]),
            key=lambda entry: (entry.verifiedAt, int(entry.matchId)),
            reverse=True,
        )
        view = ContractsIndexView(
            chains=tuple(
                self._summary(chain, counts.get(chain.chain_id, 0), listed=listed) for chain in chains
            ),
            search=search,
            listed=listed,
            newest=tuple(self._row(entry) for entry in newest[:10]),
        )
        head = PageHead(
            path=CONTRACTS_HOME.path(),
            title=texts("contracts.title"),
            description=texts("contracts.page", name=self._renderer.site.name),
            section="contracts",
        )
        return self._renderer.page(CONTRACTS_HOME, "contracts.html", head, view)

    def _page(
        self, chain: Chain, number: int, oldest_first: Sequence[ContractRow], numbers: range, count: int
    ) -> Document:
        texts = self._localization.texts
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

    def _summary(self, chain: Chain, count: int, *, listed: bool) -> ChainSummary:
        exact = sum(entry.match == "exact_match" for entry in self._by_chain.get(chain.chain_id, ()))
        numbers = self._localization.texts.number
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
            level=self._localization.texts(f"level.{entry.match or 'none'}"),
            sign=MATCH_LEVEL_ICONS.get(entry.match or "", "unknown"),
            language=entry.language,
            verified_at=self._localization.dates.moment(parse_instant(entry.verifiedAt)),
        )


def _page_path(chain: Chain, number: int) -> str:
    return CHAIN_PAGES.path(chain_id=chain.chain_id, page=number)
