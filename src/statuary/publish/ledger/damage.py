"""Damage of a ledger: one rule for its writer and readers.

A ledger is damaged if SQLite says so, or if its version, columns or notes are not those that this program
writes. A writer replaces it; a reader continues without it.
"""

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from statuary.base.files import PublishingError
from statuary.base.primitives import InvalidValueError, parse_instant
from statuary.publish.ledger.schema import EXPECTED_COLUMNS, SCHEMA_VERSION, SECTION_TABLES
from statuary.registry import load
from statuary.system.databases import open_read_only_database


class DamagedLedgerError(PublishingError):
    """The ledger, the database of published files, is damaged.

    A build that finds the damage renames the database file, and makes a new one.
    """

    def __init__(self, message: str, hint: str, file: Path) -> None:
        super().__init__(message, hint)
        self.file = file


def require_ledger(connection: sqlite3.Connection) -> None:
    """Check that an SQLite database was written by this version of statuary.

    Raises:
        sqlite3.DatabaseError: if the database has another version, unexpected columns, or values that no build
            stores.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != SCHEMA_VERSION:
        raise sqlite3.DatabaseError(
            f"the format has version {version}, but this version of statuary reads version {SCHEMA_VERSION}"
        )
    expected = dict(EXPECTED_COLUMNS)
    for target in SECTION_TABLES:
        expected |= load(target).columns
    for table, columns in expected.items():
        description = connection.execute(f"SELECT * FROM {table} LIMIT 0").description
        if tuple(name for name, *_ in description) != columns:
            raise sqlite3.DatabaseError(f"the table {table} has unexpected columns")
    for name, value in connection.execute("SELECT name, value FROM notes"):
        _require_meta_value(name, value)


def _require_meta_value(name: str, value: str) -> None:
    if name in ("run", "unfinished run") and not (value.isascii() and value.isdecimal()):
        raise sqlite3.DatabaseError(f"the value of the note {name!r} is not a number")
    if name == "instant":
        try:
            parse_instant(value)
        except InvalidValueError as error:
            raise sqlite3.DatabaseError(f"the value of the note {name!r} is invalid: {error}") from None


def ledger_writing_error(error: Exception, file: Path) -> PublishingError:
    """Convert SQLite's error about writing to the database of a site.

    Args:
        file: the ledger, the database of published files.

    Returns:
        An error about the disk or permissions, or about damage of the ledger.
    """
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_FULL"):
        return PublishingError(
            f"no space is left for {file}; no published file is damaged: each is complete, in its old or in its new version",
            "free some space and run the command again",
        )
    if name.startswith(("SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_PERM")) or (
        name.startswith("SQLITE_CANTOPEN") and not file.is_dir()
    ):
        return PublishingError(
            f"cannot write {file}: {error}; no published file is damaged: each is complete, in its old or in its new version",
            "check the disk and the permissions of the folder, and run the command again",
        )
    return _file_access_error(error, file) or DamagedLedgerError(
        f"the ledger {file} is damaged: {error}; it was renamed to {file.name}.damaged",
        "run the command again; it makes a new ledger",
        file,
    )


def ledger_reading_error(error: Exception, file: Path) -> PublishingError:
    """Convert SQLite's error about reading the database of a site.

    Args:
        file: the ledger, the database of published files.

    Returns:
        An error about the disk or permissions, or about damage of the ledger.
    """
    if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_IOERR", "SQLITE_PERM", "SQLITE_CANTOPEN")):
        return PublishingError(
            f"cannot read {file}: {error}", "check the disk and the permissions of the folder"
        )
    return _file_access_error(error, file) or DamagedLedgerError(
        f"the ledger {file} is damaged: {error}", "run `statuary build` again; it makes a new ledger", file
    )


def _file_access_error(error: Exception, file: Path) -> PublishingError | None:
    if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return PublishingError(f"the ledger {file} is in use: {error}", "wait for the other build")
    return None


def quarantine_ledger(file: Path) -> None:
    """Rename a damaged database to `<name>.damaged`, out of the way.

    The database is the ledger of published files. A folder or anything else at its path is renamed, too.

    Args:
        file: the path of the database.
    """
    damaged = file.with_name(f"{file.name}.damaged")
    with suppress(FileNotFoundError, NotADirectoryError):
        if damaged.is_dir():
            shutil.rmtree(damaged)
        else:
            damaged.unlink()
    with suppress(FileNotFoundError):
        os.replace(file, damaged)
    for ending in ("-journal", "-wal", "-shm"):
        file.with_name(file.name + ending).unlink(missing_ok=True)


def is_intact(file: Path, *, thoroughly: bool = False) -> bool:
    """Return whether a file is an undamaged SQLite database, or missing.

    Args:
        thoroughly: whether to check all pages of the database, not only its schema.
    """
    if not os.path.lexists(file):
        return True
    query = "PRAGMA quick_check(1)" if thoroughly else "SELECT 'ok' FROM (SELECT COUNT(*) FROM sqlite_master)"
    try:
        with closing(open_read_only_database(file)) as connection:
            return bool(connection.execute(query).fetchall() == [("ok",)])
    except sqlite3.DatabaseError:
        return False
