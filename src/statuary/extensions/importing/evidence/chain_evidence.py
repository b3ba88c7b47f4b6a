"""Get Merkle proofs of contracts from a node, and verify them.

If a node cannot prove something, the anchor has the reason instead, so that it never causes an error in a
build.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from statuary.base.findings import Finding, has_errors
from statuary.base.json_values import Json, as_list, as_object, as_text
from statuary.base.primitives import Hex, Instant, parse_instant
from statuary.base.reasons import EvidenceError
from statuary.contracts.chain.anchor import (
    CREATION_CODE,
    NO_CHECKPOINTS,
    Anchor,
    AnchoredBlock,
    Checkpoints,
    DeploymentEvidence,
    Nodes,
)
from statuary.contracts.chain.merkle_trie import encode_rlp, rlp_number_bytes
from statuary.contracts.chain.transaction import BlockHeader, parse_block_header
from statuary.contracts.chain.trie_proofs import is_trie_root, make_trie_proof
from statuary.contracts.checks.anchor_claims import decide_chain_claims
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.model.proof import Claim, ClaimName, ClaimStatus
from statuary.contracts.model.proxy_detection import find_proxy_evidence, proxy_slots
from statuary.contracts.model.record import RecordValue
from statuary.contracts.sources.contract_source import ContractSource
from statuary.contracts.sources.evidence import anchor_file_path, encode_anchor
from statuary.contracts.sources.read_contract import read_contract
from statuary.extensions.compilers.evidence import record_sha256
from statuary.extensions.importing.evidence.ethereum_node import (
    METHOD_NOT_FOUND,
    EthereumNode,
    NodeEvidenceError,
    RpcError,
    encode_header,
    encode_receipt,
    encode_transaction,
)
from statuary.extensions.importing.report import NotImportableError
from statuary.site.pages.page_texts import english_sentence
from statuary.system.writing import atomic_file

FINALIZED: Final = "finalized"
HASHES_ALONE: Final = False


class AnchorRequest(NamedTuple):
    """A contract for which Merkle proofs are requested."""

    record: RecordValue
    digest: str  # SHA-256 of the record's canonical bytes, as hex
    existing: Anchor | None = None  # the anchor that the contract has already


class FinalizedBlock(NamedTuple):
    """A block with its header. The chain can no longer revert it."""

    block: AnchoredBlock
    header: BlockHeader


class AnchoringNodes:
    """A node that returns Merkle proofs, and others that confirm block hashes."""

    def __init__(self, node: EthereumNode, other_nodes: Sequence[EthereumNode] = ()) -> None:
        """Store the nodes without sending a request.

        Args:
            node: the node that returns Merkle proofs.
            other_nodes: the nodes that must agree with it on the hashes of blocks.
        """
        self.node = node
        self.other_nodes = list(other_nodes)
        self.notes: list[str] = []
        """Sentences about the nodes that could not be compared."""

    def latest_finalized_block(self) -> FinalizedBlock:
        """Ask for the latest finalized block, and check that all nodes agree.

        The chain can no longer revert a finalized block.

        Raises:
            EvidenceError: if the node has no finalized block, or its headers are not in Ethereum's format.
            NotImportableError: if the nodes disagree about the block, or the node does not respond.
        """
        try:
            block = self.node.call("eth_getBlockByNumber", FINALIZED, HASHES_ALONE)
        except RpcError as error:
            raise NodeEvidenceError(f"{self.node.host} returns no finalized block: {error}") from None
        return self.confirm_block(block)

    def confirm_block(self, block_response: Json) -> FinalizedBlock:
        """Parse a block from one node, and check that the others agree.

        Args:
            block_response: the first node's response to `eth_getBlockByNumber`.

        Raises:
            EvidenceError: if the response has no block, or the header is not in Ethereum's format.
            NotImportableError: if another node has a different block with this number.
        """
        if not isinstance(block_response, dict):
            raise NodeEvidenceError(f"{self.node.host} does not have the requested block")
        raw = encode_header(block_response)
        header = parse_block_header(raw)
        if f"0x{header.hash.hex()}" != block_response.get("hash"):
            raise NodeEvidenceError(
                f"the block headers of this chain are not in Ethereum's format: the hash of block {header.number:,} does not match its header"
            )
        name = Hex(f"0x{header.hash.hex()}")
        agreed = (self.node.host, *self._confirming_hosts(header.number, name))
        return FinalizedBlock(AnchoredBlock(header.number, name, Hex(f"0x{raw.hex()}"), agreed), header)

    def _confirming_hosts(self, block_number: int, block_hash: str) -> Iterator[str]:
        """Yield the hosts of other nodes that report the same block hash.

        Nodes that do not respond are not asked again.

        Raises:
            NotImportableError: if a node reports another hash.
        """
        for other_node in list(self.other_nodes):
            try:
                block = other_node.call("eth_getBlockByNumber", hex(block_number), HASHES_ALONE)
            except (RpcError, NotImportableError) as error:
                self.notes.append(f"{other_node.host} was not compared: {error}")
                self.other_nodes.remove(other_node)
                continue
            theirs = block.get("hash") if isinstance(block, dict) else None
            if theirs is not None and theirs != block_hash:
                raise NotImportableError(
                    f"{self.node.host} and {other_node.host} disagree about block {block_number:,}: {block_hash} and {theirs}",
                    "find out which node is on the wrong chain; nothing was written",
                )
            if theirs is not None:
                yield other_node.host


def request_merkle_proofs(
    nodes: AnchoringNodes, finalized: FinalizedBlock | EvidenceError, requests: Sequence[AnchorRequest]
) -> Iterator[Anchor]:
    """Request the Merkle proofs of contracts from a node.

    They prove that the code at an address, and the transaction that created it, are on the chain.

    Args:
        nodes: the nodes to ask.
        finalized: the block in which to prove the code, or the error if there is no such block.
        requests: the contracts to prove.

    Yields:
        The proofs of each contract, in order.

    Raises:
        NotImportableError: if nodes disagree about a block, or the node does not respond.
    """
    accounts = _read_accounts(nodes.node, finalized, requests)
    deployments = _DeploymentProofs(nodes, finalized)
    for request, account in zip(requests, accounts, strict=True):
        yield _keep_valid_evidence(request, account, deployments.find_deployment_evidence(request))


class _AccountEvidence(NamedTuple):
    block: AnchoredBlock
    account: Nodes
    storage: dict[str, Nodes]


def _read_accounts(
    node: EthereumNode, finalized: FinalizedBlock | EvidenceError, requests: Sequence[AnchorRequest]
) -> Iterator[_AccountEvidence | EvidenceError]:
    if isinstance(finalized, EvidenceError):
        yield from (finalized for _ in requests)
        return
    number = finalized.header.number
    slots = [list(_implementation_slots(request.record)) for request in requests]
    calls: list[tuple[str, list[Json]]] = [
        ("eth_getProof", [request.record["address"], asked, hex(number)])
        for request, asked in zip(requests, slots, strict=True)
    ]
    for request, asked, proof in zip(requests, slots, node.call_all(calls), strict=True):
        if (deployed := _deployment_block_number(request.record)) is not None and deployed > number:
            yield _not_finalized_error(finalized, deployed)
        elif isinstance(proof, RpcError):
            yield NodeEvidenceError(f"{node.host} {_explain_refused_proof(proof, number)}")
        else:
            yield _parse_account_proof(node, finalized, asked, as_object(proof))


def _deployment_block_number(record: RecordValue) -> int | None:
    number = str(record["deployment"].get("blockNumber"))
    return int(number) if number.isascii() and number.isdigit() else None


def _not_finalized_error(finalized: FinalizedBlock, deployment_block: int) -> NodeEvidenceError:
    return NodeEvidenceError(
        f"the finalized block {finalized.header.number:,} is older than block {deployment_block:,} of the deployment:"
        " run `statuary contract anchor` when that block is final"
    )


PRUNED: Final = re.compile(
    r"missing trie node|prun|historical state|state .*not available|out ?of ?range|proof window|too old",
    re.IGNORECASE,
)
"""Messages about a state that nodes no longer have: geth, Erigon, Nethermind, anvil, Reth."""


def _explain_refused_proof(error: RpcError, block_number: int) -> str:
    """Explain a node's refusal of a Merkle proof, with a hint."""
    if error.code == METHOD_NOT_FOUND:
        return "does not support eth_getProof: use a node that does, such as geth, Nethermind, Reth or anvil"
    if PRUNED.search(str(error)):
        return (
            f"gives no proof: {error}. It no longer has the state of block {block_number:,}:"
            " use a node that keeps more states, or an archive node"
        )
    return f"gives no proof: {error}"


