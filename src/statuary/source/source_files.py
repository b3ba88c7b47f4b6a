"""The files of the content folder on disk, and their text."""

import os
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from typing_extensions import override

from statuary.base.findings import Finding, Position
from statuary.base.limits import MAX_FOLDERS
from statuary.source.file_kinds import FileKind, match_pattern
from statuary.source.remote_files import is_remote, remote_files
from statuary.source.unreadable import BeyondLimitError, UnreadableError
from statuary.system.files import (
    NotRegularFileError,
    OpenFolder,
    OutsideFolderError,
    TooLargeError,
    is_visible_below,
    open_below,
    read_descriptor,
)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the content folder, or at the URL of a remote storage."""

    root: Path
    path: str  # relative to `root`, with forward slashes; or the URL of a remote file

    @property
    def pure_path(self) -> PurePosixPath:
        """The path of the file, as a `PurePosixPath`."""
        return PurePosixPath(self.path)

    def load_bytes(self, limit: int) -> bytes:
        """Read the file's bytes.

        Raises:
            UnreadableError: if the file has more than `limit` bytes or cannot be read.
        """
        if is_remote(self.path):
            return remote_files(self.path).read(self.path, limit)
        try:
            return read_descriptor(self._open_descriptor(), self.path, limit)
        except TooLargeError as error:
            raise BeyondLimitError(
                f"the file has {error.size:,} bytes; the limit is {limit:,}", "split the file"
            ) from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise UnreadableError(f"cannot read the file: {reason}") from None

    def _open_descriptor(self) -> int:
        return open_content_file(self.root, self.path)

    def load_text(self, limit: int) -> str:
        """Read the file as UTF-8.

        Raises:
            UnreadableError: if the file is not UTF-8, has more than `limit` bytes or cannot be read.
        """
        return decode_utf8(self.load_bytes(limit))


@dataclass(frozen=True, slots=True)
class ReadFile(SourceFile):
    """A file of the content folder whose bytes have been read already."""

    body: bytes

    @override
    def load_bytes(self, limit: int) -> bytes:
        return self.body


@dataclass(frozen=True, slots=True)
class UnusableFile(SourceFile):
    """A path in the content folder that cannot be read.

    For example, a link to a file outside the folder.
    """

    finding: Finding  # why it cannot be used

    @override
    def load_bytes(self, limit: int) -> bytes:
        raise UnreadableError(self.finding.message, self.finding.hint, rule=self.finding.rule)


@dataclass(frozen=True, slots=True)
class SiblingFile(SourceFile):
    """A file of the content folder whose folder may be open already.

    Opening the files of one folder in turn is then faster.
    """

    content: OpenFolder

    @override
    def _open_descriptor(self) -> int:
        return open_content_file(self.root, self.path, content=self.content)


OUTSIDE = "the symbolic link leads to a hidden file or out of the content folder"
COPY = "copy the file into the content folder"


def open_content_file(
    root: Path | str, path: str, *, links: bool = True, content: OpenFolder | None = None
) -> int:
    """Open a file of the content folder, or one that its path reaches with `..`.

    Args:
        root: the folder.
        path: the path of the file.
        links: whether to follow a symbolic link, whose target must be in the folder and not hidden.
        content: the content folder, if it is already open.

    Returns:
        The file descriptor.

    Raises:
        UnreadableError: if there is no regular file at the path, or a symbolic link on the path may not be
            followed.
        OSError: if the file cannot be opened.
        ValueError: if no file can have this name.
    """
    try:
        return (
            open_below(root, path, links=links) if content is None else content.open_file(path, links=links)
        )
    except OutsideFolderError:
        raise UnreadableError(OUTSIDE, COPY, rule="outside-content") from None
    except NotRegularFileError:
        raise UnreadableError(
            "the path is not a regular file, but perhaps a device or a pipe", "put a regular file there"
        ) from None


def decode_utf8(raw: bytes) -> str:
    """Decode UTF-8 without its byte order mark.

    Raises:
        UnreadableError: if the bytes are not UTF-8.
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


