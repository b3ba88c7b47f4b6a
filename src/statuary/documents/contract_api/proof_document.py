"""The proof document of a record: its claims, what pins each member, every check; and its schema and rules.

A reader who does not trust the publisher runs the same checks on the record beside it.
"""

from hashlib import sha256
from pathlib import Path

import orjson

from statuary.documents import url_table
from statuary.documents.document import Document
from statuary.documents.encode import encode_json, encode_unchecked
from statuary.documents.url import Url
from statuary.domain.chain.anchor import anchor_json
from statuary.domain.contracts.proof import CheckOutcome, CheckResult, Claim, Proof
from statuary.domain.contracts.record import RecordValue
from statuary.domain.json_values import Json
from statuary.version import VERSION


def proof_document(
    record: RecordValue,
    proof: Proof,
    source: str,
    *,
    published: bool,
    digest: str = "",
) -> Document:
    """Return the proof of a record.

    Args:
        digest: SHA-256 of the record's canonical bytes, as hex.
    """
    chain_id, address = record["chainId"], record["address"]
    body: dict[str, Json] = {
        "chainId": chain_id,
        "address": address,
        "match": record["match"],
        "creationMatch": record["creationMatch"],
        "runtimeMatch": record["runtimeMatch"],
        "recordSha256": digest or sha256(encode_unchecked(record)).hexdigest(),
        "statuary": VERSION,
        "holds": proof.holds,
        "published": published,
        "claims": {str(claim.name): _claim(claim) for claim in proof.claims},
        "pinnedBy": {member: str(pin) for member, pin in proof.pinned.items()},
        "checks": _checks(proof.results),
    }
    if proof.anchor is not None:
        body["anchor"] = anchor_json(proof.anchor)
    return Document(
        path=url_table.PROOF.path(chain_id=chain_id, address=address),
        aliases=(url_table.PROOF.path(chain_id=chain_id, address=address.lower()),),
        body=encode_unchecked(body),
        cache=url_table.PROOF.cache,
        sources=(source,),
        persistent=True,
    )


def _claim(claim: Claim) -> dict[str, Json]:
    known: dict[str, Json] = {"status": str(claim.status), "reason": claim.reason}
    return known | {"evidence": claim.evidence} if claim.evidence else known


def _checks(results: tuple[CheckResult, ...]) -> list[Json]:
    entries: list[Json] = []
    for check, outcome, evidence, findings, reason in results:
        entry: dict[str, Json] = {"check": check, "outcome": str(outcome)}
        if reason and outcome is CheckOutcome.NOT_APPLICABLE:
            entry["reason"] = reason
        if evidence:
            entry["saw"] = evidence
        if findings:
            entry["findings"] = [
                {"message": one.message, "pointer": list(one.pointer), "severity": one.severity.value}
                for one in findings
            ]
        entries.append(entry)
    return entries


def proof_schema_document() -> Document:
    """Return the JSON Schema of every proof."""
    return _document(url_table.PROOF_SCHEMA, "proof.schema.json")


CHECKS_FILE = "checks.json"
"""The rules of all checks of a proof, as tests/support/proof_checks.py writes them: a build without contracts does not
import the checks."""


def proof_checks_document() -> Document:
    """Return the rules of the checks that proofs name, in the order of proofs."""
    return _document(url_table.PROOF_CHECKS, CHECKS_FILE)


def _document(url: Url, file: str) -> Document:
    value = orjson.loads(Path(__file__).with_name(file).read_bytes())
    return Document(path=url.path(), cache=url.cache, body=encode_json(value))
