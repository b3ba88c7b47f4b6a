"""Tables on disk for the duration of one command: there may be millions of rows."""

import sqlite3

CACHE = 16_384
"""KiB of a temporary database that stay in memory."""


def temporary_database(schema: str) -> sqlite3.Connection:
    """Return a database that is deleted when it is closed; what fits in its cache is never written."""
    connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    settings = f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-{CACHE}"
    connection.executescript(f"{settings}; {schema}; BEGIN")
    return connection
