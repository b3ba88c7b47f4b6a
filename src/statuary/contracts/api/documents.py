"""The documents of one record: its canonical bytes and its proof."""

from collections.abc import Callable
from hashlib import sha256
from typing import Final

from statuary.base.json_values import Json
from statuary.base.reasons import Reason
from statuary.contracts import urls as contract_urls
from statuary.contracts.chain.anchor import merkle_proofs_as_json
from statuary.contracts.model.known_contradiction import KnownContradiction
from statuary.contracts.model.proof import CheckOutcome, CheckResult
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.site.document import Document, encode_unchecked
from statuary.version import VERSION


def record_document(
    checked_record: RecordWithProof, source: str, canonical_json: bytes | None = None, digest: bytes = b""
) -> Document:
    """Make the document that Sourcify's API serves for a contract.

    It contains the record unchanged, even if evidence contradicts it. It is published at two paths,
    with the checksummed and with the lower-case address, because static hosts are case-sensitive.

    Args:
        source: the path of the record in the content folder.
        canonical_json: the record as compact JSON, if the caller has encoded it already.
        digest: the SHA-256 of `canonical_json`, if it is known.
    """
    record = checked_record.record
    body = encode_unchecked(record) if canonical_json is None else canonical_json
    return Document(
        path=contract_urls.CONTRACT.path(chain_id=record["chainId"], address=record["address"]),
        aliases=(contract_urls.CONTRACT.path(chain_id=record["chainId"], address=record["address"].lower()),),
        body=body,
        cache=contract_urls.CONTRACT.cache,
        sources=(source,),
        persistent=True,
        digest=digest if digest and canonical_json is not None else sha256(body).digest(),
    )


def proof_document(
    checked_record: RecordWithProof,
    source: str,
    *,
    sentence: Callable[[Reason], str],
    digest: str = "",
) -> Document:
    """Make the JSON document that shows how a record was verified.

    Args:
        source: the path of the record in the content folder.
        sentence: returns the English sentence for a reason.
        digest: the SHA-256 of the record's published bytes, as hex.
    """
    record, proof = checked_record.record, checked_record.proof
    chain_id, address = record["chainId"], record["address"]
    claims: dict[str, dict[str, Json]] = {}
    for claim in proof.claims:
        members: dict[str, Json] = {"status": claim.status._value_, "reason": sentence(claim.reason)}
        if claim.evidence:
            members["evidence"] = claim.evidence
        claims[claim.name._value_] = members
    body: dict[str, Json] = {
        "chainId": chain_id,
        "address": address,
        "match": record["match"],
        "creationMatch": record["creationMatch"],
        "runtimeMatch": record["runtimeMatch"],
        "recordSha256": digest or sha256(encode_unchecked(record)).hexdigest(),
        "statuary": VERSION,
        "holds": proof.has_no_errors,
        "published": checked_record.is_published,
        "verdict": proof.verdict
        and {
            "status": proof.verdict.status._value_,
            "sentence": " ".join(map(sentence, proof.verdict.sentences)),
        },
        **_acknowledged_members(checked_record.known),
        "claims": claims,
        "pinnedBy": {member: pin._value_ for member, pin in proof.pinned.items()},
        "checks": _check_results_json(proof.results),
    }
    if proof.anchor is not None:
        body["anchor"] = merkle_proofs_as_json(proof.anchor)
    return Document(
        path=contract_urls.PROOF.path(chain_id=chain_id, address=address),
        aliases=(contract_urls.PROOF.path(chain_id=chain_id, address=address.lower()),),
        body=encode_unchecked(body),
        cache=contract_urls.PROOF.cache,
        sources=(source,),
        persistent=True,
    )


_PASSED: Final = CheckOutcome.PASSED


def _acknowledged_members(known_contradiction: KnownContradiction | None) -> dict[str, Json]:
    return (
        {}
        if known_contradiction is None
        else {"known": {"since": known_contradiction.date.isoformat(), "reason": known_contradiction.reason}}
    )


def _check_results_json(results: tuple[CheckResult, ...]) -> list[Json]:
    entries: list[Json] = []
    for check, outcome, evidence, findings, reason in results:
        # `_value_` avoids the property lookup of `value` and `str`, which would take half of the time here
        if evidence and not findings and outcome is _PASSED:  # true of most checks
            entries.append({"check": check, "outcome": outcome._value_, "saw": evidence})
            continue
        entry: dict[str, Json] = {"check": check, "outcome": outcome._value_}
        if reason and outcome in (CheckOutcome.NOT_APPLICABLE, CheckOutcome.NOT_KNOWN):
            entry["reason"] = reason
        if evidence:
            entry["saw"] = evidence
        if findings:
            entry["findings"] = [
                {
                    "message": finding.message,
                    "pointer": list(finding.pointer),
                    "severity": finding.severity.value,
                }
                for finding in findings
            ]
        entries.append(entry)
    return entries
