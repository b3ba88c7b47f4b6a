"""What stands in a zip behind its members.

It is derived from the members alone, so that the same lines write it and verify it.
"""

import tempfile
import zlib
from collections.abc import Iterator
from typing import Self

from statuary.publishing.snapshot_paths import INDEX
from statuary.snapshots import zip_format
from statuary.snapshots.streams import CHUNK
from statuary.snapshots.zip_format import STORED, ZipHeader
from statuary.snapshots.zip_index import RECORD, IndexTable

IN_MEMORY = 16 << 20
"""Bytes of a central directory that are kept in memory before they go into a temporary file."""


class CentralDirectory:
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

    def add(self, header: ZipHeader, aliases: tuple[str, ...], offset: int) -> None:
        """Note a member whose local header begins at `offset`."""
        self.central.write(zip_format.central_header(header, offset))
        self.count += 1
        for name in (header.path, *aliases):
            self.index.add(name, offset)

    def index_header(self) -> ZipHeader:
        """Return the header of the index as a member."""
        crc = size = 0
        for chunk in self.index.chunks():
            crc, size = zlib.crc32(chunk, crc), size + len(chunk)
        if size != self.index.count * RECORD.size:
            raise AssertionError("the index changed while it was read")
        return ZipHeader(path=INDEX, method=STORED, crc=crc, packed_size=size, size=size)

    def central_chunks(self, index: ZipHeader, index_offset: int) -> Iterator[bytes]:
        """Yield the bytes from behind the index to the last record, given where the index's header begins."""
        local = zip_format.local_header(index)
        self.central.write(zip_format.central_header(index, index_offset))
        size = self.central_size = self.central.tell()
        self.central.seek(0)
        while chunk := self.central.read(CHUNK):
            yield chunk
        yield zip_format.ending(self.count + 1, size, index_offset + len(local) + index.size)

    def last_record(self, index: ZipHeader, index_offset: int, digest: str) -> bytes:
        """Return the last record, given the SHA-256 of everything before it."""
        offset = index_offset + len(zip_format.local_header(index)) + index.size
        comment = zip_format.comment(index_offset, digest)
        return zip_format.last_record(self.count + 1, self.central_size, offset, comment)
