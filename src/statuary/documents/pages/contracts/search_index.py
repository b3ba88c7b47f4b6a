"""The search over contracts as static files: what begins alike lies in one file, so that a search reads one or two.

    contracts/search/index.json             {"digits": {"address": 2, …}, "shards": {"address": ["00", …], …},
                                             "levels": {"exact_match": "Exact match", …}, "page": "contracts/…"}
    contracts/search/<kind>/<shard>.json    {"contracts": [["1", "0x…", "Vault", "Solidity 0.8.30", "match"], …],
                                             "terms": {"vault": [3, 0, 2]}}

A term's list begins with the number of contracts that have it, then the places of the newest of them in
`contracts`. Kinds are `address` and `selector` (hex digits; of events and errors likewise the first four bytes of
their hash) and `name` (words of names, in lower case). The length of a shard's name grows with the site, so that
a file stays small: at 100,000 contracts nothing is larger than some ten kilobytes in transfer.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.pages.contracts.contract_entry import ContractEntry
from statuary.documents.pages.texts import Texts
from statuary.documents.url_table import CONTRACT, CONTRACT_PAGE, SEARCH_INDEX, SEARCH_SHARD

MOST_PER_TERM = 50
"""Contracts that are told for one term, the newest; every third contract has `transfer(address,uint256)`."""

FULL_SHARD = 500
"""Contracts that a shard should hold on average at most."""

MOST_DIGITS = 4
"""Hex digits of a shard's name at most: 65,536 files of a kind."""

SHORT_NAMES_UP_TO = 20_000
"""Contracts up to which shards of names go by two letters; by three beyond."""

MOST_WORDS = 8
"""Words of one name that can be searched for."""

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""A word within a name such as `ERC20VotesComp`."""


@dataclass(slots=True)
class Shard:
    """A file of the index while it is made.

    Attributes:
        places: the place of each contract in it.
        terms: the contracts of each term, the newest first.
    """

    places: dict[int, int] = field(default_factory=dict)
    terms: dict[str, list[int]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, term: str, number: int) -> None:
        """Add a contract, by its number in the order of the newest, under a term."""
        self.counts[term] = self.counts.get(term, 0) + 1
        numbers = self.terms.setdefault(term, [])
        if len(numbers) < MOST_PER_TERM:
            self.places.setdefault(number, len(self.places))
            numbers.append(number)


def search_documents(
    entries: Sequence[ContractEntry], texts: Texts, *, with_pages: bool
) -> Iterator[Document]:
    """Yield the files of the search.

    Args:
        entries: the contracts, in any order.
        texts: the language of what results say.
        with_pages: whether results lead to pages; to records if not.
    """
    newest_first = sorted(entries, key=lambda e: (-e.match_id, e.chain_id, e.address))
    digits = {kind: _digits(kind, newest_first) for kind in ("address", "selector", "name")}
    shards = {kind: _shards(kind, newest_first, digits[kind]) for kind in digits}
    for kind, of_kind in shards.items():
        for name, shard in of_kind.items():
            yield _document(kind, name, shard, newest_first)
    url = CONTRACT_PAGE if with_pages else CONTRACT
    index = {
        "digits": digits,
        "shards": {kind: list(of_kind) for kind, of_kind in shards.items()},
        "levels": {level: texts(f"level.{level}") for level in ("exact_match", "match")},
        "page": url.pattern,
    }
    yield Document(path=SEARCH_INDEX.path(), body=encode_json(index), cache=SEARCH_INDEX.cache)


def words_of(name: str) -> list[str]:
    """Return what a name can be found by: its words, and the whole of it, in lower case without accents."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    whole = re.sub(r"[^a-z0-9]", "", plain.lower())
    words = [word.lower() for word in WORD.findall(plain)]
    return list(dict.fromkeys(word for word in (whole, *words) if len(word) > 1))[:MOST_WORDS]


def _digits(kind: str, entries: Sequence[ContractEntry]) -> int:
    """Return how many characters a shard's name has."""
    if kind == "name":
        return 2 if len(entries) <= SHORT_NAMES_UP_TO else 3
    count = len(entries)
    if kind == "selector":
        count = sum(len(entry.selectors) // 4 for entry in entries)
    return next((n for n in range(1, MOST_DIGITS) if count <= FULL_SHARD * 16**n), MOST_DIGITS)


def _shards(kind: str, entries: Sequence[ContractEntry], digits: int) -> dict[str, Shard]:
    found: dict[str, Shard] = {}
    for number, entry in enumerate(entries):
        for term in _terms(kind, entry):
            found.setdefault(term[:digits].ljust(digits, "_"), Shard()).add(term, number)
    return dict(sorted(found.items()))


def _terms(kind: str, entry: ContractEntry) -> Iterable[str]:
    if kind == "address":
        return (entry.address[2:].lower(),)
    if kind == "name":
        return words_of(entry.name)
    digits = entry.selectors.hex()
    return (digits[start : start + 8] for start in range(0, len(digits), 8))


def _document(kind: str, name: str, shard: Shard, entries: Sequence[ContractEntry]) -> Document:
    held = [entries[number] for number in shard.places]
    value = {
        "contracts": [[e.chain_id, e.address, e.name, e.language, e.match] for e in held],
        "terms": {
            term: [shard.counts[term], *(shard.places[number] for number in shard.terms[term])]
            for term in sorted(shard.terms)
        },
    }
    return Document(
        path=SEARCH_SHARD.path(kind=kind, shard=name), body=encode_json(value), cache=SEARCH_SHARD.cache
    )
