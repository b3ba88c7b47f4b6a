"""Reading files: the content's, those that options name, and our own.

A file is opened without waiting for its writer, and is read only if it is a regular file: a FIFO would hang the
command, and a device has no end. A file of the content is opened name by name below its folder, so that no link and no
`..` leads out of it. Every error is an OSError whose reason quotes nothing of the file.
"""

import errno
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple, cast

MAX_FILE = 256 << 20
"""Bytes of a file where a caller names no other limit."""

LINK_ERRORS = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)
"""Error numbers of systems that refuse to follow a link."""

# With O_NONBLOCK, opening a FIFO returns at once instead of waiting for a writer.
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
FILE = READ | getattr(os, "O_NOFOLLOW", 0)
TOP = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
FOLDER = TOP | getattr(os, "O_NOFOLLOW", 0)


class NotRegularFileError(OSError):
    """Something is not a regular file."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(errno.EINVAL, "it is not a regular file", str(path))


class OutsideFolderError(OSError):
    """A link leads out of a folder, or to a hidden file."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(errno.ELOOP, "a symbolic link leads out of the folder", str(path))


class TooLargeError(OSError):
    """A file has more bytes than a limit."""

    def __init__(self, path: Path | str, limit: int, size: int) -> None:
        super().__init__(errno.EFBIG, f"it has more than {limit:,} bytes", str(path))
        self.size = size  # the size in bytes; for a pipe, the bytes that were read


def open_below(root: Path | str, path: str, *, links: bool = False) -> int:
    """Open a regular file within a folder.

    Each folder on the path is opened in turn. So if a file or folder is replaced after it was listed, the new
    one is checked too.

    Args:
        root: the folder.
        path: the path within the folder.
        links: whether to follow a symbolic link, whose target must be in the folder and not hidden.

    Returns:
        The file descriptor.

    Raises:
        OutsideFolderError: if a symbolic link on the path may not be followed.
        NotRegularFileError: if there is no regular file at the path.
        OSError: if the file cannot be opened.
        ValueError: if no file can have this name.
    """
    top, below = _split_at_link_root(str(root), path)
    try:
        descriptor = _open_names(top, below)
    except OSError as error:
        if error.errno not in LINK_ERRORS:
            raise
        real_top = os.path.realpath(top)
        target = os.path.realpath(f"{top}/{below}")
        if not links or not is_visible_below(Path(target), Path(real_top)):
            raise OutsideFolderError(path) from None
        descriptor = _open_names(real_top, Path(target).relative_to(real_top).as_posix())
    return _require_regular(descriptor, path)


def read_below(root: Path | str, path: str, limit: int) -> bytes:
    """Read a regular file in a folder, without following symbolic links.

    Args:
        root: the folder.
        path: the path of the file, relative to the folder.
        limit: the maximum number of bytes.

    Raises:
        OSError: if the file cannot be read, or is larger than the limit.
        ValueError: if no file can have this name.
    """
    return read_descriptor(open_below(root, path), path, limit)


class _ContainedPath(NamedTuple):
    """A path, and the folder that symbolic links on it must stay in."""

    top: str
    below: str


def _split_at_link_root(root: str, path: str) -> _ContainedPath:
    """Split a path into the folder that symbolic links must stay in, and the rest.

    For a path in the content folder, this is the content folder. For `../lib/a.sol` it is `../lib`.
    """
    if ".." not in path:
        return _ContainedPath(root, path)
    names = os.path.normpath(path).replace("\\", "/").split("/")
    up = next((number for number, name in enumerate(names) if name != ".."), len(names))
    if up in (0, len(names) - 1):
        return _ContainedPath("/".join([root, *names[:up]]), "/".join(names[up:]))
    return _ContainedPath("/".join([root, *names[: up + 1]]), "/".join(names[up + 1 :]))


