"""The sentence of a contract's page says what its proof shows, side by side, and no more."""

import pytest

from statuary.checks.contracts.prove import CONTRACT_CHECKS, prove
from statuary.documents.pages.contract.proof import meaning
from statuary.documents.pages.page_texts import page_texts
from statuary.domain.contracts.proof import CompilationEvidence
from support.contracts import FEATURES, made_record

TEXTS = page_texts("en")
BYTE_FOR_BYTE = "byte for byte"


def sentence(record, levels=None, **given):
    sides = levels or {side: record[f"{side}Match"] or "" for side in ("creation", "runtime")}
    return meaning(prove(record, **given), sides, TEXTS)


def exact_record():
    names = [name for name in FEATURES if made_record(name)["match"] == "exact_match"]
    return made_record(names[0])


def test_two_exact_sides_are_one_sentence():
    assert sentence(exact_record()).startswith(
        "The record's on-chain bytecode is its compiled bytecode, byte for"
    )


@pytest.mark.parametrize(("exact", "other"), [("creation", "runtime"), ("runtime", "creation")])
def test_sides_with_different_levels_are_shown_apart(exact, other):
    text = sentence(exact_record(), {exact: "exact_match", other: "match"})
    assert f"on-chain {exact} bytecode is its compiled bytecode, {BYTE_FOR_BYTE}" in text
    assert f"of the {other} bytecode, only the executable code is" in text


def test_a_missing_side_shows_no_level():
    assert sentence(exact_record(), {"creation": "", "runtime": "exact_match"}) == sentence(exact_record())
    assert BYTE_FOR_BYTE not in sentence(exact_record(), {"creation": "", "runtime": "match"})


def test_claims_without_evidence_are_not_shown():
    assert sentence(exact_record()).endswith(
        "did not compile the sources. Nothing here shows that the on-chain bytecode is the code at the address."
    )


def test_evidence_of_a_compilation_is_called_evidence():
    evidence = CompilationEvidence("ab", "0.8.30", "cd", "ef", "01", "0.1.0", ())
    text = sentence(exact_record(), compilation=evidence, digest="ab")
    assert "this build did not repeat it." in text
    assert "did not compile the sources." in sentence(exact_record(), compilation=evidence, digest="cd")


def test_a_contradicted_record_claims_nothing():
    record = exact_record()
    record["runtimeBytecode"]["onchainBytecode"] = "0x00" + record["runtimeBytecode"]["onchainBytecode"][4:]
    assert sentence(record).startswith("Checks contradict this record.")


def test_checks_that_were_skipped_leave_the_match_unconfirmed():
    one = [check for check in CONTRACT_CHECKS if check.name == "hex-is-well-formed"]
    assert BYTE_FOR_BYTE not in sentence(exact_record(), checks=one)
