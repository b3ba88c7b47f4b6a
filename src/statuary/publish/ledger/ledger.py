"""The ledger: files, digests and sources of everything in a target.

An SQLite file inside the target: it travels with the site (a CI cache keeps one folder), survives a kill at
any moment, and needs the same memory for forty documents as for forty million. It is not part of the site,
and its bytes are not deterministic; the site's are.

One row per file, whatever its names: an address is published under two names with one body. A build records
what it is about to move into place before it does so. Until it finishes, sizes and times of its files are not
trusted.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

from statuary.base.files import transaction
from statuary.publish.ledger.damage import (
    DamagedLedgerError,
    is_intact,
    ledger_writing_error,
    quarantine_ledger,
    require_ledger,
)
from statuary.publish.ledger.document_table import (
    ADD,
    KEEP,
    OBSTRUCTED,
    REPLACE,
    DocumentTable,
)
from statuary.publish.ledger.schema import (
    ADOPT_OWNED,
    FORGET_OWNED,
    FULL_VIEW,
    IS_OF_MANIFEST,
    MAIN,
    OWNED,
    PARTIAL_VIEW,
    SAVE_OWNED,
    SCHEMA_VERSION,
    SECTION_TABLES,
    WORK,
    WORK_SETTINGS,
    CachedGroup,
    LedgerEntry,
    PartitionRows,
)
from statuary.publish.plan import Action, Change, Plan
from statuary.registry import load
from statuary.system.databases import open_database

OWNED_NAMES = "published.sqlite3"
"""The database of our files' names, beside the ledger: it still identifies them if the ledger is lost."""

OWN_MANIFEST = "manifest"
"""The note with the SHA-256 of the manifest of this ledger; any other manifest came with the files."""

WAIT_FOR_OTHERS = 2.0
"""Seconds to wait for another build that holds the ledger."""

SHOWN_ACTIONS = {ADD: Action.ADD, REPLACE: Action.REPLACE, OBSTRUCTED: Action.REPLACE}


class LedgerTable:
    """Base class of a section's tables in the ledger.

    The schema `main` has the rows of the last build, `work` those of this build.
    """

    schema: ClassVar[str] = ""  # creates the table that every new ledger has in `main`; empty for none
    columns: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # the columns of the table, by the table's name
    build_indexes: ClassVar[tuple[str, ...]] = ()  # create the indexes of the rows of this build

    def __init__(self, ledger: "Ledger", connection: sqlite3.Connection) -> None:
        """Create the table for the rows of this build.

        Args:
            ledger: the build's database.
            connection: the connection to it.
        """
        self.ledger, self.connection = ledger, connection

    def keep_unreplaced(self) -> None:
        """Keep the last build's rows that this build does not replace."""

    def replaced_document_paths(self) -> Iterable[str]:
        """Yield the paths of documents whose content this build replaces."""
        return ()

    def save(self) -> None:
        """Store the rows of this build; the caller begins and ends the transaction."""


Table = TypeVar("Table", bound=LedgerTable)


