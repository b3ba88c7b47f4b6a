"""Read and write the zip files of snapshots.

`zipfile` reads a whole directory (36 MB for 300,000 documents) and cannot write a member that is compressed
already. Everything except the members' data follows from the members, so the same code writes and verifies
it, and finds any byte that statuary would not write.
"""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import IO, NamedTuple, Self

from statuary.base.files import PublishingError, is_manifest_path
from statuary.extensions.snapshots import zip_format
from statuary.extensions.snapshots.streams import CHUNK, ByteRanges, HashingReader, HashingWriter
from statuary.extensions.snapshots.zip_format import (
    CENTRAL_MARK,
    ENDING_SIZE,
    LOCAL,
    LOCAL_MARK,
    CentralEntry,
    CentralName,
    CompressedMember,
    Ending,
    SnapshotMember,
    ZipHeader,
    decompress_member,
)
from statuary.publish.folder.reader import LARGEST_DOCUMENT
from statuary.publish.listing import DamagedSnapshotError
from statuary.system.files import open_file
from statuary.system.writing import atomic_file, lock_folder, lock_stream

IN_MEMORY = 16 << 20
"""Bytes of a central directory that stay in memory before they go into a temporary file."""


class _DirectoryPage(NamedTuple):
    """A range of the central directory."""

    text: bytes
    entry: CentralName  # the first entry of the range


class CentralDirectory:
    """Collects the central directory of a zip file, in a temporary file."""

    def __init__(self) -> None:
        self._iter_entries = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by close()
        self._count = 0

    def close(self) -> None:
        """Delete the temporary file."""
        self._iter_entries.close()

    def add_header(self, header: ZipHeader, header_offset: int) -> None:
        """Add a file to the file list at the end of the zip.

        Args:
            header: the header of the file.
            header_offset: the offset of the header in the zip file.
        """
        self._iter_entries.write(zip_format.encode_central_header(header, header_offset))
        self._count += 1

    def make_end_records(self, directory_offset: int, digest: str = "") -> Ending:
        """Return the last records of the zip, which follow the directory.

        Args:
            directory_offset: the offset of the central directory in the zip file.
            digest: the SHA-256 of all bytes before the last record, which contains it as a comment.
        """
        return Ending(self._count, self._iter_entries.tell(), directory_offset, digest)

    def read_in_chunks(self) -> Iterator[bytes]:
        """Yield the zip's central directory (its file list) in chunks of bytes."""
        self._iter_entries.seek(0)
        while chunk := self._iter_entries.read(CHUNK):
            yield chunk


