"""SQLite's errors in plain words; setting a damaged ledger aside."""

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from statuary.publishing.errors import PublishingError


class DamagedLedgerError(PublishingError):
    """The ledger cannot be used and was set aside; the next build makes a new one."""


def database_error(error: Exception, file: Path) -> PublishingError:
    """Return an error of SQLite, or about a value that it returned, as an error about its file."""
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return PublishingError(f"the ledger {file} is in use: {error}", "wait for the other build")
    if name.startswith("SQLITE_FULL"):
        return PublishingError(
            f"no space is left for {file}; each published file is old or new",
            "free some space and run the command again",
        )
    if name.startswith(("SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_PERM")) or (
        name.startswith("SQLITE_CANTOPEN") and not file.is_dir()
    ):
        return PublishingError(
            f"cannot write {file}: {error}; each published file is old or new",
            "check the disk and the permissions of the folder, and run the command again",
        )
    return DamagedLedgerError(
        f"the ledger {file} is damaged: {error}; it was set aside",
        "run the build again; it makes a new ledger",
    )


def set_aside(file: Path) -> None:
    """Rename a damaged database, or whatever is at its path, to `<name>.damaged`."""
    damaged = file.with_name(f"{file.name}.damaged")
    with suppress(FileNotFoundError, NotADirectoryError):
        damaged.unlink() if not damaged.is_dir() else shutil.rmtree(damaged)
    with suppress(FileNotFoundError):
        os.replace(file, damaged)
    for ending in ("-journal", "-wal", "-shm"):
        file.with_name(file.name + ending).unlink(missing_ok=True)


def is_whole(file: Path, *, thoroughly: bool = False) -> bool:
    """Return whether a file is an SQLite database, or does not exist."""
    if not os.path.lexists(file):
        return True
    query = "PRAGMA quick_check(1)" if thoroughly else "SELECT 'ok' FROM (SELECT COUNT(*) FROM sqlite_master)"
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return bool(connection.execute(query).fetchall() == [("ok",)])
    except sqlite3.DatabaseError:
        return False
