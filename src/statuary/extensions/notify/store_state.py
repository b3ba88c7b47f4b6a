"""The record of sent events in an object store."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from typing_extensions import override

from statuary.base.clock import utc_now
from statuary.base.files import OWN_FOLDER
from statuary.extensions.notify.sent_events import (
    Channels,
    DeliveryState,
    DeliveryStateError,
    SentEvents,
    encode_delivery_state,
    parse_delivery_state,
)
from statuary.extensions.object_stores.store import Lease, ObjectStore, PreconditionFailedError, Tag

OBJECT = f"{OWN_FOLDER}/notified.json"

HEADERS = {"Content-Type": "application/json", "Cache-Control": "no-store"}


class StoreState(DeliveryState):
    """The delivery state in an object store."""

    def __init__(self, store: ObjectStore, lease: Lease) -> None:
        self.store = store
        self.lease = lease
        self.tag: Tag | None = None

    @override
    def read(self) -> Channels | None:
        answer = self.store.get(OBJECT)
        if answer is None:
            return None
        body, info = answer
        self.tag = info.tag
        return parse_delivery_state(body, f"{self.store.url}/{OBJECT}")

    @override
    def write(self, channels: Mapping[str, SentEvents]) -> None:
        self.lease.renew_if_due()
        self.lease.require_time_left()
        try:
            self.tag = self.store.try_put_if_unchanged(
                OBJECT, encode_delivery_state(channels), self.tag, HEADERS
            )
        except PreconditionFailedError:
            raise DeliveryStateError(
                f"another program has replaced {self.store.url}/{OBJECT}",
                "run the command again: it continues from the new delivery state",
            ) from None


@contextmanager
def open_store_state(store_url: str) -> Iterator[StoreState]:
    """Open and lock the record of sent events in an object store.

    Raises:
        PublishingError: if a publisher or another run has the lock, or the store cannot be used.
    """
    store = ObjectStore(store_url)
    lease = Lease(store, utc_now)
    lease.acquire()
    try:
        yield StoreState(store, lease)
    finally:
        lease.release()