class ZipWriter:
    """Writes a zip file, one member after another."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.out = HashingWriter(stream)
        self.directory = CentralDirectory()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.directory.close()

    def write_member(self, member: CompressedMember) -> None:
        """Write a file that is already compressed to the zip."""
        self.directory.add_header(member.header, self.out.position)
        self.out.write(zip_format.encode_local_header(member.header))
        self.out.write(member.data)

    def finish(self) -> str:
        """Write the end of the zip, and return its SHA-256.

        The SHA-256 covers all bytes before the last record, which contains it.
        """
        offset = self.out.position
        for chunk in self.directory.read_in_chunks():
            self.out.write(chunk)
        self.out.write(zip_format.encode_zip64_records(self.directory.make_end_records(offset)))
        digest = self.out.digest
        self.out.write(zip_format.encode_last_record(self.directory.make_end_records(offset, digest)))
        return digest


def require_zip_name(snapshot_path: Path) -> None:
    """Raise an error if a snapshot's file name lacks `.zip`.

    Raises:
        PublishingError: if the name ends differently.
    """
    if snapshot_path.suffix != ".zip":
        raise PublishingError(
            f"{snapshot_path} is not a valid file name for a snapshot: the name must end with .zip"
        )


@contextmanager
def open_snapshot_file(out: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces a snapshot when it is complete.

    Temporary files that killed processes have left are deleted, except on Windows.

    Args:
        out: the snapshot file to write.

    Raises:
        PublishingError: if the file cannot be written.
    """
    with ExitStack() as stack:
        with _lock_folder(out.parent):
            stream = stack.enter_context(atomic_file(out))
            with suppress(OSError):  # a system without locks: of other files nothing can be known
                lock_stream(stream)
                _remove_abandoned_files(out, Path(stream.name))
        yield stream


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder, if its file system has locks."""
    descriptor = None
    with suppress(OSError):  # a folder that is missing, or cannot be read
        descriptor = lock_folder(folder)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _remove_abandoned_files(out: Path, own_file: Path) -> None:
    """Remove temporary files of killed processes beside a snapshot.

    A file is removed if no process has locked it, and its content begins like a snapshot.
    """
    name = re.compile(rf"\.{re.escape(out.name)}\.[0-9a-f]{{8}}")
    for file in out.parent.iterdir():
        if name.fullmatch(file.name) and file != own_file and S_ISREG(file.lstat().st_mode):
            with suppress(OSError), open_file(file) as stream:
                lock_stream(stream, blocking=False)
                if LOCAL_MARK.startswith(stream.read(len(LOCAL_MARK))):
                    file.unlink()


def write_zip(stream: IO[bytes], members: Iterable[CompressedMember]) -> str:
    """Write the files of a snapshot as a zip.

    Args:
        stream: the stream to write to.
        members: the compressed files, in order.

    Returns:
        The SHA-256 that the last record of the zip contains.
    """
    with ZipWriter(stream) as writer:
        for member in members:
            writer.write_member(member)
        return writer.finish()


class ZipStreamReader:
    """Reads a zip file from a stream, one member after another."""

    def __init__(self, stream: IO[bytes], zip_name: str) -> None:
        self.source = HashingReader(stream, zip_name)
        self.directory = CentralDirectory()
        self._next: ZipHeader | None = None
        self._ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.directory.close()

    def read_next_path(self) -> str | None:
        """Return the path of the next file, or None at the end."""
        if self._next is None and not self._ended:
            self._next = self._read_header()
            self._ended = self._next is None
        return None if self._next is None else self._next.path

    def read_member(self, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Read the next file.

        Args:
            aliases: the other names of the file, which the result contains.

        Raises:
            DamagedSnapshotError: if the file is damaged or too large.
        """
        if self.read_next_path() is None or self._next is None:
            raise DamagedSnapshotError(f"{self.source.name} is cut off: its last files are missing")
        header, self._next = self._next, None
        if max(header.size, header.packed_size) > LARGEST_DOCUMENT:
            raise DamagedSnapshotError(
                f"{header.path} has {header.size:,} bytes; the limit for a document is {LARGEST_DOCUMENT:,}"
            )
        self.directory.add_header(header, self.source.position - len(zip_format.encode_local_header(header)))
        packed = CompressedMember(
            header=header, data=self.source.read_exactly(header.packed_size), aliases=aliases
        )
        return SnapshotMember(
            path=header.path, body=decompress_member(packed), aliases=aliases, packed=packed
        )

    def verify_end(self) -> None:
        """Read the end of the zip, and compare it with the files.

        Raises:
            DamagedSnapshotError: if the central directory or the digest does not match the files.
        """
        offset = self.source.position - len(CENTRAL_MARK)
        wrong = "its list of files differs from its files"
        begun = len(CENTRAL_MARK)
        for chunk in self.directory.read_in_chunks():
            self.source.require_bytes(chunk[begun:], wrong)
            begun = 0
        self.source.require_bytes(
            zip_format.encode_zip64_records(self.directory.make_end_records(offset)), wrong
        )
        encode_last_record = zip_format.encode_last_record(
            self.directory.make_end_records(offset, self.source.digest)
        )
        self.source.require_bytes(encode_last_record, "its end differs from its files")
        self.source.require_end()

    def _read_header(self) -> ZipHeader | None:
        source = self.source
        mark = self.source.read_exactly(len(LOCAL_MARK))
        if mark == CENTRAL_MARK:
            return None
        if mark != LOCAL_MARK:
            if source.position == len(mark):
                raise DamagedSnapshotError(f"{source.name} is not a snapshot: it is not a zip")
            raise DamagedSnapshotError(
                f"{source.name} is damaged: no file begins at byte {source.position - len(mark):,}, where the next one should"
            )
        fixed = mark + source.read_exactly(LOCAL.size - len(mark))
        variable_part = source.read_exactly(zip_format.read_name_and_extra_length(fixed))
        header = zip_format.parse_local_header(fixed + variable_part)
        if header is None:
            raise DamagedSnapshotError(
                f"{source.name} was not written by statuary: the file before byte {source.position:,} has another zip format",
                "make it again with `statuary snapshot create`; other zip programs write snapshots differently",
            )
        return header


PAGE = 4096
"""Bytes of each read of the central directory."""

SCANNED = 512
"""Bytes of the central directory that are searched entry by entry."""

LONGEST_ENTRY = 128 * 1024
"""Bytes in which an entry of the central directory begins and ends in any case."""

Span = tuple[int, int]
"""The start and the end of a part of the file, in bytes."""


