"""SQLite databases of other programs, read with limits on steps and sizes."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

STEPS_BETWEEN_COUNTS = 10_000
"""Instructions of SQLite's virtual machine between two calls of the counter."""

MAX_STEPS = 50_000_000
"""Instructions for all queries of a connection: a row of a table takes some twenty."""

MAX_VALUE = 64 << 20
"""Bytes of a value or a row."""


def foreign_database(file: Path) -> sqlite3.Connection:
    """Open a database that another program wrote, and nobody has checked.

    Its own views, triggers and generated columns cannot call functions with side effects, and a query that
    takes too many steps ends with an error.

    Raises:
        sqlite3.Error: if it cannot be opened.
    """
    connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
    connection.set_progress_handler(_step_counter(), STEPS_BETWEEN_COUNTS)
    connection.row_factory = sqlite3.Row
    return connection


def _step_counter() -> Callable[[], int]:
    """Return a handler that interrupts the query once all steps are taken."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += STEPS_BETWEEN_COUNTS
        return int(steps > MAX_STEPS)

    return count
