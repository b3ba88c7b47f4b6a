"""Two publishers at once, each with its own log: the store's log continues one of them, and does not fork."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.logs import LOGGED_SITE, log_of, logged, problems_of, verified_in_store
from support.object_stores import Proxy, proxied
from support.random_runs import times
from support.sites import INCIDENT, write_files

pytestmark = pytest.mark.thorough

ROUNDS = times(2)
"""How often two publish at once."""


def site_of(root: Path, who: str, number: int, base: Path | str | None) -> Path:
    """Build a site whose log continues the one of another site; its new entries are named by `who`."""
    incident = INCIDENT.replace("looking", f"looking, {who} {number},")
    content = write_files(root / f"content-{who}", LOGGED_SITE | {"incidents/slow.yaml": incident})
    out = root / f"{who}-{number}"
    logged(content, out, f"2026-11-20T{number // 60:02}:{number % 60:02}:00Z", elsewhere=base)
    return out


def publication(site: Path, url: str, environment: dict[str, str], *options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "statuary", "publish", site, "--to", url, *options]
    return subprocess.Popen(
        command, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def test_concurrent_publishers_never_fork_log(tmp_path, monkeypatch, moto_server, bucket_name):
    """Both signed a checkpoint that continues the published one; one waits for the lease in every other round."""
    head, base, refused = None, None, []
    url = moto_server.make_bucket(bucket_name)
    for name, value in moto_server.environment().items():
        monkeypatch.setenv(name, value)
    for number in range(ROUNDS):
        sites = [site_of(tmp_path, who, number, base) for who in ("one", "two")]
        wait = ("--wait", "60" if number % 2 else "0")
        running = [publication(site, url, {}, *wait) for site in sites]
        output = [one.communicate(timeout=120)[0] for one in running]
        won = [site for site, one in zip(sites, running, strict=True) if one.returncode == 0]
        assert len(won) == 1, output
        refused += [text for text, one in zip(output, running, strict=True) if one.returncode]
        head = verified_in_store(url, head)
        assert head == log_of(won[0]).head
        base = won[0]
    print(*(text.partition("\n")[0] for text in refused), sep="\n")
    for text in refused:
        assert "another publisher" in text or "is not a continuation of" in text
        assert "Traceback" not in text


def test_late_checkpoint_never_overwrites_newer_checkpoint(tmp_path, monkeypatch, moto_server, bucket_name):
    """The put of the checkpoint is held up until the lease has ended and another has published."""
    with proxied(moto_server) as proxy:
        url = moto_server.make_bucket(bucket_name)
        for name, value in moto_server.environment().items():
            monkeypatch.setenv(name, value)
        base = site_of(tmp_path, "base", 0, None)
        assert published(base, url)
        head = verified_in_store(url, None)
        slow, quick = (site_of(tmp_path, who, 1, base) for who in ("slow", "quick"))
        held_up = hold_up_checkpoint(proxy, lambda: published(quick, url, *SHORT, "--wait", "60"))
        late = publication(slow, url, proxy.environment(), *SHORT)
        output = late.communicate(timeout=120)[0]
        assert held_up == [True]
        puts = [
            outcome
            for method, path, outcome in proxy.seen
            if (method, path) == ("PUT", f"/{bucket_name}/log/checkpoint")
        ]
        assert puts == ["412"]
        assert late.returncode
        assert "another publisher" in output or "could not be renewed" in output
        assert "Traceback" not in output
        assert verified_in_store(url, head) == log_of(quick).head


SHORT = ("--lease-seconds", "7")


def published(site: Path, url: str, *options: str) -> bool:
    """Publish, and return whether that succeeded."""
    process = publication(site, url, {}, *options)
    print(process.communicate(timeout=120)[0])
    return process.returncode == 0


def hold_up_checkpoint(proxy: Proxy, meanwhile: Callable[[], bool]) -> list[bool]:
    """Let something happen before the first put of a checkpoint arrives; what came of it gets into the list."""
    held_up: list[bool] = []

    def fault(method: str, path: str, _: int) -> str:
        if method == "PUT" and path.endswith("/log/checkpoint") and not held_up:
            held_up.append(meanwhile())
        return ""

    proxy.fault = fault
    return held_up


def test_fresh_checkout_publishes_pending_log_checkpoint(tmp_path, monkeypatch, moto_server, bucket_name):
    """The publisher dies before its checkpoint is put: `log/pending.json` in the store has all that the next one needs."""
    with proxied(moto_server) as proxy:
        url = moto_server.make_bucket(bucket_name)
        for name, value in moto_server.environment().items():
            monkeypatch.setenv(name, value)
        base = site_of(tmp_path, "base", 0, None)
        assert published(base, url)
        head = verified_in_store(url, None)
        signed = site_of(tmp_path, "dying", 1, url)
        dying = publication(signed, url, proxy.environment(), "--lease-seconds", "5")

        def fault(method: str, path: str, _: int) -> str:
            if method == "PUT" and path.endswith("/log/checkpoint"):
                dying.kill()
                return "503"
            return ""

        proxy.fault = fault
        dying.communicate(timeout=120)
        assert dying.returncode < 0
        assert verified_in_store(url, head) == head  # readers see nothing of it yet
        after = site_of(tmp_path, "next", 2, url)
        assert published(after, url, "--wait", "60")
        log = log_of(after)
        log.verify_extends(log_of(signed).head, "what the dead publisher signed")
        assert verified_in_store(url, head) == log.head
        entries = b"".join(log.iter_entries())
        assert problems_of(after) == []
        assert entries.count(b'"kind":"site"') == 3  # of every publication, the dead one's too
