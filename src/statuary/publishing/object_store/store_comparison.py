"""What is wanted of a store against what it holds: two tables on disk, and what they differ in.

Only shards that differ are loaded, so that the work in the store follows the change and not the site.
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
CREATE TABLE held (                     -- what the store holds of ours, as far as it may differ from what is wanted
    path TEXT PRIMARY KEY, digest TEXT, size INTEGER, tag TEXT,
    certain INTEGER,                    -- 0 if the object itself has to be asked
    begun INTEGER                       -- the last publication that was to leave it so
) WITHOUT ROWID;
CREATE TABLE same (shard TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE foreigners (path TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE changes (path TEXT PRIMARY KEY, action TEXT, step INTEGER, size INTEGER) WITHOUT ROWID
"""


class ObjectPut(NamedTuple):
    """An object to be put.

    Attributes:
        path: where to.
        digest: SHA-256 of its body, in hex.
        headers: what it is served with.
        is_new: whether nothing of ours is there.
    """

    path: str
    digest: str
    headers: ObjectHeaders
    is_new: bool


class StoreComparison:
    """The two tables; a context manager, since they lie in a temporary file."""

    def __init__(self) -> None:
        self.database = temporary_database(SCHEMA)
        self.headers: dict[ObjectHeaders, int] = {}
        self.shards: Shards = {}

    def close(self) -> None:
        """Forget everything."""
        self.database.close()

    def want(self, offered: Iterable[OfferedObject]) -> None:
        """Take what the site consists of.

        Raises:
            PublishingError: if a path is unsafe or offered twice.
        """
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
        """Divide what is wanted into shards, and take the SHA-256 of each."""
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
        """Yield what is wanted of a shard."""
        query = "SELECT path, digest, size, tag FROM wanted WHERE shard = ? ORDER BY path"
        for row in self.database.execute(query, (shard,)):
            yield StoreLedgerEntry(*row)

    def leave_out(self, index: StoreIndex) -> None:
        """Leave out the shards that the index says are as they should be, and were meant to be nothing else."""
        told = [one for one in (index.shards, *index.doubted, *index.begun) if one is not None]
        same = [
            (shard,)
            for shard, digest in self.shards.items()
            if told and index.shards is not None and all(one.get(shard) == digest for one in told)
        ]
        self.database.executemany("INSERT INTO same VALUES (?)", same)

    def is_left_out(self, shard: str) -> bool:
        """Return whether a shard is left out."""
        return bool(self.database.execute("SELECT 1 FROM same WHERE shard = ?", (shard,)).fetchone())

    def hold(self, entries: Iterable[StoreLedgerEntry]) -> None:
        """Take what the last finished publication left in the store."""
        self.database.executemany("INSERT INTO held VALUES (?,?,?,?,1,0)", ((*entry,) for entry in entries))

    def may_hold(self, entries: Iterable[StoreLedgerEntry], begun: int) -> None:
        """Take what an unfinished publication was to leave there: where it differs, nothing is certain.

        Args:
            entries: what it was to leave.
            begun: which of the unfinished publications, counted from 1.
        """
        self.database.executemany(
            "INSERT INTO held VALUES (?,?,?,?,0,?) ON CONFLICT (path) DO UPDATE SET begun = excluded.begun,"
            " certain = certain AND digest = excluded.digest AND tag = excluded.tag",
            ((*entry, begun) for entry in entries),
        )
        # what it does not name it may have removed
        self.database.execute("UPDATE held SET certain = 0 WHERE begun < ?", (begun,))

    def find(self, path: str, size: int) -> None:
        """Take an object that a listing shows, of which nothing else is known."""
        self.database.execute("INSERT OR IGNORE INTO held VALUES (?,'',?,'',0,0)", (path, size))

    def uncertain(self) -> Iterator[str]:
        """Yield the paths whose objects have to be asked; what they tell may be taken meanwhile."""
        query = "SELECT path FROM held WHERE NOT certain AND path > ? ORDER BY path LIMIT 1000"
        last = ""
        while rows := self.database.execute(query, (last,)).fetchall():
            last = rows[-1][0]
            yield from (path for (path,) in rows)

    def note_answer(self, path: str, found: ObjectInfo | None) -> None:
        """Take what an object tells of itself; without our metadata it is another program's."""
        if found is None or DIGEST_ATTRIBUTE not in found.attributes:
            self.database.execute("DELETE FROM held WHERE path = ?", (path,))
        if found is not None and DIGEST_ATTRIBUTE not in found.attributes:
            self.database.execute("INSERT OR IGNORE INTO foreigners VALUES (?)", (path,))
        if found is not None and DIGEST_ATTRIBUTE in found.attributes:
            told = found.attributes[DIGEST_ATTRIBUTE], stored_headers(found.attributes).tag, path
            self.database.execute("UPDATE held SET certain = 1, digest = ?, tag = ? WHERE path = ?", told)

    def compare(self) -> None:
        """Decide what has to change."""
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
        """Return the wanted paths at which objects of another program are."""
        query = "SELECT path FROM foreigners WHERE path IN (SELECT path FROM wanted) ORDER BY path"
        return [path for (path,) in self.database.execute(query)]

    def counts(self) -> dict[Action, int]:
        """Return how many changes there are of each kind."""
        found = dict(self.database.execute("SELECT action, count(*) FROM changes GROUP BY action").fetchall())
        return {action: found.get(action.value, 0) for action in Action}

    def sizes(self) -> tuple[int, int, int]:
        """Return how many paths are wanted, their bytes, and the bytes of those that have to be put."""
        count, size = self.database.execute("SELECT count(*), COALESCE(SUM(size), 0) FROM wanted").fetchone()
        (changed,) = self.database.execute("SELECT COALESCE(SUM(size), 0) FROM changes").fetchone()
        return count, size, changed

    def is_changed(self, path: str) -> bool:
        """Return whether a path has to be put."""
        query = "SELECT 1 FROM changes WHERE path = ? AND step >= 0"
        return bool(self.database.execute(query, (path,)).fetchone())

    def changes(self) -> Iterator[Change]:
        """Yield what has to change, in order of the paths."""
        for path, action, size in self.database.execute(
            "SELECT path, action, size FROM changes ORDER BY path"
        ):
            yield Change(Action(action), path, size)

    def puts(self, step: int) -> Iterator[ObjectPut]:
        """Yield what has to be put in a step."""
        query = """
        SELECT c.path, w.digest, h.media_type, h.cache, h.encoding, c.action FROM changes c
        JOIN wanted w ON w.path = c.path JOIN headers h ON h.number = w.headers WHERE step = ? ORDER BY c.path
        """
        for path, digest, *headers, action in self.database.execute(query, (step,)):
            yield ObjectPut(path, digest, ObjectHeaders(*headers), action == Action.ADD)

    def removals(self) -> Iterator[str]:
        """Yield what has to be deleted."""
        for (path,) in self.database.execute("SELECT path FROM changes WHERE step < 0 ORDER BY path"):
            yield path
