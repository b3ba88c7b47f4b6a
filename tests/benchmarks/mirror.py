"""What the manifest costs a build, and a mirror that is cut again and again, with a server that lies in between.

    PYTHONPATH=tests python tests/benchmarks/mirror.py [--contracts 20000] [--cuts 20]

First the same builds with and without the manifest, in turns: a first one, one after an incident, one without changes, and a tick.
Then the site is served, and mirrored by processes that are killed after so many requests; after each, another one meets a server
that lies. No file of the mirror may ever differ from the site's. The last run must make it whole, and the next one ask for nothing.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from unittest.mock import patch

from statuary.base.findings import Finding
from statuary.engine import build as building
from statuary.engine import tick as ticking
from statuary.status.api.epoch_index import read_epoch_index
from support.file_server import Handler
from support.sites import INCIDENT, NOW, build, site_of_many, write_files

LIES: dict[str, Callable[[bytes], tuple[int, bytes, dict[str, str]]]] = {
    "another bit": lambda body: (200, body[:-1] + bytes([(body or b"x")[-1] ^ 1]), {}),
    "fewer bytes": lambda body: (200, body[: len(body) // 2], {}),
    "more bytes": lambda body: (200, body + b"x" * 1000, {}),
    "no such file": lambda _: (404, b"", {}),
    "a redirect": lambda _: (302, b"", {"Location": "/index.html"}),
    "an error": lambda _: (500, b"", {}),
    "a refusal": lambda _: (403, b"no", {}),
}


class LyingHandler(Handler):
    """Answers as the site, or lies, as its server says."""

    def send(self, code: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        lie = self.server.lie  # type: ignore[attr-defined]
        if lie and code == 200 and self.server.dice.random() < 0.2:  # type: ignore[attr-defined]
            code, body, headers = LIES[lie](body)
        with self.server.lock:  # type: ignore[attr-defined]
            self.server.answered += 1  # type: ignore[attr-defined]
        super().send(code, body, headers)


class LyingServer(ThreadingHTTPServer):
    """A folder served; it lies while `lie` names how."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, root: Path) -> None:
        super().__init__(("127.0.0.1", 0), LyingHandler)
        self.root, self.ranges, self.answers = root, False, dict[str, object]()
        self.asked = list[str]()
        self.lie, self.answered, self.dice, self.lock = "", 0, random.Random(1), threading.Lock()

    def handle_error(self, *_: object) -> None:
        """Say nothing of connections of killed processes."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serving(root: Path) -> Iterator[LyingServer]:
    """Serve a folder from a thread."""
    server = LyingServer(root)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()


def seconds_of(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def nothing(*_: object, **__: object) -> list[Finding]:
    """Make no manifest."""
    return []


def times_of(content: Path, site: Path) -> Iterator[tuple[str, float]]:
    """Yield the seconds of each kind of run into a new folder."""

    def built() -> object:
        return build(content, site, NOW)

    yield "first build", seconds_of(built)
    yield "unchanged", min(seconds_of(built) for _ in range(5))
    times = []
    for number in range(5):
        write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", f"Slow {number}")})
        times.append(seconds_of(built))
    yield "an incident", min(times)
    at = read_epoch_index(site).instants[-1]
    yield "a tick", seconds_of(lambda: ticking.tick(site, at))
    write_files(content, {"incidents/slow.yaml": INCIDENT})
    built()


def costs(content: Path, root: Path) -> None:
    """Print the seconds of builds and ticks with the manifest and without it."""

    rows: dict[str, dict[bool, float]] = {}
    for has_manifest in (False, True):
        site = root / ("site" if has_manifest else "without")
        with ExitStack() as patches:
            for module in () if has_manifest else (building, ticking):
                patches.enter_context(patch.object(module, "write_manifest", nothing))
            for name, seconds in times_of(content, site):
                rows.setdefault(name, {})[has_manifest] = seconds
    for name, row in rows.items():
        print(
            f"| {name} | {row[False]:.2f} s | {row[True]:.2f} s | {row[True] / row[False]:.2f} |", flush=True
        )


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if ".statuary" not in file.parts and file.is_file()
    }


def wrong_in(mirror: Path, site: dict[str, bytes]) -> list[str]:
    """Return the files of a mirror that differ from the site's."""
    there = files_of(mirror) if mirror.exists() else {}
    return [path for path, body in there.items() if site.get(path) != body]


def start(url: str, mirror: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "statuary", "mirror", url, str(mirror)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def mirror_with_cuts(root: Path, cuts: int) -> None:
    """Print how a mirror became whole."""
    site, mirror = files_of(root / "site"), root / "mirror"
    wrong, ends, asked_after_kills = 0, Counter[str](), 0
    with serving(root / "site") as server:
        share = len(site) * 3 // 4 // (cuts + 1)  # two names of a record are one request
        for number in range(cuts):
            before, process = server.answered, start(server.url, mirror)
            while process.poll() is None and server.answered - before < share:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            asked_after_kills += server.answered - before
            wrong += len(wrong_in(mirror, site))
            server.lie = [*LIES][number % len(LIES)]
            before = server.answered
            process = start(server.url, mirror)
            printed, _ = process.communicate()
            server.lie = ""
            assert "Traceback" not in printed, printed
            ends[f"exit code {process.returncode}"] += 1
            asked_after_kills += server.answered - before
            wrong += len(wrong_in(mirror, site))
            print(f"cut {number + 1}: {asked_after_kills:,} requests so far", flush=True)
        before, last = server.answered, start(server.url, mirror)
        print(last.communicate()[0].strip())
        asked = server.answered - before
        whole = files_of(mirror) == site
        print(f"{cuts} cuts, lies ended with {dict(ends)}; files that were ever wrong: {wrong}")
        print(f"{len(site):,} files, byte for byte: {whole}; {asked_after_kills + asked:,} requests in all")
        before, again = server.answered, start(server.url, mirror)
        print(f"again: {again.communicate()[0].strip()!r}, {server.answered - before} requests")
        changed_by(server, root, site)


def changed_by(server: LyingServer, root: Path, site: dict[str, bytes]) -> None:
    """Print what a mirror asks for after an incident."""
    write_files(root / "content", {"incidents/slow.yaml": INCIDENT.replace("Slow", "Very slow")})
    build(root / "content", root / "site", NOW)
    after = files_of(root / "site")
    changed = {path for path, body in after.items() if site.get(path) != body}
    server.asked.clear()
    print(start(server.url, root / "mirror").communicate()[0].strip())
    asked = {path.removeprefix("/") for path in server.asked}
    others = asked - changed - {"snapshot/manifest.json.minisig"}
    print(
        f"after an incident: {len(changed)} files changed, {len(server.asked)} requests, for others: {sorted(others)};"
        f" byte for byte: {files_of(root / 'mirror') == after}"
    )


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contracts", type=int, default=20_000)
    parser.add_argument("--cuts", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        content = site_of_many(root, options.contracts)
        print("| | without the manifest | with it | ratio |\n|---|---|---|---|")
        costs(content, root)
        mirror_with_cuts(root, options.cuts)


if __name__ == "__main__":
    main()
