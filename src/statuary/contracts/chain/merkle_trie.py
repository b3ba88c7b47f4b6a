"""Merkle Patricia tries (Ethereum's yellow paper, appendix D) and RLP, for verification."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from statuary.base.limits import MAX_RLP_DEPTH
from statuary.base.primitives import keccak256
from statuary.base.reasons import EvidenceError

RlpItem = bytes | list["RlpItem"]
"""Bytes, or a list of items."""

SHORT: Final = 55
"""The longest payload whose length is in its first byte."""

BYTES, LIST = 0x80, 0xC0


def encode_rlp(item: RlpItem) -> bytes:
    """Encode bytes, or a nested list of bytes, in Ethereum's format RLP.

    Blocks, transactions and Merkle proofs have this format.
    """
    if isinstance(item, list):
        payload = b"".join(map(encode_rlp, item))
        return _rlp_prefix(LIST, len(payload)) + payload
    if len(item) == 1 and item[0] < BYTES:
        return item
    return _rlp_prefix(BYTES, len(item)) + item


def _rlp_prefix(item_kind: int, payload_length: int) -> bytes:
    if payload_length <= SHORT:
        return bytes([item_kind + payload_length])
    size = rlp_number_bytes(payload_length)
    return bytes([item_kind + SHORT + len(size)]) + size


def rlp_number_bytes(number: int) -> bytes:
    """Return a number's bytes for RLP: big-endian, without leading zeros.

    RLP is Ethereum's binary format. The bytes of 0 are empty.
    """
    return number.to_bytes((number.bit_length() + 7) // 8)


def decode_rlp(data: bytes) -> RlpItem:
    """Decode a single item in RLP, Ethereum's binary format.

    Returns:
        Bytes, or a nested list of bytes.

    Raises:
        EvidenceError: if `data` is not the encoding of exactly one item.
    """
    item, end = _decode_rlp_item(data, 0, len(data), MAX_RLP_DEPTH)
    if end != len(data):
        raise EvidenceError("rlp_rest", size=str(len(data) - end))
    return item


def decode_rlp_list(data: bytes) -> list[RlpItem]:
    """Decode a single list in RLP, Ethereum's binary format.

    Raises:
        EvidenceError: if `data` is not the encoding of exactly one list.
    """
    item = decode_rlp(data)
    if not isinstance(item, list):
        raise EvidenceError("rlp_no_list")
    return item


class _DecodedItem(NamedTuple):
    item: RlpItem
    end: int


def _decode_rlp_item(data: bytes, offset: int, limit: int, remaining_depth: int) -> _DecodedItem:
    if not remaining_depth:
        raise EvidenceError("rlp_depth", levels=MAX_RLP_DEPTH)
    if offset >= limit:
        raise EvidenceError("rlp_cut")
    first_byte = data[offset]
    if first_byte < BYTES:
        return _DecodedItem(data[offset : offset + 1], offset + 1)
    start, end = _payload_bounds(data, offset, limit)
    if first_byte < LIST:
        if end - start == 1 and data[start] < BYTES:
            raise EvidenceError("rlp_prefix")
        return _DecodedItem(data[start:end], end)
    items: list[RlpItem] = []
    while start < end:
        item, start = _decode_rlp_item(data, start, end, remaining_depth - 1)
        items.append(item)
    return _DecodedItem(items, end)


class _Payload(NamedTuple):
    start: int
    end: int


def _payload_bounds(data: bytes, offset: int, limit: int) -> _Payload:
    length = (data[offset] - BYTES) % (LIST - BYTES)
    start = offset + 1
    if length > SHORT:
        size = data[start : start + length - SHORT]
        start += length - SHORT
        length = int.from_bytes(size)
        if length <= SHORT or size[0] == 0:
            raise EvidenceError("rlp_length")
    if start + length > limit:
        raise EvidenceError("rlp_cut")
    return _Payload(start, start + length)


def rlp_to_number(item: RlpItem) -> int:
    """Convert bytes from decoded RLP to a number.

    Raises:
        EvidenceError: if the item is a list, or has leading zeros.
    """
    if isinstance(item, list) or item[:1] == b"\0":
        raise EvidenceError("rlp_number")
    return int.from_bytes(item)


def require_rlp_bytes(item: RlpItem, *lengths: int) -> bytes:
    """Require that an item of decoded RLP is bytes, and return it.

    Args:
        item: the decoded item.
        lengths: the allowed lengths in bytes; without any, every length is allowed.

    Raises:
        EvidenceError: if the item is a list, or has another length.
    """
    if isinstance(item, list) or (lengths and len(item) not in lengths):
        sizes = {f"size{place}": length for place, length in enumerate(lengths, start=1)}
        raise EvidenceError(f"rlp_sizes_{len(lengths)}", **sizes)
    return item


EMPTY_TRIE: Final = b"\x80"
"""The encoded node of an empty trie."""

EMPTY_ROOT: Final = keccak256(EMPTY_TRIE)
"""The root of an empty trie."""

BRANCH, SHORT_NODE = 17, 2
"""The members of a branch, and of an extension or a leaf."""


def verify_trie_proof(root_hash: bytes, key: bytes, proof_nodes: Sequence[bytes]) -> bytes:
    """Verify a Merkle proof, and return the value that it proves.

    Ethereum stores accounts, storage and transactions in tries: trees whose root hash is in the block header.

    Args:
        root_hash: the hash of the trie's root.
        key: the key in the trie. For accounts and storage slots, this is the hash of the address or slot.
        proof_nodes: the encoded nodes on the path from the root to the value. Nodes that are embedded in
            other nodes are not repeated.

    Returns:
        The value; empty if the nodes prove that the trie has no value for the key.

    Raises:
        EvidenceError: if a node on the path is missing or wrong, or there are more nodes.
    """
    if root_hash == EMPTY_ROOT and list(proof_nodes) in (
        [],
        [EMPTY_TRIE],
    ):  # some nodes give its only node, others none
        return b""
    walk = _TrieWalk(root_hash, key.hex(), proof_nodes)
    value = walk.find_value()
    if walk.unread:
        raise EvidenceError("proof_rest", nodes=str(len(walk.unread)))
    return value


class _TrieWalk:
    def __init__(self, root: bytes, key: str, nodes: Sequence[bytes]) -> None:
        self.reference: RlpItem = root
        self.remaining_key = key
        self.unread = list(nodes)

    def find_value(self) -> bytes:
        while self.reference:
            node = self._next_node()
            if len(node) == BRANCH:
                if not self.remaining_key:
                    return require_rlp_bytes(node[-1])
                self.reference = node[int(self.remaining_key[0], 16)]
                self.remaining_key = self.remaining_key[1:]
            else:
                path, is_leaf = _parse_compact_path(require_rlp_bytes(node[0]))
                if is_leaf:
                    return require_rlp_bytes(node[1]) if path == self.remaining_key else b""
                if not self.remaining_key.startswith(path):
                    return b""
                self.reference = node[1]
                self.remaining_key = self.remaining_key[len(path) :]
        return b""

    def _next_node(self) -> list[RlpItem]:
        node = self.reference
        if isinstance(node, bytes):
            if not self.unread:
                raise EvidenceError("proof_end")
            encoded = self.unread.pop(0)
            if keccak256(encoded) != node:
                raise EvidenceError("proof_hash")
            node = decode_rlp_list(encoded)
        if len(node) not in (BRANCH, SHORT_NODE):
            raise EvidenceError("proof_members", members=str(len(node)))
        return node


class _CompactPath(NamedTuple):
    digits: str  # the hex digits
    is_leaf: bool


def _parse_compact_path(encoded_path: bytes) -> _CompactPath:
    digits = encoded_path.hex()
    kind = digits[:1]
    if kind in ("1", "3"):
        return _CompactPath(digits[1:], kind == "3")
    if digits[:2] in ("00", "20"):
        return _CompactPath(digits[2:], kind == "2")
    raise EvidenceError("proof_path")
