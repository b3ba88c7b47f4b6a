"""A log whose publication is killed anywhere verifies, and continues from what was published."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from statuary.base.files import PublishingError
from support.logs import LOGGED_SITE, log_of, logged, verified_in_store
from support.object_stores import proxied, publish
from support.random_runs import seeded, times
from support.sites import INCIDENT, files_in, path_of, record_of, write_files

pytestmark = pytest.mark.thorough

KILLS = times(6)
"""How many builds are killed, and how many publications are broken off; the issue's figure is 200."""

ROUNDS = 5 * KILLS
"""Some rounds come to their end first, and do not count."""


def instant_of(number: int) -> str:
    """Return the instant that a round builds at."""
    return f"2026-11-{20 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00Z"


def content_of(root: Path, number: int) -> Path:
    """Return the content of a round: an edited incident, a new contract, one that goes."""
    return write_files(
        root,
        LOGGED_SITE
        | {
            "incidents/slow.yaml": INCIDENT.replace("looking", f"looking, round {number},"),
            path_of(number + 2): record_of(number + 2),
        }
        | ({path_of(number + 1): None} if number % 3 == 2 else {}),
    )


def killed(content: Path, site: Path, now: str, seconds: float) -> bool:
    """Build in a process of its own that is killed after so long; return whether it was."""
    child = os.fork()
    if child == 0:
        try:
            logged(content, site, now)
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_killed_build_leaves_extendable_log(tmp_path):
    site, random = tmp_path / "site", seeded(1)
    logged(content_of(tmp_path / "content", 0), site, instant_of(0))
    span, count, number = 1.0, 0, 0
    while count < KILLS and number < ROUNDS:
        number += 1
        before = log_of(site).head
        content = content_of(tmp_path / "content", number)
        count += killed(content, site, instant_of(number), random.uniform(0, span))
        left = log_of(site)
        left.verify_extends(before, "what was published before")
        assert list(left.iter_entries())
        began = time.monotonic()
        logged(content, site, instant_of(number))
        span = time.monotonic() - began
        after = log_of(site)
        after.verify_extends(left.head, "what the killed build left")
        assert after.head.size > before.size
        assert list(after.iter_entries())
    print(f"{count} of {number} builds were killed")
    assert count == KILLS


def test_interrupted_publication_leaves_extendable_log(tmp_path, monkeypatch, moto_server, bucket_name):
    site, random, broken, number = tmp_path / "site", seeded(2), 0, 0
    with proxied(moto_server) as proxy:
        url = moto_server.make_bucket(bucket_name)
        for name, value in proxy.environment().items():
            monkeypatch.setenv(name, value)
        head = None
        while broken < KILLS and number < ROUNDS:
            logged(content_of(tmp_path / "content", number), site, instant_of(number))
            number += 1
            bodies = {
                path: body for path, body in files_in(site).items() if path.startswith(("log/", "incidents/"))
            }
            limit, begun = random.randint(1, 30), len(proxy.seen)
            kind = random.choice(("500", "lost"))
            proxy.fault = lambda *_, limit=limit, begun=begun, kind=kind: (
                kind if len(proxy.seen) - begun > limit else ""
            )
            try:
                publish(url, bodies, seconds=2)
            except PublishingError:
                broken += 1
            proxy.fault = lambda *_: ""
            head = verified_in_store(url, head)
            publish(url, bodies, ahead=10)  # the lease of the broken one has ended by then
            head = verified_in_store(url, head)
            assert head == log_of(site).head
    print(f"{broken} of {number} publications were broken off")
    assert broken == KILLS
