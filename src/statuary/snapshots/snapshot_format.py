"""The two formats of a snapshot, and writing them."""

import os
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import IO

from statuary.publishing.errors import PublishingError
from statuary.snapshots.members import CompressedMember, SnapshotMember, compress_members
from statuary.snapshots.tar_zst import SKIPPABLE, TRAILER_SIZE, TarZstWriter
from statuary.snapshots.zip_file import ZipWriter
from statuary.snapshots.zip_format import ENDING_SIZE, parse_ending


class SnapshotFormat(StrEnum):
    """The format of a snapshot; the value is its file extension."""

    ZIP = ".zip"
    TAR_ZST = ".tar.zst"


def format_of(path: Path) -> SnapshotFormat:
    """Return the format of a snapshot by its name; raise PublishingError if none has such an extension."""
    for form in SnapshotFormat:
        if path.name.endswith(form):
            return form
    raise PublishingError(f"unknown snapshot format: {path} (use .zip or .tar.zst)")


def require_snapshot_or_nothing(path: Path) -> None:
    """Raise PublishingError if there is a file that is not a snapshot, by its trailer."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - ENDING_SIZE))
            tail = file.read()
    except FileNotFoundError:
        return
    except OSError as error:
        raise PublishingError(f"{path} cannot be written: {error.strerror}") from None
    if parse_ending(tail) is None and not tail[-TRAILER_SIZE:].startswith(SKIPPABLE):
        raise PublishingError(f"{path} exists and is not a snapshot", "move it, or name another file")


def write_members(
    stream: IO[bytes], form: SnapshotFormat, members: Iterable[SnapshotMember], workers: int | None = None
) -> str:
    """Write a snapshot from its members; return the SHA-256 in its trailer."""
    if form is SnapshotFormat.ZIP:
        return write_compressed(stream, compress_members(members, workers))
    writer = TarZstWriter(stream)
    for member in members:
        writer.put(member)
    return writer.finish()


def write_compressed(stream: IO[bytes], members: Iterable[CompressedMember]) -> str:
    """Write a snapshot as a zip of compressed members."""
    with ZipWriter(stream) as writer:
        for packed in members:
            writer.put(packed)
        return writer.finish()
