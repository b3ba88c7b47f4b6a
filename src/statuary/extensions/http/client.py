"""Reading over HTTP and HTTPS: plain GET requests, with limits."""

import http.client
import io
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache, partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from time import monotonic
from typing import IO, Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import (
    BaseHandler,
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from typing_extensions import override

from statuary.publishing.files import PublishingError
from statuary.version import VERSION


class Pace(NamedTuple):
    """How long a response may take, and all responses of an opener."""

    seconds: float  # for the headers and a short body
    rate: int = 0  # further bytes a second; 0 if `seconds` is all the time that there is
    each: float = 5.0  # further seconds for each response, where the time of all of them is counted

    def deadline(self, received: int) -> float:
        """Return the seconds in which so many bytes must have arrived."""
        return self.seconds + (received / self.rate if self.rate else 0)


class _Waiting:
    """The time that was spent waiting for all responses of an opener."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self.responses = self.received = 0
        self.seconds = 0.0

    def add(self, seconds: float, received: int) -> None:
        """Count the wait for some bytes; raise TimeoutError if all responses together have taken too long."""
        self.seconds += seconds
        self.received += received
        if self.seconds > self.pace.deadline(self.received) + self.responses * self.pace.each:
            raise TimeoutError("the server sends too slowly")


class PrivateAddressError(OSError):
    """A public server redirects to an address of a private network."""


def http_opener(pace: Pace, *handlers: type[BaseHandler]) -> OpenerDirector:
    """Return an opener for http and https and nothing else, with further handlers of urllib."""
    director = OpenerDirector()
    waiting = _Waiting(pace)
    for handler in (
        ProxyHandler(),
        _HttpHandler(waiting),
        _HttpsHandler(waiting),
        *(one() for one in handlers),
    ):
        director.add_handler(handler)
    return director


def is_private_host(host: str) -> bool:
    """Say whether any address of a host is not on the public internet; also if it has none."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM)
    except OSError:
        return True
    return any(_is_private(str(address[4][0])) for address in found)


def _is_private(address: str) -> bool:
    return not ip_address(address.partition("%")[0]).is_global


class _HttpHandler(HTTPHandler):
    def __init__(self, waiting: _Waiting) -> None:
        super().__init__()
        self.waiting = waiting

    @override
    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_connector(_HttpConnection, req, self.waiting), req)


class _HttpsHandler(HTTPSHandler):
    def __init__(self, waiting: _Waiting) -> None:
        super().__init__()
        self.waiting = waiting

    @override
    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_connector(_HttpsConnection, req, self.waiting), req)


def _connector(
    connection: "type[_GuardedConnection]", request: Request, waiting: _Waiting
) -> Callable[..., Any]:
    # urllib marks the requests that follow a redirect as unverifiable
    is_proxied = request.has_proxy() or getattr(request, "_tunnel_host", None)
    is_chosen = not request.unverifiable or is_proxied
    only_public = not is_chosen and not is_private_host(str(request.origin_req_host))
    return partial(connection, waiting=waiting, only_public=only_public)


class _GuardedConnection(HTTPConnection):
    """Connects to the public internet alone, where a redirect leads."""

    def __init__(self, *args: Any, waiting: _Waiting, only_public: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self.response_class = partial(_PacedResponse, waiting=waiting)  # type: ignore[assignment]  # called, never a base
        self.only_public = only_public

    @override
    def connect(self) -> None:
        super().connect()
        address = self.sock.getpeername()[0]
        if self.only_public and _is_private(address):
            self.close()
            raise PrivateAddressError(f"redirects to the private address {address}")


class _HttpConnection(_GuardedConnection):
    """HTTP."""


class _HttpsConnection(_GuardedConnection, HTTPSConnection):
    """HTTPS."""


class _PacedResponse(HTTPResponse):
    def __init__(self, *args: Any, waiting: _Waiting, **options: Any) -> None:
        super().__init__(*args, **options)
        self.stream = _PacedStream(self.fp.detach(), waiting)
        self.fp = io.BufferedReader(self.stream)

    @override
    def begin(self) -> None:
        super().begin()
        self.stream.has_begun = True


class _PacedStream(io.RawIOBase):
    """The bytes of a connection, as long as they arrive in time."""

    def __init__(self, raw: io.RawIOBase, waiting: _Waiting) -> None:
        self.raw = raw
        self.waiting = waiting
        self.received = 0
        self.started = monotonic()
        self.has_begun = False  # whether the headers are there; how many bytes they have gains no time
        waiting.responses += 1

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: Any) -> int | None:
        began = monotonic()
        size = self.raw.readinto(buffer)
        now = monotonic()
        self.received += size or 0
        if now - self.started > self.waiting.pace.deadline(self.received if self.has_begun else 0):
            raise TimeoutError("the server sends too slowly")
        self.waiting.add(now - began, size or 0)
        return size

    @override
    def close(self) -> None:
        self.raw.close()
        super().close()


TIMEOUT = 30.0
"""Seconds to wait for the next bytes of a response."""

PACE = Pace(seconds=60.0, rate=16 << 10)
"""The time for a whole response: a mirror may send gigabytes, but not a byte a second."""

