"""Every kind of damage, done to every kind of record that can bear it, is noticed by the check meant for it.

By default each damage is done to all made records that can bear it, or else to the few smallest of this repository's site;
and to the few smallest real ones. A large run does it to every record.
"""

from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import NamedTuple

import orjson
import pytest

from statuary.contracts.checks.prove import CONTRACT_CHECKS, prove
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contract import read_contract
from statuary.engine.read_content import read_content
from support import damaged_records
from support.contracts import FEATURES, made_record
from support.damaged_records import DAMAGES, NOT_CATCHABLE, Damage, Record
from support.random_runs import IS_LARGE
from support.real_records import DATA, real_records, served_vectors
from support.requirements import CHECKOUT

MOST_RECORDS = None if IS_LARGE else 4
"""How many records of the site, and of the real ones, bear each damage."""


class Bearer(NamedTuple):
    """A record that can bear a damage.

    Attributes:
        name: says which it is.
        text: the record, as JSON.
        damaged: its damaged copy.
    """

    name: str
    text: bytes
    damaged: Record


@cache
def made_texts() -> list[tuple[str, bytes]]:
    return [(f"made {name}", orjson.dumps(made_record(name))) for name in FEATURES]


@cache
def site_texts() -> list[tuple[str, bytes]]:
    """Return the records of this repository's site that prove themselves, smallest first."""
    catalogue, _ = read_content(CHECKOUT / "content")
    parsed = [
        read_contract(CHECKOUT / "content", source) for source in catalogue.content_of(SiteContracts).sources
    ]
    records = [one.record for one in parsed if one.record is not None and prove(one.record).has_no_errors]
    return by_size((f"the site's {record['address']}", record) for record in records)


@cache
def real_texts() -> list[tuple[str, bytes]]:
    return by_size([*real_records(), *served_vectors()]) if DATA.is_dir() else []


def by_size(records: Iterable[tuple[str, Record]]) -> list[tuple[str, bytes]]:
    texts = [(name, orjson.dumps(record)) for name, record in records]
    return sorted(texts, key=lambda pair: len(pair[1]))


def bearers(damage: Damage, texts: list[tuple[str, bytes]], most: int | None = None) -> list[Bearer]:
    """Return the first records that can bear a damage, each with its damaged copy."""
    damaged_records.STRANGER = orjson.loads(made_texts()[6][1])
    copies = ((name, text, orjson.loads(text)) for name, text in texts)
    return list(islice((Bearer(*copy) for copy in copies if damage.apply(copy[2])), most))


def findings(record):
    return {(finding.rule, finding.pointer) for finding in prove(record).findings}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.name)
def test_every_damaged_record_fails_check(damage):
    found = bearers(damage, made_texts())
    if not found or IS_LARGE:
        found += bearers(damage, site_texts(), MOST_RECORDS)
    found += bearers(damage, real_texts(), MOST_RECORDS)
    assert found
    for name, text, damaged in found:
        before = findings(orjson.loads(text))
        assert damage.caught_by in {rule for rule, _ in findings(damaged) - before}, name


def test_every_check_rejects_some_damaged_record():
    assert len({damage.name for damage in DAMAGES}) == len(DAMAGES) >= 40
    assert {damage.caught_by for damage in DAMAGES} == {check.name for check in CONTRACT_CHECKS}


def test_changes_of_unprovable_members_pass():
    """The list of what is beyond offline checks is a list of facts, not of things left undone."""
    assert len(NOT_CATCHABLE) >= 8
    record = made_record("everything")
    record |= {"address": "0x1111111111111111111111111111111111111111", "chainId": "1", "matchId": "99"}
    record["deployment"]["blockNumber"] = "5"
    record["signatures"]["function"].reverse()
    record["storageLayout"] = {"storage": [], "types": {}}
    path, _, name = record["compilation"]["fullyQualifiedName"].rpartition(":")
    record["stdJsonOutput"]["contracts"][path][name]["storageLayout"] = {"storage": [], "types": {}}
    assert findings(record) == set()
