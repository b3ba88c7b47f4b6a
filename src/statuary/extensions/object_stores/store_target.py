"""Publish to an object store: compare with its ledger, show the plan, apply it.

Only changes are put: bodies first, then the documents that name them; obsolete objects are deleted last. The
ledger records a publication before its first put, so the next one knows of a killed publication, asks for the
objects that it may have touched, and continues. If the ledger is lost, the store is listed and every object
is requested; ours carry their digest.

Every put has a condition: an object is created only if there is none, and replaced only if it is unchanged.
So a late put of a publisher that lost its lease fails. What such a publisher may have created or deleted is
requested again by the publication after the one that took over.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple, Self

from typing_extensions import override

from statuary.documents.url_table import PutStep
from statuary.extensions.object_stores.objects import (
    DIGEST_ATTRIBUTE,
    OfferedObject,
    PublishedSite,
    stored_headers,
)
from statuary.extensions.object_stores.store import (
    ConditionsRefusedError,
    Lease,
    ObjectInfo,
    ObjectStore,
    PreconditionFailedError,
    Tag,
    batches,
    transfer,
)
from statuary.extensions.object_stores.store_comparison import (
    INDEX,
    ObjectPut,
    Shards,
    StoreComparison,
    StoreIndex,
    StoreLedgerEntry,
    pack,
    parse_index,
    shard_path,
    unpack,
)
from statuary.publishing.files import OWN_FOLDER, PublishingError
from statuary.publishing.plan import Action, Plan
from statuary.publishing.target import Target

ATTEMPTS = 5
"""Tries to put an object that another program changes at the same time."""


class ObjectWriter:
    """Puts the objects of a site."""

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

    async def write(self, put: ObjectPut) -> None:
        """Put one object, unless the store already has it.

        Raises:
            PublishingError: if the site changed, another program put the object, or the lease is lost.
        """
        body = self.site.read(put.path)
        if sha256(body).hexdigest() != put.digest:
            raise PublishingError(
                f"{put.path} has changed since the last build", "build the site again, and publish it"
            )
        await self._write_if_unchanged(put, body, put.headers.attributes(put.digest))
        self.advance(1)

    async def _write_if_unchanged(self, put: ObjectPut, body: bytes, attributes: dict[str, str]) -> None:
        found = None if put.is_new else await self.store.head(put.path)
        for _ in range(ATTEMPTS):
            if found is not None and self._is_right(put, found):
                return
            self._require_verified(put.path, found)
            if self.lease is not None:
                self.lease.check()  # reading may have taken long, or the machine was asleep
            try:
                await self.store.put_if_unchanged(put.path, body, attributes, found and found.tag)
            except PreconditionFailedError:
                found = await self.store.head(put.path)
            else:
                return
        raise PublishingError(
            f"another program keeps changing {put.path} in {self.store.url}", "publish again"
        )

    def _require_verified(self, path: str, found: ObjectInfo | None) -> None:
        """Raise an error if an object is not the one that was verified before it is replaced."""
        digest = None if found is None else found.attributes.get(DIGEST_ATTRIBUTE)
        if path in self.verified and digest != self.verified[path]:
            raise PublishingError(
                f"another publisher has put {path} in {self.store.url}",
                "build again with --to, which continues its log",
            )

    def _is_right(self, put: ObjectPut, found: ObjectInfo) -> bool:
        """Return whether the store has the object to put; raise PublishingError if another program put it."""
        if DIGEST_ATTRIBUTE not in found.attributes and not self.adopt:
            raise conflict_error([put.path])
        is_same = found.attributes.get(DIGEST_ATTRIBUTE) == put.digest
        return is_same and stored_headers(found.attributes) == put.headers


def conflict_error(paths: Sequence[str]) -> PublishingError:
    """Return the error for objects that another program put."""
    shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5:,} more" if len(paths) > 5 else "")
    return PublishingError(
        f"objects that statuary did not put are in the way: {shown}",
        "move them away, publish below another prefix, or replace them with --adopt",
    )


DELETE_BATCH = 1000
"""Objects that S3 deletes in one request."""

LIST_PAGE = 1000
"""Objects of one page of a listing."""

OWN_HEADERS = {"Cache-Control": "no-store"}
"""Of the ledger's objects, in case a host serves them."""


class RequestCounts(NamedTuple):
    """Requests of each kind, without retries."""

    put: int = 0
    get: int = 0
    head: int = 0
    list: int = 0  # pages of a listing
    delete: int = 0  # delete requests, each for up to a thousand objects


