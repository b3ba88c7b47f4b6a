"""The hosts that a build is served with, each set up by the files that `statuary hosting` writes for it."""

import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.sections import NO_OPTIONS
from statuary.extensions.hosting.documents import EnabledKeys
from statuary.extensions.hosting.hosts import (
    EDGE_FOLDER,
    HostOptions,
    make_caddy_files,
    make_deno_files,
    make_nginx_files,
)
from statuary.publish.folder.folder_target import FolderTarget
from statuary.site.settings import HostingSettings
from support.edge_runtimes import (
    HOSTS_INSTALL,
    OFFLINE,
    PLAIN,
    Served,
    deno,
    serve_project_with_cloudflare,
    serve_project_with_netlify,
    served,
    write_host_files,
)
from support.requirements import CHECKOUT, require_program
from support.shared_folders import made_once

BUILT_AT = "2026-11-20T12:00:00Z"
"""Before some of the content's transitions and long enough ago, so that the clock has changed documents since."""

SETTINGS = "\nhosting:\n  files: [netlify, cloudflare]\n"
LOOPBACK = "127.0.0.1"


def build_project(
    project: Path, settings: str = SETTINGS, files: Mapping[str, str] | None = None, without: str = ""
) -> Path:
    """Build this repository's own content into a project's `build`, and return the project.

    Args:
        files: further files of the project, by path; with them the stages of extensions run, such as clear signing.
        without: the name of a folder of the content that is left out.
    """
    shutil.copytree(CHECKOUT / "content", project / "content", ignore=shutil.ignore_patterns(without))
    for name, text in (files or {}).items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with (project / "content" / "site.yaml").open("a", encoding="utf-8") as file:
        file.write(settings)
    with FolderTarget(project / "build") as publication:
        outcome = build_site(
            project / "content",
            publication,
            parse_instant(BUILT_AT),
            NoProgress(),
            extension_options=NO_OPTIONS if files else None,
        )
    assert outcome.applied, outcome.checked.all_findings
    return project


def project_for(folders: pytest.TempPathFactory, settings: str = SETTINGS) -> Path:
    """Return a project of this worker's own, whose site is built once for all workers."""
    name = f"project-{hashlib.sha256(settings.encode()).hexdigest()[:12]}"
    built = made_once(folders, name, lambda project: build_project(project, settings))
    return shutil.copytree(built, folders.mktemp("project"), dirs_exist_ok=True)


def choices_for(project: Path, on: EnabledKeys = None, **more: str) -> HostOptions:
    """Return how a web server serves a project with some extensions on, on a port that is free."""
    with socket.socket() as free:
        free.bind((LOOPBACK, 0))
        port = free.getsockname()[1]
    listen = f"{LOOPBACK}:{port}"
    return HostOptions(
        settings=HostingSettings(), root=str(project / "build"), listen=listen, enabled=on, **more
    )


@contextmanager
def serve_with_nginx(project: Path, edge: Served | None = None, on: EnabledKeys = None) -> Iterator[Served]:
    """Serve a project with Debian's nginx, in front of a `deno serve` if there is one."""
    program = require_program("nginx", install=HOSTS_INSTALL)
    with TemporaryDirectory(prefix="nginx-") as folder:
        own = Path(folder)
        own.chmod(0o755)
        choices = choices_for(project, on, **_upstream(edge))
        write_host_files(own, make_nginx_files(choices))
        user = "user root;" if os.geteuid() == 0 else ""  # the workers read a temporary folder
        (own / "nginx.conf").write_text(NGINX.format(own=own, user=user))
        command = [program, "-e", "stderr", "-p", str(own), "-c", str(own / "nginx.conf")]
        with running_server(command, choices.listen or "") as server:
            yield server


NGINX = """\
daemon off;
{user}
pid {own}/pid;
worker_processes 2;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {own}/body;
    proxy_temp_path {own}/proxy;
    fastcgi_temp_path {own}/fastcgi;
    uwsgi_temp_path {own}/uwsgi;
    scgi_temp_path {own}/scgi;
    sendfile on;
    include {own}/statuary.conf;
}}
"""
"""What Debian's nginx.conf is to the generated file, kept inside one folder."""


@contextmanager
def serve_with_caddy(project: Path, edge: Served | None = None, on: EnabledKeys = None) -> Iterator[Served]:
    """Serve a project with Debian's Caddy, in front of a `deno serve` if there is one."""
    program = require_program("caddy", install=HOSTS_INSTALL)
    with TemporaryDirectory(prefix="caddy-") as folder:
        own = Path(folder)
        choices = choices_for(project, on, **_upstream(edge))
        (own / "Caddyfile").write_text("{\n\tadmin off\n}\n\n" + make_caddy_files(choices)[0].text)
        command = [program, "run", "--config", str(own / "Caddyfile"), "--adapter", "caddyfile"]
        with running_server(command, choices.listen or "", HOME=folder, XDG_DATA_HOME=folder) as server:
            yield server


