"""Build small Merkle Patricia tries and their proofs from all entries."""

from collections.abc import Iterable
from typing import NamedTuple

from statuary.base.primitives import keccak256
from statuary.contracts.chain.merkle_trie import EMPTY_ROOT, EMPTY_TRIE, RlpItem, encode_rlp


def is_trie_root(root_hash: bytes, node_hex: str) -> bool:
    """Return whether a node's hash is the root hash of a trie.

    A trie is Ethereum's hashed tree of keys and values.

    Args:
        root_hash: the hash of the trie's root.
        node_hex: the encoded node as hex; for any other string, the result is False.
    """
    try:
        return keccak256(bytes.fromhex(node_hex.removeprefix("0x"))) == root_hash
    except ValueError:
        return False


Entries = list[tuple[str, bytes]]
"""The entries of a trie: keys as hex digits, with their values."""


class TrieProof(NamedTuple):
    """A Merkle trie's root, and the nodes that prove one key."""

    root: bytes
    nodes: list[bytes]  # the encoded nodes on the path to the key


def make_trie_proof(trie_entries: Iterable[tuple[bytes, bytes]], key: bytes) -> TrieProof:
    """Build a Merkle trie from all entries, and prove one of them.

    For example, from all transactions of a block. A trie is Ethereum's hashed tree of keys and values.

    Args:
        trie_entries: the keys and values of the trie.
        key: the key to prove.
    """
    entries = sorted((entry_key.hex(), value) for entry_key, value in trie_entries)
    nodes: list[bytes] = []
    root = encode_rlp(_build_trie_node(entries, key.hex(), nodes)) if entries else EMPTY_TRIE
    return TrieProof(keccak256(root), [root, *reversed(nodes)] if entries else [])


def _build_trie_node(entries: Entries, key_path: str | None, proof_nodes: list[bytes]) -> RlpItem:
    # `key_path` is the rest of the key to prove, or None if this node is not on the path to it. `proof_nodes`
    # receives the encoded nodes on that path.
    first_key, value = entries[0]
    if len(entries) == 1:
        return [_encode_compact_path(first_key, is_leaf=True), value]
    if shared := _common_prefix(first_key, entries[-1][0]):
        below = _child_reference(entries, shared, key_path, proof_nodes)
        return [_encode_compact_path(shared, is_leaf=False), below]
    branch: list[RlpItem] = [
        _child_reference(entries, f"{digit:x}", key_path, proof_nodes) for digit in range(16)
    ]
    return [*branch, value if not first_key else b""]


def _common_prefix(key: str, other_key: str) -> str:
    pairs = zip(key, other_key, strict=False)
    return key[: next((place for place, (digit, its) in enumerate(pairs) if digit != its), len(key))]


def _child_reference(
    entries: Entries, prefix: str, key_path: str | None, proof_nodes: list[bytes]
) -> RlpItem:
    chosen = [(key[len(prefix) :], value) for key, value in entries if key.startswith(prefix)]
    if not chosen:
        return b""
    on_way = key_path[len(prefix) :] if key_path is not None and key_path.startswith(prefix) else None
    node = _build_trie_node(chosen, on_way, proof_nodes)
    encoded = encode_rlp(node)
    if len(encoded) < len(EMPTY_ROOT):
        return node
    if on_way is not None:
        proof_nodes.append(encoded)
    return keccak256(encoded)


def _encode_compact_path(path: str, *, is_leaf: bool) -> bytes:
    flag = 2 * is_leaf + len(path) % 2
    return bytes.fromhex(f"{flag}{'' if len(path) % 2 else '0'}{path}")
