"""The search over contracts as static files: terms with the same beginning share one file, so a search reads one or two.

    contracts/search/index.json             {"shards": {"address": ["0", "1", …], …}, "page": "contracts/…",
                                             "levels": {"exact_match": "Exact match", …}}
    contracts/search/<kind>/<shard>.json    {"contracts": [["1", "0x…", "Vault", "Solidity 0.8.30", "match"], …],
                                             "terms": {"vault": [3, 0, 2]}}

A term's list begins with the number of contracts that have it, then the places of the newest of them in
`contracts`. Kinds are `address` and `selector` (hex digits; of events and errors also the first four bytes of
their hash), `name` (words of names, in lower case) and `abi` (names of functions, events and errors as they are
written). A shard is named by the beginning of its terms, with only lower-case letters and digits; one with too many
contracts is divided by the next letter, and the term that ends there goes to `<term>_`. So no file has more than some
ten kilobytes in transfer, however many contracts there are.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.pages.page_texts import PageTexts
from statuary.documents.url_table import CONTRACT, CONTRACT_PAGE, SEARCH_INDEX, SEARCH_SHARD
from statuary.domain.contracts.record import ContractRow

MAX_PER_TERM = 50
"""The newest contracts listed for one term; every third contract has `transfer(address,uint256)`."""

MAX_SHARD_CONTRACTS = 500
"""Contracts that a shard holds at most, unless they all have the same term."""

MAX_SHARD_NAME_LENGTH = 20
"""The most letters of a shard's name: names can have long common beginnings."""

MAX_WORDS = 8
"""Words of one name that can be searched for."""

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""A word within a name such as `ERC20VotesComp`."""


Terms = Mapping[str, Sequence[int]]
"""The contracts of each term, by their number in the order of the newest."""


def search_documents(
    entries: Sequence[ContractRow], texts: PageTexts, *, with_pages: bool
) -> Iterator[Document]:
    """Yield the files of the search.

    Args:
        with_pages: whether results lead to pages; to records if not.
    """
    newest_first = sorted(entries, key=lambda e: (-int(e.matchId), e.chainId, e.address))
    names: dict[str, list[str]] = {}
    for kind in ("address", "selector", "name", "abi"):
        names[kind] = []
        for name, terms in _shards(_terms(kind, newest_first)):
            names[kind].append(name)
            yield _document(kind, name, terms, newest_first)
    index = {
        "shards": names,
        "levels": {level: texts(f"level.{level}") for level in ("exact_match", "match")},
        "page": (CONTRACT_PAGE if with_pages else CONTRACT).pattern,
    }
    yield Document(path=SEARCH_INDEX.path(), body=encode_json(index), cache=SEARCH_INDEX.cache)


def words_of(name: str) -> list[str]:
    """Return the search terms of a name: its words, and the whole of it, in lower case without accents."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    words = [word.lower() for word in WORD.findall(plain)]
    return list(dict.fromkeys(word for word in (_compared(plain), *words) if len(word) > 1))[:MAX_WORDS]


def _compared(term: str) -> str:
    """Return the part of a term that queries are compared with; `DOMAIN_SEPARATOR` and `domainSeparator` have the same."""
    return re.sub(r"[^a-z0-9]", "", term.lower())


def _terms(kind: str, entries: Sequence[ContractRow]) -> Terms:
    found: dict[str, list[int]] = {}
    for number, entry in enumerate(entries):
        for term in _terms_of(kind, entry):
            found.setdefault(term, []).append(number)
    return found


def _terms_of(kind: str, entry: ContractRow) -> Iterable[str]:
    if kind == "address":
        return (entry.address[2:].lower(),)
    if kind == "name":
        return words_of(entry.name)
    if kind == "abi":
        return (name for name in entry.abi_names.split() if len(_compared(name)) > 1)
    digits = entry.selectors.hex()
    return dict.fromkeys(digits[start : start + 8] for start in range(0, len(digits), 8))


def _shards(terms: Terms, length: int = 1) -> Iterator[tuple[str, Terms]]:
    """Yield the shards of terms with a common beginning of some length, by name, in order."""
    by_name: dict[str, dict[str, Sequence[int]]] = {}
    for term in sorted(terms):
        by_name.setdefault(_compared(term)[:length].ljust(length, "_"), {})[term] = terms[term]
    for name, of_name in by_name.items():
        listed = {number for numbers in of_name.values() for number in numbers[:MAX_PER_TERM]}
        if len(listed) <= MAX_SHARD_CONTRACTS or len(of_name) == 1 or length == MAX_SHARD_NAME_LENGTH:
            yield name, of_name
        else:
            yield from _shards(of_name, length + 1)


def _document(kind: str, name: str, terms: Terms, entries: Sequence[ContractRow]) -> Document:
    places: dict[int, int] = {}
    listed = {
        term: [
            len(numbers),
            *(places.setdefault(number, len(places)) for number in numbers[:MAX_PER_TERM]),
        ]
        for term, numbers in terms.items()
    }
    held = [entries[number] for number in places]
    value = {
        "contracts": [[e.chainId, e.address, e.name, e.language, e.match] for e in held],
        "terms": listed,
    }
    return Document(
        path=SEARCH_SHARD.path(kind=kind, shard=name), body=encode_json(value), cache=SEARCH_SHARD.cache
    )
