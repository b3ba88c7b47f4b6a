"""What the running build has made so far: the files that it offers, beside what the ledger knows.

It lies in a database of its own, attached to the ledger's, so that nothing of the ledger changes before the site
does, and a build of any size keeps no list in memory.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from statuary.publishing.errors import PublishingError
from statuary.publishing.folder.stager import OfferedFile
from statuary.publishing.ledger.ledger import Ledger
from statuary.publishing.ledger.transaction import transaction

OFFERED = """(
    path TEXT {key}, also TEXT NOT NULL, digest BLOB NOT NULL, size INTEGER NOT NULL,
    modified INTEGER NOT NULL, sources TEXT NOT NULL, lasting INTEGER NOT NULL, actions TEXT NOT NULL
)"""
"""The table of offers: columns as `OfferedFile` has them."""

SCHEMA = f"""
CREATE TABLE work.offered {OFFERED.format(key="PRIMARY KEY COLLATE NOCASE")} WITHOUT ROWID;
CREATE TABLE work.suspects (path TEXT PRIMARY KEY COLLATE NOCASE) WITHOUT ROWID;
CREATE TABLE work.folders (path TEXT PRIMARY KEY) WITHOUT ROWID;
"""


class OfferedFiles:
    """The files of a running build.

    Attributes:
        partial: whether what is not offered stays, unless it is a suspect; else all of it goes.
    """

    def __init__(self, ledger: Ledger, file: Path | None) -> None:
        """Begin without any.

        Args:
            ledger: the ledger.
            file: where they are written down; None keeps them in memory, and on disk if they are many.
        """
        self.ledger = ledger
        self.connection = ledger.connection
        self.partial = False
        self.connection.execute("ATTACH ? AS work", ("" if file is None else str(file),))
        # a build that breaks off does not look at it again; a journal in memory would grow with the site
        self.connection.executescript("PRAGMA work.journal_mode=OFF; PRAGMA work.synchronous=OFF;" + SCHEMA)

    def offer(self, offers: Iterable[OfferedFile]) -> None:
        """Note files.

        Raises:
            PublishingRefused: if two documents claim one path, or two that differ in case alone.
        """
        try:
            with transaction(self.connection):
                self.connection.executemany("INSERT INTO work.offered VALUES (?,?,?,?,?,?,?,?)", offers)
        except sqlite3.IntegrityError:
            raise PublishingError("two documents claim the same path") from None

    def offer_if_free(self, offers: Sequence[OfferedFile]) -> int:
        """Note files whose paths are not claimed yet; return how many are."""
        before = self.connection.total_changes
        with transaction(self.connection):
            self.connection.executemany("INSERT OR IGNORE INTO work.offered VALUES (?,?,?,?,?,?,?,?)", offers)
        return len(offers) - (self.connection.total_changes - before)

    def note_folders(self, folders: Iterable[str]) -> None:
        """Note folders of the site that hold documents of single sources."""
        self.connection.executemany(
            "INSERT OR IGNORE INTO work.folders VALUES (?)", ((folder,) for folder in folders)
        )

    def remove_unless_offered(self, paths: Iterable[str]) -> None:
        """Note paths that go unless they are offered."""
        self.connection.executemany(
            "INSERT OR IGNORE INTO work.suspects VALUES (?)", ((path,) for path in paths)
        )

    def remove_site_unless_offered(self) -> None:
        """Note that every document that every build makes goes unless it is offered."""
        self.connection.execute(
            "INSERT OR IGNORE INTO work.suspects SELECT path FROM documents WHERE lasting = 0"
        )

    def withdraw(self, path: str) -> None:
        """Forget a file that has been offered."""
        self.connection.execute("DELETE FROM work.offered WHERE path = ?", (path,))

    def is_to_be_written(self, name: str) -> bool:
        """Say whether a name has been offered and is not in place yet."""
        query = "SELECT path, also, actions FROM work.offered WHERE path = ?"
        row = self.connection.execute(query, (name,)).fetchone()
        return row is not None and (name, True) in [
            (one, action in "ar") for one, action in zip(names_of(*row[:2]), row[2], strict=True)
        ]

    def changed(self) -> Iterator[tuple[str, str, int]]:
        """Yield action, name and size of every file that must be written, in order of their paths."""
        query = "SELECT path, also, size, actions FROM work.offered WHERE actions != 'k' AND actions != 'kk'"
        for path, aliases, size, actions in self.connection.execute(query + " ORDER BY path COLLATE BINARY"):
            for name, action in zip(names_of(path, aliases), actions, strict=True):
                if action != "k":
                    yield action, name, size

    def conflicts(self) -> Iterator[str]:
        """Yield paths that hold something of somebody else."""
        query = (
            "SELECT path, also, actions FROM work.offered AS o WHERE instr(actions, 'x') > 0"
            " OR (instr(actions, 'r') > 0 AND NOT EXISTS (SELECT 1 FROM documents AS d WHERE d.path = o.path))"
            " ORDER BY path COLLATE BINARY"
        )
        for path, aliases, actions in self.connection.execute(query):
            for name, action in zip(names_of(path, aliases), actions, strict=True):
                if action in "xr":
                    yield name

    def removals(self) -> Iterator[str]:
        """Yield the names that are ours and go: of files that are not offered, or not under those names."""
        gone = (
            "SELECT path, also, '', '' FROM documents AS d"
            " WHERE NOT EXISTS (SELECT 1 FROM work.offered AS o WHERE o.path = d.path)"
        )
        if self.partial:
            gone += " AND path IN (SELECT path FROM work.suspects)"
        renamed = (
            "SELECT d.path, d.also, o.path, o.also FROM work.offered AS o CROSS JOIN documents AS d"
            " ON d.path = o.path WHERE d.path != o.path COLLATE BINARY OR d.also != o.also"
        )
        for old, old_also, new, new_also in self.connection.execute(f"{gone} UNION ALL {renamed} ORDER BY 1"):
            kept = set(names_of(new, new_also)) if new else set()
            yield from (name for name in names_of(old, old_also) if name not in kept)

    def counts(self) -> dict[str, int]:
        """Return how many names need what, by letter."""
        counted = ", ".join(
            f"COALESCE(SUM(length(actions) - length(replace(actions, '{letter}', ''))), 0)"
            for letter in "karx"
        )
        row = self.connection.execute(f"SELECT {counted} FROM work.offered").fetchone()
        return dict(zip("karx", row, strict=True))

    def sizes(self) -> tuple[int, int]:
        """Return the bytes of all bodies that are offered, and of those that must be written."""
        row: Any = self.connection.execute(
            "SELECT COALESCE(SUM(size), 0), COALESCE(SUM(CASE WHEN substr(actions, 1, 1) = 'k' THEN 0 ELSE size END), 0)"
            " FROM work.offered"
        ).fetchone()
        return row[0], row[1]

    def unoffered(self) -> tuple[int, int]:
        """Return how many names stay without being offered, and the bytes of their bodies."""
        if not self.partial:
            return 0, 0
        total_names, total_size = int(self.ledger.note("names") or 0), int(self.ledger.note("size") or 0)
        names = "1 + (d.also != '') + length(d.also) - length(replace(d.also, char(10), ''))"
        sums = f"COALESCE(SUM({names}), 0), COALESCE(SUM(d.size), 0)"
        offered = f"SELECT {sums} FROM work.offered AS o CROSS JOIN documents AS d ON d.path = o.path"
        removals = (
            f"SELECT {sums} FROM work.suspects AS s CROSS JOIN documents AS d ON d.path = s.path"
            " WHERE NOT EXISTS (SELECT 1 FROM work.offered AS o WHERE o.path = d.path)"
        )
        for query in (offered, removals):
            (minus_names, minus_size) = self.connection.execute(query).fetchone()
            total_names, total_size = total_names - minus_names, total_size - minus_size
        return total_names, total_size

    def save(self) -> None:
        """Make the ledger's table of files what the site will be; a step of one transaction."""
        execute = self.connection.execute
        stays = " AND path IN (SELECT path FROM work.suspects)" if self.partial else ""
        execute(
            "DELETE FROM documents WHERE NOT EXISTS"
            f" (SELECT 1 FROM work.offered AS o WHERE o.path = documents.path){stays}"
        )
        # a file that stays keeps the run that wrote it, and so do its rows in the database's pages
        execute(
            "INSERT INTO documents SELECT path, also, digest, size, modified, sources, lasting, ? FROM work.offered"
            " WHERE 1 ON CONFLICT (path) DO UPDATE SET path = excluded.path, also = excluded.also,"
            " digest = excluded.digest, size = excluded.size, modified = excluded.modified,"
            " sources = excluded.sources, lasting = excluded.lasting, run = excluded.run WHERE digest != excluded.digest"
            " OR modified != excluded.modified OR sources != excluded.sources OR also != excluded.also"
            " OR lasting != excluded.lasting"
            " OR path != excluded.path COLLATE BINARY",
            (self.ledger.run,),
        )
        execute("INSERT OR IGNORE INTO folders SELECT path, 0 FROM work.folders")


def names_of(path: str, aliases: str) -> list[str]:
    """Return all names of a file."""
    return [path, *aliases.split("\n")] if aliases else [path]
