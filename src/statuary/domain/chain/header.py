"""Block headers of every fork: forks add members at the end, and the hash covers all of them."""

from typing import Final, NamedTuple

from statuary.domain.chain.rlp import EvidenceError, as_bytes, as_number, decode_list
from statuary.domain.primitives import keccak256

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
"""The members that every header has, as JSON-RPC names them, and their bytes: None for a number, 0 for any length."""

ADDED_MEMBERS: Final = (
    "baseFeePerGas",  # London
    "withdrawalsRoot",  # Shanghai
    "blobGasUsed",  # Cancun
    "excessBlobGas",
    "parentBeaconBlockRoot",
    "requestsHash",  # Prague
)
"""The members that forks added, in order; a header has the first few of them, or later ones too."""

NUMBERS: Final = {
    *(name for name, size in HEADER_SIZES.items() if size is None),
    *("baseFeePerGas", "blobGasUsed", "excessBlobGas"),
}
"""The members that are numbers."""


class BlockHeader(NamedTuple):
    """The parts of a header that proofs start from."""

    hash: bytes  # Keccak-256 of the encoded header: the block's
    number: int
    timestamp: int  # seconds since 1970
    state_root: bytes
    transactions_root: bytes
    receipts_root: bytes


def parse_header(raw: bytes) -> BlockHeader:
    """Return the fields of an encoded header; raise EvidenceError if it is not that of an Ethereum block."""
    items = decode_list(raw)
    if len(items) < len(HEADER_SIZES):
        raise EvidenceError(f"the header has {len(items)} members, fewer than Ethereum's")
    members = dict(zip(HEADER_SIZES, items, strict=False))
    for name, size in HEADER_SIZES.items():
        if size is None:
            as_number(members[name])
        else:
            as_bytes(members[name], *([size] if size else []))
    for added in items[len(HEADER_SIZES) :]:
        as_bytes(added)
    return BlockHeader(
        hash=keccak256(raw),
        number=as_number(members["number"]),
        timestamp=as_number(members["timestamp"]),
        state_root=as_bytes(members["stateRoot"]),
        transactions_root=as_bytes(members["transactionsRoot"]),
        receipts_root=as_bytes(members["receiptsRoot"]),
    )