class ObjectStoreTarget(Target[OfferedObject]):
    """An object store as a target; a context manager, since it holds a lease and temporary files."""

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
        """Take the lease; the comparison is later.

        Args:
            lease: None for a dry run, or for a store without conditional requests; if the store has them after all,
                another publisher is noticed.
            dry_run: only show the plan.
            adopt: replace objects at the site's paths that statuary did not put.
            verify: request every object instead of trusting the ledger.
            advance: is called for every object that was put or requested.

        Raises:
            PublishingError: if another publisher has the lease, or the store cannot be used.
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
        self.index = StoreIndex()
        self.index_tag: Tag | None = None
        self.asked = RequestCounts()
        # SHA-256 of the only object that may be replaced at a path; None if there must be none
        self.verified: dict[str, str | None] = {}
        self.instant = ""  # that the site shows, in UTC, for the ledger; empty if unknown
        self._plan: Plan | None = None
        self._taken_over: tuple[Shards, ...] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.comparison.close()
        if self.lease is not None:
            self.lease.release()

    @override
    def offer(self, documents: Iterable[OfferedObject]) -> None:
        self.comparison.want(documents)

    @override
    def keep(self, paths: Iterable[str]) -> bool:
        return False

    @override
    def plan(self) -> Plan:
        """Compare with the store once, and return the changes; `asked` counts the requests.

        Raises:
            PublishingError: if the site or the store cannot be read.
        """
        if self._plan is None:
            self._compare()
            counts = self.comparison.counts()
            documents, size, changed = self.comparison.sizes()
            self._plan = Plan(
                counts=counts,
                kept=documents - counts[Action.ADD] - counts[Action.REPLACE],
                size=size,
                changed_size=changed,
                changes=self.comparison.changes,
                conflicts=() if self.adopt else tuple(self.comparison.conflicts()),
            )
        return self._plan

    def _compare(self) -> None:
        self.comparison.divide()
        found = self.store.get(INDEX)
        self.asked = RequestCounts(get=1)
        if found is not None:
            self.index, self.index_tag = parse_index(found[0]), found[1].tag
        if found is None or self.verify:
            self._list()
        else:
            self._read_ledger()
        transfer(self.comparison.uncertain(), self._ask, self.lease)
        self.comparison.compare()

    def _list(self) -> None:
        """Add every object of the store, each to be requested: the ledger is missing or not trusted."""
        count = 0
        for path, size in self.store.listed():
            count += 1
            if not path.startswith(f"{OWN_FOLDER}/"):
                self.comparison.find(path, size)
        self.asked = self.asked._replace(list=1 + count // LIST_PAGE)

    def _read_ledger(self) -> None:
        """Read the shards of the ledger that differ."""
        self.comparison.leave_out(self.index)
        self.comparison.hold(self._entries(self.index.shards or {}))
        for number, shards in enumerate((*self.index.doubted, *self.index.begun), start=1):
            self.comparison.may_hold(self._entries(shards), number)

    def _entries(self, shards: Shards) -> Iterator[StoreLedgerEntry]:
        for name, digest in shards.items():
            if self.comparison.is_left_out(name):
                continue
            found = self.store.get(shard_path(name, digest))
            if found is None:
                raise PublishingError(
                    f"{shard_path(name, digest)} is missing in {self.store.url}",
                    f"delete {INDEX}; the next publication requests every object instead",
                )
            self.asked = self.asked._replace(get=self.asked.get + 1)
            yield from unpack(found[0], name, digest)

    async def _ask(self, path: str) -> None:
        self.comparison.note_answer(path, await self.store.head(path))
        self.asked = self.asked._replace(head=self.asked.head + 1)
        self.advance(1)

    def cost(self) -> RequestCounts:
        """Return the number of requests to apply the plan, without retries and the lease."""
        counts = self.plan().counts
        shards = set(self.comparison.shards.items()) - self.index.named()
        stale = self.index.named() - set(self.comparison.shards.items())
        if not any(counts.values()) and not shards and not stale and self.index.shards is not None:
            return RequestCounts()
        return RequestCounts(
            put=counts[Action.ADD] + counts[Action.REPLACE] + len(shards) + 2,
            head=counts[Action.REPLACE],
            delete=-(-counts[Action.REMOVE] // DELETE_BATCH) + -(-len(stale) // DELETE_BATCH),
        )

    @override
    def apply(self) -> None:
        """Put and delete objects until the store holds the site.

        Raises:
            PublishingError: if another program's objects are in the way, the store fails, or the lease is
                lost. What was put stays; publishing again continues from there.
            DamagedSnapshotError: if the site is a damaged snapshot; nothing was put.
        """
        if self.dry_run:
            raise PublishingError("a dry run cannot be applied")
        if conflicts := self.plan().conflicts:
            raise conflict_error(conflicts)
        if self.cost() == RequestCounts():
            return
        self.site.fetch(self.comparison.is_changed)
        self._begin()
        writer = ObjectWriter(
            self.store, self.site, self.lease, self.advance, adopt=self.adopt, verified=self.verified
        )
        for step in PutStep:
            transfer(self.comparison.puts(step), writer.write, self.lease)
        transfer(batches(self.comparison.removals(), DELETE_BATCH), self._delete, self.lease)
        self._end()

    def _begin(self) -> None:
        """Record the publication in the ledger before its first put."""
        new = sorted(set(self.comparison.shards.items()) - self.index.named())

        async def put(shard: tuple[str, str]) -> None:
            name, digest = shard
            body = pack(self.comparison.entries_of(name))
            await self.store.put(shard_path(name, digest), body, OWN_HEADERS)

        transfer(new, put, self.lease)
        self._taken_over = self.index.begun
        self._write_index(
            self.index._replace(begun=(*self.index.begun, self.comparison.shards), instant=self.instant)
        )

    def _end(self) -> None:
        """Record the finished publication, and delete obsolete shards."""
        before = self.index.named()
        self._write_index(StoreIndex(self.comparison.shards, (), self._taken_over, self.instant))
        stale = [shard_path(*shard) for shard in sorted(before - self.index.named())]
        transfer(batches(stale, DELETE_BATCH), self._delete, self.lease)

    async def _delete(self, paths: list[str]) -> None:
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
        """Return the tag of the index if it is the one to put: the response to an earlier attempt may be lost.

        Raises:
            PublishingError: if it is a different one.
        """
        found = self.store.get(INDEX)
        if found is None or found[0] != index.encode():
            raise PublishingError(
                f"another publisher has written the ledger of {self.store.url}", "publish again"
            )
        return found[1].tag
