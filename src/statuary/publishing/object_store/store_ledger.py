"""The ledger of an object store, as objects: the paths that are ours, with digests and headers.

Paths are spread over shards by their hash, so that a publisher reads and writes only shards that changed.
Documents that are not about contracts share one small shard, since they change most often. A shard is a
sorted text with one line per path, stored under its SHA-256.

    path <tab> SHA-256 of the body <tab> bytes <tab> tag of the headers

The index names the shards of the last finished publication and those of publications that are running or were
killed.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple
from zlib import compressobj, decompressobj
from zlib import error as zlib_error

import orjson

from statuary.documents.url_table import CONTRACT_PAGE, LOOKUP_FOLDER, PROOF
from statuary.publishing.errors import PublishingError
from statuary.publishing.safe_path import OWN_FOLDER

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
