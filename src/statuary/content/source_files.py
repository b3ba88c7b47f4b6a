"""The content folder on disk: which files there are, and their text."""

import os
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from statuary.content.bulk.remote_objects import is_remote, read_remote
from statuary.content.unreadable import UnreadableError
from statuary.domain.findings import Finding, Position


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the content folder.

    Attributes:
        root: the content folder.
        path: relative to it, with forward slashes; or the URL of an object elsewhere.
    """

    root: Path
    path: str

    @property
    def pure(self) -> PurePosixPath:
        """The path as parts."""
        return PurePosixPath(self.path)

    def bytes(self, limit: int) -> bytes:
        """Return what the file holds.

        Raises:
            Unreadable: if it is larger than `limit` bytes or cannot be opened.
        """
        if is_remote(self.path):
            return read_remote(self.path, limit)
        try:
            descriptor = os.open(self.root / self.path, os.O_RDONLY)
        except OSError as error:
            raise UnreadableError(f"the file cannot be opened: {error.strerror}") from None
        try:
            size = os.fstat(descriptor).st_size
            if size > limit:
                raise UnreadableError(
                    f"the file has {size:,} bytes, more than {limit:,}", "split it, or check what it is"
                )
            return _whole(descriptor, size)
        except OSError as error:
            raise UnreadableError(f"the file cannot be read: {error.strerror}") from None
        finally:
            os.close(descriptor)

    def text(self, limit: int) -> str:
        """Return what the file holds, as text.

        Raises:
            Unreadable: if it is not UTF-8, begins with a byte order mark, or as `bytes`.
        """
        return decode_utf8(self.bytes(limit))


def _whole(descriptor: int, size: int) -> bytes:
    """Read `size` bytes; the buffer is exactly as large, since a larger one costs more than the reading."""
    parts = []
    while size > 0 and (part := os.read(descriptor, size)):
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def decode_utf8(raw: bytes) -> str:
    """Return UTF-8 bytes as text.

    Raises:
        Unreadable: with the place of the first byte that is not UTF-8, or of a byte order mark.
    """
    if raw.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableError("the file begins with a byte order mark", "save it as UTF-8 without BOM")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        raise UnreadableError(
            f"byte 0x{raw[error.start]:02x} is not UTF-8", "save the file as UTF-8", Position(line, column)
        ) from None


def walk_folder(root: Path, without: Container[str] = ()) -> Iterator[SourceFile | Finding]:
    """Yield every file under the content folder in the order of its path, and a finding for each trap.

    A symbolic link that leads out of the content folder is a trap: what it shows is not what is in git.

    Args:
        root: the content folder.
        without: names in the content folder itself that are not looked at.
    """
    yield from _walk(root, root.resolve(), "", without)


def walk_path(root: Path, path: str, within: Path | None = None) -> Iterator[SourceFile | Finding]:
    """Yield what stands at a path and below it, as `walk_folder` does.

    Args:
        root: the content folder.
        path: relative to it.
        within: the folder that links may not lead out of; the content folder if left out.
    """
    place, real_root = root / path, (root if within is None else within).resolve()
    if place.is_symlink() and not _stays_inside(place, real_root):
        yield _leads_out(path, place)
    elif place.is_dir() and not place.is_symlink():
        yield from _walk(root, real_root, path, ())
    else:
        yield SourceFile(root, path) if place.is_file() else _is_neither(path)


def _walk(root: Path, real_root: Path, below: str, without: Container[str]) -> Iterator[SourceFile | Finding]:
    with os.scandir(root / below) as entries:
        found = sorted((one for one in entries if one.name not in without), key=lambda entry: entry.name)
    for entry in found:
        path = f"{below}/{entry.name}" if below else entry.name
        if entry.is_symlink() and not _stays_inside(Path(entry.path), real_root):
            yield _leads_out(path, Path(entry.path))
        elif entry.is_dir(follow_symlinks=False):
            if not entry.name.startswith("."):
                yield from _walk(root, real_root, path, ())
        elif entry.is_file():
            yield SourceFile(root, path)
        elif entry.is_symlink() or not entry.is_dir():
            yield _is_neither(path)


def _leads_out(path: str, link: Path) -> Finding:
    return Finding(
        rule="inside-content",
        path=path,
        message=f"the symbolic link leads out of the content folder, to {str(link.readlink())!r}",
        hint="copy the file into the content folder",
    )


def _is_neither(path: str) -> Finding:
    return Finding(
        rule="inside-content",
        path=path,
        message="this is neither a file nor a folder",
        hint="remove it from the content folder",
    )


def _stays_inside(link: Path, real_root: Path) -> bool:
    try:
        return link.resolve(strict=True).is_relative_to(real_root)
    except (OSError, RuntimeError):
        return False
