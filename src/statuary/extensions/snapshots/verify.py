"""Verify a snapshot or a published site."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Self

import orjson

from statuary.base.findings import Finding, Severity
from statuary.base.json_values import Json, JsonObject, as_object, as_text
from statuary.contracts.checks.anchor_claims import decide_chain_claims, require_signature_library
from statuary.contracts.checks.prove import CONTRACT_CHECKS, IDENTITY_CHECKS, prove
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.model.proof import Claim, ClaimName, ClaimStatus
from statuary.contracts.paths import CONTRACT_PATH, ContractKey, contract_key_of_path, plain_path
from statuary.contracts.sources.evidence import AnchorSource
from statuary.contracts.urls import PROOF, SHARDS_FOLDER
from statuary.extensions.snapshots.manifest_signature import read_minisign_key_id, verify_manifest_signature
from statuary.extensions.snapshots.snapshot_reader import SnapshotReader, read_snapshot
from statuary.publish.listing import DamagedSnapshotError, Entry
from statuary.publish.manifest import Manifest, manifest_digest
from statuary.site.pages.page_texts import english_sentence
from statuary.source.load_model import validate_tree
from statuary.source.parse_json import parse_json_as_text
from statuary.system.databases import open_temporary_database

if TYPE_CHECKING:
    from minisign import PublicKey, Signature


InspectDocument = Callable[[Entry, bytes], None]
"""A function that is called with the entry and the body of every undamaged document."""


class Verification(NamedTuple):
    """The result of verifying a snapshot."""

    manifest: Manifest
    manifest_digest: str  # SHA-256 of the manifest, which identifies the exact site
    matching_count: int  # the number of documents that match the manifest
    problems: tuple[str, ...]  # everything that is wrong, as sentences
    signed_by: str  # id of the signature's key, as minisign shows it; empty without a signature
    signature: "Signature | None"  # None unless it was verified
    lacks_aliases: bool  # whether it is a folder that a snapshot was unpacked into by another program

    @property
    def is_intact(self) -> bool:
        """Whether the snapshot or site has no problems."""
        return not self.problems


def verify_snapshot(
    location: str,
    *,
    public_key: "PublicKey | None" = None,
    against: str | None = None,
    inspect: InspectDocument | None = None,
) -> Verification:
    """Verify every byte of a snapshot or site, and its signature.

    Args:
        location: a file, a folder or a URL.
        public_key: the key that must have signed the manifest; None to ignore a signature.
        against: another snapshot whose manifest and signature are used instead, for a mirror that has none;
            or None.
        inspect: a function to call with every undamaged document, or None.

    Raises:
        DamagedSnapshotError: if the location is not a snapshot, or is too damaged to continue.
        PublishingError: if the location cannot be read.
    """
    problems: list[str] = []
    with read_snapshot(location, against) as snapshot:
        signature = _verify_signature(snapshot, public_key, problems)
        matching_count = 0
        for entry, member in snapshot.documents(lambda damaged: problems.append(str(damaged))):
            matching_count += 1
            if inspect is not None:
                inspect(entry, member.body)
        return Verification(
            manifest=snapshot.manifest,
            manifest_digest=manifest_digest(snapshot.manifest_text),
            matching_count=matching_count,
            problems=tuple(problems),
            signed_by=read_minisign_key_id(snapshot.signature) if snapshot.signature else "",
            signature=signature,
            lacks_aliases=snapshot.source.lacks_aliases,
        )


def _verify_signature(
    snapshot: SnapshotReader, public_key: "PublicKey | None", found_problems: list[str]
) -> "Signature | None":
    if public_key is None:
        return None
    try:
        return verify_manifest_signature(
            snapshot.name, snapshot.manifest_text, snapshot.signature, public_key
        )
    except DamagedSnapshotError as damaged:
        found_problems.append(str(damaged))
        return None


CHAIN_CLAIMS = (ClaimName.ON_CHAIN, ClaimName.DEPLOYED)
RULE = "anchor-mismatch"


class VerifiedAnchor(NamedTuple):
    """The result of verifying a chain's proofs of a contract."""

    claims: tuple[Claim, ...]
    findings: list[Finding]  # one for each claim of the proof that its anchor does not prove


