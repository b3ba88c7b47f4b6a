"""A file that is written completely or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from statuary.base.files import PublishingError


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` when the block ends.

    The file is synced before it replaces the old one. If the block raises, the path is unchanged.


    Raises:
        PublishingError: if the file cannot be written.
    """
    temporary_file = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary_file.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary_file.replace(path)
    except OSError as error:
        raise PublishingError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            temporary_file.unlink()
