"""Tiles and entry bundles of a log (c2sp.org/tlog-tiles): their paths, their content, and their growth."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from struct import pack, unpack_from

from statuary.domain.log.merkle import HASH_SIZE, LogError, SubtreeHash, fold_pairs, leaf_hash, range_hash

WIDTH = 256
"""Hashes of a full tile, and entries of a full bundle."""

HEIGHT = 8
"""The levels of the tree that a tile spans."""

LONGEST_ENTRY = 0xFFFF
ENTRIES = "entries"

ReadPath = Callable[[str], bytes | None]
"""Returns the bytes at a path below the log's prefix; None if there are none."""


def tile_path(level: int | str, index: int, width: int = WIDTH) -> str:
    """Return the path of a tile or, at level `entries`, of a bundle, below the log's prefix."""
    digits = f"{index:0{-(-len(str(index)) // 3) * 3}}"
    parts = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    path = "/".join((*(f"x{part}" for part in parts[:-1]), parts[-1]))
    return f"tile/{level}/{path}" + ("" if width == WIDTH else f".p/{width}")


def tile_paths(size: int, *, since: int = 0) -> Iterator[str]:
    """Yield the paths of all tiles and bundles of a log, or of those that are new since an earlier size."""
    for level, count, before in _levels(size, since):
        for kind in (ENTRIES, 0) if level == 0 else (level,):
            for index in range(before // WIDTH, -(-count // WIDTH)):
                yield tile_path(kind, index, min(WIDTH, count - index * WIDTH))


def _levels(size: int, since: int) -> Iterator[tuple[int, int, int]]:
    """Yield each level that has grown, with its number of hashes now and before."""
    level = 0
    while size > since:
        yield level, size, since
        level, size, since = level + 1, size // WIDTH, since // WIDTH


def read_piece(read: ReadPath, level: int | str, index: int, count: int) -> bytes:
    """Return a tile or bundle of a level that has `count` in all; the full one where the partial one was removed.

    Raises:
        LogError: if it is missing.
    """
    width = min(WIDTH, count - index * WIDTH)
    body = read(tile_path(level, index, width))
    if body is None and width < WIDTH:
        body = read(tile_path(level, index))
    if body is None:
        raise LogError(f"{tile_path(level, index, width)} is missing")
    return body


def tile_subtrees(read: ReadPath, size: int) -> SubtreeHash:
    """Return the function that gives the hashes of complete subtrees of a log of a size from its tiles.

    It raises LogError where a tile is missing or too short. The tiles are not trusted: what is computed from these hashes
    has to be verified against a checkpoint.
    """
    kept: dict[tuple[int, int], bytes] = {}

    def subtree(height: int, index: int) -> bytes:
        level, rest = divmod(height, HEIGHT)
        start, count = index << rest, 1 << rest
        tile = start // WIDTH
        if (level, tile) not in kept:
            if len(kept) > KEPT_TILES:
                kept.clear()
            kept[level, tile] = read_piece(read, level, tile, size >> HEIGHT * level)
        offset = start % WIDTH * HASH_SIZE
        hashes = kept[level, tile][offset : offset + count * HASH_SIZE]
        if len(hashes) < count * HASH_SIZE:
            raise LogError(f"{tile_path(level, tile)} is too short")
        return fold_pairs([hashes[at : at + HASH_SIZE] for at in range(0, len(hashes), HASH_SIZE)])

    return lru_cache(KEPT_HASHES)(subtree)


KEPT_HASHES = 4096
"""Hashes of subtrees that stay in memory: neighbours share most of their proofs."""

KEPT_TILES = 256
"""Tiles that stay in memory while proofs are made, of 8 kB each."""


def split_bundle(body: bytes, count: int) -> list[bytes]:
    """Return the first entries of a bundle; raise LogError if it has fewer."""
    entries: list[bytes] = []
    at = 0
    while len(entries) < count:
        if at + 2 > len(body):
            raise LogError(f"an entry bundle holds fewer than {count} entries")
        (length,) = unpack_from(">H", body, at)
        entries.append(body[at + 2 : at + 2 + length])
        at += 2 + length
        if at > len(body):
            raise LogError("an entry bundle is cut off")
    return entries


def verified_entries(read: ReadPath, size: int, root: bytes) -> Iterator[bytes]:
    """Yield the entries of a log whose every tile and bundle is compared with them, and its root after the last.

    Raises:
        LogError: if a piece is missing or does not agree with the others, or the root differs.
    """
    growth = LogGrowth(0, lambda _: None)
    for index in range(-(-size // WIDTH)):
        count = min(WIDTH, size - index * WIDTH)
        body = read_piece(read, ENTRIES, index, size)
        entries = split_bundle(body, count)
        if sum(map(len, entries)) + 2 * count < len(body) and read(tile_path(ENTRIES, index, count)) == body:
            raise LogError(f"{tile_path(ENTRIES, index, count)} holds more than its {count} entries")
        for entry in entries:
            for path, piece in growth.add(entry):
                _compare(read, path, piece)
        yield from entries
    for path, piece in growth.partial_pieces():
        _compare(read, path, piece)
    if growth.root() != root:
        raise LogError(f"the entries of the log do not match its checkpoint of {size} entries")


def _compare(read: ReadPath, path: str, body: bytes) -> None:
    if path.startswith(f"tile/{ENTRIES}/"):
        return  # the entries came from there
    found = read(path)
    if found is None and ".p/" in path:
        found = read(path.partition(".p/")[0])
        found = None if found is None else found[: len(body)]
    if found is None:
        raise LogError(f"{path} is missing")
    if found != body:
        raise LogError(f"{path} does not agree with the entries of the log")


class LogGrowth:
    """A log that entries are appended to: yields each tile and bundle when it is full, and the partial ones at the end."""

    def __init__(self, size: int, read: ReadPath) -> None:
        self.size = self.before = size  # entries by now
        self._levels: list[bytearray] = []
        count, level = size, 0
        while count:
            width = count % WIDTH
            body = read_piece(read, level, count // WIDTH, count)[: width * HASH_SIZE] if width else b""
            self._levels.append(bytearray(body))
            count, level = count // WIDTH, level + 1
        held = size % WIDTH
        bundle = read_piece(read, ENTRIES, size // WIDTH, size) if held else b""
        self._bundle = bytearray(b"".join(map(_prefixed, split_bundle(bundle, held))))

    def add(self, entry: bytes) -> Iterator[tuple[str, bytes]]:
        """Append an entry; yield path and bytes of tiles and bundles that are now full; raise LogError if it is too long."""
        self._bundle += _prefixed(entry)
        self.size += 1
        if self.size % WIDTH == 0:
            yield tile_path(ENTRIES, self.size // WIDTH - 1), bytes(self._bundle)
            self._bundle.clear()
        yield from self._append(0, leaf_hash(entry))

    def _append(self, level: int, value: bytes) -> Iterator[tuple[str, bytes]]:
        if level == len(self._levels):
            self._levels.append(bytearray())
        tile = self._levels[level]
        tile += value
        if len(tile) == WIDTH * HASH_SIZE:
            yield tile_path(level, (self.size >> HEIGHT * (level + 1)) - 1), bytes(tile)
            value = fold_pairs([bytes(tile[at : at + HASH_SIZE]) for at in range(0, len(tile), HASH_SIZE)])
            tile.clear()
            yield from self._append(level + 1, value)

    def partial_pieces(self) -> Iterator[tuple[str, bytes]]:
        """Yield path and bytes of the partial tiles and the partial bundle that the log did not have before."""
        if self._bundle:
            yield tile_path(ENTRIES, self.size // WIDTH, self.size % WIDTH), bytes(self._bundle)
        for level, tile in enumerate(self._levels):
            count = self.size >> HEIGHT * level
            if tile and count > self.before >> HEIGHT * level:
                yield tile_path(level, count // WIDTH, count % WIDTH), bytes(tile)

    def root(self) -> bytes:
        """Return the present root of the log."""

        def subtree(height: int, index: int) -> bytes:
            level, rest = divmod(height, HEIGHT)
            offset = (index << rest) % WIDTH * HASH_SIZE
            hashes = self._levels[level][offset : offset + (HASH_SIZE << rest)]
            return fold_pairs([bytes(hashes[at : at + HASH_SIZE]) for at in range(0, len(hashes), HASH_SIZE)])

        return range_hash(0, self.size, subtree)


def _prefixed(entry: bytes) -> bytes:
    if len(entry) > LONGEST_ENTRY:
        raise LogError(f"an entry has {len(entry):,} bytes, more than {LONGEST_ENTRY:,}")
    return pack(">H", len(entry)) + entry
