"""Verify again what published proofs claim about the chain, from their anchors."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

import orjson

from statuary.checks.contracts.anchor_claims import anchor_claims
from statuary.checks.contracts.json_comparison import as_object
from statuary.checks.contracts.record_view import RecordView
from statuary.checks.contracts.recover_sender import require_sender_recovery
from statuary.content.anchor_file import parse_anchor
from statuary.documents.url_table import SHARDS_FOLDER
from statuary.domain.contracts.proof import Claim, ClaimName, ClaimStatus
from statuary.domain.findings import Finding
from statuary.domain.json_values import Json

CHAIN_CLAIMS = (ClaimName.ON_CHAIN, ClaimName.DEPLOYED)
RULE = "anchor-shows-the-contract"


def verify_anchor(proof: Json, record: Json, digest: str) -> tuple[tuple[Claim, ...], list[Finding]]:
    """Return what the anchor in a published proof shows of a record, and where the proof claims more than that.

    Args:
        proof: the published proof.
        record: the published record, or the members of it that anchors are about.
        digest: SHA-256 of the record as it is published, as hex.

    Raises:
        MissingExtraError: if a library is not installed.
    """
    findings: list[Finding] = []
    anchor = None
    if proof.get("anchor") is not None:
        anchor = parse_anchor(proof["anchor"], "", findings)
    if anchor is not None and anchor.deployment is not None:
        require_sender_recovery()
    known = anchor_claims(RecordView(record), anchor, digest).claims
    for claim in known:
        published = as_object(as_object(proof.get("claims")).get(claim.name.value))
        is_shown = claim.status is ClaimStatus.SHOWN
        if published.get("status") == ClaimStatus.SHOWN and not is_shown:
            message = f"the proof claims that {claim.name.value} is shown; it is not: {claim.reason}"
            findings.append(Finding(rule=RULE, message=message))
        elif is_shown and published.get("evidence") != claim.evidence:
            message = f"the proof gives other evidence for {claim.name.value} than its anchor"
            findings.append(Finding(rule=RULE, message=message))
    return known, findings


@dataclass(slots=True)
class AnchorVerifier:
    """Pairs the proofs of a snapshot with its records, whichever comes first; what is not paired yet is on disk.

    A context manager, which deletes what is on disk.
    """

    # the number of records of which the chain shows each claim
    shown: dict[ClaimName, int] = field(default_factory=lambda: dict.fromkeys(CHAIN_CLAIMS, 0))
    waiting: sqlite3.Connection = field(default_factory=lambda: sqlite3.connect(""))

    def __post_init__(self) -> None:
        self.waiting.execute("CREATE TABLE waiting (name TEXT PRIMARY KEY, value BLOB)")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.waiting.close()

    def take_proof(self, path: str, proof: Json) -> Iterator[Finding]:
        """Verify a proof whose record came before it, or keep it until then."""
        name = _name(proof)
        claims = as_object(proof.get("claims"))
        statuses = [as_object(claims.get(one.value)).get("status") for one in CHAIN_CLAIMS]
        if proof.get("anchor") is None and ClaimStatus.SHOWN not in statuses:
            return
        kept = {member: proof[member] for member in ("claims", "anchor") if member in proof}
        record = self._take(f"record {name}")
        if record is None:
            self._keep(f"proof {name}", kept)
        else:
            yield from self._verify(path, kept, record["record"], record["digest"])

    def take_record(self, path: str, record: Json, digest: str) -> Iterator[Finding]:
        """Verify a record whose proof came before it, or keep what its proof is about until then."""
        name = _name(record)
        proof = self._take(f"proof {name}")
        if proof is not None:
            yield from self._verify(path, proof, record, digest)
        elif path.startswith(f"{SHARDS_FOLDER}/"):  # in the other layout, proofs come first
            self._keep(f"record {name}", {"record": _about_chain(record), "digest": digest})

    def _verify(self, path: str, proof: Json, record: Json, digest: str) -> Iterator[Finding]:
        known, findings = verify_anchor(proof, record, digest)
        for claim in known:
            self.shown[claim.name] += claim.status is ClaimStatus.SHOWN
        yield from (finding.within(path) for finding in findings)

    def _keep(self, name: str, value: Json) -> None:
        self.waiting.execute("INSERT OR REPLACE INTO waiting VALUES (?, ?)", (name, orjson.dumps(value)))

    def _take(self, name: str) -> Json:
        row = self.waiting.execute("DELETE FROM waiting WHERE name = ? RETURNING value", (name,)).fetchone()
        return None if row is None else orjson.loads(row[0])


def _name(document: Json) -> str:
    return f"{document.get('chainId')}/{document.get('address')}"


def _about_chain(record: Json) -> dict[str, Json]:
    """Return the members of a record that anchors are about."""
    codes = {
        side: {"onchainBytecode": as_object(record.get(side)).get("onchainBytecode")}
        for side in ("creationBytecode", "runtimeBytecode")
    }
    others = ("chainId", "address", "deployment", "proxyResolution")
    return codes | {member: record.get(member) for member in others}
