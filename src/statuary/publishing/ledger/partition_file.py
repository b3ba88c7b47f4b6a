"""What a partition of a build made, as a file: written wherever it was made, merged where the ledger is.

So a worker returns a name instead of thousands of rows, and an interrupted build leaves what it has done.
"""

import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from statuary.publishing.folder.stager import OfferedFile
from statuary.publishing.ledger.offered_files import OFFERED
from statuary.publishing.ledger.source_rows import COLUMNS, INSERT, SourceRow

SCHEMA = f"""
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
CREATE TABLE offered {OFFERED.format(key="")};
CREATE TABLE pressed {COLUMNS.format(key="")};
CREATE TABLE folders (path TEXT NOT NULL);
BEGIN;
"""


def write_partition_file(
    file: Path, offers: Sequence[OfferedFile], rows: Sequence[SourceRow], folders: Iterable[str]
) -> None:
    """Write what a partition made; the file is there whole, or not at all.

    Args:
        file: where to; one that is there is replaced.
        offers: the files that it staged.
        rows: what became of its sources.
        folders: the folders of the site that its files lie in.
    """
    beside = file.with_suffix(".part")
    beside.unlink(missing_ok=True)
    with closing(sqlite3.connect(beside, isolation_level=None)) as connection:
        connection.executescript(SCHEMA)
        connection.executemany("INSERT INTO offered VALUES (?,?,?,?,?,?,?,?)", offers)
        connection.executemany(INSERT.format("pressed"), rows)
        connection.executemany("INSERT INTO folders VALUES (?)", ((folder,) for folder in folders))
        connection.execute("COMMIT")
    os.replace(beside, file)


def merge_partition_file(connection: sqlite3.Connection, file: Path) -> int:
    """Take over what a partition made; return how many of its files are claimed by another already.

    Args:
        connection: one to which the database `work` is attached, in no transaction.
        file: the shard.
    """
    connection.execute("ATTACH ? AS shard", (str(file),))
    try:
        with connection:
            connection.execute("BEGIN")
            (offers,) = connection.execute("SELECT COUNT(*) FROM shard.offered").fetchone()
            merged = connection.execute("INSERT OR IGNORE INTO work.offered SELECT * FROM shard.offered")
            connection.execute("INSERT OR REPLACE INTO work.pressed SELECT * FROM shard.pressed")
            connection.execute("INSERT OR IGNORE INTO work.folders SELECT path FROM shard.folders")
    finally:
        connection.execute("DETACH shard")
    return int(offers) - merged.rowcount
