"""Temporary folders that a later process removes if their own was killed."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR
from tempfile import gettempdir, mkdtemp

if sys.platform != "win32":
    import fcntl

PREFIX = "statuary-join-"

GRACE = 60
"""Seconds after which a new folder certainly has its lock."""


@contextmanager
def scratch_directory() -> Iterator[Path]:
    """Make a temporary folder; remove it, and those of killed processes."""
    folder = Path(mkdtemp(prefix=PREFIX))
    descriptor = _lock(folder)
    _remove_abandoned(folder.stat().st_mtime - GRACE)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def _remove_abandoned(before: float) -> None:
    """Remove this user's temporary folders of processes that have ended: their locks ended with them.

    Args:
        before: when a folder must have changed last, in seconds since 1970; a newer one may not have its lock yet.
    """
    if sys.platform == "win32":
        return
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            status = folder.lstat()
            if not S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mtime > before:
                continue
            if (descriptor := _lock(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(descriptor)


def _lock(folder: Path) -> int | None:
    """Lock a folder until the descriptor closes; return None if another process has locked it."""
    if sys.platform == "win32":
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
