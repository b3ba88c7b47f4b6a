"""Publishing into real servers: exact listings, needless requests, faults, kills, other publishers."""

import gzip
import json
import random
import re
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from statuary.base.files import PublishingError
from statuary.base.primitives import Instant
from statuary.extensions.object_stores.objects import DIGEST_ATTRIBUTE
from statuary.extensions.object_stores.store import LEASE, Lease, LeaseHeldError, LeaseLostError, ObjectStore
from statuary.extensions.object_stores.store_comparison import INDEX
from statuary.extensions.object_stores.store_target import ObjectStoreTarget
from statuary.publish.plan import Action
from support.object_stores import HASTY, clock, objects_of, proxied, publish
from support.random_runs import seeded, times

pytestmark = pytest.mark.slow


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


CHANGED = {path: body for path, body in SITE.items() if path != "robots.txt"} | {
    "chains": b"[1]",
    record_path(3): b'{"match":"other"}',
    record_path(77): b'{"match":"new"}',
    "feed.json": b"{}",
}
"""The site, with two documents added, two replaced and one removed."""


@pytest.fixture
def store(server, bucket_name, monkeypatch):
    """A bucket behind a proxy, and the environment that leads there."""
    with proxied(server) as proxy:
        for name, value in proxy.environment().items():
            monkeypatch.setenv(name, value)
        proxy.url = f"{server.make_bucket(bucket_name)}/site"
        yield proxy


@pytest.fixture
def moto_store(moto_server, bucket_name, monkeypatch):
    """The same, moto alone: what happens there does not depend on the server."""
    with proxied(moto_server, hang=2.5) as proxy:
        for name, value in proxy.environment().items():
            monkeypatch.setenv(name, value)
        proxy.url = f"{moto_server.make_bucket(bucket_name)}/site"
        yield proxy


def bodies_in(store) -> dict[str, bytes]:
    """Return what is published, the ledger left out."""
    store.fault = lambda *_: ""
    return {
        path: body for path, (body, _) in objects_of(store.url).items() if not path.startswith(".statuary/")
    }


def names_of(seen, method: str) -> list[str]:
    """Return the paths of a method's requests, below the site."""
    return [path.partition("/site/")[2] for one, path, _ in seen if one == method]


def delete(store, *paths: str) -> None:
    import obstore
    from obstore.store import from_url

    obstore.delete(from_url(store.url), list(paths))


def put(store, path: str, body: bytes) -> None:
    import obstore
    from obstore.store import from_url

    obstore.put(from_url(store.url), path, body)


def test_store_holds_exactly_site_files(store):
    plan, *_ = publish(store.url, SITE)
    assert plan.counts == {Action.ADD: len(SITE), Action.REPLACE: 0, Action.REMOVE: 0}
    assert bodies_in(store) == SITE


def test_stored_objects_have_http_headers(store):
    publish(store.url, SITE)
    output = {path: attributes for path, (_, attributes) in objects_of(store.url).items()}
    names = ("Content-Type", "Cache-Control", "Content-Encoding")
    record = record_path(1)
    json = "application/json; charset=utf-8"
    assert {path: tuple(output[path].get(name) for name in names) for path in (record, f"{record}.gz")} == {
        record: (json, "public, max-age=0, must-revalidate", None),
        f"{record}.gz": (json, "public, max-age=0, must-revalidate", "gzip"),
    }
    assert output["api/v2/summary.json"]["Cache-Control"] == "public, max-age=30"
    assert output["index.html"]["Content-Type"] == "text/html; charset=utf-8"
    assert output["robots.txt"]["Content-Type"] == "text/plain; charset=utf-8"
    assert all(DIGEST_ATTRIBUTE in output[path] for path in SITE)


def test_unchanged_objects_are_not_uploaded(store):
    publish(store.url, SITE)
    store.seen.clear()
    plan, requested, cost = publish(store.url, SITE)
    assert (plan.is_empty, plan.unchanged) == (True, len(SITE))
    assert (requested.get, requested.head, requested.list, cost.put) == (1, 0, 0, 0)
    # the lease is taken, tried and given back
    assert names_of(store.seen, "PUT") == [LEASE] * 3


