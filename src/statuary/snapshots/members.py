"""The members of a snapshot, compressed for a zip by threads: the same bytes with any number of them."""

import os
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from typing import NamedTuple, Self

from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.zip_format import DEFLATED, STORED, ZipHeader

LEVEL = 6
"""zlib's level: level 9 takes twice the time for 1 % less (measured on records)."""

INLINE_SIZE = 2048
"""Bytes of a body below which another thread costs more than it saves."""

QUEUED_PER_WORKER = 4
"""Bodies that wait for each thread; memory does not grow with their number."""


class CompressedMember(NamedTuple):
    """A member in compressed form."""

    header: ZipHeader
    data: bytes  # its bytes in the zip
    sha256: str = ""  # of its body, as 64 hex digits; empty if not computed
    aliases: tuple[str, ...] = ()
    media_type: str = ""  # empty if it does not matter


class SnapshotMember(NamedTuple):
    """A member with its body."""

    path: str  # its stored name
    body: bytes
    aliases: tuple[str, ...] = ()
    media_type: str = ""  # empty if it does not matter
    packed: CompressedMember | None = None  # the member in the zip that it comes from; None otherwise


def compress_member(member: SnapshotMember) -> CompressedMember:
    """Return a member in compressed form: deflated, or stored if that is not longer.

    Deflated bytes are the same wherever Python uses zlib (1.2.5 and later); a Python built with zlib-ng makes
    others.
    """
    if member.packed is not None:
        return member.packed
    body = member.body
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = packer.compress(body) + packer.flush()
    method, data = (DEFLATED, data) if len(data) < len(body) else (STORED, body)
    header = ZipHeader(
        path=member.path, method=method, crc=zlib.crc32(body), packed_size=len(data), size=len(body)
    )
    return CompressedMember(
        header=header,
        data=data,
        sha256=sha256(body).hexdigest(),
        aliases=member.aliases,
        media_type=member.media_type,
    )


class MemberCompressor:
    """Compresses members in threads, and returns them in order."""

    def __init__(self, workers: int | None = None) -> None:
        self.count = workers or os.cpu_count() or 1
        self.pool = ThreadPoolExecutor(self.count)
        self.waiting: deque[Callable[[], CompressedMember]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(cancel_futures=True)

    def put(self, member: SnapshotMember) -> Iterator[CompressedMember]:
        """Add a member; yield finished ones once enough are waiting."""
        if len(member.body) < INLINE_SIZE or member.packed is not None:
            self.waiting.append(partial(compress_member, member))
        else:
            self.waiting.append(self.pool.submit(compress_member, member).result)
        if len(self.waiting) > QUEUED_PER_WORKER * self.count:
            yield self.waiting.popleft()()

    def rest(self) -> Iterator[CompressedMember]:
        """Yield the remaining ones."""
        while self.waiting:
            yield self.waiting.popleft()()


def compress_members(members: Iterable[SnapshotMember]) -> Iterator[CompressedMember]:
    """Yield members in compressed form, in order."""
    with MemberCompressor() as packer:
        for member in members:
            yield from packer.put(member)
        yield from packer.rest()


def decompress_member(packed: CompressedMember) -> bytes:
    """Return a member's body; raise DamagedSnapshotError if the data does not match the header."""
    header = packed.header
    if header.method == STORED:
        body = packed.data
    else:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            body = unpacker.decompress(packed.data, header.size + 1)
        except zlib.error as error:
            raise DamagedSnapshotError(f"{header.path} is damaged: {error}") from None
        if not unpacker.eof or unpacker.unused_data:
            raise DamagedSnapshotError(
                f"{header.path} is damaged: its data does not end where its header states"
            )
    if len(body) != header.size or zlib.crc32(body) != header.crc:
        raise DamagedSnapshotError(
            f"{header.path} is damaged: its size and CRC-32 are not those in its header"
        )
    return body


def is_standard_zlib() -> bool:
    """Return whether this Python uses zlib and not zlib-ng, whose compressed bytes differ."""
    return not hasattr(zlib, "ZLIBNG_VERSION") and "ng" not in zlib.ZLIB_RUNTIME_VERSION
