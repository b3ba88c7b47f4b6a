"""No forged record of any class is accepted; a record that is only written differently is.

By default each forgery is made from the few smallest real records that can bear it; with the environment variable
`STATUARY_ALL_RECORDS` set, from every real record.
"""

from collections import defaultdict
from functools import cache
from itertools import islice

import orjson
import pytest

from statuary.contracts.checks.prove import IDENTITY_CHECKS, prove, run_checks
from statuary.contracts.model.proof import CheckOutcome, ClaimName, ClaimStatus, PinnedBy
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.contracts.pages.proof import PARTS, evidence_sentences
from statuary.contracts.sources.parse_record import parse_record_json
from statuary.site.pages.page_texts import page_texts
from support.contracts import FEATURES, made_record
from support.forged_records import FALSE_CLAIMS, Unknown, Unpinned, Warned, Withheld
from support.forgeries import FORGERIES, Forgery, repeat
from support.random_runs import IS_LARGE
from support.real_records import real_records, served_vectors
from support.requirements import CHECKOUT

MOST_RECORDS = None if IS_LARGE else 3
FAMILIES = sorted({forgery.family for forgery in FORGERIES})


@cache
def true_records() -> list[bytes]:
    texts = [orjson.dumps(record) for _, record in [*real_records(), *served_vectors()]]
    return sorted(texts, key=len)


def is_believed(record: dict) -> bool:
    parsed = parse_record_json(orjson.dumps(record), "a/record.json").record
    if parsed is None:
        return False
    identity = run_checks(parsed, IDENTITY_CHECKS)
    is_filed = all(result.outcome is not CheckOutcome.FAILED for result in identity)
    return is_filed and prove(parsed).has_no_errors


def borne(forgery: Forgery):
    """Yield the forged records that true records can bear."""
    count = 0
    for text in true_records():
        record = orjson.loads(text)
        if forgery.apply(record) and record != orjson.loads(text):
            yield record
            count += 1
            if count == MOST_RECORDS:
                return


@pytest.mark.parametrize("family", FAMILIES)
def test_forged_records_are_rejected(family):
    made = defaultdict(int)
    for forgery in FORGERIES:
        if forgery.family == family:
            for record in borne(forgery):
                assert not is_believed(record), forgery.name
                made[forgery.name] += 1
    assert sum(made.values()) >= 3
    assert all(made[forgery.name] for forgery in FORGERIES if forgery.family == family), made


def test_repeated_members_are_accepted():
    """What forgeries do to agree with themselves is no fault by itself."""
    for text in true_records()[:20]:
        record = orjson.loads(text)
        repeat(record)
        assert prove(record).has_no_errors


def notes(record) -> set[str]:
    proof = prove(record)
    assert proof.has_no_errors, proof.findings
    return {finding.rule for finding in proof.findings}


def with_transformations(side: str, reason: str) -> dict:
    for text in true_records():
        record = orjson.loads(text)
        steps = record[f"{side}Bytecode"]["transformations"] or []
        if (
            sum(step["reason"] == reason for step in steps) > 1
            and record["compilation"]["language"] == "Solidity"
        ):
            return record
    raise AssertionError(reason)


def test_other_compilations_immutable_ids_give_note():
    """Sourcify keeps one compilation for equal code: ids 37704 and on against 4164 and on, in the same places."""
    record = with_transformations("runtime", "immutable")
    code = record["runtimeBytecode"]
    values = code["transformationValues"]["immutables"]
    renamed = {old: str(int(old) + 33_540) for old in values}
    code["transformationValues"]["immutables"] = {renamed[old]: value for old, value in values.items()}
    for step in code["transformations"]:
        step["id"] = renamed.get(step.get("id"), step.get("id"))
    assert notes(record) == {"runtime-transformations-mismatch"}


def test_renamed_library_ids_give_note():
    record = with_transformations("runtime", "library")
    code = record["runtimeBytecode"]
    values = code["transformationValues"]["libraries"]
    code["transformationValues"]["libraries"] = {f"src/{name}": value for name, value in values.items()}
    for step in code["transformations"]:
        if step["reason"] == "library":
            step["id"] = f"src/{step['id']}"
    assert notes(record) == {"runtime-transformations-mismatch"}