class Ledger:
    """The database of a site's published files, open in one build only.

    Attributes:
        run: the number of this build.
        unfinished_run: the number of a build that began to apply its plan and did not finish, else 0.
    """

    def __init__(self, file: Path | None = None) -> None:
        """Open or create the database of a site's published files.

        A damaged one, or one of another version, is renamed; the names of published files then come from a second
        database beside it.

        Args:
            file: the path of the database; None makes a temporary one, which knows no earlier build.

        Raises:
            PublishingError: if another build is using it, or it cannot be written.
        """
        if file is not None and not file.is_file() and os.path.lexists(file):
            quarantine_ledger(file)
        try:
            self._open_connection(file)
        except (sqlite3.Error, ValueError) as error:
            problem = ledger_writing_error(error, file or Path())
            if file is None or not isinstance(problem, DamagedLedgerError):
                raise problem from None
            quarantine_ledger(file)
            self._open_connection(file)
        self.documents = DocumentTable(self.connection, self.run)
        self._tables: list[LedgerTable] = []
        self._retains_unchanged = False
        self._meta: dict[str, str] = {}
        self._groups: dict[str, CachedGroup] = {}
        if file is None:
            self.begin_build(None)

    def _open_connection(self, file: Path | None) -> None:
        self.connection = open_database(file, wait=WAIT_FOR_OTHERS)
        try:
            self._prepare_database(file)
        except BaseException:
            self.connection.close()
            raise

    def _prepare_database(self, file: Path | None) -> None:
        """Lock the database, create its tables, and read the run numbers."""
        # SQLite's synchronous=OFF saves time. Nothing is lost if the process is killed, and only the ledger
        # if the power fails.
        self.connection.executescript("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=OFF;")
        self.connection.execute("BEGIN EXCLUSIVE")
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            for statement in MAIN.split(";\n"):
                self.connection.execute(statement)
            for target in SECTION_TABLES:
                self.connection.execute(load(target).schema)
            self.connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        require_ledger(self.connection)
        self.connection.execute("COMMIT")
        self._attach_path_database(None if file is None else file.with_name(OWNED_NAMES))
        self.unfinished_run = int(self.get_meta("unfinished run") or 0)
        self.run = int(self.get_meta("run") or 0) + 1

    def _attach_path_database(self, file: Path | None) -> None:
        """Attach the database that has only the paths of published files.

        It stays if the ledger is lost. If one of the two is empty, it is filled from the other.
        """
        if file is not None and not is_intact(file):
            quarantine_ledger(file)
        execute = self.connection.execute
        execute("ATTACH ? AS owned", ("" if file is None else str(file),))
        self.connection.executescript(OWNED)
        if not execute("SELECT 1 FROM documents LIMIT 1").fetchone():
            execute(ADOPT_OWNED)
        elif self.lacks_paths():
            execute("INSERT INTO owned.names SELECT path, aliases FROM documents")

    def adopt_published_files(self, paths_with_aliases: Iterable[tuple[str, str]]) -> None:
        """Add files that were published but are missing from this database.

        Their digests stay unknown.

        Args:
            paths_with_aliases: the path and the aliases of each file; the aliases are a string with one on each line.
        """
        self.connection.executemany("INSERT OR IGNORE INTO owned.names VALUES (?,?)", paths_with_aliases)
        self.connection.execute(ADOPT_OWNED)

    def begin_build(self, file: Path | None) -> None:
        """Create the tables in which a build collects what it will publish.

        Args:
            file: the database for the tables; None keeps them in memory, or in a temporary file if they are
                large.
        """
        self._attach_build_database("" if file is None else str(file))
        self.connection.executescript(WORK + FULL_VIEW)
        for target in SECTION_TABLES:
            self.table(load(target))

    def _attach_build_database(self, file: str) -> None:
        self.connection.execute("ATTACH ? AS work", (file,))
        self.connection.executescript(WORK_SETTINGS)

    def replace_build_database(self, file: str) -> None:
        """Continue this build with tables that a worker has completed.

        Args:
            file: the worker's database, which has the rows of this build and more.
        """
        build_database = self.build_database_path
        self.connection.execute("DETACH work")
        os.replace(file, build_database)
        self._attach_build_database(build_database)

    @property
    def build_indexes(self) -> tuple[str, ...]:
        """The statements that index the sections' rows of this build."""
        return tuple(statement for table in self._tables for statement in table.build_indexes)

    @property
    def build_database_path(self) -> str:
        """The path of the database file with the rows of this build.

        It is empty if the rows are only in memory.
        """
        return self._database_path("work")

    def _database_path(self, schema: str) -> str:
        databases = self.connection.execute("PRAGMA database_list")
        (file,) = [file for _, name, file in databases if name == schema]
        return str(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; changes that were not saved are lost."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
        self.connection.close()

    def find_entry(self, path: str) -> LedgerEntry | None:
        """Return the digest, size and other facts about a published file.

        Args:
            path: any of the file's names.

        Returns:
            The entry, or None if no published file has the name.
        """
        return query_ledger_entry(self.connection, path, self.unfinished_run)

    def get_meta(self, name: str) -> str:
        """Return a string that the last build stored under a name.

        Returns:
            The string; empty if there is none.
        """
        row = self.connection.execute("SELECT value FROM notes WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def cached_group(self, group: str) -> CachedGroup:
        """Return the digest and paths that the last build stored for a group.

        A group is a set of documents that a build makes, or reuses, together.

        Returns:
            The stored values; the digest (fingerprint) is empty if the last build had no such group.
        """
        query = "SELECT fingerprint, items, paths, run FROM kept WHERE name = ?"
        row = self.connection.execute(query, (group,)).fetchone()
        if row is None:
            return CachedGroup("")
        fingerprint, items, paths, run = row
        return CachedGroup(fingerprint, items, tuple(paths.split("\n")) if paths else (), run)

    def save_group(self, group: str, fingerprint: str, *, items: int = 0, paths: Iterable[str] = ()) -> None:
        """Store the paths of a set of documents that this build made.

        The next build reuses the whole set if the fingerprint is the same.

        Args:
            group: the name of the set.
            fingerprint: the digest of everything that the documents depend on.
            items: the number of records or pages in the set.
            paths: the paths of the documents.
        """
        self._groups[group] = CachedGroup(fingerprint, items, tuple(paths), self.run)

    def _save_groups(self) -> None:
        if not self.keeps_unreplaced:  # documents may come from elsewhere
            self.connection.execute("DELETE FROM kept")
        rows = (
            (name, group.fingerprint, group.items, "\n".join(group.paths), group.run)
            for name, group in self._groups.items()
        )
        self.connection.executemany("INSERT OR REPLACE INTO kept VALUES (?,?,?,?,?)", rows)

    def _read_meta_number(self, name: str) -> int:
        text = self.get_meta(name)
        return int(text) if text.isdecimal() else 0

    def set_meta(self, values: Mapping[str, str]) -> None:
        """Store strings under names, for later builds.

        They are written when this database is saved.
        """
        self._meta |= values

    def _write_meta(self, values: Mapping[str, str]) -> None:
        self.connection.executemany("INSERT OR REPLACE INTO notes VALUES (?,?)", values.items())

    @property
    def keeps_unreplaced(self) -> bool:
        """Whether published files stay if this build does not add them again."""
        return self.documents.partial

    def keep_unreplaced(self) -> None:
        """Let published files stay if this build does not add them again.

        Otherwise, a build removes every file that it does not add.
        """
        self.documents.partial = True
        self.connection.executescript(PARTIAL_VIEW)
        for table in self._tables:
            table.keep_unreplaced()

    def keep_files_of_unchanged_sources(self) -> None:
        """Keep the published files that were made from unchanged content files.

        All other files must be added again, or they are removed.
        """
        self.keep_unreplaced()
        self._retains_unchanged = True

    def restore_previous_documents(self) -> None:
        """Undo this build, so that the files of the last build stay.

        Files that were made from no content file, such as openapi.json, must be added again.
        """
        self.documents.discard_all()
        self.keep_files_of_unchanged_sources()

    def merge_partition(self, file: Path) -> None:
        """Add a worker's results to those of this build.

        If a path is taken, `plan` raises the error.

        Args:
            file: the database with the results.
        """
        self.documents.merge_partition(file)

    def add_rows(self, rows: PartitionRows | None) -> None:
        """Add the rows that a worker made, such as those of contracts.

        Args:
            rows: the rows and the name of their table; None if there are none.
        """
        if rows is not None:
            with transaction(self.connection):
                self.connection.executemany(f"INSERT OR REPLACE INTO work.{rows.insert_clause}", rows.rows)

    def table(self, kind: type[Table]) -> Table:
        """Return the table in this database that belongs to a section.

        For example, `table(ContractTable)` is the table of contracts. The first call for a class creates the
        object.

        Args:
            kind: the class of the table.
        """
        for table in self._tables:
            if isinstance(table, kind):
                return table
        table = kind(self, self.connection)
        if self.keeps_unreplaced:
            table.keep_unreplaced()
        self._tables.append(table)
        return table

    def plan(self) -> Plan:
        """Return this build's changes: files to add, replace and remove.

        Call this method after all documents were added.

        Raises:
            PublishingError: if two documents have the same path.
        """
        if self.documents.path_conflict is not None:
            raise self.documents.path_conflict
        self._mark_removals()
        size = self.documents.size_after_build(
            self._read_meta_number("names"), self._read_meta_number("size")
        )
        replaced = size.by_action[REPLACE] + size.by_action[OBSTRUCTED]
        return Plan(
            counts={
                Action.ADD: size.by_action[ADD],
                Action.REPLACE: replaced,
                Action.REMOVE: sum(1 for _ in self.documents.paths_to_remove()),
            },
            unchanged=size.by_action[KEEP],
            size=size.size,
            changed_size=size.changed_size,
            changes=self._read_changes,
            conflicts=tuple(self.documents.conflicting_paths()) if replaced else (),
        )

    def _mark_removals(self) -> None:
        if self._retains_unchanged:
            self.documents.remove_site_unless_added()
            for table in self._tables:
                self.documents.remove_unless_added(table.replaced_document_paths())

    def new_site_files(self) -> Iterator[tuple[str, str, int, bytes]]:
        """Yield the documents of the new site, sorted by path.

        Call this method after all documents were added: it does not yield later ones.

        Yields:
            Path, aliases (one a line), size in bytes and SHA-256. The digest is empty if the ledger was lost, and
            the file has not been read since.
        """
        self._mark_removals()
        return self.documents.new_site_files()

    def count_listed(self, folder: str, pattern: str) -> int:
        """Return the number of documents of the new site in a folder.

        Call this method after all documents were added: it does not count later ones.

        Args:
            folder: the path of the folder, with a slash at its end.
            pattern: an SQL pattern of the paths to count.
        """
        self._mark_removals()
        return self.documents.count_listed(folder, pattern)

    def files_changed_since_last_build(self) -> Iterator[tuple[str, str, int, bytes | None]]:
        """Yield the documents that differ from the last build, sorted by path.

        Call this method after all documents were added: it does not yield later ones.

        Yields:
            Path, aliases (one a line), size in bytes and SHA-256; the digest of a removed document is None.
        """
        self._mark_removals()
        return self.documents.files_changed_since_last_build()

    def _read_changes(self) -> Iterator[Change]:
        for action, name, size in self.documents.files_to_write():
            yield Change(SHOWN_ACTIONS[action], name, size)
        for name in sorted(self.documents.paths_to_remove()):
            yield Change(Action.REMOVE, name, 0)

    def save(self, plan: Plan) -> None:
        """Record the new site's files before they are moved into place.

        Args:
            plan: the changes, as the method `plan` returned them.
        """
        totals = {"names": str(plan.document_count), "size": str(plan.size)}
        names = "" if self.documents.summary is None else self.documents.summary.names
        with transaction(self.connection):
            self.documents.save()
            if not names:
                self._save_paths()
            for table in self._tables:
                table.save()
            self._save_groups()
            self._write_meta(totals | self._meta)
            self._write_meta({"unfinished run": str(self.run), "run": str(self.run)})
        if names:  # if this process is killed before, the next build makes the database from the ledger
            self._replace_path_database(names)

    def _save_paths(self, condition: str = "1") -> None:
        self.connection.execute(SAVE_OWNED.format(condition=condition))

    def _replace_path_database(self, file: str) -> None:
        """Use a database with the paths of published files that a worker has made.

        Args:
            file: the database, which lacks the files of the manifest.
        """
        path_database = Path(self._database_path("owned"))
        self.connection.execute("DETACH owned")
        self.connection.execute("ATTACH ? AS owned", (file,))
        self._save_paths(IS_OF_MANIFEST)
        self.connection.execute("DETACH owned")
        os.replace(file, path_database)
        self._attach_path_database(path_database)

    def lacks_paths(self) -> bool:
        """Return whether the database with the paths of published files is empty."""
        return self.connection.execute("SELECT 1 FROM owned.names LIMIT 1").fetchone() is None

    def finish(self, notes: Mapping[str, str] = MappingProxyType({})) -> None:
        """Record that this build has put all its files into place.

        Without this mark, the next build treats this one as interrupted.

        Args:
            notes: strings to store for later builds, by name.
        """
        with transaction(self.connection):
            self.connection.execute(FORGET_OWNED)
            self.connection.execute("DELETE FROM removals")
            self._write_meta({"unfinished run": "0", **notes})


def query_ledger_entry(connection: sqlite3.Connection, path: str, unfinished_run: int) -> LedgerEntry | None:
    """Return the digest, size and other facts about a published file.

    Args:
        connection: the connection of the database of published files.
        path: one of the names of the file.
        unfinished_run: the number of the build that did not finish; 0 if every build has finished.

    Returns:
        The facts, or None if no published file has the name.
    """
    row: Any = connection.execute(
        "SELECT path, aliases, digest, size, modified, sources, run FROM documents WHERE path = ?", (path,)
    ).fetchone()
    if row is None or (row[0] != path and path not in row[1].split("\n")):
        return None
    _, _, digest, size, modified, sources, run = row
    if [*map(type, row[2:])] != [bytes, int, int, str, int]:
        raise sqlite3.DatabaseError(f"its table of documents has a malformed row for {path}")
    return LedgerEntry(path, digest, size, modified, sources, run != unfinished_run)
