"""The zip format of snapshots, with exactly one encoding.

Section numbers are those of the specification, PKWARE's APPNOTE.TXT 6.3.10. Members are plain files,
rw-r--r--, of 1980-01-01 00:00; sizes precede the data; zip64 (4.5.3) is used only where a number needs it.
"""

import os
import re
import struct
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from typing import NamedTuple, Self

from statuary.base.files import PublishingError
from statuary.publish.listing import DamagedSnapshotError
from statuary.system.archives import DamagedDataError, inflate

STORED = 0
DEFLATED = 8

FLAGS = 0x0800
"""4.4.4: bit 11, names are UTF-8."""

TIME, DATE = 0, 0x0021
"""4.4.6: 1980-01-01 00:00, the earliest time of the format."""

MADE_BY = (3 << 8) | 45
"""4.4.2: attributes as on Unix, zip64; the same on every machine."""

ATTRIBUTES = 0o100644 << 16
"""A regular file, rw-r--r--: what Info-ZIP and Python take from the upper half."""

LIMIT = 0xFFFFFFFF
"""4.4.1.4: this value in a 32-bit field means that the number is in the zip64 field."""

LOCAL = struct.Struct("<4s5H3I2H")
LOCAL_MARK = b"PK\x03\x04"
CENTRAL = struct.Struct("<4s6H3I5H2I")
CENTRAL_MARK = b"PK\x01\x02"
LENGTHS, LENGTHS_OFFSET = struct.Struct("<3H"), 28
END = struct.Struct("<4s4H2IH")
END_MARK = b"PK\x05\x06"
ZIP64_END = struct.Struct("<4sQ2H2I4Q")
ZIP64_LOCATOR = struct.Struct("<4sIQI")

BEGINS_ENTRY = re.compile(rb"PK\x01\x02\x2d\x03[\x14\x2d]\x00\x00\x08")
"""The beginning of every entry of a central directory that `encode_central_header` writes."""


class ZipHeader(NamedTuple):
    """The header of a file in a zip."""

    path: str
    method: int  # `STORED` or `DEFLATED`
    crc: int  # CRC-32 of the body
    packed_size: int  # bytes of the member's data in the zip
    size: int  # bytes of the body


def encode_local_header(header: ZipHeader) -> bytes:
    """Encode the zip header that precedes a file's data (APPNOTE 4.3.7)."""
    name = header.path.encode()
    big = max(header.packed_size, header.size) >= LIMIT
    # The zip64 field of a local header must contain both sizes, even if only one is too large for 32 bits
    # (ZIP APPNOTE, 4.5.3).
    extra = struct.pack("<HHQQ", 1, 16, header.size, header.packed_size) if big else b""
    sizes = (LIMIT, LIMIT) if big else (header.packed_size, header.size)
    version = 45 if big else 20
    what = (FLAGS, header.method, TIME, DATE, header.crc)
    return LOCAL.pack(LOCAL_MARK, version, *what, *sizes, len(name), len(extra)) + name + extra


def read_name_and_extra_length(fixed_part: bytes) -> int:
    """Return the length of the variable part of a zip header.

    It consists of the file name and the extra field.

    Args:
        fixed_part: the first 30 bytes of the header, which state both lengths.
    """
    *_, name, extra = LOCAL.unpack(fixed_part)
    return int(name + extra)


def parse_local_header(header_bytes: bytes) -> ZipHeader | None:
    """Parse the zip header that precedes a file's data.

    Returns:
        The header; None if it is not one that `encode_local_header` writes.
    """
    _, _, _, method, _, _, crc, packed_size, size, name_length, _ = LOCAL.unpack_from(header_bytes)
    name = header_bytes[LOCAL.size : LOCAL.size + name_length]
    extra = header_bytes[LOCAL.size + name_length :]
    if len(extra) == 20 and packed_size == size == LIMIT:
        size, packed_size = struct.unpack_from("<QQ", extra, 4)
    header = _make_zip_header(name, method, crc, packed_size, size)
    return header if header is not None and encode_local_header(header) == header_bytes else None


def _make_zip_header(
    encoded_path: bytes, method: int, crc: int, packed_size: int, size: int
) -> ZipHeader | None:
    if method not in (STORED, DEFLATED):
        return None
    try:
        path = encoded_path.decode()
    except UnicodeDecodeError:
        return None
    return ZipHeader(path=path, method=method, crc=crc, packed_size=packed_size, size=size)


