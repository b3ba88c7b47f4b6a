"""Writing whole files, never through a link; and locks of folders."""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import IO

from statuary.base.files import PublishingError
from statuary.system.files import NotRegularFileError

if sys.platform != "win32":
    import fcntl

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
"""Flags for a file that must not exist: a link at its path is an error too."""


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` when the block ends.

    The temporary file is on disk before it replaces the old file. If the block raises, the old file stays.

    Raises:
        PublishingError: if the file cannot be written.
    """
    temporary_file = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
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


def replace_file(path: Path, body: bytes) -> None:
    """Write a file, and replace an existing file at the path.

    Args:
        path: the path; missing folders are created.
        body: the bytes of the new file.

    Raises:
        PublishingError: if the file cannot be written.
    """
    with atomic_file(path) as stream:
        stream.write(body)


def create_file(path: Path | str, body: bytes, *, mode: int = 0o666) -> int:
    """Write a new file, or remove it if it cannot be completed.

    Args:
        path: the path of the file, at which there must be nothing.
        body: the bytes of the file.
        mode: the permissions of the file, such as 0o644.

    Returns:
        The modification time of the file, in nanoseconds.

    Raises:
        FileExistsError: if there is anything at the path.
        OSError: if the file cannot be written.
    """
    descriptor = os.open(path, NEW_FILE, mode)
    try:
        written_bytes = os.write(descriptor, body)
        while written_bytes < len(body):
            written_bytes += os.write(descriptor, memoryview(body)[written_bytes:])
        return os.fstat(descriptor).st_mtime_ns
    except BaseException:
        with suppress(OSError):
            Path(path).unlink()
        raise
    finally:
        os.close(descriptor)


def append_to_file(path: Path, body: bytes) -> None:
    """Append bytes to a file in one step.

    Args:
        path: the path of the file, which is created if it does not exist.

    Raises:
        OSError: if the file cannot be written, or is not a regular file.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), 0o666)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotRegularFileError(path)
        os.write(descriptor, body)
    finally:
        os.close(descriptor)


def sync_file(path: Path | str) -> None:
    """Wait until a file is safely on disk.

    On a network file system, other machines then see the file too.

    Raises:
        OSError: if the file cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file_system(folder: Path) -> None:
    """Wait until everything on a file system is on disk, if possible.

    Args:
        folder: any folder on the file system.
    """
    from ctypes import CDLL  # noqa: PLC0415 - ten milliseconds that builds without changes do without

    system = CDLL(None) if os.name != "nt" else None
    if system is not None and hasattr(system, "syncfs"):
        descriptor = os.open(folder, os.O_RDONLY)
        system.syncfs(descriptor)
        os.close(descriptor)
    elif hasattr(os, "sync"):
        os.sync()


class PeriodicSync:
    """Writes the changes of a file system to disk twice a second, until it is stopped.

    The disk then works during a build, and the wait at its end is short: on ext4, the first build of 20,000
    contracts takes about an eighth less time (`tests/benchmarks/records_against_generators.py`).
    """

    def __init__(self, folder: Path, *, seconds: float = 0.5) -> None:
        """Start the thread that writes.

        Args:
            folder: any folder on the file system.
            seconds: the time between two writes.
        """
        self._is_stopped = Event()
        self.thread = Thread(target=self._run, args=(folder, seconds), daemon=True)
        self.thread.start()

    def _run(self, folder: Path, seconds: float) -> None:
        with suppress(OSError):  # the build itself reports a folder that cannot be opened
            while not self._is_stopped.wait(seconds):
                sync_file_system(folder)

    def stop(self) -> None:
        """End the thread, without waiting for the disk."""
        self._is_stopped.set()


def lock_folder(folder: Path, *, blocking: bool = True) -> int | None:
    """Lock a folder until the returned descriptor is closed.

    Args:
        blocking: whether to wait for another process that has locked the folder.

    Returns:
        The descriptor, or None if another process has the lock, or the system cannot lock folders.

    Raises:
        OSError: if the folder cannot be opened, or locked at all.
    """
    if sys.platform == "win32":
        return None
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if blocking else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def lock_stream(stream: IO[bytes], *, blocking: bool = True) -> None:
    """Lock an open file until it is closed.

    Args:
        blocking: whether to wait for another process that has locked the file.

    Raises:
        OSError: if another process has locked the file, or the system has no such locks.
    """
    if sys.platform == "win32":
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    fcntl.flock(stream, fcntl.LOCK_EX | (0 if blocking else fcntl.LOCK_NB))
