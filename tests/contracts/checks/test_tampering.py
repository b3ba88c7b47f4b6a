"""Every kind of damage, done to every kind of record that can bear it, is noticed by the check meant for it.

By default each damage is done to all made records and to the few smallest real ones that can bear it; with the
environment variable `STATUARY_ALL_RECORDS` set, to every real record.
"""

from functools import cache

import orjson
import pytest

from statuary.contracts.checks.prove import CONTRACT_CHECKS, prove
from support import record_damages
from support.contracts import FEATURES, made_record
from support.random_runs import IS_LARGE
from support.real_records import DATA, real_records, served_vectors
from support.record_damages import DAMAGES, NOT_CATCHABLE
from support.requirements import DATA_INSTALL

MOST_REAL_RECORDS = None if IS_LARGE else 4


@cache
def made_texts() -> list[tuple[str, bytes]]:
    return [(f"made {name}", orjson.dumps(made_record(name))) for name in FEATURES]


@cache
def real_texts() -> list[tuple[str, bytes]]:
    if not DATA.is_dir():
        return []
    texts = [(name, orjson.dumps(record)) for name, record in [*real_records(), *served_vectors()]]
    return sorted(texts, key=lambda pair: len(pair[1]))


def damaged(damage, text):
    """Return a damaged copy of a record, or None if it cannot bear the damage."""
    record = orjson.loads(text)
    record_damages.STRANGER = orjson.loads(made_texts()[6][1])
    return record if damage.apply(record) else None


def findings(record):
    return {(finding.rule, finding.pointer) for finding in prove(record).findings}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.name)
def test_every_damage_is_detected(damage):
    borne = 0
    for texts, most in ((made_texts(), None), (real_texts(), MOST_REAL_RECORDS)):
        bearers = 0
        for name, text in texts:
            record = damaged(damage, text)
            if record is None:
                continue
            before = findings(orjson.loads(text))
            assert damage.caught_by in {rule for rule, _ in findings(record) - before}, name
            bearers += 1
            if most is not None and bearers >= most:
                break
        borne += bearers
    if not borne:
        pytest.skip(f"a record that can bear this damage is absent; to have it: {DATA_INSTALL}")


def test_every_check_catches_some_damage():
    assert len({damage.name for damage in DAMAGES}) == len(DAMAGES) >= 40
    assert {damage.caught_by for damage in DAMAGES} == {check.name for check in CONTRACT_CHECKS}


def test_undetectable_damage_has_no_findings():
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
