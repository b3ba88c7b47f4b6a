"""The sentence of a contract's page says what its proof shows, side by side, and no more."""

import re
from dataclasses import replace

import pytest

from statuary.base.reasons import make_reason
from statuary.contracts.checks.prove import CONTRACT_CHECKS, prove
from statuary.contracts.model.proof import Claim, ClaimName, ClaimStatus, CompilationEvidence, PinnedBy
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.contracts.pages.proof import PARTS, claims_sentence, evidence_on_page, evidence_sentences
from statuary.site.pages.page_texts import page_texts
from support.contracts import FEATURES, made_record
from support.pages import made_page, page_of

TEXTS = page_texts("en")
BYTE_FOR_BYTE = "byte for byte"


def sentence(record, level=None, **given):
    return claims_sentence(prove(record, **given), level or record["runtimeMatch"] or "", TEXTS)


def exact_record():
    names = [name for name in FEATURES if made_record(name)["match"] == "exact_match"]
    return made_record(names[0])


def test_sentence_describes_runtime_match():
    assert sentence(exact_record()).startswith("The on-chain code in this record equals the compiled code")
    assert BYTE_FOR_BYTE in sentence(exact_record())
    assert BYTE_FOR_BYTE not in sentence(exact_record(), "match")


def test_differing_creation_code_adds_sentence():
    text = claims_sentence(prove(exact_record()), "exact_match", TEXTS, creation_differs=True)
    assert text == f"{sentence(exact_record())} The creation code differs."


def test_missing_evidence_is_stated():
    assert sentence(exact_record()).endswith(
        "nobody has recompiled these sources. Not checked against the chain."
    )


def test_compilation_evidence_requires_matching_digest():
    version = exact_record()["compilation"]["compilerVersion"]
    evidence = CompilationEvidence("ab", version, "cd", "ef", "01", "0.1.0", ())
    text = sentence(exact_record(), compilation=evidence, record_digest="ab")
    assert "This build did not repeat it." in text
    assert "nobody has recompiled these sources" in sentence(
        exact_record(), compilation=evidence, record_digest="cd"
    )


def test_contradicted_record_sentence_claims_nothing():
    record = exact_record()
    record["runtimeBytecode"]["onchainBytecode"] = "0x00" + record["runtimeBytecode"]["onchainBytecode"][4:]
    assert sentence(record).startswith("This record failed checks.")


def test_skipped_checks_leave_match_unconfirmed():
    one = [check for check in CONTRACT_CHECKS if check.name == "invalid-hex"]
    assert BYTE_FOR_BYTE not in sentence(exact_record(), checks=one)


CLAIMED = "Unverified."
HASHED = "Covered by a hash in the bytecode."


def marks(record) -> dict[str, str]:
    return {part: pin.text for part, pin in evidence_sentences(RecordWithProof(record, prove(record)), TEXTS)}


def test_page_parts_state_evidence():
    exact, without_hash = marks(made_record("immutables")), marks(made_record("no hash"))
    assert exact["sources"] == exact["interface"] == exact["settings"] == HASHED
    assert exact["descriptions"] == f"Descriptions: {HASHED}"
    assert exact["storage"] == without_hash["storage"] == CLAIMED
    assert exact["lines"] == f"Source lines at the marks: {CLAIMED}"
    assert exact["deployment"] == exact["code"] == CLAIMED
    assert without_hash["descriptions"] == f"Descriptions: {CLAIMED}"
    assert {without_hash[part] for part in ("sources", "interface", "settings")} == {CLAIMED}
    page = made_page("no hash")
    stated = rf'<svg class="icon s-stated"[^>]*><use href="#i-stated"/></svg> ?(?:Descriptions: )?{re.escape(CLAIMED)}'
    assert page.count(CLAIMED) == len(re.findall(stated, page)), "what is only claimed has the sheet of paper"
    assert f"Descriptions: {CLAIMED}</small></p>" in page  # beside the title from NatSpec
    assert CLAIMED in page.partition('id="source"')[2].partition("<pre")[0]


def test_unhashed_source_file_is_marked():
    record = made_record("plain")
    record["sources"]["more.sol"] = record["stdJsonInput"]["sources"]["more.sol"] = {"content": "// audited"}
    page = page_of(record)
    assert CLAIMED in page.partition("<code>more.sol</code>")[2].partition("<pre")[0]


def failing_record():
    record = made_record("immutables")
    record["runtimeBytecode"]["onchainBytecode"] = "0x00" + record["runtimeBytecode"]["onchainBytecode"][4:]
    return record


def test_failing_record_marks_everything_unverified():
    record = failing_record()
    assert set(marks(record)) == set(PARTS)
    assert {text.rpartition(": ")[2] for text in marks(record).values()} == {CLAIMED}
    page = page_of(record)
    purpose = page.partition('<p class="purpose"')[2].partition("</p>")[0]
    assert purpose.endswith(f"Descriptions: {CLAIMED}</small>")
    assert "i-ok" not in page.partition("</header>")[2].partition("</main>")[0]


def test_failing_record_keeps_proven_parts():
    proof = prove(failing_record())
    proven = proof.find_claim(ClaimName.ON_CHAIN)._replace(status=ClaimStatus.VERIFIED)
    claims = tuple(proven if claim.name is ClaimName.ON_CHAIN else claim for claim in proof.claims)
    pins = evidence_on_page(replace(proof, claims=claims))
    assert pins["runtimeBytecode.onchainBytecode"] is PinnedBy.CHAIN
    assert {pins[member] for part in PARTS.keys() - {"code"} for member in PARTS[part]} == {PinnedBy.CLAIMED}


def test_code_between_auxdata_is_stated():
    page = made_page("factory")
    said = "This bytecode contains code of other contracts: it has 3 sections of compiler metadata"
    assert said in page.partition('<nav class="parts"')[0]
    assert "sections of compiler metadata" not in made_page("plain")


IMPLEMENTATION = "0x" + "11" * 20


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ({}, "As recorded when verified; a proxy can change its implementation."),
        (
            {"blockNumber": 9, "implementation": IMPLEMENTATION},
            "code was a clone that calls",
        ),
        (
            {"blockNumber": 9, "implementation": IMPLEMENTATION, "implementationSlot": "0x36"},
            f"slot 0x36 held {IMPLEMENTATION}.",
        ),
    ],
)
def test_proxy_page_states_claimed_names(evidence, said):
    record = made_record("plain")
    name = "Safe 1.4.1 (audited)"
    record["proxyResolution"] = {
        "isProxy": True,
        "proxyType": "EIP1967Proxy",
        "implementations": [{"address": IMPLEMENTATION, "name": name}],
    }
    proof = prove(made_record("plain"))
    shown = Claim(ClaimName.ON_CHAIN, ClaimStatus.VERIFIED, make_reason("account_proof"), evidence)
    page = page_of(record, replace(proof, claims=(*proof.claims[:4], shown, proof.claims[5])))
    part = page.partition('<h2 id="proxy">')[2].partition("</section>")[0]
    assert "Proxy type EIP1967Proxy, by" in part
    assert f"<code>{IMPLEMENTATION}</code> <small>named “{name}” in the record (unverified)</small>" in part
    assert said in part
    assert "runs the code of" not in part
