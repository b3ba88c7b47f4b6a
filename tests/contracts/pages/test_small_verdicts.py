"""Lists and search hits show each verdict by a sign and a word, beside the match that the record claims."""

import re

import orjson
import pytest

from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.model.proof import ClaimStatus
from statuary.contracts.pages.lists import ContractListPages
from statuary.contracts.pages.search import search_documents
from statuary.contracts.settings import Chain
from statuary.site.pages.rendering import renderer_of
from support.chain_lists import divided_list
from support.pages import small_site_context

ROW = ContractRow(
    match="exact_match",
    creationMatch="exact_match",
    runtimeMatch="exact_match",
    chainId="31337",
    address="0x" + "ab" * 20,
    verifiedAt="2026-01-01T00:00:00Z",
    matchId="1",
    name="Vault",
    language="Solidity 0.8.30",
)

STATES = {
    ROW._replace(verdict="verified_here"): ("ok", "Verified here", "Exact match"),
    ROW._replace(verdict="stated_by_a_file", trail="os-o-n"): ("stated", "Stated in a file", "Exact match"),
    ROW._replace(verdict="not_shown"): ("none", "Not proven", "Exact match"),
    ROW._replace(verdict="not_shown", runtimeMatch=None): ("none", "Not proven", ""),
    ROW._replace(verdict="contradicted"): ("major", "Contradicted", ""),
    ROW._replace(verdict="", runtimeMatch="match"): ("none", "Not checked", "Match"),
}


def test_every_verdict_is_covered() -> None:
    assert {row.verdict for row in STATES} == {*map(str, ClaimStatus), ""}


@pytest.mark.parametrize("row", STATES)
def test_lists_show_verdict_beside_match(row: ContractRow) -> None:
    pages = ContractListPages(renderer_of(small_site_context()), with_pages=True)
    chain_lists = {"31337": divided_list("31337", [row])}
    home = pages.chains_page([Chain("31337", "Test", "Test")], {"31337": 1}, chain_lists, has_search=False)
    sign, verdict, level = STATES[row]
    text = re.search(r'contract-level">(.*)</p>', home.body.decode())
    assert text
    assert f'class="state s-{sign}"' in text[1]
    assert f"#i-{sign}" in text[1]
    assert re.sub("<[^>]+>", "", text[1]).strip() == f"{verdict} {level}".strip()


STROKE = re.compile(r'class="to-(\w+)" d="M(\d+) (\d+)h10"')

TRAILS = {
    "oo-o-o": [("ok", 8, 3), ("ok", 8, 7), ("ok", 26, 5), ("ok", 44, 5)],
    "os-o-n": [("ok", 8, 3), ("stated", 8, 7), ("ok", 26, 5), ("none", 44, 5)],
    "m-n-n": [("major", 8, 5), ("none", 26, 5), ("none", 44, 5)],
    "": [],
}


@pytest.mark.parametrize("signs", TRAILS)
def test_lists_draw_trail_of_evidence(signs: str) -> None:
    row = ROW._replace(trail=signs)
    pages = ContractListPages(renderer_of(small_site_context()), with_pages=True)
    chain_lists = {"31337": divided_list("31337", [row])}
    home = pages.chains_page([Chain("31337", "Test", "Test")], {"31337": 1}, chain_lists, has_search=False)
    strokes = STROKE.findall(home.body.decode())
    assert [(sign, int(x), int(y)) for sign, x, y in strokes] == TRAILS[signs]


@pytest.mark.parametrize("row", STATES)
def test_search_index_contains_verdicts(row: ContractRow) -> None:
    texts = renderer_of(small_site_context()).localization.texts
    files = {
        document.path.removeprefix("contracts/search/"): orjson.loads(document.body)
        for document in search_documents([row], texts, with_pages=True)
    }
    index, (entry,) = files["index.json"], files["name/v.json"]["contracts"]
    sign, verdict, level = STATES[row]
    assert index["verdicts"][entry[6]] == [sign, verdict]
    assert index["levels"].get(entry[4], "") == level
    assert entry[7] == row.trail
