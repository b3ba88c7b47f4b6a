"""Kinds of damage to a ledger: emptied, cut, overwritten, foreign, of another version, with other values."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from statuary.publish.ledger.ledger import OWNED_NAMES


def sql(*statements: str) -> Callable[[Path], None]:
    def damage(ledger: Path) -> None:
        with closing(sqlite3.connect(ledger)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    return damage


def bytes_at(start: float, length: int, value: bytes = b"\x00") -> Callable[[Path], None]:
    """Overwrite a part of the file, which begins at a fraction of it."""

    def damage(ledger: Path) -> None:
        with ledger.open("r+b") as file:
            file.seek(int(ledger.stat().st_size * start))
            file.write(value * length)

    return damage


def as_folder(ledger: Path) -> None:
    ledger.unlink()
    (ledger / "inside").mkdir(parents=True)


def damage_names(ledger: Path) -> None:
    """Overwrite both databases, of which one would restore the other."""
    for file in (ledger, ledger.with_name(OWNED_NAMES)):
        file.write_bytes(b"x" * 5000)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "gone": Path.unlink,
    "empty": lambda ledger: ledger.write_bytes(b""),
    "other bytes": lambda ledger: ledger.write_bytes(b"no ledger" * 1000),
    "one byte": lambda ledger: ledger.write_bytes(b"x"),
    "half": lambda ledger: os.truncate(ledger, ledger.stat().st_size // 2),
    "one page": lambda ledger: os.truncate(ledger, 4096),
    "a folder": as_folder,
    "a link to nothing": lambda ledger: (ledger.unlink(), ledger.symlink_to("nothing-there/at-all"))[0],
    "header": bytes_at(0, 16),
    "page size": bytes_at(0, 100, b"\xff"),
    **{f"zeros at {start}": bytes_at(start, 4096) for start in (0.1, 0.3, 0.5, 0.7, 0.9)},
    **{f"ones at {start}": bytes_at(start, 2000, b"\xff") for start in (0.05, 0.2, 0.4, 0.6, 0.8)},
    "no documents": sql("DROP TABLE documents"),
    "no sources": sql("DROP TABLE sources"),
    "no notes": sql("DROP TABLE notes"),
    "no removals": sql("DROP TABLE removals"),
    "other columns": sql("DROP TABLE sources", "CREATE TABLE sources (place TEXT)"),
    "a column more": sql("ALTER TABLE documents ADD COLUMN more TEXT"),
    "documents as a view": sql(
        "ALTER TABLE documents RENAME TO d", "CREATE VIEW documents AS SELECT 1 AS path FROM d"
    ),
    "instant is a word": sql("INSERT OR REPLACE INTO notes VALUES ('instant', 'noon')"),
    "run is a word": sql("INSERT OR REPLACE INTO notes VALUES ('run', 'seven')"),
    "unfinished run is a word": sql("INSERT OR REPLACE INTO notes VALUES ('unfinished run', '-')"),
    "counts are words": sql("UPDATE notes SET value = 'many' WHERE name IN ('names', 'size')"),
    "text that is no text": sql("UPDATE notes SET value = CAST(x'ff' AS TEXT) WHERE name = 'run'"),
    "version of nothing": sql("PRAGMA user_version = 0", "DROP TABLE sources", "CREATE TABLE sources (x)"),
    "a version before the first": sql("PRAGMA user_version = -3"),
    "an older version": sql("PRAGMA user_version = 3"),
    "a newer version": sql("PRAGMA user_version = 99"),
    "no rows": sql("DELETE FROM documents"),
    "digests are words": sql("UPDATE documents SET digest = 'none'"),
    "names of ours as well": lambda ledger: (
        (ledger.with_name(OWNED_NAMES)).write_bytes(b"x" * 5000),
        bytes_at(0.52, 1)(ledger),  # within a row: with a damaged page, nothing would tell ours from others'
    )[0],
}