class OpenFolder:
    """Opens regular files within a folder, as `open_below` does.

    The inner folder of the last file stays open, so that opening the next file in it takes one system call. If
    somebody replaces that folder meanwhile, files of the old folder are opened, which was already checked.
    """

    def __init__(self, root: Path | str) -> None:
        self._root = str(root)
        self._folder = ""  # the path of the open folder within the root
        self._descriptor: int | None = None

    def open_file(self, path: str, *, links: bool = False) -> int:
        """Open a file below this folder, and return its file descriptor.

        The errors are those of `open_below`.

        Args:
            path: the path, relative to the folder.
            links: whether to follow a symbolic link, whose target must be in the folder and not hidden.
        """
        folder, _, name = path.rpartition("/")
        if not folder or ".." in path or os.open not in os.supports_dir_fd:
            return open_below(self._root, path, links=links)
        try:
            if self._descriptor is None or folder != self._folder:
                self.close()
                self._descriptor = _open_folders(self._root, folder.split("/"))
                self._folder = folder
            descriptor = os.open(name, FILE, dir_fd=self._descriptor)
        except OSError as error:
            if error.errno not in (errno.ENOENT, *LINK_ERRORS):
                raise
            return open_below(self._root, path, links=links)
        return _require_regular(descriptor, path)

    def read_together(self, paths: Sequence[str], limit: int) -> list[bytes | None]:
        """Read several files, all of which the disk fetches at the same time.

        Args:
            paths: the paths of a few files, relative to the folder.
            limit: the maximum size of a file in bytes.

        Returns:
            The bytes of each file; None for a file that cannot be read.
        """
        descriptors = [self._start_reading(path) for path in paths]
        bodies = list[bytes | None]()
        for path, descriptor in zip(paths, descriptors, strict=True):
            body = None
            with suppress(OSError):
                body = None if descriptor is None else read_descriptor(descriptor, path, limit)
            bodies.append(body)
        return bodies

    def _start_reading(self, path: str) -> int | None:
        try:
            descriptor = self.open_file(path)
        except OSError:
            return None
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_WILLNEED)
        return descriptor

    def close(self) -> None:
        """Close the last folder that was opened, if any."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _open_folders(root: str, folders: Sequence[str]) -> int:
    above = os.open(root, TOP)
    for folder in folders:
        try:
            inner = os.open(folder, FOLDER, dir_fd=above)
        finally:
            os.close(above)
        above = inner
    return above


def _open_names(root: str, path: str) -> int:
    if os.open not in os.supports_dir_fd:
        if os.path.realpath(f"{root}/{path}") != os.path.join(  # noqa: PTH118 - the others are strings
            os.path.realpath(root), os.path.normpath(path)
        ):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return os.open(f"{root}/{path}", FILE)
    *folders, name = path.split("/")
    above = _open_folders(root, folders)
    try:
        return os.open(name, FILE, dir_fd=above)
    finally:
        os.close(above)


def is_visible_below(file: Path, folder: Path) -> bool:
    """Return whether a file is in a folder and not hidden.

    Names that begin with a dot are hidden, and so is everything in a hidden folder.
    """
    if not file.is_relative_to(folder):
        return False
    return not any(name.startswith(".") for name in file.relative_to(folder).parts)


def open_file(file: Path | str, *, buffering: int = -1) -> BufferedReader:
    """Open a regular file.

    Raises:
        NotRegularFileError: if there is something else at the path, such as a folder or a device.
        OSError: if the file cannot be opened.
    """
    return open_descriptor(_require_regular(os.open(file, READ), file), buffering=buffering)


def open_descriptor(descriptor: int, *, buffering: int = -1) -> BufferedReader:
    """Return a binary stream that reads a file descriptor and closes it.

    Args:
        buffering: the size of the buffer in bytes; -1 for Python's default.
    """
    return cast("BufferedReader", os.fdopen(descriptor, "rb", buffering))


def read_file(file: Path | str, limit: int = MAX_FILE) -> bytes:
    """Read a regular file.

    Raises:
        OSError: if the file cannot be read, or has more than `limit` bytes.
    """
    return read_descriptor(_require_regular(os.open(file, READ), file), file, limit)


def read_text(file: Path | str, limit: int = MAX_FILE) -> str:
    """Read a regular file as UTF-8.

    Raises:
        OSError: if the file cannot be read, or has more than `limit` bytes.
        UnicodeDecodeError: if the file is not UTF-8.
    """
    return read_file(file, limit).decode("utf-8")


def read_named_file(file: Path, limit: int) -> bytes:
    """Read a file or pipe that the user named in an option.

    Args:
        file: the file, or a pipe such as that of `<(command)` in a shell.
        limit: the maximum number of bytes.

    Raises:
        OSError: if the file cannot be read, or is larger than the limit.
    """
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0))
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return read_descriptor(descriptor, file, limit)
    with open_descriptor(descriptor) as stream:
        body = stream.read(limit + 1)
    if len(body) > limit:
        raise TooLargeError(file, limit, len(body))
    return body


def read_start(file: Path, size: int) -> bytes:
    """Read the first bytes of a regular file.

    Args:
        size: the maximum number of bytes.

    Raises:
        OSError: if the file cannot be read.
    """
    with open_file(file) as stream:
        return stream.read(size)


def read_descriptor(descriptor: int, path: Path | str, limit: int) -> bytes:
    """Read an open regular file to the end, and close it.

    Args:
        descriptor: the file descriptor.
        path: the path of the file, for errors.
        limit: the maximum size of the file in bytes.

    Raises:
        TooLargeError: if the file has more than `limit` bytes.
        OSError: if the file cannot be read.
    """
    try:
        size = os.fstat(descriptor).st_size
        if size > limit:
            raise TooLargeError(path, limit, size)
        # Ask for exactly as many bytes as the file has, because allocating a larger buffer takes longer than
        # reading a small file.
        parts = []
        while size > 0 and (part := os.read(descriptor, size)):
            parts.append(part)
            size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)
    finally:
        os.close(descriptor)


def _require_regular(descriptor: int, path: Path | str) -> int:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotRegularFileError(path)
    return descriptor
