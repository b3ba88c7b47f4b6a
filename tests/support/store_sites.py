"""Sites made up for object stores, and publishing them as the command does."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from statuary.domain.primitives import Instant, instant
from statuary.publishing.object_store.lease import Lease
from statuary.publishing.object_store.object_headers import headers_of
from statuary.publishing.object_store.published_sites import OfferedObject
from statuary.publishing.object_store.store import ObjectStore, RetryPolicy
from statuary.publishing.object_store.store_target import ObjectStoreTarget, RequestCounts
from statuary.publishing.plan import Plan

HASTY = RetryPolicy(timeout=2, tries=4, begins=4, pause=0.01)
"""For servers on this machine."""


def record_path(number: int) -> str:
    """Return the path of a record."""
    return f"v2/contract/1/0x{number:040x}"


SITE = {
    **{record_path(number): b'{"match":"%d"}' % number for number in range(30)},
    **{f"proof/1/0x{number:040x}.json": b'{"holds":%d}' % number for number in range(10)},
    f"{record_path(1)}.gz": b"compressed",
    "v2/contracts/1": b'{"results":[]}',
    "chains": b"[]",
    "api/v2/summary.json": b"{}",
    "index.html": b"<p>",
    "assets/statuary.css": b"p{}",
    "badge.svg": b"<svg/>",
    "robots.txt": b"User-agent: *",
}
"""A site with documents of every kind."""


class MadeSource:
    """A site in memory.

    Attributes:
        bodies: by path.
        on_read: is called for every body that is read.
    """

    def __init__(self, bodies: dict[str, bytes], on_read: Callable[[str], None] = lambda _: None) -> None:
        self.bodies = bodies
        self.on_read = on_read

    def objects(self) -> Iterator[OfferedObject]:
        for path, body in self.bodies.items():
            yield OfferedObject(path, sha256(body).hexdigest(), len(body), headers_of(path))

    def fetch(self, is_needed: Callable[[str], bool]) -> None:
        """Everything is at hand."""

    def read(self, path: str) -> bytes:
        self.on_read(path)
        return self.bodies[path]


def clock(ahead: float = 0) -> Callable[[], Instant]:
    """Return a clock that is so many seconds ahead."""
    return lambda: instant(datetime.now(UTC) + timedelta(seconds=ahead))


def publish(
    url: str,
    bodies: dict[str, bytes],
    *,
    ahead: float | Callable[[], Instant] = 0,
    has_lease: bool = True,
    adopt: bool = False,
    dry_run: bool = False,
    verify: bool = False,
    on_read: Callable[[str], None] = lambda _: None,
    seconds: float = 30,
    patience: RetryPolicy = HASTY,
) -> tuple[Plan, RequestCounts, RequestCounts]:
    """Publish bodies below a URL; return the plan, what comparing took and what applying was to take."""
    bucket = ObjectStore(url, patience)
    lease = None
    if has_lease and not dry_run:
        lease = Lease(bucket, ahead if callable(ahead) else clock(ahead), timedelta(seconds=seconds))
    source = MadeSource(bodies, on_read)
    with ObjectStoreTarget(
        bucket, source, lease=lease, adopt=adopt, dry_run=dry_run, verify=verify
    ) as publication:
        publication.offer(source.objects())
        plan = publication.plan()
        requested, cost = publication.asked, publication.cost()
        if not dry_run:
            publication.apply()
        return plan, requested, cost
