"""True records prove: no real record has a finding, and the proof holds the evidence."""

import re

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.base.findings import Finding, Severity
from statuary.base.rules import rule_text
from statuary.contracts.checks import claims
from statuary.contracts.checks.check import ContractCheck, Evidence, Violation
from statuary.contracts.checks.prove import CONTRACT_CHECKS, ProofInput, prove, prove_batch
from statuary.contracts.checks.public_fact_checks import known_releases
from statuary.contracts.model.field_names import DOTTED, GROUPS, SELECTABLE
from statuary.contracts.model.proof import CheckOutcome, ClaimName, ClaimStatus
from statuary.contracts.model.storage_layout import LayoutFault, find_vyper_layout_faults
from support.contracts import FEATURES, made_record
from support.real_records import DOCTORED, UNDERSTATED, real_records, served_vectors
from support.strategies import steady


def result_of(record, name):
    return next(result for result in prove(record).results if result.check == name)


WITHOUT_PIN = {
    "additionalInput",
    "compilation.fullyQualifiedName",
    "creationMatch",
    "matchId",
    "runtimeMatch",
    "stdJsonInput",
    "stdJsonOutput",
}
"""The members about which a proof says nothing: the place in the site, the verdict, and what repeats other members."""


def test_every_record_member_has_evidence_kind():
    pinned = {
        *claims.COMPILED_MEMBERS,
        *dict(
            claims._evidence_from_record(
                has_hashed_metadata=True, creation_matches=True, runtime_matches=True
            )
        ),
    }
    replayed = {f"{side}Bytecode.transformationValues" for side in ("creation", "runtime")}
    of_pinned_groups = {name for name in DOTTED if name.partition(".")[0] in pinned}
    members = {*SELECTABLE, *DOTTED} - GROUPS.keys() - replayed - of_pinned_groups
    assert members - pinned == WITHOUT_PIN


@pytest.mark.parametrize("name", FEATURES)
def test_synthetic_records_pass_every_check(name):
    proof = prove(made_record(name))
    assert proof.findings == ()
    assert proof.has_no_errors


def test_real_records_have_no_findings():
    count = 0
    for name, record in real_records():
        assert prove(record).findings == (), name
        count += 1
    assert count >= 94


def test_conformance_vectors_have_expected_findings():
    for name, record in served_vectors():
        expected = ["understated-match-level"] if UNDERSTATED in name else []
        assert [finding.rule for finding in prove(record).findings] == expected, name


def test_replaced_bytecode_is_rejected():
    records = {
        name: record for name, record in served_vectors(doctored=True) if name.partition("/")[2] in DOCTORED
    }
    assert len(records) == len(DOCTORED)
    for name, record in records.items():
        assert not prove(record).has_no_errors, name
        assert "creation-bytecode-mismatch" in {finding.rule for finding in prove(record).findings}


def test_each_check_applies_to_some_record():
    """Over all records at hand every check has something to look at somewhere."""
    idle = {check.name for check in CONTRACT_CHECKS}
    for name in FEATURES:
        idle -= {
            result.check
            for result in prove(made_record(name)).results
            if result.outcome is CheckOutcome.PASSED
        }
    assert (
        idle
        == {  # what only Vyper and Yul have, sides that do not match, libraries that were linked twice
            "library-address-mismatch",
            "invented-interface",
            "deceptive-name",
            "refused-setting",
            "invalid-vyper-immutables",
            "vyper-integrity-mismatch",
            "understated-match-level",
        }
    )
    for _, record in [*real_records(), *served_vectors()]:
        idle -= {result.check for result in prove(record).results if result.outcome is CheckOutcome.PASSED}
    assert idle == set()


def test_check_result_contains_evidence():
    record = made_record("everything")
    length = len(record["creationBytecode"]["onchainBytecode"]) // 2 - 1
    assert result_of(record, "creation-bytecode-mismatch").evidence == {"transformations": 6, "bytes": length}
    assert result_of(record, "metadata-sources-mismatch").evidence == {"sources": 1}
    assert result_of(record, "invalid-vyper-immutables").outcome is CheckOutcome.NOT_APPLICABLE
    assert result_of(record, "runtime-metadata-hash-mismatch").evidence["ipfs"].startswith("1220")


