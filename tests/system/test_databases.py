"""Databases are regular files, and those of others take limited work."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from statuary.publish.ledger.damage import is_intact
from statuary.system.databases import (
    open_database,
    open_read_only_database,
    open_temporary_database,
    open_untrusted_database,
)

OPENERS = (open_database, open_read_only_database, open_untrusted_database)


@pytest.mark.parametrize("opener", OPENERS)
def test_named_pipe_is_rejected_as_database(
    opener: Callable[[Path], sqlite3.Connection], tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "ledger.sqlite3")
    with pytest.raises(sqlite3.DatabaseError, match="not a regular file"):
        opener(tmp_path / "ledger.sqlite3")


@pytest.mark.parametrize("opener", OPENERS)
def test_device_file_is_rejected_as_database(opener: Callable[[Path], sqlite3.Connection]) -> None:
    with pytest.raises(sqlite3.DatabaseError, match="not a regular file"):
        opener(Path("/dev/zero"))


def test_ledger_named_pipe_counts_as_damaged(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ledger.sqlite3")
    assert not is_intact(tmp_path / "ledger.sqlite3")


def database(file: Path, script: str) -> Path:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(script)
    return file


@pytest.mark.parametrize("opener", [open_read_only_database, open_untrusted_database])
def test_read_only_database_rejects_writes(
    opener: Callable[[Path], sqlite3.Connection], tmp_path: Path
) -> None:
    file = database(tmp_path / "made.sqlite3", "CREATE TABLE a (b);")
    with closing(opener(file)) as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("INSERT INTO a VALUES (1)")


def test_endless_untrusted_sqlite_view_is_stopped(tmp_path: Path) -> None:
    script = (
        "CREATE VIEW a AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;"
    )
    file = database(tmp_path / "made.sqlite3", script)
    with closing(open_untrusted_database(file)) as connection, pytest.raises(sqlite3.OperationalError):
        connection.execute("SELECT count(*) FROM a").fetchone()


def test_huge_untrusted_sqlite_value_is_rejected(tmp_path: Path) -> None:
    file = database(tmp_path / "made.sqlite3", "CREATE VIEW a AS SELECT zeroblob(900000000) AS b;")
    with closing(open_untrusted_database(file)) as connection, pytest.raises(sqlite3.DataError):
        connection.execute("SELECT b FROM a").fetchone()


def test_temporary_database_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(open_temporary_database("CREATE TABLE a (b)")) as connection:
        connection.execute("INSERT INTO a VALUES (1)")
    assert list(tmp_path.iterdir()) == []
