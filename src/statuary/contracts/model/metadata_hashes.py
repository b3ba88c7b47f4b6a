"""Hashes of solc's metadata: the hashed text, IPFS and Swarm."""

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

import orjson

from statuary.base.json_values import Json
from statuary.base.primitives import InvalidValueError, keccak256

IPFS_CHUNK_BYTES = 256 * 1024
LINKS_PER_NODE = 174
MULTIHASH_PREFIX = bytes((0x12, 0x20))
"""SHA-256, 32 bytes: the two bytes before the digest in a multihash."""

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class _Node(NamedTuple):
    multihash: bytes
    text_bytes: int
    block_bytes: int


def ipfs_multihash(data: bytes) -> bytes:
    """Return the IPFS hash of bytes, as solc writes it into bytecode.

    Returns:
        The 34-byte multihash of the root block.
    """
    level = [
        _make_ipfs_leaf(data[start : start + IPFS_CHUNK_BYTES])
        for start in range(0, max(len(data), 1), IPFS_CHUNK_BYTES)
    ]
    while len(level) > 1:
        level = [
            _make_ipfs_parent(level[start : start + LINKS_PER_NODE])
            for start in range(0, len(level), LINKS_PER_NODE)
        ]
    return level[0].multihash


def encode_base58(data: bytes) -> str:
    """Encode bytes in Bitcoin's base58, in which IPFS hashes are shown.

    Each leading zero byte becomes the digit `1`.
    """
    number, digits = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        digits = _BASE58[digit] + digits
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + digits


def _make_ipfs_leaf(chunk: bytes) -> _Node:
    size = _encode_varint(len(chunk))
    content = b"\x12" + size + chunk if chunk else b""  # an empty file has no Data field at all
    return _make_ipfs_node(b"", b"\x08\x02" + content + b"\x18" + size, text_bytes=len(chunk), child_bytes=0)


def _make_ipfs_parent(children: Sequence[_Node]) -> _Node:
    links, sizes = b"", b""
    for child in children:
        link = b"\x0a\x22" + child.multihash + b"\x12\x00\x18" + _encode_varint(child.block_bytes)
        links += b"\x12" + _encode_varint(len(link)) + link
        sizes += b"\x20" + _encode_varint(child.text_bytes)
    text_bytes = sum(child.text_bytes for child in children)
    unixfs = b"\x08\x02\x18" + _encode_varint(text_bytes) + sizes
    child_bytes = sum(child.block_bytes for child in children)
    return _make_ipfs_node(links, unixfs, text_bytes=text_bytes, child_bytes=child_bytes)


def _make_ipfs_node(encoded_links: bytes, unixfs_data: bytes, *, text_bytes: int, child_bytes: int) -> _Node:
    # In the IPFS format dag-pb, a block contains the links to other blocks (field 2) before its own data
    # (field 1).
    block = encoded_links + b"\x0a" + _encode_varint(len(unixfs_data)) + unixfs_data
    return _Node(MULTIHASH_PREFIX + sha256(block).digest(), text_bytes, child_bytes + len(block))


def _encode_varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(0x80 | number & 0x7F)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


SWARM_CHUNK_BYTES = 0x1000
BRANCHES = SWARM_CHUNK_BYTES // 32


def swarm_hash_v0(data: bytes) -> bytes:
    """Return the 32-byte hash of a file in Swarm's first version.

    solc writes this hash of the metadata as `bzzr0`.

    Args:
        data: the bytes of the file.
    """
    if len(data) <= SWARM_CHUNK_BYTES:
        return keccak256(_encode_span(data) + data)
    span = _child_span(len(data))
    children = b"".join(swarm_hash_v0(data[start : start + span]) for start in range(0, len(data), span))
    return keccak256(_encode_span(data) + children)


def swarm_hash_v1(data: bytes) -> bytes:
    """Return the 32-byte hash of bytes in Swarm's second version.

    solc writes this hash of the metadata as `bzzr1`. The hash of no bytes is zero, as in solc.
    """
    return _swarm_v1_node_hash(data, has_taller_siblings=False) if data else bytes(32)


