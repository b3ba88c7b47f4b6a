"""Read a ledger without locking it."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from statuary.publishing.errors import PublishingError
from statuary.publishing.ledger.ledger import WAIT_FOR_OTHERS, read_entry_of
from statuary.publishing.ledger.rows import LedgerEntry

HELD = "digest, size, modified, sources, run"
EVERY_NAME = f"""
    WITH RECURSIVE further (name, rest, {HELD}) AS (
        SELECT NULL, aliases || char(10), {HELD} FROM documents WHERE aliases != ''
        UNION ALL
        SELECT substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1), {HELD}
        FROM further WHERE rest != ''
    )
    SELECT path, {HELD} FROM (
        SELECT path, {HELD} FROM documents
        UNION ALL SELECT name, {HELD} FROM further WHERE name IS NOT NULL
    ) ORDER BY path COLLATE BINARY
"""
"""Every name of every file, in the order of the names."""

NEAREST = "SELECT path FROM documents WHERE path = ? OR path LIKE ? ESCAPE '\\' ORDER BY path LIMIT 3"


def read_entry(file: Path, path: str) -> LedgerEntry | None:
    """Return the entry of a path; None without a ledger; raise PublishingError if the file is not one."""
    with _opened(file) as connection:
        return None if connection is None else read_entry_of(connection, path, _unfinished_run(connection))


def read_reasons(file: Path, sources: list[str]) -> dict[str, str]:
    """Return why each of the given sources was last built, if known.

    Raises:
        PublishingError: if the file is not a ledger.
    """
    query = "SELECT reason FROM sources WHERE location = ?"
    found = ((source, row) for source in sources for row in _rows(file, query, (source,)))
    return {source: str(reason) for source, (reason,) in found}


def nearest_paths(file: Path, path: str) -> list[str]:
    """Return up to three paths of a ledger that differ from `path` only in case, or share its last name.

    Raises:
        PublishingError: if the file is not a ledger.
    """
    name = path.rpartition("/")[2]
    literal = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return [str(found) for (found,) in _rows(file, NEAREST, (path, f"%{literal}%" if literal else ""))]


def read_note(file: Path, name: str) -> str | None:
    """Return a note by name; None without a ledger; raise PublishingError if the file is not one."""
    query = "SELECT value FROM notes WHERE name = ?"
    return next((str(value) for (value,) in _rows(file, query, (name,))), None)


def read_paths(file: Path) -> Iterator[str]:
    """Yield every name of every file in a ledger, sorted; raise PublishingError if the file is not one."""
    return (entry.path for entry in read_entries(file))


def read_entries(file: Path) -> Iterator[LedgerEntry]:
    """Yield the entry of every name, sorted by name; raise PublishingError if the file is not a ledger."""
    with _opened(file) as connection:
        if connection is not None:
            unfinished_run = _unfinished_run(connection)
            for path, digest, size, modified, sources, run in connection.execute(EVERY_NAME):
                yield LedgerEntry(path, digest, size, modified, sources, run != unfinished_run)


def _unfinished_run(connection: sqlite3.Connection) -> int:
    """Return the number of the unfinished run, or 0."""
    row = connection.execute("SELECT value FROM notes WHERE name = 'unfinished run'").fetchone()
    return int(row[0]) if row else 0


def _rows(file: Path, query: str, values: Sequence[str]) -> list[tuple[Any, ...]]:
    with _opened(file) as connection:
        return [] if connection is None else connection.execute(query, values).fetchall()


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection | None]:
    if not file.exists():
        yield None
        return
    try:
        address = f"{file.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=WAIT_FOR_OTHERS)) as connection:
            yield connection
    except sqlite3.DatabaseError as error:
        raise PublishingError(f"the ledger {file} cannot be read: {error}") from None
