"""A file that is there whole, or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from statuary.publishing.refused import PublishingRefused


@contextmanager
def written_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file beside a path; it takes the path's place once it is written and on the disk.

    If anything is raised meanwhile, the path is as it was.

    Raises:
        PublishingRefused: if it cannot be written.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    except OSError as error:
        raise PublishingRefused(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            beside.unlink()