def encode_central_header(header: ZipHeader, local_header_offset: int) -> bytes:
    """Encode a file's entry in the central directory (APPNOTE 4.3.12).

    Args:
        header: the header of the file.
        local_header_offset: the offset of the file's local header.
    """
    name = header.path.encode()
    numbers = (
        header.size,
        header.packed_size,
        local_header_offset,
    )  # 4.5.3: in this order, and only those that need it
    big = [number for number in numbers if number >= LIMIT]
    extra = struct.pack(f"<HH{len(big)}Q", 1, 8 * len(big), *big) if big else b""
    size, packed_size, start = (min(number, LIMIT) for number in numbers)
    what = (MADE_BY, 45 if big else 20, FLAGS, header.method, TIME, DATE, header.crc)
    lengths = (len(name), len(extra), 0)  # no comment
    other_fields = (0, 0, ATTRIBUTES, start)  # disk, internal attributes
    return CENTRAL.pack(CENTRAL_MARK, *what, packed_size, size, *lengths, *other_fields) + name + extra


class CentralEntry(NamedTuple):
    """An entry of the central directory, with its local header's offset."""

    header: ZipHeader
    offset: int


class CentralName(NamedTuple):
    """The name in an entry of the central directory."""

    name: bytes
    end: int  # the offset of the entry's end


def read_central_name(directory_bytes: bytes, entry_offset: int) -> CentralName | None:
    """Read a file name from the central directory of a zip.

    Args:
        directory_bytes: some bytes of the directory.
        entry_offset: the offset in these bytes at which the entry of the file begins.

    Returns:
        The name, or None if no complete entry is at the offset.
    """
    if entry_offset + CENTRAL.size > len(directory_bytes) or not directory_bytes.startswith(
        CENTRAL_MARK, entry_offset
    ):
        return None
    name, extra, comment = LENGTHS.unpack_from(directory_bytes, entry_offset + LENGTHS_OFFSET)
    end = entry_offset + CENTRAL.size + name + extra + comment
    if end > len(directory_bytes):
        return None
    return CentralName(directory_bytes[entry_offset + CENTRAL.size : entry_offset + CENTRAL.size + name], end)


def parse_central_header(entry_bytes: bytes) -> CentralEntry | None:
    """Parse a file's entry in the central directory of a zip.

    Returns:
        The entry; None if it is not one that `encode_central_header` writes.
    """
    if len(entry_bytes) < CENTRAL.size:
        return None
    _, _, _, _, method, _, _, crc, packed_size, size, name_length, *_, offset = CENTRAL.unpack_from(
        entry_bytes
    )
    name = entry_bytes[CENTRAL.size :][:name_length]
    extra = entry_bytes[CENTRAL.size + name_length :]
    big = iter(struct.unpack_from(f"<{len(extra) // 8}Q", extra, 4) if len(extra) % 8 == 4 else ())
    size, packed_size, offset = (
        next(big, LIMIT) if number == LIMIT else number for number in (size, packed_size, offset)
    )
    header = _make_zip_header(name, method, crc, packed_size, size)
    return (
        CentralEntry(header, offset)
        if header and encode_central_header(header, offset) == entry_bytes
        else None
    )


class Ending(NamedTuple):
    """The records at the end of a zip."""

    entries: int  # the number of entries in the central directory
    size: int  # bytes of the central directory
    offset: int  # the offset of the central directory
    digest: str = ""  # SHA-256 of all bytes before the last record (4.3.16), stated in its comment


def encode_zip64_records(ending: Ending) -> bytes:
    """Encode the zip64 records, which large zips need (APPNOTE 4.3.14, 4.3.15).

    Returns:
        The bytes; empty if the last record can state all numbers.
    """
    count, size, offset, _ = ending
    if not _needs_zip64(ending):
        return b""
    record = ZIP64_END.pack(b"PK\x06\x06", 44, MADE_BY, 45, 0, 0, count, count, size, offset)
    return record + ZIP64_LOCATOR.pack(b"PK\x06\x07", 0, offset + size, 1)


def encode_last_record(ending: Ending) -> bytes:
    """Encode the last record of a zip (APPNOTE 4.3.16).

    Its comment contains the SHA-256 of the snapshot.
    """
    count, size, offset, _ = ending
    if _needs_zip64(ending):
        count, size, offset = 0xFFFF, LIMIT, LIMIT
    comment = f"statuary snapshot, sha256 {ending.digest}".encode()
    return END.pack(END_MARK, 0, 0, count, count, size, offset, len(comment)) + comment


def _needs_zip64(ending: Ending) -> bool:
    return ending.entries >= 0xFFFF or ending.size >= LIMIT or ending.offset >= LIMIT


LAST_RECORD_SIZE = len(encode_last_record(Ending(0, 0, 0, "0" * 64)))
"""Bytes of the last record; always the same, so that it is found without a search."""

ENDING_SIZE = LAST_RECORD_SIZE + ZIP64_END.size + ZIP64_LOCATOR.size
"""Bytes of the longest ending."""

COMMENT = re.compile(rb"statuary snapshot, sha256 ([0-9a-f]{64})")


