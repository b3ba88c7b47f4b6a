"""The list of a site's packs, `packs/packs.json`.

If several runs name a document, the newest one counts.

    {"version":1,"packs":[{"path":"data/1f0c….pack","run":0,"size":…,"sha256":"…","end":[offset,"SHA-256"],
                           "documents":…,"removals":…,"plain":…,"first":"…","last":"…"},…]}

A run is a pack, or several whose keys do not overlap; run 0 is the base, and later ones have the changes
since. A change never writes the base again: it becomes a new run, merged with the preceding runs that are
less than four times as large (`count_runs_to_keep`). So there are few runs, each at least four times as large as
the next, and a document is written again some log4(n) times while n of them change. Packs are named by their
SHA-256, so that a list always matches its packs.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import chain, groupby
from operator import attrgetter
from threading import Lock
from typing import NamedTuple, Self

import orjson

from statuary.base.json_values import JsonObject, as_list, as_object, shorten_value
from statuary.base.primitives import InvalidValueError
from statuary.extensions.packs.limits import MAX_LIST, MAX_PACKS
from statuary.extensions.packs.pack_format import (
    MAX_END_SIZE,
    PackedDocument,
    Totals,
    parse_pack_key,
    parse_pack_number,
    require_sorted_keys,
)
from statuary.extensions.packs.pack_reader import KnownEnd, PackReader
from statuary.extensions.packs.pack_writer import WrittenPack
from statuary.extensions.snapshots.streams import ByteRanges
from statuary.publish.listing import DamagedSnapshotError, parse_json_object, require_sha256, require_string

FOLDER = "packs"
LIST = f"{FOLDER}/packs.json"
LIST_VERSION = 1

GROWTH = 4
"""The minimum ratio of a run's size to the next."""

OPEN_PACKS = 64
"""Packs that a reader keeps open, with their heads."""


class ListedPack(NamedTuple):
    """An entry in a site's list of packs.

    A pack is an archive of many documents.
    """

    path: str  # relative to the folder of the list
    run: int
    size: int
    sha256: str
    end: KnownEnd
    totals: Totals


PackList = tuple[ListedPack, ...]
"""The packs of a site, by run and key."""

OpenPack = Callable[[ListedPack], ByteRanges]
"""A function that opens the file of a pack, and raises PublishingError if it cannot be read."""

PutPacks = Callable[[Iterable[PackedDocument], bytes], Iterator[WrittenPack]]
"""A function that writes sorted documents, with a dictionary, into one pack or several."""


def make_pack_name(digest: str) -> str:
    """Return the path of a pack, relative to the list of packs.

    Example: `data/{digest}.pack`

    Args:
        digest: the SHA-256 of the pack.
    """
    return f"data/{digest}.pack"


def make_list_entry(written_pack: WrittenPack, run_number: int) -> ListedPack:
    """Make a new pack's entry in the site's list of packs.

    Args:
        written_pack: the pack.
        run_number: the number of the update that wrote the pack. Documents of later updates replace those of
            earlier ones.
    """
    return ListedPack(
        make_pack_name(written_pack.sha256),
        run_number,
        written_pack.size,
        written_pack.sha256,
        written_pack.end,
        written_pack.totals,
    )


def encode_pack_list(packs: PackList) -> bytes:
    """Encode the site's list of packs as JSON."""
    rows = [
        {
            "path": pack.path,
            "run": pack.run,
            "size": pack.size,
            "sha256": pack.sha256,
            "end": list(pack.end),
            **dict(zip(("documents", "removals", "plain", "first", "last"), pack.totals, strict=True)),
        }
        for pack in packs
    ]
    return orjson.dumps({"version": LIST_VERSION, "packs": rows})


def parse_pack_list(list_json: bytes, list_name: str) -> PackList:
    """Parse the site's list of packs.

    Args:
        list_json: the JSON.
        list_name: a name for the list, for error messages.

    Raises:
        DamagedSnapshotError: if the list is malformed or too long, or two packs that one update wrote (a run) have
            keys of the same range.
    """
    if len(list_json) > MAX_LIST:
        raise DamagedSnapshotError(
            f"{list_name} is too large for a list of packs: it has more than {MAX_LIST:,} bytes"
        )
    value = parse_json_object(list_json, list_name)
    if value.get("version") != LIST_VERSION:
        raise DamagedSnapshotError(
            f"{list_name} has version {shorten_value(value.get('version'))}, not {LIST_VERSION}",
            "read it with the version of statuary that wrote it, or upgrade statuary",
        )
    try:
        packs = tuple(_parse_listed_pack(as_object(row)) for row in as_list(value.get("packs")))
    except (KeyError, ValueError, TypeError, InvalidValueError) as error:
        raise DamagedSnapshotError(f"{list_name} is malformed: {error}") from None
    _require_pack_order(packs, list_name)
    return packs


