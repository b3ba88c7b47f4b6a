"""Writing a snapshot as a zip, from its first byte to its last."""

from typing import Self

from statuary.snapshots import zip_format
from statuary.snapshots.members import CompressedMember
from statuary.snapshots.streams import HashingWriter, Writable
from statuary.snapshots.zip_directory import CentralDirectory


class ZipWriter:
    """A zip being written; members are put in their order."""

    def __init__(self, stream: Writable) -> None:
        self.out = HashingWriter(stream)
        self.directory = CentralDirectory()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.directory.__exit__()

    def put(self, packed: CompressedMember) -> None:
        """Write a member."""
        self.directory.add(packed.header, packed.aliases, self.out.position)
        self.out.write(zip_format.local_header(packed.header))
        self.out.write(packed.data)

    def finish(self) -> str:
        """Write what stands behind the members; return the SHA-256 that the zip says of itself."""
        offset, index = self.out.position, self.directory.index_header()
        self.out.write(zip_format.local_header(index))
        for chunk in self.directory.index.chunks():
            self.out.write(chunk)
        for chunk in self.directory.central_chunks(index, offset):
            self.out.write(chunk)
        digest = self.out.digest
        self.out.write(self.directory.last_record(index, offset, digest))
        return digest
