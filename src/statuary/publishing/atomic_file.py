"""A file that is there whole, or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from statuary.publishing.errors import PublishingError


@contextmanager
def atomic_file(path: Path, *, durable: bool = True) -> Iterator[IO[bytes]]:
    """Open a file beside a path; it takes the path's place once it is written.

    If anything is raised meanwhile, the path is as it was.

    Args:
        path: the file to be.
        durable: wait until it is on the disk, so that a power cut leaves one or the other.

    Raises:
        PublishingError: if it cannot be written.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("xb") as stream:
            yield stream
            stream.flush()
            if durable:
                os.fsync(stream.fileno())
        beside.replace(path)
    except OSError as error:
        raise PublishingError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            beside.unlink()