def _parse_account_proof(
    node: EthereumNode,
    finalized: FinalizedBlock,
    storage_slots: Sequence[str],
    proof_response: Mapping[str, Json],
) -> _AccountEvidence | NodeEvidenceError:
    """Parse a node's Merkle proofs of an account and its storage slots.

    Returns:
        The proofs, or an error if they are missing, or prove the state of another block.
    """
    account = _parse_proof_nodes(proof_response.get("accountProof"))
    storage = [
        _parse_proof_nodes(as_object(slot).get("proof"))
        for slot in as_list(proof_response.get("storageProof"))
    ]
    if not account or len(storage) != len(storage_slots):
        return NodeEvidenceError(f"{node.host} does not return a Merkle proof of the contract")
    if not is_trie_root(finalized.header.state_root, account[0]):
        return NodeEvidenceError(
            f"the Merkle proof from {node.host} is not for the finalized block {finalized.header.number:,}:"
            " if the node is anvil, none of its own blocks is final yet (start anvil with --slots-in-an-epoch 1)"
        )
    return _AccountEvidence(finalized.block, account, dict(zip(storage_slots, storage, strict=True)))


def _parse_proof_nodes(node_list: Json) -> Nodes:
    return tuple(map(as_text, as_list(node_list)))


def _implementation_slots(record: RecordValue) -> Iterator[str]:
    """Yield the storage slots that may hold a proxy's implementation."""
    code = RecordView(record).runtime.onchain_code or b""
    for kind in find_proxy_evidence(code).candidates:
        yield from proxy_slots(kind, RecordView(record).address)


