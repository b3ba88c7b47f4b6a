"""The results of a partition in a file: a worker writes it, and the ledger merges it.

A worker returns a name instead of thousands of rows, and an interrupted build keeps finished partitions.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from statuary.publishing.errors import PublishingError
from statuary.publishing.ledger.document_table import same_path_error
from statuary.publishing.ledger.schema import (
    OFFERED_COLUMNS,
    OFFERED_VALUES,
    SOURCE_COLUMNS,
    SOURCE_VALUES,
)
from statuary.publishing.partition_output import PartitionResult

SCHEMA = f"""
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
CREATE TABLE offered {OFFERED_COLUMNS.format(key="")};
CREATE TABLE built {SOURCE_COLUMNS.format(key="")};
CREATE TABLE folders (path TEXT NOT NULL);
BEGIN;
"""


def write_partition_file(file: Path, made: PartitionResult) -> None:
    """Write the results of a partition, atomically."""
    unfinished = file.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
        connection.executescript(SCHEMA)
        # sqlite3 binds the values of a plain tuple in half of the time
        connection.executemany(f"INSERT INTO offered {OFFERED_VALUES}", map(tuple, made.files))
        connection.executemany(f"INSERT INTO built {SOURCE_VALUES}", map(tuple, made.rows))
        connection.executemany("INSERT INTO folders VALUES (?)", ((folder,) for folder in made.folders))
        connection.execute("COMMIT")
    os.replace(unfinished, file)


CLASH = """
SELECT o.path, o.sources, p.path, p.sources FROM partition.offered AS p JOIN work.offered AS o ON o.path = p.path
    ORDER BY o.sources = p.sources LIMIT 1
"""


def merge_partition_file(connection: sqlite3.Connection, file: Path) -> PublishingError | None:
    """Merge the results of a partition; return the error for a path that another file has.

    Args:
        connection: a ledger's, outside a transaction.
    """
    connection.execute("ATTACH ? AS partition", (str(file),))
    try:
        with connection:
            connection.execute("BEGIN")
            (files,) = connection.execute("SELECT COUNT(*) FROM partition.offered").fetchone()
            merged = connection.execute("INSERT OR IGNORE INTO work.offered SELECT * FROM partition.offered")
            connection.execute("INSERT OR REPLACE INTO work.built SELECT * FROM partition.built")
            connection.execute("INSERT OR IGNORE INTO work.folders SELECT path FROM partition.folders")
            is_clash = merged.rowcount < files
            clash = connection.execute(CLASH).fetchone() if is_clash else None
    finally:
        connection.execute("DETACH partition")
    return None if clash is None else same_path_error(*clash)
