"""A chain's list pages, newest contracts first, and the search index.

A page changes only with the contracts on it.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain as chained
from typing import NamedTuple

from statuary.base.primitives import parse_instant
from statuary.base.reserved_names import is_reserved_name
from statuary.contracts.api.list_pages import PageRows, list_pages
from statuary.contracts.model.proof import ClaimStatus
from statuary.contracts.pages.former_pages import FormerPages
from statuary.contracts.pages.trail import Stroke, small_trail
from statuary.contracts.pages.verdict_signs import (
    UNCHECKED,
    claimed_level,
    level_of,
    verdict_key,
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
    SEARCH_INDEX,
    SEARCH_SHARD,
)
from statuary.publish.ledger.contract_rows import ContractRow
from statuary.site.document import Document, encode_json
from statuary.site.pages.page_texts import PageTexts, one_line
from statuary.site.pages.rendering import Renderer
from statuary.site.pages.site_context import FormattedTime, Localization, PageHead
from statuary.site.urls import Url

NEWEST_CONTRACTS = 100
"""Contracts on a chain's first page."""


class ContractListRow(NamedTuple):
    """A contract in a list of contracts."""

    name: str
    address: str
    href: str  # its page, relative to the site's root
    verdict: str  # in words
    sign: str  # of the verdict
    level: str  # the match that the record claims; empty if it is contradicted, or claims none
    language: str  # with the version of the compiler
    verified_at: FormattedTime
    trail: tuple[Stroke, ...]


class PageLink(NamedTuple):
    """A link to another page of the list."""

    day: str  # the day on which its oldest contract was verified, such as 2026-11-02
    contracts: str  # of its contracts, in words
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainView:
    """The inputs of the template for a page of a chain's list."""

    chain: str
    title: str
    chain_id: str
    count: str  # the number of contracts, in words: of the chain, or of the page
    rows: tuple[ContractListRow, ...]  # newest first
    first: str  # the chain's first page, relative to the site's root
    json: str  # the document of the newest contracts
    page: str = ""  # what the page lists, in words; empty for the newest contracts
    pages: tuple[PageLink, ...] = ()  # all pages, newest first; none on one of them
    newer: str = ""  # the neighbours of a page; empty if there is none
    older: str = ""
    languages: tuple[
        str, ...
    ] = ()  # of its contracts, on the chain's first page alone, which can be searched


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainSummary:
    """A chain on the index of contracts."""

    name: str
    chain_id: str
    href: str  # its page, relative to the site's root; empty if its contracts are not listed
    json: str  # the document of its newest contracts
    count: str
    exact: str  # the number of exact matches; empty if contracts are not listed


class ContractsIndexView(NamedTuple):
    """The inputs of the template for the index of contracts."""

    chains: tuple[ChainSummary, ...]
    search: bool
    listed: bool
    newest: tuple[ContractListRow, ...]
    languages: tuple[str, ...]  # of all contracts


