"""A lock on a content folder, held by every command that edits it, from the first read to the last rename."""

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir

from statuary.editing.errors import EditError

if sys.platform != "win32":
    import fcntl


LONGEST_WAIT = 600.0
"""Seconds that an edit waits for another one where a database is locked."""


@contextmanager
def content_lock(root: Path) -> Iterator[None]:
    """Hold the lock of a content folder; wait while another process holds it.

    The folder itself is locked, so that no lock file appears in git; a killed process loses the lock. Windows cannot
    lock a folder: a database in the folder for temporary files is locked there, which excludes only commands of the same user.

    Raises:
        EditError: if the folder cannot be opened or locked.
    """
    if sys.platform == "win32":
        with database_lock(root):
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


@contextmanager
def database_lock(root: Path) -> Iterator[None]:
    """Hold the lock of a folder, which is an empty database; raise EditError if it cannot be locked."""
    name = sha256(os.path.normcase(root.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    file = Path(gettempdir()) / f"statuary-edits-{name}.sqlite3"
    try:
        connection = sqlite3.connect(file, timeout=LONGEST_WAIT, isolation_level=None)
        with closing(connection):
            connection.execute("BEGIN EXCLUSIVE")
            yield
    except sqlite3.Error as error:
        raise EditError(f"{root} cannot be locked by {file}: {error}") from None
