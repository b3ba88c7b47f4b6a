"""The files of a site, of the last and this build."""

import os
import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from statuary.base.files import PublishingError, transaction
from statuary.publish.ledger.schema import (
    IS_OF_MANIFEST,
    AddedFile,
    PartitionResult,
    all_names,
)
from statuary.publish.ledger.totals import ActionTotals, FileSummary, read_totals
from statuary.system.databases import open_database

KEEP, ADD, REPLACE, OBSTRUCTED = "k", "a", "r", "x"
"""The action for a name: none, a new file, a changed file, or an obstruction that a person has to remove."""

NAMES = "1 + (d.aliases != '') + length(d.aliases) - length(replace(d.aliases, char(10), ''))"
"""The number of names of a document `d`."""


SourcedFile = tuple[str, str, int, bytes, str]
"""A file made from content files: path, aliases, size in bytes, SHA-256 and sources; aliases and sources are one a line."""

SOURCED_FILE = "path, aliases, size, digest, sources FROM documents WHERE sources != ''"


SAMPLED_ROWS = 4_093
"""One of so many rows is sampled; a prime number, because the documents of a contract are in the same order."""


class _RetainedFiles(NamedTuple):
    names: int
    size: int  # bytes of their bodies


class SiteSize(NamedTuple):
    """The number of files and bytes of the site after the build.

    Attributes:
        by_action: the number of names by action; files that stay without being added count as kept.
    """

    by_action: dict[str, int]
    size: int  # bytes of all bodies, each counted once
    changed_size: int  # bytes of the bodies to write


def _format_sources(sources: str) -> str:
    return sources.replace("\n", ", ") or "the whole site"


