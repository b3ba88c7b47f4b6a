"""The IPFS address of a text, as `solc` and `ipfs add` (CIDv0) compute it.

The text is cut into chunks of 256 KiB; each becomes a UnixFS file node in a dag-pb block. Several chunks are
linked, 174 to a parent, level by level. The address is the SHA-256 multihash of the root block.
Specifications: UnixFS (`ipfs/specs`, UNIXFS.md), dag-pb (`ipld.io/specs/codecs/dag-pb`).
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

CHUNK_BYTES = 256 * 1024
LINKS_PER_NODE = 174
MULTIHASH_PREFIX = bytes((0x12, 0x20))
"""SHA-256, 32 bytes: the two bytes before the digest in a multihash."""

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class _Node(NamedTuple):
    """A block of the tree: its multihash, the text bytes below it, and the bytes of all its blocks."""

    multihash: bytes
    text_bytes: int
    block_bytes: int


def ipfs_multihash(data: bytes) -> bytes:
    """Return the multihash (34 bytes) of the root block of `data`, as in solc's `ipfs` field."""
    level = [_leaf(data[at : at + CHUNK_BYTES]) for at in range(0, max(len(data), 1), CHUNK_BYTES)]
    while len(level) > 1:
        level = [_parent(level[at : at + LINKS_PER_NODE]) for at in range(0, len(level), LINKS_PER_NODE)]
    return level[0].multihash


def base58(data: bytes) -> str:
    """Encode bytes in Bitcoin's base58; leading zero bytes become leading ones."""
    number, digits = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        digits = _BASE58[digit] + digits
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + digits


def _leaf(chunk: bytes) -> _Node:
    size = _varint(len(chunk))
    content = b"\x12" + size + chunk if chunk else b""  # an empty file has no Data field at all
    return _node(b"", b"\x08\x02" + content + b"\x18" + size, text_bytes=len(chunk), child_bytes=0)


def _parent(children: Sequence[_Node]) -> _Node:
    links, sizes = b"", b""
    for child in children:
        link = b"\x0a\x22" + child.multihash + b"\x12\x00\x18" + _varint(child.block_bytes)
        links += b"\x12" + _varint(len(link)) + link
        sizes += b"\x20" + _varint(child.text_bytes)
    text_bytes = sum(child.text_bytes for child in children)
    unixfs = b"\x08\x02\x18" + _varint(text_bytes) + sizes
    child_bytes = sum(child.block_bytes for child in children)
    return _node(links, unixfs, text_bytes=text_bytes, child_bytes=child_bytes)


def _node(links: bytes, unixfs: bytes, *, text_bytes: int, child_bytes: int) -> _Node:
    # dag-pb writes the links (field 2) before the data (field 1)
    block = links + b"\x0a" + _varint(len(unixfs)) + unixfs
    return _Node(MULTIHASH_PREFIX + sha256(block).digest(), text_bytes, child_bytes + len(block))


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(0x80 | number & 0x7F)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
