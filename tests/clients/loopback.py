"""Serve a built site over HTTP on loopback, while a block runs: as plain files, or with `statuary serve`."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from urllib.parse import unquote

from support.local_server import LocalServer

JSON = "application/json; charset=utf-8"

PATIENCE = 20
"""Seconds that `statuary serve` gets to start; it takes about half a one."""


@contextmanager
def plain_folder(site: Path, missing: bytes = b'{"error":"not found"}') -> Iterator[str]:
    """Serve plain files on a free port, as a host does that knows next to nothing of the site; give its URL.

    The query is ignored. Everything is JSON and may be read by any page; `/server/…`, where sourcify.dev has
    its API and where some clients insist on it, is the same as `/…`.
    """
    server = LocalServer(("127.0.0.1", 0), _files_of(site.resolve(), missing))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _files_of(site: Path, missing: bytes) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = unquote(self.path.partition("?")[0]).removeprefix("/server").removeprefix("/")
            file = (site / path).resolve()
            found = file.is_relative_to(site) and file.is_file()
            body = file.read_bytes() if found else missing
            self.send_response(HTTPStatus.OK if found else HTTPStatus.NOT_FOUND)
            self.send_header("Content-Type", JSON)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815 - the name that http.server calls

        def log_message(self, *_details: object) -> None:
            """Say nothing: a failing test shows what the client read."""

    return Handler


@contextmanager
def statuary_serve(site: Path, now: str, log: Path) -> Iterator[str]:
    """Run `statuary serve` over a built site as of an instant, on a free port; give its URL.

    Args:
        site: the built site.
        now: the instant of its clock.
        log: a file for its lines, of which the first says where it listens.
    """
    command = [sys.executable, "-m", "statuary", "serve", str(site), "--at", now, "--port", "0"]
    with log.open("wb") as lines, subprocess.Popen(command, stdout=lines, stderr=lines) as server:
        try:
            yield _said_url(server, log)
        finally:
            server.terminate()
            server.wait(PATIENCE)


def _said_url(server: subprocess.Popen[bytes], log: Path) -> str:
    """Wait for the line that says where the server listens."""
    until = monotonic() + PATIENCE
    while monotonic() < until and server.poll() is None:
        output = re.search(r" at (http://\S+)/ \(", log.read_text(encoding="utf-8"))
        if output:
            return output[1]
        sleep(0.02)
    raise AssertionError(f"statuary serve does not listen:\n{log.read_text(encoding='utf-8')}")
