"""The local server, which rebuilds and reloads on changes."""

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from io import BufferedReader
from pathlib import Path
from threading import Event, Thread, Timer
from time import perf_counter
from typing import NamedTuple

from typing_extensions import override

from statuary.base.primitives import Instant
from statuary.extensions.serving.allowed_hosts import FOREIGN_HOST, AllowedHosts, read_site_host
from statuary.extensions.serving.compression import add_vary_header, allows_gzip, compress_response_if_smaller
from statuary.extensions.serving.lookup import (
    LookupRequest,
    NewErrorId,
    ReadDocument,
    Response,
    answer_api_request,
    decode_percent,
    make_conditional_response,
    make_entity_tag,
    make_head_response,
    make_json_response,
)
from statuary.extensions.serving.ranges import make_range_response
from statuary.publish.host_layout import cache_control_of, media_type_of
from statuary.site import urls as site_urls
from statuary.site.url_table import match_url
from statuary.site.urls import COMMON_HEADERS
from statuary.status import urls as status_urls
from statuary.status.api.epoch_index import EpochIndex, parse_epochs_or_empty
from statuary.system.network.listening import Socket, shut_down_connection

EVENTS_PATH = "/_statuary/changes"
SCRIPT_PATH = "/_statuary/reload.js"

SCRIPT_TEXT = b'new EventSource("/_statuary/changes").addEventListener("change", () => location.reload());\n'
SCRIPT_TAG = b'<script src="/_statuary/reload.js"></script>'

STREAM_HEADERS = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
STREAM_BEGINS = b"retry: 1000\n\n"
CHANGE_EVENT = b"event: change\ndata: site\n\n"
COMMENT = b":\n\n"

HEARTBEAT = 15.0
"""Seconds between comments on a quiet stream; a broken connection is noticed when one is sent."""


def make_response_headers(file_path: str) -> dict[str, str]:
    """Return the HTTP headers with which a file is served.

    They give the media type, the caching and the security rules.

    Args:
        file_path: the path of the file in the site.
    """
    cache, match = cache_control_of(file_path), match_url(file_path)
    caching = {"Cache-Control": cache} if cache else {}
    common = COMMON_HEADERS if match is None else match.url.common_headers
    return {"Content-Type": media_type_of(file_path)} | caching | common


Wake = Callable[[], object]
"""A function that wakes the stream of one page; it may be called from any thread."""


class ReloadEvents:
    """Tells open pages to reload."""

    def __init__(self) -> None:
        self.waiting: set[Wake] = set()

    def reload_pages(self) -> None:
        """Tell every open page to reload, because the site has changed."""
        for wake in tuple(self.waiting):
            wake()


def add_reload_script(page: bytes) -> bytes:
    """Add a script to an HTML page that reloads it after rebuilds."""
    text_before, closing, text_after = page.rpartition(b"</body>")
    return text_before + SCRIPT_TAG + closing + text_after if closing else page + SCRIPT_TAG


MAX_AGE = 30
"""Seconds for which clients may keep a status document."""


def answer_site_request(
    request: LookupRequest, read_document: ReadDocument, now: Instant, new_error_id: NewErrorId
) -> Response:
    """Respond to a request for any path of the site.

    The response is a file of the site, or computed. For example, `?fields=abi` returns one field of a
    contract.

    Args:
        request: the request, with any method and path.
        read_document: a function that returns the bytes at a path of the site, or None.
        now: the time of the request, for documents that change at scheduled times.
        new_error_id: a function that returns the `errorId` of an error response.
    """
    response = answer_api_request(request, read_document, new_error_id)
    if response is None:
        response = make_conditional_response(
            _answer_document_request(request, read_document, now), request.if_none_match
        )
        # RFC 9110 (13.1.5) allows only strong entity tags in If-Range, but our entity tags are weak. So
        # answer with the whole document.
        if request.method == "GET" and request.if_range is None:
            response = make_range_response(response, request.range_header)
        response = make_head_response(response) if request.method == "HEAD" else response
    return response


