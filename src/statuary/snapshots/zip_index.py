"""The index of a snapshot's zip: where each name's member begins.

A record for each name: the first 16 bytes of the name's SHA-256, then the offset of the member's local header as
8 bytes, big-endian; in the order of the digests. Digests are spread evenly, so a record is found where its own
value says that it should be, give or take: some three reads of a page for any number of names, and nothing has
to be read in advance.
"""

import sqlite3
import struct
from bisect import bisect_left
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Self

from statuary.publishing.temporary_database import temporary_database
from statuary.snapshots.errors import DamagedSnapshotError

KEY_SIZE = 16
RECORD = struct.Struct(f">{KEY_SIZE}sQ")
PAGE = 170
"""Records that are read at once: 4 kB."""

TRUSTING = 8
"""Rounds after which the digests are not spread as they should be, and the search goes on by halves."""

CHUNK = 4096
"""Records that are written at once."""


def key_of(path: str) -> bytes:
    """Return what the index knows a name by."""
    return sha256(path.encode()).digest()[:KEY_SIZE]


class IndexTable:
    """An index being made, on disk."""

    def __init__(self) -> None:
        self.connection = temporary_database(
            "CREATE TABLE places (key BLOB PRIMARY KEY, offset INTEGER) WITHOUT ROWID"
        )
        self.count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def add(self, path: str, offset: int) -> None:
        """Note where a name's member begins.

        Raises:
            SnapshotDamaged: if the name is there already.
        """
        try:
            self.connection.execute("INSERT INTO places VALUES (?,?)", (key_of(path), offset))
        except sqlite3.IntegrityError:
            raise DamagedSnapshotError(f"{path} is there twice") from None
        self.count += 1

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes of the index."""
        rows = self.connection.execute("SELECT key, offset FROM places ORDER BY key")
        while found := rows.fetchmany(CHUNK):
            yield b"".join(RECORD.pack(key, offset) for key, offset in found)


def find(read: Callable[[int, int], bytes], count: int, path: str) -> int | None:
    """Return where a name's member begins; None if the index does not have it.

    Args:
        read: returns so many bytes from an offset into the index on.
        count: how many records it has.
        path: the name.
    """
    key = key_of(path)
    low, high = 0, count  # the record, if there is one, is among these
    floor, ceiling = 0, 1 << 64  # and its value lies between these
    value = int.from_bytes(key[:8], "big")
    rounds = 0
    while low < high:
        rounds += 1
        share = (value - floor) / (ceiling - floor) if rounds <= TRUSTING and floor < ceiling else 0.5
        guess = low + int((high - low) * share)
        start = max(low, min(guess - PAGE // 2, high - PAGE))
        stop = min(start + PAGE, high)
        page = read(start * RECORD.size, (stop - start) * RECORD.size)
        if not page:
            return None
        first, last = _key(page, 0), _key(page, len(page) // RECORD.size - 1)
        if key < first:
            high, ceiling = start, int.from_bytes(first[:8], "big") + 1
        elif key > last:
            low, floor = stop, int.from_bytes(last[:8], "big")
        else:
            return _find_in_page(page, key)
    return None


def _key(page: bytes, number: int) -> bytes:
    return page[number * RECORD.size : number * RECORD.size + KEY_SIZE]


def _find_in_page(page: bytes, key: bytes) -> int | None:
    """Return the offset that a key has in a page; None if it is not there."""
    count = len(page) // RECORD.size
    number = bisect_left(range(count), key, key=lambda place: _key(page, place))
    if number == count or _key(page, number) != key:
        return None
    _, offset = RECORD.unpack_from(page, number * RECORD.size)
    return int(offset)
