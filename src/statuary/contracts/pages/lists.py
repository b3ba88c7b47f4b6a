"""A chain's list pages, newest contracts first.

A page changes only with the contracts on it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from statuary.base.primitives import parse_instant
from statuary.contracts.api.list_pages import ChainList, PageSummary
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.pages.previous_pages import PreviousPages
from statuary.contracts.pages.trail import Stroke, small_trail
from statuary.contracts.pages.verdict_signs import (
    claimed_level_text_key,
    listed_verdict_text_key,
    verdict_sign,
)
from statuary.contracts.settings import Chain
from statuary.contracts.urls import (
    CHAIN_PAGE,
    CHAIN_PAGES,
    CONTRACT_LINK,
    CONTRACT_PAGE,
    CONTRACTS,
    CONTRACTS_HOME,
)
from statuary.site.document import Document
from statuary.site.pages.page_texts import one_line
from statuary.site.pages.rendering import Renderer
from statuary.site.pages.site_context import FormattedTime, Localization, PageHead
from statuary.site.urls import Url

NEWEST_CONTRACTS = 100
"""Contracts on a chain's first page."""


class ContractListRow(NamedTuple):
    """A row in a list of contracts on a page."""

    name: str
    address: str
    href: str  # the URL of the contract's page, relative to the site's root
    verdict: str  # the verdict in words
    sign: str  # the sign of the verdict
    level: str  # the match level in the record; empty if there is none, or the record is contradicted
    language: str  # the language and the compiler's version
    verified_at: FormattedTime
    trail: tuple[Stroke, ...]


class PageLink(NamedTuple):
    """A link to another page of the list."""

    day: str  # the day on which the oldest contract of the page was verified, such as 2026-11-02
    contracts: str  # the number of contracts, in words
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainView:
    """The values that the template for a chain's list needs."""

    chain: str
    title: str
    chain_id: str
    count: str  # the number of contracts on the chain or the page, in words
    rows: tuple[ContractListRow, ...]  # newest first
    first: str  # the chain's first page, relative to the site's root
    json: str  # the document of the newest contracts
    page: str = ""  # what the page lists, in words; empty for the newest contracts
    pages: tuple[PageLink, ...] = ()  # all pages, newest first; empty on a page that is one of them
    newer: str = ""  # the neighbours of a page; empty if there is none
    older: str = ""
    languages: tuple[str, ...] = ()  # those of the chain's contracts, on the first page, for the search


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainSummary:
    """A chain on the page that lists all chains."""

    name: str
    chain_id: str
    href: str  # the chain's page, relative to the site's root; empty if no page lists the contracts
    json: str  # the API document that lists the chain's newest contracts
    count: str
    exact: str  # the number of exact matches; empty if contracts are not listed


class ContractsIndexView(NamedTuple):
    """The values that the template for the list of chains needs."""

    chains: tuple[ChainSummary, ...]
    search: bool
    listed: bool
    newest: tuple[ContractListRow, ...]
    languages: tuple[str, ...]  # the languages of all contracts


