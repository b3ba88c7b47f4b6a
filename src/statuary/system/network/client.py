"""Requests over HTTP and HTTPS, each with limits of time and bytes."""

import http.client
import io
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus
from string import punctuation
from typing import IO, NamedTuple
from urllib.parse import quote, urljoin, urlsplit
from urllib.request import OpenerDirector, Request

from typing_extensions import Buffer, override

from statuary.base.errors import StatuaryError
from statuary.system.network.connections import Timeouts, http_opener
from statuary.system.network.reasons import connection_error_reason, display_origin
from statuary.version import VERSION

TIMEOUTS = Timeouts(seconds=60.0, rate=16 << 10)
"""The time for a whole response: a mirror may send gigabytes, but not a byte a second."""

MAX_BODY = 256 << 20
"""Bytes of the longest body that is read where a caller names no other limit."""

MAX_REDIRECTS = 5

MAX_LENGTH_DIGITS = 18
"""The most digits of a stated length."""

CONNECTION_ERRORS = (OSError, http.client.HTTPException, UnicodeError)
"""The exceptions of a failed connection; a host name that cannot be encoded gives a UnicodeError."""

REDIRECTS = frozenset({301, 302, 303, 307, 308})
REDIRECTED_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

NOT_FOUND_STATUSES = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE, HTTPStatus.REQUEST_URI_TOO_LONG})
"""Statuses that mean a missing document; a path may be too long for the server."""

RETRYABLE_STATUSES = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
)
"""Responses after which the same request may succeed; those of 500 and more are too."""


class UnreachableError(StatuaryError):
    """A URL cannot be read: there is no usable response.

    The message shows only the URL's scheme and host, because the rest may be secret.
    """

    def __init__(self, url: str, reason: str, hint: str = "", *, pause: float | None = None) -> None:
        super().__init__(f"{display_origin(url)} {reason}", hint)
        self.reason = reason
        self.pause = pause  # seconds of pause that the server requests, if any


class RefusedError(UnreachableError):
    """A server refuses a request, or the response is too large.

    Another attempt would fail too.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """A response with any status; header names are in lower case."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def media_type(self) -> str:
        """The media type in lower case, such as `text/html`.

        Parameters such as `charset` are omitted.
        """
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


class Retries(NamedTuple):
    """The number of attempts for a request, and the seconds between them."""

    tries: int
    first_pause: float = 1.0  # each further pause is twice as long, unless the server requests another
    longest_pause: float = 90.0  # a server that requests a longer one is not asked again
    wait: Callable[[float], None] = time.sleep


ONCE = Retries(tries=1)


def is_url(location: str) -> bool:
    """Return whether a location is an http or https URL."""
    return location.startswith(("http://", "https://"))


def display_location(location: str) -> str:
    """Return a path or URL in the form for messages.

    A URL is shortened to its scheme and host, because the rest may be secret.
    """
    return display_origin(location) if is_url(location) else location


def is_archive_url(url: str) -> bool:
    """Return whether a URL leads to a zip file, such as a snapshot of a site."""
    return urlsplit(url).path.endswith(".zip")


def url_below(base: str, path: str) -> str:
    """Return the URL of a document of a site.

    For example, `https://example.org/status` and `api/v2/summary.json` give
    `https://example.org/status/api/v2/summary.json`.

    Args:
        base: the URL of the site.
        path: the path of the document in the site, not yet percent-encoded.
    """
    return f"{base.rstrip('/')}/{quote(path)}"


def is_same_server(url: str, other_url: str) -> bool:
    """Return whether a request to another URL may send the same credentials.

    It may if the host is the same, and the scheme does not change from HTTPS to HTTP.
    """
    parts, other_parts = urlsplit(url), urlsplit(other_url)
    if (parts.scheme, other_parts.scheme) == ("http", "https"):
        return parts.hostname == other_parts.hostname and parts.port is other_parts.port is None
    return (parts.scheme, parts.netloc) == (other_parts.scheme, other_parts.netloc)


