"""Random access to bytes: of a file, or of a URL whose server supports ranges."""

import os
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Protocol

from statuary.publishing.errors import PublishingError
from statuary.snapshots.http_client import fetch_range, url_size

BLOCK = 64 * 1024
"""Bytes of a URL that are requested and kept together."""

KEPT_BLOCKS = 256
"""Blocks of a URL that stay in memory."""


class ByteRanges(Protocol):
    """Bytes with random access; thread-safe."""

    name: str
    size: int

    def read(self, offset: int, size: int) -> bytes:
        """Return a range; fewer bytes only at the end."""

    def close(self) -> None:
        """Release resources."""


class FileRanges:
    """The bytes of a file."""

    def __init__(self, path: Path) -> None:
        try:
            self.file = path.open("rb", buffering=0)
        except OSError as error:
            raise PublishingError(f"{path} cannot be read: {error.strerror}") from None
        self.name = str(path)
        self.size = os.fstat(self.file.fileno()).st_size
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def read(self, offset: int, size: int) -> bytes:
        """Return a range; fewer bytes only at the end."""
        if hasattr(os, "pread"):
            return os.pread(self.file.fileno(), size, offset)
        with self._lock:
            self.file.seek(offset)
            return self.file.read(size)


class UrlRanges:
    """The bytes of a URL, requested in blocks; the most recent blocks are cached."""

    def __init__(self, url: str) -> None:
        self.name = url
        self.size = url_size(url)
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Clear the cache."""
        self._blocks.clear()

    def read(self, offset: int, size: int) -> bytes:
        """Return a range; fewer bytes only at the end."""
        end = min(offset + size, self.size)
        if offset >= end:
            return b""
        wanted = range(offset // BLOCK, -(-end // BLOCK))
        with self._lock:
            self._request([number for number in wanted if number not in self._blocks])
            found = b"".join(self._blocks[number] for number in wanted)
            for number in wanted:
                self._blocks.move_to_end(number)
            while len(self._blocks) > KEPT_BLOCKS:
                self._blocks.popitem(last=False)
        start = offset - wanted.start * BLOCK
        return found[start : start + end - offset]

    def _request(self, missing: list[int]) -> None:
        """Request blocks, and those between them, in one request."""
        if not missing:
            return
        first, last = missing[0], missing[-1]
        size = min((last + 1) * BLOCK, self.size) - first * BLOCK
        data = fetch_range(self.name, first * BLOCK, size)
        for number in range(first, last + 1):
            self._blocks[number] = data[(number - first) * BLOCK :][:BLOCK]