def parse_end_records(end_bytes: bytes) -> Ending | None:
    """Parse the last records of a zip.

    Returns:
        The records, or None if the zip is not a snapshot.
    """
    record_text = end_bytes[-LAST_RECORD_SIZE:]
    comment = COMMENT.fullmatch(record_text[END.size :])
    if comment is None:
        return None
    _, _, _, _, count, size, offset, _ = END.unpack_from(record_text)
    records = end_bytes[-ENDING_SIZE:-LAST_RECORD_SIZE]
    if count == 0xFFFF and len(records) == ENDING_SIZE - LAST_RECORD_SIZE:
        *_, count, size, offset = ZIP64_END.unpack_from(records)
    ending = Ending(count, size, offset, comment[1].decode())
    return ending if end_bytes.endswith(encode_zip64_records(ending) + encode_last_record(ending)) else None


LEVEL = 6
"""zlib's level: level 9 takes twice the time for 1 % less (measured on records)."""

INLINE_SIZE = 2048
"""Bytes of a body below which another thread costs more than it saves."""

QUEUED_PER_WORKER = 4
"""Bodies that wait for each thread; memory does not grow with their number."""


class CompressedMember(NamedTuple):
    """A compressed file of a zip."""

    header: ZipHeader
    data: bytes  # the compressed bytes
    sha256: str = ""  # the SHA-256 of the uncompressed bytes, as hex; empty if not computed
    aliases: tuple[str, ...] = ()
    media_type: str = ""  # empty if it does not matter


class SnapshotMember(NamedTuple):
    """A file of a snapshot: its header data and bytes."""

    path: str  # the path in the snapshot
    body: bytes
    aliases: tuple[str, ...] = ()
    media_type: str = ""  # empty if it does not matter
    packed: CompressedMember | None = None  # the compressed file from which this one was read, or None


def compress_member(member: SnapshotMember) -> CompressedMember:
    """Compress a file for the zip, unless that makes it larger.

    The result is the same with every zlib since 1.2.5; a Python built with zlib-ng gives other bytes.
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
    """Compresses files in threads, and yields them in order."""

    def __init__(self, workers: int | None = None) -> None:
        self.count = workers or os.cpu_count() or 1
        self.pool = ThreadPoolExecutor(self.count)
        self.pending: deque[Callable[[], CompressedMember]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(cancel_futures=True)

    def submit_member(self, member: SnapshotMember) -> Iterator[CompressedMember]:
        """Start to compress a file, and yield the oldest compressed one.

        Nothing is yielded until the queue of files is full. The order of files stays.
        """
        if len(member.body) < INLINE_SIZE or member.packed is not None:
            self.pending.append(partial(compress_member, member))
        else:
            self.pending.append(self.pool.submit(compress_member, member).result)
        if len(self.pending) > QUEUED_PER_WORKER * self.count:
            yield self.pending.popleft()()

    def iter_remaining_members(self) -> Iterator[CompressedMember]:
        """Yield the last compressed files, in the order of `submit_member`."""
        while self.pending:
            yield self.pending.popleft()()


def compress_members(members: Iterable[SnapshotMember]) -> Iterator[CompressedMember]:
    """Compress files in several threads, and yield them in order."""
    with MemberCompressor() as packer:
        for member in members:
            yield from packer.submit_member(member)
        yield from packer.iter_remaining_members()


def decompress_member(compressed: CompressedMember) -> bytes:
    """Decompress a file of a zip.

    Raises:
        DamagedSnapshotError: if the data does not match the size and CRC in the header.
    """
    header = compressed.header
    if header.method == STORED:
        body = compressed.data
    else:
        try:
            body = inflate(compressed.data, header.size, raw=True)
        except DamagedDataError as error:
            raise DamagedSnapshotError(f"{header.path} is damaged: {error}") from None
    if len(body) != header.size or zlib.crc32(body) != header.crc:
        raise DamagedSnapshotError(
            f"{header.path} is damaged: its size or checksum (CRC-32) differs from the one in the zip"
        )
    return body


def uses_standard_zlib() -> bool:
    """Return whether this Python uses zlib instead of zlib-ng."""
    return not hasattr(zlib, "ZLIBNG_VERSION") and "ng" not in zlib.ZLIB_RUNTIME_VERSION


def refuse_tar_zst(location: str) -> None:
    """Raise an error for a .tar.zst file, which early versions wrote.

    Raises:
        PublishingError: if the name of the file or URL ends with .tar.zst.
    """
    if location.partition("?")[0].endswith(".tar.zst"):
        raise PublishingError(
            f"{location} is a .tar.zst, a format of snapshots that statuary no longer reads",
            "unpack it with `tar --zstd -xf` into an empty folder, and pack the folder with `statuary snapshot create --from FOLDER OUT.zip`",
        )