def test_changed_objects_are_uploaded_before_index(store):
    publish(store.url, SITE)
    store.seen.clear()
    plan, *_ = publish(store.url, CHANGED)
    assert plan.counts == {Action.ADD: 2, Action.REPLACE: 2, Action.REMOVE: 1}
    seen = list(store.seen)
    assert bodies_in(store) == CHANGED
    puts = [path for path in names_of(seen, "PUT") if not path.startswith(".statuary/ledger/")]
    bodies, indexes = {f"v2/contract/1/0x{number:040x}" for number in (3, 77)}, {"chains", "feed.json"}
    assert puts[:2] == [LEASE, LEASE]
    assert puts[2] == INDEX
    assert (set(puts[3:5]), set(puts[5:7]), puts[7:]) == (bodies, indexes, [INDEX, LEASE])
    methods = [method for method, path, _ in seen if INDEX not in path and LEASE not in path]
    last_put = len(methods) - 1 - methods[::-1].index("PUT")
    assert all(method in ("DELETE", "POST") for method in methods[last_put + 1 :])
    assert len(methods) > last_put + 1


def test_planned_request_cost_matches_sent_requests(moto_store):
    store = moto_store
    for bodies in (SITE, CHANGED):
        _, requested, cost = publish(store.url, bodies, dry_run=True)
        assert names_of(store.seen, "PUT") == names_of(store.seen, "POST") == []
        seen = Counter(method for method, *_ in store.seen)
        assert seen == +Counter({"GET": requested.get + requested.list, "HEAD": requested.head})
        store.seen.clear()
        publish(store.url, bodies)
        taken = Counter(method for method, path, _ in store.seen if LEASE not in path)
        assert (taken["PUT"], taken["POST"]) == (cost.put, cost.delete)
        store.seen.clear()


def test_lost_store_ledger_checks_every_object(store):
    publish(store.url, SITE)
    put(store, "elsewhere/own.bin", b"not ours")
    delete(store, INDEX)
    store.seen.clear()
    plan, requested, _ = publish(store.url, CHANGED)
    assert requested.head == len(SITE) + 1
    assert plan.counts == {Action.ADD: 2, Action.REPLACE: 2, Action.REMOVE: 1}
    assert store.count("PUT") == 4
    assert bodies_in(store) == CHANGED | {"elsewhere/own.bin": b"not ours"}


def test_foreign_objects_require_adopt_option(moto_store):
    store = moto_store
    put(store, "chains", b"not ours")
    for has_ledger in (False, True):
        if has_ledger:
            publish(store.url, {path: body for path, body in SITE.items() if path != "chains"})
        with pytest.raises(PublishingError, match="did not write: chains") as refused:
            publish(store.url, SITE)
        assert "--adopt" in refused.value.hint
        assert bodies_in(store)["chains"] == b"not ours"
    publish(store.url, SITE, adopt=True)
    assert bodies_in(store) == SITE


