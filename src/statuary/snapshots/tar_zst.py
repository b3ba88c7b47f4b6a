"""The .tar.zst format: a tar of the members, compressed as one, and a digest after it.

The tar is POSIX.1-2001 (pax), which every tar reads; members are plain files, rw-r--r--, of 1980-01-01, owned
by 0. The one Zstandard frame is followed by a skippable frame (RFC 8878, 3.1.2), which every decompressor
skips, with the SHA-256 of all bytes before it. Each header has one encoding, and no other is accepted.
"""

import struct
import tarfile
from hashlib import sha256

from statuary.optional import import_zstandard
from statuary.publishing.folder_reader import LARGEST_DOCUMENT
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.members import SnapshotMember
from statuary.snapshots.streams import CHUNK, HashingWriter, Readable, Writable

MODIFIED = 315532800
"""1980-01-01 00:00 UTC in seconds since 1970: the time that members of the zip have."""

TAR_RECORD = 10240
"""Bytes that a tar's length is a multiple of."""

BLOCK = tarfile.BLOCKSIZE

LEVEL = 9
"""With a long window: 5.6 % of the bytes of real records at 9 ms/MB, where level 3 leaves 6.3 % and 19 takes 220 ms/MB."""

WINDOW = 27
"""Reach back over 128 MiB: as far as the `zstd` program decompresses without an option."""

MAX_EXPANSION = 1000
"""How many times its own size a snapshot may expand to; sites of similar records reach some 100."""

MIN_EXPANDED_LIMIT = 64 << 20
"""Bytes that any snapshot may expand to."""


def tar_header(path: str, size: int) -> bytes:
    """Return the headers before a member's bytes: an optional pax header, then the member's own."""
    if len(path) <= MAX_PLAIN_NAME and path.isascii():
        return _plain_header(path.encode(), size)
    info = tarfile.TarInfo(path)
    info.size, info.mode, info.mtime = size, 0o644, MODIFIED
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "strict")


MAX_PLAIN_NAME = 100
"""Bytes of the name field in a header."""

USTAR_HEADER = struct.Struct("<100s8s8s8s12s12s8s1s100s8s32s32s8s8s155s12x")
"""ustar (POSIX.1-1988): name, mode, uid, gid, size, mtime, checksum, type, link, magic, owner, group, device, prefix."""

ROOT_ID = b"0000000\0"


def _plain_header(name: bytes, size: int) -> bytes:
    """Return the header of a member whose name fits: the same as `tarfile`'s, in a tenth of the time."""
    times = b"%011o\0" % MODIFIED
    before = (name, b"0000644\0", ROOT_ID, ROOT_ID, b"%011o\0" % size, times)
    behind = (b"0", b"", b"ustar\00000", b"", b"", b"", b"", b"")
    total = sum(USTAR_HEADER.pack(*before, b" " * 8, *behind))
    return USTAR_HEADER.pack(*before, b"%06o\0 " % total, *behind)


def padding(size: int, unit: int = BLOCK) -> bytes:
    """Return the zeros that pad a length to a whole number of units."""
    return bytes(-size % unit)


def trailer(digest: str) -> bytes:
    """Return the skippable frame with the SHA-256 of everything before it."""
    text = f"statuary snapshot, sha256 {digest}".encode()
    return SKIPPABLE + struct.pack("<I", len(text)) + text


SKIPPABLE = struct.pack("<I", 0x184D2A50)
"""The beginning of the skippable frame."""

TRAILER_SIZE = len(trailer("0" * 64))


class TarZstWriter:
    """A .tar.zst being written; members are put in order."""

    def __init__(self, stream: Writable) -> None:
        self.out = HashingWriter(stream)
        module = import_zstandard("snapshot")
        parameter = module.CompressionParameter
        self.compressor = module.ZstdCompressor(  # in one thread: with more, the bytes would differ
            options={
                parameter.compression_level: LEVEL,
                parameter.window_log: WINDOW,
                parameter.enable_long_distance_matching: 1,
                parameter.checksum_flag: 1,
            }
        )
        self.position = 0
        self.waiting = bytearray()

    def put(self, member: SnapshotMember) -> None:
        """Write a member."""
        self._write(tar_header(member.path, len(member.body)))
        self._write(member.body)
        self._write(padding(len(member.body)))

    def finish(self) -> str:
        """Write the trailer; return its SHA-256."""
        self._write(bytes(2 * BLOCK))
        self._write(padding(self.position, TAR_RECORD))
        self.out.write(self.compressor.compress(bytes(self.waiting)))
        self.out.write(self.compressor.flush())
        digest = self.out.digest
        self.out.write(trailer(digest))
        return digest

    def _write(self, data: bytes) -> None:
        self.waiting += data
        self.position += len(data)
        if len(self.waiting) >= CHUNK:  # each call has a cost, even for a few bytes
            self.out.write(self.compressor.compress(bytes(self.waiting)))
            self.waiting.clear()


