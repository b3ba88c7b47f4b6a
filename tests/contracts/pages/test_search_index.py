"""The search index: every contract is found by what it can be searched for, in files that stay small."""

import gzip
import json
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

from statuary.base.reserved_names import is_reserved_name
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.pages import search
from statuary.contracts.pages.previous_pages import PreviousPages
from statuary.contracts.pages.search import MAX_PER_TERM, search_documents, words_of_name
from statuary.site.document import Document
from statuary.site.pages.page_texts import page_texts
from support.random_runs import times

CONTRACTS = times(4000)

TRANSFER = bytes.fromhex("a9059cbb")


def entry(
    number: int, name: str = "Vault", selectors: bytes = TRANSFER, abi_names: str = "transfer"
) -> ContractRow:
    digits = Random(f"address {number}").randbytes(20).hex()
    return ContractRow(
        match="match",
        creationMatch=None,
        runtimeMatch="match",
        chainId="1",
        address=f"0x{digits}",
        verifiedAt="2026-01-01T00:00:00Z",
        matchId=str(number),
        name=name,
        language="Solidity 0.8.30",
        selectors=selectors,
        abi_names=abi_names,
    )


def documents_of(entries: list[ContractRow], former: PreviousPages | None = None) -> Iterator[Document]:
    return search_documents(entries, page_texts("en"), with_pages=True, previous_pages=former)


def index_of(entries: list[ContractRow]) -> dict[str, Any]:
    return {
        document.path.removeprefix("contracts/search/"): json.loads(document.body)
        for document in documents_of(entries)
    }


def found(index: dict[str, Any], kind: str, term: str) -> list[list[Any]]:
    """Look a whole term up, as the page's script does."""
    names = index["index.json"]["shards"][kind]
    rows = []
    start = "".join(filter(str.isalnum, term.lower()))
    for name in (one for one in names if one.startswith(start) or start.startswith(one)):
        shard = index[f"{kind}/{name}.json"]
        rows += [shard["contracts"][place] for place in shard["terms"].get(term, [0])[1:]]
    return rows


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ERC20VotesComp", ["erc20votescomp", "erc", "20", "votes", "comp"]),
        ("UniswapV3Pool", ["uniswapv3pool", "uniswap", "pool"]),
        ("my_token-v2", ["mytokenv2", "my", "token"]),
        ("Çafé", ["cafe"]),
        ("中文", []),
        ("x", []),
        ("", []),
    ],
)
def test_name_is_split_into_words(name: str, words: list[str]) -> None:
    assert words_of_name(name) == words


def test_contracts_match_address_selector_and_name() -> None:
    entries = [entry(n, f"Vault{n}Keeper", bytes([n]) * 4 + b"\x12\x34\x56\x78") for n in range(200)]
    index = index_of(entries)
    for one in entries:
        address = one.address[2:]
        assert found(index, "address", address)[0][1] == one.address
        assert one.address in [row[1] for row in found(index, "selector", one.selectors[:4].hex())]
        assert one.address in [row[1] for row in found(index, "name", one.name.lower())]


def test_abi_name_search_is_case_sensitive() -> None:
    index = index_of([entry(1, abi_names="DOMAIN_SEPARATOR transferFrom $ _x"), entry(2, abi_names="")])
    terms = {term: found(index, "abi", term) for term in ("DOMAIN_SEPARATOR", "transferFrom")}
    assert {term: [row[1] for row in rows] for term, rows in terms.items()} == {
        term: [entry(1).address] for term in terms
    }
    assert index["index.json"]["shards"]["abi"] == ["d", "t"]


def test_split_shard_keeps_exact_term() -> None:
    entries = [entry(n, f"To Token{n} Tok") for n in range(600)]
    index = index_of(entries)
    assert "to_" in index["index.json"]["shards"]["name"]
    assert len(found(index, "name", "to")) == MAX_PER_TERM
    assert [row[1] for row in found(index, "name", "totoken7tok")] == [entries[7].address]


def test_shard_names_avoid_reserved_devices() -> None:
    entries = [
        entry(n, f"{word}{letter}{n}") for n in range(300) for word in ("con", "aux") for letter in "ab"
    ]
    shards = index_of(entries)["index.json"]["shards"]["name"]
    assert {"cona", "auxb"} <= {name[:4] for name in shards}
    assert not [name for name in shards if is_reserved_name(name)]
    alone = index_of([entry(n, "Con") for n in range(600)])
    assert not [path for path in alone if is_reserved_name(path.rpartition("/")[2])]


def test_common_term_lists_newest_and_count() -> None:
    entries = [entry(n) for n in range(300)]
    index = index_of(entries)
    shard = next(value for path, value in index.items() if path.startswith("selector/"))
    count, *places = shard["terms"]["a9059cbb"]
    assert count == 300
    newest = [one.address for one in reversed(entries)][:MAX_PER_TERM]
    assert [shard["contracts"][place][1] for place in places] == newest