def get(
    url: str,
    limit: int = MAX_BODY,
    *,
    headers: Mapping[str, str] | None = None,
    retries: Retries = ONCE,
    not_found_statuses: Collection[int] = NOT_FOUND_STATUSES,
) -> bytes | None:
    """Fetch the document at a URL.

    Args:
        limit: the maximum size of the response in bytes.
        headers: additional headers of the request.
        retries: how often to try.
        not_found_statuses: the statuses that mean that there is no document.

    Returns:
        The body of the response, or None if there is no document.

    Raises:
        RefusedError: if the server responds with another error that is not temporary.
        UnreachableError: if the server cannot be reached, sends more than `limit` bytes, or responds with a
            temporary error after the last try.
    """
    pause = retries.first_pause
    for tries_left in reversed(range(retries.tries)):
        try:
            with _open_url(url, headers=headers) as response:
                if response.status in not_found_statuses:
                    return None
                _check_status(url, response)
                return _read_body(url, response, limit)
        except RefusedError:
            raise
        except UnreachableError as error:
            if not tries_left or (error.pause or 0) > retries.longest_pause:
                raise
            retries.wait(pause if error.pause is None else error.pause)
            pause *= 2
    raise AssertionError("a request is tried at least once, and its last try returns or raises")


def fetch_range(url: str, offset: int, size: int) -> bytes:
    """Fetch a range of bytes from the document at a URL.

    Args:
        offset: the number of bytes before the range.
        size: the number of bytes in the range.

    Returns:
        The bytes; fewer than `size` only at the end of the document.

    Raises:
        UnreachableError: if the server cannot be reached or does not support ranges.
    """
    with _open_url(url, headers={"Range": f"bytes={offset}-{offset + size - 1}"}) as response:
        if response.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return b""
        _check_status(url, response)
        if response.status != HTTPStatus.PARTIAL_CONTENT:
            raise UnreachableError(
                url, "cannot be read in parts: the server does not support ranges", "download the file first"
            )
        with _convert_connection_errors(url):
            return response.read(size)


def fetch_size(url: str) -> int:
    """Return the size of the document at a URL, in bytes.

    Raises:
        UnreachableError: if the server cannot be reached, or does not state the size.
    """
    with _open_url(url, method="HEAD") as response:
        _check_status(url, response)
        length = response.headers.get("Content-Length", "")
    if not length.isdecimal() or len(length) > MAX_LENGTH_DIGITS:
        raise UnreachableError(url, "does not state its length in a Content-Length header")
    return int(length)


@contextmanager
def open_stream(url: str) -> Iterator[IO[bytes]]:
    """Open the document at a URL as a stream.

    Raises:
        UnreachableError: if the server cannot be reached. Reading the stream raises this error, too, if the
            connection fails.
    """
    with _open_url(url) as response:
        _check_status(url, response)
        yield io.BufferedReader(_UrlStream(url, response))


class _UrlStream(io.RawIOBase):
    """The body of a response; an error while reading is an UnreachableError."""

    def __init__(self, url: str, response: http.client.HTTPResponse) -> None:
        self.url = url
        self.response = response

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: Buffer) -> int:
        with _convert_connection_errors(self.url):
            return self.response.readinto(buffer)


def send(
    url: str,
    method: str = "GET",
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    limit: int = MAX_BODY,
    timeouts: Timeouts | None = None,
    redirects: bool = True,
) -> HttpResponse:
    """Send a request, and return the response whatever its status.

    Args:
        method: the HTTP method.
        body: the body of the request.
        headers: additional headers.
        limit: the maximum size of the response in bytes.
        timeouts: the limits of time; None for `TIMEOUTS`.
        redirects: whether to follow redirects of requests without a body.

    Raises:
        UnreachableError: if there is no response, or it exceeds a limit.
    """
    with _open_url(
        url, method, body=body, headers=headers, timeouts=timeouts, redirects=redirects
    ) as response:
        lower = {name.lower(): text for name, text in response.headers.items()}
        return HttpResponse(status=response.status, headers=lower, body=_read_body(url, response, limit))


def _read_body(url: str, response: http.client.HTTPResponse, limit: int) -> bytes:
    with _convert_connection_errors(url):
        body = response.read(limit + 1)
    if len(body) > limit:
        raise RefusedError(url, f"sends more than {limit:,} bytes")
    if response.length:
        raise UnreachableError(url, f"cuts the response off: {response.length:,} bytes are missing")
    return body


