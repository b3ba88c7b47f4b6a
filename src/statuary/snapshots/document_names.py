"""Valid document names in a snapshot: inside the site, and distinct files on every file system."""

import re
from collections.abc import Iterator
from contextlib import closing
from typing import Self

from statuary.domain.primitives import checksum_address
from statuary.publishing.errors import PublishingError
from statuary.publishing.folder_reader import PUBLISHED_HIDDEN_NAMES
from statuary.publishing.safe_path import OWN_FOLDER, checked_path, fold_case
from statuary.publishing.snapshot_paths import FOLDER
from statuary.publishing.temporary_database import temporary_database
from statuary.snapshots.errors import DamagedSnapshotError

NAME = "[0-9A-Za-z_](?:[0-9A-Za-z_.-]{0,100}[0-9A-Za-z_-])?"
PLAIN_PATH = re.compile(f"(?:{NAME}/){{0,10}}{NAME}")
"""Paths that need no further check: nearly all of them, and there may be millions."""


def document_path(path: str) -> str:
    """Return a path if a document of a snapshot may have it.

    Raises:
        DamagedSnapshotError: if it leaves the site, is hidden, is another name on some system, or is in the
            snapshot's own folder.
    """
    if PLAIN_PATH.fullmatch(path) and not fold_case(path).startswith(FOLDER):
        return path
    try:
        checked_path(path)
        path.encode("utf-8")
    except (PublishingError, UnicodeEncodeError):
        raise DamagedSnapshotError(f"{path!r} is not a path inside a site") from None
    names = path.split("/")
    if fold_case(names[0]) in (OWN_FOLDER, FOLDER) or any(map(_is_unwanted, names)):
        raise DamagedSnapshotError(f"{path!r} is not a path that a document may have")
    return path


def _is_unwanted(name: str) -> bool:
    """Return whether a name is hidden, or ends in dots or spaces, which Windows drops."""
    return (name.startswith(".") and name not in PUBLISHED_HIDDEN_NAMES) or name.endswith((".", " "))


ADDRESS = re.compile("0x[0-9a-fA-F]{40}")


def lower_case_address(path: str) -> str:
    """Return a path with its address in lower case; a path without an address is unchanged."""
    return ADDRESS.sub(lambda found: found[0].lower(), path, count=1)


def stored_names(path: str) -> Iterator[str]:
    """Yield the names under which a document with the name or alias `path` may be stored, likeliest first."""
    found = ADDRESS.search(path)
    if found is not None and found[0].islower():
        yield path.replace(found[0], checksum_address(found[0]), 1)
    yield path


class NameTable:
    """The names taken so far, on disk."""

    def __init__(self) -> None:
        self.connection = temporary_database(
            "CREATE TABLE names (folded TEXT PRIMARY KEY, written TEXT, is_folder INTEGER) WITHOUT ROWID"
        )
        self.last_folder = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Delete the table."""
        self.connection.close()

    def claim(self, path: str) -> None:
        """Add the name of a file; raise DamagedSnapshotError if a file or folder has it, in any case."""
        folder = path.rpartition("/")[0]
        if folder != self.last_folder:
            self._claim_folders(folder)
            self.last_folder = folder
        taken = self._take(path, is_folder=False)
        if taken is not None:
            raise _clash(path, taken)

    def _claim_folders(self, folder: str) -> None:
        """Add the names of a folder and of its parents."""
        while folder:
            taken = self._take(folder, is_folder=True)
            if taken is not None and not taken[1]:
                raise _clash(folder, taken)
            if taken is not None:
                return
            folder = folder.rpartition("/")[0]

    def _take(self, name: str, *, is_folder: bool) -> tuple[str, bool] | None:
        """Add a name; return the present owner if there is one, and whether it is a folder."""
        row = (fold_case(name), name, is_folder)
        if self.connection.execute("INSERT OR IGNORE INTO names VALUES (?,?,?)", row).rowcount:
            return None
        query = "SELECT written, is_folder FROM names WHERE folded = ?"
        with closing(self.connection.execute(query, row[:1])) as found:
            written, taken_by_folder = found.fetchone()
        return str(written), bool(taken_by_folder)


def _clash(path: str, taken: tuple[str, bool]) -> DamagedSnapshotError:
    other, is_folder = taken
    if path != other:
        return DamagedSnapshotError(
            f"{path} and {other} differ only in case: on many systems they are one file"
        )
    what = "is a file and a folder" if is_folder else "is listed twice, or is a file and a folder"
    return DamagedSnapshotError(f"{path} {what}")
