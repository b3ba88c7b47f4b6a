"""Compare the site with the objects of the store: two tables on disk.

Only shards that differ are loaded, so the work depends on the change and not on the size of the site.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple
from zlib import compressobj, decompressobj
from zlib import error as zlib_error

import orjson

from statuary.documents.url_table import CONTRACT_PAGE, LOOKUP_FOLDER, PROOF
from statuary.extensions.object_stores.objects import (
    DIGEST_ATTRIBUTE,
    ObjectHeaders,
    OfferedObject,
    step_of,
    stored_headers,
)
from statuary.extensions.object_stores.store import ObjectInfo
from statuary.publishing.files import OWN_FOLDER, PublishingError, checked_path, temporary_database
from statuary.publishing.plan import Action, Change

FORMAT = 1
"""The version of the format that is written and read."""

INDEX = f"{OWN_FOLDER}/index.json"
SHARDS = f"{OWN_FOLDER}/ledger/"

ENTRIES_PER_SHARD = 8192
"""Entries of a shard on average, before there are twice as many shards."""

MAX_BITS = 14
"""Binary digits of a shard's number at most: 16,384 shards of 8,192 are 134 million names."""

MAX_SHARD_BYTES = 256 << 20
"""Bytes of a shard's text that are read at most."""

SPREAD = (f"{LOOKUP_FOLDER}/", PROOF.prefix, CONTRACT_PAGE.prefix)
"""Where the paths of contracts begin."""

Shards = Mapping[str, str]
"""The SHA-256 of each shard by its name."""


class StoreLedgerEntry(NamedTuple):
    """A path that statuary published."""

    path: str
    digest: str  # SHA-256 of the body, in hex
    size: int
    tag: str


class StoreIndex(NamedTuple):
    """The index of a store's ledger."""

    shards: Shards | None = None  # of the last finished publication; None if there was none
    begun: tuple[Shards, ...] = ()  # of unfinished publications after it, earliest first
    # of unfinished publications that the last one took over; their requests may arrive late
    doubted: tuple[Shards, ...] = ()
    instant: str = ""  # that the site shows, in UTC; empty if unknown

    def encode(self) -> bytes:
        """Return the index as it is stored."""
        shards = None if self.shards is None else dict(self.shards)
        value = {"format": FORMAT, "shards": shards, "begun": [dict(one) for one in self.begun]}
        doubted = {"doubted": [dict(one) for one in self.doubted]} if self.doubted else {}
        instant = {"instant": self.instant} if self.instant else {}
        return orjson.dumps(value | doubted | instant)

    def named(self) -> set[tuple[str, str]]:
        """Return name and SHA-256 of every shard in the index."""
        return {shard for one in (self.shards or {}, *self.begun, *self.doubted) for shard in one.items()}


def parse_index(text: bytes) -> StoreIndex:
    """Read an index; raise PublishingError if it is not an index of this version."""
    try:
        value = orjson.loads(text)
        if value["format"] != FORMAT:
            raise PublishingError(
                f"the ledger in the store has version {value['format']}; this version of statuary reads {FORMAT}",
                f"delete {INDEX}; the next publication requests every object instead",
            )
        doubted = tuple(value.get("doubted", ()))
        instant = str(value.get("instant", ""))
        return StoreIndex(value["shards"], tuple(value["begun"]), doubted, instant)
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
        raise PublishingError(
            f"{INDEX} is not a ledger", "delete it; the next publication requests every object instead"
        ) from None


def bits_for(entries: int) -> int:
    """Return the number of bits in shard numbers for a number of entries."""
    return min(MAX_BITS, max(0, (entries - 1) // ENTRIES_PER_SHARD).bit_length())


def shard_of(path: str, bits: int) -> str:
    """Return the name of a path's shard."""
    if not path.startswith(SPREAD):
        return "site"
    number = int.from_bytes(sha256(path.encode()).digest()[:4], "big") >> (32 - bits)
    return f"contracts-{bits}-{number:04x}"


def shard_path(name: str, digest: str) -> str:
    """Return the path of a shard's object."""
    return f"{SHARDS}{name}-{digest}.tsv.gz"


def line_of(entry: StoreLedgerEntry) -> bytes:
    """Return an entry as a line."""
    return f"{entry.path}\t{entry.digest}\t{entry.size}\t{entry.tag}\n".encode()


def pack(entries: Iterable[StoreLedgerEntry]) -> bytes:
    """Return a shard's bytes; the same entries give the same bytes."""
    packer = compressobj(6, wbits=31)
    return b"".join((*(packer.compress(line_of(entry)) for entry in entries), packer.flush()))


def unpack(body: bytes, name: str, digest: str) -> Iterator[StoreLedgerEntry]:
    """Yield the entries of a stored shard; raise PublishingError if its name has another SHA-256."""
    try:
        text = decompressobj(wbits=31).decompress(body, MAX_SHARD_BYTES)
    except zlib_error:
        text = b""
    if sha256(text).hexdigest() != digest:
        raise PublishingError(
            f"{shard_path(name, digest)} is damaged",
            f"delete {INDEX}; the next publication requests every object instead",
        )
    for line in text.decode().splitlines():
        path, held, size, tag = line.split("\t")
        yield StoreLedgerEntry(path, held, int(size), tag)


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
