"""The document of one record's proof, which says which checks ran and what each saw; its schema; its checks' rules.

A reader who does not trust the publisher runs the same checks on the record beside it.
"""

from collections.abc import Iterable
from importlib.resources import files
from typing import Any

import orjson

from statuary.documents import url_table
from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.domain.contracts.proof import CheckResult, Proof
from statuary.domain.contracts.record import RecordValue
from statuary.domain.rules import Rule


def proof_document(record: RecordValue, proof: Proof, source: str, *, published: bool) -> Document:
    """Return what the checks made of a record.

    Args:
        record: the record.
        proof: what the checks made of it.
        source: the content file that it comes from.
        published: whether the record itself is published.
    """
    chain_id, address = record["chainId"], record["address"]
    body = {
        "chainId": chain_id,
        "address": address,
        "match": record["match"],
        "creationMatch": record["creationMatch"],
        "runtimeMatch": record["runtimeMatch"],
        "holds": proof.holds,
        "published": published,
        "checks": [_check(result) for result in proof.results],
    }
    return Document(
        path=url_table.PROOF.path(chain_id=chain_id, address=address),
        aliases=(url_table.PROOF.path(chain_id=chain_id, address=address.lower()),),
        body=encode_json(body),
        cache=url_table.PROOF.cache,
        sources=(source,),
        persistent=True,
    )


def _check(result: CheckResult) -> dict[str, Any]:
    entry: dict[str, Any] = {"check": result.check, "outcome": result.outcome.value}
    if result.evidence:
        entry["saw"] = result.evidence
    if result.findings:
        entry["findings"] = [
            {"message": finding.message, "pointer": list(finding.pointer)} for finding in result.findings
        ]
    return entry


def proof_schema_document() -> Document:
    """Return the JSON Schema of every proof."""
    schema = files("statuary.documents.contract_api").joinpath("proof.schema.json").read_bytes()
    return Document(
        path=url_table.PROOF_SCHEMA.path(),
        cache=url_table.PROOF_SCHEMA.cache,
        body=encode_json(orjson.loads(schema)),
    )


def proof_checks_document(rules: Iterable[Rule]) -> Document:
    """Return the rules behind the checks that proofs name, in a proof's order."""
    checks = [{"check": rule.name, "severity": rule.severity, "rule": rule.sentence} for rule in rules]
    return Document(
        path=url_table.PROOF_CHECKS.path(),
        cache=url_table.PROOF_CHECKS.cache,
        body=encode_json({"checks": checks}),
    )