class DocumentTable:
    """The table of a site's files in the ledger, the build's database.

    The table `main.documents` has the files of the last build, `work.offered` those that this build adds.

    Attributes:
        path_conflict: the error if documents of two sources have the same path; None again when the documents
            of both are discarded.
    """

    def __init__(self, connection: sqlite3.Connection, run: int, sampling: int | None = None) -> None:
        """Use the tables of a connection.

        Args:
            run: the number of this build.
            sampling: of how many rows of workers the path of one is kept; None for `SAMPLED_ROWS`.
        """
        self.connection = connection
        self.run = run
        self.sampling = sampling or SAMPLED_ROWS
        self.sampled_paths: list[str] = []  # the paths of some files that workers have made
        self._values = f"VALUES ({PLACEHOLDERS}, {run})"
        self._merged_count = 0
        self.partial = False  # whether files that this build does not add stay, except marked ones
        self.path_conflict: PublishingError | None = None
        self.summary: FileSummary | None = None
        self._changes_at_summary = 0
        self.has_discarded = False  # whether files were withdrawn, whose bodies may be staged

    def add(self, files: Iterable[AddedFile]) -> None:
        """Add files to those that this build will publish.

        Raises:
            PublishingError: if the path of a file is already taken, possibly in another case.
        """
        last_file: deque[AddedFile] = deque(maxlen=1)

        def remember_last_file() -> Iterator[AddedFile]:
            for file in files:
                last_file.append(file)
                yield file

        with transaction(self.connection):
            try:
                self.connection.executemany(f"INSERT INTO work.offered {self._values}", remember_last_file())
            except sqlite3.IntegrityError:
                raise self._same_path_error(last_file[0]) from None

    def _same_path_error(self, file: AddedFile) -> PublishingError:
        query = "SELECT path, sources FROM work.offered WHERE path = ?"
        other_path, sources = self.connection.execute(query, (file.path,)).fetchone()
        return same_path_error(other_path, sources, file.path, file.sources)

    def add_if_free(self, files: Sequence[AddedFile]) -> bool:
        """Add files to this build, except those whose path is taken.

        The error about a taken path is raised later, by `Ledger.plan`.

        Returns:
            Whether all files were added.
        """
        changes_before = self.connection.total_changes
        with transaction(self.connection):
            self.connection.executemany(f"INSERT OR IGNORE INTO work.offered {self._values}", files)
        if len(files) == self.connection.total_changes - changes_before:
            return True
        query = "SELECT 1 FROM work.offered WHERE path = ? AND sources != ?"
        clashing = (
            file for file in files if self.connection.execute(query, (file.path, file.sources)).fetchone()
        )
        self.path_conflict = self.path_conflict or self._same_path_error(next(clashing, files[-1]))
        return False

    def merge_partition(self, file: Path) -> None:
        """Add a worker's results to those of this build.

        If a file of the worker has the path of another file, the error is stored in `path_conflict`.

        Call this function outside a transaction: SQLite cannot attach a database within one.

        Args:
            file: the database that `write_partition_file` wrote.
        """
        execute = self.connection.execute
        execute("ATTACH ? AS partition", (str(file),))
        try:
            with self.connection:
                execute("BEGIN")
                ((count,),) = execute("SELECT COALESCE(MAX(rowid), 0) FROM partition.offered")
                merged_rows = execute(
                    f"INSERT OR IGNORE INTO work.offered SELECT *, {self.run} FROM partition.offered"
                )
                for name in tables_of_sections(self.connection):
                    execute(f"INSERT OR REPLACE INTO work.{name} SELECT * FROM partition.{name}")
                if merged_rows.rowcount < count and (clash := execute(PATH_CONFLICT).fetchone()):
                    self.path_conflict = self.path_conflict or same_path_error(*clash)
                self._sample_paths(count)
        finally:
            execute("DETACH partition")

    def _sample_paths(self, count: int) -> None:
        """Keep the path of one of `sampling` rows of the attached partition."""
        query = "SELECT path FROM partition.offered WHERE rowid = ?"
        for row in range(self.sampling - self._merged_count % self.sampling, count + 1, self.sampling):
            self.sampled_paths += self.connection.execute(query, (row,)).fetchone()
        self._merged_count += count

    def reserve(self, path: str) -> bool:
        """Reserve the path of a document that is not stored in this table.

        Returns:
            Whether the path was free.
        """
        file = AddedFile(path, "", b"", 0, 0, "", persistent=True, actions=ADD)
        return self.add_if_free([file])

    def discard(self, paths: Iterable[str]) -> None:
        """Take back files that this build has added.

        Args:
            paths: the paths of these files.
        """
        values = [(path,) for path in paths]
        self.connection.executemany("DELETE FROM work.offered WHERE path = ?", values)
        # even without a row: an exception may have come between the body and its row
        self.has_discarded |= bool(values)

    def discard_all(self) -> None:
        """Forget all files that this build was going to add or remove."""
        self.path_conflict = None
        for table in ("offered", "removed_unless_offered"):
            self.connection.execute(f"DELETE FROM work.{table}")

    def remove_unless_added(self, paths: Iterable[str]) -> None:
        """Remove some published files, unless this build adds them again.

        A build of the whole site does not need this call: it removes every file that it does not add.
        """
        if self.partial:
            query = "INSERT OR IGNORE INTO work.removed_unless_offered VALUES (?)"
            self.connection.executemany(query, ((path,) for path in paths))

    def remove_site_unless_added(self) -> None:
        """Remove each published file, unless this build adds it again.

        Files that were published with `persistent` set are not removed.
        """
        query = "INSERT OR IGNORE INTO work.removed_unless_offered SELECT path FROM documents WHERE persistent = 0"
        self.connection.execute(query)

    def is_to_be_written(self, name: str) -> bool:
        """Return whether this build writes a new or changed file.

        Args:
            name: the path of the file in the site.
        """
        query = "SELECT path, aliases, actions FROM work.offered WHERE path = ?"
        row = self.connection.execute(query, (name,)).fetchone()
        return row is not None and (name, True) in [
            (alias, action in (ADD, REPLACE))
            for alias, action in zip(all_names(*row[:2]), row[2], strict=True)
        ]

    def files_to_write(self) -> Iterator[tuple[str, str, int]]:
        """Yield the files that this build has to write, sorted by path.

        Yields:
            The action, the name, and the size in bytes.
        """
        query = "SELECT path, aliases, size, actions FROM work.offered WHERE actions NOT IN ('k', 'kk')"
        for path, aliases, size, actions in self.connection.execute(f"{query} ORDER BY path COLLATE BINARY"):
            for name, action in zip(all_names(path, aliases), actions, strict=True):
                if action != KEEP:
                    yield action, name, size

    def conflicting_paths(self) -> Iterator[str]:
        """Yield the paths that the build needs, but at which other programs have files."""
        query = (
            "SELECT path, aliases, actions FROM work.offered AS o WHERE instr(actions, 'x') > 0"
            " OR (instr(actions, 'r') > 0 AND NOT EXISTS (SELECT 1 FROM documents AS d WHERE d.path = o.path)"
            " AND NOT EXISTS (SELECT 1 FROM owned.names AS n WHERE n.path = o.path))"
            " ORDER BY path COLLATE BINARY"
        )
        for path, aliases, actions in self.connection.execute(query):
            for name, action in zip(all_names(path, aliases), actions, strict=True):
                if action in (OBSTRUCTED, REPLACE):
                    yield name

    def paths_to_remove(self) -> Iterator[str]:
        """Yield the paths of published files that the build will remove."""
        if self._is_first_build():
            return
        renamed = (
            "SELECT d.path, d.aliases, o.path, o.aliases FROM work.offered AS o CROSS JOIN documents AS d"
            " ON d.path = o.path WHERE d.path != o.path COLLATE BINARY OR d.aliases != o.aliases"
        )
        removal_query = "SELECT path, aliases, '', '' FROM leaving_documents"
        for old, old_aliases, new, new_aliases in self.connection.execute(
            f"{removal_query} UNION ALL {renamed}"
        ):
            names = set(all_names(new, new_aliases)) if new else set()
            yield from (name for name in all_names(old, old_aliases) if name not in names)

    def _is_first_build(self) -> bool:
        """Return whether no file was published before."""
        return self.connection.execute("SELECT 1 FROM documents LIMIT 1").fetchone() is None

    def size_after_build(self, published_path_count: int, published_bytes: int) -> SiteSize:
        """Return the number of files and bytes that the site has after the build.

        They are those of the last build, with the changes of this one.

        Args:
            published_path_count: how many paths the site had after the last build.
            published_bytes: the size of the site after the last build.
        """
        rows = self._totals()
        by_action = {
            action: sum(count * actions.count(action) for actions, count, _ in rows)
            for action in (KEEP, ADD, REPLACE, OBSTRUCTED)
        }
        size = sum(size for _, _, size in rows)
        changed_size = sum(size for actions, _, size in rows if actions[0] != KEEP)
        if self.partial:
            retained = self._count_retained_files(published_path_count, published_bytes)
            by_action[KEEP] += retained.names
            size += retained.size
        return SiteSize(by_action, size, changed_size)

    def _totals(self) -> list[ActionTotals]:
        if self.summary is not None:
            of_manifest = read_totals(self.connection, IS_OF_MANIFEST)
            added = sum(total.files for total in of_manifest)
            if self.connection.total_changes == self._changes_at_summary + added:
                return [*self.summary.totals, *of_manifest]
            self.summary = None  # other rows were changed after the worker had read all
        return read_totals(self.connection)

    def use_summary(self, summary: FileSummary) -> None:
        """Use what a worker has noted about all files of this build, unless other files follow."""
        self.summary, self._changes_at_summary = summary, self.connection.total_changes

    def _count_retained_files(self, published_path_count: int, published_bytes: int) -> _RetainedFiles:
        sums = f"COALESCE(SUM({NAMES}), 0), COALESCE(SUM(d.size), 0)"
        joined_tables = "work.offered AS o CROSS JOIN documents AS d ON d.path = o.path"
        for rows in (joined_tables, "leaving_documents AS d"):
            minus_names, minus_size = self.connection.execute(f"SELECT {sums} FROM {rows}").fetchone()
            published_path_count, published_bytes = (
                published_path_count - minus_names,
                published_bytes - minus_size,
            )
        return _RetainedFiles(published_path_count, published_bytes)

    def files_with_sources(self, after: str = "", limit: int = -1) -> Iterator[SourcedFile]:
        """Yield published files that were made from content files, by path.

        Args:
            after: the path before the first file; empty to begin with the first of all.
            limit: the most files to yield; negative for no limit.
        """
        query = f"SELECT {SOURCED_FILE} AND path > ? ORDER BY path LIMIT ?"
        return self.connection.execute(query, (after, limit))

    def files_with_sources_in(self, folder: str) -> Iterator[SourcedFile]:
        """Yield a folder's published files that were made from content files.

        Args:
            folder: the path of the folder, without its subfolders; empty for the root of the site.
        """
        start = f"{folder}/" if folder else ""
        in_folder = "path > ? AND (? = '' OR path < ?) AND instr(substr(path, ?), '/') = 0"
        query = f"SELECT {SOURCED_FILE} AND {in_folder} ORDER BY path"
        return self.connection.execute(query, (start, folder, f"{folder}0", len(start) + 1))

    def folders_of_documents_with_sources(self) -> set[str]:
        """Return the folders with files that this build makes from content files."""
        query = "SELECT path, aliases FROM work.offered WHERE sources != ''"
        return {
            name.rpartition("/")[0]
            for path, aliases in self.connection.execute(query)
            for name in all_names(path, aliases)
        }

    def new_site_files(self) -> Iterator[tuple[str, str, int, bytes]]:
        """Yield all files of the new site, sorted by path.

        Yields:
            Path, aliases (one a line), size in bytes and SHA-256.
        """
        return self.connection.execute(
            "SELECT path, aliases, size, digest FROM work.offered UNION ALL"
            " SELECT path, aliases, size, digest FROM documents AS d"
            " WHERE NOT EXISTS (SELECT 1 FROM work.offered AS o WHERE o.path = d.path)"
            " AND NOT EXISTS (SELECT 1 FROM leaving_documents AS l WHERE l.path = d.path)"
            " ORDER BY path COLLATE BINARY"
        )

    def files_above(self, size: int) -> Iterator[tuple[str, int]]:
        """Yield the path and size of each file of the new site with more than `size` bytes, sorted by path."""
        return self.connection.execute(
            "SELECT path, size FROM work.offered WHERE size > ? UNION ALL"
            " SELECT path, size FROM documents AS d WHERE size > ?"
            " AND NOT EXISTS (SELECT 1 FROM work.offered AS o WHERE o.path = d.path)"
            " AND NOT EXISTS (SELECT 1 FROM leaving_documents AS l WHERE l.path = d.path)"
            " ORDER BY path COLLATE BINARY",
            (size, size),
        )

    def count_listed(self, folder: str, pattern: str) -> int:
        """Return the number of files of the new site in a folder.

        Args:
            folder: the path of the folder, with a slash at its end.
            pattern: an SQL pattern of the paths to count.
        """
        within = "path > ? AND path < ? AND path LIKE ?"
        kept_files = (
            f"SELECT COUNT(*) FROM documents AS d WHERE {within}"
            " AND NOT EXISTS (SELECT 1 FROM work.offered AS o WHERE o.path = d.path)"
            " AND NOT EXISTS (SELECT 1 FROM leaving_documents AS l WHERE l.path = d.path)"
        )
        queries = (f"SELECT COUNT(*) FROM work.offered WHERE {within}", kept_files)
        values = (folder, f"{folder[:-1]}0", pattern)
        return sum(self.connection.execute(query, values).fetchone()[0] for query in queries)

    def files_changed_since_last_build(self) -> Iterator[tuple[str, str, int, bytes | None]]:
        """Yield the files that differ from the last build, sorted by path.

        Yields:
            Path, aliases (one a line), size in bytes and SHA-256; the digest of a removed file is None.
        """
        return self.connection.execute(
            "SELECT path, aliases, size, digest FROM work.offered AS o WHERE NOT EXISTS (SELECT 1 FROM documents AS d"
            " WHERE d.path = o.path AND d.digest = o.digest AND d.aliases = o.aliases"
            " AND d.path = o.path COLLATE BINARY)"
            " UNION ALL SELECT d.path, '', 0, NULL FROM work.offered AS o CROSS JOIN documents AS d"
            " ON d.path = o.path WHERE d.path != o.path COLLATE BINARY"
            " UNION ALL SELECT path, '', 0, NULL FROM leaving_documents"
            " ORDER BY path COLLATE BINARY"
        )

    def published_paths(self) -> Iterator[str]:
        """Yield the paths that the last build published."""
        for (path,) in self.connection.execute("SELECT path FROM documents"):
            yield path

    def keep_published_folder(self, folder: str) -> None:
        """Keep a folder exactly as the last build published it.

        Files that this build has added to the folder are discarded.

        Args:
            folder: the path of a folder, or of a single file to keep.
        """
        names = "(path = ? OR path >= ? AND path < ?)"
        bounds = (folder, f"{folder}/", f"{folder}0")
        self.has_discarded = True
        for table in ("offered", "removed_unless_offered"):
            self.connection.execute(f"DELETE FROM work.{table} WHERE {names}", bounds)
        self.retain_unreplaced_files(folder)

    def retain_unreplaced_files(self, folder: str) -> None:
        """Keep a folder's published files, unless this build adds new versions.

        For example, if this build adds `logs/b.json`, the folder `logs` keeps the published `logs/a.json`.

        Args:
            folder: the path of a folder, or of a single file to keep.
        """
        names = "(path = ? OR path >= ? AND path < ?)"
        bounds = (folder, f"{folder}/", f"{folder}0")
        # A build of the whole site removes every file that was not added to it. So add the last build's files
        # again.
        action = "CASE WHEN aliases = '' THEN 'k' ELSE 'kk' END"
        self.connection.execute(
            "INSERT INTO work.offered SELECT path, aliases, digest, size, modified, sources, persistent,"
            f" {action}, run FROM documents WHERE {names} AND path NOT IN (SELECT path FROM work.offered)",
            bounds,
        )

    def paths_made_from(self, sources: str, folder: str) -> list[str]:
        """Return a folder's published files that were made from given content.

        A file that was made from more or fewer content files is not returned.

        Args:
            sources: the paths of the content files, one on each line.
            folder: the folder in the site.
        """
        query = "SELECT path FROM documents WHERE path >= ? AND path < ? AND sources = ?"
        rows = self.connection.execute(query, (f"{folder}/", f"{folder}0", sources))
        return [path for (path,) in rows]

    def sole_sources_below(self, source_folder: str, site_folder: str) -> list[str]:
        """Return content files from which alone some published file was made.

        For example, `incidents/a.yaml` is the sole source of the document of that incident.

        Args:
            source_folder: the folder of the content files.
            site_folder: the folder of the published files.
        """
        query = """SELECT DISTINCT sources FROM documents WHERE path >= ? AND path < ?
            AND sources >= ? AND sources < ? AND instr(sources, char(10)) = 0"""
        bounds = (f"{site_folder}/", f"{site_folder}0", f"{source_folder}/", f"{source_folder}0")
        return [source for (source,) in self.connection.execute(query, bounds)]

    def are_unchanged_since(self, build_number: int, paths: Iterable[str]) -> bool:
        """Return whether files have not changed since a given build.

        Args:
            build_number: the number of the build.
            paths: the paths of the published files.
        """
        query = "SELECT 1 FROM documents WHERE path = ? AND run <= ?"
        return all(self.connection.execute(query, (path, build_number)).fetchone() for path in paths)

    def paths_under(self, folder: str) -> list[str]:
        """Return the published paths in a folder.

        Args:
            folder: the path of a folder, or of a single file, which is then returned.
        """
        query = "SELECT path FROM documents WHERE path = ? OR path >= ? AND path < ?"
        return [path for (path,) in self.connection.execute(query, (folder, f"{folder}/", f"{folder}0"))]

    def paths_removed_by_plan(self, *, skip_case_variants: bool) -> Iterator[str]:
        """Yield the paths that the saved plan removes.

        A build saves its plan before it changes files, so that the next one can finish it.

        Args:
            skip_case_variants: whether to leave out a path that differs only in case from one that stays.
        """
        stays = (
            "WHERE NOT EXISTS (SELECT 1 FROM documents AS d WHERE d.path = r.path)"
            if skip_case_variants
            else ""
        )
        for (name,) in self.connection.execute(f"SELECT path FROM removals AS r {stays} ORDER BY path"):
            yield name

    def has_aliases(self) -> bool:
        """Return whether any file of this build has several paths.

        For example, a contract has a second path with its address in lower case.
        """
        return (
            self.connection.execute("SELECT 1 FROM work.offered WHERE aliases != ''").fetchone() is not None
        )

    def save(self) -> None:
        """Store the list of the new site's files; the caller commits it."""
        execute = self.connection.execute
        if self._is_first_build():  # SQLite then copies the rows as they are, in half the time
            execute("INSERT INTO documents SELECT * FROM work.offered")
            return
        self.connection.executemany(
            "INSERT OR IGNORE INTO removals VALUES (?)", ((name,) for name in self.paths_to_remove())
        )
        execute("DELETE FROM documents WHERE path IN (SELECT path FROM leaving_documents)")
        # Do not update the rows of unchanged files, so that they keep the number of the build that wrote
        # them. This also saves time.
        execute(
            "INSERT INTO documents SELECT * FROM work.offered WHERE 1 ON CONFLICT (path) DO UPDATE SET path = excluded.path,"
            " aliases = excluded.aliases, digest = excluded.digest, size = excluded.size,"
            " modified = excluded.modified, sources = excluded.sources, persistent = excluded.persistent,"
            " actions = excluded.actions, run = excluded.run WHERE digest != excluded.digest OR modified != excluded.modified"
            " OR sources != excluded.sources OR aliases != excluded.aliases OR persistent != excluded.persistent"
            " OR path != excluded.path COLLATE BINARY"
        )