def _require_pack_order(packs: PackList, list_name: str) -> None:
    """Raise DamagedSnapshotError unless packs are sorted by run, then by key.

    A run is the packs that one update wrote.
    """
    if len(packs) > MAX_PACKS:
        raise DamagedSnapshotError(f"{list_name} is damaged: it lists more than {MAX_PACKS:,} packs")
    runs = [pack.run for pack in packs]
    if runs != sorted(runs):
        raise DamagedSnapshotError(f"{list_name} is damaged: its packs are not in order")
    for number, run in groupby(packs, attrgetter("run")):
        # No key may occur twice. So if a pack has only one document, pass the key once, although it is both
        # the first and the last.
        ends = (dict.fromkeys((pack.totals.first, pack.totals.last)) for pack in run)
        require_sorted_keys(chain.from_iterable(ends), f"run {number} of {list_name}")


def _parse_listed_pack(row: JsonObject) -> ListedPack:
    offset, end_digest = as_list(row["end"])
    digest = require_sha256(row["sha256"])
    if require_string(row["path"]) != make_pack_name(digest):
        raise InvalidValueError(f"the name of the pack {row['path']!r} does not contain its SHA-256")
    counts = [parse_pack_number(row[name]) for name in ("documents", "removals", "plain")]
    totals = Totals(
        counts[0], counts[1], counts[2], parse_pack_key(row["first"]), parse_pack_key(row["last"])
    )
    size = parse_pack_number(row["size"])
    end = KnownEnd(parse_pack_number(offset), require_sha256(end_digest))
    if end.offset >= size:
        raise InvalidValueError(
            f"the index of the pack {make_pack_name(digest)} begins after the end of the pack"
        )
    if size - end.offset > MAX_END_SIZE:
        raise InvalidValueError(
            f"the index of the pack {make_pack_name(digest)} is too large: statuary never writes one of that size"
        )
    return ListedPack(make_pack_name(digest), parse_pack_number(row["run"]), size, digest, end, totals)


