"""Publish to an object store: compare, plan, upload.

The store has a ledger of its objects. Only changes are put: bodies first, then the documents that name them;
obsolete objects are deleted last. The ledger records a publication before its first put, so the next one
knows of a killed publication, requests the objects that it may have changed, and continues. If the ledger is
lost or damaged, the store is listed and every object is requested; those of statuary carry their digest.

Every put has a condition: an object is created only if there is none, and replaced only if it is unchanged.
So a late put of a publisher that lost its lease fails. Objects that such a publisher may have created or
deleted are requested again by the publication after the one that took over.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import NamedTuple, Self

from typing_extensions import override

from statuary.base.files import OWN_FOLDER, PublishingError
from statuary.extensions.object_stores.objects import (
    DIGEST_ATTRIBUTE,
    PublishedSite,
    make_object_attributes,
    make_stored_entry,
)
from statuary.extensions.object_stores.store import (
    ConditionsRefusedError,
    Lease,
    ObjectInfo,
    ObjectStore,
    PreconditionFailedError,
    Tag,
    run_transfers,
    split_into_batches,
)
from statuary.extensions.object_stores.store_comparison import (
    INDEX,
    LEDGER_FOLDER,
    DamagedStoreLedgerError,
    Parts,
    StoreComparison,
    StoreIndex,
    make_ledger_listing_path,
    make_ledger_part_path,
    parse_ledger_listing,
    parse_ledger_part,
    parse_store_index,
)
from statuary.extensions.snapshots.differences import Difference
from statuary.publish.listing import Entry
from statuary.publish.plan import Action, Plan
from statuary.publish.target import Target
from statuary.site.urls import PutStep

ATTEMPTS = 5
"""Tries to put an object that another program changes at the same time."""


class ObjectWriter:
    """Uploads objects to a store."""

    def __init__(
        self,
        store: ObjectStore,
        site: PublishedSite,
        lease: Lease | None,
        advance: Callable[[int], None],
        *,
        adopt: bool,
        verified: Mapping[str, str | None],
    ) -> None:
        self.store = store
        self.site = site
        self.lease = lease
        self.advance = advance
        self.adopt = adopt
        self.verified = verified

    async def upload_if_missing(self, change: Difference) -> None:
        """Upload a file, unless the store already has it.

        Raises:
            PublishingError: if the file has changed since the build, another program wrote the object, or the
                lock is lost.
        """
        entry = change.entry
        body = self.site.read(entry.path)
        if sha256(body).hexdigest() != entry.sha256:
            raise PublishingError(
                f"{entry.path} has changed since the last build", "build the site again, and publish it"
            )
        there = None if change.before is None else await self.store.head(entry.path)
        await self._write_if_unchanged(entry, body, there)
        self.advance(1)

    async def _write_if_unchanged(
        self, entry: Entry, content: bytes, stored_object: ObjectInfo | None
    ) -> None:
        for _ in range(ATTEMPTS):
            if stored_object is not None and self._is_already_stored(entry, stored_object):
                return
            self._require_compared_object(entry.path, stored_object)
            if self.lease is not None:
                self.lease.require_time_left()  # reading may have taken long, or the machine was asleep
            try:
                await self.store.put_if_unchanged(
                    entry.path, content, make_object_attributes(entry), stored_object and stored_object.tag
                )
            except PreconditionFailedError:
                stored_object = await self.store.head(entry.path)
            else:
                return
        raise PublishingError(
            f"another program keeps changing {entry.path} in {self.store.url}",
            "publish the site again",
        )

    def _require_compared_object(self, object_path: str, stored_object: ObjectInfo | None) -> None:
        """Raise PublishingError if an object was replaced since the comparison."""
        digest = None if stored_object is None else stored_object.attributes.get(DIGEST_ATTRIBUTE)
        if object_path in self.verified and digest != self.verified[object_path]:
            raise PublishingError(
                f"another publisher has written {object_path} to {self.store.url}",
                "build again with --to, to continue the log of the other publisher",
            )

    def _is_already_stored(self, site_entry: Entry, stored_object: ObjectInfo) -> bool:
        """Return whether the store already has this version of a file.

        Raises:
            PublishingError: if another program wrote the stored object.
        """
        stored = make_stored_entry(site_entry.path, site_entry.size, stored_object.attributes)
        if not stored.sha256 and not self.adopt:
            raise make_conflict_error([site_entry.path])
        return stored == site_entry


def make_conflict_error(conflicting_paths: Sequence[str]) -> PublishingError:
    """Return the error that another program wrote objects of the site.

    Args:
        conflicting_paths: the paths of these objects; the message shows the first five.
    """
    first_paths = ", ".join(conflicting_paths[:5]) + (
        f" and {len(conflicting_paths) - 5:,} more" if len(conflicting_paths) > 5 else ""
    )
    return PublishingError(
        f"the store has objects at the site's paths that statuary did not write: {first_paths}",
        "move them away, publish below another prefix, or replace them with --adopt",
    )


DELETE_BATCH = 1000
"""Objects that S3 deletes in one request."""

LIST_PAGE = 1000
"""Objects of one page of a listing."""

OWN_HEADERS = {"Cache-Control": "no-store"}
"""The headers of the ledger's objects, in case a host serves them."""


