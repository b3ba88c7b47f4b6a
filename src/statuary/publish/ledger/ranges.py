"""Work for the ledger of many contracts that runs on other processes.

Workers sort the rows of partitions, and one of them adds these to a copy of the build's tables, with which the
building process then continues. Workers read files that nobody writes any more, or not until they are done.
"""

import os
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

from statuary.base.files import PublishingError
from statuary.publish.ledger.document_table import (
    SCHEMA,
    DocumentTable,
    tables_of_sections,
)
from statuary.publish.ledger.ledger import Ledger
from statuary.publish.ledger.schema import IS_OF_MANIFEST, OWNED, WORK_SETTINGS
from statuary.publish.ledger.totals import FileSummary, read_totals
from statuary.system.databases import open_database, open_read_only_database
from statuary.system.writing import sync_file

SAMPLED_FILES = 8
"""Partitions from whose paths the ends of ranges are taken."""


class RecordedRange(NamedTuple):
    """A task for a worker: to sort the files in a range of paths."""

    after: str  # the path before the first one, ignoring case; empty for none
    until: str | None  # the last path; None for the end
    recorded: tuple[Path, ...]  # the files of all partitions
    sources: tuple[Path, ...]  # the files of the partitions whose rows of sources are in the range
    file: Path  # the database to write the range to


def index_rows_by_path(file: Path) -> None:
    """Index the files in a worker's database by path, to sort them later."""
    with closing(open_database(file)) as connection:
        connection.execute("CREATE INDEX IF NOT EXISTS by_path ON offered (path COLLATE NOCASE)")


