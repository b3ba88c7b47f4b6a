"""Signed transactions, receipts (EIP-2718) and block headers.

Types: legacy with or without a chain id (EIP-155), 1 (EIP-2930), 2 (EIP-1559), 3 (EIP-4844), 4 (EIP-7702).
"""

from typing import Final, NamedTuple

from statuary.base.primitives import Address, checksum_address, keccak256
from statuary.base.reasons import EvidenceError
from statuary.contracts.chain.merkle_trie import (
    RlpItem,
    decode_rlp_list,
    encode_rlp,
    require_rlp_bytes,
    rlp_number_bytes,
    rlp_to_number,
)

LEGACY: Final = 0
FIRST_LIST: Final = 0xC0
"""The first byte of an RLP list, and so of a legacy transaction; a type is less."""

CURVE_ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""The order of secp256k1's generator."""


class _Layout(NamedTuple):
    # The positions of members; the last three members are the signature.
    members: int
    nonce: int
    to: int
    data: int


LAYOUTS: Final = {
    LEGACY: _Layout(members=9, nonce=0, to=3, data=5),
    1: _Layout(members=11, nonce=1, to=4, data=6),
    2: _Layout(members=12, nonce=1, to=5, data=7),
    3: _Layout(members=14, nonce=1, to=5, data=7),
    4: _Layout(members=13, nonce=1, to=5, data=7),
}
"""By type."""


class RecoverableSignature(NamedTuple):
    """A signature from which the signer's public key can be recovered."""

    digest: bytes  # the 32 signed bytes
    compact: bytes  # r, s and the parity of y: 65 bytes


class SignedTransaction(NamedTuple):
    """The fields of a signed Ethereum transaction."""

    hash: bytes  # the transaction hash, 32 bytes
    type: int
    chain_id: int | None  # None for a transaction from before EIP-155, which is valid on any chain
    nonce: int
    to: bytes  # the called address; empty if the transaction creates a contract
    data: bytes  # the creation code with its arguments, or the data of the call
    signature: RecoverableSignature


def parse_transaction(raw_transaction: bytes) -> SignedTransaction:
    """Parse the bytes of a signed transaction.

    Raises:
        EvidenceError: if the transaction is malformed, or of an unknown type.
    """
    kind, payload = _parse_envelope(raw_transaction, "transaction")
    layout = LAYOUTS.get(kind)
    if layout is None:
        raise EvidenceError("unknown_type", type=kind)
    items = decode_rlp_list(payload)
    if len(items) != layout.members:
        raise EvidenceError("transaction_members", members=str(len(items)), expected=layout.members)
    v, r, s = map(rlp_to_number, items[-3:])
    chain_id, parity, unsigned = (_legacy_signed_members if kind == LEGACY else _typed_signed_members)(
        items, v
    )
    if not (0 < r < CURVE_ORDER and 0 < s < CURVE_ORDER):
        raise EvidenceError("signature_range")
    if chain_id is not None and s > CURVE_ORDER // 2:
        raise EvidenceError("signature_form")
    prefix = b"" if kind == LEGACY else bytes([kind])
    return SignedTransaction(
        hash=keccak256(raw_transaction),
        type=kind,
        chain_id=chain_id,
        nonce=rlp_to_number(items[layout.nonce]),
        to=require_rlp_bytes(items[layout.to], *((20,) if kind in (3, 4) else (0, 20))),
        data=require_rlp_bytes(items[layout.data]),
        signature=RecoverableSignature(
            digest=keccak256(prefix + encode_rlp(unsigned)),
            compact=r.to_bytes(32) + s.to_bytes(32) + bytes([parity]),
        ),
    )


class _Envelope(NamedTuple):
    type: int
    payload: bytes  # the list


def _parse_envelope(raw_item: bytes, item_name: str) -> _Envelope:
    if not raw_item:
        raise EvidenceError(f"{item_name}_absent")
    if raw_item[0] >= FIRST_LIST:
        return _Envelope(LEGACY, raw_item)
    if raw_item[0] == LEGACY:
        raise EvidenceError(f"{item_name}_of_type_0")
    return _Envelope(raw_item[0], raw_item[1:])


class _SignedMembers(NamedTuple):
    chain_id: int | None  # None before EIP-155
    parity: int
    members: RlpItem


def _legacy_signed_members(transaction_items: list[RlpItem], signature_v: int) -> _SignedMembers:
    if signature_v in (27, 28):
        return _SignedMembers(None, signature_v - 27, transaction_items[:-3])
    if signature_v < 35:
        raise EvidenceError("signature_v", v=str(signature_v))
    chain_id, parity = divmod(signature_v - 35, 2)
    return _SignedMembers(chain_id, parity, [*transaction_items[:-3], rlp_number_bytes(chain_id), b"", b""])


def _typed_signed_members(transaction_items: list[RlpItem], signature_parity: int) -> _SignedMembers:
    if signature_parity > 1:
        raise EvidenceError("signature_parity", parity=str(signature_parity))
    return _SignedMembers(rlp_to_number(transaction_items[0]), signature_parity, transaction_items[:-3])


