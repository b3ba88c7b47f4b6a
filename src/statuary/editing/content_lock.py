"""A lock on a content folder, held by every command that edits it, from the first read to the last rename."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from statuary.editing.errors import EditError

if sys.platform != "win32":
    import fcntl


@contextmanager
def content_lock(root: Path) -> Iterator[None]:
    """Hold the lock of a content folder; wait while another process holds it.

    The folder itself is locked, so that no lock file appears in git; a killed process loses the lock. Windows cannot
    lock a folder: edits there still stop if a file has changed since it was read.

    Raises:
        EditError: if the folder cannot be opened or locked.
    """
    if sys.platform == "win32":
        yield
        return
    try:
        descriptor = os.open(root, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError as error:
        raise EditError(f"{root} cannot be locked: {error.strerror}") from None
    try:
        yield
    finally:
        os.close(descriptor)