def walk_folder(root: Path, skipped_names: Container[str] = ()) -> Iterator[SourceFile | Finding]:
    """Yield every file in the content folder, sorted by path.

    A symbolic link that leads out of the content folder, or to a hidden file such as `.git/config`, becomes a
    finding instead.

    Args:
        root: the content folder.
        skipped_names: names directly in the content folder that are skipped.
    """
    yield from _walk_below(root, root.resolve(), "", skipped_names)


def walk_path(root: Path, path: str) -> Iterator[SourceFile | Finding]:
    """Yield the file at a path, or all files below a folder.

    A path that cannot be read, such as a link out of the content folder, becomes a finding instead.

    Args:
        root: the content folder.
        path: the path in the content folder.
    """
    full, real_root = root / path, root.resolve()
    if full.is_symlink() and not _is_inside(full, real_root):
        yield _outside_link_finding(path, full)
    elif full.is_dir() and not full.is_symlink():
        yield from _walk_below(root, real_root, path, ())
    else:
        yield SourceFile(root, path) if full.is_file() else _not_a_file_finding(path)


def _walk_below(
    root: Path, real_root: Path, folder: str, skipped_names: Container[str]
) -> Iterator[SourceFile | Finding]:
    finding = _unusable_folder_finding(folder)
    if finding is not None:
        yield finding
        return
    try:
        with os.scandir(root / folder) as entries:
            folder_entries = sorted(
                (item for item in entries if item.name not in skipped_names), key=lambda entry: entry.name
            )
    except OSError as error:
        yield Finding(
            rule="parse-error",
            path=folder,
            message=f"cannot read the folder: {error.strerror}",
            hint="check its permissions",
        )
        return
    for entry in folder_entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        if not is_utf8(entry.name):
            yield undecodable_name_finding(path)
        elif not entry.is_dir(follow_symlinks=False):
            yield _file_or_finding(root, real_root, path, entry)
        elif not entry.name.startswith("."):
            yield from _walk_below(root, real_root, path, ())


def _unusable_folder_finding(folder: str) -> Finding | None:
    if folder.count("/") >= MAX_FOLDERS:
        return Finding(
            rule="parse-error",
            path=folder,
            message=f"the folders are nested in more than {MAX_FOLDERS} levels",
            hint="move the folder up; nothing below it is read",
        )
    pattern = match_pattern(PurePosixPath(folder)) if folder else None
    if pattern is None or pattern.kind is FileKind.TABLE:  # some programs write a table as a folder
        return None
    return Finding(
        rule="parse-error",
        path=folder,
        message="a folder has the name of a file",
        hint="rename the folder, or put the file in its place",
    )


def _file_or_finding(
    root: Path, real_root: Path, path: str, entry: "os.DirEntry[str]"
) -> SourceFile | Finding:
    if entry.is_symlink() and not _is_inside(Path(entry.path), real_root):
        return _outside_link_finding(path, Path(entry.path))
    return SourceFile(root, path) if entry.is_file() else _not_a_file_finding(path)


def is_utf8(name: str) -> bool:
    """Return whether a file name from the disk was valid UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def undecodable_name_finding(path: str) -> Finding:
    """Return the error about a file whose name is not UTF-8.

    Args:
        path: the path, with the invalid bytes as Python decodes them (surrogates).
    """
    escaped = os.fsencode(path).decode("utf-8", "backslashreplace")
    return Finding(
        rule="outside-content", path=escaped, message="the file name is not UTF-8", hint="rename the file"
    )


def _outside_link_finding(path: str, link: Path) -> Finding:
    return Finding(
        rule="outside-content", path=path, message=f"{OUTSIDE}: {str(link.readlink())!r}", hint=COPY
    )


def _not_a_file_finding(path: str) -> Finding:
    return Finding(
        rule="outside-content",
        path=path,
        message="the entry is neither a file nor a folder",
        hint="remove it from the content folder",
    )


def _is_inside(link: Path, real_root: Path) -> bool:
    try:
        return is_visible_below(link.resolve(strict=True), real_root)
    except (OSError, RuntimeError):
        return False
