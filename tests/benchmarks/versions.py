"""What commands cost in several versions of statuary, in turns in one run: start-up, builds, no change, ticks, `serve`.

    python tests/benchmarks/versions.py CHECKOUT/src [CHECKOUT/src ...] [--corpora S:300 M:2000] [--rounds 3] [--requests 2000]

Each cell is the median of CPU seconds (user and system) of whole processes and their children, of `serve` those of the
server while it answers requests for records of the last corpus on one connection; in brackets the median of its ratios
to the first version in the same round. The corpora are those of `corpora.py`, and a small site without contracts.
Each round writes into new folders, which are removed at the end: on ext4, files are slow to create for minutes after
others were removed. `TMPDIR=/dev/shm` leaves the disk out. Only Linux tells the CPU of a process that runs.
"""

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from itertools import cycle, islice
from pathlib import Path

from corpora import grow
from processes import run
from year_of_incidents import write_content

NOW, LATER, TICKED = "2026-11-20T12:00:00Z", "2026-11-20T13:00:00Z", "2026-11-20T14:00:00Z"
STATUARY = [sys.executable, "-m", "statuary"]
START_SECONDS = 30.0

INCIDENTS = 5
"""Incidents of the small site without contracts, where most of a build is start-up."""


class Version:
    """A version of statuary, and the sites that it builds."""

    def __init__(self, src: Path, folder: Path) -> None:
        self.src, self.folder = src, folder  # the folder of the present round
        self.environment = os.environ | {"PYTHONPATH": str(src.resolve()), "PYTHONDONTWRITEBYTECODE": ""}

    def cpu(self, *arguments: str) -> float:
        """Return the CPU seconds of a command."""
        return run([*STATUARY, *arguments], self.folder, self.environment).cpu

    def steps(self, corpora: dict[str, Path], requests: int) -> Iterator[tuple[str, float]]:
        """Yield what each step costs, from empty folders on."""
        self.folder = self.folder.with_name(f"{self.folder.name}+")
        self.folder.mkdir()
        yield "statuary --help", self.cpu("--help")
        for name, content in corpora.items():
            build = ["build", "--content", str(content), "--out", name, "--workers", "1", "--now"]
            yield f"{name}: first build", self.cpu(*build, NOW)
            yield f"{name}: no change", self.cpu(*build, LATER)
            yield f"{name}: tick", self.cpu("tick", "--out", name, "--now", TICKED)
        yield f"serve: {requests:,} requests", self.serving_cpu(self.folder / [*corpora][-1], requests)

    def serving_cpu(self, site: Path, requests: int) -> float:
        """Return the CPU seconds that a server takes to answer requests for the records of a site."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [*STATUARY, "serve", str(site), "--port", str(port)]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, env=self.environment, **silent) as server:
            try:
                connection = connected(port)
                paths = [f"/{file.relative_to(site)}" for file in sorted(site.glob("v2/contract/*/*"))]
                before = cpu_of(server.pid)
                for path in islice(cycle(paths), requests):
                    connection.request("GET", path)
                    response = connection.getresponse()
                    assert (response.status, bool(response.read())) == (200, True), path
                return cpu_of(server.pid) - before
            finally:
                server.terminate()


def connected(port: int) -> HTTPConnection:
    """Return a connection to a server that starts."""
    until = time.monotonic() + START_SECONDS
    while True:
        connection = HTTPConnection("127.0.0.1", port)
        try:
            connection.connect()
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return connection


def cpu_of(process: int) -> float:
    """Return the CPU seconds of a running process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sources", type=Path, nargs="+", metavar="CHECKOUT/src")
    parser.add_argument("--corpora", nargs="+", default=["S:300", "M:2000"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=2000)
    options = parser.parse_args()
    costs: dict[str, list[list[float]]] = {}
    with tempfile.TemporaryDirectory(prefix="statuary-versions-") as name:
        corpora = {"status": write_content(Path(name) / "status", INCIDENTS, "DAILY")}
        for kind in options.corpora:
            letter, _, count = kind.partition(":")
            corpora[letter] = Path(name) / f"corpus-{letter}"
            grow(letter, corpora[letter], int(count) if count else None)
        versions = [
            Version(src, Path(name) / f"version-{place}") for place, src in enumerate(options.sources)
        ]
        for number in range(options.rounds + 1):
            for place, version in list(enumerate(versions))[:: -1 if number % 2 else 1]:
                for step, cpu in version.steps(corpora, options.requests):
                    if number:  # in the first round Python compiles the sources
                        costs.setdefault(step, [[] for _ in versions])[place].append(cpu)
    print(f"| CPU seconds | {' | '.join(map(str, options.sources))} |\n|---|{'---|' * len(options.sources)}")
    for step, by_version in costs.items():
        cells = (
            f"{statistics.median(times):.2f} ({statistics.median(a / b for a, b in zip(times, by_version[0], strict=True)):.2f})"
            for times in by_version
        )
        print(f"| {step} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
