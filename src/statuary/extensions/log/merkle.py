"""Merkle trees by RFC 6962: proofs, verification, and tiles.

Proofs are made from the hashes of complete subtrees, and verified from hashes alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from struct import pack, unpack_from

from statuary.base.errors import StatuaryError

HASH_SIZE = 32
EMPTY_ROOT = sha256().digest()
"""The root of a tree without entries (RFC 6962, 2.1)."""

SubtreeHash = Callable[[int, int], bytes]
"""A function of height and index that returns the hash of a complete subtree.

The subtree has 2**height leaves; the index is its position among those of its height.
"""


class LogError(StatuaryError):
    """Raised if a log cannot be read, or contradicts its checkpoint."""

    def __init__(self, message: str, hint: str = "", cause: str = "", **values: str | int) -> None:
        """Create an error with a message for users and one for readers of pages.

        Args:
            message: the sentence that says what is wrong.
            hint: the sentence that says what to do.
            cause: the key of the text for readers, below `log.cause`; empty if there is none.
            values: the values of the placeholders in this text.
        """
        super().__init__(message, hint)
        self.cause = cause
        self.values = values


class ProofError(LogError):
    """Raised if a Merkle proof is invalid."""


def hash_leaf(entry: bytes) -> bytes:
    """Return the Merkle tree hash of a log entry (RFC 6962)."""
    return sha256(b"\0" + entry).digest()


def hash_node(left_hash: bytes, right_hash: bytes) -> bytes:
    """Return the Merkle tree hash of two adjacent subtrees (RFC 6962)."""
    return sha256(b"\1" + left_hash + right_hash).digest()


def hash_complete_tree(hashes: Sequence[bytes]) -> bytes:
    """Return the root of a complete Merkle tree.

    Args:
        hashes: the hashes of all leaves, or of all subtrees of the same height; their number is a power of
            two.
    """
    while len(hashes) > 1:
        hashes = [
            hash_node(left_hash, right_hash)
            for left_hash, right_hash in zip(hashes[::2], hashes[1::2], strict=True)
        ]
    return hashes[0]


def hash_entry_range(start: int, end: int, subtree_hash: SubtreeHash) -> bytes:
    """Return the Merkle tree hash of a range of log entries.

    It is MTH(D[start:end]) in RFC 6962. The hash of all entries is the root of the tree.

    Args:
        start: the number of the first entry.
        end: the number after the last entry.
        subtree_hash: a function that returns the hash of a complete subtree, given its height and index.
    """
    size = end - start
    if size == 0:
        return EMPTY_ROOT
    if size & (size - 1) == 0:
        height = size.bit_length() - 1
        return subtree_hash(height, start >> height)
    split = start + _split_point(size)
    return hash_node(hash_entry_range(start, split, subtree_hash), hash_entry_range(split, end, subtree_hash))


def make_inclusion_proof(index: int, size: int, subtree_hash: SubtreeHash) -> list[bytes]:
    """Compute the hashes that prove that a Merkle tree contains an entry.

    The result is PATH(index, D[size]) of RFC 6962, 2.1.1, from the leaf's sibling to the child of the root.

    Args:
        index: the number of the entry.
        size: the number of entries in the tree.
        subtree_hash: a function that returns the hash of a complete subtree, given its height and index.

    Raises:
        ProofError: if the tree has no such entry.
    """
    if not 0 <= index < size:
        raise ProofError(f"entry {index} does not exist: the log has {size} entries, counted from 0")
    return [hash_entry_range(start, end, subtree_hash) for start, end in _iter_sibling_ranges(index, size)][
        ::-1
    ]


def _iter_sibling_ranges(index: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of entries whose hashes an inclusion proof has."""
    start, end = 0, size
    while end - start > 1:
        split = start + _split_point(end - start)
        if index < split:
            yield split, end
            end = split
        else:
            yield start, split
            start = split


