"""HTTP requests to a deployment, and its responses of any status."""

import http.client
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import urljoin, urlsplit
from urllib.request import OpenerDirector, Request

from statuary.domain.errors import StatuaryError
from statuary.network import Pace, http_opener
from statuary.version import VERSION

TIMEOUT = 30.0
"""Seconds to wait for the next bytes of a response."""

PACE = Pace(seconds=120.0)
"""The time for a whole response."""

MAX_RESPONSE_BYTES = 64 * 1024 * 1024
"""Bytes that are read of a response."""

MAX_REDIRECTS = 5


class UnreachableError(StatuaryError):
    """A deployment cannot be reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """A response; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def media_type(self) -> str:
        """The media type without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


SendRequest = Callable[[str, str, Mapping[str, str]], HttpResponse]
"""Sends a request: target (path and query, as in the request line), method, headers."""


def http_sender(base: str) -> SendRequest:
    """Return what sends requests and follows redirects; raise UnreachableError if the URL is invalid."""
    if urlsplit(base).scheme not in ("http", "https") or not urlsplit(base).netloc:
        raise UnreachableError(f"{base} is not a web address", "begin it with http:// or https://")

    def ask(target: str, method: str, headers: Mapping[str, str]) -> HttpResponse:
        url = base.rstrip("/") + target
        for _ in range(MAX_REDIRECTS):
            response = _once(url, method, headers, base)
            location = response.headers.get("location")
            if response.status not in (301, 302, 303, 307, 308) or not location:
                return response
            url = urljoin(url, location)
        raise UnreachableError(f"{base}{target} redirects more than {MAX_REDIRECTS} times")

    return ask


def _once(url: str, method: str, headers: Mapping[str, str], base: str) -> HttpResponse:
    if urlsplit(url).scheme not in ("http", "https"):
        raise UnreachableError(f"{url} is not a web address")
    sent = {"User-Agent": f"statuary/{VERSION}", "Accept-Encoding": "identity", **headers}
    request = Request(
        url,
        headers=sent,
        method=method,
        origin_req_host=urlsplit(base).hostname,
        unverifiable=not url.startswith(base.rstrip("/")),
    )
    try:
        with closing(_opener().open(request, timeout=TIMEOUT)) as answer:
            headers = {name.lower(): text for name, text in answer.headers.items()}
            return HttpResponse(status=answer.status, headers=headers, body=answer.read(MAX_RESPONSE_BYTES))
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(f"{url} cannot be reached: {getattr(error, 'reason', error)}") from None


@cache
def _opener() -> OpenerDirector:
    """Return an opener that returns every response: no status is an error here."""
    return http_opener(PACE)