def _swarm_v1_node_hash(data: bytes, *, has_taller_siblings: bool) -> bytes:
    # Swarm puts a full last chunk under a node of its own if its sibling nodes span more than one chunk. Any
    # other data of at most one chunk is hashed directly.
    if len(data) < SWARM_CHUNK_BYTES or (len(data) == SWARM_CHUNK_BYTES and not has_taller_siblings):
        chunk = data
    else:
        span = _child_span(len(data))
        chunk = b"".join(
            _swarm_v1_node_hash(data[start : start + span], has_taller_siblings=span > SWARM_CHUNK_BYTES)
            for start in range(0, len(data), span)
        )
    return keccak256(_encode_span(data) + _binary_merkle_root(chunk.ljust(SWARM_CHUNK_BYTES, b"\0")))


def _binary_merkle_root(chunk: bytes) -> bytes:
    if len(chunk) <= 64:
        return keccak256(chunk)
    half = len(chunk) // 2
    return keccak256(_binary_merkle_root(chunk[:half]) + _binary_merkle_root(chunk[half:]))


def _child_span(data_length: int) -> int:
    span = SWARM_CHUNK_BYTES
    while span * BRANCHES < data_length:
        span *= BRANCHES
    return span


def _encode_span(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little")


SCHEMES = {"ipfs": ipfs_multihash, "bzzr1": swarm_hash_v1, "bzzr0": swarm_hash_v0}
"""The hashes that solc writes of its metadata, by the name that auxdata has for them."""


_ESCAPED_DELETE = re.compile(rb"(\\\\)|\\u007f")
"""U+007F as JSON escapes it, or an escaped backslash, after which the same letters are literal."""


def possible_metadata_texts(metadata: Json, output_text: str | None = None) -> Iterator[bytes]:
    r"""Yield the JSON texts that solc may have written as metadata.

    The most likely text is first. solc writes compact JSON with sorted keys, but versions escape characters
    differently: since 0.8.26, everything except printable ASCII is escaped with `\u`; since about 0.4.14,
    U+007F is omitted.

    Args:
        metadata: the parsed metadata.
        output_text: the text of the metadata in the compiler's output, if known.

    Raises:
        InvalidValueError: if the metadata is nested more deeply than any compiler's.
    """
    if output_text is not None:
        yield output_text.encode("utf-8", "surrogatepass")
    for option in (0, orjson.OPT_SORT_KEYS):
        try:
            text = orjson.dumps(metadata, option=option)
        except (TypeError, ValueError):  # orjson raises a TypeError
            raise InvalidValueError(
                "the compiler's metadata is nested too deep to be written as JSON"
            ) from None
        if not text.isascii() or b"\x7f" in text:
            escaped = json.dumps(metadata, separators=(",", ":"), sort_keys=bool(option)).encode("ascii")
            yield escaped
            if b"\x7f" in text:
                yield _ESCAPED_DELETE.sub(lambda found: found[1] or b"\x7f", escaped)
        yield text


def metadata_hash(metadata_text: bytes, scheme: str) -> bytes:
    """Return the hash of a metadata text, as bytecode contains it.

    Args:
        metadata_text: the JSON text of the metadata.
        scheme: the kind of hash, such as `ipfs`.

    Raises:
        InvalidValueError: if solc does not use this kind of hash for metadata.
    """
    if scheme not in SCHEMES:
        raise InvalidValueError(
            f"{scheme!r} is not a kind of metadata hash that solc writes; it writes {', '.join(SCHEMES)}"
        )
    return SCHEMES[scheme](metadata_text)


def has_repeated_keys(json_text: str) -> bool:
    """Return whether an object in a JSON text repeats a key.

    JSON parsers disagree about the value of such a key. The result is also True for invalid JSON.
    """
    repeated = False

    def note_repeated_keys(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        nonlocal repeated
        members = dict(pairs)
        repeated = repeated or len(members) != len(pairs)
        return members

    try:
        json.loads(json_text, object_pairs_hook=note_repeated_keys)
    except (ValueError, RecursionError):
        return True
    return repeated
