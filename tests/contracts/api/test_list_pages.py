"""The lists of a chain: a contract that is added or removed changes what shows it, and little else."""

from random import Random

import pytest

from statuary.base.primitives import ChainId
from statuary.contracts.api.list_pages import PAGE_SIZE, divide_into_list_pages
from statuary.contracts.api.lists import AddressContracts, chain_documents, group_rows_by_address
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.pages.lists import ContractListPages
from statuary.contracts.pages.previous_pages import PreviousPages, no_previous_pages
from statuary.contracts.pages.search import search_documents
from statuary.contracts.settings import Chain
from statuary.site.pages.page_texts import page_texts
from statuary.site.pages.rendering import Renderer
from support.pages import small_site_context
from support.tiers import few_by_default

COUNT = 3_000


def row(number: int) -> ContractRow:
    digits = Random(f"address {number}").randbytes(20).hex()
    return ContractRow(
        match="match",
        creationMatch=None,
        runtimeMatch="match",
        chainId="1",
        address=f"0x{digits}",
        verifiedAt=f"2026-01-01T00:{number // 60 % 60:02}:{number % 60:02}Z",
        matchId=str(number),
        name=f"Vault{number}",
        language="Solidity 0.8.30",
    )


ROWS = [row(number) for number in range(1, COUNT + 1)]


def documents_of(rows: list[ContractRow]) -> dict[str, bytes]:
    """Return the lists of a chain, those for people and those for programs, and the files of the search."""
    chain = Chain(chain_id=ChainId("1"), name="One", title="One")
    pages = ContractListPages(Renderer(small_site_context()), rows, with_pages=True)
    documents = [
        *chain_documents("1", rows),
        *pages.chain_pages(chain, no_previous_pages()),
        *search_documents(rows, page_texts("en"), with_pages=True),
    ]
    return {document.path: document.body for document in documents}


@pytest.fixture(scope="module")
def every() -> dict[str, bytes]:
    """The lists of all rows."""
    return documents_of(ROWS)


@pytest.mark.parametrize("place", few_by_default([0, 1, 700, 1_499, COUNT - 2], 1))
def test_removed_contract_changes_few_lists(every: dict[str, bytes], place: int):
    without = documents_of(ROWS[:place] + ROWS[place + 1 :])
    changed = {path for path in every.keys() | without.keys() if every.get(path) != without.get(path)}
    lists = {path for path in changed if "search" not in path}
    # the page that lists the contract, its neighbours if the contract is first or last there, the list of the
    # newest contracts and the index: each as JSON and HTML
    assert len(lists) <= 10
    assert sum(len(without.get(path, b"")) for path in changed) < sum(map(len, every.values())) / 8


def test_added_contract_changes_newest_list(every: dict[str, bytes]):
    more = documents_of([*ROWS, row(COUNT + 1)])
    changed = {path for path in more if every.get(path) != more[path] and "search" not in path}
    assert len(changed) <= 6


def test_list_pages_contain_each_contract_once():
    pages = list(divide_into_list_pages(ROWS))
    assert [one for page in pages for one in page.rows] == ROWS
    assert max(len(page.rows) for page in pages) <= PAGE_SIZE
    assert len({page.name for page in pages}) == len(pages)
    assert len(pages) < COUNT / 100
    same = [one._replace(address="0x" + "11" * 20) for one in ROWS]
    assert {len(page.rows) for page in divide_into_list_pages(same)} == {PAGE_SIZE}


def test_only_changed_list_pages_are_rendered():
    rows = ROWS[:1_000]
    chain, former = Chain(chain_id=ChainId("1"), name="One", title="One"), no_previous_pages()
    before = list_pages_of(rows, chain, former)
    edited = [*rows[:400], rows[400]._replace(name="Renamed"), *rows[401:]]
    remembered = PreviousPages(former.digests, before)
    made = list_pages_of(edited, chain, remembered)
    every = list_pages_of(edited, chain, no_previous_pages())
    assert made == {path: body for path, body in every.items() if path in made}
    assert {path for path in every if every[path] != before[path]} <= made.keys()
    assert len(made) == 2  # the chain's first page, and the one with the contract
    assert made.keys() | remembered.kept == every.keys()
    lost = PreviousPages(former.digests, ())
    assert list_pages_of(edited, chain, lost) == every


@pytest.mark.parametrize(
    ("changed", "published", "kept"),
    [
        ({"10"}, {"contracts/1/index.html", "contracts/1/pages/5.html", "contracts/10/index.html"}, True),
        ({"1"}, {"contracts/1/index.html"}, False),
        (None, {"contracts/1/index.html"}, False),
        (set(), {"contracts/1/pages/5.html", "contracts/10/index.html"}, False),
    ],
)
def test_unchanged_chain_keeps_list_pages(changed, published, kept):
    former = PreviousPages({"contracts/1/pages/5.html": "digest"}, published, [], changed)
    assert former.keep_chain_pages("1") is kept
    assert former.kept == ({"contracts/1/index.html", "contracts/1/pages/5.html"} if kept else set())
    assert former.digests == ({"contracts/1/pages/5.html": "digest"} if kept else {})


def list_pages_of(rows: list[ContractRow], chain: Chain, former: PreviousPages) -> dict[str, bytes]:
    """Return the list pages of a chain that differ from former ones."""
    pages = ContractListPages(Renderer(small_site_context()), rows, with_pages=True)
    return {document.path: document.body for document in pages.chain_pages(chain, former)}


@pytest.mark.parametrize(
    ("changed", "published", "kept"),
    [
        ([], ["contracts/search/index.json", "contracts/search/name/a.json", "contracts/index.html"], True),
        ([], ["contracts/index.html"], False),
        ([ROWS[0]], ["contracts/search/index.json"], False),
        (None, ["contracts/search/index.json"], False),
    ],
)
def test_same_contracts_keep_search_files(changed, published, kept):
    former = PreviousPages({}, published, changed)
    assert former.keep_search_files() is kept
    assert former.kept == ({*published[:2]} if kept else set())


def test_first_page_links_every_page(every: dict[str, bytes]):
    first = every["contracts/1/index.html"].decode()
    for path in (path for path in every if path.startswith("contracts/1/pages/")):
        assert f'href="../../{path}"' in first
    pages = [page.name for page in divide_into_list_pages(ROWS)]
    middle = every[f"contracts/1/pages/{pages[5]}.html"].decode()
    for neighbour, relation in ((pages[4], "next"), (pages[6], "prev")):
        assert f'href="../../../contracts/1/pages/{neighbour}.html" rel="{relation}"' in middle


def test_contracts_are_grouped_by_address() -> None:
    first, second = row(1), row(2)
    elsewhere = first._replace(chainId="2", matchId="9")
    rows = [("a", first), ("b", elsewhere), ("c", second)]
    assert list(group_rows_by_address(rows)) == [
        AddressContracts(first.address, ("a", "b"), (first, elsewhere)),
        AddressContracts(second.address, ("c",), (second,)),
    ]