def divide_worker_files(files: Sequence[Path], count: int) -> Iterator[RecordedRange]:
    """Divide the files that workers have made into ranges of paths, to sort them.

    Args:
        files: the workers' databases, each with an index by path.
        count: the maximum number of ranges.
    """
    files = sorted(files)
    some = files[:: -(-len(files) // SAMPLED_FILES)]
    # Sort the samples in SQLite's order NOCASE, which ignores the case of ASCII letters.
    sample = sorted((path for file in some for path in _read_paths(file)), key=_fold_case)
    step = max(1, len(sample) // count)
    ends = list(dict.fromkeys(sample[step : step * count : step]))
    parts = len(ends) + 1
    for number, (after, until) in enumerate(zip(["", *ends], [*ends, None], strict=True)):
        file = files[0].with_name(f"sorted-{files[0].stem}-{number:07d}.sqlite3")
        sources = files[len(files) * number // parts : len(files) * (number + 1) // parts]
        yield RecordedRange(after, until, tuple(files), tuple(sources), file)


def _read_paths(file: Path) -> list[str]:
    with closing(open_database(file)) as connection:
        return [path for (path,) in connection.execute("SELECT path FROM offered")]


def _fold_case(path: str) -> bytes:
    """Return a key that sorts paths like SQLite's order NOCASE."""
    return path.encode().lower()


def write_sorted_range(task: RecordedRange) -> Path:
    """Write the rows in a range of paths to a database, sorted.

    The rows of documents are sorted by path. The other tables, such as that of contracts, are sorted by their
    first column.

    Args:
        task: the range, and the databases of workers to read.

    Returns:
        The file of the database.
    """
    unfinished = task.file.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    below = "" if task.until is None else " AND path COLLATE NOCASE <= ?"
    bounds = [task.after] if task.until is None else [task.after, task.until]
    with closing(open_database(unfinished)) as connection:
        connection.executescript(f"{SCHEMA} COMMIT;")
        condition = f"path COLLATE NOCASE > ?{below}"
        for file in task.recorded:
            connection.execute("ATTACH ? AS partition", (str(file),))
            _copy_rows(connection, "offered", f"WHERE {condition}", bounds)
            connection.execute("DETACH partition")
        connection.execute(
            "INSERT INTO main.offered SELECT * FROM gathered_offered ORDER BY path COLLATE NOCASE"
        )
        tables = dict[str, None]()
        for file in task.sources:
            connection.execute("ATTACH ? AS partition", (str(file),))
            for table in tables_of_sections(connection):
                _copy_rows(connection, table)
                tables[table] = None
            connection.execute("DETACH partition")
        for table in tables:
            connection.execute(f"CREATE TABLE main.{table} AS SELECT * FROM gathered_{table} ORDER BY 1")
    os.replace(unfinished, task.file)
    return task.file


def _copy_rows(
    connection: sqlite3.Connection, table: str, condition: str = "", bounds: Sequence[str] = ()
) -> None:
    connection.execute(
        f"CREATE TEMP TABLE IF NOT EXISTS gathered_{table} AS SELECT * FROM partition.{table} LIMIT 0"
    )
    connection.execute(f"INSERT INTO gathered_{table} SELECT * FROM partition.{table} {condition}", bounds)


class BuildTables(NamedTuple):
    """The database of a running build, for workers to read."""

    database: str

    def rows(self, query: str, *values: str | bytes) -> Generator[tuple[Any, ...], None, None]:
        """Run an SQL query on the build's database, and yield the rows.

        Args:
            values: the values of the query's placeholders.
        """
        with closing(open_read_only_database(Path(self.database), immutable=True)) as connection:
            yield from connection.execute(query, values)

    def copy(self, file: Path) -> None:
        """Copy the database to a new file, page by page."""
        with (
            closing(open_read_only_database(Path(self.database), immutable=True)) as source,
            closing(open_database(file)) as copy,
        ):
            copy.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF")
            source.backup(copy)


def tables_for_workers(ledger: Ledger) -> BuildTables | None:
    """Return the tables of this build for workers to read.

    No file may be added to the build until the workers have read the tables.

    Returns:
        The tables, or None if they are in memory.
    """
    database = ledger.build_database_path
    if not database:
        return None
    sync_file(database)
    return BuildTables(database)


class MergeTask(NamedTuple):
    """A task for a worker: to add partitions to the tables of a build."""

    tables: BuildTables
    partitions: tuple[Path, ...]
    run: int
    sampling: int  # of how many rows the path of one is returned
    indexes: tuple[str, ...]  # the statements that index the tables of sections


class MergedTables(NamedTuple):
    """The tables of a build to which a worker has added partitions."""

    database: str
    sampled_paths: list[str]
    path_conflict: PublishingError | None


def merge_into_tables(task: MergeTask) -> MergedTables:
    """Add partitions to a copy of a build's tables, and index the tables.

    The copy has a name of its own: a worker that was given up may still be writing to another.
    """
    file = f"{task.tables.database}.{token_hex(8)}"
    task.tables.copy(Path(file))
    with closing(open_database(None)) as connection:
        connection.execute("ATTACH ? AS work", (file,))
        connection.executescript(WORK_SETTINGS)
        documents = DocumentTable(connection, task.run, task.sampling)
        for partition in task.partitions:
            documents.merge_partition(partition)
        for statement in task.indexes:
            connection.execute(statement)
    sync_file(file)
    return MergedTables(file, documents.sampled_paths, documents.path_conflict)


def merge_task(ledger: Ledger, partitions: Sequence[Path]) -> MergeTask | None:
    """Return the task to add partitions to the tables of a build.

    Add nothing to the build until a worker has done it.

    Args:
        partitions: the databases of the partitions, in the order of their paths.

    Returns:
        The task, or None if the tables are in memory.
    """
    tables = tables_for_workers(ledger)
    if tables is None:
        return None
    return MergeTask(tables, tuple(partitions), ledger.run, ledger.documents.sampling, ledger.build_indexes)


def use_merged_tables(ledger: Ledger, merged: MergedTables) -> None:
    """Continue a build with the tables to which a worker has added partitions."""
    ledger.replace_build_database(merged.database)
    documents = ledger.documents
    documents.sampled_paths += merged.sampled_paths
    documents.path_conflict = documents.path_conflict or merged.path_conflict


class SummaryTask(NamedTuple):
    """A task for a worker: to count all files of a build, and to list their names."""

    tables: BuildTables
    makes_names: bool


def summarize_files(task: SummaryTask) -> FileSummary:
    """Count all files of a build, except those of the manifest, and list their names in a database."""
    names = f"{task.tables.database}.{token_hex(8)}" if task.makes_names else ""
    condition = f"NOT {IS_OF_MANIFEST}"
    with closing(open_read_only_database(Path(task.tables.database), immutable=True)) as connection:
        totals = read_totals(connection, condition)
        if names:
            connection.execute("ATTACH ? AS owned", (names,))
            connection.executescript(OWNED)
            query = f"SELECT path, aliases FROM offered WHERE {condition}"
            connection.execute(f"INSERT INTO owned.names {query}")
            connection.commit()
            sync_file(names)
    return FileSummary(totals, names)


class ListedRange(NamedTuple):
    """A range of the new site's files, sorted by path."""

    tables: BuildTables
    after: str  # the path before the first one; empty for none
    ends: tuple[str, ...]  # the last path of this range, and of the next one; empty for the end of the site

    @property
    def until(self) -> str | None:
        """The last path; None for the end."""
        return self.ends[0] if self.ends else None

    def rows(self) -> Generator[tuple[str, str, int, bytes], None, None]:
        """Yield the site's files from the start of this range on.

        Files after `until`, the end of the range, are yielded too, so the caller must stop there.

        Yields:
            Path, aliases (one a line), size in bytes and SHA-256.
        """
        for after, until in pairwise((self.after, *self.ends)):
            yield from self.tables.rows(
                "SELECT path, aliases, size, digest FROM offered WHERE path BETWEEN ? AND ?"
                " AND path > ? COLLATE BINARY AND path <= ? COLLATE BINARY ORDER BY path COLLATE BINARY",
                *bounds_ignoring_case(after, until),
                after,
                until,
            )
        yield from self.tables.rows(
            "SELECT path, aliases, size, digest FROM offered WHERE path > ? COLLATE BINARY"
            " ORDER BY path COLLATE BINARY",
            (self.after, *self.ends)[-1],
        )


def bounds_ignoring_case(after: str, until: str) -> tuple[str, str]:
    """Return bounds, in the order that ignores case, of all paths in a range of the order of bytes.

    The table of files is sorted without regard to case, and the manifest by bytes.

    Args:
        after: the path before the range.
        until: the last path of the range.
    """
    same = next(place for place, last in enumerate(until) if after[place : place + 1] != last)
    prefix, first, last = until[:same], after[same : same + 1], until[same]
    # The two orders differ only where capital letters begin and end.
    characters = [first, *(edge for edge in "@AZ[" if first < edge < last), last]
    folded = [_fold_case(character).decode() for character in characters]
    return prefix + min(folded), prefix + max(folded) + "\U0010ffff"


def divide_site_files(ledger: Ledger, most: int) -> list[ListedRange]:
    """Divide the files of the new site into ranges, for several workers.

    No file may be added before the ranges have been read.

    Args:
        most: the approximate maximum number of ranges.

    Returns:
        The ranges; none if the build's tables are in memory.
    """
    tables, sample = tables_for_workers(ledger), ledger.documents.sampled_paths
    if tables is None:
        return []
    ends = sorted(set(sample[:: 1 + len(sample) // most]))
    return [
        ListedRange(tables, after, tuple(ends[number : number + 2]))
        for number, after in enumerate(["", *ends])
    ]
