"""A folder served over HTTP on loopback, as a plain static host does it: with ranges, or without."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote

from support.local_server import LocalServer


class Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD with files; a query `?fail=500` answers so."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        root: Path = self.server.root  # type: ignore[attr-defined]
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        file = root / unquote(self.path).lstrip("/")
        if self.path in self.server.answers:  # type: ignore[attr-defined]
            code, headers, body = self.server.answers[self.path]  # type: ignore[attr-defined]
            return self.send(code, body, headers)
        if not file.is_file():
            return self.send(self.server.missing, b"nothing here")  # type: ignore[attr-defined]
        body = file.read_bytes()
        requested = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not requested or not self.server.ranges:  # type: ignore[attr-defined]
            return self.send(200, body)
        start, end = int(requested[1]), int(requested[2]) + 1
        if start >= len(body):
            return self.send(416, b"")
        return self.send(206, body[start:end])

    do_HEAD = do_GET  # noqa: N815 - the standard library's name

    def send(self, code: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in ({"Content-Length": str(len(body))} | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        if "Content-Length" in (headers or {}):
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


Answers = dict[str, tuple[int, dict[str, str], bytes]]


@contextmanager
def served(
    root: Path, *, ranges: bool = True, answers: Answers | None = None, missing: int = 404
) -> Iterator[tuple[str, list[str]]]:
    """Serve a folder; give its URL and the paths that are asked for. `missing` is the status for what is not there."""
    server = LocalServer(("127.0.0.1", 0), Handler)
    server.root, server.ranges, server.answers = root, ranges, answers or {}  # type: ignore[attr-defined]
    server.missing = missing  # type: ignore[attr-defined]
    requested: list[str] = []
    server.asked = requested  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", requested
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