def verify_merkle_proofs(
    proof_document: JsonObject, record: JsonObject, record_sha256: str
) -> VerifiedAnchor:
    """Verify the Merkle proofs in a contract's proof document.

    The proofs show, for example, that the contract's code is in a block of the chain.

    Args:
        proof_document: the published proof document.
        record: the published record, or those of its members that the Merkle proofs refer to.
        record_sha256: the SHA-256 of the published record, as hex.

    Returns:
        The proven claims, and an error for each claim in the document that is not proven.

    Raises:
        MissingExtraError: if a required library is not installed.
    """
    findings: list[Finding] = []
    anchor = None
    if proof_document.get("anchor") is not None:
        tree = parse_json_as_text(orjson.dumps(proof_document["anchor"]).decode())
        model = validate_tree(tree, AnchorSource, "", findings)
        anchor = None if model is None else model.to_anchor()
    if anchor is not None and anchor.deployment is not None:
        require_signature_library()
    claims = decide_chain_claims(RecordView(record), anchor, record_sha256).claims
    for claim in claims:
        published_claim = as_object(as_object(proof_document.get("claims")).get(claim.name.value))
        if fault := _describe_unsupported_claim(
            claim, str(published_claim.get("status")), as_object(published_claim.get("evidence"))
        ):
            findings.append(Finding(rule=RULE, message=fault))
    return VerifiedAnchor(claims, findings)


def _describe_unsupported_claim(
    claim: Claim, published_status: str, published_evidence: Mapping[str, Json]
) -> str:
    """Describe a published claim that the evidence does not support."""
    claim_text = f"the proof says that {claim.name.value} is {published_status.replace('_', ' ')}"
    if claim.status is ClaimStatus.CONTRADICTED and published_status != claim.status:
        return f"{claim_text}; it is contradicted {english_sentence(claim.reason)}"
    if published_status in IN_FAVOUR and claim.status not in IN_FAVOUR:
        return f"{claim_text}; it is not: {english_sentence(claim.reason)}"
    # Ignore `vouchedBy`, which names the trusted block that confirms the evidence. Only the site's content
    # says which blocks are trusted.
    if claim.status in IN_FAVOUR and {**published_evidence, "vouchedBy": ""} != {
        **claim.evidence,
        "vouchedBy": "",
    }:
        return f"the proof gives other evidence for {claim.name.value} than its anchor"
    return ""


IN_FAVOUR = (ClaimStatus.VERIFIED, ClaimStatus.STATED)


@dataclass(slots=True)
class AnchorVerifier:
    """Verifies the Merkle proofs in all proof documents of a site.

    The verifier is a context manager, which deletes its temporary files.
    """

    counts: dict[ClaimName, int] = field(default_factory=lambda: dict.fromkeys(CHAIN_CLAIMS, 0))
    """For each claim, the number of records for which the chain proves it."""
    unpaired: sqlite3.Connection = field(
        default_factory=lambda: open_temporary_database(
            "CREATE TABLE waiting (name TEXT PRIMARY KEY, value BLOB)"
        )
    )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.unpaired.close()

    def verify_or_store_proof(self, proof_path: str, proof: JsonObject) -> Iterator[Finding]:
        """Verify a proof document against its contract's record.

        If the record was not read yet, the proof is stored until then.

        Args:
            proof_path: the path of the document.
            proof: the proof document.

        Yields:
            An error for each claim that is not proven.
        """
        name = _format_contract_name(proof)
        claims = as_object(proof.get("claims"))
        statuses = [as_object(claims.get(claim.value)).get("status") for claim in CHAIN_CLAIMS]
        if proof.get("anchor") is None and not any(status in IN_FAVOUR for status in statuses):
            return
        about_chain = {member: proof[member] for member in ("claims", "anchor") if member in proof}
        record = self._pop_unpaired(f"record {name}")
        if record is None:
            self._store_unpaired(f"proof {name}", about_chain)
        else:
            yield from self._verify_record_and_proof(
                proof_path, about_chain, as_object(record["record"]), as_text(record["digest"])
            )

    def verify_or_store_record(
        self, record_path: str, record: JsonObject, record_sha256: str
    ) -> Iterator[Finding]:
        """Verify a record against its proof document.

        If the proof was not read yet, the record is stored until then.

        Args:
            record_path: the path of the record.
            record: the record to verify.
            record_sha256: the SHA-256 of the record, as hex.

        Yields:
            An error for each claim that is not proven.
        """
        name = _format_contract_name(record)
        proof = self._pop_unpaired(f"proof {name}")
        if proof is not None:
            yield from self._verify_record_and_proof(record_path, proof, record, record_sha256)
        elif record_path.startswith(f"{SHARDS_FOLDER}/"):  # in the other layout, proofs come first
            self._store_unpaired(
                f"record {name}", {"record": _select_anchored_members(record), "digest": record_sha256}
            )

    def _verify_record_and_proof(
        self, path: str, proof: JsonObject, record: JsonObject, record_sha256: str
    ) -> Iterator[Finding]:
        claims, findings = verify_merkle_proofs(proof, record, record_sha256)
        for claim in claims:
            self.counts[claim.name] += claim.status in IN_FAVOUR
        yield from (finding.with_path(path) for finding in findings)

    def _store_unpaired(self, document_name: str, document: JsonObject) -> None:
        self.unpaired.execute(
            "INSERT OR REPLACE INTO waiting VALUES (?, ?)", (document_name, orjson.dumps(document))
        )

    def _pop_unpaired(self, document_name: str) -> JsonObject | None:
        row = self.unpaired.execute(
            "DELETE FROM waiting WHERE name = ? RETURNING value", (document_name,)
        ).fetchone()
        value: JsonObject | None = None if row is None else orjson.loads(row[0])
        return value


