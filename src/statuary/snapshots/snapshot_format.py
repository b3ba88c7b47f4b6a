"""The two forms of a snapshot, and the writing of each."""

import os
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import IO

from statuary.publishing.errors import PublishingError
from statuary.snapshots.members import CompressedMember, SnapshotMember, compress_members, decompress_member
from statuary.snapshots.tar_zst import SKIPPABLE, TRAILER_SIZE, TarZstWriter
from statuary.snapshots.zip_format import LAST_RECORD_SIZE, parse_last_record
from statuary.snapshots.zip_writer import ZipWriter


class SnapshotFormat(StrEnum):
    """How a snapshot is laid out; the value is how its file's name ends."""

    ZIP = ".zip"
    TAR_ZST = ".tar.zst"


def format_of(path: Path) -> SnapshotFormat:
    """Return the form that a file's name asks for.

    Raises:
        PublishingRefused: if it asks for none.
    """
    for form in SnapshotFormat:
        if path.name.endswith(form):
            return form
    raise PublishingError(f"{path} says no form of a snapshot", "name it ….zip or ….tar.zst")


def require_snapshot_or_nothing(path: Path) -> None:
    """Make sure that a file that is there is one of ours, by how it ends, before another takes its place.

    Raises:
        PublishingRefused: if it is not.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LAST_RECORD_SIZE))
            tail = file.read()
    except FileNotFoundError:
        return
    except OSError as error:
        raise PublishingError(f"{path} cannot be written: {error.strerror}") from None
    if parse_last_record(tail) is None and not tail[-TRAILER_SIZE:].startswith(SKIPPABLE):
        raise PublishingError(f"{path} is there and is no snapshot", "move it away, or name another file")


def write_members(
    stream: IO[bytes], form: SnapshotFormat, members: Iterable[SnapshotMember], workers: int | None = None
) -> str:
    """Write a snapshot of its members in their order; return the SHA-256 that the file says of itself."""
    if form is SnapshotFormat.ZIP:
        return write_compressed(stream, compress_members(members, workers))
    with TarZstWriter(stream) as writer:
        for member in members:
            writer.put(member)
        return writer.finish()


def write_compressed(stream: IO[bytes], members: Iterable[CompressedMember]) -> str:
    """Write a snapshot as a zip of members that are packed already."""
    with ZipWriter(stream) as writer:
        for packed in members:
            writer.put(packed)
        return writer.finish()


def decompressed(packed: CompressedMember) -> SnapshotMember:
    """Return a member of a zip with its body."""
    return SnapshotMember(path=packed.header.path, body=decompress_member(packed), aliases=packed.aliases)