def _answer_document_request(request: LookupRequest, read_document: ReadDocument, now: Instant) -> Response:
    if request.method not in ("GET", "HEAD"):
        return Response(status=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
    path = decode_percent(request.target.partition("?")[0]).removeprefix("/")
    found = find_scheduled_version(path, read_document, now) or _find_file_response(path, read_document)
    if found is not None:
        return found
    page = site_urls.NOT_FOUND_PAGE.path()
    body = read_document(page) or b"<!doctype html>\n<title>Not found</title>\n<p>Not found.</p>\n"
    return Response(status=HTTPStatus.NOT_FOUND, body=body, headers=make_response_headers(page))


def find_scheduled_version(request_path: str, read_document: ReadDocument, now: Instant) -> Response | None:
    """Return the version of a document at a given time.

    The build has written later versions ahead. For example, `api/v2/summary.json` changes when a maintenance
    window starts.

    Args:
        request_path: the path of the request.
        read_document: a function that returns the bytes at a path of the site, or None.
        now: the time.

    Returns:
        The response; None if the document does not change at scheduled times.
    """
    index = parse_epochs_or_empty(read_document(status_urls.EPOCHS.path()))
    for file in _list_possible_files(request_path):
        if file in index.documents:
            stored = index.document_at(file, now)
            body = (stored and stored.body(read_document)) or read_document(file)
            if body is None:
                return None
            response = _make_document_response(file, body, _make_cache_control(index, now))
            stale = index.stale_since(now)
            headers = {**response.headers, "Statuary-Stale-Since": stale} if stale else response.headers
            return replace(response, headers=headers)
    return None


def _list_possible_files(request_path: str) -> tuple[str, ...]:
    """List the files that a requested path may mean.

    Examples: `uptime` -> `uptime` or `uptime.html`; `guide/` -> `guide/index.html`.
    """
    return (
        (f"{request_path}index.html",)
        if not request_path or request_path.endswith("/")
        else (request_path, f"{request_path}.html")
    )


def _make_cache_control(index: EpochIndex, now: Instant) -> str:
    """Return a `Cache-Control` header, valid until the next scheduled change.

    Args:
        index: the times at which documents change without a build.
        now: the current time.
    """
    coming = [since - now for since in index.instants if since > now]
    seconds = min(MAX_AGE, int(coming[0].total_seconds())) if coming else MAX_AGE
    return f"public, max-age={seconds}"


def _find_file_response(request_path: str, read_document: ReadDocument) -> Response | None:
    for file in (*_list_possible_files(request_path), f"{request_path}/index.html"):
        body = read_document(file)
        if body is not None:
            # Let caches keep a document about the status for a short time. All other documents must be
            # revalidated.
            is_status = cache_control_of(file) == site_urls.SHORT_LIVED
            return _make_document_response(file, body, site_urls.SHORT_LIVED if is_status else "no-cache")
    return None


def _make_document_response(document_path: str, content: bytes, cache_control: str) -> Response:
    headers = make_response_headers(document_path) | {
        "Cache-Control": cache_control,
        "ETag": make_entity_tag(content),
    }
    return Response(status=HTTPStatus.OK, body=content, headers=headers)


SCRIPT_HEADERS = {"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache"}


class ServedRequest(NamedTuple):
    """A request and the server's response to it, to be logged.

    Attributes:
        target: the path and query of the request, as the client sent them.
        size: the size of the response's body in bytes.
        seconds: the time until the response was ready.
        failure: the exception that caused a response with status 500, or None.
    """

    method: str
    target: str
    status: int
    size: int
    seconds: float
    failure: Exception | None = None


class _Answer(NamedTuple):
    response: Response
    failure: Exception | None = None  # the exception behind a status 500


class SiteApp:
    """Responds to the HTTP requests for a site.

    Attributes:
        events: tells open pages that the site changed; None if the site does not change while it is served.
        hosts: the host names for which requests are accepted.
    """

    def __init__(
        self,
        read_document: ReadDocument,
        clock: Callable[[], Instant],
        new_error_id: NewErrorId,
        log: Callable[[ServedRequest], None],
        events: ReloadEvents | None = None,
        hosts: frozenset[str] = frozenset(),
    ) -> None:
        self.hosts = AllowedHosts(hosts, partial(read_site_host, read_document))
        self._read = read_document
        self._clock = clock
        self._new_error_id = new_error_id
        self._log = log
        self.events = events

    def respond(self, request: LookupRequest, host: str | None = None) -> Response:
        """Respond to an HTTP request, and log it.

        A request for a host name that is not allowed is rejected. The response has the header
        `Content-Length` unless its status forbids a body.

        Args:
            request: the request with its headers.
            host: the header `Host`, or None.
        """
        began = perf_counter()
        answer = (
            self._answer_with_encoding(request) if self.hosts.allows_host(host) else _Answer(FOREIGN_HOST)
        )
        response = answer.response
        if response.status not in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED):
            length = response.headers.get("Content-Length", str(len(response.body)))
            response = replace(response, headers=response.headers | {"Content-Length": length})
        seconds, size = perf_counter() - began, len(response.body)
        self._log(
            ServedRequest(request.method, request.target, response.status, size, seconds, answer.failure)
        )
        return response

    def _answer_with_encoding(self, request: LookupRequest) -> _Answer:
        if request.range_header or not allows_gzip(request.accept_encoding):
            answer = self._answer_request(request)
            response = answer.response
        elif request.method == "HEAD":  # the headers are those of the compressed body
            answer = self._answer_request(replace(request, method="GET"))
            response = make_head_response(compress_response_if_smaller(answer.response))
        else:
            answer = self._answer_request(request)
            response = compress_response_if_smaller(answer.response)
        return answer._replace(response=add_vary_header(response))

    def _answer_request(self, request: LookupRequest) -> _Answer:
        if self.events is not None and request.target == SCRIPT_PATH:
            return _Answer(Response(status=HTTPStatus.OK, body=SCRIPT_TEXT, headers=SCRIPT_HEADERS))
        try:
            response = answer_site_request(request, self._read, self._clock(), self._new_error_id)
        except Exception as failure:  # noqa: BLE001 - whatever it is, the client gets a response
            return _Answer(_make_internal_error_response(self._new_error_id), failure)
        return _Answer(response if self.events is None else _add_reload_script_to_page(response))