class _DeploymentProofs:
    """The proofs of deployments; each block is read once."""

    def __init__(self, nodes: AnchoringNodes, finalized: FinalizedBlock | EvidenceError) -> None:
        self.nodes = nodes
        self.finalized = finalized
        self.known_blocks: dict[int, _ProvableBlock | EvidenceError] = {}

    def find_deployment_evidence(self, request: AnchorRequest) -> DeploymentEvidence | EvidenceError:
        existing = request.existing
        if existing is not None and existing.deployment is not None:
            claims = decide_chain_claims(
                RecordView(request.record), existing._replace(record=request.digest), request.digest
            )
            if claims.claims[1].evidence:
                return existing.deployment
        deployment = request.record["deployment"]
        number = str(deployment.get("blockNumber"))
        index = str(deployment.get("transactionIndex"))
        if not (number.isdigit() and index.isdigit()):
            return NodeEvidenceError("the record's deployment names no block and index")
        block = self._read_block_once(int(number))
        if isinstance(block, EvidenceError):
            return block
        return block.prove_deployment(int(index), request.record["creationBytecode"].get("onchainBytecode"))

    def _read_block_once(self, block_number: int) -> "_ProvableBlock | EvidenceError":
        if block_number not in self.known_blocks:
            try:
                self.known_blocks[block_number] = self._read_block(block_number)
            except EvidenceError as error:
                self.known_blocks[block_number] = error
        return self.known_blocks[block_number]

    def _read_block(self, block_number: int) -> "_ProvableBlock":
        if isinstance(self.finalized, EvidenceError):
            raise self.finalized
        if block_number > self.finalized.header.number:
            raise _not_finalized_error(self.finalized, block_number)
        host = self.nodes.node.host
        block, receipts = self.nodes.node.call_all(
            [
                ("eth_getBlockByNumber", [hex(block_number), True]),
                ("eth_getBlockReceipts", [hex(block_number)]),
            ]
        )
        for response in (block, receipts):
            if isinstance(response, RpcError):
                raise NodeEvidenceError(
                    f"{host} does not return block {block_number:,} with its receipts: {response}"
                )
        if not isinstance(receipts, list) or not isinstance(block, dict):
            raise NodeEvidenceError(f"{host} does not return block {block_number:,} with its receipts")
        anchored = self.nodes.confirm_block(block)
        return _ProvableBlock(
            anchored.block,
            anchored.header,
            _index_by_trie_key(map(encode_transaction, map(as_object, as_list(block.get("transactions"))))),
            _index_by_trie_key(map(encode_receipt, map(as_object, receipts))),
        )


