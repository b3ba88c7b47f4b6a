"""The Swarm hashes that solc used before IPFS: `bzzr0` (to 0.5.8) and `bzzr1` (0.5.9-0.5.17).

Both cut the text into chunks of 4096 bytes and hash a tree with 128 children per node, prefixed by the length
(8 bytes, little endian); `bzzr1` hashes each chunk with a binary Merkle tree of 32-byte leaves (the "Swarm
hash" chapters of The Book of Swarm; solc's `SwarmHash` is the reference).
"""

from statuary.domain.primitives import keccak256

CHUNK_BYTES = 0x1000
BRANCHES = CHUNK_BYTES // 32


def bzzr0(data: bytes) -> bytes:
    """Return the 32-byte `bzzr0` hash of `data`."""
    if len(data) <= CHUNK_BYTES:
        return keccak256(_length(data) + data)
    span = _child_span(len(data))
    children = b"".join(bzzr0(data[at : at + span]) for at in range(0, len(data), span))
    return keccak256(_length(data) + children)


def bzzr1(data: bytes) -> bytes:
    """Return the 32-byte `bzzr1` hash of `data`; 32 zero bytes for an empty text, as in solc."""
    return _chunk_hash(data, below_taller=False) if data else bytes(32)


def _chunk_hash(data: bytes, *, below_taller: bool) -> bytes:
    # a full last chunk below a node of greater height still gets its own level
    if len(data) < CHUNK_BYTES or (len(data) == CHUNK_BYTES and not below_taller):
        chunk = data
    else:
        span = _child_span(len(data))
        chunk = b"".join(
            _chunk_hash(data[at : at + span], below_taller=span > CHUNK_BYTES)
            for at in range(0, len(data), span)
        )
    return keccak256(_length(data) + _merkle_root(chunk.ljust(CHUNK_BYTES, b"\0")))


def _merkle_root(chunk: bytes) -> bytes:
    if len(chunk) <= 64:
        return keccak256(chunk)
    half = len(chunk) // 2
    return keccak256(_merkle_root(chunk[:half]) + _merkle_root(chunk[half:]))


def _child_span(length: int) -> int:
    """Return the number of text bytes below each child of a node over `length` bytes."""
    span = CHUNK_BYTES
    while span * BRANCHES < length:
        span *= BRANCHES
    return span


def _length(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little")
