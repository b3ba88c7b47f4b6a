"""An edit to the disk: written beside the file and renamed into place, so that the file is whole at any time."""

import os
from contextlib import suppress
from pathlib import Path

from statuary.editing.file_edit import FileEdit


class EditWriteError(Exception):
    """An edit that was judged well could not be written; the file is as it was.

    Attributes:
        remedy: what to do.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def write_edit(root: Path, edit: FileEdit) -> Path:
    """Write an edit beside the file and rename it into place; return the file.

    Its permissions stay, and a symbolic link stays one.

    Raises:
        EditNotWritten: if the file is no longer as it was read, or the disk refuses.
    """
    file = (root / edit.path).resolve()
    beside = file.with_name(f".{file.name}.{os.getpid()}.edited")
    try:
        _check_unchanged(file, edit)
        file.parent.mkdir(parents=True, exist_ok=True)
        _write(beside, edit.after.encode("utf-8"), like=file)
        beside.replace(file)
    except OSError as error:
        raise EditWriteError(
            f"{file} cannot be written: {error.strerror}", "mend the cause, and repeat"
        ) from None
    finally:
        with suppress(OSError):
            beside.unlink()
    return file


def _check_unchanged(file: Path, edit: FileEdit) -> None:
    found = file.read_bytes() if file.exists() else None
    if found != (None if edit.before is None else edit.before.encode("utf-8")):
        raise EditWriteError(f"{file} has been changed meanwhile", "repeat the command")


def _write(file: Path, body: bytes, like: Path) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with os.fdopen(descriptor, "wb") as stream:
        if like.exists():
            os.fchmod(descriptor, like.stat().st_mode & 0o7777)
        stream.write(body)
        stream.flush()
        os.fsync(descriptor)
