"""Captured summaries of a real page, and a web server that answers as the page did at each of them."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from statuary.system.archives import import_zstandard
from support.local_server import LocalServer
from support.statuspage_captures import captures

UNRESOLVED = ("investigating", "identified", "monitoring")

ARCHIVE = "github-2020-2024.summaries.jsonl.zst"


class CapturedSummary(NamedTuple):
    """The `summary.json` and `status.json` that a page served at an instant."""

    at: str
    summary: dict[str, Any]
    status: dict[str, Any]


def captured_summaries() -> list[CapturedSummary]:
    """Return 374 captures of GitHub's page, 2020 to 2024, in the order of time."""
    zstd = import_zstandard()
    with zstd.open(captures() / ARCHIVE, "rt", encoding="utf-8") as lines:
        found = map(json.loads, lines)
        return [CapturedSummary(one["at"], one["summary"], one["status"]) for one in found]


def documents_of(capture: CapturedSummary) -> dict[str, Any]:
    """Return every document that follows from a summary, by its path."""
    page, summary = {"page": capture.summary["page"]}, capture.summary
    incidents, maintenances = summary["incidents"], summary["scheduled_maintenances"]
    api = {
        "summary": summary,
        "status": capture.status,
        "components": page | {"components": summary["components"]},
        "incidents": page | {"incidents": sorted(incidents, key=lambda one: one["created_at"], reverse=True)},
        "incidents/unresolved": page
        | {"incidents": [one for one in incidents if one["status"] in UNRESOLVED]},
        "scheduled-maintenances": page | {"scheduled_maintenances": maintenances},
        "scheduled-maintenances/upcoming": page
        | {"scheduled_maintenances": [one for one in maintenances if one["status"] == "scheduled"]},
        "scheduled-maintenances/active": page
        | {"scheduled_maintenances": [one for one in maintenances if one["status"] != "scheduled"]},
    }
    return {f"/api/v2/{name}.json": document for name, document in api.items()} | {
        f"/incidents/{one['id']}.json": page | {"incident": one} for one in (*incidents, *maintenances)
    }


@contextmanager
def serve_capture(capture: CapturedSummary) -> Iterator[str]:
    """Serve a capture as Statuspage does: JSON with CORS, HEAD, ETag and 304; give the address."""
    bodies = {path: json.dumps(document).encode() for path, document in documents_of(capture).items()}
    bodies["/"] = b"<!DOCTYPE html><title>Status</title>"

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = bodies.get(self.path)
            if body is None:
                self._answer(HTTPStatus.NOT_FOUND, b"")
            elif self.headers.get("If-None-Match") == tag_of(body):
                self._answer(HTTPStatus.NOT_MODIFIED, b"", tag_of(body))
            else:
                self._answer(HTTPStatus.OK, body, tag_of(body))

        def do_HEAD(self) -> None:
            self.do_GET()

        def _answer(self, status: HTTPStatus, body: bytes, tag: str = "") -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Access-Control-Allow-Origin", "*")
            if tag:
                self.send_header("ETag", tag)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            pass

    server = LocalServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def tag_of(body: bytes) -> str:
    """Return the ETag of a body."""
    return f'"{sha256(body).hexdigest()[:32]}"'
