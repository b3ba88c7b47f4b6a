"""A real Dask cluster on loopback: a scheduler and workers as processes of their own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from support.requirements import require_module

TESTS = Path(__file__).parents[1]


@dataclass
class DaskCluster:
    """A running cluster.

    Attributes:
        address: the scheduler's.
        scheduler: its process.
        workers: theirs, without nannies, so that a killed one stays killed.
    """

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self) -> None:
        """Start a worker with one thread."""
        command = ["worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        self.workers.append(_started(*command, "--death-timeout", "10"))

    def end(self) -> None:
        """Kill whatever is left."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def dask_cluster(workers: int = 2) -> Iterator[DaskCluster]:
    """Start a cluster and end it."""
    require_module("distributed", install='pip install "statuary[dask]"')
    port = _free_port()
    address = f"tcp://127.0.0.1:{port}"
    scheduler = _started(
        "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-show"
    )
    cluster = DaskCluster(address, scheduler)
    try:
        _wait_for(port)
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.end()


def _started(*arguments: str) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s"}
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait_for(port: int) -> None:
    until = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < until, "the scheduler does not listen"
            time.sleep(0.1)
        else:
            return
