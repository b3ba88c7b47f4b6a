"""Byte streams that count and hash."""

from hashlib import sha256
from typing import IO

from statuary.snapshots.errors import DamagedSnapshotError

CHUNK = 1 << 20
"""Bytes of each read."""


class HashingReader:
    """A stream being read."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self.stream = stream
        self.name = name
        self.position = 0
        self._digest = sha256()

    @property
    def digest(self) -> str:
        """SHA-256 of all bytes read so far, as 64 hex digits."""
        return self._digest.hexdigest()

    def exactly(self, size: int) -> bytes:
        """Return the next bytes; raise DamagedSnapshotError if there are fewer."""
        parts = []
        while size:
            part = self.stream.read(min(size, CHUNK))
            if not part:
                raise DamagedSnapshotError(f"{self.name} is cut off at byte {self.position:,}")
            size -= len(part)
            self.position += len(part)
            self._digest.update(part)
            parts.append(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def expect(self, data: bytes, what: str) -> None:
        """Read bytes that must have a given value; raise DamagedSnapshotError if they differ."""
        if data and self.exactly(len(data)) != data:
            raise DamagedSnapshotError(
                f"{self.name} is damaged: {what} at byte {self.position - len(data):,}"
            )

    def expect_end(self) -> None:
        """Make sure that nothing follows; raise DamagedSnapshotError if something does."""
        if self.stream.read(1):
            raise DamagedSnapshotError(f"{self.name} has data after its end, at byte {self.position:,}")


class HashingWriter:
    """A stream being written."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.position = 0  # bytes written so far
        self._digest = sha256()

    @property
    def digest(self) -> str:
        """SHA-256 of all bytes written so far, as 64 hex digits."""
        return self._digest.hexdigest()

    def write(self, data: bytes) -> None:
        """Write bytes."""
        self.stream.write(data)
        self.position += len(data)
        self._digest.update(data)
