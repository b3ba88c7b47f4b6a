"""Merkle trees as RFC 6962 hashes them: inclusion and consistency proofs, made and verified.

A proof is made from the hashes of complete subtrees; it is verified from hashes alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256

from statuary.domain.errors import StatuaryError

HASH_SIZE = 32
EMPTY_ROOT = sha256().digest()
"""The root of a tree without entries (RFC 6962, 2.1)."""

SubtreeHash = Callable[[int, int], bytes]
"""Returns the hash of the complete subtree of 2**height leaves whose index among those of its height is given:
`(height, index)`."""


class LogError(StatuaryError):
    """A log differs from its checkpoint, or cannot be read."""


class ProofError(LogError):
    """A proof does not show its claim."""


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of an entry."""
    return sha256(b"\0" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of two subtrees side by side."""
    return sha256(b"\1" + left + right).digest()


def fold_pairs(hashes: Sequence[bytes]) -> bytes:
    """Return the root of a complete tree: of 2**n hashes."""
    while len(hashes) > 1:
        hashes = [node_hash(left, right) for left, right in zip(hashes[::2], hashes[1::2], strict=True)]
    return hashes[0]


def range_hash(start: int, end: int, subtree: SubtreeHash) -> bytes:
    """Return MTH(D[start:end]) of RFC 6962, for a range that occurs in a tree; the root is that of all leaves."""
    size = end - start
    if size == 0:
        return EMPTY_ROOT
    if size & (size - 1) == 0:
        height = size.bit_length() - 1
        return subtree(height, start >> height)
    split = start + _split(size)
    return node_hash(range_hash(start, split, subtree), range_hash(split, end, subtree))


def inclusion_proof(index: int, size: int, subtree: SubtreeHash) -> list[bytes]:
    """Return PATH(index, D[size]) of RFC 6962, 2.1.1: from the leaf's sibling to the child of the root."""
    if not 0 <= index < size:
        raise ProofError(f"there is no entry {index} in a log of {size}")
    return [range_hash(start, end, subtree) for start, end in _siblings(index, size)][::-1]


def _siblings(index: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges beside the path from the root to a leaf."""
    start, end = 0, size
    while end - start > 1:
        split = start + _split(end - start)
        if index < split:
            yield split, end
            end = split
        else:
            yield start, split
            start = split


def consistency_proof(first: int, second: int, subtree: SubtreeHash) -> list[bytes]:
    """Return PROOF(first, D[second]) of RFC 6962, 2.1.2; empty if the two are equal or the first is 0."""
    if not 0 <= first <= second:
        raise ProofError(f"a log of {first} entries is not the beginning of one of {second}")
    if first in (0, second):
        return []
    proof, start, end, whole = [], 0, second, True
    while end != first:
        split = start + _split(end - start)
        if first <= split:
            proof.append(range_hash(split, end, subtree))
            end = split
        else:
            proof.append(range_hash(start, split, subtree))
            start, whole = split, False
    return ([] if whole else [range_hash(start, end, subtree)]) + proof[::-1]


def _split(size: int) -> int:
    """Return the largest power of two below a size."""
    return 1 << (size - 1).bit_length() - 1


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Verify that a leaf is in a tree (RFC 9162, 2.1.3.2); raise ProofError if the proof does not show it."""
    _check_hashes([leaf, root, *proof])
    if not 0 <= index < size:
        raise ProofError(f"there is no entry {index} in a log of {size}")
    inner = (index ^ (size - 1)).bit_length()
    if len(proof) != inner + (index >> inner).bit_count():
        raise ProofError(f"an inclusion proof of {len(proof)} hashes does not fit entry {index} of {size}")
    found = leaf
    for height, sibling in enumerate(proof):
        is_right = height >= inner or index >> height & 1
        found = node_hash(sibling, found) if is_right else node_hash(found, sibling)
    if found != root:
        raise ProofError(f"entry {index} is not entry {index} of the log of {size} entries")


def verify_consistency(
    first: int, second: int, proof: Sequence[bytes], first_root: bytes, second_root: bytes
) -> None:
    """Verify that a tree begins another (RFC 9162, 2.1.4.2); raise ProofError if it is not shown."""
    if not 0 <= first <= second:
        raise ProofError(f"a log of {first} entries is not the beginning of one of {second}")
    if first != second:
        _check_hashes([first_root, second_root, *proof])
    if first in (0, second):
        if proof:
            raise ProofError("a consistency proof that needs no hashes has some")
        if (first == second and first_root != second_root) or (not first and first_root != EMPTY_ROOT):
            raise ProofError(f"two different logs of {first} entries")
        return
    if not proof:
        raise ProofError("the consistency proof is empty")
    _verify_path(first, second, proof, first_root, second_root)


def _verify_path(
    first: int, second: int, proof: Sequence[bytes], first_root: bytes, second_root: bytes
) -> None:
    hashes = [first_root, *proof] if first & (first - 1) == 0 else list(proof)
    place, last = _to_right_edge(first - 1, second - 1)
    old = new = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            raise ProofError("the consistency proof is too long")
        if place & 1 or place == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            new = node_hash(new, sibling)
        place, last = place >> 1, last >> 1
    if (last, old, new) != (0, first_root, second_root):
        raise ProofError(f"the log of {first} entries is not the beginning of the log of {second}")


def _to_right_edge(place: int, last: int) -> tuple[int, int]:
    """Go up from the last leaf of the first tree while it is a right child."""
    shift = (~place & (place + 1)).bit_length() - 1
    return place >> shift, last >> shift


def _check_hashes(hashes: Iterable[bytes]) -> None:
    if any(len(one) != HASH_SIZE for one in hashes):
        raise ProofError(f"a hash does not have {HASH_SIZE} bytes")
