"""Publishing a site into an object store: compare with the ledger there, show the plan, apply it.

Only what changed is put: bodies, then what names them, then stale objects are deleted. Before the first put the
ledger says what the store is to become, so that a publication that was killed is known to have begun: the next
one asks the objects that it may have touched, and goes on. If the ledger is lost, the store is listed and every
object is asked; ours tell their digest, and by that that they are ours.
"""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import NamedTuple, Self

from statuary.publishing.errors import PublishingError
from statuary.publishing.object_store.lease import Lease
from statuary.publishing.object_store.object_headers import DIGEST_ATTRIBUTE, stored_headers
from statuary.publishing.object_store.published_sites import PublishedSite
from statuary.publishing.object_store.put_order import STEPS
from statuary.publishing.object_store.store import ObjectInfo, ObjectStore, PreconditionFailedError
from statuary.publishing.object_store.store_comparison import ObjectPut, StoreComparison
from statuary.publishing.object_store.store_ledger import (
    INDEX,
    Shards,
    StoreIndex,
    pack,
    parse_index,
    shard_path,
    unpack,
)
from statuary.publishing.object_store.transfer import batches, transfer
from statuary.publishing.plan import Action, Plan
from statuary.publishing.safe_path import OWN_FOLDER

DELETE_BATCH = 1000
"""Objects that S3 deletes in one request."""

LIST_PAGE = 1000
"""Objects that stores list in one answer."""

OWN_HEADERS = {"Cache-Control": "no-store"}
"""Of the ledger's objects, should anybody serve them."""


class RequestCounts(NamedTuple):
    """How many requests of each kind something takes, tries again not counted.

    Attributes:
        put: objects put; of all kinds of request these cost most.
        get: bodies asked for.
        head: objects asked what they are.
        list: answers of a listing.
        delete: requests that delete, each up to a thousand objects.
    """

    put: int = 0
    get: int = 0
    head: int = 0
    list: int = 0
    delete: int = 0