class RequestCounts(NamedTuple):
    """The number of requests of each kind."""

    put: int = 0
    get: int = 0
    head: int = 0
    list: int = 0  # pages of a listing
    delete: int = 0  # delete requests, each for up to a thousand objects


class ObjectStoreTarget(Target[Entry]):
    """An object store to publish to.

    Attributes:
        listings: the parts of each listing that the index names, by the SHA-256 of the listing.
        verified: the SHA-256 that the object at a path must have to be replaced; None if there must be none.
    """

    def __init__(
        self,
        store: ObjectStore,
        site: PublishedSite,
        *,
        lease: Lease | None,
        dry_run: bool = False,
        adopt: bool = False,
        verify: bool = False,
        advance: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Acquire the lock; the store is compared with the site later.

        Args:
            store: the store.
            site: the site to upload.
            lease: the lock; None for a dry run, or for a store without conditional requests.
            dry_run: whether to compute the changes without making them.
            adopt: whether objects of other programs may be replaced.
            verify: whether to request every object instead of trusting the ledger in the store.
            advance: is called for every uploaded or requested object.

        Raises:
            PublishingError: if another publisher has the lock, or the store cannot be used.
        """
        self.store = store
        self.site = site
        self.lease = lease
        self.dry_run = dry_run
        self.adopt = adopt
        self.verify = verify
        self.advance = advance
        if lease is not None:
            lease.acquire()
        self.comparison = StoreComparison()
        self.listings: dict[str, Parts] = {}
        self.ledger_objects: set[str] = set()  # the names of the ledger's objects in the store
        self.index = StoreIndex()
        self.index_tag: Tag | None = None
        self.asked = RequestCounts()
        self.verified: Mapping[str, str | None] = {}
        self.lost_ledger = ""  # what is damaged in the ledger; empty if nothing is
        self.instant = ""  # the instant that the site shows, in UTC, for the ledger; empty if unknown
        self._plan: Plan | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.comparison.close()
        if self.lease is not None:
            self.lease.release()

    @override
    def add(self, documents: Iterable[Entry]) -> None:
        """Add the entries of files that the published site has."""
        self.comparison.add_site_entries(documents)

    @override
    def reuse(self, paths: Iterable[str]) -> bool:
        """Return False: a store does not reuse documents of the last build."""
        return False

    def retain_folders(self, folders: Iterable[str]) -> None:
        """Keep all objects in some folders of the store.

        They stay even if the site no longer has them.

        Raises:
            PublishingError: if the store cannot be read.
        """
        for folder in folders:
            paths = [path for path, _ in self.store.list_objects(folder)]
            entries: list[Entry] = []

            async def ask(path: str, entries: list[Entry] = entries) -> None:
                there = await self.store.head(path)
                if there is not None:
                    entries.append(make_stored_entry(path, there.size, there.attributes))

            run_transfers(paths, ask, self.lease)
            self.comparison.add_site_entries(entry for entry in entries if entry.sha256)

    @override
    def plan(self) -> Plan:
        """Decide which objects to upload and to delete.

        The first call compares the site with the store. Later calls return the same plan.

        Raises:
            PublishingError: if the site or the store cannot be read.
        """
        if self._plan is None:
            self._compare_with_store()
            self._plan = self.comparison.make_plan(adopt=self.adopt)
        return self._plan

    def _compare_with_store(self) -> None:
        self.comparison.divide_into_parts()
        stored = self.store.get(INDEX)
        self.asked = RequestCounts(get=1)
        self.listings[self.comparison.listing] = self.comparison.parts
        try:
            if stored is not None:
                self.index_tag = stored[1].tag
                self.index = parse_store_index(stored[0])
            self._compare_with_ledger()
        except DamagedStoreLedgerError as error:
            self.lost_ledger = str(error)
            self.index, self.ledger_objects = StoreIndex(), set()
            self.comparison.discard_store_entries()
            self._request_all_objects()
        run_transfers((entry.path for entry in self.comparison.uncertain), self._request_object, self.lease)

    def _compare_with_ledger(self) -> None:
        """Compare the site with the ledger, the store's list of objects.

        `comparison` gets the objects that differ.

        Raises:
            DamagedStoreLedgerError: if a list is missing or damaged.
        """
        for listing in self.index.all_listing_digests:
            if listing not in self.listings:
                self.listings[listing] = parse_ledger_listing(
                    self._read_ledger_object(make_ledger_listing_path(listing), listing)
                )
        self.ledger_objects = self._list_ledger_objects(self.index)
        if self.lease is not None and self.lease.follows_unfinished:
            # The publisher that was interrupted may have left parts of the ledger that no index names. List
            # the store to find them.
            self.ledger_objects |= {path for path, _ in self.store.list_objects(LEDGER_FOLDER)}
            self.asked = self.asked._replace(list=1 + len(self.ledger_objects) // LIST_PAGE)
        if self.index.listing is None or self.verify:
            self._request_all_objects()
        if not self.verify:
            self._read_differing_parts()

    def _request_all_objects(self) -> None:
        """Request every object, without trusting the store's own list."""
        count = 0
        for path, size in self.store.list_objects():
            count += 1
            if path.startswith(LEDGER_FOLDER):
                self.ledger_objects.add(path)
            elif not path.startswith(f"{OWN_FOLDER}/"):
                self.comparison.uncertain.add(Entry(path, size=size))
        self.asked = self.asked._replace(list=1 + count // LIST_PAGE)

    def _read_differing_parts(self) -> None:
        finished = () if self.index.listing is None else self.listings[self.index.listing]
        listings = [finished, *(self.listings[name] for name in (*self.index.doubted, *self.index.begun))]
        self.comparison.exclude_equal_parts(listings)
        self.comparison.add_store_entries([self._iter_part_entries(parts) for parts in listings])

    def _iter_part_entries(self, listed_parts: Parts) -> Iterator[Entry]:
        own_parts = frozenset(self.comparison.parts)
        differing = own_parts - self.comparison.same
        for part in listed_parts:
            if part in differing:
                yield from self.comparison.site.part(part)
            elif part not in own_parts:
                yield from parse_ledger_part(
                    self._read_ledger_object(make_ledger_part_path(part.sha256), part.sha256)
                )

    def _read_ledger_object(self, object_path: str, expected_sha256: str) -> bytes:
        """Fetch a file of the store's own list of objects.

        Raises:
            DamagedStoreLedgerError: if the file is missing or damaged.
        """
        stored = self.store.get(object_path)
        if stored is None:
            raise DamagedStoreLedgerError(f"{object_path} is missing in {self.store.url}")
        if sha256(stored[0]).hexdigest() != expected_sha256:
            raise DamagedStoreLedgerError(f"{object_path} is damaged")
        self.asked = self.asked._replace(get=self.asked.get + 1)
        return stored[0]

    def _list_ledger_objects(self, store_index: StoreIndex) -> set[str]:
        parts = {
            make_ledger_part_path(part.sha256)
            for listing in store_index.all_listing_digests
            for part in self.listings[listing]
        }
        return parts | set(map(make_ledger_listing_path, store_index.all_listing_digests))

    async def _request_object(self, object_path: str) -> None:
        there = await self.store.head(object_path)
        if there is not None:
            self.comparison.add_stored_object(make_stored_entry(object_path, there.size, there.attributes))
        self.asked = self.asked._replace(head=self.asked.head + 1)
        self.advance(1)

    def count_requests(self) -> RequestCounts:
        """Count the requests to the store that publishing takes, for the report.

        Retries and requests for the lock are not included.
        """
        counts = self.plan().counts
        needed_objects = self._list_ledger_objects(StoreIndex(self.comparison.listing))
        new = needed_objects - self._list_ledger_objects(self.index)
        stale = self.ledger_objects - needed_objects
        if not any(counts.values()) and not new and not stale and self.index.listing is not None:
            return RequestCounts()
        return RequestCounts(
            put=counts[Action.ADD] + counts[Action.REPLACE] + len(new) + 2,
            head=counts[Action.REPLACE],
            delete=-(-counts[Action.REMOVE] // DELETE_BATCH) + -(-len(stale) // DELETE_BATCH),
        )

    @override
    def apply(self) -> None:
        """Upload and delete objects until the store equals the site.

        Raises:
            PublishingError: if objects of other programs have paths of the site, the store fails, or the lock
                is lost. Uploaded objects remain; publishing again continues from there.
            DamagedSnapshotError: if the site is a damaged snapshot, of which nothing is uploaded.
        """
        if self.dry_run:
            raise PublishingError("a plan made as a dry run cannot be published")
        if conflicts := self.plan().conflicts:
            raise make_conflict_error(conflicts)
        if self.count_requests() == RequestCounts():
            self._end_publication()
            return
        self.site.prepare_reading(self.comparison.is_upload_needed)
        if self.lease is not None:
            self.lease.is_unfinished = True
        taken_over = self._record_publication_start()
        writer = ObjectWriter(
            self.store, self.site, self.lease, self.advance, adopt=self.adopt, verified=self.verified
        )
        for step in PutStep:
            run_transfers(self.comparison.iter_objects_to_put(step), writer.upload_if_missing, self.lease)
        run_transfers(
            split_into_batches(self.comparison.iter_paths_to_delete(), DELETE_BATCH),
            self._delete_objects,
            self.lease,
        )
        self._record_publication_end(taken_over)
        self._end_publication()

    def _end_publication(self) -> None:
        if self.lease is not None:
            self.lease.is_unfinished = False

    def _record_publication_start(self) -> tuple[str, ...]:
        """Record in the store that a publication has begun.

        If it is interrupted, the next one knows which objects may have changed.

        Returns:
            The unfinished publications that this one continues.
        """
        there = self._list_ledger_objects(self.index)
        texts = {make_ledger_listing_path(self.comparison.listing): lambda: self.comparison.parts_text}
        texts |= {
            make_ledger_part_path(part.sha256): partial(self.comparison.encode_part, part)
            for part in self.comparison.parts
        }

        async def put(path: str) -> None:
            await self.store.put(path, texts[path](), OWN_HEADERS)

        run_transfers(sorted(texts.keys() - there), put, self.lease)
        taken_over = self.index.begun
        self._write_index(
            self.index._replace(begun=(*taken_over, self.comparison.listing), instant=self.instant)
        )
        return taken_over

    def _record_publication_end(self, resumed_publications: tuple[str, ...]) -> None:
        """Record in the store that the publication is finished.

        Lists of objects that are no longer needed are deleted.
        """
        old_objects = self.ledger_objects | self._list_ledger_objects(self.index)
        self._write_index(StoreIndex(self.comparison.listing, (), resumed_publications, self.instant))
        stale = sorted(old_objects - self._list_ledger_objects(self.index))
        run_transfers(split_into_batches(stale, DELETE_BATCH), self._delete_objects, self.lease)

    async def _delete_objects(self, paths: list[str]) -> None:
        if self.lease is not None:
            self.lease.require_time_left()
        await self.store.delete(paths)

    def _write_index(self, store_index: StoreIndex) -> None:
        headers = OWN_HEADERS | {"Content-Type": "application/json"}
        if self.lease is not None:
            self.lease.require_time_left()
        try:
            self.index_tag = self.store.try_put_if_unchanged(
                INDEX, store_index.encode(), self.index_tag, headers
            )
        except PreconditionFailedError:
            self.index_tag = self._find_own_index(store_index)
        except ConditionsRefusedError:
            if self.lease is not None or not self.store.has_conditions:
                raise
            self.store.has_conditions = False
            self._write_index(store_index)
        self.index = store_index

    def _find_own_index(self, store_index: StoreIndex) -> Tag | None:
        """Return the index's tag if an earlier attempt has written the index.

        Raises:
            PublishingError: if the store has a different index.
        """
        stored = self.store.get(INDEX)
        if stored is None or stored[0] != store_index.encode():
            raise PublishingError(
                f"another publisher has written the ledger of {self.store.url}",
                "publish the site again",
            )
        return stored[1].tag