def make_consistency_proof(first_size: int, second_size: int, subtree_hash: SubtreeHash) -> list[bytes]:
    """Compute the hashes that prove that a log extends a shorter one.

    The result is PROOF(first, D[second]) of RFC 6962, 2.1.2, for Merkle trees.

    Args:
        first_size: the number of entries in the smaller tree.
        second_size: the number of entries in the larger tree.
        subtree_hash: a function that returns the hash of a complete subtree of the larger tree, given its
            height and index.

    Returns:
        The proof; empty if the two sizes are equal or the first is 0.

    Raises:
        ProofError: if the first size is greater than the second.
    """
    if not 0 <= first_size <= second_size:
        raise ProofError(
            f"a log of {first_size} entries cannot be the beginning of a log of {second_size} entries, "
            "which is shorter"
        )
    if first_size in (0, second_size):
        return []
    proof, start, end, is_complete = [], 0, second_size, True
    while end != first_size:
        split = start + _split_point(end - start)
        if first_size <= split:
            proof.append(hash_entry_range(split, end, subtree_hash))
            end = split
        else:
            proof.append(hash_entry_range(start, split, subtree_hash))
            start, is_complete = split, False
    return ([] if is_complete else [hash_entry_range(start, end, subtree_hash)]) + proof[::-1]


def _split_point(size: int) -> int:
    """Return the largest power of two below a size."""
    return 1 << (size - 1).bit_length() - 1


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Verify that a Merkle tree contains an entry (RFC 9162, 2.1.3.2).

    Args:
        leaf: the hash of the entry.
        index: the number of the entry.
        size: the number of entries in the tree.
        proof: the hashes of the inclusion proof.
        root: the root of the tree.

    Raises:
        ProofError: if the proof is invalid.
    """
    _check_hash_lengths([leaf, root, *proof])
    if not 0 <= index < size:
        raise ProofError(f"entry {index} does not exist: the log has {size} entries, counted from 0")
    inner = (index ^ (size - 1)).bit_length()
    if len(proof) != inner + (index >> inner).bit_count():
        raise ProofError(
            f"the inclusion proof has {len(proof)} hashes, the wrong number for entry {index} of a log of "
            f"{size} entries"
        )
    digest = leaf
    for height, sibling in enumerate(proof):
        is_right = height >= inner or index >> height & 1
        digest = hash_node(sibling, digest) if is_right else hash_node(digest, sibling)
    if digest != root:
        raise ProofError(
            f"the inclusion proof fails: the log of {size} entries has a different entry {index}"
        )


def verify_consistency(
    first_size: int, second_size: int, proof: Sequence[bytes], first_root: bytes, second_root: bytes
) -> None:
    """Verify that a Merkle tree extends a smaller one (RFC 9162, 2.1.4.2).

    Args:
        first_size: the number of entries in the smaller tree.
        second_size: the number of entries in the larger tree.
        proof: the hashes of the consistency proof.
        first_root: the root of the smaller tree.
        second_root: the root of the larger tree.

    Raises:
        ProofError: if the proof is invalid.
    """
    if not 0 <= first_size <= second_size:
        raise ProofError(
            f"a log of {first_size} entries cannot be the beginning of a log of {second_size} entries, "
            "which is shorter"
        )
    if first_size != second_size:
        _check_hash_lengths([first_root, second_root, *proof])
    if first_size in (0, second_size):
        if proof:
            raise ProofError("the consistency proof should be empty for logs of these sizes, but has hashes")
        if (first_size == second_size and first_root != second_root) or (
            not first_size and first_root != EMPTY_ROOT
        ):
            raise ProofError(
                f"two checkpoints have different root hashes for the same size of {first_size} entries"
            )
        return
    if not proof:
        raise ProofError(f"the consistency proof from {first_size} to {second_size} entries has no hashes")
    _verify_consistency_path(first_size, second_size, proof, first_root, second_root)


def _verify_consistency_path(
    first_size: int, second_size: int, proof_hashes: Sequence[bytes], first_root: bytes, second_root: bytes
) -> None:
    hashes = [first_root, *proof_hashes] if first_size & (first_size - 1) == 0 else list(proof_hashes)
    # The proof begins with the hash of the largest complete subtree that ends at the last leaf of the first
    # tree (RFC 9162, 2.1.4.2). So go up from this leaf as long as the node is a right child.
    height = (~(first_size - 1) & first_size).bit_length() - 1
    place = (first_size - 1) >> height
    last_leaf = (second_size - 1) >> height
    old = new = hashes[0]
    for sibling in hashes[1:]:
        if last_leaf == 0:
            raise ProofError(
                f"the consistency proof from {first_size} to {second_size} entries has too many hashes"
            )
        if place & 1 or place == last_leaf:
            old = hash_node(sibling, old)
            new = hash_node(sibling, new)
            while place and not place & 1:
                place, last_leaf = place >> 1, last_leaf >> 1
        else:
            new = hash_node(new, sibling)
        place, last_leaf = place >> 1, last_leaf >> 1
    if (last_leaf, old, new) != (0, first_root, second_root):
        raise ProofError(f"the log of {first_size} entries is not the beginning of the log of {second_size}")


def _check_hash_lengths(proof_hashes: Iterable[bytes]) -> None:
    if any(len(digest) != HASH_SIZE for digest in proof_hashes):
        raise ProofError(f"a hash of the proof or root does not have {HASH_SIZE} bytes")


WIDTH = 256
"""Hashes of a full tile, and entries of a full bundle."""

HEIGHT = 8
"""The levels of the tree that a tile spans."""

LONGEST_ENTRY = 0xFFFF
ENTRIES = "entries"

ReadPath = Callable[[str], bytes | None]
"""A function that returns the bytes at a path, or None; for tiles, the path is below the log's prefix."""


