"""Bodies packed for a zip, by as many threads as there are cores; the same bytes however many."""

import os
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from typing import NamedTuple, Self

from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.zip_format import DEFLATED, STORED, ZipHeader

LEVEL = 6
"""How hard zlib tries: level 9 takes twice the time for 1 % less (measured on records)."""

INLINE_SIZE = 2048
"""Bytes of a body below which handing it to another thread costs more than packing it."""

QUEUED_PER_WORKER = 4
"""Bodies that wait for each thread."""


class CompressedMember(NamedTuple):
    """A member as a zip holds it.

    Attributes:
        header: what the zip says of it.
        data: its bytes in the zip.
        sha256: of its body, as 64 hex digits; empty where it was not looked at.
        also: its other names.
        media_type: what it is served as; empty where it does not matter.
    """

    header: ZipHeader
    data: bytes
    sha256: str = ""
    aliases: tuple[str, ...] = ()
    media_type: str = ""


class SnapshotMember(NamedTuple):
    """A member with its body: what a snapshot consists of, whatever the form.

    Attributes:
        path: the name that it is stored under.
        body: its bytes.
        also: its other names.
        media_type: what it is served as; empty where it does not matter.
        packed: as the zip holds it that it comes from; None if it comes from elsewhere.
    """

    path: str
    body: bytes
    aliases: tuple[str, ...] = ()
    media_type: str = ""
    packed: CompressedMember | None = None


def compress_member(member: SnapshotMember, level: int = LEVEL) -> CompressedMember:
    """Return a member as a zip holds it: deflated, or stored where that would not make it shorter.

    Deflated bytes are the same wherever Python has zlib itself (1.2.5 and later); a Python built with zlib-ng
    makes others, of the same bodies.
    """
    if member.packed is not None:
        return member.packed
    body = member.body
    packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
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
    """Packs members by several threads, and gives them back in the order that they came in.

    A few are packed ahead, so memory stays flat.
    """

    def __init__(self, workers: int | None = None, level: int = LEVEL) -> None:
        """Start.

        Args:
            workers: threads; as many as there are cores if None.
            level: how hard zlib tries.
        """
        self.count = workers or os.cpu_count() or 1
        self.level = level
        self.pool = ThreadPoolExecutor(self.count)
        self.waiting: deque[Future[CompressedMember] | CompressedMember] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(cancel_futures=True)

    def put(self, member: SnapshotMember) -> Iterator[CompressedMember]:
        """Take a member, and yield one that is ready once enough are on their way."""
        if len(member.body) < INLINE_SIZE or member.packed is not None:
            self.waiting.append(compress_member(member, self.level))
        else:
            self.waiting.append(self.pool.submit(compress_member, member, self.level))
        if len(self.waiting) > QUEUED_PER_WORKER * self.count:
            yield _ready(self.waiting.popleft())

    def rest(self) -> Iterator[CompressedMember]:
        """Yield those that are still on their way."""
        while self.waiting:
            yield _ready(self.waiting.popleft())


def _ready(packed: Future[CompressedMember] | CompressedMember) -> CompressedMember:
    return packed.result() if isinstance(packed, Future) else packed


def compress_members(
    members: Iterable[SnapshotMember], workers: int | None = None
) -> Iterator[CompressedMember]:
    """Yield members as a zip holds them, in their order."""
    with MemberCompressor(workers) as packer:
        for member in members:
            yield from packer.put(member)
        yield from packer.rest()


def decompress_member(packed: CompressedMember) -> bytes:
    """Return a member's body, never more bytes than its header says.

    Raises:
        SnapshotDamaged: if the data is not what the header says.
    """
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
                f"{header.path} is damaged: its data ends elsewhere than its header says"
            )
    if len(body) != header.size or zlib.crc32(body) != header.crc:
        raise DamagedSnapshotError(
            f"{header.path} is damaged: it has not the size and the CRC-32 of its header"
        )
    return body


def is_standard_zlib() -> bool:
    """Say whether this Python packs into the bytes that others do: it has zlib itself, not zlib-ng."""
    return not hasattr(zlib, "ZLIBNG_VERSION") and "ng" not in zlib.ZLIB_RUNTIME_VERSION
