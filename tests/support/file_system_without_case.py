"""A file system that ignores the case of names and keeps it, as those of macOS and Windows do; Linux only.

python tests/support/file_system_without_case.py FOLDER MOUNTPOINT [--no-links]

What is below the mount point is stored in the folder. `PYTHONPATH` must lead to mfusepy.
"""

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, Popen, run
from time import monotonic, sleep
from typing import Any

import pytest

from support.requirements import CHECKOUT, absent

MODULES = CHECKOUT / ".fuse"
INSTALL = ".ci/install-fuse"
LONGEST_START = 30.0


@contextmanager
def mounted(folder: Path, *, links: bool = True) -> Iterator[Path]:
    """Mount such a file system in a folder, with or without hard links; give the mount point."""
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("/dev/fuse is absent or closed: the machine lets nobody mount a file system here")
    if not (MODULES / "mfusepy.py").is_file():
        absent(f"mfusepy in {MODULES}", INSTALL)
    stored, point = folder / "stored", folder / "mounted"
    stored.mkdir(parents=True)
    point.mkdir()
    command = [sys.executable, __file__, str(stored), str(point), *([] if links else ["--no-links"])]
    paths = os.pathsep.join((str(MODULES), str(Path(__file__).parents[1])))
    with Popen(command, env=os.environ | {"PYTHONPATH": paths}, stdout=DEVNULL, stderr=DEVNULL) as program:
        try:
            end = monotonic() + LONGEST_START
            while not os.path.ismount(point):
                assert program.poll() is None, "the file system could not be mounted"
                assert monotonic() < end
                sleep(0.02)
            yield point
        finally:
            run(["fusermount", "-u", "-z", point], check=False)
            program.terminate()


def _serve(stored: str, point: str, *, links: bool) -> None:
    from mfusepy import FUSE, FuseOSError, Operations

    def call(function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except OSError as error:
            raise FuseOSError(error.errno) from None

    def real(path: str) -> str:
        """Return the stored path of a name in any case."""
        current = stored
        for part in filter(None, path.split("/")):
            exact = f"{current}/{part}"
            names = () if os.path.lexists(exact) else listed(current)
            current = next((f"{current}/{one}" for one in names if one.casefold() == part.casefold()), exact)
        return current

    def listed(folder: str) -> list[str]:
        try:
            return os.listdir(folder)
        except OSError:
            return []

    def fields(values: Any, prefix: str) -> dict[str, Any]:
        return {name: getattr(values, name) for name in dir(values) if name.startswith(prefix)}

    class IgnoringCase(Operations):
        def getattr(self, path, fh=None):
            # inodes are FUSE's own
            return {k: v for k, v in fields(call(os.lstat, real(path)), "st_").items() if k in STAT}

        def readdir(self, path, fh):
            return [".", "..", *call(os.listdir, real(path))]

        def readlink(self, path):
            return call(os.readlink, real(path))

        def mkdir(self, path, mode):
            return call(os.mkdir, real(path), mode)

        def rmdir(self, path):
            return call(os.rmdir, real(path))

        def unlink(self, path):
            return call(os.unlink, real(path))

        def symlink(self, target, source):
            return call(os.symlink, source, real(target))

        def rename(self, old, new):
            return call(os.rename, real(old), real(new))

        def link(self, target, source):
            if not links:
                raise FuseOSError(errno.EPERM)
            return call(os.link, real(source), real(target))

        def chmod(self, path, mode):
            return call(os.chmod, real(path), mode)

        def utimens(self, path, times=None):
            return call(os.utime, real(path), times)

        def statfs(self, path):
            return {k: v for k, v in fields(call(os.statvfs, real(path)), "f_").items() if k != "f_fsid"}

        def open(self, path, flags):
            return call(os.open, real(path), flags)

        def create(self, path, mode, fi=None):
            return call(os.open, real(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

        def read(self, path, size, offset, fh):
            return call(os.pread, fh, size, offset)

        def write(self, path, data, offset, fh):
            return call(os.pwrite, fh, data, offset)

        def truncate(self, path, length, fh=None):
            return call(os.truncate, real(path), length)

        def release(self, path, fh):
            return call(os.close, fh)

        def fsync(self, path, datasync, fh):
            return call(os.fsync, fh)

    FUSE(IgnoringCase(), point, foreground=True, nothreads=True)


STAT = ("st_atime", "st_ctime", "st_gid", "st_mode", "st_mtime", "st_nlink", "st_size", "st_uid")

if __name__ == "__main__":
    _serve(sys.argv[1], sys.argv[2], links="--no-links" not in sys.argv)
