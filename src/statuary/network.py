"""HTTP whose responses have a deadline, and whose redirects stay out of private networks."""

import io
import socket
from collections.abc import Callable
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from time import monotonic
from typing import Any, NamedTuple
from urllib.request import BaseHandler, HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from typing_extensions import override


class Pace(NamedTuple):
    """How long a response may take.

    Attributes:
        seconds: for the headers and a short body.
        rate: further bytes a second; 0 if `seconds` is all the time that there is.
    """

    seconds: float
    rate: int = 0

    def deadline(self, received: int) -> float:
        """Return the seconds in which so many bytes must have arrived."""
        return self.seconds + (received / self.rate if self.rate else 0)


class PrivateAddressError(OSError):
    """A public server redirects to an address of a private network."""


def http_opener(pace: Pace, *handlers: type[BaseHandler]) -> OpenerDirector:
    """Return an opener for http and https and nothing else, with further handlers of urllib."""
    director = OpenerDirector()
    for handler in (ProxyHandler(), _HttpHandler(pace), _HttpsHandler(pace), *(one() for one in handlers)):
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
    def __init__(self, pace: Pace) -> None:
        super().__init__()
        self.pace = pace

    @override
    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_connector(_HttpConnection, req, self.pace), req)


class _HttpsHandler(HTTPSHandler):
    def __init__(self, pace: Pace) -> None:
        super().__init__()
        self.pace = pace

    @override
    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_connector(_HttpsConnection, req, self.pace), req)


def _connector(connection: "type[_GuardedConnection]", request: Request, pace: Pace) -> Callable[..., Any]:
    # urllib marks the requests that follow a redirect as unverifiable
    is_proxied = request.has_proxy() or getattr(request, "_tunnel_host", None)
    is_chosen = not request.unverifiable or is_proxied
    only_public = not is_chosen and not is_private_host(str(request.origin_req_host))
    return partial(connection, pace=pace, only_public=only_public)


class _GuardedConnection(HTTPConnection):
    """Connects to the public internet alone, where a redirect leads."""

    def __init__(self, *args: Any, pace: Pace, only_public: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self.response_class = partial(_PacedResponse, pace=pace)  # type: ignore[assignment]  # called, never a base
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
    def __init__(self, *args: Any, pace: Pace, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fp = io.BufferedReader(_PacedStream(self.fp.detach(), pace))


class _PacedStream(io.RawIOBase):
    """The bytes of a connection, as long as they arrive in time."""

    def __init__(self, raw: io.RawIOBase, pace: Pace) -> None:
        self.raw = raw
        self.pace = pace
        self.received = 0
        self.started = monotonic()

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: Any) -> int | None:
        size = self.raw.readinto(buffer)
        self.received += size or 0
        if monotonic() - self.started > self.pace.deadline(self.received):
            raise TimeoutError("the server sends too slowly")
        return size

    @override
    def close(self) -> None:
        self.raw.close()
        super().close()
