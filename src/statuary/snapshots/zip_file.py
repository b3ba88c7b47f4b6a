"""Write a snapshot's zip, or read it once from its first byte to its last; random access is in `zip_reader`.

Everything but the members' data follows from the members, so the same code writes and verifies it: any byte
that statuary would not write is found.
"""

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Self

from statuary.publishing.errors import PublishingError
from statuary.publishing.folder_reader import LARGEST_DOCUMENT
from statuary.snapshots import zip_format
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.members import CompressedMember, SnapshotMember, decompress_member
from statuary.snapshots.streams import CHUNK, HashingReader, HashingWriter
from statuary.snapshots.zip_format import CENTRAL_MARK, LOCAL, LOCAL_MARK, Ending, ZipHeader

IN_MEMORY = 16 << 20
"""Bytes of a central directory that stay in memory before they go into a temporary file."""


class CentralDirectory:
    """The central directory of the members so far."""

    def __init__(self) -> None:
        self._entries = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by close()
        self._count = 0

    def close(self) -> None:
        """Delete the temporary file."""
        self._entries.close()

    def add(self, header: ZipHeader, offset: int) -> None:
        """Add a member whose local header begins at `offset`."""
        self._entries.write(zip_format.central_header(header, offset))
        self._count += 1

    def ending(self, offset: int, digest: str = "") -> Ending:
        """Return the ending of a zip whose central directory begins at `offset`."""
        return Ending(self._count, self._entries.tell(), offset, digest)

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes of the directory, then leave the file at its end."""
        self._entries.seek(0)
        while chunk := self._entries.read(CHUNK):
            yield chunk


class ZipWriter:
    """A zip being written; members are put in order."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.out = HashingWriter(stream)
        self.directory = CentralDirectory()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.directory.close()

    def put(self, member: CompressedMember) -> None:
        """Write a member."""
        self.directory.add(member.header, self.out.position)
        self.out.write(zip_format.local_header(member.header))
        self.out.write(member.data)

    def finish(self) -> str:
        """Write what follows the members; return the SHA-256 in the trailer."""
        offset = self.out.position
        for chunk in self.directory.chunks():
            self.out.write(chunk)
        self.out.write(zip_format.zip64_records(self.directory.ending(offset)))
        digest = self.out.digest
        self.out.write(zip_format.last_record(self.directory.ending(offset, digest)))
        return digest


def require_zip_name(path: Path) -> None:
    """Raise PublishingError if a file that is to be a snapshot is not named .zip."""
    if path.suffix != ".zip":
        raise PublishingError(f"{path} does not end in .zip, as the name of a snapshot does")


def write_zip(stream: IO[bytes], members: Iterable[CompressedMember]) -> str:
    """Write a snapshot from its members; return the SHA-256 in its trailer."""
    with ZipWriter(stream) as writer:
        for member in members:
            writer.put(member)
        return writer.finish()


class ZipStreamReader:
    """A zip read from a stream; members are requested in order."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self.source = HashingReader(stream, name)
        self.directory = CentralDirectory()
        self._next: ZipHeader | None = None
        self._ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.directory.close()

    def next_path(self) -> str | None:
        """Return the name of the next member; None after the last."""
        if self._next is None and not self._ended:
            self._next = self._read_header()
            self._ended = self._next is None
        return None if self._next is None else self._next.path

    def member(self, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Read the next member; raise DamagedSnapshotError if it is damaged."""
        if self.next_path() is None or self._next is None:
            raise DamagedSnapshotError(f"{self.source.name} ends before its last member")
        header, self._next = self._next, None
        if max(header.size, header.packed_size) > LARGEST_DOCUMENT:
            raise DamagedSnapshotError(f"{header.path} has {header.size:,} bytes, more than any document")
        self.directory.add(header, self.source.position - len(zip_format.local_header(header)))
        packed = CompressedMember(
            header=header, data=self.source.exactly(header.packed_size), aliases=aliases
        )
        return SnapshotMember(
            path=header.path, body=decompress_member(packed), aliases=aliases, packed=packed
        )

    def finish(self) -> None:
        """Read what follows the members; raise DamagedSnapshotError if it does not match them."""
        offset, wrong = self.source.position - len(CENTRAL_MARK), "its directory does not match its members"
        begun = len(CENTRAL_MARK)
        for chunk in self.directory.chunks():
            self.source.expect(chunk[begun:], wrong)
            begun = 0
        self.source.expect(zip_format.zip64_records(self.directory.ending(offset)), wrong)
        last = zip_format.last_record(self.directory.ending(offset, self.source.digest))
        self.source.expect(last, "its trailer does not match its content")
        self.source.expect_end()

    def _read_header(self) -> ZipHeader | None:
        """Read the next local header; None where the central directory begins."""
        source, mark = self.source, self.source.exactly(len(LOCAL_MARK))
        if mark == CENTRAL_MARK:
            return None
        if mark != LOCAL_MARK:
            if source.position == len(mark):
                raise DamagedSnapshotError(f"{source.name} is not a snapshot: it is not a zip")
            raise DamagedSnapshotError(f"{source.name} has no member at byte {source.position - len(mark):,}")
        fixed = mark + source.exactly(LOCAL.size - len(mark))
        rest = source.exactly(sum(zip_format.lengths_of_local_header(fixed)))
        header = zip_format.parse_local_header(fixed + rest)
        if header is None:
            raise DamagedSnapshotError(
                f"{source.name} has a member at byte {source.position:,} that is not in statuary's format"
            )
        return header
