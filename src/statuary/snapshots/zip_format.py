"""The bytes of a snapshot's zip around the documents, one way to write each.

APPNOTE.TXT 6.3.10 of PKWARE is the format's specification; section numbers below are its. Every member is a
plain file with the permissions rw-r--r-- of 1980-01-01 00:00, sizes stand before the data, and zip64 (4.5.3)
is used where a number needs it and nowhere else. Nothing tells the machine that wrote it.
"""

import re
import struct
from typing import NamedTuple

STORED = 0
DEFLATED = 8

FLAGS = 0x0800
"""4.4.4: bit 11, names are UTF-8."""

TIME, DATE = 0, 0x0021
"""4.4.6: 1980-01-01 00:00, the earliest that the format can tell."""

MADE_BY = (3 << 8) | 45
"""4.4.2: attributes as on Unix, zip64; the same on every machine."""

ATTRIBUTES = 0o100644 << 16
"""A regular file, rw-r--r--: what Info-ZIP and Python take from the upper half."""

LIMIT = 0xFFFFFFFF
"""4.4.1.4: this value in a 32-bit field says that the number stands in the zip64 field."""

LOCAL = struct.Struct("<4s5H3I2H")
LOCAL_MARK = b"PK\x03\x04"
CENTRAL_MARK = b"PK\x01\x02"
END_MARK = b"PK\x05\x06"


class ZipHeader(NamedTuple):
    """What a zip says of one member.

    Attributes:
        path: its name.
        method: `STORED` or `DEFLATED`.
        crc: CRC-32 of its bytes.
        packed_size: bytes that it takes in the zip.
        size: bytes of its body.
    """

    path: str
    method: int
    crc: int
    packed_size: int
    size: int


def local_header(header: ZipHeader) -> bytes:
    """Return the header before a member's data (4.3.7)."""
    name = header.path.encode()
    big = max(header.packed_size, header.size) >= LIMIT
    # 4.5.3: a local header has both sizes in the zip64 field or neither
    extra = struct.pack("<HHQQ", 1, 16, header.size, header.packed_size) if big else b""
    sizes = (LIMIT, LIMIT) if big else (header.packed_size, header.size)
    fixed = LOCAL.pack(
        LOCAL_MARK,
        45 if big else 20,
        FLAGS,
        header.method,
        TIME,
        DATE,
        header.crc,
        *sizes,
        len(name),
        len(extra),
    )
    return fixed + name + extra


def local_lengths(fixed: bytes) -> tuple[int, int] | None:
    """Return how long name and extra field are that follow the fixed part of a local header; None if it is none."""
    mark, *_, name, extra = LOCAL.unpack(fixed)
    return (name, extra) if mark == LOCAL_MARK else None


def parse_local_header(text: bytes) -> ZipHeader | None:
    """Read a local header; None if it is not written the one way that `local_header` writes it."""
    _, _, _, method, _, _, crc, packed_size, size, name_length, _ = LOCAL.unpack_from(text)
    name, extra = text[LOCAL.size : LOCAL.size + name_length], text[LOCAL.size + name_length :]
    if len(extra) == 20 and packed_size == size == LIMIT:
        size, packed_size = struct.unpack_from("<QQ", extra, 4)
    try:
        header = ZipHeader(path=name.decode(), method=method, crc=crc, packed_size=packed_size, size=size)
    except UnicodeDecodeError:
        return None
    return header if local_header(header) == text and method in (STORED, DEFLATED) else None


def central_header(header: ZipHeader, offset: int) -> bytes:
    """Return a member's entry in the central directory (4.3.12), given where its local header begins."""
    name = header.path.encode()
    numbers = (header.size, header.packed_size, offset)  # 4.5.3: in this order, and only those that need it
    big = [number for number in numbers if number >= LIMIT]
    extra = struct.pack(f"<HH{len(big)}Q", 1, 8 * len(big), *big) if big else b""
    size, packed_size, start = (min(number, LIMIT) for number in numbers)
    fixed = struct.pack(
        "<4s6H3I5H2I",
        CENTRAL_MARK,
        MADE_BY,
        45 if big else 20,
        FLAGS,
        header.method,
        TIME,
        DATE,
        header.crc,
        packed_size,
        size,
        len(name),
        len(extra),
        0,  # length of comment
        0,  # disk
        0,  # internal attributes
        ATTRIBUTES,
        start,
    )
    return fixed + name + extra


def ending(count: int, size: int, offset: int) -> bytes:
    """Return what stands between the central directory and the last record: the zip64 records (4.3.14, 4.3.15).

    Args:
        count: how many members there are.
        size: bytes of the central directory.
        offset: where it begins.
    """
    if not _needs_zip64(count, size, offset):
        return b""
    record = struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, MADE_BY, 45, 0, 0, count, count, size, offset)
    return record + struct.pack("<4sIQI", b"PK\x06\x07", 0, offset + size, 1)


def last_record(count: int, size: int, offset: int, comment: bytes) -> bytes:
    """Return the record that a zip ends with (4.3.16)."""
    if _needs_zip64(count, size, offset):
        count, size, offset = 0xFFFF, LIMIT, LIMIT
    return struct.pack("<4s4H2IH", END_MARK, 0, 0, count, count, size, offset, len(comment)) + comment


def _needs_zip64(count: int, size: int, offset: int) -> bool:
    return count >= 0xFFFF or size >= LIMIT or offset >= LIMIT


def comment(index_offset: int, digest: str) -> bytes:
    """Return the zip's comment: where the index begins, and the SHA-256 of all bytes before the last record."""
    return f"statuary snapshot, index at {index_offset:020}, sha256 {digest}".encode()


COMMENT = re.compile(rb"statuary snapshot, index at (\d{20}), sha256 ([0-9a-f]{64})")
COMMENT_SIZE = len(comment(0, "0" * 64))
LAST_RECORD_SIZE = len(last_record(0, 0, 0, b"")) + COMMENT_SIZE
"""Bytes of the last record; always the same, so that it is found without a search."""


def parse_last_record(text: bytes) -> tuple[int, str] | None:
    """Return where the index begins and the SHA-256 that the comment tells; None if it is no such record."""
    found = COMMENT.fullmatch(text[-COMMENT_SIZE:])
    if len(text) != LAST_RECORD_SIZE or not text.startswith(END_MARK) or found is None:
        return None
    return int(found[1]), found[2].decode()
