"""The runtimes that the edge module is tried under."""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from statuary.extensions.hosting.documents import EnabledKeys
from statuary.extensions.hosting.hosts import (
    HostFile,
    HostOptions,
    make_netlify_files,
    make_worker_files,
    make_wrangler_configuration,
)
from statuary.site.settings import HostingSettings
from support.requirements import HOSTS, absent, require_node_package, require_program

EDGE_TESTS = Path(__file__).parents[1] / "edge"
EDGE = Path(__file__).parents[2] / "src" / "statuary" / "edge"

HOSTS_INSTALL = ".ci/install-hosts"
OLDEST_NODE = 22
PLAIN = HostingSettings()
OFFLINE = ("--no-remote", "--no-npm", "--no-lock", "--no-config", "--quiet")


def deno() -> str:
    """Return the path of deno."""
    return require_program("deno", install=HOSTS_INSTALL)


def run_deno(script: Path, stdin: str, *arguments: str) -> Any:
    """Run a script of the edge tests and return the JSON that it writes."""
    command = [deno(), "run", *OFFLINE, f"--allow-read={EDGE}", str(script), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def answers_of_deno(
    site: dict[str, bytes], cases: list[dict[str, Any]], *, digests: bool = False
) -> list[Any]:
    """Return what the edge module answers to each case, in one process."""
    questions = {
        "site": {path: body.decode() for path, body in site.items()},
        "cases": cases,
        "digests": digests,
    }
    answers: list[Any] = run_deno(EDGE_TESTS / "answer_all.js", json.dumps(questions))
    return answers


@dataclass(frozen=True)
class Served:
    """A server on loopback.

    Attributes:
        port: where it listens.
    """

    port: int

    def ask(self, target: str, method: str = "GET", headers: dict[str, str] | None = None) -> dict[str, Any]:
        """Ask with the target exactly as written, and return status, headers (lower-case names) and text."""
        answer = self.fetch(target, headers, method)
        return answer | {"body": answer["body"].decode(errors="replace")}

    def fetch(
        self, target: str, headers: dict[str, str] | None = None, method: str = "GET"
    ) -> dict[str, Any]:
        """Ask likewise, and return the body as bytes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.putrequest(method, target, skip_accept_encoding=True)
            for name, text in (headers or {}).items():
                connection.putheader(name, text)
            connection.endheaders()
            response = connection.getresponse()
            output = {name.lower(): text for name, text in response.getheaders()}
            return {"status": response.status, "headers": output, "body": response.read()}
        finally:
            connection.close()


@contextmanager
def served(command: list[str], ready: str, **environment: str) -> Iterator[Served]:
    """Run a server until the block ends.

    Args:
        command: the program and its arguments.
        ready: the pattern of the line that tells the port, in its first group.
        environment: what its environment has beside this one's.
    """
    env = os.environ | environment
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, start_new_session=True
    ) as process:
        output: list[str] = []
        reader = Thread(target=lambda: output.extend(process.stdout or ()))
        try:
            port = _port(process, re.compile(ready))
            reader.start()  # a server whose log nobody reads stands still once the pipe is full
            yield Served(port)
        finally:
            # the whole group: PyPI's `node` is a program that starts the real one
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            if reader.ident is not None:
                reader.join(timeout=60)
            print("".join(output))  # pytest shows it where a test fails


def _port(process: subprocess.Popen[str], ready: re.Pattern[str]) -> int:
    assert process.stdout is not None
    output = []
    for line in process.stdout:
        output.append(line)
        if found := ready.search(line):
            return int(found[1])
    raise AssertionError("the server ended before it was ready:\n" + "".join(output))


def write_site(folder: Path, site: dict[str, bytes]) -> Path:
    """Write a site's documents into a folder."""
    for path, body in site.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(body)
    return folder


def node() -> str:
    """Return the path of a Node.js that the emulators run on: the first that is new enough."""
    places = (os.environ.get("PATH", ""), str(Path(sys.executable).parent), str(HOSTS / "python" / "bin"))
    for place in os.pathsep.join(places).split(os.pathsep):
        program = shutil.which("node", path=place)
        if program and _major_version(program) >= OLDEST_NODE:
            return program
    return absent(f"Node.js {OLDEST_NODE} or newer", HOSTS_INSTALL)


def _major_version(program: str) -> int:
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    return int(version.strip().removeprefix("v").split(".")[0] or 0)


@contextmanager
def serve_with_deno(site: Path) -> Iterator[Served]:
    """Serve a folder with `deno serve`."""
    flags = [*OFFLINE[:-1], f"--allow-read={site}", "--host=127.0.0.1", "--port=0"]
    command = [deno(), "serve", *flags, str(EDGE / "deno-serve.js"), str(site)]
    with served(command, r"http://127\.0\.0\.1:(\d+)", NO_COLOR="1") as server:
        yield server


@contextmanager
def serve_with_netlify(site: dict[str, bytes], project: Path) -> Iterator[Served]:
    """Serve documents with Netlify's own request chain and edge bootstrap, set up as `statuary hosting` does it."""
    write_site(project / "build", site)
    with serve_project_with_netlify(project) as server:
        yield server


@contextmanager
def serve_project_with_netlify(
    project: Path, settings: HostingSettings = PLAIN, on: EnabledKeys = None
) -> Iterator[Served]:
    """Serve a project whose site lies in `build`."""
    modules = require_node_package("@netlify/dev", install=HOSTS_INSTALL)
    write_host_files(project, make_netlify_files(HostOptions(settings=settings, enabled=on)))
    path = f"{Path(deno()).parent}:{Path(node()).parent}:/usr/bin:/bin"
    command = [node(), str(EDGE_TESTS / "netlify_server.mjs"), str(modules), str(project)]
    with served(command, r"^(\d+)$", PATH=path) as server:
        yield server


@contextmanager
def serve_with_cloudflare(site: dict[str, bytes], project: Path) -> Iterator[Served]:
    """Serve documents with Cloudflare's own runtime, set up as `statuary hosting` does it."""
    write_site(project / "build", site)
    with serve_project_with_cloudflare(project) as server:
        yield server


@contextmanager
def serve_project_with_cloudflare(
    project: Path, settings: HostingSettings = PLAIN, on: EnabledKeys = None
) -> Iterator[Served]:
    """Serve a project whose site lies in `build`."""
    modules = require_node_package("miniflare", install=HOSTS_INSTALL)
    options = HostOptions(settings=settings, enabled=on)
    write_host_files(project, make_worker_files(options))
    configuration = json.dumps(make_wrangler_configuration(options))
    command = [
        node(),
        str(EDGE_TESTS / "cloudflare_server.mjs"),
        str(modules),
        str(project),
        configuration,
    ]
    with served(command, r"^(\d+)$") as server:
        yield server


def write_host_files(project: Path, files: list[HostFile]) -> None:
    """Write what a host needs into a project."""
    write_site(project, {file.path: file.text.encode() for file in files})
