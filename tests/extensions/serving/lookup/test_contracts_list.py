"""The list from its pages, held to sorting and cutting the whole."""

import json
from collections.abc import Iterable
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from statuary.contracts.api import list_pages
from statuary.contracts.api import lists as contract_lists
from statuary.contracts.model.contract_row import ContractRow
from statuary.extensions.serving.lookup import ListQuery, make_contracts_list
from support.chain_lists import list_of_rows

MATCH_IDS = st.sets(st.integers(1, 60) | st.integers(2**53, 2**53 + 9), max_size=30)


def lists_of(numbers: Iterable[int], size: int = list_pages.PAGE_SIZE) -> dict[str, bytes]:
    """Return the lists of chain 5 with contracts of these match ids, in pages of a size."""
    rows = [ContractRow("x", "x", "x", "5", "x", "x", str(number)) for number in sorted(numbers)]
    with patch.object(list_pages, "PAGE_SIZE", size):
        return {one.path: one.body for one in contract_lists.chain_list_documents(list_of_rows("5", rows))}


@given(MATCH_IDS, st.integers(1, 7), st.booleans(), st.integers(1, 199), st.none() | st.integers(0, 70))
def test_contract_list_applies_limit_and_cursor(numbers, size, newest_first, limit, after):
    site = lists_of(numbers, size)
    listing = ListQuery(newest_first=newest_first, limit=limit, after_match_id=after)
    in_order = sorted(numbers, reverse=newest_first)
    beyond = [
        number for number in in_order if after is None or (number < after if newest_first else number > after)
    ]
    results = json.loads(make_contracts_list("5", listing, site.get))["results"]
    assert [int(result["matchId"]) for result in results] == beyond[:limit]


def test_contract_list_reads_few_pages():
    site = lists_of(range(1, 1_001))
    read: list[str] = []

    def reading(path: str) -> bytes | None:
        read.append(path)
        return site.get(path)

    make_contracts_list("5", ListQuery(after_match_id=701), reading)
    assert read == [
        "v2/contracts-pages/5/index.json",
        "v2/contracts-pages/5/601.json",
        "v2/contracts-pages/5/401.json",
    ]


def test_default_contract_list_is_stored_document():
    site = lists_of([1, 2])
    assert make_contracts_list("5", ListQuery(), site.get) is site["v2/contracts/5"]


def test_empty_chain_returns_empty_list():
    assert make_contracts_list("5", ListQuery(), {}.get) == b'{"results":[]}'
    assert make_contracts_list("5", ListQuery(limit=3), {}.get) == b'{"results":[]}'
