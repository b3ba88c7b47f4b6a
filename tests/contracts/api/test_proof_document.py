"""Every proof keeps to the published schema, whatever the record; every check that it names has a rule."""

from functools import cache
from hashlib import sha256
from itertools import product

import orjson
import pytest
from jsonschema import Draft202012Validator

from statuary.contracts.api.documents import proof_document
from statuary.contracts.api.proof_rules import proof_checks_document, proof_schema_document
from statuary.contracts.checks.prove import prove
from statuary.contracts.incremental.build_contract import build_contracts_of_files
from statuary.contracts.incremental.build_settings import ContractBuildSettings
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.contracts.site_contracts import SiteContracts
from statuary.engine.read_content import read_content
from statuary.site.document import encode_unchecked
from statuary.site.pages.page_texts import english_sentence
from support import damaged_records
from support.contracts import FEATURES, made_record
from support.damaged_records import DAMAGES
from support.proof_checks import CHECKS, generated_checks
from support.random_runs import IS_LARGE
from support.real_records import real_records
from support.requirements import CHECKOUT
from support.tiers import few_by_default


@cache
def validator():
    schema = orjson.loads(proof_schema_document().body)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def proof_of(record, *, published=True):
    proof = proof_document(
        RecordWithProof(record, prove(record), published), "some/file", sentence=english_sentence
    )
    return orjson.loads(proof.body)


def test_demo_site_proofs_match_schema():
    catalogue, _ = read_content(CHECKOUT / "content")
    settings = ContractBuildSettings(
        chains=frozenset(chain.chain_id for chain in catalogue.content_of(SiteContracts).chains)
    )
    sources = list(catalogue.content_of(SiteContracts).sources)
    assert sources
    for built, _ in build_contracts_of_files(CHECKOUT / "content", sources, settings):
        [proof] = [one for one in built.make().documents if one.path.startswith("proof/")]
        validator().validate(orjson.loads(proof.body))


@pytest.mark.slow
def test_real_record_proofs_match_schema():
    for name, record in real_records():
        proof = proof_of(record)
        validator().validate(proof)
        assert proof["holds"], name


@pytest.mark.parametrize("feature", few_by_default(FEATURES, 1))
def test_damaged_record_proofs_match_schema(feature):
    text = orjson.dumps(made_record(feature))
    damaged_records.STRANGER = made_record("everything")
    failed = 0
    damages = DAMAGES if feature == "everything" or IS_LARGE else DAMAGES[::3]
    for damage in damages:
        record = orjson.loads(text)
        if damage.apply(record):
            proof = proof_of(record, published=False)
            validator().validate(proof)
            failed += not proof["holds"]
    assert failed > len(damages) / 6


def test_every_check_has_shipped_rule():
    """`python tests/support/proof_checks.py` writes them again."""
    assert CHECKS.read_text(encoding="utf-8") == generated_checks()


def test_published_rules_have_proof_order():
    explained = orjson.loads(proof_checks_document().body)["checks"]
    assert [one["check"] for one in explained] == [
        one["check"] for one in proof_of(made_record("everything"))["checks"]
    ]
    assert all(
        one["rule"].endswith(".") and one["severity"] in ("error", "warning", "note") for one in explained
    )


WRONG = {
    "match": ["perfect", "", 1],
    "chainId": [1, "01", ""],
    "address": ["0x00", None],
    "holds": ["true", None],
    "published": [None],
    "checks": [{}, [{"check": "x"}], [{"check": "X y", "outcome": "passed"}]],
    "anything else": [1],
}


@pytest.mark.parametrize(
    ("member", "value"), [pair for name, values in WRONG.items() for pair in product([name], values)]
)
def test_schema_rejects_invalid_proofs(member, value):
    assert not validator().is_valid(proof_of(made_record("everything")) | {member: value})


def test_schema_requires_findings_by_outcome():
    proof = proof_of(made_record("everything"))
    note = {"message": "", "pointer": [], "severity": "note"}
    for outcome, findings in product(
        ("passed", "failed", "warned", "not applicable", "skipped"), (None, [note])
    ):
        check = {"check": "x", "outcome": outcome} | ({"findings": findings} if findings else {})
        allowed = outcome == "passed" or (outcome in ("failed", "warned")) == bool(findings)
        assert validator().is_valid(proof | {"checks": [check]}) == allowed


def test_proof_lists_claims_separately():
    claims = proof_of(made_record("everything"))["claims"]
    assert {name: claim["status"] for name, claim in claims.items()} == {
        "consistent": "verified_here",
        "matches": "verified_here",
        "hashed": "verified_here",
        "compiled": "not_shown",
        "onChain": "not_shown",
        "deployed": "not_shown",
    }
    assert claims["hashed"]["evidence"]["runtime"].startswith("ipfs:1220")


def test_proof_names_strongest_evidence_of_member():
    exact, other = (
        proof_of(made_record("plain"))["pinnedBy"],
        proof_of(made_record("other metadata"))["pinnedBy"],
    )
    assert (exact["sources"], exact["abi"], exact["compilation.compilerSettings"]) == ("hash",) * 3
    assert (other["sources"], other["abi"]) == ("self-consistent",) * 2
    assert exact["runtimeBytecode.onchainBytecode"] == other["runtimeBytecode.onchainBytecode"] == "claimed"


def test_source_outside_metadata_is_only_claimed():
    record = made_record("plain")
    for sources in (record["sources"], record["stdJsonInput"]["sources"]):
        sources["Extra.sol"] = {"content": "// nobody compiled this"}
    pinned = proof_of(record)["pinnedBy"]
    assert (pinned["sources"], pinned["sources/Extra.sol"]) == ("hash", "claimed")


def test_proof_names_record_digest():
    record = made_record("plain")
    assert proof_of(record)["recordSha256"] == sha256(encode_unchecked(record)).hexdigest()
