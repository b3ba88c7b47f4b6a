"""Anchor the contracts of a site: read what is due, ask the chain, write the anchors beside the records."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from statuary.checks.contracts.anchor_claims import anchor_claims
from statuary.checks.contracts.record_view import RecordView
from statuary.content.anchor_file import anchor_file, anchor_path
from statuary.content.read_contract import read_contract
from statuary.domain.catalogue import ContractSource
from statuary.domain.chain.anchor import Anchor, header_of
from statuary.domain.chain.rlp import EvidenceError
from statuary.domain.contracts.proof import Claim, ClaimName, ClaimStatus
from statuary.domain.findings import Finding, has_errors
from statuary.domain.primitives import Instant
from statuary.importing.chain_evidence import AnchoringNodes, AnchorRequest, FinalizedBlock, read_anchors
from statuary.importing.compile_contract import record_sha256
from statuary.publishing.atomic_file import atomic_file

CHUNK = 100
"""Contracts that are in memory at a time."""


class AnchoredContract(NamedTuple):
    """The outcome for one contract."""

    source: ContractSource
    path: str = ""  # the file that was written, relative to the content folder; empty if none was
    claims: tuple[Claim, ...] = ()  # what the anchor shows; empty if the contract was skipped
    findings: tuple[Finding, ...] = ()  # why its record cannot be read

    @property
    def is_shown(self) -> bool:
        """Whether the code is shown to be at the address: by this anchor, or by the present one."""
        return not self.findings and (not self.claims or self.claims[0].status is ClaimStatus.SHOWN)


class _Due(NamedTuple):
    source: ContractSource
    request: AnchorRequest


def anchor_contracts(
    root: Path, sources: Iterable[ContractSource], nodes: AnchoringNodes, *, before: Instant | None = None
) -> Iterator[AnchoredContract]:
    """Anchor contracts of one chain, and yield the outcome for each.

    Args:
        before: skip contracts whose anchor is under a block of this time or later, and still shows the code.

    Raises:
        ContractImportError: if nodes disagree about a block, or the node does not respond.
        PublishingError: if an anchor cannot be written.
    """
    finalized: FinalizedBlock | EvidenceError
    try:
        finalized = nodes.finalized()
    except EvidenceError as error:
        finalized = error
    rest = iter(sources)
    while chunk := list(islice(rest, CHUNK)):
        due: list[_Due] = []
        for source in chunk:
            found = _due(root, source, before)
            if isinstance(found, _Due):
                due.append(found)
            else:
                yield found
        anchors = read_anchors(nodes, finalized, [one.request for one in due])
        for one, anchor in zip(due, anchors, strict=True):
            yield _written(root, one, anchor)


def _due(root: Path, source: ContractSource, before: Instant | None) -> _Due | AnchoredContract:
    """Return a contract to anchor, or the outcome if it is not anchored."""
    parsed = read_contract(root, source)
    if parsed.record is None or has_errors(parsed.findings):
        return AnchoredContract(source, findings=tuple(parsed.findings))
    digest = record_sha256(parsed.record)
    if before is not None and parsed.anchor is not None and _is_newer(parsed.anchor, digest, before):
        return AnchoredContract(source)
    return _Due(source, AnchorRequest(parsed.record, digest, parsed.anchor))


def _is_newer(anchor: Anchor, digest: str, before: Instant) -> bool:
    if anchor.block is None or anchor.record != digest or ClaimName.ON_CHAIN in anchor.missing:
        return False
    try:
        return header_of(anchor.block).timestamp >= before.timestamp()
    except EvidenceError:
        return False


def _written(root: Path, due: _Due, anchor: Anchor) -> AnchoredContract:
    path = anchor_path(due.source)
    with atomic_file(root / path) as stream:
        stream.write(anchor_file(anchor))
    claims = anchor_claims(RecordView(due.request.record), anchor, anchor.record).claims
    return AnchoredContract(due.source, path, claims)


def claim_text(claim: Claim) -> str:
    """Return the status of a claim in a few words."""
    block = claim.evidence.get("blockNumber")
    where = f" in block {block:,}" if isinstance(block, int) else ""
    return f"shown{where}" if claim.status is ClaimStatus.SHOWN else f"not shown: {claim.reason}"
