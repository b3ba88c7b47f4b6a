"""The entries of the transparency log by subject: rows made from its entries, which are the truth."""

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from statuary.domain.log.entries import EntryKind, LogAction, LogEntry, LogSubject, parse_entry
from statuary.publishing.ledger.schema import SUPERSEDED
from statuary.publishing.ledger.transaction import transaction

COLUMNS = "(entry INTEGER PRIMARY KEY, subject TEXT NOT NULL, body BLOB NOT NULL)"
INDEX = "CREATE INDEX IF NOT EXISTS {schema}.{schema}_log_subjects ON log_entries (subject, entry)"
STATE = "log state"
"""The note of the log that the rows come from."""

COMPLETE = "log complete"
"""The note that every contract of the last build is in the log."""

PAGE = 2_000

NumberedEntry = tuple[int, LogEntry]
"""An entry and its number in the log, from 0."""


class ContractFiles(NamedTuple):
    """A contract of the new site, with the paths of its source's documents."""

    chain_id: str
    address: str
    match_id: str
    paths: tuple[str, ...]


class LogTable:
    """The entries of the log: `main.log_entries` as published, `work.log_entries` of this build."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        for schema in ("main", "work"):
            connection.execute(f"CREATE TABLE IF NOT EXISTS {schema}.log_entries {COLUMNS}")
            connection.execute(INDEX.format(schema=schema))

    def add(self, entries: Iterable[NumberedEntry], schema: str = "work") -> None:
        """Note entries of this build; or, in `main`, published ones."""
        rows = ((number, _key(one.subject), one.encode()) for number, one in entries)
        with transaction(self.connection):
            self.connection.executemany(f"INSERT OR REPLACE INTO {schema}.log_entries VALUES (?,?,?)", rows)

    def replace(self, entries: Iterable[bytes], state: str) -> None:
        """Note all published entries, and their log."""
        execute = self.connection.execute
        execute("DELETE FROM notes WHERE name IN (?, ?)", (STATE, COMPLETE))
        execute("DELETE FROM main.log_entries")
        numbered = enumerate(map(parse_entry, entries))
        while page := list(islice(numbered, PAGE)):
            self.add(page, "main")
        execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (STATE, state))

    def versions(self, subject: LogSubject) -> list[NumberedEntry]:
        """Return the entries of a subject, the oldest first."""
        query = "SELECT entry, body FROM {}.log_entries WHERE subject = ? ORDER BY entry"
        found = [
            row
            for schema in ("main", "work")
            for row in self.connection.execute(query.format(schema), (_key(subject),))
        ]
        return [(number, parse_entry(body)) for number, body in found]

    def live(self, kind: EntryKind, first: str = "") -> Iterator[LogSubject]:
        """Yield the subjects of a kind that were not removed before this build; of one incident if it is given."""
        last = prefix = f"{kind.value}\n{first}\n" if first else f"{kind.value}\n"
        query = (
            "SELECT subject, body, MAX(entry) FROM main.log_entries WHERE subject > ? AND subject < ?"
            f" GROUP BY subject ORDER BY subject LIMIT {PAGE}"
        )
        while found := self.connection.execute(query, (last, prefix[:-1] + "\v")).fetchall():
            entries = (parse_entry(body) for _, body, _ in found)
            yield from (one.subject for one in entries if one.action is not LogAction.REMOVE)
            last = found[-1][0]

    def candidates(self, *, every: bool) -> Iterator[tuple[str, str]]:
        """Yield chain id and address of the contracts that this build may have changed, or of all."""
        rows = (
            "SELECT chain_id, address FROM next_sources"
            if every
            else "SELECT chain_id, address FROM work.built UNION SELECT chain_id, address FROM main.sources"
            f" WHERE location IN ({SUPERSEDED})"
        )
        query = (
            f"SELECT DISTINCT address, chain_id FROM ({rows}) WHERE (address, chain_id) > (?, ?)"
            f" ORDER BY 1, 2 LIMIT {PAGE}"
        )
        last = ("", "")
        while found := self.connection.execute(query, last).fetchall():
            yield from ((chain_id, address) for address, chain_id in found)
            last = found[-1]

    def contract(self, chain_id: str, address: str) -> ContractFiles | None:
        """Return a contract of the new site; None if it has none at that address."""
        query = "SELECT substr(match_order, 3), documents FROM next_sources WHERE address = ? AND chain_id = ? ORDER BY location"
        row = self.connection.execute(query, (address, chain_id)).fetchone()
        return (
            None if row is None else ContractFiles(chain_id, address, row[0] or "", tuple(row[1].split("\n")))
        )

    def digest(self, path: str) -> str:
        """Return the SHA-256, in hex, that the document at a path will have; empty if there will be none."""
        for table in ("work.offered", "main.documents"):
            row = self.connection.execute(f"SELECT digest FROM {table} WHERE path = ?", (path,)).fetchone()
            if row is not None:
                return bytes(row[0]).hex()
        return ""

    def save(self) -> None:
        """Make the entries of this build published ones; a step of the transaction that saves the ledger."""
        self.connection.execute("INSERT OR REPLACE INTO main.log_entries SELECT * FROM work.log_entries")


def _key(subject: LogSubject) -> str:
    return "\n".join((subject.kind.value, subject.first, *([subject.second] if subject.second else [])))
