"""An anchor: the chain's Merkle proofs about a contract, under block hashes.

The account proof is EIP-1186's. No header contains the chain's id: that a block hash belongs to the chain, a
node of the chain can confirm, or a checkpoint of the site's author.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from statuary.base.json_values import Json
from statuary.base.primitives import Address, Hex, keccak256
from statuary.base.reasons import EvidenceError
from statuary.contracts.chain.merkle_trie import (
    EMPTY_ROOT,
    decode_rlp,
    decode_rlp_list,
    encode_rlp,
    require_rlp_bytes,
    rlp_number_bytes,
    rlp_to_number,
    verify_trie_proof,
)
from statuary.contracts.chain.transaction import (
    BlockHeader,
    Receipt,
    SignedTransaction,
    parse_block_header,
    parse_receipt,
    parse_transaction,
)

CREATION_CODE: Final = "{creationBytecode}"
"""Replaces the record's `creationBytecode.onchainBytecode` in a node, so that it is not kept twice."""

Nodes = tuple[str, ...]
"""The nodes of a Merkle proof from the root to the value, as hex."""


class AnchoredBlock(NamedTuple):
    """A block whose header contains the root hashes of Merkle proofs."""

    number: int
    hash: Hex
    header: Hex  # the block's header, RLP-encoded
    agreed: tuple[str, ...] = ()
    """Host names of the nodes that confirmed this hash, as stated in `anchor.json`."""


Checkpoints = Mapping[int, Hex]
"""The hashes of blocks of one chain that the site's author vouches for, by their numbers."""

NO_CHECKPOINTS: Final[Checkpoints] = MappingProxyType({})


def is_checkpoint(block: AnchoredBlock, checkpoints: Checkpoints) -> bool:
    """Return whether site.yaml lists a block as trusted.

    Args:
        block: the block, with its number and hash.
        checkpoints: the hashes of the trusted blocks, by number.

    Raises:
        EvidenceError: if site.yaml lists another hash for the number of the block.
    """
    checkpoint_hash = checkpoints.get(block.number)
    if checkpoint_hash is not None and checkpoint_hash != block.hash:
        raise EvidenceError(
            "other_checkpoint", block=block.number, hash=block.hash, checkpoint=checkpoint_hash
        )
    return checkpoint_hash is not None


class DeploymentEvidence(NamedTuple):
    """The Merkle proofs of the transaction that created a contract."""

    block: AnchoredBlock
    transaction: Nodes  # the proof under the block's transactions root; its value is the signed transaction
    receipt: Nodes  # the proof under the block's receipts root


class Anchor(NamedTuple):
    """A chain's Merkle proofs about one contract, as `anchor.json` stores them.

    They show that a block contains the contract's code, without trust in a server.
    """

    record: str  # SHA-256 of the record's canonical bytes, as hex; a changed record loses its anchor
    block: AnchoredBlock | None = None
    """The block under which account and storage are proven; None if neither is."""
    account: Nodes = ()  # the proof of the account under the block's state root
    storage: Mapping[str, Nodes] = {}
    """The Merkle proof of each storage slot, by the slot as 32 bytes of hex."""
    deployment: DeploymentEvidence | None = None  # the proofs of the deployment; None without proofs
    missing: Mapping[str, str] = {}  # why a claim has no evidence, by the name of the claim


class Account(NamedTuple):
    """An account's members that other proofs need, such as its storage root."""

    storage_root: bytes
    code_hash: bytes


NO_CODE: Final = keccak256(b"")
"""The code hash of an account without code."""

ABSENT_ACCOUNT: Final = Account(EMPTY_ROOT, NO_CODE)


def decode_block_header(block: AnchoredBlock) -> BlockHeader:
    """Decode the header of a block.

    Raises:
        EvidenceError: if the header is malformed, or does not have the hash and number of the block.
    """
    header = parse_block_header(_decode_hex(block.header))
    if header.hash != _decode_hex(block.hash):
        raise EvidenceError("other_header", block=block.hash)
    if header.number != block.number:
        raise EvidenceError("other_number", block=block.hash, number=header.number, named=block.number)
    return header


