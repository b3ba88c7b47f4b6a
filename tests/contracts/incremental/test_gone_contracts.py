"""A contract that site.yaml says is gone: the proof of that is a note, and nothing else against the record becomes one."""

import datetime as dt
import json
from hashlib import sha256

import orjson
import pytest
from click.testing import CliRunner

from statuary.base.findings import Severity
from statuary.cli.main import command
from statuary.contracts.checks.prove import prove
from statuary.contracts.incremental.build_contract import _onchain_code_findings, build_contract_batch
from statuary.contracts.incremental.build_settings import ContractBuildSettings
from statuary.contracts.model.known_contradiction import KnownContradiction
from statuary.contracts.model.proof import ClaimStatus
from statuary.contracts.model.record import sort_members_as_served
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.evidence import encode_anchor
from statuary.contracts.sources.parse_record import parse_record_json
from statuary.site.document import encode_unchecked
from support.contracts import made_record
from support.made_anchors import anchor_of
from support.sites import write_files

RECORD = sort_members_as_served(made_record())
DIGEST = sha256(encode_unchecked(RECORD)).hexdigest()
CHAIN, ADDRESS = RECORD["chainId"], RECORD["address"]
PATH = f"contracts/{CHAIN}/{ADDRESS}.json"
SOURCE = ContractSource(PATH, CHAIN, ADDRESS, ContractForm.RECORD)
GONE = KnownContradiction(ADDRESS, dt.date(2026, 11, 20), "The bridge destroyed itself.")
OWN_CODE = str(RECORD["runtimeBytecode"]["onchainBytecode"])


@pytest.mark.parametrize(
    ("code", "unlisted", "listed"),
    [
        (OWN_CODE, [], [Severity.WARNING]),
        ("0x", [Severity.ERROR], [Severity.NOTE]),
        ("0x33ff", [Severity.ERROR], [Severity.ERROR, Severity.WARNING]),
    ],
    ids=["own code", "no code", "other code"],
)
def test_only_missing_code_can_be_acknowledged(code, unlisted, listed):
    proof = prove(RECORD, anchor=anchor_of(DIGEST, ADDRESS, code), record_digest=DIGEST)
    assert proof.verdict is not None
    assert (proof.verdict.status is ClaimStatus.CONTRADICTED) == (code != OWN_CODE)
    assert [finding.severity for finding in _onchain_code_findings(proof, SOURCE, None)] == unlisted
    findings = list(_onchain_code_findings(proof, SOURCE, GONE))
    assert [finding.severity for finding in findings] == listed
    if code == "0x":
        assert findings[0].message.endswith(
            "there is no code at the address; known since 2026-11-20: The bridge destroyed itself."
        )


def test_acknowledged_contract_without_proof_gives_warning():
    findings = list(_onchain_code_findings(prove(RECORD), SOURCE, GONE))
    assert [finding.severity for finding in findings] == [Severity.WARNING]


SITE = f"""\
page: {{name: Demo, url: 'https://status.example', time_zone: Etc/UTC}}
chains:
  - chain_id: {CHAIN}
    name: Demo
"""
LISTED = f"    gone: [{{address: '{ADDRESS.lower()}', date: 2026-11-20, reason: It destroyed itself.}}]\n"


@pytest.mark.slow
def test_build_with_known_contradiction_succeeds(tmp_path):
    anchor = encode_anchor(anchor_of(DIGEST, ADDRESS, "0x"))
    content, out = tmp_path / "content", tmp_path / "site"
    files = {PATH: orjson.dumps(RECORD), f"{PATH.removesuffix('.json')}/anchor.json": anchor}
    for site, code in ((SITE, 4), (SITE + LISTED, 0), (SITE, 4)):
        write_files(content, {"site.yaml": site, **files})
        arguments = ["build", "--content", str(content), "--out", str(out), "--now", "2027-02-01T00:00:00Z"]
        result = CliRunner().invoke(command, arguments)
        assert result.exit_code == code, result.output
        assert ("known since 2026-11-20: It destroyed itself." in result.output) == (code == 0)
        proof = json.loads((out / f"proof/{CHAIN}/{ADDRESS}.json").read_bytes())
        assert proof["verdict"]["status"] == "contradicted"
        assert b"no code" in (out / f"contracts/{CHAIN}/{ADDRESS}.html").read_bytes()


FORGED = {**RECORD, "verifiedAt": "2019-01-01T00:00:00Z"}  # before the release of its compiler


def built(record, **settings):
    """Return a record as a build with some settings makes it."""
    contract = parse_record_json(encode_unchecked(record), PATH)
    settings = ContractBuildSettings(chains=frozenset((CHAIN,)), **settings)
    (contract,) = build_contract_batch([(SOURCE, contract)], settings)
    return contract


@pytest.mark.parametrize(
    ("record", "listed", "published", "severities"),
    [
        (FORGED, False, False, {Severity.ERROR}),
        (FORGED, True, True, {Severity.NOTE}),
        (RECORD, False, True, set()),
        (RECORD, True, True, {Severity.WARNING}),
    ],
    ids=["forged", "known", "true", "wrongly listed"],
)
def test_known_rejection_is_published_with_notes(record, listed, published, severities):
    rejected = {CHAIN: {ADDRESS.lower(): GONE}} if listed else {}
    contract = built(record, rejected=rejected)
    assert contract.is_published == published
    assert {finding.severity for finding in contract.findings} == severities
    proof = next(document for document in contract.make().documents if document.path.startswith("proof/"))
    body = orjson.loads(proof.body)
    is_known = listed and record is FORGED
    assert (body.get("known") == {"since": "2026-11-20", "reason": GONE.reason}) == is_known
    assert body["verdict"]["status"] == ("contradicted" if record is FORGED else "not_shown")
