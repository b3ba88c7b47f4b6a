"""Anchors under blocks made by hand: whole Merkle proofs of whatever a test says that a chain holds."""

from typing import Any

from statuary.base.primitives import keccak256
from statuary.contracts.chain.anchor import Anchor, AnchoredBlock
from statuary.contracts.chain.merkle_trie import EMPTY_ROOT, encode_rlp, rlp_number_bytes
from statuary.contracts.chain.trie_proofs import make_trie_proof

LATER = 1_800_000_000
"""A time after every record of the tests, in seconds since 1970."""


def anchor_of(
    digest: str,
    address: str,
    code: str,
    *,
    slots: dict[str, int] | None = None,
    number: int = 21_000_000,
    time: int = LATER,
    agreed: tuple[str, ...] = (),
) -> Anchor:
    """Return an anchor of a record under a block in which its address has a code; there is no account without code.

    Args:
        slots: the words of the account's storage, by slot.
    """
    storage = {
        keccak256(bytes.fromhex(slot[2:])): encode_rlp(rlp_number_bytes(word))
        for slot, word in (slots or {}).items()
        if word
    }
    storage_root = make_trie_proof(storage.items(), next(iter(storage)))[0] if storage else EMPTY_ROOT
    account = encode_rlp([b"\1", b"", storage_root, keccak256(bytes.fromhex(code[2:]))])
    accounts = {bytes([7]) * 32: b"somebody else's", **({_key(address): account} if code != "0x" else {})}
    state_root, nodes = make_trie_proof(accounts.items(), _key(address))
    header = [bytes(32), bytes(32), bytes(20), state_root, EMPTY_ROOT, EMPTY_ROOT, bytes(256), b""]
    header += [rlp_number_bytes(number), b"", b"", rlp_number_bytes(time), b"", bytes(32), bytes(8)]
    raw = encode_rlp(header)
    return Anchor(
        digest,
        block=AnchoredBlock(number, _hex(keccak256(raw)), _hex(raw), agreed),
        account=tuple(map(_hex, nodes)),
        storage={
            slot: tuple(map(_hex, make_trie_proof(storage.items(), keccak256(bytes.fromhex(slot[2:])))[1]))
            for slot in slots or {}
        },
    )


def _key(address: str) -> bytes:
    return keccak256(bytes.fromhex(address[2:]))


def _hex(data: bytes) -> Any:
    return f"0x{data.hex()}"
