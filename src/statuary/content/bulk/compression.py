"""A bulk file as a stream of plain bytes, whatever it is compressed with and wherever it lies."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from statuary.content.bulk.remote_objects import is_remote, open_remote
from statuary.content.unreadable import UnreadableError
from statuary.optional import MissingExtraError, import_zstandard

BUFFER = 1 << 20
"""Bytes read from the disk at a time."""

LARGEST_WINDOW = 27
"""Zstandard may look back 128 MiB: as far as its own program does without being told to."""

DAMAGED: tuple[type[Exception], ...] = (OSError, EOFError, zlib.error)
"""What Python's own readers raise of a stream that is cut off or damaged, and the disk of itself."""


def is_compressed(path: str) -> bool:
    """Say whether a bulk file can be read from its beginning only."""
    return path.endswith((".gz", ".zst"))


@contextmanager
def open_bulk_file(root: Path, path: str) -> Iterator[IO[bytes]]:
    """Open a bulk file, by path or URL, to be read as plain bytes.

    Raises:
        Unreadable: if it cannot be opened, or Zstandard is not installed.
    """
    with _raw(root, path) as raw:
        if path.endswith(".gz"):
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield unpacked  # type: ignore[misc]  # typeshed gives it no name to be an IO
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
        raise UnreadableError(f"the file cannot be opened: {error.strerror}") from None


def _zstandard(raw: IO[bytes]) -> Any:
    module = _module()
    options = {module.DecompressionParameter.window_log_max: LARGEST_WINDOW}
    return module.ZstdFile(raw, options=options)


def _module() -> ModuleType:
    try:
        return import_zstandard()
    except MissingExtraError as missing:
        raise UnreadableError(str(missing), missing.hint) from None


def damage_errors(path: str) -> tuple[type[Exception], ...]:
    """Return what reading a damaged file raises.

    Raises:
        Unreadable: if Zstandard is needed and not installed.
    """
    if not path.endswith(".zst"):
        return DAMAGED
    error: type[Exception] = _module().ZstdError
    return (*DAMAGED, error)
