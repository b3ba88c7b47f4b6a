"""Reading over HTTP: plain GET requests, with limits, and nothing but http and https."""

import http.client
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from http import HTTPStatus
from typing import IO
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from statuary import __version__
from statuary.publishing.refused import PublishingRefused

PATIENCE = 30.0
"""Seconds to wait for the next bytes of an answer."""

BROKEN = (OSError, http.client.HTTPException)
"""What a connection that fails raises."""


def is_url(place: str) -> bool:
    """Say whether a place is written as a URL."""
    return place.startswith(("http://", "https://"))


def url_below(base: str, path: str) -> str:
    """Return the URL of a site's document."""
    return f"{base.rstrip('/')}/{quote(path)}"


def fetch(url: str, limit: int) -> bytes | None:
    """Return the body of a URL; None if there is nothing (404 or 410).

    Args:
        url: what to ask for.
        limit: the most bytes that are taken.

    Raises:
        PublishingRefused: if the server cannot be reached, answers anything else, or sends more.
    """
    try:
        with opened(url) as answer:
            body = answer.read(limit + 1)
            missing = getattr(answer, "length", 0)
    except HTTPError as error:
        if error.code in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
            return None
        raise unreachable(url, f"answers {error.code}") from None
    except BROKEN as error:
        raise unreachable(url, str(error)) from None
    if len(body) > limit:
        raise unreachable(url, f"sends more than {limit:,} bytes")
    if missing:
        raise unreachable(url, f"breaks off {missing:,} bytes before the end")
    return body


def fetch_range(url: str, offset: int, size: int) -> bytes:
    """Return a stretch of a URL's body; fewer bytes only at its end.

    Raises:
        PublishingRefused: if the server cannot be reached or knows no ranges.
    """
    try:
        with opened(url, {"Range": f"bytes={offset}-{offset + size - 1}"}) as answer:
            if answer.status != HTTPStatus.PARTIAL_CONTENT:
                raise PublishingRefused(
                    f"{url} cannot be read in parts: the server knows no ranges", "download it first"
                )
            return answer.read(size)
    except HTTPError as error:
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return b""
        raise unreachable(url, f"answers {error.code}") from None
    except BROKEN as error:
        raise unreachable(url, str(error)) from None


def size_of(url: str) -> int:
    """Return the bytes of a URL's body.

    Raises:
        PublishingRefused: if the server cannot be reached or does not say.
    """
    try:
        with opened(url, method="HEAD") as answer:
            length = answer.headers.get("Content-Length", "")
    except BROKEN as error:
        raise unreachable(url, str(error)) from None
    if not length.isdigit():
        raise unreachable(url, "does not say how long it is")
    return int(length)


@contextmanager
def streamed(url: str) -> Iterator[IO[bytes]]:
    """Open a URL to be read from its beginning to its end.

    Raises:
        PublishingRefused: if the server cannot be reached, or the connection fails meanwhile.
    """
    try:
        with opened(url) as answer:
            yield answer
    except BROKEN as error:
        raise unreachable(url, str(error)) from None


@contextmanager
def opened(
    url: str, headers: dict[str, str] | None = None, method: str = "GET"
) -> Iterator[http.client.HTTPResponse]:
    """Open a URL; its answer is one of success.

    Raises:
        HTTPError: for any other answer.
        OSError: if the server cannot be reached.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise unreachable(url, "is not http or https")
    sent = {"User-Agent": f"statuary/{__version__}", "Accept-Encoding": "identity", **(headers or {})}
    request = Request(url, headers=sent, method=method)  # noqa: S310 - the scheme was looked at
    with closing(opener().open(request, timeout=PATIENCE)) as answer:
        yield answer


@cache
def opener() -> OpenerDirector:
    """Return what opens URLs: the standard library's parts for http and https, and none that read files."""
    director = OpenerDirector()
    for handler in (
        ProxyHandler,
        HTTPHandler,
        HTTPSHandler,
        HTTPDefaultErrorHandler,
        HTTPRedirectHandler,
        HTTPErrorProcessor,
    ):
        director.add_handler(handler())
    return director


def unreachable(url: str, why: str) -> PublishingRefused:
    """Return the refusal for a URL that does not give what is asked for."""
    return PublishingRefused(f"{url} {why}" if not why.startswith("<") else f"{url} cannot be read: {why}")
