"""Byte streams with digests, and ranges of files and URLs."""

import os
import tempfile
import threading
from collections import OrderedDict
from hashlib import sha256
from pathlib import Path
from typing import IO, Protocol

from typing_extensions import override

from statuary.base.files import PublishingError
from statuary.base.primitives import count_text
from statuary.publish.listing import DamagedSnapshotError, Entry
from statuary.publish.listing_on_disk import Listing
from statuary.system.files import open_file
from statuary.system.network.client import display_location, fetch_range, fetch_size

CHUNK = 1 << 20
"""Bytes of each read."""


class HashingReader:
    """A stream that hashes everything that is read from it."""

    def __init__(self, stream: IO[bytes], stream_name: str) -> None:
        self.stream = stream
        self.name = stream_name
        self.position = 0
        self._digest = sha256()

    @property
    def digest(self) -> str:
        """The SHA-256 of all bytes read so far, as 64 hex digits."""
        return self._digest.hexdigest()

    def read_exactly(self, size: int) -> bytes:
        """Read exactly this many bytes.

        Raises:
            DamagedSnapshotError: if the stream ends before.
        """
        parts = []
        while size:
            part = self.stream.read(min(size, CHUNK))
            if not part:
                raise DamagedSnapshotError(
                    f"{self.name} is cut off after {count_text(self.position, 'byte')}, or is not a snapshot",
                    "get a new copy of it, or make it again with `statuary snapshot create`",
                )
            size -= len(part)
            self.position += len(part)
            self._digest.update(part)
            parts.append(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def require_bytes(self, expected_bytes: bytes, problem: str) -> None:
        """Read bytes, and raise an error if they are not as expected.

        Args:
            expected_bytes: the expected bytes.
            problem: the text of the error, such as what is damaged.

        Raises:
            DamagedSnapshotError: if they differ.
        """
        if expected_bytes and self.read_exactly(len(expected_bytes)) != expected_bytes:
            raise DamagedSnapshotError(
                f"{self.name} is damaged from byte {self.position - len(expected_bytes):,} on: {problem}"
            )

    def require_end(self) -> None:
        """Raise an error if the stream has more bytes.

        Raises:
            DamagedSnapshotError: if more bytes follow.
        """
        if self.stream.read(1):
            raise DamagedSnapshotError(
                f"{self.name} is damaged: something was added after its {self.position:,} bytes"
            )


class HashingWriter:
    """A stream that hashes everything that is written to it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.position = 0  # bytes written so far
        self._digest = sha256()

    @property
    def digest(self) -> str:
        """The SHA-256 of all bytes written so far, as 64 hex digits."""
        return self._digest.hexdigest()

    def write(self, data: bytes) -> None:
        """Write bytes to the stream, and add them to the digest."""
        self.stream.write(data)
        self.position += len(data)
        self._digest.update(data)


BLOCK = 64 * 1024
"""Bytes of a URL that are requested and kept together."""

KEPT_BLOCKS = 256
"""Blocks of a URL that stay in memory."""


class ByteRanges(Protocol):
    """Reads ranges of a file, which may be remote."""

    name: str
    size: int

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes of the file, beginning at an offset.

        There are fewer only at the end of the file.
        """

    def close(self) -> None:
        """Close the file or connection."""


class FileRanges:
    """Reads ranges of a file."""

    def __init__(self, path: Path) -> None:
        try:
            self.file = open_file(path)
        except OSError as error:
            raise PublishingError(
                f"{path} cannot be read: {error.strerror}",
                "name a snapshot or the folder of a site; `statuary build` makes one",
            ) from None
        self.name = str(path)
        self.size = os.fstat(self.file.fileno()).st_size
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes of the file, beginning at an offset.

        There are fewer only at the end of the file.
        """
        size = max(0, min(size, self.size - offset))  # a read allocates what it asks for
        if hasattr(os, "pread"):
            return os.pread(self.file.fileno(), size, offset)
        with self._lock:
            self.file.seek(offset)
            return self.file.read(size)


class UrlRanges:
    """Reads ranges of a URL in blocks, and caches recent blocks."""

    def __init__(self, url: str) -> None:
        self.name = display_location(url)
        self.size = fetch_size(url)
        self._url = url
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Clear the cache of blocks."""
        self._blocks.clear()

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes of the file, beginning at an offset.

        There are fewer only at the end of the file. Blocks that were fetched lately are not fetched again.
        """
        end = min(offset + size, self.size)
        if offset >= end:
            return b""
        block_range = range(offset // BLOCK, -(-end // BLOCK))
        with self._lock:
            self._fetch_blocks([number for number in block_range if number not in self._blocks])
            data = b"".join(self._blocks[number] for number in block_range)
            for number in block_range:
                self._blocks.move_to_end(number)
            while len(self._blocks) > KEPT_BLOCKS:
                self._blocks.popitem(last=False)
        start = offset - block_range.start * BLOCK
        return data[start : start + end - offset]

    def _fetch_blocks(self, missing_blocks: list[int]) -> None:
        """Fetch missing blocks, and the blocks between them, with one request."""
        if not missing_blocks:
            return
        first_block = missing_blocks[0]
        last_block = missing_blocks[-1]
        size = min((last_block + 1) * BLOCK, self.size) - first_block * BLOCK
        data = fetch_range(self._url, first_block * BLOCK, size)
        for number in range(first_block, last_block + 1):
            self._blocks[number] = data[(number - first_block) * BLOCK :][:BLOCK]


class Spool(Listing):
    """A temporary file that stores the bytes of documents."""

    def __init__(self, folder: Path | None = None) -> None:
        """Create an empty temporary file in a folder.

        Raises:
            OSError: if the folder cannot be written.
        """
        self.file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by close
        self.end = 0
        super().__init__()

    @override
    def close(self) -> None:
        super().close()
        self.file.close()

    def append(self, data: bytes) -> int:
        """Append bytes to the temporary file, and return their offset."""
        start, self.end = self.end, self.end + len(data)
        self.file.seek(start)
        self.file.write(data)
        return start

    def read(self, start: int, length: int) -> bytes:
        """Return bytes that were stored with `append`.

        Args:
            start: the offset that `append` returned.
            length: the number of bytes.
        """
        self.file.seek(start)
        return self.file.read(length)


def require_entry_matches(entry: Entry, content: bytes) -> None:
    """Raise an error if a file differs from its site's manifest.

    Args:
        entry: the path, size and SHA-256 of the file in the manifest.
        content: the bytes of the file.

    Raises:
        DamagedSnapshotError: if size or SHA-256 differ.
    """
    if len(content) != entry.size:
        raise DamagedSnapshotError(
            f"{entry.path} is damaged: it has {len(content):,} bytes, and the manifest says {entry.size:,}"
        )
    if sha256(content).hexdigest() != entry.sha256:
        raise DamagedSnapshotError(
            f"{entry.path} is damaged: its SHA-256 differs from the one in the manifest"
        )