def test_changed_headers_replace_objects(moto_store, monkeypatch):
    store = moto_store
    publish(store.url, SITE)
    monkeypatch.setattr("statuary.extensions.object_stores.objects.cache_control_of", lambda _: "no-cache")
    plan, *_ = publish(store.url, SITE)
    assert plan.counts[Action.REPLACE] == len(SITE)
    assert objects_of(store.url)["chains"][1]["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("fault", ["500", "503", "lost"])
def test_store_matches_site_after_temporary_faults(store, fault):
    chance = random.Random(f"{fault} {store.server.scheme}")
    store.fault = lambda method, path, number: fault if chance.random() < 0.15 else ""
    publish(store.url, SITE)
    publish(store.url, CHANGED)
    befallen = sum(outcome == fault for *_, outcome in store.seen)
    assert befallen > 5
    assert bodies_in(store) == CHANGED
    effective = Counter(
        path for method, path, outcome in store.seen if method == "PUT" and outcome.startswith("2")
    )
    again = {path: count for path, count in effective.items() if count > 1 and ".statuary" not in path}
    assert set(again) <= {path for path, _ in effective.items() if path.endswith(("chains", f"{3:040x}"))}


def test_requests_without_response_are_retried(moto_store):
    store = moto_store
    hanging = {"chains", record_path(9), "api/v2/summary.json"}
    hung = set()

    def fault(method, path, _):
        name = path.partition("/site/")[2]
        if method != "PUT" or name not in hanging - hung:
            return ""
        hung.add(name)
        return "hang"

    store.fault = fault
    publish(store.url, SITE)
    assert hung == hanging
    assert bodies_in(store) == SITE


def test_publication_resumes_after_store_outage(moto_store):
    store = moto_store
    store.fault = lambda method, path, number: "500" if number > 40 else ""
    with pytest.raises(PublishingError, match="cannot take"):
        publish(store.url, SITE)
    there = bodies_in(store)
    assert 0 < len(there) < len(SITE)
    store.seen.clear()
    _, requested, _ = publish(store.url, CHANGED, ahead=60)
    assert requested.head == len(SITE)  # nothing was certain of any of them
    assert bodies_in(store) == CHANGED
    unchanged = {path for path, body in there.items() if CHANGED.get(path) == body}
    assert unchanged.isdisjoint(names_of(store.seen, "PUT"))


def in_thread(do, *arguments, **options):
    """Do something in a thread of its own, which an event loop does not see; return what came of it."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(do, *arguments, **options)


class BrokenOffError(Exception):
    """A publication stops at this point."""


@pytest.mark.parametrize("seed", range(times(3)))
def test_next_publication_finishes_interrupted_publication(moto_store, seed):
    """Sites come and go, and each publication but the last breaks off; what was to be stays findable.

    STORE_INTERRUPTIONS tries more stories.
    """
    store, chance = moto_store, seeded(seed)
    sites = [
        {path: body + b" " * chance.randrange(2) for path, body in SITE.items() if chance.random() < 0.7}
        for _ in range(5)
    ]
    for number, bodies in enumerate(sites):
        left = chance.randrange(60)

        def fall(_):
            nonlocal left
            left -= 1
            if left < 0:
                raise BrokenOffError

        try:
            publish(store.url, bodies, on_read=fall, ahead=number * 100)
        except BrokenOffError:
            continue
    store.seen.clear()
    plan, *_ = publish(store.url, SITE, ahead=1000)
    assert bodies_in(store) == SITE
    put = {
        path
        for method, path, status in store.seen
        if method == "PUT" and status[0] == "2" and "/.statuary/" not in path
    }
    assert len(put) == plan.counts[Action.ADD] + plan.counts[Action.REPLACE]  # a slow store may get one twice
    publish(store.url, {}, ahead=1000)
    assert bodies_in(store) == {}


def test_lease_excludes_second_publisher(store):
    second = []

    def meanwhile(_):
        if not second:
            second.append(in_thread(publish, store.url, CHANGED).exception())

    publish(store.url, SITE, on_read=meanwhile)
    assert isinstance(second[0], LeaseHeldError)
    assert bodies_in(store) == SITE
    publish(store.url, CHANGED)
    assert bodies_in(store) == CHANGED


def test_expired_lease_is_taken_over(store):
    """The first publisher sleeps, as machines do, while its lease ends and another publishes."""
    taken, slept = [], 0

    def now():
        return clock(slept)()

    def sleep(_):
        nonlocal slept
        if not taken:
            slept = 60
            taken.append(in_thread(publish, store.url, CHANGED, ahead=now).exception())

    with pytest.raises(LeaseLostError):
        publish(store.url, SITE, on_read=sleep, ahead=now)
    assert taken == [None]
    assert bodies_in(store) == CHANGED


def late_put(monkeypatch, store, late: str, meanwhile: dict[str, bytes]) -> Callable[[], Instant]:
    """Let the put of a path arrive only after another publisher took over; return the clock of the first publisher."""
    import obstore

    taken, slept = [], 0
    real = obstore.put_async

    def now():
        return clock(slept)()

    async def put_async(bucket, path, *arguments, **options):
        nonlocal slept
        if path == late and not taken:
            slept = 60
            taken.append(None)
            assert in_thread(publish, store.url, meanwhile, ahead=now).exception() is None
        return await real(bucket, path, *arguments, **options)

    monkeypatch.setattr(obstore, "put_async", put_async)
    return now


def test_late_overwrite_after_lost_lease_fails(store, monkeypatch):
    publish(store.url, SITE)
    late = record_path(3)
    now = late_put(monkeypatch, store, late, CHANGED)
    with pytest.raises(LeaseLostError):
        publish(store.url, SITE | {late: b'{"match":"late"}'}, ahead=now)
    assert bodies_in(store) == CHANGED


def test_late_object_without_lease_is_removed(store, monkeypatch):
    publish(store.url, SITE)
    late = record_path(99)
    now = late_put(monkeypatch, store, late, CHANGED)
    with pytest.raises(LeaseLostError):
        publish(store.url, SITE | {late: b'{"match":"late"}'}, ahead=now)
    assert bodies_in(store) == CHANGED | {late: b'{"match":"late"}'}
    publish(store.url, CHANGED, ahead=now)
    assert bodies_in(store) == CHANGED
    plan, requested, cost = publish(store.url, CHANGED, ahead=now)
    assert (plan.is_empty, requested.head, cost.put) == (True, 0, 0)


PATIENT = HASTY._replace(timeout=20)
FAULTS = ("500", "503", "lost", "cut", "slow", "hang")


@pytest.mark.parametrize("seed", range(times(2)))
def test_store_publications_repair_random_faults(moto_store, seed, monkeypatch):
    """Faults befall a publisher, which loses its lease while one of its puts is on the way; STORE_FAULTS tries more."""
    import obstore

    store, dice, slept, taken = moto_store, seeded(seed), 0, []
    before, first, second = (
        {path: body + b" " * dice.randrange(2) for path, body in SITE.items() if dice.random() < 0.8}
        for _ in range(3)
    )
    publish(store.url, before, patience=PATIENT)
    late = dice.choice([path for path, body in first.items() if before.get(path) != body])
    real = obstore.put_async

    def faults(*_):
        return dice.choice(FAULTS) if dice.random() < 0.04 else ""

    def now():
        return clock(slept)()

    async def put_async(bucket, path, *arguments, **options):
        nonlocal slept
        if path == late and not taken:
            slept, store.fault = 60, lambda *_: ""
            taken.append("begun")
            taken.append(in_thread(publish, store.url, second, ahead=now, patience=PATIENT).exception())
            store.fault = faults
        return await real(bucket, path, *arguments, **options)

    monkeypatch.setattr(obstore, "put_async", put_async)
    store.fault = faults
    with pytest.raises(PublishingError):
        publish(store.url, first, ahead=now)
    assert taken in ([], ["begun", None])
    for path, body in bodies_in(store).items():
        assert body in (before.get(path), first.get(path), second.get(path))
    slept += 60
    publish(store.url, second, ahead=now, patience=PATIENT)
    assert bodies_in(store) == second
    plan, _, cost = publish(store.url, second, ahead=now, patience=PATIENT)
    assert (plan.is_empty, cost.put) == (True, 0)


def test_verify_option_checks_every_stored_object(moto_store):
    store = moto_store
    publish(store.url, SITE)
    delete(store, record_path(5))
    assert publish(store.url, SITE)[0].is_empty
    plan, requested, _ = publish(store.url, SITE, verify=True)
    assert (plan.counts[Action.ADD], requested.head) == (1, len(SITE) - 1)
    assert bodies_in(store) == SITE


def test_lists_are_uploaded_after_listed_documents(moto_store):
    store = moto_store
    address = f"0x{1:040x}"
    site = SITE | {
        f"contracts/1/{address}.html": b"page",
        "v2/contracts-pages/1/1.json": b"{}",
        "v2/contracts-pages/1/index.json": b"{}",
        "contracts/1/index.html": b"list",
        "api/v2/_epochs/index.json": b"{}",
        "api/v2/_epochs/1/api/v2/summary.json": b"{}",
    }
    publish(store.url, site)
    order = {path: number for number, path in enumerate(names_of(store.seen, "PUT"))}
    for named, naming in [
        (record_path(1), f"contracts/1/{address}.html"),
        (f"proof/1/{address}.json", f"contracts/1/{address}.html"),
        (f"contracts/1/{address}.html", "contracts/1/index.html"),
        (record_path(1), "v2/contracts-pages/1/1.json"),
        ("v2/contracts-pages/1/1.json", "v2/contracts-pages/1/index.json"),
        ("v2/contracts-pages/1/1.json", "v2/contracts/1"),
        ("chains", "index.html"),
        ("api/v2/_epochs/1/api/v2/summary.json", "api/v2/_epochs/index.json"),
        ("contracts/1/index.html", "api/v2/summary.json"),
    ]:
        assert order[named] < order[naming], (named, naming)


def test_expiring_lease_stops_uploads(moto_store, monkeypatch):
    store, put_yet = moto_store, []

    def read(path):
        put_yet.append(path)
        if len(put_yet) == 10:
            monkeypatch.setattr(
                "statuary.extensions.object_stores.store.Lease.renew_if_due", lambda self: None
            )
            monkeypatch.setattr("statuary.extensions.object_stores.store.CLOCK_SKEW", 1.0)

    with pytest.raises(LeaseLostError, match="about to end"):
        publish(store.url, SITE, on_read=read)
    assert len(put_yet) < 10 + 32


def test_store_ignoring_conditions_requires_no_lease_option(rclone_server, bucket_name, monkeypatch):
    for name, value in rclone_server.environment().items():
        monkeypatch.setenv(name, value)
    url = rclone_server.make_bucket(bucket_name)
    with pytest.raises(PublishingError, match="ignores conditional requests") as refused:
        publish(url, SITE)
    assert "--no-lease" in refused.value.hint
    for bodies in (SITE, CHANGED):
        publish(url, bodies, has_lease=False)
        found = objects_of(url)
        assert {
            path: body for path, (body, _) in found.items() if not path.startswith(".statuary/")
        } == bodies


def test_store_refusing_conditions_requires_no_lease_option(moto_store):
    moto_store.refuses_conditions = True
    with pytest.raises(PublishingError, match="does not support conditional requests") as refused:
        publish(moto_store.url, SITE)
    assert "--no-lease" in refused.value.hint
    for bodies in (SITE, CHANGED):
        publish(moto_store.url, bodies, has_lease=False)
        assert bodies_in(moto_store) == bodies


def test_publishing_without_lease_keeps_foreign_object(store):
    publish(store.url, SITE, has_lease=False)
    put(store, "chains", b"theirs")
    with pytest.raises(PublishingError, match="statuary did not write: chains"):
        publish(store.url, CHANGED, has_lease=False)
    assert bodies_in(store)["chains"] == b"theirs"
    publish(store.url, CHANGED, has_lease=False, adopt=True)
    assert bodies_in(store) == CHANGED


def test_publishing_without_lease_detects_concurrent_publisher(store):
    """The first one reports it, and the next publication repairs what the two left."""
    publish(store.url, SITE, has_lease=False)
    taken = []

    def meanwhile(_):
        if not taken:
            taken.append(in_thread(publish, store.url, CHANGED, has_lease=False).exception())

    with pytest.raises(PublishingError, match="another publisher has written the ledger"):
        publish(
            store.url, SITE | {"chains": b"[2]", "feed.rss": b"<rss/>"}, has_lease=False, on_read=meanwhile
        )
    assert taken == [None]
    publish(store.url, CHANGED, has_lease=False)
    assert bodies_in(store) == CHANGED


def test_google_store_uploads_compare_object_generation(monkeypatch):
    """That is what it compares; the library refuses an ETag alone."""
    conditions = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_PUT(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            conditions.append(self.headers["x-goog-if-generation-match"])
            self.send_response_only(200)
            for name, value in (("ETag", '"a"'), ("x-goog-generation", str(len(conditions)))):
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        key = {"gcs_base_url": f"http://127.0.0.1:{server.server_port}", "disable_oauth": True}
        key |= dict.fromkeys(("client_email", "private_key", "private_key_id"), "")
        monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT_KEY", json.dumps(key))
        monkeypatch.setenv("GOOGLE_ALLOW_HTTP", "true")
        lease = Lease(ObjectStore("gs://bucket", HASTY), clock(), timedelta(seconds=30))
        for holder in ("a", "b", "c"):
            lease._put_terms(holder)
        server.shutdown()
    assert conditions == ["0", "1", "2"]


def test_file_changed_since_build_is_rejected(moto_store):
    store = moto_store
    bodies = dict(SITE)

    def change(path):
        bodies[path] = b"changed meanwhile"

    with pytest.raises(PublishingError, match="has changed since the last build"):
        publish(store.url, bodies, on_read=change)
    assert bodies_in(store) == {}


def listing_of(store) -> str:
    """Return the path of the list of the ledger's parts."""
    (path,) = (path for path in objects_of(store.url) if re.fullmatch(r"\.statuary/ledger/\w+\.json", path))
    return path


@pytest.mark.parametrize(
    "harm",
    [
        lambda store, part: put(store, INDEX, b""),
        lambda store, part: put(store, INDEX, b"{}"),
        lambda store, part: put(store, INDEX, b"<html>"),
        lambda store, part: put(store, INDEX, b'{"format":2,"listing":7,"begun":[],"doubted":[]}'),
        lambda store, part: put(store, part, b"damaged"),
        lambda store, part: put(store, part, gzip.compress(b"another\n")),
        delete,
        lambda store, part: delete(store, listing_of(store)),
        lambda store, part: put(store, listing_of(store), b"[]"),
    ],
)
def test_damaged_store_ledger_is_replaced(moto_store, harm):
    """Every object is requested once; the next publication finds a ledger."""
    store = moto_store
    publish(store.url, SITE)
    part = next(path for path in objects_of(store.url) if path.endswith(".jsonl"))
    harm(store, part)
    plan, requested, _ = publish(store.url, CHANGED)
    assert requested.head == len(SITE)
    assert plan.counts == {Action.ADD: 2, Action.REPLACE: 2, Action.REMOVE: 1}
    assert bodies_in(store) == CHANGED
    plan, requested, cost = publish(store.url, CHANGED)
    assert (plan.is_empty, requested.head, cost.put) == (True, 0, 0)


def test_later_store_ledger_version_is_rejected(moto_store):
    store = moto_store
    publish(store.url, SITE)
    put(store, INDEX, b'{"format":9}')
    with pytest.raises(PublishingError, match="version 9") as refused:
        publish(store.url, CHANGED)
    assert refused.value.hint.startswith("delete")


def test_earlier_store_ledger_version_is_replaced(moto_store):
    """It cannot be read: every object is requested once, and what only that ledger knew of is removed."""
    store = moto_store
    publish(store.url, SITE)
    delete(store, *(path for path in objects_of(store.url) if path.startswith(".statuary/ledger/")))
    put(store, ".statuary/ledger/site-ab.tsv.gz", b"of an earlier version")
    put(store, INDEX, b'{"format":1,"shards":{"site":"ab"},"begun":[]}')
    plan, requested, _ = publish(store.url, CHANGED)
    assert plan.counts == {Action.ADD: 2, Action.REPLACE: 2, Action.REMOVE: 1}
    assert requested.head == len(SITE)
    assert bodies_in(store) == CHANGED
    assert not [path for path in objects_of(store.url) if path.endswith(".gz") and "ledger" in path]
    plan, requested, cost = publish(store.url, CHANGED)
    assert (plan.is_empty, requested.get, requested.head, cost.put) == (True, 1, 0, 0)


def test_interrupted_ledger_rebuild_keeps_pending_removals(moto_store):
    """The next publication removes what only the lost ledger knew of."""
    store = moto_store
    publish(store.url, SITE)
    delete(store, INDEX)

    def fall(_):
        raise BrokenOffError

    smaller = {path: body for path, body in CHANGED.items() if not path.startswith("proof/")}
    with pytest.raises(BrokenOffError):
        publish(store.url, smaller, on_read=fall)
    publish(store.url, smaller, ahead=100)
    assert bodies_in(store) == smaller


def test_outdated_ledger_objects_are_removed(moto_store):
    store = moto_store
    for bodies in (SITE, CHANGED, SITE):
        publish(store.url, bodies)
    own = sorted(path for path in objects_of(store.url) if path.startswith(".statuary/"))
    assert len(own) == 4  # index, lease, the list of the listing's parts, and its only part


@pytest.mark.parametrize("ending", ["failed", "killed"])
def test_unfinished_publication_parts_are_removed(moto_store, monkeypatch, ending):
    """Its index was never written, so no list names them; the next publication lists them once."""
    store = moto_store
    publish(store.url, SITE)
    store.fault = lambda method, path, number: "500" if method == "PUT" and path.endswith(INDEX) else ""
    with monkeypatch.context() as patch:
        if ending == "killed":
            patch.setattr(Lease, "release", lambda _: None)
        with pytest.raises(PublishingError):
            publish(store.url, CHANGED)
    store.fault = lambda *_: ""
    assert len([path for path in objects_of(store.url) if path.startswith(".statuary/")]) > 4
    for lists in (1, 0):
        _, requested, _ = publish(store.url, SITE, ahead=100)
        assert requested.list == lists
        assert len([path for path in objects_of(store.url) if path.startswith(".statuary/")]) == 4
    assert bodies_in(store) == SITE


def test_interrupted_store_cleanup_is_repeated(moto_store, monkeypatch):
    """A publication that ends before it removes the parts of an earlier one leaves that to the next."""
    store = moto_store
    publish(store.url, SITE)
    store.fault = lambda method, path, number: "500" if method == "PUT" and path.endswith(INDEX) else ""
    with pytest.raises(PublishingError):
        publish(store.url, CHANGED)
    store.fault = lambda *_: ""
    with monkeypatch.context() as patch:
        patch.setattr(ObjectStoreTarget, "plan", failing)
        with pytest.raises(PublishingError):
            publish(store.url, SITE)
    for lists in (1, 0):
        _, requested, _ = publish(store.url, SITE)
        assert requested.list == lists
        assert len([path for path in objects_of(store.url) if path.startswith(".statuary/")]) == 4


def failing(*_):
    raise PublishingError("the publication ends here")
