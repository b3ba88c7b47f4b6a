"""A file that is whole or as it was before."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from statuary.base.files import PublishingError


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file beside a path; it replaces the path once it is written and synced.

    If an exception is raised, the path is unchanged.

    Raises:
        PublishingError: if it cannot be written.
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