MAX_LENGTH_DIGITS = 18
"""The most digits of a stated length."""

CONNECTION_ERRORS = (OSError, http.client.HTTPException)
"""The exceptions of a failed connection."""


def is_url(location: str) -> bool:
    """Return whether a location is a URL."""
    return location.startswith(("http://", "https://"))


def is_archive_url(url: str) -> bool:
    """Return whether a URL is that of a snapshot file, by its extension."""
    return urlsplit(url).path.endswith(".zip")


def url_below(base: str, path: str) -> str:
    """Return the URL of a site's document."""
    return f"{base.rstrip('/')}/{quote(path)}"


def fetch(url: str, limit: int) -> bytes | None:
    """Return the body of a URL; None if there is none (404 or 410), or its path is too long for the server (414).

    Args:
        limit: bytes of the longest body that is accepted.

    Raises:
        PublishingError: if the server cannot be reached, responds otherwise, or sends more.
    """
    with _as_publishing_errors(url):
        try:
            with open_url(url) as response:
                body = response.read(limit + 1)
                missing = getattr(response, "length", 0)
        except HTTPError as error:
            if error.code in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE, HTTPStatus.REQUEST_URI_TOO_LONG):
                return None
            raise
    if len(body) > limit:
        raise url_error(url, f"sends more than {limit:,} bytes")
    if missing:
        raise url_error(url, f"ends {missing:,} bytes early")
    return body


def fetch_range(url: str, offset: int, size: int) -> bytes:
    """Return a range of a URL's body; fewer bytes only at its end.

    Raises:
        PublishingError: if the server cannot be reached or does not support ranges.
    """
    with _as_publishing_errors(url):
        try:
            with open_url(url, {"Range": f"bytes={offset}-{offset + size - 1}"}) as response:
                if response.status == HTTPStatus.PARTIAL_CONTENT:
                    return response.read(size)
        except HTTPError as error:
            if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                return b""
            raise
    raise PublishingError(
        f"{url} cannot be read in parts: the server does not support ranges", "download it first"
    )


def url_size(url: str) -> int:
    """Return the bytes of a URL's body; raise PublishingError if the server does not state or send them."""
    with _as_publishing_errors(url), open_url(url, method="HEAD") as response:
        length = response.headers.get("Content-Length", "")
    if not length.isdigit() or len(length) > MAX_LENGTH_DIGITS:
        raise url_error(url, "does not state its length")
    return int(length)


@contextmanager
def stream_url(url: str) -> Iterator[IO[bytes]]:
    """Open a URL to be read from its beginning to its end.

    Raises:
        PublishingError: if the server cannot be reached, or the connection fails.
    """
    with _as_publishing_errors(url), open_url(url) as response:
        yield response


@contextmanager
def _as_publishing_errors(url: str) -> Iterator[None]:
    try:
        yield
    except HTTPError as error:
        raise url_error(url, f"returns {error.code}") from None
    except CONNECTION_ERRORS as error:
        raise url_error(url, str(getattr(error, "reason", error))) from None


@contextmanager
def open_url(
    url: str, headers: dict[str, str] | None = None, method: str = "GET"
) -> Iterator[http.client.HTTPResponse]:
    """Open a URL whose response is a success.

    Raises:
        HTTPError: for any other response; it is closed, and has no body.
        OSError: if the server cannot be reached.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise url_error(url, "is not http or https")
    sent = {"User-Agent": f"statuary/{VERSION}", "Accept-Encoding": "identity", **(headers or {})}
    request = Request(url, headers=sent, method=method)
    try:
        opened = opener().open(request, timeout=TIMEOUT)
    except HTTPError as error:
        error.close()
        raise
    with closing(opened) as response:
        yield response


@cache
def opener() -> OpenerDirector:
    """Return an opener of http and https URLs that follows redirects."""
    return http_opener(PACE, HTTPDefaultErrorHandler, _KeyKeepingRedirects, HTTPErrorProcessor)


class _KeyKeepingRedirects(HTTPRedirectHandler):
    """Follows redirects; a key stays with the server that it is for."""

    @override
    def http_error_302(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage
    ) -> Any:
        """Follow a redirect; urllib leaves one open whose own body cannot be read."""
        try:
            return super().http_error_302(req, fp, code, msg, headers)
        except BaseException:
            fp.close()
            raise

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302

    @override
    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage, newurl: str
    ) -> Request | None:
        request = super().redirect_request(req, fp, code, msg, headers, newurl)
        if request is not None and not is_same_server(req.full_url, newurl):
            request.headers.pop("Authorization", None)
        return request


def is_same_server(url: str, other: str) -> bool:
    """Return whether a key that is for one URL may be sent to another: to the same host, and over TLS if the first was."""
    before, after = urlsplit(url), urlsplit(other)
    if (before.scheme, after.scheme) == ("http", "https"):
        return before.hostname == after.hostname and before.port is after.port is None
    return (before.scheme, before.netloc) == (after.scheme, after.netloc)


def url_error(url: str, why: str) -> PublishingError:
    """Return the error for a URL that cannot be read."""
    return PublishingError(f"{url} {why}" if not why.startswith("<") else f"{url} cannot be read: {why}")