def test_unselected_checks_are_skipped():
    chosen = [check for check in CONTRACT_CHECKS if check.name == "creation-bytecode-mismatch"]
    proof = prove(made_record(), chosen)
    run = [result.check for result in proof.results if result.outcome is not CheckOutcome.SKIPPED]
    assert run == ["creation-bytecode-mismatch"]
    assert set(proof.skipped) == {check.name for check in CONTRACT_CHECKS} - {"creation-bytecode-mismatch"}
    for claim in (ClaimName.CONSISTENT, ClaimName.HASHED):
        assert proof.find_claim(claim).status is ClaimStatus.NOT_SHOWN
        assert proof.find_claim(claim).reason.key == "skipped_more"


def test_check_names_are_unique():
    names = [check.name for check in CONTRACT_CHECKS]
    assert len(set(names)) == len(names)
    for each in CONTRACT_CHECKS:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", each.name)
        assert re.fullmatch(r"[A-Z].*\.", each.rule), each.name


def test_check_name_and_rule_follow_function():
    def nothing_is_wrong(record):
        """Nothing is ever wrong.

        Not even here.
        """
        yield Evidence({"chain": record.value["chainId"]})
        yield Violation("but it is", ("chainId",), "mend it")

    made = ContractCheck(*rule_text(nothing_is_wrong), Severity.WARNING, nothing_is_wrong)
    proof = prove(made_record(), [made])
    assert (made.name, made.rule) == ("nothing-is-wrong", "Nothing is ever wrong.")
    assert proof.findings == (
        Finding(
            rule="nothing-is-wrong",
            message="but it is",
            hint="mend it",
            pointer=("chainId",),
            severity=Severity.WARNING,
        ),
    )
    assert proof.results[0].outcome is CheckOutcome.WARNED
    assert proof.has_no_errors


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(
        ["0x", "0xzz", "0X00", "0x" + "00" * 40, "\ud800", "exact_match", "Vyper", "Solidity", "a" * 100_000]
    ),
    st.just([]),
    st.just({}),
    st.just([[[{}]]]),
    st.just({"1": {}}),
    st.just([{"type": "replace", "reason": "library", "offset": 10**30, "id": "x"}]),
    st.just({"a": {"b": [{"start": 10**30, "length": 10**30}]}}),
    st.just({"isProxy": True}),
)


def places(value, pointer=()):
    """Yield the place of every part of a JSON value."""
    yield pointer
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, part in members:
        yield from places(part, (*pointer, key))


TEXT = orjson.dumps(made_record("everything"))
EVERY_CHECK = [check.name for check in CONTRACT_CHECKS]
PLACES = [place for place in places(orjson.loads(TEXT)) if place]


@pytest.mark.slow
@steady
@given(st.lists(st.tuples(st.sampled_from(PLACES), JUNK), min_size=1, max_size=4))
def test_invalid_member_values_give_findings(changes):
    record = orjson.loads(TEXT)
    for place, junk in changes:
        put(record, place, junk)
    proof = prove(record)
    assert [result.check for result in proof.results] == EVERY_CHECK
    assert all(finding.message for finding in proof.findings)


def put(record, place, junk):
    holder = record
    for key in place[:-1]:
        try:
            holder = holder[key]
        except (KeyError, IndexError, TypeError):
            return  # an earlier change took this place away
    try:
        holder[place[-1]] = junk
    except (IndexError, TypeError):
        return


@steady
@given(st.sampled_from(PLACES))
def test_record_without_member_runs_every_check(place):
    record = orjson.loads(TEXT)
    holder = record
    for key in place[:-1]:
        holder = holder[key]
    del holder[place[-1]]
    assert [result.check for result in prove(record).results] == EVERY_CHECK


def test_deeply_nested_record_gives_finding():
    for member in ("abi", "metadata", "userdoc", "storageLayout", "signatures", "proxyResolution"):
        record = made_record()
        deep: list = []
        for _ in range(900):
            deep = [deep]
        record[member] = {"a": deep}
        assert not prove(record).has_no_errors, member


def test_empty_record_is_rejected():
    assert not prove({}).has_no_errors


def test_batch_proofs_match_single_proofs():
    records = [*(made_record(name) for name in FEATURES), {}]
    assert prove_batch([ProofInput(record) for record in records]) == [prove(record) for record in records]


def test_odd_length_bytecode_is_rejected():
    record = made_record()
    record["runtimeBytecode"]["recompiledBytecode"] = record["runtimeBytecode"]["onchainBytecode"][:-1]
    (finding,) = result_of(record, "invalid-hex").findings
    assert finding.pointer == ("runtimeBytecode", "recompiledBytecode")


ROUNDED = [18_446_744_073_709_552_000, "18446744073709552000", 1.8446744073709552e19, "1e+21"]


