"""Verify every record in a snapshot without the content it was built from."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Self

import orjson

from statuary.checks.contracts.prove import CONTRACT_CHECKS, IDENTITY_CHECKS, prove
from statuary.documents.stored_paths import contract_of_path, is_proof_path
from statuary.domain.findings import Finding, Severity
from statuary.domain.json_values import Json
from statuary.snapshots.manifest_parts import ManifestEntry
from statuary.snapshots.verify_anchors import AnchorVerifier

ALL_CHECKS = (*IDENTITY_CHECKS, *CONTRACT_CHECKS)


@dataclass(slots=True)
class RecordVerifier:
    """Verifies records; passed to `verify_snapshot` as `inspect`; a context manager, since some wait on disk."""

    verified: int = 0
    rejected: int = 0
    # why records are rejected, at the paths of the snapshot
    errors: list[Finding] = field(default_factory=list)
    # what the chain's own proofs show of them
    anchors: AnchorVerifier = field(default_factory=AnchorVerifier)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.anchors.__exit__()

    def __call__(self, entry: ManifestEntry, body: bytes) -> None:
        """Verify a document if it is a record."""
        contract = contract_of_path(entry.path)
        if contract is None:
            if is_proof_path(entry.path):
                self.errors.extend(self.anchors.take_proof(entry.path, _object(body)))
            return
        record = _object(body)
        findings = [*_misplaced(record, contract), *prove(record, ALL_CHECKS).findings]
        findings += self.anchors.take_record(entry.path, record, sha256(body).hexdigest())
        errors = [finding.within(entry.path) for finding in findings if finding.severity is Severity.ERROR]
        self.errors.extend(errors)
        self.rejected += bool(errors)
        self.verified += not errors


def _object(body: bytes) -> dict[str, Json]:
    """Return a record; an empty one, which no check accepts, for anything else."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _misplaced(record: dict[str, Json], contract: tuple[str, str]) -> list[Finding]:
    """Return the findings about the path of a record."""
    if (record.get("chainId"), record.get("address")) == contract:
        return []
    message = "the record is that of another contract, or not a record"
    return [Finding(rule="path-names-contract", message=message)]
