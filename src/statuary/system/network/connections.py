"""Connections with limited time that avoid private networks."""

import io
import socket
from collections.abc import Callable
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from time import monotonic
from typing import NamedTuple
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from typing_extensions import Buffer, override


class Timeouts(NamedTuple):
    """The limits of time for one response, and for all responses together."""

    seconds: float  # the time for the headers and a short body
    rate: int = 0  # one more second is allowed for each this many bytes; 0 allows no more than `seconds`
    timeout: float = 30.0  # the longest wait for the next bytes, in seconds
    each: float = 5.0  # more seconds for each response, in the limit for all responses together

    def seconds_allowed(self, received: int) -> float:
        """Return the largest number of seconds that a response may take.

        Args:
            received: the number of bytes that have arrived; more bytes may take more time.
        """
        return self.seconds + (received / self.rate if self.rate else 0)


class _TimeBudget:
    """The time that was spent waiting for all responses of an opener."""

    def __init__(self, timeouts: Timeouts) -> None:
        self.timeouts = timeouts
        self.responses = self.received = 0
        self.seconds = 0.0

    def add(self, seconds: float, received: int) -> None:
        """Count time spent waiting, and the bytes that arrived meanwhile.

        Raises:
            TimeoutError: if all responses together have taken too long.
        """
        self.seconds += seconds
        self.received += received
        if self.seconds > self.timeouts.seconds_allowed(self.received) + self.responses * self.timeouts.each:
            raise TimeoutError("the server sends its response too slowly")


class PrivateAddressError(OSError):
    """A public server redirects to an address of a private network."""


def http_opener(timeouts: Timeouts) -> OpenerDirector:
    """Return an opener for HTTP and HTTPS that follows no redirects.

    The opener returns responses with any status, instead of raising an error.
    """
    director = OpenerDirector()
    waiting = _TimeBudget(timeouts)
    for handler in (ProxyHandler(), _HttpHandler(waiting), _HttpsHandler(waiting)):
        director.add_handler(handler)
    return director


def is_private_host(host: str) -> bool:
    """Return whether a host has an address in a private network.

    A host whose addresses cannot be found counts as private.
    """
    try:
        addresses = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM)
    except OSError:
        return True
    return any(_is_private_address(str(address[4][0])) for address in addresses)


def _is_private_address(address: str) -> bool:
    return not ip_address(address.partition("%")[0]).is_global


class _HttpHandler(HTTPHandler):
    def __init__(self, time_budget: _TimeBudget) -> None:
        super().__init__()
        self.time_budget = time_budget

    @override
    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_connection_factory(_HttpConnection, req, self.time_budget), req)


class _HttpsHandler(HTTPSHandler):
    def __init__(self, time_budget: _TimeBudget) -> None:
        super().__init__()
        self.time_budget = time_budget

    @override
    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_connection_factory(_HttpsConnection, req, self.time_budget), req)


def _connection_factory(
    connection: "type[_GuardedConnection]", request: Request, time_budget: _TimeBudget
) -> Callable[..., HTTPConnection]:
    # urllib sets `unverifiable` for a request that follows a redirect. The user chose all other URLs, so
    # these may be in a private network.
    is_proxied = request.has_proxy() or getattr(request, "_tunnel_host", None)
    is_chosen = not request.unverifiable or is_proxied
    only_public = not is_chosen and not is_private_host(str(request.origin_req_host))
    return partial(connection, time_budget=time_budget, only_public=only_public)


class _GuardedConnection(HTTPConnection):
    """A connection that can refuse the addresses of private networks."""

    def __init__(
        self, host: str, *, timeout: float | None, time_budget: _TimeBudget, only_public: bool
    ) -> None:
        super().__init__(host, timeout=timeout)
        self.response_class = partial(_TimedResponse, time_budget=time_budget)  # type: ignore[assignment]  # called, never a base
        self.only_public = only_public

    @override
    def connect(self) -> None:
        super().connect()
        address = self.sock.getpeername()[0]
        if self.only_public and _is_private_address(address):
            self.close()
            raise PrivateAddressError(f"redirects to the private address {address}")


class _HttpConnection(_GuardedConnection):
    """HTTP."""


class _HttpsConnection(_GuardedConnection, HTTPSConnection):
    """HTTPS."""


class _TimedResponse(HTTPResponse):
    def __init__(
        self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, *, time_budget: _TimeBudget
    ) -> None:
        super().__init__(sock, debuglevel, method)
        self.stream = _TimedStream(self.fp.detach(), time_budget)
        self.fp = io.BufferedReader(self.stream)

    @override
    def begin(self) -> None:
        super().begin()
        self.stream.has_begun = True


class _TimedStream(io.RawIOBase):
    """The bytes of a connection; a TimeoutError if they arrive too slowly."""

    def __init__(self, raw: io.RawIOBase, time_budget: _TimeBudget) -> None:
        self.raw = raw
        self.time_budget = time_budget
        self.received = 0
        self.started = monotonic()
        self.has_begun = False  # whether the headers are there; how many bytes they have gains no time
        time_budget.responses += 1

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: Buffer) -> int | None:
        began = monotonic()
        size = self.raw.readinto(buffer)
        now = monotonic()
        self.received += size or 0
        if now - self.started > self.time_budget.timeouts.seconds_allowed(
            self.received if self.has_begun else 0
        ):
            raise TimeoutError("the server sends its response too slowly")
        self.time_budget.add(now - began, size or 0)
        return size

    @override
    def close(self) -> None:
        self.raw.close()
        super().close()