def verify_account(header: BlockHeader, address: Address, proof_nodes: Nodes) -> Account:
    """Verify the Merkle proof of an account, and return the account.

    Args:
        header: the header of the block, which contains the root of the state trie (all accounts).
        address: the address of the account.
        proof_nodes: the nodes of the Merkle proof.

    Returns:
        The account. If the proof shows that it does not exist, an account without code and storage.

    Raises:
        EvidenceError: if the proof is invalid.
    """
    leaf = verify_trie_proof(
        header.state_root, keccak256(_decode_hex(address)), [_decode_hex(node) for node in proof_nodes]
    )
    if not leaf:
        return ABSENT_ACCOUNT
    items = decode_rlp_list(leaf)
    if len(items) != 4:
        raise EvidenceError("account_members", members=str(len(items)))
    return Account(require_rlp_bytes(items[2], 32), require_rlp_bytes(items[3], 32))


def verify_storage_word(account: Account, slot: str, proof_nodes: Nodes) -> int:
    """Verify a storage slot's Merkle proof, and return the slot's value.

    Args:
        account: the account, which has been verified.
        slot: the storage slot as hex.
        proof_nodes: the nodes of the Merkle proof.

    Raises:
        EvidenceError: if the proof is invalid.
    """
    value = verify_trie_proof(
        account.storage_root, keccak256(_decode_hex(slot)), [_decode_hex(node) for node in proof_nodes]
    )
    return rlp_to_number(decode_rlp(value)) if value else 0


class ProvedTransaction(NamedTuple):
    """A transaction and its receipt, whose Merkle proofs are valid."""

    transaction: SignedTransaction
    receipt: Receipt


def verify_transaction(
    evidence: DeploymentEvidence, transaction_index: int, creation_code: str
) -> ProvedTransaction:
    """Verify the Merkle proofs of a transaction and its receipt.

    Args:
        evidence: the block, and the proofs of the transaction and the receipt. They have `{creationBytecode}` in place of
            the contract's code, which is already in its record.
        transaction_index: the position of the transaction in the block, from 0.
        creation_code: the record's creation code as hex, which is inserted there.

    Raises:
        EvidenceError: if a proof is invalid.
    """
    header = decode_block_header(evidence.block)
    key = encode_rlp(rlp_number_bytes(transaction_index))
    nodes = [_decode_hex(node.replace(CREATION_CODE, creation_code[2:], 1)) for node in evidence.transaction]
    transaction = parse_transaction(verify_trie_proof(header.transactions_root, key, nodes))
    nodes = [_decode_hex(node) for node in evidence.receipt]
    receipt = parse_receipt(verify_trie_proof(header.receipts_root, key, nodes))
    if receipt.type != transaction.type:
        raise EvidenceError("other_type", receipt=receipt.type, transaction=transaction.type)
    return ProvedTransaction(transaction, receipt)


def _decode_hex(hex_text: str) -> bytes:
    try:
        return bytes.fromhex(hex_text[2:])
    except ValueError:
        raise EvidenceError("no_hex") from None


def merkle_proofs_as_json(anchor: Anchor) -> dict[str, Json]:
    """Convert a contract's Merkle proofs to the JSON of `anchor.json`."""
    members: dict[str, Json] = {
        "record": anchor.record,
        "block": anchor.block and _block_as_json(anchor.block),
        "account": list(anchor.account),
        "storage": {slot: list(nodes) for slot, nodes in anchor.storage.items()},
        "deployment": anchor.deployment
        and {
            "block": _block_as_json(anchor.deployment.block),
            "transaction": list(anchor.deployment.transaction),
            "receipt": list(anchor.deployment.receipt),
        },
        "missing": dict(anchor.missing),
    }
    return {name: value for name, value in members.items() if value}


def _block_as_json(block: AnchoredBlock) -> dict[str, Json]:
    return block._asdict() | {"agreed": list(block.agreed)}