def test_filters_list_and_count_newest() -> None:
    languages, levels, proxies = (
        ("Solidity 0.8.30", "Vyper 0.4.3", "Yul 0.8.30"),
        ("match", "exact_match"),
        ("", "EIP1967Proxy"),
    )
    entries = [
        entry(n)._replace(
            language=languages[n % 3 if n % 9 else 1], runtimeMatch=levels[n % 2], proxy=proxies[n % 11 == 0]
        )
        for n in range(2_000)
    ]
    index = index_of(entries)
    shards = {path: index[path] for path in ("selector/a.json", "all/_.json")}
    for shard, term in zip(shards.values(), ("a9059cbb", ""), strict=True):
        total, *places = shard["terms"][term]
        assert total == 2_000 == sum(shard["facets"][term].values())
        rows = [shard["contracts"][place] for place in places]
        for language, level, proxy in product(languages, levels, proxies):
            alike = [
                e
                for e in reversed(entries)
                if (e.language, e.runtimeMatch, e.proxy) == (language, level, proxy)
            ]
            listed = [row[1] for row in rows if row[3:6] == [language, level, proxy]]
            assert listed[:MAX_PER_TERM] == [one.address for one in alike[:MAX_PER_TERM]]
            facet = f"{entries[0].chainId} {language.split()[0]} {level} {'proxy' if proxy else ''}"
            assert shard["facets"][term][facet] == len(alike) > 0
    assert max(len(gzip.compress(json.dumps(value).encode())) for value in index.values()) < 40_000


def test_index_names_every_file() -> None:
    index = index_of([entry(n, f"Name{n}") for n in range(50)])
    received = {
        f"{kind}/{shard}.json" for kind, shards in index["index.json"]["shards"].items() for shard in shards
    }
    assert received == set(index) - {"index.json"}


def test_search_index_ignores_contract_order() -> None:
    entries = [entry(n, f"Name{n % 7}") for n in range(60)]
    assert index_of(entries) == index_of(entries[::-1])


def random_entry(random: Random, number: int) -> ContractRow:
    """Return a contract that has some of its terms and facets in common with others."""
    words = random.choices(["Vault", "Con", "Token", "To", "Pool7"], k=random.randrange(4))
    names = random.choices(["mint", "Mint", "con", "burn_all", "burnAll", "ownerOf", "$"], k=4)
    selectors = b"".join(random.choices([TRANSFER, b"abcd", b"abce", random.randbytes(4)], k=3))
    interface = entry(number, "".join(words), selectors, " ".join(names))
    return interface._replace(
        chainId=random.choice("12"),
        language=random.choice(["Solidity 0.8.30", "Vyper 0.4.3"]),
        verdict=random.choice(["", "contradicted"]),
        proxy=random.choice(["", "EIP1167Proxy"]),
    )


@pytest.mark.parametrize("seed", range(8))
def test_partly_rebuilt_search_is_complete(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        search, "MAX_SHARD_CONTRACTS", 8
    )  # files are divided, and united, by single contracts
    random = Random(f"search {seed}")
    before = {number: random_entry(random, number) for number in range(300)}
    after = dict(before)
    for number in random.sample(range(320), k=1 + seed):  # some of them are new
        after[number] = random_entry(random, number)
        if random.random() < 0.4:
            del after[number]
    old, new = ({d.path: d.body for d in documents_of([*rows.values()])} for rows in (before, after))
    changed = [*{*before.values()} ^ {*after.values()}]
    former = PreviousPages(old, changed)
    made = {document.path: document.body for document in documents_of([*after.values()], former)}
    assert made.keys() | former.kept == new.keys()
    assert {path: old[path] for path in former.kept} | made == new
    assert len(former.kept) > len(old) / 4


@pytest.mark.slow
def test_index_files_stay_small() -> None:
    random = Random("a site of many contracts")
    common = [random.randbytes(4) for _ in range(400)]
    verbs, nouns = ("get", "set", "transfer", "mint"), [f"Thing{number}" for number in range(3_000)]
    entries = [
        entry(n, f"{random.choice(['Vault', 'Token', 'Pool', 'Router'])}{random.randrange(5_000)}",
              b"".join({*random.choices(common, k=15), *(random.randbytes(4) for _ in range(10))}),
              " ".join({random.choice(verbs) + random.choice(nouns) for _ in range(25)}))
        for n in range(CONTRACTS)
    ]  # fmt: skip
    documents = search_documents(entries, page_texts("en"), with_pages=True)
    sizes = sorted((len(gzip.compress(document.body)), document.path) for document in documents)
    assert sizes[-1][0] < 40_000, sizes[-1]
