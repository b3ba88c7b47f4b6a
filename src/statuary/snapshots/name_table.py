"""Names that must not clash on any file system, in a table that lives on disk: there may be millions."""

import sqlite3
from contextlib import closing
from typing import Self

from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.snapshot_paths import fold_case


def temporary_database(schema: str) -> sqlite3.Connection:
    """Return a database in a file that vanishes with it; what fits in its cache is never written."""
    connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    settings = f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-{CACHE}"
    connection.executescript(f"{settings}; {schema}; BEGIN")
    return connection


CACHE = 16_384
"""KiB of a temporary database that are kept in memory."""


class NameTable:
    """The names taken so far."""

    def __init__(self) -> None:
        self.connection = temporary_database(
            "CREATE TABLE names (folded TEXT PRIMARY KEY, spelled TEXT, is_folder INTEGER) WITHOUT ROWID"
        )
        self.last_folder = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget the names."""
        self.connection.close()

    def claim(self, path: str) -> None:
        """Take a name for a file.

        Raises:
            SnapshotDamaged: if it is taken by a file whose name differs at most in case, or is a folder's.
        """
        folder = path.rpartition("/")[0]
        if folder != self.last_folder:
            self._claim_folders(folder)
            self.last_folder = folder
        taken = self._take(path, is_folder=False)
        if taken is not None:
            raise _clash(path, taken)

    def _claim_folders(self, folder: str) -> None:
        """Take the names of a folder and of those above it."""
        while folder:
            taken = self._take(folder, is_folder=True)
            if taken is not None and not taken[1]:
                raise _clash(folder, taken)
            if taken is not None:
                return
            folder = folder.rpartition("/")[0]

    def _take(self, name: str, *, is_folder: bool) -> tuple[str, bool] | None:
        """Take a name; return who has it already, and whether that is a folder."""
        row = (fold_case(name), name, is_folder)
        if self.connection.execute("INSERT OR IGNORE INTO names VALUES (?,?,?)", row).rowcount:
            return None
        query = "SELECT spelled, is_folder FROM names WHERE folded = ?"
        with closing(self.connection.execute(query, row[:1])) as found:
            spelled, taken_by_folder = found.fetchone()
        return str(spelled), bool(taken_by_folder)


def _clash(path: str, taken: tuple[str, bool]) -> DamagedSnapshotError:
    spelled, is_folder = taken
    if path == spelled:
        what = "is a file and a folder" if is_folder else "is there twice, or a file and a folder"
        return DamagedSnapshotError(f"{path} {what}")
    return DamagedSnapshotError(
        f"{path} and {spelled} differ in case alone: on many systems they are one file"
    )
