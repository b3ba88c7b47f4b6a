"""Work for the ledger of many contracts that runs on other processes.

Workers sort the rows of partitions and read added files. The building process only appends sorted rows, and
makes one index. Workers read files that nobody writes any more, or not until they are done.
"""

import os
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from heapq import merge
from pathlib import Path
from typing import Any, NamedTuple

from statuary.publish.ledger.document_table import SCHEMA, tables_of_sections
from statuary.publish.ledger.ledger import Ledger
from statuary.system.databases import open_database, open_read_only_database
from statuary.system.writing import sync_file

SAMPLED_FILES = 8
"""Partitions from whose paths the ends of ranges are taken."""

LISTED_SAMPLE = bytes([0, 16])
"""The ends of ranges: files whose digest is less than this, one of 4,096."""


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


def divide_recorded_rows(files: Sequence[Path], count: int) -> Iterator[RecordedRange]:
    """Divide the files that workers have made into ranges of paths, to sort them.

    Args:
        files: the workers' databases, each with an index by path.
        count: the maximum number of ranges.
    """
    files = sorted(files)
    some = files[:: -(-len(files) // SAMPLED_FILES)]
    # Each sample comes from SQLite in the order NOCASE, which ignores the case of ASCII letters. Merge the
    # samples in the same order.
    sample = list(merge(*map(_read_sorted_paths, some), key=lambda path: path.encode().lower()))
    step = max(1, len(sample) // count)
    ends = list(dict.fromkeys(sample[step : step * count : step]))
    for number, (after, until) in enumerate(zip(["", *ends], [*ends, None], strict=True)):
        file = files[0].with_name(f"sorted-{files[0].stem}-{number:07d}.sqlite3")
        yield RecordedRange(after, until, tuple(files), tuple(files[number :: len(ends) + 1]), file)


def _read_sorted_paths(file: Path) -> list[str]:
    with closing(open_database(file)) as connection:
        rows = connection.execute("SELECT path FROM offered ORDER BY path COLLATE NOCASE")
        return [path for (path,) in rows]


def write_sorted_range(task: RecordedRange) -> Path:
    """Write the rows in a range of paths to a database, sorted.

    Documents are sorted by path, and the rows of sections by their first column.

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


def tables_for_workers(ledger: Ledger) -> BuildTables | None:
    """Return the tables of this build for workers to read.

    No file may be added to the build until the workers have read the tables.

    Returns:
        The tables, or None if they are in memory.
    """
    database = ledger.build_database
    if not database:
        return None
    sync_file(database)
    return BuildTables(database)


class ListedRange(NamedTuple):
    """A range of the site's files, for a worker that writes the manifest."""

    tables: BuildTables
    after: str  # the path before the first one; empty for none
    until: str | None  # the last path; None for the end

    def rows(self) -> Generator[tuple[str, str, int, bytes], None, None]:
        """Yield the files of the new site, beginning with this range.

        The range ends with the path `until`. The files after it are yielded too, so the caller must stop
        there.

        Yields:
            Path, aliases (one a line), size in bytes and SHA-256.
        """
        yield from self.tables.rows(
            "SELECT path, aliases, size, digest FROM offered WHERE path COLLATE BINARY > ?"
            " ORDER BY path COLLATE BINARY",
            self.after,
        )


def listed_ranges(ledger: Ledger) -> list[ListedRange]:
    """Divide the files of the new site into ranges, for several workers.

    No file may be added before the ranges have been read.

    Returns:
        The ranges; none if the build's tables are in memory.
    """
    execute = ledger.connection.execute
    if ledger.build_database:
        execute("CREATE INDEX IF NOT EXISTS work.offered_by_path ON offered (path COLLATE BINARY)")
    tables = tables_for_workers(ledger)
    if tables is None:
        return []
    query = "SELECT path FROM work.offered WHERE digest < ? ORDER BY path COLLATE BINARY"
    ends = [path for (path,) in execute(query, (LISTED_SAMPLE,))]
    return [
        ListedRange(tables, after, until) for after, until in zip(["", *ends], [*ends, None], strict=True)
    ]