class Receipt(NamedTuple):
    """The fields of a transaction's receipt."""

    type: int
    succeeded: bool | None  # None before Byzantium, because those receipts do not state it


def parse_receipt(raw_receipt: bytes) -> Receipt:
    """Parse the bytes of a transaction receipt.

    Raises:
        EvidenceError: if the bytes are not a receipt.
    """
    kind, payload = _parse_envelope(raw_receipt, "receipt")
    items = decode_rlp_list(payload)
    if kind not in LAYOUTS or len(items) != 4 or not isinstance(items[3], list):
        raise EvidenceError("unknown_receipt")
    rlp_to_number(items[1])
    require_rlp_bytes(items[2], 256)
    state = require_rlp_bytes(items[0], 0, 1, 32)
    if len(state) == 32:
        return Receipt(kind, None)
    if rlp_to_number(state) > 1:
        raise EvidenceError("receipt_status")
    return Receipt(kind, state == b"\1")


def compute_create_address(sender: Address, nonce: int) -> Address:
    """Compute the address of a contract from its creator and the nonce.

    This is for the instruction CREATE, and for transactions that deploy a contract.

    Args:
        sender: the address of the creating account.
        nonce: the nonce of the account, a counter of its transactions.
    """
    return _address_from_digest(keccak256(encode_rlp([bytes.fromhex(sender[2:]), rlp_number_bytes(nonce)])))


def find_creation_nonce(creator: Address, created_address: Address, nonce_limit: int) -> int | None:
    """Find the nonce with which a contract created another contract.

    The instruction CREATE derives the new address from the creator and its nonce, so nonces from 1 on are
    tried.

    Args:
        creator: the address of the creating contract.
        created_address: the address of the created contract.
        nonce_limit: the search ends before this nonce.

    Returns:
        The nonce, or None if no nonce below the limit gives the address.
    """
    sender = bytes.fromhex(creator[2:])
    created = bytes.fromhex(created_address[2:])
    nonces = range(1, nonce_limit)  # a contract's first nonce is 1 (EIP-161)
    return next(
        (
            nonce
            for nonce in nonces
            if keccak256(encode_rlp([sender, rlp_number_bytes(nonce)]))[12:] == created
        ),
        None,
    )


def compute_create2_address(factory: bytes, salt: bytes, creation_code: bytes) -> Address:
    """Compute the address of a contract that the instruction CREATE2 creates.

    Args:
        factory: the address of the contract that executes CREATE2.
        salt: the 32 bytes that the factory chose.
        creation_code: the code that returns the contract's code.
    """
    return _address_from_digest(keccak256(b"\xff" + factory + salt + keccak256(creation_code)))


def address_from_public_key(public_key: bytes) -> Address:
    """Return the Ethereum address of a public key.

    Args:
        public_key: the coordinates x and y, 32 bytes each.
    """
    return _address_from_digest(keccak256(public_key))


def _address_from_digest(digest: bytes) -> Address:
    return checksum_address("0x" + digest[12:].hex())


HEADER_SIZES: Final = {
    "parentHash": 32,
    "sha3Uncles": 32,
    "miner": 20,
    "stateRoot": 32,
    "transactionsRoot": 32,
    "receiptsRoot": 32,
    "logsBloom": 256,
    "difficulty": None,
    "number": None,
    "gasLimit": None,
    "gasUsed": None,
    "timestamp": None,
    "extraData": 0,
    "mixHash": 32,
    "nonce": 8,
}
"""The members of every header by their JSON-RPC names, with their bytes: None for a number, 0 for any length."""


class BlockHeader(NamedTuple):
    """The members of a block header that Merkle proofs need."""

    hash: bytes  # Keccak-256 of the encoded header, the hash of the block
    number: int
    timestamp: int  # seconds since 1970
    state_root: bytes
    transactions_root: bytes
    receipts_root: bytes


def parse_block_header(raw_header: bytes) -> BlockHeader:
    """Parse the bytes of a block header.

    Raises:
        EvidenceError: if the bytes are not the header of an Ethereum block.
    """
    items = decode_rlp_list(raw_header)
    if len(items) < len(HEADER_SIZES):
        raise EvidenceError("header_members", members=str(len(items)))
    members = dict(zip(HEADER_SIZES, items, strict=False))
    for name, size in HEADER_SIZES.items():
        if size is None:
            rlp_to_number(members[name])
        else:
            require_rlp_bytes(members[name], *([size] if size else []))
    for added in items[len(HEADER_SIZES) :]:
        require_rlp_bytes(added)
    return BlockHeader(
        hash=keccak256(raw_header),
        number=rlp_to_number(members["number"]),
        timestamp=rlp_to_number(members["timestamp"]),
        state_root=require_rlp_bytes(members["stateRoot"]),
        transactions_root=require_rlp_bytes(members["transactionsRoot"]),
        receipts_root=require_rlp_bytes(members["receiptsRoot"]),
    )