class ZipReader:
    """Reads files of a snapshot in any order."""

    has_manifest = True

    def __init__(self, ranges: ByteRanges) -> None:
        """Read the end of a snapshot, and the entries of its manifest.

        Raises:
            DamagedSnapshotError: if the file is not a snapshot; `ranges` is closed then.
        """
        self.ranges = ranges
        self.name = ranges.name
        try:
            self._read_end_records()
        except BaseException:
            ranges.close()
            raise

    def _read_end_records(self) -> None:
        tail = self.ranges.read(max(0, self.ranges.size - ENDING_SIZE), ENDING_SIZE)
        ending = zip_format.parse_end_records(tail)
        if ending is None:
            raise DamagedSnapshotError(
                f"{self.name} is cut off, or is not a snapshot",
                "name a snapshot or the folder of a site, or get a new copy of it",
            )
        start = ending.offset
        self._end = ending.offset + ending.size
        self._own: dict[str, Span] = {}
        self._documents = self._end
        for name, span in self._iter_entries(start):
            path = name.decode(errors="replace")
            if not is_manifest_path(path):
                self._documents = span[0]
                break
            self._own[path] = span

    def close(self) -> None:
        """Close the file or connection."""
        self.ranges.close()

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file, or None if missing.

        Raises:
            DamagedSnapshotError: if the file is damaged.
        """
        member = self.read_compressed(path)
        return None if member is None else decompress_member(member)

    def paths(self) -> Iterator[str]:
        """Yield the paths of all files."""
        yield from self._own
        for name, _ in self._iter_entries(self._documents):
            yield name.decode(errors="replace")

    def read_compressed(self, path: str) -> CompressedMember | None:
        """Return a file of the zip without decompressing it.

        Returns:
            The file, or None if it does not exist.

        Raises:
            DamagedSnapshotError: if the file does not match the central directory, or is too large.
        """
        entry = self._read_central_entry(path)
        if entry is None:
            return None
        header = entry.header
        local = zip_format.encode_local_header(entry.header)
        if max(header.size, header.packed_size) > LARGEST_DOCUMENT:
            raise DamagedSnapshotError(
                f"{path} has {header.size:,} bytes; the limit for a document is {LARGEST_DOCUMENT:,}"
            )
        text = self.ranges.read(entry.offset, len(local) + header.packed_size)
        if not text.startswith(local) or len(text) != len(local) + header.packed_size:
            raise DamagedSnapshotError(
                f"{self.name} is damaged: its list of files and the file {path} disagree"
            )
        return CompressedMember(header=header, data=text[len(local) :])

    def _read_central_entry(self, path: str) -> CentralEntry | None:
        span = self._own.get(path) if is_manifest_path(path) else self._find_entry_range(path)
        if span is None:
            return None
        start, end = span
        entry = zip_format.parse_central_header(self.ranges.read(start, end - start))
        if entry is None or entry.header.path != path:
            raise DamagedSnapshotError(
                f"{self.name} is damaged: its list of files has no valid entry for {path}"
            )
        return entry

    def _find_entry_range(self, path: str) -> Span | None:
        """Find a document's entry in the central directory by binary search."""
        try:
            encoded_path = path.encode()
        except UnicodeEncodeError:
            return None
        low, high = self._documents, self._end
        while high - low > SCANNED:
            middle = (low + high) // 2
            entry = self._find_first_entry(middle, high)
            if entry is None:
                high = middle
                continue
            name, span = entry
            if name == encoded_path:
                return span
            low, high = (span[1], high) if name < encoded_path else (low, span[0])
        return next((span for name, span in self._iter_entries(low, high) if name == encoded_path), None)

    def _find_first_entry(self, range_start: int, range_end: int) -> tuple[bytes, Span] | None:
        """Return the first complete entry that begins in a range.

        Returns:
            The name and the range of the entry, or None if no entry begins there.
        """
        for size in (PAGE, LONGEST_ENTRY):
            text = self.ranges.read(range_start, min(size, self._end - range_start))
            for begin in zip_format.BEGINS_ENTRY.finditer(text):
                entry = zip_format.read_central_name(text, begin.start())
                if entry is not None and range_start + begin.start() < range_end:
                    return entry.name, (range_start + begin.start(), range_start + entry.end)
        return None

    def _iter_entries(self, start: int, end: int | None = None) -> Iterator[tuple[bytes, Span]]:
        end = self._end if end is None else end
        text, position = b"", 0
        while start + position < end:
            entry = zip_format.read_central_name(text, position)
            if entry is None:  # the page ends in this entry
                start, position = start + position, 0
                text, entry = self._read_directory_range(start)
            name, entry_end = entry
            yield name, (start + position, start + entry_end)
            position = entry_end

    def _read_directory_range(self, entry_offset: int) -> _DirectoryPage:
        """Read a range of the central directory with at least one entry."""
        for size in (PAGE, LONGEST_ENTRY):
            text = self.ranges.read(entry_offset, min(size, self._end - entry_offset))
            entry = zip_format.read_central_name(text, 0)
            if entry is not None:
                return _DirectoryPage(text, entry)
        raise DamagedSnapshotError(f"{self.name} is damaged: its list of files is cut off")
