"""The lists of a chain: a contract that is added or removed changes what shows it, and little else."""

from random import Random

import pytest

from statuary.base.primitives import ChainId
from statuary.contracts.api import list_pages
from statuary.contracts.api.list_pages import PAGE_SIZE, ChainList, divide_into_list_pages
from statuary.contracts.api.lists import AddressContracts, chain_list_documents, group_rows_by_address
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.pages.lists import ContractListPages
from statuary.contracts.pages.previous_pages import PreviousPages, no_previous_pages
from statuary.contracts.pages.search import search_documents
from statuary.contracts.settings import Chain
from statuary.site.pages.page_texts import page_texts
from statuary.site.pages.rendering import Renderer
from support.chain_lists import divided_list, list_of_rows
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
    pages = ContractListPages(Renderer(small_site_context()), with_pages=True)
    chain_list = list_of_rows("1", rows)
    documents = [
        *chain_list_documents(chain_list),
        *pages.chain_pages(chain, chain_list, no_previous_pages()),
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
    assert len({page.page.name for page in pages}) == len(pages)
    assert len(pages) < COUNT / 100
    same = [one._replace(address="0x" + "11" * 20) for one in ROWS]
    assert {len(page.rows) for page in divide_into_list_pages(same)} == {PAGE_SIZE}


def changed_rows(random: Random, rows: list[ContractRow]) -> list[ContractRow]:
    """Return the rows with some of them removed, edited and added, mostly near each other."""
    by_id = {int(row.matchId): row for row in rows}
    middle, spread = random.randrange(len(rows) + 20), random.choice([3, 60, len(rows)])
    for _ in range(random.randint(1, 5)):
        number = max(1, middle + random.randint(-spread, spread))
        edited = row(number)._replace(verifiedAt=f"2026-02-0{random.randint(1, 9)}T00:00:00Z")
        by_id[number] = random.choice([edited, edited._replace(address=row(random.randrange(10**6)).address)])
        if random.random() < 0.4:
            del by_id[number]
    return [by_id[number] for number in sorted(by_id)]


@pytest.mark.parametrize("seed", few_by_default(range(300), 60))
def test_partly_divided_list_is_complete(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(f"list {seed}")
    monkeypatch.setattr(list_pages, "PAGE_SIZE", random.choice([4, 9, 20]))
    rows = [one for one in ROWS[: random.choice([0, 3, 30, 200])] if random.random() < 0.9]
    before = divided_list("1", rows)
    for _ in range(3):  # the pages of one build are the previous ones of the next
        edited = changed_rows(random, rows or ROWS[:1])
        changes = {one.matchId for one in {*rows} ^ {*edited}}
        after, anew = list_of_rows("1", edited, before.pages, changes), list_of_rows("1", edited)
        made = dict(after.divide())
        every = dict(anew.divide())
        assert after.pages == anew.pages
        assert made.items() <= every.items()
        of_page = {one.name: contracts for one, contracts in divide_into_list_pages(rows)}
        for number, page in enumerate(after.pages):
            assert after.rows_of_page(number) == every[page]
            assert page in made or of_page[page.name] == every[page]
        assert after.newest_rows(7) == edited[-7:]
        rows, before = edited, after


def test_only_changed_part_of_list_is_read() -> None:
    before = divided_list("1", ROWS)
    edited = [*ROWS[:1_500], ROWS[1_500]._replace(name="Renamed"), *ROWS[1_501:]]
    after = list_of_rows("1", edited, before.pages, [ROWS[1_500].matchId])
    assert len([*after.divide()]) == 1
    unchanged = list_of_rows("1", ROWS, before.pages, [])
    assert [*unchanged.divide()] == []
    assert unchanged.pages == before.pages
    assert unchanged.unchanged_pages() == {page.name for page in before.pages}


def test_only_changed_list_pages_are_rendered():
    rows = ROWS[:1_000]
    chain = Chain(chain_id=ChainId("1"), name="One", title="One")
    lists = divided_list("1", rows)
    before = list_pages_of(lists, chain, no_previous_pages())
    edited = [*rows[:400], rows[400]._replace(name="Renamed"), *rows[401:]]
    every = list_pages_of(divided_list("1", edited), chain, no_previous_pages())
    partly = divided_list("1", edited, lists.pages, [rows[400].matchId])
    remembered = PreviousPages(before)
    made = list_pages_of(partly, chain, remembered)
    assert made == {path: body for path, body in every.items() if path in made}
    assert {path for path in every if every[path] != before[path]} <= made.keys()
    assert len(made) == 2  # the chain's first page, and the one with the contract
    assert made.keys() | remembered.kept == every.keys()
    assert list_pages_of(partly, chain, no_previous_pages()) == every


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
    former = PreviousPages(published, [], changed)
    assert former.keep_chain_pages("1") is kept
    assert former.kept == ({"contracts/1/index.html", "contracts/1/pages/5.html"} if kept else set())


def list_pages_of(chain_list: ChainList, chain: Chain, former: PreviousPages) -> dict[str, bytes]:
    """Return the list pages of a chain that differ from former ones."""
    pages = ContractListPages(Renderer(small_site_context()), with_pages=True)
    return {document.path: document.body for document in pages.chain_pages(chain, chain_list, former)}


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
    former = PreviousPages(published, changed)
    assert former.keep_search_files() is kept
    assert former.kept == ({*published[:2]} if kept else set())


def test_first_page_links_every_page(every: dict[str, bytes]):
    first = every["contracts/1/index.html"].decode()
    for path in (path for path in every if path.startswith("contracts/1/pages/")):
        assert f'href="../../{path}"' in first
    pages = [page.name for page, _ in divide_into_list_pages(ROWS)]
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