def _format_contract_name(document: JsonObject) -> str:
    return f"{document.get('chainId')}/{document.get('address')}"


def _select_anchored_members(record: JsonObject) -> dict[str, Json]:
    codes = {
        side: {"onchainBytecode": as_object(record.get(side)).get("onchainBytecode")}
        for side in ("creationBytecode", "runtimeBytecode")
    }
    anchored_members = ("chainId", "address", "deployment", "proxyResolution")
    return codes | {member: record.get(member) for member in anchored_members}


ALL_CHECKS = (*IDENTITY_CHECKS, *CONTRACT_CHECKS)


@dataclass(slots=True)
class RecordVerifier:
    """Verifies the contract records in a snapshot.

    The verifier is a context manager, because some records are stored on disk until their proofs are read.
    """

    verified: int = 0
    failures: dict[ContractKey, list[Finding]] = field(default_factory=dict)
    """The errors of each record that fails a check, with paths in the snapshot."""
    contradicted: set[ContractKey] = field(default_factory=set)
    """The contracts whose proofs say that they are contradicted."""
    anchor_errors: list[Finding] = field(default_factory=list)
    anchors: AnchorVerifier = field(default_factory=AnchorVerifier)
    """Verifies the chain's evidence that is published with the records."""

    @property
    def errors(self) -> list[Finding]:
        """The errors found in records, and claims without evidence.

        If a published proof already says that its record fails checks, the record's errors are left out.
        """
        rejected = (found for contract, found in self.failures.items() if contract not in self.contradicted)
        return [*self.anchor_errors, *chain.from_iterable(rejected)]

    @property
    def undisclosed_failure_count(self) -> int:
        """The number of contract records with errors that no published proof mentions."""
        return len(self.failures.keys() - self.contradicted)

    @property
    def disclosed_failure_count(self) -> int:
        """The number of contract records with errors that published proofs mention."""
        return len(self.failures.keys() & self.contradicted)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.anchors.__exit__()

    def __call__(self, entry: Entry, body: bytes) -> None:
        """Verify a document if it is a record or a proof."""
        contract = contract_key_of_path(entry.path)
        if contract is None:
            self._note_published_proof(entry.path, body)
            return
        record = _parse_json_object(body)
        findings = [*_check_record_path(record, contract), *prove(record, ALL_CHECKS).findings]
        findings += self.anchors.verify_or_store_record(entry.path, record, sha256(body).hexdigest())
        errors = [finding.with_path(entry.path) for finding in findings if finding.severity is Severity.ERROR]
        if errors:
            self.failures[contract] = errors
        else:
            self.verified += 1

    def _note_published_proof(self, path: str, body: bytes) -> None:
        match = CONTRACT_PATH.fullmatch(plain_path(path))
        if match is None or match["family"] != PROOF.prefix:
            return
        proof = _parse_json_object(body)
        if as_object(proof.get("verdict")).get("status") == ClaimStatus.CONTRADICTED:
            self.contradicted.add(ContractKey(match["chain_id"], match["address"]))
        self.anchor_errors.extend(self.anchors.verify_or_store_proof(path, proof))


def _parse_json_object(content: bytes) -> dict[str, Json]:
    """Parse a record or a proof.

    Returns:
        The object, or an empty one if the document is something else; no check accepts an empty record.
    """
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _check_record_path(record: dict[str, Json], contract: tuple[str, str]) -> list[Finding]:
    """Return a finding if a record is at another contract's path."""
    if (record.get("chainId"), record.get("address")) == contract:
        return []
    message = "the record is that of another contract, or not a record"
    return [Finding(rule="path-mismatch", message=message)]
