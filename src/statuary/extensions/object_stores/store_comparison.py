"""Compare a site with the objects in a store.

The store's own ledger is the listing of its last publication, one entry for each name. Its parts and the list
of the parts are objects that are named by their digests, so a publication adds those that differ and the
index names a few digests. Only parts that differ are read: the work depends on the change and not on the size
of the site.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from operator import attrgetter
from typing import NamedTuple

import orjson

from statuary.base.files import OWN_FOLDER, PublishingError, require_safe_path
from statuary.base.primitives import InvalidValueError
from statuary.extensions.object_stores.objects import get_upload_step
from statuary.extensions.snapshots.differences import (
    Difference,
    find_differences,
    make_publication_plan,
    merge_listings,
)
from statuary.publish.listing import Entry, Part, encode_part, require_string
from statuary.publish.listing_on_disk import Listing
from statuary.publish.plan import Plan
from statuary.site.urls import PutStep

FORMAT = 2
"""The version of the format that is written and read."""

INDEX = f"{OWN_FOLDER}/index.json"
LEDGER_FOLDER = f"{OWN_FOLDER}/ledger/"


class DamagedStoreLedgerError(PublishingError):
    """Raised if the list of a store's objects is damaged.

    Then the store is asked about every object instead.
    """


HINT = f"delete {INDEX}; the next publication requests every object instead"

Parts = Sequence[Part]


def make_ledger_part_path(part_sha256: str) -> str:
    """Return the path in the store of a part of its ledger.

    The ledger is the store's own list of its objects. It is divided into parts, so that an update rewrites
    only those that changed.

    Args:
        part_sha256: the SHA-256 of the part.
    """
    return f"{LEDGER_FOLDER}{part_sha256}.jsonl"


def make_ledger_listing_path(listing_sha256: str) -> str:
    """Return the path in the store of a list of ledger parts.

    The ledger is the store's own list of its objects, divided into parts.

    Args:
        listing_sha256: the SHA-256 of the list of parts.
    """
    return f"{LEDGER_FOLDER}{listing_sha256}.json"


def parse_ledger_listing(listing_json: bytes) -> tuple[Part, ...]:
    """Parse the file that lists the parts of a store's ledger.

    The ledger is the store's own list of its objects.

    Args:
        listing_json: the content of the file, whose SHA-256 was verified.
    """
    return tuple(Part(**row) for row in orjson.loads(listing_json))


def parse_ledger_part(part_bytes: bytes) -> Iterator[Entry]:
    """Yield the objects that a part of the store's ledger lists.

    Args:
        part_bytes: the part, with JSON in each line, whose SHA-256 was verified.
    """
    return (Entry(**orjson.loads(line)) for line in part_bytes.splitlines())


class StoreIndex(NamedTuple):
    """The index of a store's list of objects.

    The list is divided into parts. The index names each part by its SHA-256.
    """

    listing: str | None = None  # the list of the last finished publication; None if there was none
    begun: tuple[str, ...] = ()  # the lists of unfinished publications after it, earliest first
    doubted: tuple[str, ...] = ()
    """The listings of interrupted publications, whose requests may still arrive at the store."""
    instant: str = ""  # the time of the published site, in UTC; empty if unknown

    def encode(self) -> bytes:
        """Encode as JSON which lists of objects the store has."""
        return orjson.dumps({"format": FORMAT, **self._asdict()})

    @property
    def all_listing_digests(self) -> tuple[str, ...]:
        """The SHA-256 of each list of objects that the store has."""
        return (*filter(None, (self.listing,)), *self.doubted, *self.begun)


def parse_store_index(index_json: bytes) -> StoreIndex:
    """Parse the file that says which lists of objects a store has.

    A file of an earlier version counts as empty. Then every object is requested from the store.

    Raises:
        DamagedStoreLedgerError: if the bytes are not such a file.
        PublishingError: if the file is of a later version.
    """
    try:
        value = orjson.loads(index_json)
        version = value["format"]
        instant = str(value.get("instant", ""))
        if type(version) is int and version < FORMAT:
            return StoreIndex(instant=instant)
        if version != FORMAT:
            raise PublishingError(
                f"the ledger in the store has version {version}; this version of statuary reads {FORMAT}",
                HINT,
            )
        listing = None if value["listing"] is None else require_string(value["listing"])
        begun, doubted = (tuple(map(require_string, value[name])) for name in ("begun", "doubted"))
        return StoreIndex(listing, begun, doubted, instant)
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, InvalidValueError):
        raise DamagedStoreLedgerError(
            f"{INDEX} is not a ledger (statuary's list of published files)"
        ) from None


class StoreComparison:
    """Compares the files of a site with the objects in a store.

    The lists are in temporary files.

    Attributes:
        stored: the objects in the store that may differ from the site's files. An object that another program
            wrote has no digest in this list.
    """

    def __init__(self) -> None:
        self.site = Listing()  # an entry for each name
        self.stored = Listing()
        self.uncertain = Listing()  # the paths whose objects must be requested
        self.parts: Parts = ()
        self.parts_text = b""
        self.listing = ""  # SHA-256 of `parts_text`, which names the site's listing
        self.same: frozenset[Part] = frozenset()  # the parts that need no comparison

    def close(self) -> None:
        """Delete the temporary files."""
        for listing in (self.site, self.stored, self.uncertain):
            listing.close()

    def add_site_entries(self, entries: Iterable[Entry]) -> None:
        """Add files of the site, to compare them with the store.

        Args:
            entries: the path, size and SHA-256 of each file.

        Raises:
            PublishingError: if a path is unsafe or occurs twice.
        """
        for entry in entries:
            if not self.site.add(entry._replace(path=require_safe_path(entry.path))):
                raise PublishingError(f"two documents have the same path, {entry.path}")

    def divide_into_parts(self) -> None:
        """Divide the site's file list into parts, to be stored with it.

        The next publication then reads only the parts that differ from its own.
        """
        self.parts = tuple(part for part, _ in self.site.parts())
        self.parts_text = orjson.dumps([part._asdict() for part in self.parts])
        self.listing = sha256(self.parts_text).hexdigest()

    def encode_part(self, part: Part) -> bytes:
        """Encode a part of the site's file list as lines of JSON."""
        return encode_part(self.site.part(part)).text

    def discard_store_entries(self) -> None:
        """Forget what the store's own lists say, because they are damaged."""
        for listing in (self.stored, self.uncertain):
            listing.close()
        self.stored = Listing()
        self.uncertain = Listing()
        self.same = frozenset()

    def exclude_equal_parts(self, listings: Sequence[Parts]) -> None:
        """Skip files on which the site's and the store's lists agree.

        The lists are divided into parts. If all have an equal part, its files need no comparison.

        Args:
            listings: the parts of each list in the store.
        """
        self.same = frozenset(self.parts).intersection(*listings)

    def add_store_entries(self, listings: Sequence[Iterable[Entry]]) -> None:
        """Add the objects that the store's own lists name.

        A publication that was interrupted leaves a list of its own. If the lists disagree about an object, the
        store is asked about it.

        Args:
            listings: the objects in the list of the last finished publication, and in the lists of later,
                unfinished ones; each sorted by path.
        """
        for first_entry, *other_entries in merge_listings(*listings):
            if first_entry is not None and all(other_entry == first_entry for other_entry in other_entries):
                self.stored.add(first_entry)
            else:
                self.uncertain.add(
                    first_entry
                    or next(other_entry for other_entry in other_entries if other_entry is not None)
                )

    def add_stored_object(self, stored: Entry) -> None:
        """Add an object as the store has just described it."""
        entry = self.site.find(stored.path)
        if entry is not None and stored._replace(size=entry.size) == entry:  # a store may count other bytes
            stored = entry
        self.stored.add(stored)

    def iter_changes(self) -> Iterator[Difference]:
        """Yield the differences between the site and the store, sorted by path."""
        site = (entry for part in self.parts if part not in self.same for entry in self.site.part(part))
        return find_differences((entry for entry in self.stored if entry.sha256), site)

    def make_plan(self, *, adopt: bool) -> Plan:
        """Decide which objects to upload and to delete.

        Args:
            adopt: whether objects that other programs wrote may be replaced.
        """
        unknown_paths = (entry.path for entry in self.stored if not entry.sha256)
        conflicts = () if adopt else tuple(path for path in unknown_paths if self.site.find(path) is not None)
        return make_publication_plan(self.iter_changes, *self.site.size(), conflicts)

    def is_upload_needed(self, path: str) -> bool:
        """Return whether the file at a path has to be uploaded."""
        entry = self.site.find(path)
        number = bisect_right(self.parts, path, key=attrgetter("first"))
        is_same = number > 0 and self.parts[number - 1] in self.same
        return entry is not None and not is_same and self.stored.find(path) != entry

    def iter_objects_to_put(self, step: PutStep) -> Iterator[Difference]:
        """Yield the files to upload in one step of the publication.

        For example, documents are uploaded before the lists that refer to them.

        Args:
            step: the step that `get_upload_step` returns for a file.
        """
        return (
            change
            for change in self.iter_changes()
            if change.after is not None and get_upload_step(change.after.path) is step
        )

    def iter_paths_to_delete(self) -> Iterator[str]:
        """Yield the paths of objects that the site no longer has."""
        return (change.entry.path for change in self.iter_changes() if change.after is None)