class _ProvableBlock(NamedTuple):
    """A block with its transactions and receipts, by trie key."""

    block: AnchoredBlock
    header: BlockHeader
    transactions: list[tuple[bytes, bytes]]
    receipts: list[tuple[bytes, bytes]]

    def prove_deployment(
        self, transaction_index: int, creation_code: str | None
    ) -> DeploymentEvidence | EvidenceError:
        """Return the Merkle proofs of the transaction that created a contract.

        They prove that the block contains the transaction and its receipt.

        Args:
            transaction_index: the position of the transaction in the block.
            creation_code: code that the proof replaces by a placeholder, since the record has it; None to keep all.

        Returns:
            The proofs; an error if the node's transactions do not match the block.
        """
        key = encode_rlp(rlp_number_bytes(transaction_index))
        root, transaction = make_trie_proof(self.transactions, key)
        receipts_root, receipt = make_trie_proof(self.receipts, key)
        if (root, receipts_root) != (self.header.transactions_root, self.header.receipts_root):
            return NodeEvidenceError(
                f"transactions and receipts of block {self.block.number:,} do not match the roots in its header"
            )
        digits = (creation_code or "0x")[2:]
        nodes = [f"0x{node.hex()}" for node in transaction]
        if digits:
            nodes = [node.replace(digits, CREATION_CODE, 1) for node in nodes]
        return DeploymentEvidence(self.block, tuple(nodes), tuple(f"0x{node.hex()}" for node in receipt))


def _index_by_trie_key(values: Iterable[bytes]) -> list[tuple[bytes, bytes]]:
    return [(encode_rlp(rlp_number_bytes(index)), value) for index, value in enumerate(values)]


def _keep_valid_evidence(
    request: AnchorRequest,
    account_evidence: _AccountEvidence | EvidenceError,
    deployment_evidence: DeploymentEvidence | EvidenceError,
) -> Anchor:
    """Verify a contract's Merkle proofs, and keep those that are valid."""
    anchor = Anchor(request.digest)
    if isinstance(account_evidence, _AccountEvidence):
        anchor = anchor._replace(
            block=account_evidence.block, account=account_evidence.account, storage=account_evidence.storage
        )
    if isinstance(deployment_evidence, DeploymentEvidence):
        anchor = anchor._replace(deployment=deployment_evidence)
    on_chain, deployed = decide_chain_claims(RecordView(request.record), anchor, request.digest).claims
    missing_evidence: dict[str, str] = {}
    if on_chain.status is ClaimStatus.CONTRADICTED:
        anchor = _keep_existing_contradiction(anchor, on_chain, request)
    elif on_chain.status is ClaimStatus.NOT_SHOWN:
        missing_evidence[ClaimName.ON_CHAIN.value] = _explain_missing_evidence(account_evidence, on_chain)
        anchor = _keep_existing_account_proof(anchor, request.existing)
    if not deployed.evidence:
        names_one = request.record["deployment"].get("transactionHash") is not None
        missing_evidence[ClaimName.DEPLOYED.value] = _explain_missing_evidence(
            deployment_evidence if names_one else None, deployed
        )
        anchor = anchor._replace(deployment=None)
    return anchor._replace(missing=missing_evidence)


