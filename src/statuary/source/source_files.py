"""The files of the content folder on disk, and their text."""

import errno
import os
import stat
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from statuary.base.findings import Finding, Position
from statuary.base.limits import MAX_FOLDERS
from statuary.source.remote_files import is_remote, remote_files
from statuary.source.unreadable import BeyondLimitError, UnreadableError


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the content folder."""

    root: Path
    path: str  # relative to it, with forward slashes; or the URL of an object

    @property
    def pure(self) -> PurePosixPath:
        """The path as parts."""
        return PurePosixPath(self.path)

    def bytes(self, limit: int) -> bytes:
        """Read the file's bytes.

        Raises:
            UnreadableError: if it has more than `limit` bytes or cannot be read.
        """
        if is_remote(self.path):
            return remote_files(self.path).read(self.path, limit)
        try:
            return _read_whole(open_source(self.root, self.path), limit)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise UnreadableError(f"cannot read the file: {reason}") from None

    def text(self, limit: int) -> str:
        """Read the file as UTF-8.

        Raises:
            UnreadableError: if it is not UTF-8, has more than `limit` bytes or cannot be read.
        """
        return decode_utf8(self.bytes(limit))


def _read_whole(descriptor: int, limit: int) -> bytes:
    try:
        size = os.fstat(descriptor).st_size
        if size > limit:
            raise BeyondLimitError(f"the file has {size:,} bytes; the limit is {limit:,}", "split the file")
        # a buffer of exactly the size: a larger one costs more than reading
        parts = []
        while size > 0 and (part := os.read(descriptor, size)):
            parts.append(part)
            size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)
    finally:
        os.close(descriptor)


# otherwise opening a FIFO waits for a writer
FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
TOP = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
FOLDER = TOP | getattr(os, "O_NOFOLLOW", 0)

LINK_ERRORS = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)
"""Error numbers of systems that refuse to follow a link."""

OUTSIDE = "the symbolic link leads to a hidden file or out of the content folder"
COPY = "copy the file into the content folder"


def open_source(root: Path | str, path: str, *, links: bool = True) -> int:
    """Open a regular file below the content folder, or of a source beside it.

    A symbolic link is followed if its target could be read at its own path. Each name of a path is opened in
    turn, so a file or folder that was replaced after it was listed is checked in the same way.

    Args:
        links: whether any link is followed.

    Returns:
        The file descriptor.

    Raises:
        UnreadableError: if it is not a regular file, or is behind a link that is not followed.
        OSError: if it cannot be opened.
        ValueError: if no file can have this name.
    """
    top, below = _contained_path(str(root), path)
    try:
        descriptor = _open_below(top, below)
    except OSError as error:
        if error.errno not in LINK_ERRORS:
            raise
        real_top, target = os.path.realpath(top), os.path.realpath(f"{top}/{below}")
        if not links or not _is_visible_below(Path(target), Path(real_top)):
            raise UnreadableError(OUTSIDE, COPY, rule="outside-content") from None
        descriptor = _open_below(real_top, Path(target).relative_to(real_top).as_posix())
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableError("this is not a regular file", "replace it with a file")
    return descriptor


class _ContainedPath(NamedTuple):
    """A path, and the folder that links must stay in."""

    top: str
    below: str


def _contained_path(root: str, path: str) -> _ContainedPath:
    """Return a path below the folder that links must stay in.

    For a source beside the content, the folder is the first name other than `..`.
    """
    if ".." not in path:
        return _ContainedPath(root, path)
    names = os.path.normpath(path).replace("\\", "/").split("/")
    up = next((number for number, name in enumerate(names) if name != ".."), len(names))
    if up in (0, len(names) - 1):
        return _ContainedPath("/".join([root, *names[:up]]), "/".join(names[up:]))
    return _ContainedPath("/".join([root, *names[: up + 1]]), "/".join(names[up + 1 :]))


def _open_below(top: str, path: str) -> int:
    if os.open not in os.supports_dir_fd:
        if os.path.realpath(f"{top}/{path}") != os.path.join(os.path.realpath(top), os.path.normpath(path)):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return os.open(f"{top}/{path}", FILE)
    *folders, name = path.split("/")
    above = os.open(top, TOP)
    try:
        for folder in folders:
            inner = os.open(folder, FOLDER, dir_fd=above)
            os.close(above)
            above = inner
        return os.open(name, FILE, dir_fd=above)
    finally:
        os.close(above)


def decode_utf8(raw: bytes) -> str:
    """Decode UTF-8 without its byte order mark.

    Raises:
        UnreadableError: if it is not UTF-8.
    """
    raw = raw.removeprefix(BOM_UTF8)
    if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise UnreadableError("the file is UTF-16", "save it as UTF-8")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        valid_bytes = raw[: error.start]
        line = valid_bytes.count(b"\n") + 1
        column = len(valid_bytes[valid_bytes.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        raise UnreadableError(
            f"byte 0x{raw[error.start]:02x} is not UTF-8", "save the file as UTF-8", Position(line, column)
        ) from None


def walk_folder(root: Path, without: Container[str] = ()) -> Iterator[SourceFile | Finding]:
    """Yield every file below the content folder, in the order of paths.

    A symbolic link that leads out of the content folder, or to a hidden file such as `.git/config`, becomes a
    finding instead.

    Args:
        without: names directly in the content folder that are skipped.
    """
    yield from _walk(root, root.resolve(), "", without)


def walk_path(root: Path, path: str) -> Iterator[SourceFile | Finding]:
    """Yield the file at a path, or the files below it, as `walk_folder` does."""
    full, real_root = root / path, root.resolve()
    if full.is_symlink() and not _stays_inside(full, real_root):
        yield _leads_out(path, full)
    elif full.is_dir() and not full.is_symlink():
        yield from _walk(root, real_root, path, ())
    else:
        yield SourceFile(root, path) if full.is_file() else _not_a_file(path)


def _walk(root: Path, real_root: Path, below: str, without: Container[str]) -> Iterator[SourceFile | Finding]:
    if below.count("/") >= MAX_FOLDERS:
        yield Finding(
            rule="parse-error", path=below, message=f"folders nest deeper than {MAX_FOLDERS} levels"
        )
        return
    try:
        with os.scandir(root / below) as entries:
            folder_entries = sorted(
                (item for item in entries if item.name not in without), key=lambda entry: entry.name
            )
    except OSError as error:
        yield Finding(rule="parse-error", path=below, message=f"cannot read the folder: {error.strerror}")
        return
    for entry in folder_entries:
        path = f"{below}/{entry.name}" if below else entry.name
        if not is_utf8(entry.name):
            yield undecodable_name(path)
        elif not entry.is_dir(follow_symlinks=False):
            yield _file(root, real_root, path, entry)
        elif not entry.name.startswith("."):
            yield from _walk(root, real_root, path, ())


def _file(root: Path, real_root: Path, path: str, entry: "os.DirEntry[str]") -> SourceFile | Finding:
    if entry.is_symlink() and not _stays_inside(Path(entry.path), real_root):
        return _leads_out(path, Path(entry.path))
    return SourceFile(root, path) if entry.is_file() else _not_a_file(path)


def is_utf8(name: str) -> bool:
    """Return whether a file's name, as the operating system gives it, is UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def undecodable_name(path: str) -> Finding:
    """Return the finding about a path whose last name is not UTF-8."""
    escaped = os.fsencode(path).decode("utf-8", "backslashreplace")
    return Finding(
        rule="outside-content", path=escaped, message="the file name is not UTF-8", hint="rename the file"
    )


def _leads_out(path: str, link: Path) -> Finding:
    return Finding(
        rule="outside-content", path=path, message=f"{OUTSIDE}: {str(link.readlink())!r}", hint=COPY
    )


def _not_a_file(path: str) -> Finding:
    return Finding(
        rule="outside-content",
        path=path,
        message="this is neither a file nor a folder",
        hint="remove it from the content folder",
    )


def _stays_inside(link: Path, real_root: Path) -> bool:
    try:
        return _is_visible_below(link.resolve(strict=True), real_root)
    except (OSError, RuntimeError):
        return False


def _is_visible_below(file: Path, folder: Path) -> bool:
    if not file.is_relative_to(folder):
        return False
    return not any(name.startswith(".") for name in file.relative_to(folder).parts)
