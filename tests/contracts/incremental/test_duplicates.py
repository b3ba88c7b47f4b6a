"""Which of two records of one contract a build keeps."""

from itertools import product

import pytest

from statuary.contracts.incremental.precedence import precedence_of
from statuary.contracts.incremental.table_schema import LocatedContract
from statuary.contracts.model.contract_row import ContractRow

EARLY, LATE = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
LEVELS = ("exact_match", "match", None)


def record(location, verified_at, match, runtime, creation):
    row = ContractRow(match, creation, runtime, "1", f"0x{'1' * 40}", verified_at, "7")
    return LocatedContract(location, "unit", row)


def kept_of(*contracts, before=(), is_same_contract=True):
    precedences = [
        precedence_of(one, b"", [*before], is_published=True, is_same_contract=is_same_contract)
        for one in contracts
    ]
    return min(precedences).contract


@pytest.mark.parametrize(("better", "worse"), [(0, 1), (0, 2), (1, 2)])
@pytest.mark.parametrize("side", ["match", "runtime", "creation"])
def test_first_build_keeps_better_match(side, better, worse):
    matches = {"match": "match", "runtime": "match", "creation": "match"}
    good = record("b", LATE, **matches | {side: LEVELS[better]})
    bad = record("a", EARLY, **matches | {side: LEVELS[worse]})
    assert kept_of(bad, good) is good


@pytest.mark.parametrize(("runtime", "creation"), list(product(LEVELS, LEVELS)))
def test_equal_records_keep_first_verified(runtime, creation):
    first, second = (record(name, at, "match", runtime, creation) for name, at in (("b", EARLY), ("a", LATE)))
    assert kept_of(second, first) is first


def test_published_record_outranks_better_match():
    published = record("a", LATE, "match", "match", None)
    newcomer = record("b", EARLY, "exact_match", "exact_match", "exact_match")
    assert kept_of(newcomer, published, before=[("a", b"", published.row)]) is published


def test_match_level_ignores_duplicate_match_id():
    first = record("a", EARLY, "match", "match", None)
    better = record("b", LATE, "exact_match", "exact_match", "exact_match")
    assert kept_of(better, first, is_same_contract=False) is first
