"""The search index: by the first characters of a term, the newest contracts that have it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from statuary.base.reserved_names import is_reserved_name
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.model.proof import ClaimStatus
from statuary.contracts.pages.previous_pages import PreviousPages, no_previous_pages
from statuary.contracts.pages.verdict_signs import (
    UNCHECKED,
    level_label_key,
    listed_verdict_text_key,
    verdict_sign,
)
from statuary.contracts.urls import CONTRACT_LINK, CONTRACT_PAGE, SEARCH_INDEX, SEARCH_SHARD
from statuary.site.document import Document, encode_json, encode_unchecked
from statuary.site.pages.page_texts import PageTexts

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

ADDRESS = "address"

KINDS = (ADDRESS, "selector", "name", "abi", "all")
"""What contracts are searched by; `all` is for the filters alone."""

FOUND_BY = attrgetter(
    "chainId", "runtimeMatch", "name", "language", "selectors", "abi_names", "verdict", "proxy"
)
"""Returns everything that the search finds a contract by, except its address."""

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""A word within a name such as `ERC20VotesComp`."""


class AlikeContracts(NamedTuple):
    """Contracts that the search treats alike, such as copies of one contract.

    Only their addresses differ. `entry` is one of them, and `numbers` are their positions.
    """

    entry: ContractRow  # the newest of them
    facet: str  # the values for filters: chain, language, match level, and whether it is a proxy
    numbers: list[int]  # their indexes into the list of newest contracts


SearchResult = list[str]
"""What the browser shows of a contract."""


class SearchedContracts(NamedTuple):
    """The contracts that the search finds, newest first.

    A facet has the properties by which readers filter results, such as chain and language.
    """

    results: Sequence[SearchResult]
    facets: Sequence[str]
    alike: Sequence[AlikeContracts]  # all of them in groups, the group with the newest contract first


class TermMatches(NamedTuple):
    """The contracts that the search finds for one word, newest first.

    `facets` are the numbers of results by the properties that readers can filter by.
    """

    newest: list[int]  # the newest contracts for each facet, as indexes into the list of newest contracts
    facets: dict[str, int]  # the number of contracts found, by facet


Terms = Mapping[str, TermMatches]


def search_documents(
    entries: Sequence[ContractRow],
    texts: PageTexts,
    *,
    with_pages: bool,
    previous_pages: PreviousPages | None = None,
) -> Iterator[Document]:
    """Yield the files of the contract search that have changed.

    Args:
        entries: the list entries of all contracts.
        texts: the translated texts of pages.
        with_pages: whether each contract has a page of its own; otherwise results link to the viewer.
        previous_pages: the list pages of the last build; None to make every file.
    """
    previous_pages = no_previous_pages() if previous_pages is None else previous_pages
    newest_first = sorted(entries, key=lambda e: (-int(e.matchId), e.chainId, e.address))
    names: dict[str, list[str]] = {kind: [] for kind in KINDS}
    contracts = _group_alike(newest_first)
    yield from _address_documents(newest_first, contracts, previous_pages, names[ADDRESS])
    for kind in KINDS[1:]:
        yield from _shard_documents(kind, contracts, previous_pages, names[kind])
    yield _index_document(names, texts, with_pages=with_pages)


def _address_documents(
    newest_first: Sequence[ContractRow],
    contracts: SearchedContracts,
    previous_pages: PreviousPages,
    shard_names: list[str],
) -> Iterator[Document]:
    # Addresses are unique, so a file without a changed address stays as it is.
    changed_shards = _possible_shard_names(ADDRESS, previous_pages.changed_contracts)
    if previous_pages.has_search:
        shard_names += previous_pages.keep_shards(ADDRESS, excluded_names=changed_shards)
    alike = [
        AlikeContracts(entry, contracts.facets[number], [number])
        for number, entry in enumerate(newest_first)
        if not previous_pages.has_search or _searched_text(ADDRESS, entry)[0] in changed_shards
    ]
    yield from _shard_documents(ADDRESS, contracts._replace(alike=alike), previous_pages, shard_names)
    shard_names.sort()


def _group_alike(newest_first: Sequence[ContractRow]) -> SearchedContracts:
    # Many contracts have equal interfaces. Each kind of terms looks only at the groups.
    numbers_of: dict[tuple[object, ...], list[int]] = {}
    for number, found_by in enumerate(map(FOUND_BY, newest_first)):
        numbers_of.setdefault(found_by, []).append(number)
    facets = [""] * len(newest_first)
    alike = []
    for numbers in numbers_of.values():
        entry = newest_first[numbers[0]]
        facet = _facet_of(entry)
        alike.append(AlikeContracts(entry, facet, numbers))
        for number in numbers:
            facets[number] = facet
    return SearchedContracts(list(map(_search_result, newest_first)), facets, alike)


def _shard_documents(
    kind: str, contracts: SearchedContracts, previous_pages: PreviousPages, shard_names: list[str]
) -> Iterator[Document]:
    changed_shards = _possible_shard_names(kind, previous_pages.changed_contracts)
    for name, terms in _divide_into_shards(_index_terms(kind, contracts)):
        shard_names.append(name)
        path = SEARCH_SHARD.path(kind=kind, shard=name)
        is_same = previous_pages.has_search and name not in changed_shards
        if not (is_same and previous_pages.keep_page(path)):
            yield _shard_document(path, terms, contracts.results)


