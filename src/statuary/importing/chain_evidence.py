"""Get the Merkle proofs of contracts from a node, verify them, and keep what they show.

What a node cannot show is kept too, with the reason: an anchor is never the cause of an error in a build.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from statuary.checks.contracts.anchor_claims import anchor_claims
from statuary.checks.contracts.record_view import RecordView
from statuary.domain.chain.anchor import CREATION_CODE, Anchor, AnchoredBlock, DeploymentEvidence, Nodes
from statuary.domain.chain.header import BlockHeader, parse_header
from statuary.domain.chain.rlp import EvidenceError, encode_rlp, number_bytes
from statuary.domain.chain.trie import trie_proof
from statuary.domain.contracts.bytecode.proxy_detection import proxy_evidence, proxy_slots
from statuary.domain.contracts.proof import Claim, ClaimName, ClaimStatus
from statuary.domain.contracts.record import RecordValue
from statuary.domain.json_values import Json
from statuary.domain.primitives import Hex
from statuary.importing.ethereum_node import METHOD_NOT_FOUND, EthereumNode, RpcError
from statuary.importing.import_error import ContractImportError
from statuary.importing.raw_blocks import encode_header, encode_receipt, encode_transaction

FINALIZED: Final = "finalized"
HASHES_ALONE: Final = False


class AnchorRequest(NamedTuple):
    """A contract to be anchored."""

    record: RecordValue
    digest: str  # SHA-256 of the record's canonical bytes, as hex
    existing: Anchor | None = None  # the anchor that it has


class FinalizedBlock(NamedTuple):
    """The block that contracts are anchored in."""

    block: AnchoredBlock
    header: BlockHeader


class AnchoringNodes:
    """The node that gives the proofs, and those that must agree with it on the hashes of blocks."""

    def __init__(self, node: EthereumNode, others: Sequence[EthereumNode] = ()) -> None:
        """Take the nodes of one chain; this does not connect."""
        self.node = node
        self.others = list(others)
        self.notes: list[str] = []
        """Which nodes did not respond."""

    def finalized(self) -> FinalizedBlock:
        """Return the latest finalized block.

        Raises:
            EvidenceError: if the node has none, or its headers are not Ethereum's.
            ContractImportError: if the nodes disagree, or the node does not respond.
        """
        try:
            block = self.node.call("eth_getBlockByNumber", FINALIZED, HASHES_ALONE)
        except RpcError as error:
            raise EvidenceError(f"{self.node.host} returns no finalized block: {error}") from None
        return self.anchored(block)

    def anchored(self, block: Json) -> FinalizedBlock:
        """Return a block as anchors have it, and its header.

        Raises:
            EvidenceError: if its header is not Ethereum's.
            ContractImportError: if the nodes disagree.
        """
        if not isinstance(block, dict):
            raise EvidenceError(f"{self.node.host} has no such block")
        raw = encode_header(block)
        header = parse_header(raw)
        if f"0x{header.hash.hex()}" != block.get("hash"):
            raise EvidenceError(
                f"the block headers of this chain are not in Ethereum's format: that of block {header.number:,} has another hash"
            )
        name = Hex(f"0x{header.hash.hex()}")
        agreed = (self.node.host, *self._agreed(header.number, name))
        return FinalizedBlock(AnchoredBlock(header.number, name, Hex(f"0x{raw.hex()}"), agreed), header)

    def _agreed(self, number: int, name: str) -> Iterator[str]:
        """Yield the other nodes that give the same hash for a number.

        Raises:
            ContractImportError: if one gives another hash.
        """
        for other in list(self.others):
            try:
                block = other.call("eth_getBlockByNumber", hex(number), HASHES_ALONE)
            except (RpcError, ContractImportError) as error:
                self.notes.append(f"{other.host} was not compared: {error}")
                self.others.remove(other)
                continue
            theirs = block.get("hash") if isinstance(block, dict) else None
            if theirs is not None and theirs != name:
                raise ContractImportError(
                    f"{self.node.host} and {other.host} disagree about block {number:,}: {name} and {theirs}",
                    "find out which node is on the wrong chain; nothing was written",
                )
            if theirs is not None:
                yield other.host


def read_anchors(
    nodes: AnchoringNodes, finalized: FinalizedBlock | EvidenceError, requests: Sequence[AnchorRequest]
) -> Iterator[Anchor]:
    """Yield what the chain shows of each contract.

    Args:
        finalized: the block, or why there is none.

    Raises:
        ContractImportError: if nodes disagree about a block, or the node does not respond.
    """
    accounts = _read_accounts(nodes.node, finalized, requests)
    deployments = _Deployments(nodes, finalized)
    for request, account in zip(requests, accounts, strict=True):
        yield _verified(request, account, deployments.of(request))


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
    slots = [list(_slots(request.record)) for request in requests]
    calls: list[tuple[str, list[Json]]] = [
        ("eth_getProof", [request.record["address"], asked, hex(finalized.header.number)])
        for request, asked in zip(requests, slots, strict=True)
    ]
    for asked, proof in zip(slots, node.call_all(calls), strict=True):
        if isinstance(proof, RpcError):
            what = (
                "does not offer eth_getProof"
                if proof.code == METHOD_NOT_FOUND
                else f"gives no proof: {proof}"
            )
            yield EvidenceError(f"{node.host} {what}")
        else:
            try:
                storage = [tuple(one["proof"]) for one in proof["storageProof"]]
                yield _AccountEvidence(
                    finalized.block, tuple(proof["accountProof"]), dict(zip(asked, storage, strict=True))
                )
            except (KeyError, TypeError, ValueError):
                yield EvidenceError(f"{node.host} does not return a proof")


def _slots(record: RecordValue) -> Iterator[str]:
    """Yield the storage slots that decide where a contract's calls go."""
    code = RecordView(record).runtime.onchain or b""
    for kind in proxy_evidence(code).candidates:
        yield from proxy_slots(kind, RecordView(record).address)