class ContractListPages:
    """Renders the list pages of contracts."""

    def __init__(self, renderer: Renderer, entries: Sequence[ContractRow], *, with_pages: bool) -> None:
        self._renderer = renderer
        self._localization: Localization = renderer.localization
        self._with_pages = with_pages
        self._by_chain: dict[str, list[ContractRow]] = {}
        for entry in sorted(entries, key=lambda entry: (int(entry.matchId), entry.chainId, entry.address)):
            self._by_chain.setdefault(entry.chainId, []).append(entry)

    def chain_documents(self, chain: Chain, former: FormerPages) -> Iterator[Document]:
        """Yield a chain's first page, and the changed pages of its list.

        A page links to its neighbours only, so that contracts added or removed elsewhere do not change it.
        """
        texts = self._localization.texts
        oldest_first = self._by_chain.get(chain.chain_id, [])
        pages = list(list_pages(oldest_first)) if len(oldest_first) > NEWEST_CONTRACTS else []
        hrefs = [CHAIN_PAGES.path(chain_id=chain.chain_id, page=page.name) for page in pages]
        links = tuple(
            PageLink(page.rows[0].verifiedAt[:10], texts.count("contracts.count", len(page.rows)), href)
            for page, href in zip(reversed(pages), reversed(hrefs), strict=True)
        )
        yield self._first_page(chain, oldest_first, links)
        neighbours = ["", *hrefs, ""]
        for number, page in enumerate(pages):
            older, newer = neighbours[number], neighbours[number + 2]
            if not former.keeps(hrefs[number], page.rows, older, newer):
                yield self._page(chain, page, older=older, newer=newer)

    def home(
        self, chains: Sequence[Chain], counts: dict[str, int], *, search: bool, has_lists: bool
    ) -> Document:
        """Render the index of contracts, which lists the chains."""
        texts = self._localization.texts
        newest = sorted(
            (entry for entries in self._by_chain.values() for entry in entries[-NEWEST_CONTRACTS:]),
            key=lambda entry: (entry.verifiedAt, int(entry.matchId)),
            reverse=True,
        )
        view = ContractsIndexView(
            chains=tuple(
                self._summary(chain, counts.get(chain.chain_id, 0), has_lists=has_lists) for chain in chains
            ),
            search=search,
            listed=has_lists,
            newest=tuple(self._row(entry) for entry in newest[:10]),
            languages=_languages(chained.from_iterable(self._by_chain.values())),
        )
        head = PageHead(
            path=CONTRACTS_HOME.path(),
            title=texts("contracts.title"),
            description=texts("contracts.page", name=self._renderer.site.name),
            section="contracts",
        )
        return self._renderer.page(CONTRACTS_HOME, "contracts.html", head, view)

    def _first_page(
        self, chain: Chain, oldest_first: Sequence[ContractRow], pages: tuple[PageLink, ...]
    ) -> Document:
        view = self._view(chain, oldest_first[-NEWEST_CONTRACTS:], len(oldest_first))
        return self._document(
            CHAIN_PAGE, view.first, replace(view, pages=pages, languages=_languages(oldest_first))
        )

    def _page(self, chain: Chain, page: PageRows, *, older: str, newer: str) -> Document:
        ids = {"first": page.rows[0].matchId, "last": page.rows[-1].matchId}
        view = self._view(chain, page.rows, len(page.rows))
        words = self._localization.texts("contracts.match_ids", **ids)
        path = CHAIN_PAGES.path(chain_id=chain.chain_id, page=page.name)
        return self._document(CHAIN_PAGES, path, replace(view, page=words, older=older, newer=newer))

    def _view(self, chain: Chain, oldest_first: Sequence[ContractRow], count: int) -> ChainView:
        return ChainView(
            chain=one_line(chain.name),
            title=one_line(chain.title),
            chain_id=chain.chain_id,
            count=self._localization.texts.count("contracts.count", count),
            rows=tuple(map(self._row, reversed(oldest_first))),
            first=CHAIN_PAGE.path(chain_id=chain.chain_id),
            json=CONTRACTS.path(chain_id=chain.chain_id),
        )

    def _document(self, url: Url, path: str, view: ChainView) -> Document:
        texts = self._localization.texts
        head = PageHead(
            path=path,
            title=texts("contracts.of_chain", chain=view.chain),
            description=texts("contracts.chain_page", chain=view.title),
            section="contracts",
        )
        return self._renderer.page(url, "chain.html", head, view)

    def _summary(self, chain: Chain, count: int, *, has_lists: bool) -> ChainSummary:
        exact = sum(level_of(entry) == "exact_match" for entry in self._by_chain.get(chain.chain_id, ()))
        numbers = self._localization.texts.number
        return ChainSummary(
            name=one_line(chain.title),
            chain_id=chain.chain_id,
            href=CHAIN_PAGE.path(chain_id=chain.chain_id) if has_lists else "",
            json=CONTRACTS.path(chain_id=chain.chain_id),
            count=numbers(count),
            exact=numbers(exact) if has_lists else "",
        )

    def _row(self, entry: ContractRow) -> ContractListRow:
        link = CONTRACT_PAGE.pattern if self._with_pages else CONTRACT_LINK
        texts = self._localization.texts
        claimed = claimed_level(entry)
        return ContractListRow(
            name=entry.name or entry.address,
            address=entry.address,
            href=link.format(chain_id=entry.chainId, address=entry.address),
            verdict=texts(verdict_key(entry.verdict)),
            sign=verdict_sign(entry.verdict),
            level=texts(claimed) if claimed else "",
            language=entry.language,
            verified_at=self._localization.dates.moment(parse_instant(entry.verifiedAt)),
            trail=small_trail(entry.trail),
        )


def _languages(entries: Iterable[ContractRow]) -> tuple[str, ...]:
    return tuple(sorted({entry.language.partition(" ")[0] for entry in entries} - {""}))


MAX_PER_TERM = 50
"""The newest contracts that are listed for one term, of each chain, language, match and kind of proxy, so that filters
always find the newest. Every third contract has `transfer(address,uint256)`.
"""

MAX_SHARD_CONTRACTS = 500
"""Contracts that a shard holds at most, unless they all have the same term."""

MAX_SHARD_NAME_LENGTH = 20
"""The most letters of a shard's name: names can have long common beginnings."""

MAX_WORDS = 8
"""Words of one name that can be searched for."""