def _index_document(names: Mapping[str, Sequence[str]], texts: PageTexts, *, with_pages: bool) -> Document:
    index = {
        "shards": names,
        "levels": {level: texts(f"level.{level}") for level in ("exact_match", "match")},
        "verdicts": {
            verdict: [verdict_sign(verdict), texts(listed_verdict_text_key(verdict))]
            for verdict in (*map(str, ClaimStatus), UNCHECKED)
        },
        "page": CONTRACT_PAGE.pattern if with_pages else CONTRACT_LINK,
    }
    return Document(path=SEARCH_INDEX.path(), body=encode_json(index), cache=SEARCH_INDEX.cache)


@lru_cache(maxsize=CACHED_NAMES)
def words_of_name(name: str) -> Sequence[str]:
    """Return the words by which the search finds a name.

    The words are in lower case, without accents. The whole name is one of them.
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    words = [word.lower() for word in WORD.findall(plain)]
    return list(dict.fromkeys(word for word in (_normalize_term(plain), *words) if len(word) > 1))[:MAX_WORDS]


@lru_cache(maxsize=CACHED_NAMES)
def _normalize_term(term: str) -> str:
    """Normalize a search term for comparison.

    `DOMAIN_SEPARATOR` and `domainSeparator` become the same.
    """
    return re.sub(r"[^a-z0-9]", "", term.lower())


def _search_result(e: ContractRow) -> SearchResult:
    return [e.chainId, e.address, e.name, e.language, level_label_key(e), e.proxy, e.verdict, e.trail]


def _facet_of(entry: ContractRow) -> str:
    language = entry.language.partition(" ")[0]
    return f"{entry.chainId} {language} {level_label_key(entry)} {'proxy' if entry.proxy else ''}"


def _index_terms(kind: str, contracts: SearchedContracts) -> Terms:
    # Several groups of contracts may have the same text. Collect their numbers first, so that each text is
    # split into search terms only once.
    numbers_of: dict[tuple[str, str], list[int]] = {}
    for entry, facet, numbers in contracts.alike:
        numbers_of.setdefault((_searched_text(kind, entry), facet), []).extend(numbers)
    terms: dict[str, TermMatches] = {}
    for (text, facet), numbers in numbers_of.items():
        newest = sorted(numbers)[:MAX_PER_TERM]
        for term in _terms_in_text(kind, text):
            found = terms.get(term)
            if found is None:
                found = terms[term] = TermMatches([], {})
            found.newest.extend(newest)
            found.facets[facet] = found.facets.get(facet, 0) + len(numbers)
    for found in terms.values():
        found.newest.sort()
        if max(found.facets.values()) > MAX_PER_TERM:
            found.newest[:] = _newest_of_each_facet(found.newest, contracts.facets)
    return terms


def _newest_of_each_facet(numbers: Iterable[int], facets: Sequence[str]) -> Iterator[int]:
    counts: dict[str, int] = {}
    for number in numbers:
        facet = facets[number]
        count = counts[facet] = counts.get(facet, 0) + 1
        if count <= MAX_PER_TERM:
            yield number


def _searched_text(kind: str, entry: ContractRow) -> str:
    if kind == ADDRESS:
        return entry.address[2:].lower()
    if kind == "selector":
        return entry.selectors.hex()
    if kind == "name":
        return entry.name
    return entry.abi_names if kind == "abi" else ""


def _terms_in_text(kind: str, text: str) -> Iterable[str]:
    if kind == "selector":
        return dict.fromkeys(text[start : start + 8] for start in range(0, len(text), 8))
    if kind == "name":
        return words_of_name(text)
    return [name for name in text.split() if len(_normalize_term(name)) > 1] if kind == "abi" else (text,)


def _divide_into_shards(terms: Terms, length: int = 1) -> Iterator[tuple[str, Terms]]:
    by_name: dict[str, dict[str, TermMatches]] = {}
    for term in sorted(terms):
        by_name.setdefault(_shard_name(term, length), {})[term] = terms[term]
    for name, of_name in by_name.items():
        shard_numbers = {number for found in of_name.values() for number in found.newest}
        is_small = (
            len(shard_numbers) <= MAX_SHARD_CONTRACTS or len(of_name) == 1 or length == MAX_SHARD_NAME_LENGTH
        )
        if is_small and not is_reserved_name(name):
            yield name, of_name
        else:
            yield from _divide_into_shards(of_name, length + 1)


def _shard_name(term: str, length: int) -> str:
    return _normalize_term(term)[:length].ljust(length, "_")


def _possible_shard_names(kind: str, contracts: Iterable[ContractRow]) -> set[str]:
    terms = {term for entry in contracts for term in _terms_in_text(kind, _searched_text(kind, entry))}
    return {_shard_name(term, length) for term in terms for length in range(1, MAX_SHARD_NAME_LENGTH + 1)}


def _shard_document(path: str, terms: Terms, results: Sequence[SearchResult]) -> Document:
    places: dict[int, int] = {}
    items = {
        text: [sum(facets.values()), *(places.setdefault(number, len(places)) for number in numbers)]
        for text, (numbers, facets) in terms.items()
    }
    value = {
        "contracts": [results[number] for number in places],
        "terms": items,
        "facets": {
            text: facets for text, (_, facets) in terms.items() if max(facets.values()) > MAX_PER_TERM
        },
    }
    return Document(path=path, body=encode_unchecked(value), cache=SEARCH_SHARD.cache)
