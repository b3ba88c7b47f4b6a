"""SQL transactions."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run statements as one transaction: many times faster than one by one."""
    connection.execute("BEGIN")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # a disk error has already ended it
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
