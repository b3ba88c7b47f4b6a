"""Random access to a snapshot's zip: a few small reads for each member, and nothing unpacked.

The central directory lists the snapshot's own members first, then the documents by path, so a document is
found by bisection.
"""

from collections.abc import Iterator

from statuary.publishing.folder_reader import LARGEST_DOCUMENT
from statuary.publishing.snapshot_paths import is_snapshot_path
from statuary.snapshots import zip_format
from statuary.snapshots.byte_ranges import ByteRanges
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.members import CompressedMember, decompress_member
from statuary.snapshots.zip_format import ENDING_SIZE, CentralEntry

PAGE = 4096
"""Bytes of each read of the central directory."""

SCANNED = 512
"""Bytes of the central directory that are searched entry by entry."""

LONGEST_ENTRY = 128 * 1024
"""Bytes in which an entry of the central directory begins and ends in any case."""

Span = tuple[int, int]
"""Where something begins and ends, in bytes of the file."""


class ZipReader:
    """The members of a snapshot."""

    has_manifest = True

    def __init__(self, ranges: ByteRanges) -> None:
        """Read the trailer and the entries of the snapshot's own members.

        Raises:
            DamagedSnapshotError: if it is not a snapshot; `ranges` is closed then.
        """
        self.ranges = ranges
        self.name = ranges.name
        try:
            self._read_ending()
        except BaseException:
            ranges.close()
            raise

    def _read_ending(self) -> None:
        tail = self.ranges.read(max(0, self.ranges.size - ENDING_SIZE), ENDING_SIZE)
        ending = zip_format.parse_ending(tail)
        if ending is None:
            raise DamagedSnapshotError(f"{self.name} is not a snapshot, or it is cut off")
        start, self._end = ending.offset, ending.offset + ending.size
        self._own: dict[str, Span] = {}
        self._documents = self._end
        for name, span in self._entries(start):
            path = name.decode(errors="replace")
            if not is_snapshot_path(path):
                self._documents = span[0]
                break
            self._own[path] = span

    def close(self) -> None:
        """Close the file."""
        self.ranges.close()

    def read(self, path: str) -> bytes | None:
        """Return the body of a member; None without one; raise DamagedSnapshotError if it is damaged."""
        found = self.compressed(path)
        return None if found is None else decompress_member(found)

    def paths(self) -> Iterator[str]:
        """Yield the name of every member."""
        yield from self._own
        for name, _ in self._entries(self._documents):
            yield name.decode(errors="replace")

    def compressed(self, path: str) -> CompressedMember | None:
        """Return a member in compressed form; None if there is none with this name.

        Raises:
            DamagedSnapshotError: if the member does not match the directory.
        """
        entry = self._entry(path)
        if entry is None:
            return None
        header, local = entry.header, zip_format.local_header(entry.header)
        if max(header.size, header.packed_size) > LARGEST_DOCUMENT:
            raise DamagedSnapshotError(f"{path} has {header.size:,} bytes, more than any document")
        text = self.ranges.read(entry.offset, len(local) + header.packed_size)
        if not text.startswith(local) or len(text) != len(local) + header.packed_size:
            raise DamagedSnapshotError(
                f"{self.name} is damaged: {path} differs from its entry in the directory"
            )
        return CompressedMember(header=header, data=text[len(local) :])

    def _entry(self, path: str) -> CentralEntry | None:
        span = self._own.get(path) if is_snapshot_path(path) else self._find(path)
        if span is None:
            return None
        start, end = span
        entry = zip_format.parse_central_header(self.ranges.read(start, end - start))
        if entry is None or entry.header.path != path:
            raise DamagedSnapshotError(f"{self.name} is damaged: its directory has no valid entry for {path}")
        return entry

    def _find(self, path: str) -> Span | None:
        """Return the position of a document's entry, by bisection."""
        try:
            wanted = path.encode()
        except UnicodeEncodeError:
            return None
        low, high = self._documents, self._end
        while high - low > SCANNED:
            middle = (low + high) // 2
            found = self._first_entry(middle, high)
            if found is None:
                high = middle
                continue
            name, span = found
            if name == wanted:
                return span
            low, high = (span[1], high) if name < wanted else (low, span[0])
        return next((span for name, span in self._entries(low, high) if name == wanted), None)

    def _first_entry(self, start: int, end: int) -> tuple[bytes, Span] | None:
        """Return the first complete entry that begins in a range; None if there is none."""
        for size in (PAGE, LONGEST_ENTRY):
            text = self.ranges.read(start, min(size, self._end - start))
            for begin in zip_format.BEGINS_ENTRY.finditer(text):
                found = zip_format.central_name(text, begin.start())
                if found is not None and start + begin.start() < end:
                    return found[0], (start + begin.start(), start + found[1])
        return None

    def _entries(self, start: int, end: int | None = None) -> Iterator[tuple[bytes, Span]]:
        """Yield the names and ranges of the entries from `start` on."""
        end = self._end if end is None else end
        text, position = b"", 0
        while start + position < end:
            found = zip_format.central_name(text, position)
            if found is None:  # the page ends in this entry
                start, position = start + position, 0
                text, found = self._page(start)
            name, after = found
            yield name, (start + position, start + after)
            position = after

    def _page(self, start: int) -> tuple[bytes, tuple[bytes, int]]:
        """Return the bytes from an entry on, its name, and its end in them."""
        for size in (PAGE, LONGEST_ENTRY):
            text = self.ranges.read(start, min(size, self._end - start))
            found = zip_format.central_name(text, 0)
            if found is not None:
                return text, found
        raise DamagedSnapshotError(f"{self.name} is damaged: its directory is cut off")
