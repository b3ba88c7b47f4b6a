"""The short way to see that a record's identity is well formed says the same as the checks."""

import orjson

from benchmarks.record_mutants import JUNK, mutant, true_texts
from statuary.contracts.checks.identity_checks import passes_identity_checks
from statuary.contracts.checks.prove import IDENTITY_CHECKS, run_checks
from statuary.contracts.sources.parse_record import validate_record
from support.contracts import made_record
from support.random_runs import seeded

PLACES = [
    *((name,) for name in ("chainId", "address", "matchId", "verifiedAt")),
    *(("deployment", name) for name in ("transactionHash", "blockNumber", "transactionIndex", "deployer")),
]
GENESIS = "-1"
TEXTS = [
    None,
    "",
    "0",
    "00",
    "7",
    "-1",
    "+1",
    "1 ",
    "\u0661",
    "9" * 39,
    "9" * 40,
    "0x",
    "0x" + "a" * 40,
    "0x" + "A" * 40,
    "0x" + "b" * 64,
    "0x" + "B" * 64,
    "0X" + "b" * 64,
    "2026-11-02T10:00:00Z",
    "2026-11-02T10:00:00Z\n",
    "2026-02-30T10:00:00Z",
    "2014-12-31T23:59:59Z",
    "2026-11-02T10:00:00.0Z",
    "2026-11-02 10:00:00Z",
    *JUNK,
]


def found(record):
    return [finding for result in run_checks(record, IDENTITY_CHECKS) for finding in result.findings]


def agrees(record):
    """Whether the two ways agree, but that the checks alone know the numbers of the genesis block."""
    parsed = validate_record(record, None, "record.json").record
    if parsed is None:
        return True
    is_genesis = GENESIS in (parsed["deployment"]["blockNumber"], parsed["deployment"]["transactionIndex"])
    return passes_identity_checks(parsed) == (not found(parsed) and not is_genesis)


def test_fast_identity_check_equals_full_check():
    count = 0
    for place in PLACES:
        for text in TEXTS:
            record = made_record()
            holder = record[place[0]] if len(place) > 1 else record
            holder[place[-1]] = text
            assert agrees(record), (place, text)
            count += passes_identity_checks(record) if validate_record(record, None, "").record else 0
    assert len(PLACES) < count < len(PLACES) * len(TEXTS) / 2


def test_identity_checks_agree_on_mutated_records():
    texts, chance = true_texts(), seeded(1)
    assert any(passes_identity_checks(orjson.loads(text)) for text in texts)
    for text in texts:
        assert agrees(orjson.loads(text))
    assert all(agrees(mutant(texts, chance).record) for _ in range(300))
