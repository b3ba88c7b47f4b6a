"""The lease of a store: one publisher at a time, held as an object that is replaced only if it is unchanged.

A lease expires, so a killed publisher does not block others for long. A live publisher renews it in time and
stops before it expires if it cannot. Clocks may differ by `CLOCK_SKEW`.
"""

import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import orjson

from statuary.domain.primitives import Instant, InvalidValueError, format_instant, instant, parse_instant
from statuary.publishing.errors import PublishingError
from statuary.publishing.object_store.store import ObjectStore, PreconditionFailedError, Tag
from statuary.publishing.safe_path import OWN_FOLDER

LEASE = f"{OWN_FOLDER}/lease.json"

DURATION = timedelta(seconds=120)
"""How long a lease lasts without renewal."""

CLOCK_SKEW = 0.25
"""The part of a lease's duration by which clocks may differ, and that its holder leaves unused."""

UTC = ZoneInfo("UTC")

Clock = Callable[[], Instant]


class LeaseLostError(PublishingError):
    """Another publisher may have taken over."""


class LeaseHeldError(PublishingError):
    """Another publisher has the lease."""


class LeaseTerms(NamedTuple):
    """The content of the lease object."""

    holder: str  # a random name; empty if the lease was released
    until: Instant  # when it expires


class Lease:
    """A held lease; `renew` extends it, `release` ends it."""

    def __init__(self, bucket: ObjectStore, clock: Clock, duration: timedelta = DURATION) -> None:
        self.bucket = bucket
        self.clock = clock
        self.duration = duration
        self.holder = secrets.token_hex(8)
        self.tag: Tag | None = None
        self.until = clock()

    def acquire(self) -> None:
        """Take the lease.

        Raises:
            PublishingError: if another publisher has it, or the store ignores conditions, which makes a lease
                useless.
        """
        found = self.bucket.get(LEASE)
        if found is not None:
            self._refuse_if_held(_parse_terms(found[0]))
            self.tag = found[1].tag
        try:
            self._write(self.holder)
        except PreconditionFailedError:
            if not self._took_effect():
                raise PublishingError(
                    f"another publisher has just taken the lease of {self.bucket.url}",
                    "wait for it to finish, and publish again",
                ) from None
        self._try_conditions()

    def _refuse_if_held(self, terms: LeaseTerms) -> None:
        if terms.holder and terms.until + self.duration * CLOCK_SKEW > self.clock():
            raise LeaseHeldError(
                f"another publisher holds the lease of {self.bucket.url} until {format_instant(terms.until, UTC)}",
                "wait for it to finish; the lease of a killed publisher ends by itself",
            )

    def _try_conditions(self) -> None:
        """Make sure that the store rejects a put whose condition does not hold."""
        try:
            self.bucket.put_if(LEASE, b"", None)
        except PreconditionFailedError:
            return
        raise PublishingError(
            f"{self.bucket.url} ignores conditional requests, so that a lease has no effect",
            "publish with --no-lease, and run only one publisher at a time",
        )

    def renew(self) -> None:
        """Extend the lease after a third of its time; raise LeaseLostError if another publisher has it."""
        if self.clock() < self.until - self.duration * 2 / 3:
            return
        try:
            self._write(self.holder)
        except PreconditionFailedError:
            if not self._took_effect():
                raise LeaseLostError(
                    f"another publisher has taken over {self.bucket.url}",
                    "publish again when it has finished",
                ) from None

    def _took_effect(self) -> bool:
        """Return whether the object is ours: the response to an earlier put may be lost."""
        found = self.bucket.get(LEASE)
        if found is None or _parse_terms(found[0]).holder != self.holder:
            return False
        self.tag = found[1].tag
        self._write(self.holder)
        return True

    def check(self) -> None:
        """Make sure that a quarter of the lease is left; raise LeaseLostError if it may expire before."""
        if self.clock() > self.until - self.duration * CLOCK_SKEW:
            raise LeaseLostError(
                f"the lease of {self.bucket.url} is about to end and could not be renewed",
                "publish again; it continues from here",
            )

    def release(self) -> None:
        """Release the lease, unless another publisher has it by now."""
        try:
            self._write("")
        except (PreconditionFailedError, PublishingError):
            return

    def _write(self, holder: str) -> None:
        until = instant(self.clock() + self.duration)
        body = orjson.dumps({"holder": holder, "until": format_instant(until, UTC)})
        self.tag = self.bucket.put_if(LEASE, body, self.tag, {"Content-Type": "application/json"})
        self.until = until


def _parse_terms(body: bytes) -> LeaseTerms:
    """Read the lease object; nobody holds an unreadable one."""
    try:
        value = orjson.loads(body)
        return LeaseTerms(str(value["holder"]), parse_instant(value["until"]))
    except (orjson.JSONDecodeError, KeyError, TypeError, InvalidValueError):
        return LeaseTerms("", parse_instant("2000-01-01T00:00:00Z"))
