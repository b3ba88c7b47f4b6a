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
    object_attributes,
    stored_entry,
)
from statuary.extensions.object_stores.store import (
    ConditionsRefusedError,
    Lease,
    ObjectInfo,
    ObjectStore,
    PreconditionFailedError,
    Tag,
    batches,
    transfer_all,
)
from statuary.extensions.object_stores.store_comparison import (
    INDEX,
    LEDGER_FOLDER,
    DamagedStoreLedgerError,
    Parts,
    StoreComparison,
    StoreIndex,
    listing_object,
    parse_entries,
    parse_index,
    parse_parts,
    part_object,
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

    async def write(self, change: Difference) -> None:
        """Upload an object, unless the store already has it.

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

    async def _write_if_unchanged(self, entry: Entry, body: bytes, there: ObjectInfo | None) -> None:
        for _ in range(ATTEMPTS):
            if there is not None and self._has_right_object(entry, there):
                return
            self._require_verified(entry.path, there)
            if self.lease is not None:
                self.lease.check()  # reading may have taken long, or the machine was asleep
            try:
                await self.store.put_if_unchanged(
                    entry.path, body, object_attributes(entry), there and there.tag
                )
            except PreconditionFailedError:
                there = await self.store.head(entry.path)
            else:
                return
        raise PublishingError(
            f"another program keeps changing {entry.path} in {self.store.url}",
            "publish the site again",
        )

    def _require_verified(self, path: str, there: ObjectInfo | None) -> None:
        """Check that an object is the verified one before its replacement.

        Raises:
            PublishingError: if another publisher has put it.
        """
        digest = None if there is None else there.attributes.get(DIGEST_ATTRIBUTE)
        if path in self.verified and digest != self.verified[path]:
            raise PublishingError(
                f"another publisher has written {path} to {self.store.url}",
                "build again with --to, which continues its log",
            )

    def _has_right_object(self, entry: Entry, there: ObjectInfo) -> bool:
        """Return whether the store has the object to put.

        Raises:
            PublishingError: if another program put it.
        """
        stored = stored_entry(entry.path, entry.size, there.attributes)
        if not stored.sha256 and not self.adopt:
            raise conflict_error([entry.path])
        return stored == entry


def conflict_error(paths: Sequence[str]) -> PublishingError:
    """Return the error that other programs wrote objects at paths of the site.

    Args:
        paths: the paths of these objects; the message shows the first five.
    """
    first_paths = ", ".join(paths[:5]) + (f" and {len(paths) - 5:,} more" if len(paths) > 5 else "")
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
    """An object store to publish to."""

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
        # the parts of each listing in the index, by the digest of the listing
        self.listings: dict[str, Parts] = {}
        self.ledger_objects: set[str] = set()  # the names of the ledger's objects in the store
        self.index = StoreIndex()
        self.index_tag: Tag | None = None
        self.asked = RequestCounts()
        # the SHA-256 of the object that may be replaced at each path; None if there must be no object
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
        self.comparison.add_site_entries(documents)

    @override
    def reuse(self, paths: Iterable[str]) -> bool:
        return False

    def retain_prefix(self, folders: Iterable[str]) -> None:
        """Keep the objects in folders that the site does not have.

        Raises:
            PublishingError: if the store cannot be read.
        """
        for folder in folders:
            paths = [path for path, _ in self.store.list_objects(folder)]
            entries: list[Entry] = []

            async def ask(path: str, entries: list[Entry] = entries) -> None:
                there = await self.store.head(path)
                if there is not None:
                    entries.append(stored_entry(path, there.size, there.attributes))

            transfer_all(paths, ask, self.lease)
            self.comparison.add_site_entries(entry for entry in entries if entry.sha256)

    @override
    def plan(self) -> Plan:
        """Return the changes to make in the store, which are computed once.

        Raises:
            PublishingError: if the site or the store cannot be read.
        """
        if self._plan is None:
            self._compare()
            self._plan = self.comparison.plan(adopt=self.adopt)
        return self._plan

    def _compare(self) -> None:
        self.comparison.divide()
        stored = self.store.get(INDEX)
        self.asked = RequestCounts(get=1)
        self.listings[self.comparison.listing] = self.comparison.parts
        try:
            if stored is not None:
                self.index_tag = stored[1].tag
                self.index = parse_index(stored[0])
            self._read_listings()
        except DamagedStoreLedgerError as error:
            self.lost_ledger = str(error)
            self.index, self.ledger_objects = StoreIndex(), set()
            self.comparison.forget_store()
            self._list_store()
        transfer_all((entry.path for entry in self.comparison.uncertain), self._request_object, self.lease)

    def _read_listings(self) -> None:
        """Compare with the publications that the ledger names.

        Raises:
            DamagedStoreLedgerError: if a part of it is missing or damaged.
        """
        for listing in self.index.all_listings:
            if listing not in self.listings:
                self.listings[listing] = parse_parts(
                    self._read_ledger_object(listing_object(listing), listing)
                )
        self.ledger_objects = self._objects_of(self.index)
        if self.index.listing is None or self.verify:
            self._list_store()
        if not self.verify:
            self._read_ledger()

    def _list_store(self) -> None:
        """List the store, and request every object.

        The ledger is missing or not trusted.
        """
        count = 0
        for path, size in self.store.list_objects():
            count += 1
            if path.startswith(LEDGER_FOLDER):
                self.ledger_objects.add(path)
            elif not path.startswith(f"{OWN_FOLDER}/"):
                self.comparison.uncertain.add(Entry(path, size=size))
        self.asked = self.asked._replace(list=1 + count // LIST_PAGE)

    def _read_ledger(self) -> None:
        """Read the parts of the ledger that differ."""
        finished = () if self.index.listing is None else self.listings[self.index.listing]
        listings = [finished, *(self.listings[name] for name in (*self.index.doubted, *self.index.begun))]
        self.comparison.exclude_parts(listings)
        self.comparison.add_store_entries([self._entries_of_parts(parts) for parts in listings])

    def _entries_of_parts(self, parts: Parts) -> Iterator[Entry]:
        own_parts = frozenset(self.comparison.parts)
        differing = own_parts - self.comparison.same
        for part in parts:
            if part in differing:
                yield from self.comparison.site.part(part)
            elif part not in own_parts:
                yield from parse_entries(self._read_ledger_object(part_object(part.sha256), part.sha256))

    def _read_ledger_object(self, path: str, digest: str) -> bytes:
        """Return an object of the ledger.

        Raises:
            DamagedStoreLedgerError: if it is missing or damaged.
        """
        stored = self.store.get(path)
        if stored is None:
            raise DamagedStoreLedgerError(f"{path} is missing in {self.store.url}")
        if sha256(stored[0]).hexdigest() != digest:
            raise DamagedStoreLedgerError(f"{path} is damaged")
        self.asked = self.asked._replace(get=self.asked.get + 1)
        return stored[0]

    def _objects_of(self, index: StoreIndex) -> set[str]:
        """Return the paths of the objects that an index needs."""
        parts = {
            part_object(part.sha256) for listing in index.all_listings for part in self.listings[listing]
        }
        return parts | set(map(listing_object, index.all_listings))

    async def _request_object(self, path: str) -> None:
        there = await self.store.head(path)
        if there is not None:
            self.comparison.add_stored_object(stored_entry(path, there.size, there.attributes))
        self.asked = self.asked._replace(head=self.asked.head + 1)
        self.advance(1)

    def count_requests(self) -> RequestCounts:
        """Return the number of requests that the changes take.

        Retries and requests for the lock are not included.
        """
        counts = self.plan().counts
        needed_objects = self._objects_of(StoreIndex(self.comparison.listing))
        new = needed_objects - self._objects_of(self.index)
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
        """Upload and delete objects until the store is equal to the site.

        Raises:
            PublishingError: if objects of other programs have paths of the site, the store fails, or the lock
                is lost. Uploaded objects remain; publishing again continues from there.
            DamagedSnapshotError: if the site is a damaged snapshot, of which nothing is uploaded.
        """
        if self.dry_run:
            raise PublishingError("a plan made as a dry run cannot be published")
        if conflicts := self.plan().conflicts:
            raise conflict_error(conflicts)
        if self.count_requests() == RequestCounts():
            return
        self.site.fetch(self.comparison.is_changed)
        taken_over = self._record_beginning()
        writer = ObjectWriter(
            self.store, self.site, self.lease, self.advance, adopt=self.adopt, verified=self.verified
        )
        for step in PutStep:
            transfer_all(self.comparison.objects_to_put(step), writer.write, self.lease)
        transfer_all(
            batches(self.comparison.paths_to_delete(), DELETE_BATCH), self._delete_objects, self.lease
        )
        self._record_end(taken_over)

    def _record_beginning(self) -> tuple[str, ...]:
        """Record the publication in the ledger before its first put.

        Returns:
            The unfinished publications that it takes over.
        """
        there = self._objects_of(self.index)
        texts = {listing_object(self.comparison.listing): lambda: self.comparison.parts_text}
        texts |= {
            part_object(part.sha256): partial(self.comparison.part_text, part)
            for part in self.comparison.parts
        }

        async def put(path: str) -> None:
            await self.store.put(path, texts[path](), OWN_HEADERS)

        transfer_all(sorted(texts.keys() - there), put, self.lease)
        taken_over = self.index.begun
        self._write_index(
            self.index._replace(begun=(*taken_over, self.comparison.listing), instant=self.instant)
        )
        return taken_over

    def _record_end(self, taken_over: tuple[str, ...]) -> None:
        """Record the finished publication, and delete obsolete objects of the ledger."""
        old_objects = self.ledger_objects | self._objects_of(self.index)
        self._write_index(StoreIndex(self.comparison.listing, (), taken_over, self.instant))
        stale = sorted(old_objects - self._objects_of(self.index))
        transfer_all(batches(stale, DELETE_BATCH), self._delete_objects, self.lease)

    async def _delete_objects(self, paths: list[str]) -> None:
        if self.lease is not None:
            self.lease.check()
        await self.store.delete(paths)

    def _write_index(self, index: StoreIndex) -> None:
        headers = OWN_HEADERS | {"Content-Type": "application/json"}
        if self.lease is not None:
            self.lease.check()
        try:
            self.index_tag = self.store.put_if(INDEX, index.encode(), self.index_tag, headers)
        except PreconditionFailedError:
            self.index_tag = self._own_index(index)
        except ConditionsRefusedError:
            if self.lease is not None or not self.store.has_conditions:
                raise
            self.store.has_conditions = False
            self._write_index(index)
        self.index = index

    def _own_index(self, index: StoreIndex) -> Tag | None:
        """Return the index's tag if an earlier attempt put this index.

        Raises:
            PublishingError: if it is a different one.
        """
        stored = self.store.get(INDEX)
        if stored is None or stored[0] != index.encode():
            raise PublishingError(
                f"another publisher has written the ledger of {self.store.url}",
                "publish the site again",
            )
        return stored[1].tag