CACHED_NAMES = 65_536
"""Names of functions and contracts whose search terms are remembered: most contracts have `transfer`."""

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""A word within a name such as `ERC20VotesComp`."""


Terms = Mapping[str, tuple[Sequence[int], Mapping[str, int]]]
"""By term, the newest contracts of each facet, by index among the newest, and their number."""


def search_documents(
    entries: Sequence[ContractRow], texts: PageTexts, *, with_pages: bool
) -> Iterator[Document]:
    """Yield the files of the search index.

    Args:
        with_pages: whether each contract has a file of its own; if not, results lead to the page of any
            contract.
    """
    newest_first = sorted(entries, key=lambda e: (-int(e.matchId), e.chainId, e.address))
    # the values of each contract for the search filters: chain, language, match, and whether it is a proxy
    facets = [
        f"{entry.chainId} {entry.language.partition(' ')[0]} {level_of(entry)} {'proxy' if entry.proxy else ''}"
        for entry in newest_first
    ]
    names: dict[str, list[str]] = {}
    for kind in ("address", "selector", "name", "abi", "all"):
        names[kind] = []
        for name, terms in _shards(_terms(kind, newest_first, facets)):
            names[kind].append(name)
            yield _document(kind, name, terms, newest_first)
    index = {
        "shards": names,
        "levels": {level: texts(f"level.{level}") for level in ("exact_match", "match")},
        "verdicts": {
            verdict: [verdict_sign(verdict), texts(verdict_key(verdict))]
            for verdict in (*map(str, ClaimStatus), UNCHECKED)
        },
        "page": CONTRACT_PAGE.pattern if with_pages else CONTRACT_LINK,
    }
    yield Document(path=SEARCH_INDEX.path(), body=encode_json(index), cache=SEARCH_INDEX.cache)


@lru_cache(maxsize=CACHED_NAMES)
def words_of(name: str) -> Sequence[str]:
    """Split a contract's name into search terms.

    They are its words and the whole name, in lower case, without accents.
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    words = [word.lower() for word in WORD.findall(plain)]
    return list(dict.fromkeys(word for word in (_compared(plain), *words) if len(word) > 1))[:MAX_WORDS]


@lru_cache(maxsize=CACHED_NAMES)
def _compared(term: str) -> str:
    """Normalize a search term for comparison.

    `DOMAIN_SEPARATOR` and `domainSeparator` become the same.
    """
    return re.sub(r"[^a-z0-9]", "", term.lower())


def _terms(kind: str, entries: Sequence[ContractRow], facet_of_each: Sequence[str]) -> Terms:
    terms: dict[str, tuple[list[int], dict[str, int]]] = {}
    for number, (entry, facet) in enumerate(zip(entries, facet_of_each, strict=True)):
        for text in _terms_of(kind, entry):
            found = terms.get(text)
            if found is None:
                found = terms[text] = ([], {})
            numbers, facets = found
            count = facets[facet] = facets.get(facet, 0) + 1
            if count <= MAX_PER_TERM:
                numbers.append(number)
    return terms


def _terms_of(kind: str, entry: ContractRow) -> Iterable[str]:
    if kind == "address":
        return (entry.address[2:].lower(),)
    if kind in ("name", "all"):
        return words_of(entry.name) if kind == "name" else ("",)
    if kind == "abi":
        return (name for name in entry.abi_names.split() if len(_compared(name)) > 1)
    digits = entry.selectors.hex()
    return dict.fromkeys(digits[start : start + 8] for start in range(0, len(digits), 8))


def _shards(terms: Terms, length: int = 1) -> Iterator[tuple[str, Terms]]:
    """Divide search terms into files by their first characters, in order."""
    by_name: dict[str, dict[str, tuple[Sequence[int], Mapping[str, int]]]] = {}
    for term in sorted(terms):
        by_name.setdefault(_compared(term)[:length].ljust(length, "_"), {})[term] = terms[term]
    for name, of_name in by_name.items():
        shard_numbers = {number for numbers, _ in of_name.values() for number in numbers}
        is_small = (
            len(shard_numbers) <= MAX_SHARD_CONTRACTS or len(of_name) == 1 or length == MAX_SHARD_NAME_LENGTH
        )
        if is_small and not is_reserved_name(name):
            yield name, of_name
        else:
            yield from _shards(of_name, length + 1)


def _document(kind: str, name: str, terms: Terms, entries: Sequence[ContractRow]) -> Document:
    places: dict[int, int] = {}
    items = {
        text: [sum(facets.values()), *(places.setdefault(number, len(places)) for number in numbers)]
        for text, (numbers, facets) in terms.items()
    }
    rows = (entries[number] for number in places)
    value = {
        "contracts": [
            [e.chainId, e.address, e.name, e.language, level_of(e), e.proxy, e.verdict, e.trail] for e in rows
        ],
        "terms": items,
        "facets": {
            text: facets for text, (_, facets) in terms.items() if max(facets.values()) > MAX_PER_TERM
        },
    }
    path = SEARCH_SHARD.path(kind=kind, shard=name)
    return Document(path=path, body=encode_json(value), cache=SEARCH_SHARD.cache)