@contextmanager
def _open_url(
    url: str,
    method: str = "GET",
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    timeouts: Timeouts | None = None,
    redirects: bool = True,
) -> Iterator[http.client.HTTPResponse]:
    """Open a URL and follow redirects.

    The header `Authorization` is not sent to another server.
    """
    sent = {"User-Agent": f"statuary/{VERSION}", "Accept-Encoding": "identity", **(headers or {})}
    target = _require_web_url(url)
    for number in range(MAX_REDIRECTS + 1):
        request = Request(
            target,
            body,
            sent,
            method=method,
            origin_req_host=urlsplit(url).hostname,
            unverifiable=number > 0,  # urllib's mark for a redirected request
        )
        with _convert_connection_errors(url):
            response: http.client.HTTPResponse = shared_opener(timeouts or TIMEOUTS).open(
                request, timeout=(timeouts or TIMEOUTS).timeout
            )
        with closing(response):
            location = response.headers.get("Location")
            follows = redirects and method in REDIRECTED_METHODS and response.status in REDIRECTS
            if not (follows and location):
                yield response
                return
            following = _redirect_target(url, target, location)
        if not is_same_server(target, following):
            sent.pop("Authorization", None)
        target = following
    raise RefusedError(url, f"redirects more than {MAX_REDIRECTS} times")


def _require_web_url(url: str) -> str:
    if not _is_web_url(url):
        raise RefusedError(url, "is not a web address", "begin it with http:// or https://")
    return url


def _redirect_target(url: str, target: str, location: str) -> str:
    """Return the URL that a `Location` header leads to.

    Args:
        url: the URL that was first requested, for the error.
        target: the URL whose response has the header.
        location: the value of the header, which may be relative to `target`.

    Raises:
        RefusedError: if it is not http or https.
    """
    try:
        following = quote(urljoin(target, location), encoding="iso-8859-1", safe=punctuation)
    except ValueError:
        following = ""
    if not _is_web_url(following):
        raise RefusedError(url, "redirects to something that is not a web address")
    return following


def _is_web_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError, as an unfinished IPv6 address does
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


@cache
def shared_opener(timeouts: Timeouts) -> OpenerDirector:
    """Return the `urllib` opener with given timeouts.

    All requests share the opener.
    """
    return http_opener(timeouts)


@contextmanager
def _convert_connection_errors(url: str) -> Iterator[None]:
    """Raise an UnreachableError if the connection fails in the `with` block."""
    try:
        yield
    except CONNECTION_ERRORS as error:
        raise UnreachableError(url, f"cannot be read: it {connection_error_reason(error)}") from None


def _check_status(url: str, response: http.client.HTTPResponse) -> None:
    """Raise an error for a response that is not successful.

    Raises:
        RefusedError: if a new attempt cannot help.
        UnreachableError: if a later attempt may succeed.
    """
    status = response.status
    if status < HTTPStatus.MULTIPLE_CHOICES:
        return
    pause = retry_after_seconds(response.headers)
    if pause is None and status not in RETRYABLE_STATUSES and status < HTTPStatus.INTERNAL_SERVER_ERROR:
        needs_key = status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
        hint = "the page needs a key" if needs_key else "check the URL in a browser"
        raise RefusedError(url, f"returns {status}", hint)
    raise UnreachableError(url, f"returns {status}", pause=pause)


def retry_after_seconds(headers: Message) -> float | None:
    """Return the seconds that a server asks the client to wait.

    The value is in the header `Retry-After`, or in GitHub's `X-RateLimit-Reset`. If it is a date, it is
    compared with the `Date` of the response.

    Returns:
        The seconds, or None if the server does not ask for a pause.
    """
    retry_after = headers.get("Retry-After", "").strip()
    reset = headers.get("X-RateLimit-Reset", "")
    if retry_after.isdecimal():
        return float(retry_after)
    try:
        now = parsedate_to_datetime(headers.get("Date", "")).timestamp()
        if retry_after:
            return max(0.0, parsedate_to_datetime(retry_after).timestamp() - now)
    except (ValueError, OverflowError):
        return None
    if headers.get("X-RateLimit-Remaining") == "0" and reset.isdecimal():
        return max(0.0, float(reset) - now)
    return None