def same_path_error(
    first_path: str, first_sources: str, second_path: str, second_sources: str
) -> PublishingError:
    """Return the error about two documents with the same path.

    Paths that differ only in case count as the same.

    Args:
        first_sources: the content files that the first document was made from, one on each line.
        second_sources: the content files that the second document was made from, one on each line.
    """
    same = "the same path" if first_path == second_path else "paths that differ only in case"
    return PublishingError(
        f"two documents have {same}: {first_path}, made from {_format_sources(first_sources)}, and {second_path}, made from"
        f" {_format_sources(second_sources)}",
        "rename one of the two",
    )


PLACEHOLDERS = ",".join("?" * len(AddedFile._fields))

SCHEMA = f"""
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
CREATE TABLE offered ({", ".join(AddedFile._fields)});
BEGIN;
"""


def write_partition_file(file: Path, result: PartitionResult) -> None:
    """Write the results of a worker's task (partition) to a database file.

    The results are the rows about the documents that the worker has made. The file appears in one step.
    """
    unfinished = file.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    with closing(open_database(unfinished)) as connection:
        connection.executescript(SCHEMA)
        # Convert named tuples to tuples, because sqlite3 takes twice as long to insert named ones.
        connection.executemany(f"INSERT INTO offered VALUES ({PLACEHOLDERS})", map(tuple, result.files))
        if (rows := result.rows) is not None:
            connection.execute(f"CREATE TABLE {rows.table} ({', '.join(rows.columns)})")
            connection.executemany(f"INSERT INTO {rows.insert_clause}", map(tuple, rows.rows))
        connection.execute("COMMIT")
    os.replace(unfinished, file)


PATH_CONFLICT = """
SELECT o.path, o.sources, p.path, p.sources FROM partition.offered AS p JOIN work.offered AS o ON o.path = p.path
    ORDER BY o.sources = p.sources LIMIT 1
"""


def tables_of_sections(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the tables in a worker's database that sections own.

    For example, the table of contracts. The table of files, which has no section, is left out.

    Args:
        connection: a connection to which the database is attached as `partition`.
    """
    query = "SELECT name FROM partition.sqlite_master WHERE type = 'table' AND name != 'offered'"
    return [name for (name,) in connection.execute(query)]
