"""The ledger: which files in a target are ours, what they hold, and which content made them.

An SQLite file inside the target, so that it travels with the site (a CI cache keeps one folder), survives a
kill at any moment, and costs the same memory for forty documents as for forty million. It is no part of the
site, and its bytes are not deterministic; the site's are.

A row without a digest is a promise: the file is ours, but was about to be written when a build ended.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, Self

from statuary.publishing.refused import PublishingRefused

SCHEMA_VERSION = 1

SCHEMA = """
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents (
    path TEXT PRIMARY KEY,      -- relative to the site's root
    digest BLOB,                -- SHA-256 of the body; null while it is being written
    size INTEGER NOT NULL,      -- bytes
    modified INTEGER NOT NULL,  -- st_mtime_ns when it was written
    sources TEXT NOT NULL       -- content paths, a line each; empty for the whole content
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS offered (
    path TEXT PRIMARY KEY, digest BLOB NOT NULL, size INTEGER NOT NULL, sources TEXT NOT NULL,
    staged TEXT, twin_of TEXT, action TEXT
) WITHOUT ROWID;
PRAGMA user_version = 1;
"""


class Entry(NamedTuple):
    """A file that is ours."""

    path: str
    digest: bytes | None
    size: int
    modified: int
    sources: str


class Offer(NamedTuple):
    """A document that the running build offers.

    Attributes:
        staged: name of the staged body; None if the file is right as it is.
        twin_of: the path whose body this one shares, or None.
        action: `add`, `replace` or None for a file that stays.
    """

    path: str
    digest: bytes
    size: int
    sources: str
    staged: str | None
    twin_of: str | None
    action: str | None


class Ledger:
    """An open ledger. One build at a time holds it."""

    def __init__(self, file: Path) -> None:
        """Open or make the ledger.

        Raises:
            PublishingRefused: if another build holds it, or the file is no ledger of this version.
        """
        file.parent.mkdir(parents=True, exist_ok=True)
        self.file = file
        self.connection = sqlite3.connect(file, timeout=WAIT_FOR_OTHERS, isolation_level=None)
        try:
            self._open()
        except sqlite3.OperationalError as error:
            raise PublishingRefused(
                f"the ledger {file} is in use: {error}", "wait for the other build"
            ) from None
        except sqlite3.DatabaseError as error:
            raise PublishingRefused(
                f"the ledger {file} cannot be read: {error}",
                "delete it; the next build compares with the files instead",
            ) from None

    def _open(self) -> None:
        # a kill of the process loses nothing under synchronous=OFF; a power cut costs at most the ledger
        self.connection.executescript("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=OFF;")
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, SCHEMA_VERSION):
            raise PublishingRefused(
                f"the ledger {self.file} has version {version}, this statuary writes {SCHEMA_VERSION}",
                "delete it; the next build compares with the files instead",
            )
        self.connection.executescript("BEGIN EXCLUSIVE;" + SCHEMA + "DELETE FROM offered; COMMIT;")
        self.connection.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the ledger back; what was not kept is forgotten."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
        self.connection.close()

    def keep(self) -> None:
        """Make everything said so far permanent."""
        self.connection.execute("COMMIT")
        self.connection.execute("BEGIN")

    def entry(self, path: str) -> Entry | None:
        """Return what is known of a path."""
        row = self.connection.execute("SELECT * FROM documents WHERE path = ?", (path,)).fetchone()
        return Entry(*row) if row else None

    def offer(self, offers: Iterable[Offer]) -> None:
        """Note documents of the running build.

        Raises:
            PublishingRefused: if two documents claim one path.
        """
        try:
            self.connection.executemany("INSERT INTO offered VALUES (?,?,?,?,?,?,?)", offers)
        except sqlite3.IntegrityError:
            raise PublishingRefused("two documents claim the same path") from None

    def offered(self, *, changed: bool) -> Iterator[Offer]:
        """Yield the offers in order of their paths; with `changed` those alone that must be written."""
        query = "SELECT * FROM offered WHERE action IS NOT NULL OR NOT ? ORDER BY path"
        for row in self.connection.execute(query, (changed,)):
            yield Offer(*row)

    def is_offered(self, path: str) -> bool:
        """Say whether the running build has offered a path already."""
        return self.connection.execute("SELECT 1 FROM offered WHERE path = ?", (path,)).fetchone() is not None

    def stale(self) -> Iterator[Entry]:
        """Yield what is ours and was not offered."""
        query = "SELECT * FROM documents WHERE path NOT IN (SELECT path FROM offered) ORDER BY path"
        for row in self.connection.execute(query):
            yield Entry(*row)

    def totals(self) -> tuple[dict[str | None, int], int, int]:
        """Return offers by action, bytes of all bodies (twins counted once) and bytes to be written."""
        counts: dict[str | None, int] = dict(
            self.connection.execute("SELECT action, COUNT(*) FROM offered GROUP BY action").fetchall()
        )
        size, changed = self.connection.execute(
            "SELECT COALESCE(SUM(size), 0), COALESCE(SUM(CASE WHEN action IS NULL THEN 0 ELSE size END), 0)"
            " FROM offered WHERE twin_of IS NULL"
        ).fetchone()
        return counts, size, changed

    def promise(self) -> None:
        """Note, for good, that every path about to be written is ours."""
        self.connection.execute(
            "INSERT OR REPLACE INTO documents"
            " SELECT path, NULL, size, 0, sources FROM offered WHERE action IS NOT NULL"
        )
        self.connection.execute(
            "UPDATE documents SET sources = (SELECT sources FROM offered WHERE offered.path = documents.path)"
            " WHERE path IN (SELECT path FROM offered WHERE action IS NULL)"
        )
        self.keep()

    def written(self, entries: Iterable[Entry]) -> None:
        """Note files as they now are."""
        self.connection.executemany("INSERT OR REPLACE INTO documents VALUES (?,?,?,?,?)", entries)

    def removed(self, paths: Iterable[str]) -> None:
        """Forget files."""
        self.connection.executemany("DELETE FROM documents WHERE path = ?", ((path,) for path in paths))

    def note(self, name: str) -> str | None:
        """Return a note by name."""
        row = self.connection.execute("SELECT value FROM notes WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else None

    def set_note(self, name: str, value: str) -> None:
        """Keep a note under a name."""
        self.connection.execute("INSERT OR REPLACE INTO notes VALUES (?,?)", (name, value))


WAIT_FOR_OTHERS = 2.0
"""Seconds to wait for another build that holds the ledger."""


def look_up(file: Path, path: str) -> Entry | None:
    """Return what a ledger knows of a path, without holding it; None also if there is no ledger.

    Raises:
        PublishingRefused: if the file is no ledger.
    """
    if not file.exists():
        return None
    try:
        with closing(
            sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=WAIT_FOR_OTHERS)
        ) as connection:
            row = connection.execute("SELECT * FROM documents WHERE path = ?", (path,)).fetchone()
    except sqlite3.DatabaseError as error:
        raise PublishingRefused(f"the ledger {file} cannot be read: {error}") from None
    return Entry(*row) if row else None


def nearest_paths(file: Path, path: str) -> list[str]:
    """Return up to three paths of a ledger that differ from `path` in case only, or share its last name."""
    if not file.exists():
        return []
    name = path.rpartition("/")[2]
    query = "SELECT path FROM documents WHERE path = ? COLLATE NOCASE OR path LIKE ? ESCAPE '\\' ORDER BY path LIMIT 3"
    literal = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=WAIT_FOR_OTHERS)) as connection:
        return [str(row[0]) for row in connection.execute(query, (path, f"%{literal}%" if literal else ""))]


def look_up_note(file: Path, name: str) -> str | None:
    """Return a note of a ledger by name, without holding it; None also if there is no ledger.

    Raises:
        PublishingRefused: if the file is no ledger.
    """
    for row in _rows(file, "SELECT value FROM notes WHERE name = ?", name):
        return str(row[0])
    return None


def listed(file: Path) -> Iterator[str]:
    """Yield the paths of a ledger in their order, without holding it.

    Raises:
        PublishingRefused: if the file is no ledger.
    """
    for row in _rows(file, "SELECT path FROM documents WHERE digest IS NOT NULL ORDER BY path"):
        yield str(row[0])


def _rows(file: Path, query: str, *values: str) -> Iterator[tuple[object, ...]]:
    if not file.exists():
        return
    try:
        with closing(
            sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=WAIT_FOR_OTHERS)
        ) as connection:
            yield from connection.execute(query, values)
    except sqlite3.DatabaseError as error:
        raise PublishingRefused(f"the ledger {file} cannot be read: {error}") from None
