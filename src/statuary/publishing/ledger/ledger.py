"""The ledger: which files in a target are ours, what they hold, and which content made them.

An SQLite file inside the target, so that it travels with the site (a CI cache keeps one folder), survives a
kill at any moment, and costs the same memory for forty documents as for forty million. It is no part of the
site, and its bytes are not deterministic; the site's are.

One row a file, whatever its names: an address has two spellings and one body. A build writes down what it is
about to put in place before it does so; until it says that it is done, the files of that run are not believed
by size and time alone.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from statuary.publishing.errors import PublishingError

SCHEMA_VERSION = 3
ONE_ROW_A_NAME = 1
"""The version that had a row for every name of a file."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents (
    path TEXT PRIMARY KEY COLLATE NOCASE,  -- relative to the site's root, as it is spelled
    also TEXT NOT NULL,                    -- further names that differ in case alone, a line each
    digest BLOB NOT NULL,                  -- SHA-256 of the body
    size INTEGER NOT NULL,                 -- bytes
    modified INTEGER NOT NULL,             -- st_mtime_ns of the file
    sources TEXT NOT NULL,                 -- content paths, a line each; empty for the whole content
    lasting INTEGER NOT NULL,              -- whether it stays when a build does not offer it
    run INTEGER NOT NULL                   -- the build that wrote the file
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS documents_of_the_site ON documents (path) WHERE lasting = 0;
CREATE TABLE IF NOT EXISTS leaving (
    path TEXT PRIMARY KEY                  -- a name that is about to be removed
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS folders (path TEXT PRIMARY KEY, modified INTEGER NOT NULL) WITHOUT ROWID;
"""


class LedgerEntry(NamedTuple):
    """A file that is ours.

    Attributes:
        path: the name by which it was asked for.
        digest: SHA-256 of the body.
        size: in bytes.
        modified: `st_mtime_ns` when it was written.
        sources: content paths, a line each; empty for the whole content.
        settled: whether the build that wrote it came to its end, so that size and time can be believed.
    """

    path: str
    digest: bytes
    size: int
    modified: int
    sources: str
    settled: bool


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
            raise PublishingError(
                f"the ledger {file} is in use: {error}", "wait for the other build"
            ) from None
        except sqlite3.DatabaseError as error:
            raise PublishingError(
                f"the ledger {file} cannot be read: {error}",
                "delete it; the next build compares with the files instead",
            ) from None
        self.unfinished_run = int(self.note("unsettled") or 0)
        self.run = int(self.note("run") or 0) + 1

    def _open(self) -> None:
        # a kill of the process loses nothing under synchronous=OFF; a power cut costs at most the ledger
        self.connection.executescript("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=OFF;")
        self.connection.execute("BEGIN EXCLUSIVE")
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        if version != SCHEMA_VERSION:
            self._renew(version)
        self.connection.execute("COMMIT")

    def _renew(self, version: int) -> None:
        """Make the tables; of an older ledger take over which files are ours."""
        if version > SCHEMA_VERSION:
            raise PublishingError(
                f"the ledger {self.file} has version {version}, this statuary writes {SCHEMA_VERSION}",
                "delete it; the next build compares with the files instead",
            )
        if version:
            self.connection.execute("ALTER TABLE documents RENAME TO documents_before")
            self.connection.execute("DROP INDEX IF EXISTS documents_of_the_site")
            self.connection.execute("DROP TABLE IF EXISTS offered")
        for statement in SCHEMA.split(";\n"):
            self.connection.execute(statement)
        if version:
            aliases = "''" if version == ONE_ROW_A_NAME else "also"
            self.connection.execute(
                "INSERT OR IGNORE INTO documents"
                f" SELECT path, {aliases}, COALESCE(digest, x''), size, 0, sources, 0, 0 FROM documents_before"
            )
            self.connection.execute("DROP TABLE documents_before")
        self.connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the ledger back; what was not kept is forgotten."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
        self.connection.close()

    def entry(self, path: str) -> LedgerEntry | None:
        """Return what is known of a file by one of its names."""
        return entry_of(self.connection, path, self.unfinished_run)

    def note_removals(self, names: Iterable[str]) -> None:
        """Note names that are about to be removed."""
        self.connection.executemany("INSERT OR IGNORE INTO leaving VALUES (?)", ((name,) for name in names))

    def removals(self) -> Iterator[str]:
        """Yield the names that are about to be removed."""
        for (name,) in self.connection.execute("SELECT path FROM leaving ORDER BY path"):
            yield name

    def note_folder_times(self, time_of: Callable[[str], int | None]) -> None:
        """Note when each folder of documents of single sources changed the last time."""
        for (folder,) in self.connection.execute("SELECT path FROM folders").fetchall():
            time = time_of(folder)
            if time is None:
                self.connection.execute("DELETE FROM folders WHERE path = ?", (folder,))
            else:
                self.connection.execute("UPDATE folders SET modified = ? WHERE path = ?", (time, folder))

    def changed_folders(self, time_of: Callable[[str], int | None]) -> list[str]:
        """Return the folders of documents of single sources in which names have come or gone since they were noted."""
        known = self.connection.execute("SELECT path, modified FROM folders ORDER BY path").fetchall()
        return [folder for folder, modified in known if time_of(folder) != modified]

    def documents(self) -> Iterator[tuple[str, str, bytes, str]]:
        """Yield path, further names, SHA-256 and sources of every file, in order of their paths."""
        yield from self.connection.execute("SELECT path, also, digest, sources FROM documents ORDER BY path")

    def made_of(self, sources: str, below: str) -> list[str]:
        """Return the paths of files below a folder that are made of some sources."""
        query = "SELECT path FROM documents WHERE path >= ? AND path < ? AND sources = ?"
        found = self.connection.execute(query, (f"{below}/", f"{below}0", sources))
        return [path for (path,) in found]

    def in_folder(self, folder: str) -> Iterator[tuple[str, str, str]]:
        """Yield path, further names and sources of the documents that lie in a folder itself."""
        query = "SELECT path, also, sources FROM documents WHERE path >= ? AND path < ?"
        # "0" follows "/" in ASCII
        for row in self.connection.execute(query, (f"{folder}/", f"{folder}0")):
            if "/" not in row[0][len(folder) + 1 :]:
                yield row

    def begin(self) -> None:
        """Note that the files of this run are about to be put in place."""
        self.set_notes({"unsettled": str(self.run), "run": str(self.run)})

    def finish(self) -> None:
        """Note that every file of this run is in place, and that nothing is about to go."""
        self.connection.execute("DELETE FROM leaving")
        self.set_notes({"unsettled": "0"})

    def note(self, name: str) -> str | None:
        """Return a note by name."""
        row = self.connection.execute("SELECT value FROM notes WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else None

    def set_notes(self, notes: Mapping[str, str]) -> None:
        """Keep notes under their names."""
        self.connection.executemany("INSERT OR REPLACE INTO notes VALUES (?,?)", notes.items())


def entry_of(connection: sqlite3.Connection, path: str, unfinished_run: int) -> LedgerEntry | None:
    """Return what a ledger knows of a file by one of its names.

    Args:
        connection: the ledger's.
        path: the name.
        unsettled: the run that did not come to its end, or 0.
    """
    row: Any = connection.execute(
        "SELECT path, also, digest, size, modified, sources, run FROM documents WHERE path = ?", (path,)
    ).fetchone()
    if row is None or (row[0] != path and path not in row[1].split("\n")):
        return None
    _, _, digest, size, modified, sources, run = row
    return LedgerEntry(path, digest, size, modified, sources, run != unfinished_run)


WAIT_FOR_OTHERS = 2.0
"""Seconds to wait for another build that holds the ledger."""
