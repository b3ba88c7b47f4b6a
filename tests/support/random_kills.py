"""Builds that are killed at random instants, each followed by one that is left alone, whose site must be whole."""

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from support.dask_cluster import DaskCluster
from support.sites import INCIDENT, NOW, files_in, path_of, record_of, site_of_many, write_files

STATUARY = (sys.executable, "-m", "statuary", "build", "--now", NOW)
CONTRACTS = 1_000


class Worlds:
    """Two states of one site, which a target goes back and forth between.

    Attributes:
        contents: the content folder of each.
        wanted: the site of each, built undisturbed.
        seconds: how long a build of the target takes.
    """

    def __init__(self, root: Path, count: int = CONTRACTS) -> None:
        """Write and build both.

        Args:
            root: a folder to work in.
            count: how many contracts there are.
        """
        self.contents = [site_of_many(root / name, count) for name in ("before", "after")]
        changed = {
            path_of(number): record_of(number).replace(b'"matchId":"', b'"matchId":"90')
            for number in range(1, count, 3)
        }
        gone = {path_of(number): None for number in range(2, count, 5) if number % 3 != 1}
        new = {path_of(number): record_of(number) for number in range(count + 1, count + 50)}
        write_files(self.contents[1], changed | gone | new | {"incidents/slower.yaml": INCIDENT})
        self.wanted, spans = [], []
        for number, content in enumerate(self.contents):
            began = time.monotonic()
            finished(content, root / f"undisturbed-{number}")
            spans.append(time.monotonic() - began)
            self.wanted.append(files_in(root / f"undisturbed-{number}"))
        self.seconds = max(spans)


def finished(content: Path, out: Path, *options: str) -> None:
    """Build, and expect that it comes to its end."""
    done = subprocess.run(
        [*STATUARY, "--content", content, "--out", out, *options],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def kill_at_random(
    worlds: Worlds, out: Path, times: int, seed: int, cluster: DaskCluster | None = None
) -> Iterator[str]:
    """Kill so many builds, each followed by one that finishes; yield who was killed.

    Args:
        worlds: what is built.
        out: the target.
        times: how many builds are killed.
        seed: of the instants and the victims.
        cluster: builds with the workers of a cluster instead of processes, and kills a worker or the build.
    """
    chance = random.Random(seed)
    options = ("--workers", "3") if cluster is None else ("--engine", "dask", "--scheduler", cluster.address)
    for number in range(times):
        content, wanted = worlds.contents[number % 2], worlds.wanted[number % 2]
        victim = chance.choice(("the build", "a worker"))
        command = [*STATUARY, "--content", content, "--out", out, *options]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as build:
            time.sleep(chance.uniform(0.1, worlds.seconds))
            killed = _kill(build, victim, cluster, chance)
            build.wait(timeout=300)
        finished(content, out, *options)
        assert files_in(out) == wanted, f"after kill {number} of {killed}"
        yield killed


def _kill(
    build: "subprocess.Popen[bytes]", victim: str, cluster: DaskCluster | None, chance: random.Random
) -> str:
    if victim == "a worker" and cluster is not None:
        cluster.add_worker()
        cluster.workers.pop(chance.randrange(len(cluster.workers) - 1)).kill()
        return victim
    workers = _children(build.pid) if victim == "a worker" else []
    if workers:
        subprocess.run(["kill", "-9", str(chance.choice(workers))], check=False, stderr=subprocess.DEVNULL)
        return victim
    if build.poll() is not None:
        return "nobody: it had come to its end"
    build.kill()
    return "the build"


def _children(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children")
    found = listed.read_text().split() if listed.exists() else []
    return [int(child) for child in found if b"spawn_main" in _command(int(child))]


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def counted(killed: Iterator[str]) -> Counter[str]:
    """Return how many of whom were killed."""
    return Counter(killed)
