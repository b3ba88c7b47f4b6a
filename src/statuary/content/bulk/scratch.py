"""Temporary folders that a later process removes if their own was killed."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp

if sys.platform != "win32":
    import fcntl

PREFIX = "statuary-join-"


@contextmanager
def scratch_directory() -> Iterator[Path]:
    """Make a temporary folder; remove it, and those of killed processes."""
    remove_abandoned()
    folder = Path(mkdtemp(prefix=PREFIX))
    descriptor = _lock(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def remove_abandoned() -> None:
    """Remove the temporary folders of this user whose process has ended: their locks ended with it."""
    if sys.platform == "win32":
        return
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
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
