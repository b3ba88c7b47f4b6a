"""A change to one file of the content folder, and writing it."""

import os
from codecs import BOM_UTF8
from pathlib import Path
from typing import NamedTuple

from statuary.editing.errors import EditError
from statuary.publishing.atomic_file import atomic_file


class FileEdit(NamedTuple):
    """The text of a file before and after an edit."""

    path: str  # relative to the content folder, with forward slashes
    before: str | None  # None if the edit creates the file
    after: str


def write_edit(root: Path, edit: FileEdit) -> Path:
    """Replace a file atomically and return its path; permissions and symbolic links are kept.

    Raises:
        EditError: if the file has changed since it was read.
        PublishingError: if it cannot be written; the file is unchanged.
    """
    file = (root / edit.path).resolve()
    mode = file.stat().st_mode & 0o7777 if file.exists() else None
    found = file.read_bytes() if file.exists() else None
    mark = BOM_UTF8 if found is not None and found.startswith(BOM_UTF8) else b""
    if found != (None if edit.before is None else mark + edit.before.encode("utf-8")):
        raise EditError(f"{file} has changed since it was read", "run the command again")
    with atomic_file(file) as stream:
        if mode is not None:
            os.fchmod(stream.fileno(), mode)
        stream.write(mark + edit.after.encode("utf-8"))
    return file