class _Deployments:
    """The blocks of deployments, each read once."""

    def __init__(self, nodes: AnchoringNodes, finalized: FinalizedBlock | EvidenceError) -> None:
        self.nodes = nodes
        self.finalized = finalized
        self.known: dict[int, _Block | EvidenceError] = {}

    def of(self, request: AnchorRequest) -> DeploymentEvidence | EvidenceError:
        existing = request.existing
        if existing is not None and existing.deployment is not None:
            claims = anchor_claims(
                RecordView(request.record), existing._replace(record=request.digest), request.digest
            )
            if claims.claims[1].evidence:
                return existing.deployment
        named = request.record["deployment"]
        number, index = str(named.get("blockNumber")), str(named.get("transactionIndex"))
        if not (number.isdigit() and index.isdigit()):
            return EvidenceError("the record's deployment names no block and index")
        block = self._block(int(number))
        if isinstance(block, EvidenceError):
            return block
        return block.evidence(int(index), request.record["creationBytecode"].get("onchainBytecode"))

    def _block(self, number: int) -> "_Block | EvidenceError":
        if number not in self.known:
            try:
                self.known[number] = self._read(number)
            except EvidenceError as error:
                self.known[number] = error
        return self.known[number]

    def _read(self, number: int) -> "_Block":
        if isinstance(self.finalized, EvidenceError):
            raise self.finalized
        if number > self.finalized.header.number:
            raise EvidenceError(
                f"block {number:,} of the deployment is later than the finalized block"
                f" {self.finalized.header.number:,}"
            )
        host = self.nodes.node.host
        block, receipts = self.nodes.node.call_all(
            [("eth_getBlockByNumber", [hex(number), True]), ("eth_getBlockReceipts", [hex(number)])]
        )
        for response in (block, receipts):
            if isinstance(response, RpcError):
                raise EvidenceError(f"{host} does not give block {number:,} with its receipts: {response}")
        if not isinstance(receipts, list) or not isinstance(block, dict):
            raise EvidenceError(f"{host} does not give block {number:,} with its receipts")
        anchored = self.nodes.anchored(block)
        return _Block(
            anchored.block,
            anchored.header,
            _keyed(encode_transaction(one) for one in block["transactions"]),
            _keyed(encode_receipt(one) for one in receipts),
        )


class _Block(NamedTuple):
    """A block with its transactions and receipts, by their keys in its tries."""

    block: AnchoredBlock
    header: BlockHeader
    transactions: list[tuple[bytes, bytes]]
    receipts: list[tuple[bytes, bytes]]

    def evidence(self, index: int, creation: str | None) -> DeploymentEvidence | EvidenceError:
        key = encode_rlp(number_bytes(index))
        root, transaction = trie_proof(self.transactions, key)
        receipts_root, receipt = trie_proof(self.receipts, key)
        if (root, receipts_root) != (self.header.transactions_root, self.header.receipts_root):
            return EvidenceError(
                f"transactions and receipts of block {self.block.number:,} do not match its roots"
            )
        digits = (creation or "0x")[2:]
        nodes = [f"0x{node.hex()}" for node in transaction]
        if digits:
            nodes = [node.replace(digits, CREATION_CODE, 1) for node in nodes]
        return DeploymentEvidence(self.block, tuple(nodes), tuple(f"0x{node.hex()}" for node in receipt))


def _keyed(values: Iterable[bytes]) -> list[tuple[bytes, bytes]]:
    return [(encode_rlp(number_bytes(index)), value) for index, value in enumerate(values)]


def _verified(
    request: AnchorRequest,
    account: _AccountEvidence | EvidenceError,
    deployment: DeploymentEvidence | EvidenceError,
) -> Anchor:
    """Return an anchor with the evidence that shows a claim, and the reasons where there is none."""
    anchor = Anchor(request.digest)
    if isinstance(account, _AccountEvidence):
        anchor = anchor._replace(block=account.block, account=account.account, storage=account.storage)
    if isinstance(deployment, DeploymentEvidence):
        anchor = anchor._replace(deployment=deployment)
    on_chain, deployed = anchor_claims(RecordView(request.record), anchor, request.digest).claims
    missing: dict[str, str] = {}
    if on_chain.status is not ClaimStatus.SHOWN:
        missing[ClaimName.ON_CHAIN.value] = _reason(account, on_chain)
        anchor = _with_existing_account(anchor, request.existing)
    if not deployed.evidence:
        names_one = request.record["deployment"].get("transactionHash") is not None
        missing[ClaimName.DEPLOYED.value] = _reason(deployment if names_one else None, deployed)
        anchor = anchor._replace(deployment=None)
    return anchor._replace(missing=missing)


def _reason(evidence: object, claim: Claim) -> str:
    """Return why there is no evidence, or why it does not show the claim."""
    return str(evidence) if isinstance(evidence, EvidenceError) else claim.reason


def _with_existing_account(anchor: Anchor, existing: Anchor | None) -> Anchor:
    """Return an anchor with the account of an earlier one, if that was about the same record."""
    if existing is None or existing.record != anchor.record:
        return anchor._replace(block=None, account=(), storage={})
    return anchor._replace(block=existing.block, account=existing.account, storage=existing.storage)
