"""What stands in a zip behind its members.

It is derived from the members alone, so that the same lines write it and verify it.
"""

import tempfile
import zlib
from collections.abc import Iterator
from typing import Self

from statuary.publishing.snapshots import zip_bytes
from statuary.publishing.snapshots.names import INDEX
from statuary.publishing.snapshots.streams import CHUNK
from statuary.publishing.snapshots.zip_bytes import STORED, Header
from statuary.publishing.snapshots.zip_index import RECORD, IndexTable

IN_MEMORY = 16 << 20
"""Bytes of a central directory that are kept in memory before they go into a temporary file."""


class Directory:
    """Central directory and index of the members so far."""

    def __init__(self) -> None:
        self.index = IndexTable()
        self.central = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by close()
        self.central_size = 0
        self.count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.index.connection.close()
        self.central.close()

    def add(self, header: Header, also: tuple[str, ...], offset: int) -> None:
        """Note a member whose local header begins at `offset`."""
        self.central.write(zip_bytes.central_header(header, offset))
        self.count += 1
        for name in (header.path, *also):
            self.index.add(name, offset)

    def index_header(self) -> Header:
        """Return the header of the index as a member."""
        crc = size = 0
        for chunk in self.index.chunks():
            crc, size = zlib.crc32(chunk, crc), size + len(chunk)
        if size != self.index.count * RECORD.size:
            raise AssertionError("the index changed while it was read")
        return Header(path=INDEX, method=STORED, crc=crc, packed_size=size, size=size)

    def central_chunks(self, index: Header, index_offset: int) -> Iterator[bytes]:
        """Yield the bytes from behind the index to the last record, given where the index's header begins."""
        local = zip_bytes.local_header(index)
        self.central.write(zip_bytes.central_header(index, index_offset))
        size = self.central_size = self.central.tell()
        self.central.seek(0)
        while chunk := self.central.read(CHUNK):
            yield chunk
        yield zip_bytes.ending(self.count + 1, size, index_offset + len(local) + index.size)

    def last_record(self, index: Header, index_offset: int, digest: str) -> bytes:
        """Return the last record, given the SHA-256 of everything before it."""
        offset = index_offset + len(zip_bytes.local_header(index)) + index.size
        comment = zip_bytes.comment(index_offset, digest)
        return zip_bytes.last_record(self.count + 1, self.central_size, offset, comment)