def _explain_missing_evidence(evidence: object, claim: Claim) -> str:
    if isinstance(evidence, NodeEvidenceError):
        return evidence.words
    return english_sentence(evidence.reason if isinstance(evidence, EvidenceError) else claim.reason)


def _keep_existing_contradiction(anchor: Anchor, on_chain_claim: Claim, request: AnchorRequest) -> Anchor:
    if request.existing is None:
        return anchor
    earlier_claims = decide_chain_claims(RecordView(request.record), request.existing, request.digest).claims[
        0
    ]
    facts = [{**claim.evidence, **OF_BLOCK} for claim in (earlier_claims, on_chain_claim)]
    if earlier_claims.status is ClaimStatus.CONTRADICTED and facts[0] == facts[1]:
        return _keep_existing_account_proof(anchor, request.existing)
    return anchor


OF_BLOCK: Final = dict.fromkeys(("blockNumber", "blockHash", "blockTime", "agreed"), "")
"""The members of evidence that differ from block to block, to be ignored in comparisons."""


def _keep_existing_account_proof(anchor: Anchor, existing: Anchor | None) -> Anchor:
    """Keep the saved proof of the code if the record is unchanged.

    Otherwise, the contract has no proof of its code.
    """
    if existing is None or existing.record != anchor.record:
        return anchor._replace(block=None, account=(), storage={})
    return anchor._replace(block=existing.block, account=existing.account, storage=existing.storage)


CHUNK = 100
"""Contracts that are anchored together, and in memory at a time."""


class AnchoredContract(NamedTuple):
    """A contract, and the outcome of requesting its Merkle proofs."""

    source: ContractSource
    path: str = ""  # the path of the written file in the content folder; empty if no file was written
    claims: tuple[Claim, ...] = ()
    """The claims that the proofs support; empty if the record has errors."""
    findings: tuple[Finding, ...] = ()  # errors in the record, which prevent proofs from being saved

    @property
    def proof_status(self) -> ClaimStatus:
        """Whether the Merkle proofs show or contradict the code, as a status."""
        return self.claims[0].status if self.claims else ClaimStatus.NOT_SHOWN


class _ContractToAnchor(NamedTuple):
    source: ContractSource
    request: AnchorRequest


def anchor_contracts(
    root: Path,
    sources: Iterable[ContractSource],
    nodes: AnchoringNodes,
    *,
    older_than: Instant | None = None,
    checkpoints: Checkpoints = NO_CHECKPOINTS,
) -> Iterator[AnchoredContract]:
    """Request Merkle proofs of contracts, and save them in the content folder.

    They prove that the code at an address, and the transaction that created it, are on the chain.

    Args:
        root: the content folder.
        sources: the locations of the contracts in the content folder.
        nodes: the nodes to ask.
        older_than: skip contracts with a saved proof for a block of this time or later; None to skip none.
        checkpoints: the blocks of the chain that the site's author vouches for.

    Yields:
        For each contract, what its proofs show.

    Raises:
        NotImportableError: if nodes disagree about a block, or the node does not respond.
        PublishingError: if a file with proofs cannot be written.
    """
    finalized = _finalized_block_or_error(nodes)
    remaining_sources = iter(sources)
    while chunk := list(islice(remaining_sources, CHUNK)):
        due_contracts: list[_ContractToAnchor] = []
        for source in chunk:
            outcome = _select_contract_to_anchor(root, source, older_than)
            if isinstance(outcome, _ContractToAnchor):
                due_contracts.append(outcome)
            else:
                yield outcome
        anchors = request_merkle_proofs(nodes, finalized, [contract.request for contract in due_contracts])
        for contract, anchor in zip(due_contracts, anchors, strict=True):
            path = write_anchor(root, contract.source, anchor)
            record = RecordView(contract.request.record)
            claims = decide_chain_claims(record, anchor, anchor.record, checkpoints).claims
            yield AnchoredContract(contract.source, path, claims)


