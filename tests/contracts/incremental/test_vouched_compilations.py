"""A compilation that the site's author vouches for: claim C is verified under its digest, and no other file is."""

from hashlib import sha256

import orjson
import pytest

from statuary.contracts.incremental.build_contract import build_contract_batch
from statuary.contracts.incremental.build_settings import ContractBuildSettings
from statuary.contracts.model.proof import CompilationEvidence
from statuary.contracts.model.record import sort_members_as_served
from statuary.contracts.settings import ContractSettings
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.evidence import encode_compilation_evidence
from statuary.contracts.sources.parse_record import parse_record_json
from statuary.site.document import encode_unchecked
from support.contracts import made_record
from support.made_anchors import anchor_of

RECORD = sort_members_as_served(made_record())
DIGEST = sha256(encode_unchecked(RECORD)).hexdigest()
CHAIN, ADDRESS = RECORD["chainId"], RECORD["address"]
PATH = f"contracts/{CHAIN}/{ADDRESS}.json"
CODE = str(RECORD["runtimeBytecode"]["onchainBytecode"])
EVIDENCE = CompilationEvidence(
    DIGEST,
    RECORD["compilation"]["compilerVersion"],
    "aa" * 32,
    "bb" * 32,
    "cc" * 32,
    "1.0",
    ("abi", "storageLayout"),
)
LISTED = sha256(encode_compilation_evidence(EVIDENCE)).hexdigest()


def proof_of(evidence, code=CODE, **settings):
    anchor = anchor_of(DIGEST, ADDRESS, code)
    assert anchor.block is not None
    contract = parse_record_json(encode_unchecked(RECORD), PATH)
    contract = contract._replace(compilation=evidence, anchor=anchor)
    settings = ContractBuildSettings(
        chains=frozenset((CHAIN,)),
        checkpoints={CHAIN: {anchor.block.number: anchor.block.hash}},
        contracts=ContractSettings(compilations=(LISTED,)),
        **settings,
    )
    source = ContractSource(PATH, CHAIN, ADDRESS, ContractForm.RECORD)
    (built,) = build_contract_batch([(source, contract)], settings)
    [proof] = [one for one in built.make().documents if one.path.startswith("proof/")]
    return orjson.loads(proof.body)


def test_vouched_compilation_is_shown_as_verified():
    proof = proof_of(EVIDENCE)
    assert proof["claims"]["compiled"]["status"] == "verified_here"
    assert proof["claims"]["compiled"]["evidence"]["outputSha256"] == "cc" * 32
    assert proof["claims"]["compiled"]["evidence"]["vouchedBy"] == "site.yaml"
    assert proof["pinnedBy"]["storageLayout"] == "compiled"
    assert proof["verdict"]["status"] == "verified_here"
    assert "this site's operator recompiled the sources" in proof["verdict"]["sentence"]


@pytest.mark.parametrize("member", EVIDENCE._fields)
def test_changed_compilation_is_not_vouched_for(member):
    changed = (
        EVIDENCE._replace(members=("abi",))
        if member == "members"
        else EVIDENCE._replace(**{member: "dd" * 32})
    )
    proof = proof_of(changed)
    assert proof["claims"]["compiled"]["status"] in ("stated_by_a_file", "not_shown")
    assert proof["verdict"]["status"] != "verified_here"


def test_vouched_compilation_of_other_code_contradicts():
    assert proof_of(EVIDENCE, "0x33ff")["verdict"]["status"] == "contradicted"
