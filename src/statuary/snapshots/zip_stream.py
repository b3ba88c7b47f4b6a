"""Reading a snapshot's zip once, forward, from its first byte to its last, believing nothing.

Everything but the members' data can be derived from the members, so it is derived and compared: a byte that
statuary would not have written is found, wherever it is.
"""

from typing import Self

from statuary.publishing.site_reader import LARGEST_DOCUMENT
from statuary.publishing.snapshot_paths import INDEX
from statuary.snapshots import zip_format
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.members import CompressedMember, SnapshotMember, decompress_member
from statuary.snapshots.streams import HashingReader, Readable
from statuary.snapshots.zip_directory import CentralDirectory
from statuary.snapshots.zip_format import LOCAL, ZipHeader


class ZipStreamReader:
    """A zip being read; members are asked for in their order."""

    def __init__(self, stream: Readable, name: str) -> None:
        self.source = HashingReader(stream, name)
        self.directory = CentralDirectory()
        self._next: ZipHeader | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.directory.__exit__()

    def next_path(self) -> str | None:
        """Return the name of the next member; None behind the last."""
        if self._next is None:
            self._next = self._read_header()
        return None if self._next.path == INDEX else self._next.path

    def member(self, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Read the next member, which has these second names.

        Raises:
            SnapshotDamaged: if it is not whole.
        """
        header, self._next = self._next or self._read_header(), None
        if max(header.size, header.packed_size) > LARGEST_DOCUMENT:
            raise DamagedSnapshotError(f"{header.path} has {header.size:,} bytes, more than any document")
        length = len(zip_format.local_header(header))
        self.directory.add(header, aliases, self.source.position - length)
        packed = CompressedMember(
            header=header, data=self.source.exactly(header.packed_size), aliases=aliases
        )
        return SnapshotMember(
            path=header.path, body=decompress_member(packed), aliases=aliases, packed=packed
        )

    def finish(self) -> str:
        """Read what stands behind the members; return the SHA-256 that the zip says of itself.

        Raises:
            SnapshotDamaged: if it is not what the members ask for.
        """
        index = self.directory.index_header()
        if self._next != index:
            found = "there is none" if self._next is None else "it is not made of the members"
            raise DamagedSnapshotError(f"{self.source.name} is damaged: its index is wrong: {found}")
        offset = self.source.position - len(zip_format.local_header(index))
        for chunk in self.directory.index.chunks():
            self.source.expect(chunk, "its index is not that of its members")
        for chunk in self.directory.central_chunks(index, offset):
            self.source.expect(chunk, "its directory is not that of its members")
        digest = self.source.digest
        self.source.expect(
            self.directory.last_record(index, offset, digest), "its end is not that of its content"
        )
        self.source.expect_end()
        return digest

    def _read_header(self) -> ZipHeader:
        fixed = self.source.exactly(LOCAL.size)
        lengths = zip_format.local_lengths(fixed)
        if lengths is None:
            raise DamagedSnapshotError(
                f"{self.source.name} has no member at byte {self.source.position - LOCAL.size:,}, where one must be"
            )
        header = zip_format.parse_local_header(fixed + self.source.exactly(sum(lengths)))
        if header is None:
            raise DamagedSnapshotError(
                f"{self.source.name} has a member at byte {self.source.position:,} that statuary did not write so"
            )
        return header