class ContractListPages:
    """Renders the pages that list contracts."""

    def __init__(self, renderer: Renderer, *, with_pages: bool) -> None:
        self._renderer = renderer
        self._localization: Localization = renderer.localization
        self._with_pages = with_pages

    def chain_pages(
        self, chain: Chain, chain_list: ChainList, previous_pages: PreviousPages
    ) -> Iterator[Document]:
        """Yield the pages that list the contracts of a chain.

        Pages that have not changed since the last build are skipped, except the first one. A page links only
        to the page before and the page after it, so most pages stay the same.

        Args:
            chain_list: the chain's contracts, divided into pages.
            previous_pages: the list pages of the last build.
        """
        texts = self._localization.texts
        count = sum(page.size for page in chain_list.pages)
        pages = chain_list.pages if count > NEWEST_CONTRACTS else []
        hrefs = [CHAIN_PAGES.path(chain_id=chain.chain_id, page=page.name) for page in pages]
        links = tuple(
            PageLink(page.day, texts.count("contracts.count", page.size), href)
            for page, href in zip(reversed(pages), reversed(hrefs), strict=True)
        )
        view = self._chain_view(chain, chain_list.newest_rows(NEWEST_CONTRACTS), count)
        languages = _languages_of(chain_list.pages)
        yield self._render_list_page(CHAIN_PAGE, view.first, replace(view, pages=links, languages=languages))
        unchanged_pages = chain_list.unchanged_pages()
        neighbours = ["", *hrefs, ""]
        for number, page in enumerate(pages):
            older, newer = neighbours[number], neighbours[number + 2]
            if not (page.name in unchanged_pages and previous_pages.keep_page(hrefs[number])):
                rows = chain_list.rows_of_page(number)
                yield self._render_numbered_page(chain, page, rows, older=older, newer=newer)

    def chains_page(
        self,
        chains: Sequence[Chain],
        counts: dict[str, int],
        chain_lists: Mapping[str, ChainList],
        *,
        has_search: bool,
    ) -> Document:
        """Return the page that lists the chains of the site.

        Args:
            counts: the number of contracts by chain id.
            chain_lists: the list of each chain by chain id; empty if no page lists contracts.
            has_search: whether the page has a search.
        """
        texts = self._localization.texts
        newest = sorted(
            (row for chain_list in chain_lists.values() for row in chain_list.newest_rows(NEWEST_CONTRACTS)),
            key=lambda row: (row.verifiedAt, int(row.matchId)),
            reverse=True,
        )
        view = ContractsIndexView(
            chains=tuple(
                self._chain_summary(chain, counts.get(chain.chain_id, 0), chain_lists.get(chain.chain_id))
                for chain in chains
            ),
            search=has_search,
            listed=bool(chain_lists),
            newest=tuple(self._contract_list_row(entry) for entry in newest[:10]),
            languages=_languages_of(page for chain_list in chain_lists.values() for page in chain_list.pages),
        )
        head = PageHead(
            path=CONTRACTS_HOME.path(),
            title=texts("contracts.title"),
            description=texts("contracts.page", name=self._renderer.site.name),
            section="contracts",
        )
        return self._renderer.page(CONTRACTS_HOME, "contracts.html", head, view)

    def _render_numbered_page(
        self, chain: Chain, page: PageSummary, rows: Sequence[ContractRow], *, older: str, newer: str
    ) -> Document:
        view = self._chain_view(chain, rows, page.size)
        words = self._localization.texts("contracts.match_ids", first=page.first, last=page.last)
        path = CHAIN_PAGES.path(chain_id=chain.chain_id, page=page.name)
        return self._render_list_page(CHAIN_PAGES, path, replace(view, page=words, older=older, newer=newer))

    def _chain_view(self, chain: Chain, oldest_first: Sequence[ContractRow], count: int) -> ChainView:
        return ChainView(
            chain=one_line(chain.name),
            title=one_line(chain.title),
            chain_id=chain.chain_id,
            count=self._localization.texts.count("contracts.count", count),
            rows=tuple(map(self._contract_list_row, reversed(oldest_first))),
            first=CHAIN_PAGE.path(chain_id=chain.chain_id),
            json=CONTRACTS.path(chain_id=chain.chain_id),
        )

    def _render_list_page(self, url: Url, path: str, view: ChainView) -> Document:
        texts = self._localization.texts
        head = PageHead(
            path=path,
            title=texts("contracts.of_chain", chain=view.chain),
            description=texts("contracts.chain_page", chain=view.title),
            section="contracts",
        )
        return self._renderer.page(url, "chain.html", head, view)

    def _chain_summary(self, chain: Chain, count: int, chain_list: ChainList | None) -> ChainSummary:
        numbers = self._localization.texts.number
        exact = "" if chain_list is None else numbers(sum(page.exact for page in chain_list.pages))
        return ChainSummary(
            name=one_line(chain.title),
            chain_id=chain.chain_id,
            href="" if chain_list is None else CHAIN_PAGE.path(chain_id=chain.chain_id),
            json=CONTRACTS.path(chain_id=chain.chain_id),
            count=numbers(count),
            exact=exact,
        )

    def _contract_list_row(self, entry: ContractRow) -> ContractListRow:
        link = CONTRACT_PAGE.pattern if self._with_pages else CONTRACT_LINK
        texts = self._localization.texts
        claimed = claimed_level_text_key(entry)
        return ContractListRow(
            name=entry.name or entry.address,
            address=entry.address,
            href=link.format(chain_id=entry.chainId, address=entry.address),
            verdict=texts(listed_verdict_text_key(entry.verdict)),
            sign=verdict_sign(entry.verdict),
            level=texts(claimed) if claimed else "",
            language=entry.language,
            verified_at=self._localization.dates.day_of(parse_instant(entry.verifiedAt)),
            trail=small_trail(entry.trail),
        )


def _languages_of(pages: Iterable[PageSummary]) -> tuple[str, ...]:
    return tuple(sorted({language for page in pages for language in page.languages}))