class ZstdReader:
    """The content of a Zstandard frame as a stream; never decompresses much more than requested."""

    def __init__(self, stream: Readable, name: str) -> None:
        self.stream = stream
        self.name = name
        module = import_zstandard("snapshot")
        self.decompressor = module.ZstdDecompressor(
            options={module.DecompressionParameter.window_log_max: WINDOW}  # bounds the memory
        )
        self.error: type[Exception] = module.ZstdError
        self.digest = sha256()
        self.hashed = 0
        self.fed = self.unread = b""
        self.produced = 0

    def read(self, size: int, /) -> bytes:
        """Return at most this many bytes; none at the end of the frame."""
        while not self.decompressor.eof:
            if self.decompressor.needs_input and not self._feed():
                raise DamagedSnapshotError(f"{self.name} is cut off: its compressed data has no end")
            data = self._decompress(size)
            if data:
                return data
        return b""

    def _feed(self) -> bool:
        self._hash(self.fed)
        self.fed = self.unread = self.stream.read(CHUNK // 16)
        return bool(self.fed)

    def _hash(self, data: bytes) -> None:
        self.digest.update(data)
        self.hashed += len(data)

    def _decompress(self, size: int) -> bytes:
        given, self.unread = self.unread, b""
        try:
            data: bytes = self.decompressor.decompress(given, size)
        except self.error as error:
            raise DamagedSnapshotError(f"{self.name} is damaged: {error}") from None
        self.produced += len(data)
        if self.produced > MIN_EXPANDED_LIMIT + MAX_EXPANSION * (self.hashed + len(self.fed)):
            raise DamagedSnapshotError(
                f"{self.name} expands to more than {MAX_EXPANSION} times its size, more than any site"
            )
        return data

    def expect_trailer(self) -> str:
        """Read the trailer; return its SHA-256; raise DamagedSnapshotError if that is not the frame's."""
        unused: bytes = self.decompressor.unused_data
        self._hash(self.fed[: len(self.fed) - len(unused)])
        digest = self.digest.hexdigest()
        expected = trailer(digest)
        found = unused
        while len(found) <= len(expected) and (more := self.stream.read(len(expected) + 1 - len(found))):
            found += more
        if found != expected:
            raise DamagedSnapshotError(f"{self.name} is damaged: its trailer does not match its content")
        return digest


class TarZstReader:
    """A .tar.zst read from a stream; members are requested in order."""

    def __init__(self, stream: Readable, name: str) -> None:
        self.name = name
        self.source = ZstdReader(stream, name)
        self.position = 0
        self._next: tuple[str, int] | None = None
        self._ended = False

    def next_path(self) -> str | None:
        """Return the name of the next member; None after the last."""
        if self._next is None and not self._ended:
            self._next = self._read_header()
            self._ended = self._next is None
        return None if self._next is None else self._next[0]

    def member(self, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Read the next member, which has these aliases; raise DamagedSnapshotError if it is damaged."""
        if self.next_path() is None or self._next is None:
            raise DamagedSnapshotError(f"{self.name} ends before its last member")
        (path, size), self._next = self._next, None
        body = self._exactly(size)
        if self._exactly(len(padding(size))).strip(b"\0"):
            raise DamagedSnapshotError(f"{self.name} is damaged after {path}")
        return SnapshotMember(path=path, body=body, aliases=aliases)

    def finish(self) -> str:
        """Read what follows the members; return the SHA-256 in the trailer.

        Raises:
            DamagedSnapshotError: if it does not match the members.
        """
        if self.next_path() is not None:
            raise DamagedSnapshotError(f"{self.name} has {self.next_path()} after its last member")
        rest = BLOCK + len(padding(self.position + BLOCK, TAR_RECORD))
        if self._exactly(rest).strip(b"\0") or self.source.read(1):
            raise DamagedSnapshotError(f"{self.name} has data after the end of its tar archive")
        return self.source.expect_trailer()

    def _read_header(self) -> tuple[str, int] | None:
        """Read the name and size of the next member; None at the end of the tar."""
        block = self._exactly(BLOCK)
        if not block.strip(b"\0"):
            return None
        while (
            block[-BLOCK:][156:157] == b"x"
        ):  # a pax header: its records, then the header that they belong to
            if len(block) > BLOCK:
                raise DamagedSnapshotError(f"{self.name} has a member that is not in statuary's format")
            block += self._pax_rest(block)
        try:
            info = tarfile.TarInfo.frombuf(block[-BLOCK:], "utf-8", "strict")
            path = _pax_path(block) or info.name
            written = tar_header(path, info.size)
        except (tarfile.HeaderError, ValueError):
            raise DamagedSnapshotError(
                f"{self.name} is damaged: it has no member where one is expected"
            ) from None
        if not info.isreg():
            raise DamagedSnapshotError(
                f"{path} is not a plain file (a link, a folder?), and a snapshot has nothing else"
            )
        if written != block or info.size > LARGEST_DOCUMENT:
            raise DamagedSnapshotError(f"{self.name} has a member that is not in statuary's format: {path}")
        return path, info.size

    def _pax_rest(self, header: bytes) -> bytes:
        """Read a pax header's records and the block after them."""
        try:
            size = tarfile.TarInfo.frombuf(header, "utf-8", "strict").size
        except (tarfile.HeaderError, ValueError):
            raise DamagedSnapshotError(
                f"{self.name} is damaged: it has no member where one is expected"
            ) from None
        if not 0 < size <= MAX_PAX_HEADER:
            raise DamagedSnapshotError(f"{self.name} has a member that is not in statuary's format")
        return self._exactly(size + len(padding(size)) + BLOCK)

    def _exactly(self, size: int) -> bytes:
        parts = []
        while size:
            part = self.source.read(min(size, CHUNK))
            if not part:
                raise DamagedSnapshotError(f"{self.name} is cut off: its tar archive has no end")
            size -= len(part)
            self.position += len(part)
            parts.append(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)


MAX_PAX_HEADER = 64 * 1024
"""Bytes of the longest pax header that is read."""


def _pax_path(block: bytes) -> str | None:
    """Return the name in a pax header's only record, `<length> path=<name>`."""
    if len(block) == BLOCK:
        return None
    _, _, record = block[BLOCK:-BLOCK].rstrip(b"\0").partition(b" path=")
    return record.removesuffix(b"\n").decode("utf-8")
