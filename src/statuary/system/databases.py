"""Databases: our own, those of other programs, and temporary ones.

A database is a regular file: to open a FIFO would wait for its writer. What only reads a database can neither write it
nor call functions that its own views and triggers name.
"""

import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from statuary.base.optional import import_optional

Database = sqlite3.Connection

PAGE_SIZE = 16_384
"""Bytes of a page of a new database: each is read and written by one call of the system."""

CACHE = 16_384
"""KiB of a temporary database that stay in memory."""

STEPS_BETWEEN_COUNTS = 10_000
"""Instructions of SQLite's virtual machine between two calls of the counter."""

MAX_DATABASE_STEPS = 50_000_000
"""Instructions for all queries of a connection to a foreign database: a row of a table takes some twenty."""

MAX_VALUE = 64 << 20
"""Bytes of a value or a row of a foreign database."""


def open_temporary_database(schema: str) -> sqlite3.Connection:
    """Open an SQLite database that is deleted when it is closed.

    Data that fits in its cache is never written to disk.

    Args:
        schema: the SQL that creates its tables.
    """
    connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    settings = f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-{CACHE}"
    connection.executescript(f"{settings}; {schema}; BEGIN")
    return connection


def open_database(file: Path | None, *, wait: float = 5.0) -> sqlite3.Connection:
    """Open an SQLite database, or create it.

    The connection begins and ends no transaction by itself.

    Args:
        file: the path of the database; None makes a temporary one.
        wait: seconds to wait for another process that has locked the database.

    Raises:
        sqlite3.Error: if the database cannot be opened, or is not a regular file.
    """
    if file is not None and os.path.lexists(file):
        _require_database_file(file)
    connection = sqlite3.connect(file or "", timeout=wait, isolation_level=None)
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    return connection


def open_read_only_database(
    file: Path, *, wait: float = 5.0, immutable: bool = False, any_thread: bool = False
) -> sqlite3.Connection:
    """Open one of statuary's own SQLite databases for reading.

    Args:
        file: the path of the database.
        wait: seconds to wait for another process that has locked the database.
        immutable: whether nobody writes the database meanwhile, so that no lock is needed.
        any_thread: whether other threads may use the connection, too, one at a time.

    Raises:
        sqlite3.Error: if the database cannot be opened, or is not a regular file.
    """
    _require_database_file(file)
    mode = "immutable=1" if immutable else "mode=ro"
    uri = f"{file.absolute().as_uri()}?{mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=wait, check_same_thread=not any_thread)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def open_untrusted_database(file: Path) -> sqlite3.Connection:
    """Open an untrusted SQLite database, which another program wrote.

    A query that takes too many steps, or makes too large a value, ends with an error.

    Raises:
        sqlite3.Error: if the database cannot be opened, or is not a regular file.
    """
    connection = open_read_only_database(file)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
    connection.set_progress_handler(_step_counter(), STEPS_BETWEEN_COUNTS)
    connection.row_factory = sqlite3.Row
    return connection


def _require_database_file(file: Path) -> None:
    try:
        mode = file.stat().st_mode
    except OSError:
        return  # SQLite reports the error when it opens the file
    if not stat.S_ISREG(mode):
        raise sqlite3.DatabaseError("it is not a regular file")


def _step_counter() -> Callable[[], int]:
    """Return a function that SQLite calls, to end a query after too many steps."""
    steps = 0

    def count_step() -> int:
        nonlocal steps
        steps += STEPS_BETWEEN_COUNTS
        return int(steps > MAX_DATABASE_STEPS)

    return count_step


def open_duckdb(file: Path | None, *, scratch: Path, memory: int, threads: int) -> Any:
    """Open DuckDB, which reads Parquet files, with limited memory and threads.

    Args:
        file: the path of DuckDB's database; None keeps the database in memory.
        scratch: the folder for data that does not fit in memory.
        memory: the limit of memory in bytes.
        threads: the number of threads.

    Raises:
        MissingExtraError: if DuckDB is not installed.
    """
    duckdb = import_optional("duckdb", extra="parquet", purpose="the tables of an export")
    settings = {
        "memory_limit": f"{memory}B",
        "threads": threads,
        "temp_directory": str(scratch),
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
    }
    return duckdb.connect(":memory:" if file is None else str(file), config=settings)