@pytest.mark.parametrize("slot", ROUNDED, ids=map(str, ROUNDED))
def test_rounded_storage_slot_is_not_checked(slot):
    """Two variables share it, which no compiler does, and a record is not lost for it."""
    place = {"type": "uint256", "slot": slot, "n_slots": 1}
    faults = list(find_vyper_layout_faults({"a": place, "b": place, "c": {"type": "address", "slot": 0}}))
    assert [fault.is_known for fault in faults] == [False, False]
    assert "is not checked: JavaScript rounds numbers above 2^53" in faults[0].message


@pytest.mark.parametrize("slot", ["5", "", "-1", "1e5", -1, 1.5, None, float("inf"), "9" * 90])
def test_vyper_variable_without_slot_is_reported(slot):
    (fault,) = find_vyper_layout_faults({"a": {"type": "uint256", "slot": slot}})
    assert fault == LayoutFault("a variable has no slot", ("a",))


def test_small_slots_are_checked_beside_rounded():
    layout = {
        "a": {"type": "uint256", "slot": 1 << 60},
        "b": {"type": "uint256", "slot": 3},
        "c": {"type": "address", "slot": 3},
    }
    assert [fault.is_known for fault in find_vyper_layout_faults(layout)] == [False, True]


@pytest.mark.parametrize(
    "day", ["2026-11", "99999999-1-1", "", "2026.11.02", "\uff12\uff10\uff12\uff16-11-02"]
)
def test_verification_date_passes_or_is_skipped(day):
    record = made_record() | {"verifiedAt": day}
    assert result_of(record, "verified-before-release").outcome in (
        CheckOutcome.PASSED,
        CheckOutcome.NOT_APPLICABLE,
    )


VERSIONS = {
    "0.5.11+commit.22be8592": ("passed", {"release": "0.5.11"}),
    "0.5.11+commit.c082d0b4": ("passed", {"release": "0.5.11"}),
    "0.4.15+commit.8b45bddb": ("passed", {"release": "0.4.15"}),
    "0.8.19+commit.7dd6d404.mod": ("passed", {"release": "0.8.19"}),
    "0.8.31-nightly.2025.10.1+commit.12345678": ("passed", {"nightly": "2025.10.1"}),
    "0.8.31-nightly.2025.2.30+commit.12345678": ("failed", {"nightly": "2025.2.30"}),
    "99.0.0+commit.12345678": ("passed", {"release": "not known here"}),
    "0.8.19+commit.87f61d96": ("failed", {"release": "0.8.19"}),
    "0.6.13+commit.27d51765": ("failed", {"release": "none"}),
    "vyper 0.3.10+commit.91361694": ("passed", {"release": "0.3.10"}),
    "vyper 0.4.1rc3+commit.1339177d": ("passed", {"release": "0.4.1rc3"}),
    "vyper 0.4.0": ("passed", {"release": "0.4.0"}),
    "vyper 0.4.0+commit.12345678": ("warned", {"release": "0.4.0"}),
    "vyper 0.3.11+commit.91361694": ("failed", {"release": "none"}),
    "vyper 9.0.0": ("passed", {"release": "not known here"}),
    "fe 26.0.0": ("not applicable", {}),
}


@pytest.mark.parametrize("version", VERSIONS)
def test_compiler_version_is_release_or_unknown(version):
    compiler, _, number = version.rpartition(" ")
    record = made_record()
    record["compilation"] |= {"compiler": compiler or "solc", "compilerVersion": number}
    if compiler == "vyper":
        record["compilation"]["language"] = "Vyper"
    result = result_of(record, "unknown-compiler-release")
    outcome, evidence = VERSIONS[version]
    assert result.outcome == outcome
    assert {name: result.evidence[name] for name in evidence} == evidence


def test_release_table_is_ordered():
    solc, vyper = known_releases("solc"), known_releases("vyper")
    assert len(solc) >= 120
    assert len(vyper) >= 78
    assert known_releases("fe") == {}
    days = [release.not_before for release in solc.values() if release.not_before]
    assert days == sorted(days)
    assert solc["0.8.20"].not_before == "2023-05-10"
    assert vyper["0.3.10"].not_before == "2023-10-04"
    assert all(
        re.fullmatch(r"\d{4}-\d\d-\d\d", day) for day in [*days, *(one.not_before for one in vyper.values())]
    )
    commits = [commit for release in (*solc.values(), *vyper.values()) for commit in release.commits]
    assert all(re.fullmatch("[0-9a-f]{7,8}", commit) for commit in commits)
    assert all(release.commits for release in solc.values())