class PackListReader:
    """Finds documents in the packs of a site."""

    def __init__(self, packs: PackList, open_pack: OpenPack) -> None:
        self.packs = packs
        self._open_pack = open_pack
        self._readers: dict[str, PackReader] = {}
        self._lock = Lock()
        self._runs = [tuple(run) for _, run in groupby(packs, attrgetter("run"))]
        self._firsts = [[pack.totals.first for pack in run] for run in self._runs]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all packs."""
        while self._readers:
            self._readers.popitem()[1].close()

    def find(self, key: str) -> bytes | None:
        """Find the newest version of a document in the site's packs.

        Args:
            key: the path of the document, with the contract's address in lower case.

        Returns:
            The bytes, or None if no pack has the document. None also if a newer pack says that it was
            removed.

        Raises:
            DamagedSnapshotError: if a pack is damaged.
            PublishingError: if a pack cannot be read.
        """
        with self._lock:
            for run, firsts in zip(reversed(self._runs), reversed(self._firsts), strict=True):
                number = bisect_right(firsts, key) - 1
                if number >= 0 and key <= run[number].totals.last:
                    document = self.reader(run[number]).find(key)
                    if document is not None:
                        return document.body
        return None

    def reader(self, pack: ListedPack) -> PackReader:
        """Return the reader of a pack, and open it if needed."""
        reader = self._readers.pop(pack.path, None)
        if reader is None:
            if len(self._readers) >= OPEN_PACKS:
                self._readers.pop(next(iter(self._readers))).close()
            reader = open_listed_pack(pack, self._open_pack)
        self._readers[pack.path] = reader
        return reader


def open_listed_pack(pack: ListedPack, open_pack: OpenPack) -> PackReader:
    """Open a pack, and check that it is the listed one.

    Args:
        pack: the entry in the site's list of packs.
        open_pack: a function that opens the file of a pack.

    Raises:
        DamagedSnapshotError: if the file is not the listed pack.
        PublishingError: if the file cannot be read.
    """
    ranges = open_pack(pack)
    if ranges.size != pack.size:
        ranges.close()
        raise DamagedSnapshotError(
            f"{ranges.name} is damaged: it has {ranges.size:,} bytes, but the list of packs states "
            f"{pack.size:,}"
        )
    reader = PackReader(ranges, pack.end)
    if reader.totals != pack.totals:
        reader.close()
        raise DamagedSnapshotError(
            f"{ranges.name} is damaged: it has more or fewer documents than the list of packs says"
        )
    return reader


def iter_newest_documents(
    packs: PackList, open_pack: OpenPack, *, with_removals: bool
) -> Iterator[PackedDocument]:
    """Merge several packs, and yield the newest version of each document.

    Args:
        packs: the list of packs to read.
        open_pack: a function that opens the file of a pack.
        with_removals: whether to also yield the documents that were removed.

    Raises:
        DamagedSnapshotError: if a pack is damaged, when reading reaches its documents.
    """
    runs = [
        _iter_run_documents(tuple(run), open_pack, -number)
        for number, run in groupby(packs, attrgetter("run"))
    ]
    return select_newest_versions(merge(*runs), with_removals=with_removals)


def _iter_run_documents(
    packs: PackList, open_pack: OpenPack, run_age: int
) -> Iterator[tuple[str, int, PackedDocument]]:
    for pack in packs:
        with open_listed_pack(pack, open_pack) as reader:
            for document in reader.documents():
                yield document.key, run_age, document


def select_newest_versions(
    sorted_rows: Iterable[tuple[str, int, PackedDocument]], *, with_removals: bool
) -> Iterator[PackedDocument]:
    """Yield only the newest version of each document.

    Args:
        sorted_rows: a key, a number that is lower for newer packs, and the document, for each version;
            sorted.
        with_removals: whether to also yield documents that were removed.
    """
    last_key = ""
    for key, _, document in sorted_rows:
        if key != last_key:
            last_key = key
            if with_removals or document.body is not None:
                yield document


def count_runs_to_keep(run_sizes: Sequence[int], added_count: int) -> int:
    """Count the oldest runs that an update need not merge.

    A run is the packs that one update wrote. When documents are added, small runs are merged into the new one, so
    that there are never many.

    Args:
        run_sizes: the number of documents and removals in each run, oldest first. The oldest is always kept.
        added_count: the number of added documents and removals.
    """
    kept_count = len(run_sizes)
    while kept_count > 1 and run_sizes[kept_count - 1] < GROWTH * added_count:
        kept_count -= 1
        added_count += run_sizes[kept_count]
    return kept_count


def runs_to_keep(packs: PackList, change_count: int) -> int:
    """Return the number of the oldest runs that an update leaves unmerged.

    A run is the packs that one update wrote.

    Args:
        packs: the existing packs.
        change_count: the number of changed documents.
    """
    sizes = [
        sum(pack.totals.documents + pack.totals.removals for pack in run)
        for _, run in groupby(packs, attrgetter("run"))
    ]
    return count_runs_to_keep(sizes, change_count)


def read_dictionary(packs: PackList, open_pack: OpenPack) -> bytes:
    """Read the compression dictionary that all packs of the site share."""
    with open_listed_pack(packs[0], open_pack) as base:
        return base.codec.dictionary()


def write_changes(
    packs: PackList,
    changes: Iterable[PackedDocument],
    change_count: int,
    open_pack: OpenPack,
    write_packs: PutPacks,
) -> PackList:
    """Write changed documents to a new pack, merged with small older packs.

    A pack is an archive of many documents.

    Args:
        packs: the existing packs.
        changes: the changed documents, sorted by key.
        change_count: the number of changes.
        open_pack: a function that opens the file of a pack.
        write_packs: a function that writes new packs with the compression dictionary of the oldest pack.

    Returns:
        The new list of packs.

    Raises:
        DamagedSnapshotError: if an existing pack that must be merged is damaged.
        PublishingError: if a pack cannot be read or written.
    """
    kept_count = runs_to_keep(packs, change_count)
    stay = tuple(pack for pack in packs if pack.run < kept_count)
    merged_documents = iter_newest_documents(
        tuple(pack for pack in packs if pack.run >= kept_count), open_pack, with_removals=True
    )
    dictionary = read_dictionary(packs, open_pack)
    rows = merge(
        ((document.key, 0, document) for document in changes),
        ((packed.key, 1, packed) for packed in merged_documents),
    )
    written_packs = write_packs(select_newest_versions(rows, with_removals=True), dictionary)
    return (*stay, *(make_list_entry(pack, kept_count) for pack in written_packs))
