"""Totals of the files that a build adds."""

import sqlite3
from typing import NamedTuple


class ActionTotals(NamedTuple):
    """The number of a build's files with the same actions, and their size."""

    actions: str
    files: int
    size: int  # bytes of their bodies


class FileSummary(NamedTuple):
    """What a worker has noted about all files of a build, except those of the manifest."""

    totals: list[ActionTotals]
    names: str  # a new database with their names; empty if it was not made


def read_totals(connection: sqlite3.Connection, condition: str = "1") -> list[ActionTotals]:
    """Return the number and size of the files that a build adds, by their actions.

    Args:
        connection: a connection to the tables of the build.
        condition: the condition, in SQL, of the files that are counted.
    """
    query = f"SELECT actions, COUNT(*), SUM(size) FROM offered WHERE {condition} GROUP BY actions"
    return [ActionTotals(*row) for row in connection.execute(query)]