def _select_contract_to_anchor(
    root: Path, source: ContractSource, older_than: Instant | None
) -> _ContractToAnchor | AnchoredContract:
    """Decide whether a contract needs new proofs.

    Returns:
        The request for the proofs, or the result of a contract that is skipped.
    """
    parsed = read_contract(root, source)
    if parsed.record is None or has_errors(parsed.findings):
        return AnchoredContract(source, findings=tuple(parsed.findings))
    request = AnchorRequest(parsed.record, record_sha256(parsed.record), parsed.anchor)
    if (
        older_than is not None
        and parsed.anchor is not None
        and ClaimName.ON_CHAIN not in parsed.anchor.missing
    ):
        claims = decide_chain_claims(RecordView(parsed.record), parsed.anchor, request.digest).claims
        time = claims[0].evidence.get("blockTime")
        if claims[0].status is ClaimStatus.STATED and parse_instant(str(time)) >= older_than:
            return AnchoredContract(source, claims=claims)
    return _ContractToAnchor(source, request)


def _finalized_block_or_error(nodes: AnchoringNodes) -> FinalizedBlock | EvidenceError:
    try:
        return nodes.latest_finalized_block()
    except EvidenceError as error:
        return error


class AnchoredRecord(NamedTuple):
    """Merkle proofs of a contract, and what they show about its record."""

    anchor: Anchor
    claims: tuple[Claim, ...]


def anchor_record(record: RecordValue, existing: Anchor | None, nodes: AnchoringNodes) -> AnchoredRecord:
    """Request the Merkle proofs of a contract, and decide what they prove.

    No file is written.

    Args:
        record: the contract's record, the JSON that describes the verified contract.
        existing: the proofs that the site already has for this contract, or None.
        nodes: the nodes to ask.

    Raises:
        NotImportableError: if nodes disagree about a block, or the node does not respond.
    """
    finalized = _finalized_block_or_error(nodes)
    [anchor] = request_merkle_proofs(
        nodes, finalized, [AnchorRequest(record, record_sha256(record), existing)]
    )
    return AnchoredRecord(anchor, decide_chain_claims(RecordView(record), anchor, anchor.record).claims)


def write_anchor(root: Path, source: ContractSource, anchor: Anchor | None) -> str:
    """Write the Merkle proofs of a contract to `anchor.json`, beside its files.

    Args:
        root: the content folder.
        source: the location of the contract in the content folder.
        anchor: the proofs; None to write nothing.

    Returns:
        The path of `anchor.json` in the content folder, even if nothing was written.

    Raises:
        PublishingError: if the file cannot be written.
    """
    path = anchor_file_path(source)
    if anchor is not None:
        with atomic_file(root / path) as stream:
            stream.write(encode_anchor(anchor))
    return path


def describe_chain_claim(claim: Claim) -> str:
    """Say whether the chain proves a claim about a contract.

    Returns:
        Text for the terminal, such as `verified here in block 100 of …`, or the reason why there is no proof.
    """
    if claim.status is ClaimStatus.CONTRADICTED:
        return f"contradicted {english_sentence(claim.reason)}"
    if claim.status is ClaimStatus.NOT_SHOWN:
        return f"not proven: {english_sentence(claim.reason)}"
    number = claim.evidence["blockNumber"]
    time = claim.evidence["blockTime"]
    words = "verified here" if claim.status is ClaimStatus.VERIFIED else "proved by the node"
    return f"{words} in block {number:,} of {time}"
