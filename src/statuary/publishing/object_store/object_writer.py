"""Put single objects, each only if the object that it replaces is unchanged."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256

from statuary.publishing.errors import PublishingError
from statuary.publishing.object_store.lease import Lease
from statuary.publishing.object_store.object_headers import DIGEST_ATTRIBUTE, stored_headers
from statuary.publishing.object_store.published_sites import PublishedSite
from statuary.publishing.object_store.store import ObjectInfo, ObjectStore, PreconditionFailedError
from statuary.publishing.object_store.store_comparison import ObjectPut

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