def _make_internal_error_response(new_error_id: NewErrorId) -> Response:
    body = {
        "customCode": "internal_error",
        "message": "The server encountered an unexpected error.",
        "errorId": new_error_id(),
    }
    encoded = json.dumps(body, separators=(",", ":")).encode()
    return make_json_response(encoded, HTTPStatus.INTERNAL_SERVER_ERROR)


def _add_reload_script_to_page(response: Response) -> Response:
    if not response.body or not response.headers.get("Content-Type", "").startswith("text/html"):
        return response
    body = add_reload_script(response.body)
    return replace(response, body=body, headers=response.headers | {"ETag": make_entity_tag(body)})


IDLE = 60
"""Seconds that a connection without requests stays open."""

REQUEST_SECONDS = 15
"""Seconds in which the whole head of a request must arrive, or the connection ends."""


PART = 65536
"""Bytes of a body that a client must take in `IDLE` seconds, or the connection ends."""


class SiteServer(ThreadingHTTPServer):
    """An HTTP server with a thread for each connection."""

    daemon_threads = True

    def __init__(self, site: SiteApp, listening: Socket) -> None:
        super().__init__(listening.getsockname()[:2], SiteHandler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.site = site

    @override
    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore errors of a connection, such as a client that left."""


class SiteHandler(BaseHTTPRequestHandler):
    """Responds to the requests of one connection."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE
    server: SiteServer
    rfile: BufferedReader

    @override
    def handle_one_request(self) -> None:
        """Respond to one HTTP request of the connection, with any method."""
        self.rfile.peek(1)
        deadline = Timer(REQUEST_SECONDS, shut_down_connection, (self.connection,))
        deadline.daemon = True
        deadline.start()
        is_complete = self._read_request_head()
        deadline.cancel()
        if is_complete:
            self._respond_to_request()
            self.wfile.flush()

    def _read_request_head(self) -> bool:
        """Read the head of a request.

        Returns:
            Whether the request is valid, so that it gets a response.
        """
        self.raw_requestline = self.rfile.readline(65537)
        if len(self.raw_requestline) > 65536:
            self.requestline = self.request_version = self.command = ""
            self.send_error(414)
        elif not self.raw_requestline:
            self.close_connection = True
        else:
            return self.parse_request()
        return False

    def _respond_to_request(self) -> None:
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            self.close_connection = True  # an unread body
        site = self.server.site
        host = ", ".join(self.headers.get_all("Host", []))
        if site.events is not None and self.path == EVENTS_PATH and site.hosts.allows_host(host):
            self._stream_reload_events(site.events)
            return
        request = LookupRequest(
            method=self.command,
            target=self.path,
            if_none_match=self._get_header("If-None-Match"),
            accept_encoding=self._get_header("Accept-Encoding"),
            range_header=self._get_header("Range"),
            if_range=self._get_header("If-Range"),
        )
        response = site.respond(request, host)
        self._send_response_head(int(response.status), response.headers)
        for start in range(0, len(response.body), PART):  # the timeout is that of one write
            self.wfile.write(response.body[start : start + PART])

    def _get_header(self, name: str) -> str | None:
        texts = self.headers.get_all(name)
        return ", ".join(texts) if texts else None

    def _send_response_head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response_only(status)
        self.send_header("Date", self.date_time_string())
        for name, text in headers.items():
            self.send_header(name, text)
        self.end_headers()

    def _stream_reload_events(self, events: ReloadEvents) -> None:
        self.close_connection = True
        changed_event = threading.Event()
        events.waiting.add(changed_event.set)
        try:
            self._send_response_head(200, STREAM_HEADERS | {"Connection": "close"})
            self.wfile.write(STREAM_BEGINS)
            while True:
                self.wfile.write(CHANGE_EVENT if changed_event.wait(HEARTBEAT) else COMMENT)
                changed_event.clear()
        except OSError:
            pass
        finally:
            events.waiting.discard(changed_event.set)


POLLING_SECONDS = 1.0
"""Seconds between two scans of the content where watchfiles is not installed."""

LOOPBACK = "127.0.0.1"


ContentState = dict[str, tuple[int, int]]
"""Time (nanoseconds) and size (bytes) of files by path."""


class WatchedContent(NamedTuple):
    """A content folder that is built again when it changes."""

    folder: Path
    rebuild: Callable[[], None]
    built_state: ContentState
    """The state that the first build read, or an older one."""


def serve(site: SiteApp, listening: Socket, watched: WatchedContent | None = None) -> None:
    """Serve a site on this machine until the user presses Ctrl-C.

    If a content folder is watched, the site is rebuilt after each change.

    Args:
        site: responds to the requests.
        listening: the socket on which the server listens.
        watched: the content folder to watch, or None.
    """
    stopped = Event()
    if watched is not None and site.events is not None:
        arguments = (watched, site.events, stopped)
        Thread(target=rebuild_on_changes, args=arguments, daemon=True).start()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a container's end is as Ctrl-C
    try:
        with suppress(KeyboardInterrupt):  # the usual way to stop the server
            SiteServer(site, listening).serve_forever()
    finally:
        stopped.set()


def rebuild_on_changes(watched: WatchedContent, events: ReloadEvents, stopped: Event) -> None:
    """Rebuild the site when its content changes, and reload open pages.

    Args:
        watched: the content folder.
        events: tells open pages to reload.
        stopped: set this event to end the function.
    """
    built_state = watched.built_state
    for _ in _iter_content_changes(watched.folder, stopped):
        state = read_content_state(watched.folder)
        if state != built_state:
            built_state = state
            watched.rebuild()
            events.reload_pages()


def _iter_content_changes(content_folder: Path, stopped: Event) -> Iterator[object]:
    """Yield None or the changed files, after each change of the content.

    The first value comes at once, because the content may have changed before. Without the library watchfiles, a value comes
    every second.
    """
    if not find_spec("watchfiles"):
        while not stopped.wait(POLLING_SECONDS):
            yield None
        return
    from watchfiles import watch

    changes = watch(
        content_folder, stop_event=stopped, raise_interrupt=False, rust_timeout=1000, yield_on_timeout=True
    )
    yield next(changes, None)
    yield from (change for change in changes if change)


def read_content_state(content_folder: Path) -> ContentState:
    """Return the modification time and size of each file in a folder.

    Compare two results to find out whether a file has changed. Hidden folders are ignored.
    """
    files = {}
    for parent, folders, names in os.walk(content_folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for file in (Path(parent, name) for name in names):
            with suppress(OSError):
                status = file.stat()
                files[str(file)] = status.st_mtime_ns, status.st_size
    return files
