"""Compare the site with the objects of the store: two tables on disk.

Only shards that differ are loaded, so the work depends on the change and not on the size of the site.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple

from statuary.publishing.errors import PublishingError
from statuary.publishing.object_store.object_headers import DIGEST_ATTRIBUTE, ObjectHeaders, stored_headers
from statuary.publishing.object_store.published_sites import OfferedObject
from statuary.publishing.object_store.put_order import step_of
from statuary.publishing.object_store.store import ObjectInfo
from statuary.publishing.object_store.store_ledger import (
    Shards,
    StoreIndex,
    StoreLedgerEntry,
    bits_for,
    line_of,
    shard_of,
)
from statuary.publishing.plan import Action, Change
from statuary.publishing.safe_path import checked_path
from statuary.publishing.temporary_database import temporary_database

SCHEMA = """
CREATE TABLE wanted (path TEXT PRIMARY KEY, digest TEXT, size INTEGER, tag TEXT, shard TEXT, headers INTEGER)
    WITHOUT ROWID;
CREATE TABLE headers (number INTEGER PRIMARY KEY, media_type TEXT, cache TEXT, encoding TEXT);
CREATE TABLE held (                     -- our objects in the store that may differ from the wanted ones
    path TEXT PRIMARY KEY, digest TEXT, size INTEGER, tag TEXT,
    certain INTEGER,                    -- 0 if the object itself has to be requested
    begun INTEGER                       -- the last unfinished publication that put it
) WITHOUT ROWID;
CREATE TABLE same (shard TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE foreigners (path TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE changes (path TEXT PRIMARY KEY, action TEXT, step INTEGER, size INTEGER) WITHOUT ROWID
"""


class ObjectPut(NamedTuple):
    """An object to be put."""

    path: str
    digest: str  # SHA-256 of its body, in hex
    headers: ObjectHeaders
    is_new: bool  # whether the store has no object of ours there


class StoreComparison:
    """The two tables; a context manager, since they are in a temporary file."""

    def __init__(self) -> None:
        self.database = temporary_database(SCHEMA)
        self.headers: dict[ObjectHeaders, int] = {}
        self.shards: Shards = {}

    def close(self) -> None:
        """Delete the tables."""
        self.database.close()

    def want(self, offered: Iterable[OfferedObject]) -> None:
        """Add the documents of the site; raise PublishingError if a path is unsafe or offered twice."""
        rows = (
            (checked_path(one.path), one.digest, one.size, one.headers.tag, "", self._number(one.headers))
            for one in offered
        )
        try:
            self.database.executemany("INSERT INTO wanted VALUES (?,?,?,?,?,?)", rows)
        except sqlite3.IntegrityError:
            raise PublishingError("two documents have the same path") from None

    def _number(self, headers: ObjectHeaders) -> int:
        return self.headers.setdefault(headers, len(self.headers))

    def divide(self) -> None:
        """Divide the documents into shards, and hash each shard."""
        self.database.executemany(
            "INSERT INTO headers VALUES (?,?,?,?)", ((number, *one) for one, number in self.headers.items())
        )
        (count,) = self.database.execute("SELECT count(*) FROM wanted").fetchone()
        bits = bits_for(count)
        self.database.create_function("shard_of", 1, lambda path: shard_of(path, bits), deterministic=True)
        self.database.execute("UPDATE wanted SET shard = shard_of(path)")
        digests: dict[str, Any] = defaultdict(sha256)
        query = "SELECT shard, path, digest, size, tag FROM wanted ORDER BY path"
        for shard, *entry in self.database.execute(query):
            digests[shard].update(line_of(StoreLedgerEntry(*entry)))
        self.shards = {shard: digest.hexdigest() for shard, digest in sorted(digests.items())}

    def entries_of(self, shard: str) -> Iterator[StoreLedgerEntry]:
        """Yield the documents of a shard."""
        query = "SELECT path, digest, size, tag FROM wanted WHERE shard = ? ORDER BY path"
        for row in self.database.execute(query, (shard,)):
            yield StoreLedgerEntry(*row)

    def leave_out(self, index: StoreIndex) -> None:
        """Skip the shards that are unchanged by the index and that no unfinished publication touched."""
        published = [one for one in (index.shards, *index.doubted, *index.begun) if one is not None]
        same = [
            (shard,)
            for shard, digest in self.shards.items()
            if published and index.shards is not None and all(one.get(shard) == digest for one in published)
        ]
        self.database.executemany("INSERT INTO same VALUES (?)", same)

    def is_left_out(self, shard: str) -> bool:
        """Return whether a shard is skipped."""
        return bool(self.database.execute("SELECT 1 FROM same WHERE shard = ?", (shard,)).fetchone())

    def hold(self, entries: Iterable[StoreLedgerEntry]) -> None:
        """Add what the last finished publication left in the store."""
        self.database.executemany("INSERT INTO held VALUES (?,?,?,?,1,0)", ((*entry,) for entry in entries))

    def may_hold(self, entries: Iterable[StoreLedgerEntry], begun: int) -> None:
        """Add what an unfinished publication may have put: where it differs, the object is requested.

        Args:
            begun: which of the unfinished publications, counted from 1.
        """
        self.database.executemany(
            "INSERT INTO held VALUES (?,?,?,?,0,?) ON CONFLICT (path) DO UPDATE SET begun = excluded.begun,"
            " certain = certain AND digest = excluded.digest AND tag = excluded.tag",
            ((*entry, begun) for entry in entries),
        )
        # it may have removed what it does not name
        self.database.execute("UPDATE held SET certain = 0 WHERE begun < ?", (begun,))

    def find(self, path: str, size: int) -> None:
        """Add an object of a listing; nothing else is known about it."""
        self.database.execute("INSERT OR IGNORE INTO held VALUES (?,'',?,'',0,0)", (path, size))

    def uncertain(self) -> Iterator[str]:
        """Yield the paths whose objects must be requested; results may be noted meanwhile."""
        query = "SELECT path FROM held WHERE NOT certain AND path > ? ORDER BY path LIMIT 1000"
        last = ""
        while rows := self.database.execute(query, (last,)).fetchall():
            last = rows[-1][0]
            yield from (path for (path,) in rows)

    def note_answer(self, path: str, found: ObjectInfo | None) -> None:
        """Note an object's information; without our metadata it belongs to another program."""
        if found is None or DIGEST_ATTRIBUTE not in found.attributes:
            self.database.execute("DELETE FROM held WHERE path = ?", (path,))
        if found is not None and DIGEST_ATTRIBUTE not in found.attributes:
            self.database.execute("INSERT OR IGNORE INTO foreigners VALUES (?)", (path,))
        if found is not None and DIGEST_ATTRIBUTE in found.attributes:
            row = found.attributes[DIGEST_ATTRIBUTE], stored_headers(found.attributes).tag, path
            self.database.execute("UPDATE held SET certain = 1, digest = ?, tag = ? WHERE path = ?", row)

    def compare(self) -> None:
        """Determine the changes."""
        self.database.create_function("step_of", 1, step_of, deterministic=True)
        self.database.executescript(
            f"""
            INSERT INTO changes
            SELECT w.path, IIF(h.path IS NULL, '{Action.ADD}', '{Action.REPLACE}'), step_of(w.path), w.size
            FROM wanted w LEFT JOIN held h ON h.path = w.path
            WHERE w.shard NOT IN same AND (h.path IS NULL OR h.digest != w.digest OR h.tag != w.tag);
            INSERT INTO changes
            SELECT path, '{Action.REMOVE}', -1, 0 FROM held WHERE path NOT IN (SELECT path FROM wanted)
            """  # noqa: S608 - our own words
        )

    def conflicts(self) -> list[str]:
        """Return the paths of documents at which another program's objects are."""
        query = "SELECT path FROM foreigners WHERE path IN (SELECT path FROM wanted) ORDER BY path"
        return [path for (path,) in self.database.execute(query)]

    def counts(self) -> dict[Action, int]:
        """Return the number of changes of each kind."""
        found = dict(self.database.execute("SELECT action, count(*) FROM changes GROUP BY action").fetchall())
        return {action: found.get(action.value, 0) for action in Action}

    def sizes(self) -> tuple[int, int, int]:
        """Return the number of documents, their bytes, and the bytes to put."""
        count, size = self.database.execute("SELECT count(*), COALESCE(SUM(size), 0) FROM wanted").fetchone()
        (changed,) = self.database.execute("SELECT COALESCE(SUM(size), 0) FROM changes").fetchone()
        return count, size, changed

    def is_changed(self, path: str) -> bool:
        """Return whether a path is to be put."""
        query = "SELECT 1 FROM changes WHERE path = ? AND step >= 0"
        return bool(self.database.execute(query, (path,)).fetchone())

    def changes(self) -> Iterator[Change]:
        """Yield the changes by path."""
        for path, action, size in self.database.execute(
            "SELECT path, action, size FROM changes ORDER BY path"
        ):
            yield Change(Action(action), path, size)

    def puts(self, step: int) -> Iterator[ObjectPut]:
        """Yield the objects to put in a step."""
        query = """
        SELECT c.path, w.digest, h.media_type, h.cache, h.encoding, c.action FROM changes c
        JOIN wanted w ON w.path = c.path JOIN headers h ON h.number = w.headers WHERE step = ? ORDER BY c.path
        """
        for path, digest, *headers, action in self.database.execute(query, (step,)):
            yield ObjectPut(path, digest, ObjectHeaders(*headers), action == Action.ADD)

    def removals(self) -> Iterator[str]:
        """Yield the paths to delete."""
        for (path,) in self.database.execute("SELECT path FROM changes WHERE step < 0 ORDER BY path"):
            yield path
