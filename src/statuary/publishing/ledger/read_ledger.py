"""Looking into a ledger without holding it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from statuary.publishing.errors import PublishingError
from statuary.publishing.ledger.ledger import WAIT_FOR_OTHERS, LedgerEntry, entry_of


def read_entry(file: Path, path: str) -> LedgerEntry | None:
    """Return what a ledger knows of a path; None also if there is no ledger.

    Raises:
        PublishingRefused: if the file is no ledger.
    """
    with _opened(file) as connection:
        if connection is None:
            return None
        return entry_of(connection, path, _unsettled(connection))


def read_reasons(file: Path, sources: list[str]) -> dict[str, str]:
    """Return why each of some sources was made into documents the last time, as far as that is known.

    Raises:
        PublishingRefused: if the file is no ledger.
    """
    with _opened(file) as connection:
        if connection is None:
            return {}
        query = "SELECT reason FROM sources WHERE place = ?"
        found = ((source, connection.execute(query, (source,)).fetchone()) for source in sources)
        return {source: str(row[0]) for source, row in found if row is not None}


def nearest_paths(file: Path, path: str) -> list[str]:
    """Return up to three paths of a ledger that differ from `path` in case only, or share its last name.

    Raises:
        PublishingRefused: if the file is no ledger.
    """
    name = path.rpartition("/")[2]
    literal = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    query = "SELECT path FROM documents WHERE path = ? OR path LIKE ? ESCAPE '\\' ORDER BY path LIMIT 3"
    with _opened(file) as connection:
        if connection is None:
            return []
        return [str(row[0]) for row in connection.execute(query, (path, f"%{literal}%" if literal else ""))]


def read_note(file: Path, name: str) -> str | None:
    """Return a note of a ledger by name; None also if there is no ledger.

    Raises:
        PublishingRefused: if the file is no ledger.
    """
    with _opened(file) as connection:
        if connection is None:
            return None
        row = connection.execute("SELECT value FROM notes WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else None


def read_paths(file: Path) -> Iterator[str]:
    """Yield every name of every file in a ledger, in their order.

    Raises:
        PublishingRefused: if the file is no ledger.
    """
    return (entry.path for entry in read_entries(file))


def read_entries(file: Path) -> Iterator[LedgerEntry]:
    """Yield what a ledger knows of every name of every file, in the order of the names.

    Raises:
        PublishingRefused: if the file is no ledger.
    """
    held = "digest, size, modified, sources, run"
    query = f"""
        WITH RECURSIVE further (name, rest, {held}) AS (
            SELECT NULL, also || char(10), {held} FROM documents WHERE also != ''
            UNION ALL
            SELECT substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1), {held}
            FROM further WHERE rest != ''
        )
        SELECT path, {held} FROM (
            SELECT path, {held} FROM documents UNION ALL SELECT name, {held} FROM further WHERE name IS NOT NULL
        ) ORDER BY path COLLATE BINARY
    """
    with _opened(file) as connection:
        if connection is not None:
            unfinished_run = _unsettled(connection)
            for path, digest, size, modified, sources, run in connection.execute(query):
                yield LedgerEntry(path, digest, size, modified, sources, run != unfinished_run)


def _unsettled(connection: sqlite3.Connection) -> int:
    """Return the run that did not come to its end, or 0."""
    row = connection.execute("SELECT value FROM notes WHERE name = 'unsettled'").fetchone()
    return int(row[0]) if row else 0


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection | None]:
    """Open a ledger for reading; None if there is none."""
    if not file.exists():
        yield None
        return
    try:
        address = f"{file.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=WAIT_FOR_OTHERS)) as connection:
            yield connection
    except sqlite3.DatabaseError as error:
        raise PublishingError(f"the ledger {file} cannot be read: {error}") from None
