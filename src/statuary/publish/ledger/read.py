"""Read the ledger of a published site without locking it.

A damaged ledger, or one of another version, raises DamagedLedgerError wherever the damage is found; what reads a whole
folder then continues without a ledger (`folder/built_site.py`).
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Self

from statuary.publish.host_layout import media_type_of
from statuary.publish.ledger.damage import DamagedLedgerError, ledger_reading_error, require_ledger
from statuary.publish.ledger.ledger import WAIT_FOR_OTHERS, query_ledger_entry
from statuary.publish.ledger.schema import CachedGroup, LedgerEntry, all_names
from statuary.publish.listing import Entry
from statuary.system.databases import open_read_only_database

NEAREST = (
    "SELECT path FROM documents WHERE path = ?1 OR path LIKE ?2 ESCAPE '\\' ORDER BY path != ?1, path LIMIT 3"
)


def read_ledger_entry(file: Path, path: str) -> LedgerEntry | None:
    """Look up a published file in the database of a site's files.

    Args:
        file: the database (ledger).
        path: the path of the published file.

    Returns:
        The digest, size and other facts about the file; None if there is no database, or it does not list the
        file.

    Raises:
        DamagedLedgerError: if the database is damaged.
    """
    with open_ledger_read_only(file) as connection:
        return (
            None if connection is None else query_ledger_entry(connection, path, _unfinished_run(connection))
        )


class LedgerLookup:
    """Looks up published files in a ledger; thread-safe."""

    def __init__(self, file: Path, connection: sqlite3.Connection) -> None:
        self._file = file
        self._connection = connection
        self._lock = Lock()
        self._unfinished_run = _unfinished_run(connection)

    @classmethod
    def open_ledger(cls, file: Path | None) -> Self | None:
        """Open the database of a site's published files for look-ups.

        This database is the ledger.

        Args:
            file: the database; None if the site has none.

        Returns:
            The open database, or None if it does not exist or is damaged.

        Raises:
            PublishingError: if a build is using the database.
        """
        if file is None:
            return None
        connection = None
        try:
            connection = open_read_only_database(file, wait=WAIT_FOR_OTHERS, any_thread=True)
            require_ledger(connection)
            return cls(file, connection)
        except (sqlite3.Error, ValueError) as error:
            if connection is not None:
                connection.close()
            problem = ledger_reading_error(error, file)
            if isinstance(problem, DamagedLedgerError):
                return None
            raise problem from None

    def find(self, path: str) -> LedgerEntry | None:
        """Return the digest, size and other facts about a published file.

        Args:
            path: the path of the file in the site.

        Returns:
            The facts; None if no published file has the path.

        Raises:
            DamagedLedgerError: if the ledger is damaged.
        """
        try:
            with self._lock:
                return query_ledger_entry(self._connection, path, self._unfinished_run)
        except (sqlite3.Error, ValueError) as error:
            raise ledger_reading_error(error, self._file) from None

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()


def similar_published_paths(file: Path, path: str) -> list[str]:
    """Return up to three published paths that are similar to a path.

    For example, a path in another case, or the same file name in another folder.

    Args:
        file: the ledger, the database of published files.
        path: the path, which the user may have misspelt.

    Raises:
        DamagedLedgerError: if the ledger is damaged.
    """
    name = path.rpartition("/")[2]
    literal = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return [
        str(nearest) for (nearest,) in _query_rows(file, NEAREST, (path, f"%{literal}%" if literal else ""))
    ]


def read_ledger_meta(file: Path, name: str) -> str | None:
    """Return a value that the last build stored under a name.

    Args:
        file: the ledger, the database of published files.
        name: the name of the value, such as `revision`.

    Returns:
        The value, or None if the ledger or the value does not exist.

    Raises:
        DamagedLedgerError: if the ledger is damaged.
    """
    query = "SELECT value FROM notes WHERE name = ?"
    return next((str(value) for (value,) in _query_rows(file, query, (name,))), None)


def read_cached_group(connection: sqlite3.Connection, group: str) -> CachedGroup:
    """Return the digest that the last build stored for a set of documents.

    The paths of the documents are not read.

    Args:
        connection: the connection of the database of published files.
        group: the name of the set.

    Returns:
        The stored values; the digest (fingerprint) is empty if the last build had no such set.
    """
    row = connection.execute("SELECT fingerprint, items, run FROM kept WHERE name = ?", (group,)).fetchone()
    return CachedGroup("") if row is None else CachedGroup(row[0], row[1], run=row[2])


def read_ledger_listing(file: Path) -> Iterator[Entry]:
    """Yield all published files of a site, sorted by path.

    Args:
        file: the ledger, the database of published files.

    Raises:
        DamagedLedgerError: if the database is damaged.
    """
    query = "SELECT path, aliases, size, digest FROM documents ORDER BY path COLLATE BINARY"
    with open_ledger_read_only(file) as connection:
        for path, aliases, size, digest in connection.execute(query) if connection is not None else ():
            if [*map(type, (path, aliases, size, digest))] != [str, str, int, bytes]:
                raise sqlite3.DatabaseError("its table of documents has a malformed row")
            yield Entry(path, tuple(all_names(path, aliases)[1:]), size, digest.hex(), media_type_of(path))


def is_build_unfinished(file: Path) -> bool:
    """Return whether the last build of a site was interrupted.

    Args:
        file: the ledger, the database of published files.

    Raises:
        DamagedLedgerError: if the ledger is damaged.
    """
    query = "SELECT 1 FROM documents WHERE run = ? LIMIT 1"
    with open_ledger_read_only(file) as connection:
        if connection is None:
            return False
        return connection.execute(query, (_unfinished_run(connection),)).fetchone() is not None


def _unfinished_run(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT value FROM notes WHERE name = 'unfinished run'").fetchone()
    return int(row[0]) if row else 0


def _query_rows(file: Path, query: str, values: Sequence[str]) -> list[tuple[Any, ...]]:
    with open_ledger_read_only(file) as connection:
        return [] if connection is None else connection.execute(query, values).fetchall()


@contextmanager
def open_ledger_read_only(file: Path) -> Iterator[sqlite3.Connection | None]:
    """Open the database of published files (ledger) for reading.

    Yields:
        The connection, or None if the file does not exist.

    Raises:
        DamagedLedgerError: if the ledger is damaged.
        PublishingError: if a build is using the ledger.
    """
    if not file.exists():
        yield None
        return
    try:
        with closing(open_read_only_database(file, wait=WAIT_FOR_OTHERS)) as connection:
            require_ledger(connection)
            yield connection
    except (sqlite3.Error, ValueError) as error:
        raise ledger_reading_error(error, file) from None
