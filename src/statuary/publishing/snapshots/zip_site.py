"""A snapshot's zip as a site to look things up in: a few small reads for each document, and nothing unpacked."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, Self

from statuary.documents.hosting.shards import sharded_path
from statuary.publishing.refused import PublishingRefused
from statuary.publishing.sites.served_as import media_type_of
from statuary.publishing.sites.site_reader import LARGEST_DOCUMENT, SiteEntry
from statuary.publishing.sites.web import fetch_range, size_of
from statuary.publishing.snapshots import zip_bytes, zip_index
from statuary.publishing.snapshots.damaged import SnapshotDamaged
from statuary.publishing.snapshots.listing import listed_paths
from statuary.publishing.snapshots.names import INDEX, MANIFEST, folded
from statuary.publishing.snapshots.packing import Packed, unpack
from statuary.publishing.snapshots.zip_bytes import LAST_RECORD_SIZE, LOCAL, Header

GUESS = 4096
"""Bytes that are read at a member's beginning: its header, and all of it if it is short."""


class Stretches(Protocol):
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


class FileStretches:
    """The bytes of a file; threads do not disturb each other."""

    def __init__(self, path: Path) -> None:
        """Open the file.

        Raises:
            PublishingRefused: if that cannot be done.
        """
        try:
            self.file = path.open("rb", buffering=0)
        except OSError as error:
            raise PublishingRefused(f"{path} cannot be read: {error.strerror}") from None
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


class UrlStretches:
    """The bytes of a URL whose server knows ranges."""

    def __init__(self, url: str) -> None:
        self.name = url
        self.size = size_of(url)

    def close(self) -> None:
        """Nothing stays open between two requests."""

    def read(self, offset: int, size: int) -> bytes:
        """Return a stretch; fewer bytes only at the end."""
        return fetch_range(self.name, offset, size) if size else b""


class ZipSite:
    """An open snapshot in the form of a zip."""

    def __init__(self, stretches: Stretches) -> None:
        """Look at the end of the file, which tells where the index is.

        Raises:
            SnapshotDamaged: if it is no snapshot's end; `stretches` is closed then.
        """
        self.stretches = stretches
        self.name = stretches.name
        try:
            self._find_index()
        except PublishingRefused:
            stretches.close()
            raise

    def _find_index(self) -> None:
        stretches = self.stretches
        tail = stretches.read(max(0, stretches.size - LAST_RECORD_SIZE), LAST_RECORD_SIZE)
        last = zip_bytes.parse_last_record(tail)
        if last is None:
            raise SnapshotDamaged(f"{self.name} is no snapshot in the form of a zip, or it is cut off")
        offset, self.digest = last
        header, self.index_offset = self._header_at(offset, INDEX)
        self.names = header.size // zip_index.RECORD.size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.stretches.close()

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a document, under any of its names, in whichever layout; None if there is none."""
        packed = self.packed(path) or self.packed(sharded_path(path))
        return None if packed is None else unpack(packed)

    def entry(self, path: str) -> SiteEntry | None:
        """Return what is known of a document."""
        found = self._found(path) or self._found(sharded_path(path))
        if found is None:
            return None
        header, _ = found
        return SiteEntry(path=header.path, size=header.size, media_type=media_type_of(path))

    def paths(self) -> Iterator[str]:
        """Yield every name of every document, in the order of paths."""
        return listed_paths(self.read(MANIFEST) or b"", self.read)

    def packed(self, path: str) -> Packed | None:
        """Return a member as the zip holds it."""
        found = self._found(path)
        if found is None:
            return None
        header, offset = found
        data = self.stretches.read(offset, header.packed_size)
        if len(data) != header.packed_size:
            raise SnapshotDamaged(f"{self.name} is cut off in {header.path}")
        return Packed(header=header, data=data)

    def _found(self, path: str) -> tuple[Header, int] | None:
        """Return the header of a member and where its data begins."""
        try:
            offset = zip_index.find(self._read_index, self.names, path)
        except UnicodeEncodeError:
            return None
        return None if offset is None else self._header_at(offset, path)

    def _read_index(self, offset: int, size: int) -> bytes:
        data = self.stretches.read(self.index_offset + offset, size)
        return data[: len(data) // zip_index.RECORD.size * zip_index.RECORD.size]

    def _header_at(self, offset: int, path: str) -> tuple[Header, int]:
        """Read the local header of a member that must have one of these names."""
        text = self.stretches.read(offset, GUESS)
        lengths = zip_bytes.local_lengths(text[: LOCAL.size]) if len(text) >= LOCAL.size else None
        length = LOCAL.size + sum(lengths or ())
        header = zip_bytes.parse_local_header(text[:length]) if lengths and length <= len(text) else None
        if header is None or folded(header.path) != folded(path):
            raise SnapshotDamaged(f"{self.name} is damaged: {path} is not where its index says")
        if max(header.size, header.packed_size) > LARGEST_DOCUMENT and path != INDEX:
            raise SnapshotDamaged(f"{path} has {header.size:,} bytes, more than any document")
        return header, offset + length
