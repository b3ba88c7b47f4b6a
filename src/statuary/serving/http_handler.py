"""The site behind the standard library's HTTP server, where uvicorn is not installed."""

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from typing_extensions import override

from statuary.serving.live_reload import (
    CHANGE_EVENT,
    COMMENT,
    EVENTS_PATH,
    HEARTBEAT,
    STREAM_BEGINS,
    STREAM_HEADERS,
    ReloadEvents,
)
from statuary.serving.lookup.answer_lookup import LookupRequest
from statuary.serving.site_app import SiteApp

IDLE = 60
"""Seconds that a connection without requests stays open."""


class SiteServer(ThreadingHTTPServer):
    """A server with one thread for each connection."""

    daemon_threads = True

    def __init__(self, site: SiteApp, listening: socket.socket) -> None:
        super().__init__(listening.getsockname()[:2], SiteHandler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.site = site

    @override
    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore broken connections: the client notices them."""


class SiteHandler(BaseHTTPRequestHandler):
    """Responds to the requests of one connection."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE
    server: SiteServer

    @override
    def handle_one_request(self) -> None:
        """Respond to one request of any method."""
        self.raw_requestline = self.rfile.readline(65537)
        if len(self.raw_requestline) > 65536:
            self.requestline = self.request_version = self.command = ""
            self.send_error(414)
        elif not self.raw_requestline:
            self.close_connection = True
        elif self.parse_request():
            self._respond()
            self.wfile.flush()

    def _respond(self) -> None:
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            self.close_connection = True  # a body that nobody reads
        if self.server.site.events is not None and self.path == EVENTS_PATH:
            self._stream(self.server.site.events)
            return
        if_none_match = self.headers.get_all("If-None-Match")
        request = LookupRequest(
            method=self.command,
            target=self.path,
            if_none_match=", ".join(if_none_match) if if_none_match else None,
        )
        response = self.server.site.respond(request)
        self._start(int(response.status), response.headers)
        self.wfile.write(response.body)

    def _start(self, status: int, headers: dict[str, str]) -> None:
        self.send_response_only(status)
        self.send_header("Date", self.date_time_string())
        for name, text in headers.items():
            self.send_header(name, text)
        self.end_headers()

    def _stream(self, events: ReloadEvents) -> None:
        self.close_connection = True
        changed = threading.Event()
        events.waiting.add(changed.set)
        try:
            self._start(200, STREAM_HEADERS | {"Connection": "close"})
            self.wfile.write(STREAM_BEGINS)
            while True:
                self.wfile.write(CHANGE_EVENT if changed.wait(HEARTBEAT) else COMMENT)
                changed.clear()
        except OSError:
            pass
        finally:
            events.waiting.discard(changed.set)