def make_tile_path(level: int | str, tile_index: int, width: int = WIDTH) -> str:
    """Return the path of a log's file of hashes or entries.

    A tile has up to 256 hashes, a bundle up to 256 entries (c2sp.org/tlog-tiles). Example: level 0, index 1234
    -> `tile/0/x001/234`.

    Args:
        level: the level of the tile, or `entries` for a bundle.
        tile_index: the number of the tile or bundle in its level.
        width: the number of hashes or entries in it.
    """
    digits = f"{tile_index:0{-(-len(str(tile_index)) // 3) * 3}}"
    parts = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    path = "/".join((*(f"x{part}" for part in parts[:-1]), parts[-1]))
    return f"tile/{level}/{path}" + ("" if width == WIDTH else f".p/{width}")


def iter_tile_paths(size: int, *, since: int = 0) -> Iterator[str]:
    """Yield the paths of all tiles and bundles of a log.

    A tile is a file of hashes, a bundle a file of entries.

    Args:
        size: the number of entries in the log.
        since: the size of the log at an earlier time; only files that changed since then are yielded.
    """
    for level, count, previous_count in _iter_grown_levels(size, since):
        for kind in (ENTRIES, 0) if level == 0 else (level,):
            for index in range(previous_count // WIDTH, -(-count // WIDTH)):
                yield make_tile_path(kind, index, min(WIDTH, count - index * WIDTH))


def _iter_grown_levels(size: int, since: int) -> Iterator[tuple[int, int, int]]:
    """Yield the levels of a log's Merkle tree that grew.

    Yields:
        The number of the level, its number of hashes now, and its number of hashes before.
    """
    level = 0
    while size > since:
        yield level, size, since
        level = level + 1
        size = size // WIDTH
        since = since // WIDTH


def read_tile_or_bundle(read_path: ReadPath, level: int | str, tile_index: int, level_size: int) -> bytes:
    """Read a file of hashes (tile) or entries (bundle) of a log.

    The last file of a level is incomplete until the log grows. If it is missing, the complete file is read
    instead.

    Args:
        read_path: a function that returns the bytes at a path, or None.
        level: the level of the tile, or `entries` for a bundle.
        tile_index: the number of the tile or bundle in its level.
        level_size: the number of all hashes at the level, or of all entries in the log.

    Raises:
        LogError: if the tile or bundle is missing.
    """
    width = min(WIDTH, level_size - tile_index * WIDTH)
    body = read_path(make_tile_path(level, tile_index, width))
    if body is None and width < WIDTH:
        body = read_path(make_tile_path(level, tile_index))
    if body is None:
        raise LogError(f"the file {make_tile_path(level, tile_index, width)} of the log is missing")
    return body


def make_subtree_hasher(read_path: ReadPath, size: int) -> SubtreeHash:
    """Make a function that computes subtree hashes from a log's tiles.

    A tile is a file of hashes. The function raises LogError if a tile is missing or too short. It does not
    verify the tiles: compare what you compute from the hashes with a checkpoint.

    Args:
        read_path: a function that returns the bytes at a path, or None.
        size: the number of entries in the log.
    """
    by_range: dict[tuple[int, int], bytes] = {}

    def hash_subtree(height: int, index: int) -> bytes:
        level, level_height = divmod(height, HEIGHT)
        start, count = index << level_height, 1 << level_height
        tile = start // WIDTH
        if (level, tile) not in by_range:
            if len(by_range) > KEPT_TILES:
                by_range.clear()
            by_range[level, tile] = read_tile_or_bundle(read_path, level, tile, size >> HEIGHT * level)
        offset = start % WIDTH * HASH_SIZE
        hashes = by_range[level, tile][offset : offset + count * HASH_SIZE]
        if len(hashes) < count * HASH_SIZE:
            raise LogError(
                f"the file {make_tile_path(level, tile)} of the log is cut off: it has too few hashes"
            )
        return hash_complete_tree([hashes[at : at + HASH_SIZE] for at in range(0, len(hashes), HASH_SIZE)])

    return lru_cache(KEPT_HASHES)(hash_subtree)


KEPT_HASHES = 4096
"""Hashes of subtrees that stay in memory: neighbours share most of their proofs."""

KEPT_TILES = 256
"""Tiles that stay in memory while proofs are made, of 8 kB each."""


def split_bundle(bundle: bytes, entry_count: int) -> list[bytes]:
    """Split a bundle (a file of entries) into its entries.

    Args:
        bundle: the bytes of the bundle.
        entry_count: the number of entries to return; the bundle may have more.

    Raises:
        LogError: if the bundle is cut off or has fewer entries.
    """
    entries: list[bytes] = []
    at = 0
    while len(entries) < entry_count:
        if at + 2 > len(bundle):
            raise LogError(
                f"a file of log entries is cut off: it has {len(entries)} of the expected {entry_count} entries"
            )
        (length,) = unpack_from(">H", bundle, at)
        entries.append(bundle[at + 2 : at + 2 + length])
        at += 2 + length
        if at > len(bundle):
            raise LogError(
                f"a file of log entries is cut off: it ends inside entry {len(entries)} of {entry_count}"
            )
    return entries


def make_bundle_reader(read_path: ReadPath, size: int) -> Callable[[int], list[bytes]]:
    """Make a function that reads the entries in a bundle.

    A bundle is a file of up to 256 entries. The function takes the number of the bundle, and caches the last
    bundle. It raises LogError if the bundle is missing or too short, and does not verify the entries.

    Args:
        read_path: a function that returns the bytes at a path, or None.
        size: the number of entries in the log.
    """

    def read_bundle(index: int) -> list[bytes]:
        return split_bundle(
            read_tile_or_bundle(read_path, ENTRIES, index, size), min(WIDTH, size - index * WIDTH)
        )

    return lru_cache(1)(read_bundle)


def iter_verified_entries(read_path: ReadPath, size: int, root: bytes, start: int = 0) -> Iterator[bytes]:
    """Yield the entries of a transparency log, verified against its root hash.

    Args:
        read_path: a function that returns the bytes at a path, or None.
        size: the number of entries in the log.
        root: the root of the log's Merkle tree, from the checkpoint.
        start: the number of the first entry to yield; earlier entries are not read.

    Raises:
        LogError: if a tile or bundle is missing or contradicts another, or the root differs.
    """
    if start > size:
        raise LogError(f"entry {start} does not exist: the log has {size} entries, counted from 0")
    growth = LogGrowth(start, read_path, published_size=size)
    for index in range(start // WIDTH, -(-size // WIDTH)):
        count = min(WIDTH, size - index * WIDTH)
        body = read_tile_or_bundle(read_path, ENTRIES, index, size)
        entries = split_bundle(body, count)
        if (
            sum(map(len, entries)) + 2 * count < len(body)
            and read_path(make_tile_path(ENTRIES, index, count)) == body
        ):
            raise LogError(
                f"{make_tile_path(ENTRIES, index, count)} should have {count} entries, but has more"
            )
        new_entries = entries[max(0, start - index * WIDTH) :]
        for entry in new_entries:
            for path, piece in growth.append_entry(entry):
                _require_published_tile(read_path, path, piece)
        yield from new_entries
    for path, piece in growth.iter_partial_files():
        _require_published_tile(read_path, path, piece)
    if growth.root() != root:
        raise LogError(f"the entries of the log do not match its checkpoint of {size} entries")


def _require_published_tile(read_path: ReadPath, path: str, computed_tile: bytes) -> None:
    if path.startswith(f"tile/{ENTRIES}/"):
        return  # the entries came from the published bundle
    tile = read_path(path)
    if tile is None and ".p/" in path:
        tile = read_path(path.partition(".p/")[0])
        tile = None if tile is None else tile[: len(computed_tile)]
    if tile is None:
        raise LogError(f"{path} is missing")
    if tile != computed_tile:
        raise LogError(f"the file {path} differs from the one computed from the entries of the log")


class LogGrowth:
    """Appends entries to a log's Merkle tree, and yields the changed files."""

    def __init__(self, size: int, read_path: ReadPath, published_size: int | None = None) -> None:
        """Read the tiles at the right edge of a log's tree.

        Args:
            size: the number of entries in the log.
            read_path: returns the bytes at a path, or None.
            published_size: the number of entries in the published log; None if it is `size`.

        Raises:
            LogError: if a tile is missing.
        """
        self.size = self.previous_size = size  # entries by now
        published_size = size if published_size is None else published_size
        self._levels: list[bytearray] = []
        count, level = size, 0
        while count:
            width = count % WIDTH
            published_count = published_size >> HEIGHT * level
            body = read_tile_or_bundle(read_path, level, count // WIDTH, published_count) if width else b""
            self._levels.append(bytearray(body[: width * HASH_SIZE]))
            count, level = count // WIDTH, level + 1
        partial_width = size % WIDTH
        bundle = (
            read_tile_or_bundle(read_path, ENTRIES, size // WIDTH, published_size) if partial_width else b""
        )
        self._bundle = bytearray(b"".join(map(_with_length_prefix, split_bundle(bundle, partial_width))))

    def append_entry(self, entry: bytes) -> Iterator[tuple[str, bytes]]:
        """Append an entry to the log, and yield the completed files.

        Yields:
            The path and the bytes of each tile (file of hashes) or bundle (file of entries).

        Raises:
            LogError: if the entry is too long.
        """
        self._bundle += _with_length_prefix(entry)
        self.size += 1
        if self.size % WIDTH == 0:
            yield make_tile_path(ENTRIES, self.size // WIDTH - 1), bytes(self._bundle)
            self._bundle.clear()
        yield from self._append_hash(0, hash_leaf(entry))

    def _append_hash(self, level: int, value: bytes) -> Iterator[tuple[str, bytes]]:
        if level == len(self._levels):
            self._levels.append(bytearray())
        tile = self._levels[level]
        tile += value
        if len(tile) == WIDTH * HASH_SIZE:
            yield make_tile_path(level, (self.size >> HEIGHT * (level + 1)) - 1), bytes(tile)
            value = hash_complete_tree(
                [bytes(tile[at : at + HASH_SIZE]) for at in range(0, len(tile), HASH_SIZE)]
            )
            tile.clear()
            yield from self._append_hash(level + 1, value)

    def iter_partial_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the last files of a log, which later entries extend.

        Yields:
            The path and the bytes of each tile (file of hashes) or bundle (file of entries).
        """
        if self._bundle:
            yield make_tile_path(ENTRIES, self.size // WIDTH, self.size % WIDTH), bytes(self._bundle)
        for level, tile in enumerate(self._levels):
            count = self.size >> HEIGHT * level
            if tile and count > self.previous_size >> HEIGHT * level:
                yield make_tile_path(level, count // WIDTH, count % WIDTH), bytes(tile)

    def root(self) -> bytes:
        """Compute the root of the log's Merkle tree with all entries."""

        def hash_subtree(height: int, index: int) -> bytes:
            level, level_height = divmod(height, HEIGHT)
            offset = (index << level_height) % WIDTH * HASH_SIZE
            hashes = self._levels[level][offset : offset + (HASH_SIZE << level_height)]
            return hash_complete_tree(
                [bytes(hashes[at : at + HASH_SIZE]) for at in range(0, len(hashes), HASH_SIZE)]
            )

        return hash_entry_range(0, self.size, hash_subtree)


def _with_length_prefix(entry: bytes) -> bytes:
    if len(entry) > LONGEST_ENTRY:
        raise LogError(f"a log entry has {len(entry):,} bytes; the limit is {LONGEST_ENTRY:,}")
    return pack(">H", len(entry)) + entry
