"""Opens a bulk file, local or remote, compressed or not, as a stream of plain bytes."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from statuary.content.bulk.remote_objects import open_remote
from statuary.content.remote_files import is_remote
from statuary.content.unreadable import UnreadableError
from statuary.optional import MissingExtraError, import_zstandard

BUFFER = 1 << 20
"""Bytes per read."""

LARGEST_WINDOW = 27
"""Logarithm of the largest window that is decompressed: 128 MiB, as in the zstd program by default."""

DAMAGED: tuple[type[Exception], ...] = (OSError, EOFError, zlib.error)
"""What Python's readers raise for a truncated or damaged stream, or a failing disk."""


def is_compressed(path: str) -> bool:
    """Say whether a bulk file can only be read from its beginning."""
    return path.endswith((".gz", ".zst"))


@contextmanager
def open_bulk_file(root: Path, path: str) -> Iterator[IO[bytes]]:
    """Open a bulk file, given by path or URL, as plain bytes.

    Raises:
        UnreadableError: if it cannot be opened, or Zstandard is not installed.
    """
    with _raw(root, path) as raw:
        if path.endswith(".gz"):
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield unpacked  # type: ignore[misc]  # a GzipFile is no IO in typeshed, as it has no name
        elif path.endswith(".zst"):
            with _zstandard(raw) as unpacked:
                yield unpacked
        else:
            yield raw


def _raw(root: Path, path: str) -> IO[bytes]:
    if is_remote(path):
        return open_remote(path)
    try:
        return (root / path).open("rb", buffering=BUFFER)
    except OSError as error:
        raise UnreadableError(f"cannot open the file: {error.strerror}") from None


def _zstandard(raw: IO[bytes]) -> Any:
    module = _module()
    options = {module.DecompressionParameter.window_log_max: LARGEST_WINDOW}
    return module.ZstdFile(raw, options=options)


def _module() -> ModuleType:
    try:
        return import_zstandard()
    except MissingExtraError as error:
        raise UnreadableError(str(error), error.hint) from None


def damage_errors(path: str) -> tuple[type[Exception], ...]:
    """Return the errors of reading a damaged file; raise UnreadableError if Zstandard is missing."""
    if not path.endswith(".zst"):
        return DAMAGED
    error: type[Exception] = _module().ZstdError
    return (*DAMAGED, error)
