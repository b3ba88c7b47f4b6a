"""The ledger of an object store, as objects: which paths are ours, what they hold, with which headers.

Paths are spread over shards by their hash, so that a publisher reads and writes those alone that changed; what
is not about contracts is in one shard of its own, since it changes most often and is small. A shard is a sorted
text of a line for each path, stored under a name that tells its SHA-256, so that an index that names shards
means exactly these bytes.

    path <tab> SHA-256 of the body <tab> bytes <tab> tag of the headers

The index names the shards of the last finished publication, and, while one is running or was killed, those of
what it was to become.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple
from zlib import compressobj, decompressobj
from zlib import error as zlib_error

import orjson

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

SPREAD = ("v2/", "proof/", "contracts/")
"""Where the paths of contracts begin."""

Shards = Mapping[str, str]
"""The SHA-256 of each shard by its name."""


class StoreLedgerEntry(NamedTuple):
    """A path that is ours.

    Attributes:
        path: relative to the site's root.
        digest: SHA-256 of the body, in hex.
        size: bytes of the body.
        tag: of the headers.
    """

    path: str
    digest: str
    size: int
    tag: str


class StoreIndex(NamedTuple):
    """What a store's ledger consists of.

    Attributes:
        shards: of the last publication that was finished; None if none was.
        begun: of publications after it that were not, the earliest first.
        doubted: of unfinished publications that the last one took over, whose requests may arrive late.
    """

    shards: Shards | None = None
    begun: tuple[Shards, ...] = ()
    doubted: tuple[Shards, ...] = ()

    def encode(self) -> bytes:
        """Return the index as it is stored."""
        shards = None if self.shards is None else dict(self.shards)
        value = {"format": FORMAT, "shards": shards, "begun": [dict(one) for one in self.begun]}
        doubted = {"doubted": [dict(one) for one in self.doubted]} if self.doubted else {}
        return orjson.dumps(value | doubted)

    def named(self) -> set[tuple[str, str]]:
        """Return name and SHA-256 of every shard that the index needs."""
        return {shard for one in (self.shards or {}, *self.begun, *self.doubted) for shard in one.items()}


def parse_index(text: bytes) -> StoreIndex:
    """Read an index.

    Raises:
        PublishingError: if it is none, or of another version.
    """
    try:
        value = orjson.loads(text)
        if value["format"] != FORMAT:
            raise PublishingError(
                f"the ledger in the store has version {value['format']}, this statuary knows {FORMAT}",
                f"delete {INDEX}; the next publication asks for every object instead",
            )
        doubted = tuple(value.get("doubted", ()))
        return StoreIndex(shards=value["shards"], begun=tuple(value["begun"]), doubted=doubted)
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
        raise PublishingError(
            f"{INDEX} is not a ledger", "delete it; the next publication asks for every object instead"
        ) from None


def bits_for(entries: int) -> int:
    """Return how many binary digits the numbers of so many entries' shards have."""
    return min(MAX_BITS, max(0, (entries - 1) // ENTRIES_PER_SHARD).bit_length())


def shard_of(path: str, bits: int) -> str:
    """Return the name of the shard that a path belongs to."""
    if not path.startswith(SPREAD):
        return "site"
    number = int.from_bytes(sha256(path.encode()).digest()[:4], "big") >> (32 - bits)
    return f"contracts-{bits}-{number:04x}"


def shard_path(name: str, digest: str) -> str:
    """Return where a shard is stored."""
    return f"{SHARDS}{name}-{digest}.tsv.gz"


def line_of(entry: StoreLedgerEntry) -> bytes:
    """Return an entry as a line."""
    return f"{entry.path}\t{entry.digest}\t{entry.size}\t{entry.tag}\n".encode()


def pack(entries: Iterable[StoreLedgerEntry]) -> bytes:
    """Return a shard as it is stored; the same entries give the same bytes."""
    packer = compressobj(6, wbits=31)
    return b"".join((*(packer.compress(line_of(entry)) for entry in entries), packer.flush()))


def unpack(body: bytes, name: str, digest: str) -> Iterator[StoreLedgerEntry]:
    """Yield the entries of a stored shard.

    Raises:
        PublishingError: if it is not the shard that its name tells.
    """
    try:
        text = decompressobj(wbits=31).decompress(body, MAX_SHARD_BYTES)
    except zlib_error:
        text = b""
    if sha256(text).hexdigest() != digest:
        raise PublishingError(
            f"{shard_path(name, digest)} is damaged",
            f"delete {INDEX}; the next publication asks for every object instead",
        )
    for line in text.decode().splitlines():
        path, held, size, tag = line.split("\t")
        yield StoreLedgerEntry(path, held, int(size), tag)