class ObjectStoreTarget:
    """A site on its way into an object store; a context manager, since a lease and temporary files are held."""

    def __init__(
        self,
        bucket: ObjectStore,
        source: PublishedSite,
        *,
        lease: Lease | None,
        adopt: bool = False,
        advance: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Take the lease, if there is to be one; compare nothing yet.

        Args:
            bucket: where to.
            source: the site.
            lease: the lease to hold; None for a dry run, or for a store that keeps no conditions.
            adopt: take over objects of somebody else at the site's paths.
            advance: is told of every object that has been put or asked.

        Raises:
            PublishingRefused: if another publisher has the lease, or the store cannot be used.
        """
        self.bucket = bucket
        self.source = source
        self.lease = lease
        self.adopt = adopt
        self.advance = advance
        if lease is not None:
            lease.acquire()
        self.comparison = StoreComparison()
        self.index = StoreIndex()
        self.index_tag: str | None = None
        self.asked = RequestCounts()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.comparison.close()
        if self.lease is not None:
            self.lease.release()

    def compare(self) -> Plan:
        """Find out what has to change; `asked` tells what that took.

        Raises:
            PublishingRefused: if site or store cannot be read.
        """
        self.comparison.want(self.source.offered())
        found = self.bucket.get(INDEX)
        self.asked = RequestCounts(get=1)
        if found is None:
            self._look_around()
        else:
            self.index, self.index_tag = parse_index(found[0]), found[1].tag
            self._read_ledger()
        self._ask()
        self.comparison.compare()
        return self._plan()

    def _look_around(self) -> None:
        """Without a ledger: take everything that the store has; each object is asked whose it is."""
        count = 0
        for path, size in self.bucket.listed():
            count += 1
            if not path.startswith(f"{OWN_FOLDER}/"):
                self.comparison.find(path, size)
        self.asked = self.asked._replace(list=1 + count // LIST_PAGE)

    def _read_ledger(self) -> None:
        """Take what the ledger says of the shards that differ."""
        self.comparison.leave_out(self.index)
        self.comparison.hold(self._entries(self.index.shards or {}))
        for number, shards in enumerate(self.index.begun, start=1):
            self.comparison.may_hold(self._entries(shards), number)

    def _entries(self, shards: Shards) -> Iterator:  # type: ignore[type-arg]
        for name, digest in shards.items():
            if self.comparison.is_left_out(name):
                continue
            found = self.bucket.get(shard_path(name, digest))
            if found is None:
                raise PublishingError(
                    f"{shard_path(name, digest)} is missing in {self.bucket.url}",
                    f"delete {INDEX}; the next publication asks for every object instead",
                )
            self.asked = self.asked._replace(get=self.asked.get + 1)
            yield from unpack(found[0], name, digest)

    def _ask(self) -> None:
        """Ask the objects that nothing certain is known of."""

        async def ask(path: str) -> None:
            self.comparison.ask(path, await self.bucket.head(path))
            self.asked = self.asked._replace(head=self.asked.head + 1)
            self.advance(1)

        transfer(self.comparison.uncertain(), ask, self.lease)

    def _plan(self) -> Plan:
        counts = self.comparison.counts()
        documents, size, changed = self.comparison.sizes()
        return Plan(
            counts=counts,
            kept=documents - counts[Action.ADD] - counts[Action.REPLACE],
            size=size,
            changed_size=changed,
            changes=self.comparison.changes,
            conflicts=() if self.adopt else tuple(self.comparison.conflicts()),
        )

    def cost(self) -> RequestCounts:
        """Return the requests that applying takes, tries again and the lease left out."""
        counts = self.comparison.counts()
        shards = set(self.comparison.shards.items()) - self.index.named()
        stale = self.index.named() - set(self.comparison.shards.items())
        if not any(counts.values()) and not shards and not stale and self.index.shards is not None:
            return RequestCounts()
        deletes = -(-counts[Action.REMOVE] // DELETE_BATCH) + -(-len(stale) // DELETE_BATCH)
        return RequestCounts(
            put=counts[Action.ADD] + counts[Action.REPLACE] + len(shards) + 2, delete=deletes
        )

    def apply(self) -> None:
        """Make the store hold the site.

        Raises:
            PublishingRefused: if objects of somebody else are in the way, the store fails for good, or the lease is
                lost. What was put stays, and publishing again goes on from there.
            SnapshotDamaged: if the site is a snapshot that is damaged; nothing was put then.
        """
        conflicts = [] if self.adopt else self.comparison.conflicts()
        if conflicts:
            raise _conflict_error(conflicts)
        if self.cost() == RequestCounts():
            return
        self.source.fetch(self.comparison.is_changed)
        self._begin()
        for step in STEPS:
            transfer(self.comparison.puts(step), self._put, self.lease)
        transfer(batches(self.comparison.removals(), DELETE_BATCH), self._delete, self.lease)
        self._end()

    def _begin(self) -> None:
        """Let the ledger say what the store is to become."""
        new = sorted(set(self.comparison.shards.items()) - self.index.named())

        async def put(shard: tuple[str, str]) -> None:
            name, digest = shard
            body = pack(self.comparison.entries_of(name))
            await self.bucket.put(shard_path(name, digest), body, OWN_HEADERS)

        transfer(new, put, self.lease)
        self._write_index(self.index._replace(begun=(*self.index.begun, self.comparison.shards)))

    def _end(self) -> None:
        """Let the ledger say that the store has become it, and delete the shards that nothing names any more."""
        before = self.index.named()
        self._write_index(StoreIndex(shards=self.comparison.shards))
        stale = [shard_path(*shard) for shard in sorted(before - self.index.named())]
        transfer(batches(stale, DELETE_BATCH), self._delete, self.lease)

    async def _delete(self, paths: list[str]) -> None:
        if self.lease is not None:
            self.lease.check()
        await self.bucket.delete(paths)

    def _write_index(self, index: StoreIndex) -> None:
        """Replace the index, if it is still the one that was read."""
        headers = OWN_HEADERS | {"Content-Type": "application/json"}
        if self.lease is None:
            transfer([index.encode()], lambda body: self.bucket.put(INDEX, body, headers), None)
        else:
            self.lease.check()
            try:
                self.index_tag = self.bucket.put_if(INDEX, index.encode(), self.index_tag, headers)
            except PreconditionFailedError:
                self.index_tag = self._own_index(index)
        self.index = index

    def _own_index(self, index: StoreIndex) -> str | None:
        """Return the tag of the index if it is the one to be put: the answer to an earlier try may be lost.

        Raises:
            PublishingRefused: if it is another.
        """
        found = self.bucket.get(INDEX)
        if found is None or found[0] != index.encode():
            raise PublishingError(
                f"another publisher has written the ledger of {self.bucket.url}", "publish again"
            )
        return found[1].tag

    async def _put(self, put: ObjectPut) -> None:
        """Put one object; what is there already as it should be is left."""
        body = self.source.read(put.path)
        if sha256(body).hexdigest() != put.digest:
            raise PublishingError(
                f"{put.path} is not what the last build wrote", "build the site again, and publish it"
            )
        attributes = put.headers.attributes(put.digest)
        if self.lease is not None:
            self.lease.check()  # reading may have taken long, or the machine may have slept
        try:
            await self.bucket.put(put.path, body, attributes, is_new=put.is_new and self.lease is not None)
        except PreconditionFailedError:
            if not self._is_right(put, await self.bucket.head(put.path)):
                await self.bucket.put(put.path, body, attributes)
        self.advance(1)

    def _is_right(self, put: ObjectPut, found: ObjectInfo | None) -> bool:
        """Say whether an object that was not to be there is the one to be put.

        Raises:
            PublishingRefused: if it is somebody else's.
        """
        if found is None:
            return False
        if DIGEST_ATTRIBUTE not in found.attributes and not self.adopt:
            raise _conflict_error([put.path])
        is_same = found.attributes.get(DIGEST_ATTRIBUTE) == put.digest
        return is_same and stored_headers(found.attributes) == put.headers


def _conflict_error(paths: list[str]) -> PublishingError:
    shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5:,} more" if len(paths) > 5 else "")
    return PublishingError(
        f"objects that statuary did not put are in the way: {shown}",
        "move them away, publish below another prefix, or take them over with --adopt",
    )
