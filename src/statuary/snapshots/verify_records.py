"""The full proof of every record in a snapshot, without the content it was built from."""

from dataclasses import dataclass, field

import orjson

from statuary.checks.contracts.prove import CONTRACT_CHECKS, IDENTITY_CHECKS, prove
from statuary.documents.stored_paths import contract_of_path
from statuary.domain.findings import Finding, Severity
from statuary.domain.json_values import Json
from statuary.snapshots.manifest import ManifestEntry

ALL_CHECKS = (*IDENTITY_CHECKS, *CONTRACT_CHECKS)


@dataclass(slots=True)
class RecordVerifier:
    """Proves the records among the documents that it is shown; to be handed to `verify_snapshot` as `examine`.

    Attributes:
        proved: how many records hold.
        refused: how many do not.
        errors: why, at the paths of the snapshot.
    """

    proved: int = 0
    refused: int = 0
    errors: list[Finding] = field(default_factory=list)

    def __call__(self, entry: ManifestEntry, body: bytes) -> None:
        """Prove a document if it is a record."""
        place = contract_of_path(entry.path)
        if place is None:
            return
        record = _object(body)
        findings = [*_misplaced(record, place), *prove(record, ALL_CHECKS).findings]
        errors = [finding.within(entry.path) for finding in findings if finding.severity is Severity.ERROR]
        self.errors.extend(errors)
        self.refused += bool(errors)
        self.proved += not errors


def _object(body: bytes) -> dict[str, Json]:
    """Return a record; an empty one, which no check believes, in place of anything else."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _misplaced(record: dict[str, Json], place: tuple[str, str]) -> list[Finding]:
    """Return what is wrong with a record's place."""
    if (record.get("chainId"), record.get("address")) == place:
        return []
    message = "the record is one of another contract, or none"
    return [Finding(rule="path-names-contract", message=message)]