def test_auxdata_of_removed_contract_yields_note():
    """A dead `new A()` leaves A in the assembly, so the pieces are numbered 1 and 3."""
    record = next(
        record
        for record in map(orjson.loads, true_records())
        if len(record["runtimeBytecode"]["cborAuxdata"] or {}) > 1
    )
    for side in ("creationBytecode", "runtimeBytecode"):
        pieces = list(record[side]["cborAuxdata"].values())
        record[side]["cborAuxdata"] = {str(2 * at + 1): piece for at, piece in enumerate(pieces)}
    assert notes(record) == {"missing-auxdata"}


def test_metadata_key_order_may_differ():
    records = [record for record in map(orjson.loads, true_records()[:40]) if record["metadata"]]
    assert records
    for record in records:
        record["metadata"] = dict(reversed(record["metadata"].items()))
        assert notes(record) <= {"understated-match-level"}


@pytest.mark.parametrize("level", ["creation", "runtime"])
def test_understated_match_yields_note(level):
    record = next(
        record
        for record in map(orjson.loads, true_records())
        if record["creationMatch"] == record["runtimeMatch"] == "exact_match"
    )
    record[f"{level}Match"] = "match"
    assert notes(record) == {"overstated-match-level"}


def bearers() -> dict[str, bytes]:
    """Return made records of every shape, and those of the demo network."""
    files = sorted((CHECKOUT / "content/contracts/748463").glob("0x*.json"))
    made = {name: orjson.dumps(made_record(name)) for name in FEATURES}
    return {file.stem: file.read_bytes() for file in files} | made


BEARERS = bearers()

TEXTS = page_texts("en")

MOST_BEARERS = None if IS_LARGE else 8


def lied(claim, name):
    """Return a record that bears a false claim; None if it cannot."""
    record = orjson.loads(BEARERS[name])
    if not claim.apply(record) or orjson.dumps(record) == BEARERS[name]:
        return None
    return record


def lies():
    """Yield each false claim with the first records that can bear it."""
    for claim in FALSE_CLAIMS:
        borne = ((name, record) for name in BEARERS if (record := lied(claim, name)) is not None)
        for name, record in islice(borne, MOST_BEARERS):
            yield pytest.param(claim, record, id=f"{claim.name}, {name}")


LIES = list(lies())


def test_false_claims_cover_many_records():
    kinds = {claim.name for claim in FALSE_CLAIMS}
    assert len(kinds) == len(FALSE_CLAIMS) >= 60
    assert {lie.values[0].name for lie in LIES} == kinds
    assert len(LIES) >= 300


def assert_page_says_no_more(proof, member, pin):
    """The mark of the part of a page that shows a member is that of its pin, or of a weaker one beside it."""
    weakest = [*PinnedBy][[*PinnedBy].index(pin) :]
    said = dict(evidence_sentences(RecordWithProof({}, proof), TEXTS))
    for part in [part for part, members in PARTS.items() if member in members] or {member} & said.keys():
        assert said[part].text.endswith(tuple(TEXTS(f"pinned.{one.name.lower()}") for one in weakest))


@pytest.mark.parametrize(("claim", "record"), LIES)
def test_false_claim_is_never_verified(claim, record):
    proof = prove(record)
    outcomes = {result.check: result.outcome for result in proof.results}
    match claim.verdict:
        case Withheld(check):
            assert not proof.has_no_errors
            assert outcomes[check] is CheckOutcome.FAILED
            assert proof.find_claim(ClaimName.CONSISTENT).status is ClaimStatus.CONTRADICTED
            assert proof.pinned == {}
        case Warned(check):
            assert outcomes[check] is CheckOutcome.WARNED
        case Unpinned(member, pin):
            assert proof.has_no_errors, proof.findings
            assert proof.pinned[member] is pin
            assert_page_says_no_more(proof, member, pin)
        case Unknown(check):
            assert proof.has_no_errors, proof.findings
            assert outcomes[check] is CheckOutcome.NOT_KNOWN
            assert proof.verdict.status is ClaimStatus.NOT_SHOWN
    for name in (ClaimName.COMPILED, ClaimName.ON_CHAIN, ClaimName.DEPLOYED):
        assert proof.find_claim(name).status is ClaimStatus.NOT_SHOWN
    assert PinnedBy.CHAIN not in proof.pinned.values()
