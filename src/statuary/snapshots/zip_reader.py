"""A snapshot's zip as a site to look things up in: a few small reads for each document, and nothing unpacked."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, Self

from statuary.documents.stored_paths import sharded_path
from statuary.publishing.errors import PublishingError
from statuary.publishing.response_headers import media_type_of
from statuary.publishing.safe_path import fold_case
from statuary.publishing.site_reader import LARGEST_DOCUMENT, SiteEntry
from statuary.publishing.snapshot_paths import INDEX, MANIFEST
from statuary.snapshots import zip_format, zip_index
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.http_client import fetch_range, url_size
from statuary.snapshots.manifest_entries import read_paths
from statuary.snapshots.members import CompressedMember, decompress_member
from statuary.snapshots.zip_format import LAST_RECORD_SIZE, LOCAL, ZipHeader

FIRST_READ = 4096
"""Bytes that are read at a member's beginning: its header, and all of it if it is short."""


class ByteRanges(Protocol):
    """Bytes that can be read from anywhere.

    Attributes:
        name: what they are called in messages.
        size: how many there are.
    """

    name: str
    size: int

    def read(self, offset: int, size: int) -> bytes:
        """Return a stretch; fewer bytes only at the end."""

    def close(self) -> None:
        """Give back what is open."""


class FileByteRanges:
    """The bytes of a file; threads do not disturb each other."""

    def __init__(self, path: Path) -> None:
        """Open the file.

        Raises:
            PublishingRefused: if that cannot be done.
        """
        try:
            self.file = path.open("rb", buffering=0)
        except OSError as error:
            raise PublishingError(f"{path} cannot be read: {error.strerror}") from None
        self.name = str(path)
        self.size = os.fstat(self.file.fileno()).st_size
        self.lock = threading.Lock()

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def read(self, offset: int, size: int) -> bytes:
        """Return a stretch; fewer bytes only at the end."""
        size = min(size, self.size - offset)
        if size <= 0:
            return b""
        if hasattr(os, "pread"):
            return os.pread(self.file.fileno(), size, offset)
        with self.lock:
            self.file.seek(offset)
            return self.file.read(size)


class UrlByteRanges:
    """The bytes of a URL whose server knows ranges."""

    def __init__(self, url: str) -> None:
        self.name = url
        self.size = url_size(url)

    def close(self) -> None:
        """Nothing stays open between two requests."""

    def read(self, offset: int, size: int) -> bytes:
        """Return a stretch; fewer bytes only at the end."""
        return fetch_range(self.name, offset, size) if size else b""


class ZipReader:
    """An open snapshot in the form of a zip."""

    def __init__(self, byte_ranges: ByteRanges) -> None:
        """Look at the end of the file, which tells where the index is.

        Raises:
            SnapshotDamaged: if it is no snapshot's end; `byte_ranges` is closed then.
        """
        self.byte_ranges = byte_ranges
        self.name = byte_ranges.name
        try:
            self._find_index()
        except PublishingError:
            byte_ranges.close()
            raise

    def _find_index(self) -> None:
        byte_ranges = self.byte_ranges
        tail = byte_ranges.read(max(0, byte_ranges.size - LAST_RECORD_SIZE), LAST_RECORD_SIZE)
        last = zip_format.parse_last_record(tail)
        if last is None:
            raise DamagedSnapshotError(f"{self.name} is no snapshot in the form of a zip, or it is cut off")
        offset, self.digest = last
        header, self.index_offset = self._header_at(offset, INDEX)
        self.names = header.size // zip_index.RECORD.size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.byte_ranges.close()

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a document, under any of its names, in whichever layout; None if there is none."""
        packed = self.packed(path) or self.packed(sharded_path(path))
        return None if packed is None else decompress_member(packed)

    def entry(self, path: str) -> SiteEntry | None:
        """Return what is known of a document."""
        found = self._found(path) or self._found(sharded_path(path))
        if found is None:
            return None
        header, _ = found
        return SiteEntry(path=header.path, size=header.size, media_type=media_type_of(path))

    def paths(self) -> Iterator[str]:
        """Yield every name of every document, in the order of paths."""
        return read_paths(self.read(MANIFEST) or b"", self.read)

    def packed(self, path: str) -> CompressedMember | None:
        """Return a member as the zip holds it."""
        found = self._found(path)
        if found is None:
            return None
        header, offset = found
        data = self.byte_ranges.read(offset, header.packed_size)
        if len(data) != header.packed_size:
            raise DamagedSnapshotError(f"{self.name} is cut off in {header.path}")
        return CompressedMember(header=header, data=data)

    def _found(self, path: str) -> tuple[ZipHeader, int] | None:
        """Return the header of a member and where its data begins."""
        try:
            offset = zip_index.find(self._read_index, self.names, path)
        except UnicodeEncodeError:
            return None
        return None if offset is None else self._header_at(offset, path)

    def _read_index(self, offset: int, size: int) -> bytes:
        data = self.byte_ranges.read(self.index_offset + offset, size)
        return data[: len(data) // zip_index.RECORD.size * zip_index.RECORD.size]

    def _header_at(self, offset: int, path: str) -> tuple[ZipHeader, int]:
        """Read the local header of a member that must have one of these names."""
        text = self.byte_ranges.read(offset, FIRST_READ)
        lengths = zip_format.local_lengths(text[: LOCAL.size]) if len(text) >= LOCAL.size else None
        length = LOCAL.size + sum(lengths or ())
        header = zip_format.parse_local_header(text[:length]) if lengths and length <= len(text) else None
        if header is None or fold_case(header.path) != fold_case(path):
            raise DamagedSnapshotError(f"{self.name} is damaged: {path} is not where its index says")
        if max(header.size, header.packed_size) > LARGEST_DOCUMENT and path != INDEX:
            raise DamagedSnapshotError(f"{path} has {header.size:,} bytes, more than any document")
        return header, offset + length