@contextmanager
def serve_folder_with_deno(project: Path, settings: HostingSettings = PLAIN) -> Iterator[Served]:
    """Serve a project with the module that `statuary hosting deno` writes."""
    write_host_files(project, make_deno_files(HostOptions(settings=settings)))
    site = project / "build"
    flags = [*OFFLINE[:-1], f"--allow-read={site}", f"--host={LOOPBACK}", "--port=0"]
    command = [deno(), "serve", *flags, str(project / EDGE_FOLDER / "modules" / "deno-serve.js"), str(site)]
    with served(command, r"http://127\.0\.0\.1:(\d+)", NO_COLOR="1") as server:
        yield server


@contextmanager
def serve_with_statuary(project: Path) -> Iterator[Served]:
    """Serve a project with `statuary serve`."""
    command = [sys.executable, "-m", "statuary", "serve", str(project / "build"), "--port", "0"]
    with served(command, r"http://127\.0\.0\.1:(\d+)", PYTHONUNBUFFERED="1") as server:
        yield server


@contextmanager
def serve_snapshot(project: Path) -> Iterator[Served]:
    """Serve a project's site from a snapshot of it, with nothing unpacked."""
    statuary = [sys.executable, "-m", "statuary"]
    with TemporaryDirectory(prefix="snapshot-") as folder:
        file = f"{folder}/site.zip"
        subprocess.run(
            [*statuary, "snapshot", "create", "--from", str(project / "build"), file],
            check=True,
            capture_output=True,
        )
        with served(
            [*statuary, "serve", file, "--port", "0"], r"http://127\.0\.0\.1:(\d+)", PYTHONUNBUFFERED="1"
        ) as server:
            yield server


@contextmanager
def nginx_and_deno(project: Path) -> Iterator[Served]:
    """Serve a project with nginx in front of Deno."""
    with serve_folder_with_deno(project) as edge, serve_with_nginx(project, edge) as server:
        yield server


@contextmanager
def caddy_and_deno(project: Path) -> Iterator[Served]:
    """Serve a project with Caddy in front of Deno."""
    with serve_folder_with_deno(project) as edge, serve_with_caddy(project, edge) as server:
        yield server


Serve = Callable[[Path], AbstractContextManager[Served]]

SERVERS: dict[str, tuple[Serve, str]] = {
    "`statuary serve`": (serve_with_statuary, "edge"),
    "`statuary serve site.zip`": (serve_snapshot, "edge"),
    "Deno": (serve_folder_with_deno, "edge"),
    "Netlify (`@netlify/dev`)": (serve_project_with_netlify, "edge"),
    "Cloudflare (`miniflare`)": (serve_project_with_cloudflare, "edge"),
    "nginx and Deno": (nginx_and_deno, "edge"),
    "Caddy and Deno": (caddy_and_deno, "edge"),
    "nginx": (serve_with_nginx, "static"),
    "Caddy": (serve_with_caddy, "static"),
}
"""Every server by name, with the level that it reaches."""

EMULATORS_LACK = {
    "Netlify (`@netlify/dev`)": {
        "contracts-are-readable-from-any-origin": "its static server makes no ETag; Netlify's does",
        "status-is-readable-anywhere": "the same",
        "internal-files-are-hidden": "it follows the rule that hides them, and sends the file all the same",
    }
}
"""What an emulator is known to do otherwise than the host it stands for: checks, with the reason."""


def _upstream(edge: Served | None) -> dict[str, str]:
    return {} if edge is None else {"edge": f"{LOOPBACK}:{edge.port}"}


@contextmanager
def running_server(command: list[str], listen: str, **environment: str) -> Iterator[Served]:
    """Run a server that sends nothing until the block ends."""
    port = int(listen.rpartition(":")[2])
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | environment,
        start_new_session=True,
    ) as process:
        try:
            _wait_for(port, process)
            yield Served(port)
        finally:
            with suppress(ProcessLookupError):  # it may not have begun
                os.killpg(process.pid, signal.SIGTERM)
            output, _ = process.communicate(timeout=60)
            print(re.sub(r"(?m)^.*\"level\":\"info\".*\n", "", output))  # pytest shows it where a test fails


def _wait_for(port: int, process: subprocess.Popen[str]) -> None:
    """Wait until a port is listened on."""
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex((LOOPBACK, port)) == 0:
                return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise AssertionError("the server did not begin to listen")
