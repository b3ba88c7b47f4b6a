"""HTTP with a deadline, and redirects that stay out of private networks."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import chain, repeat
from threading import Thread
from urllib.error import URLError
from urllib.request import Request

import pytest

from statuary.extensions.conform import deployment
from statuary.extensions.conform.deployment import make_http_sender
from statuary.extensions.importing.evidence import ethereum_node
from statuary.extensions.importing.evidence.ethereum_node import EthereumNode
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import WebSource
from statuary.system.network import client, connections
from statuary.system.network.client import (
    RefusedError,
    UnreachableError,
    fetch_range,
    fetch_size,
    get,
    is_same_server,
    open_stream,
    send,
)
from statuary.system.network.connections import Timeouts, http_opener, is_private_host

SLOWLY = 0.05


@contextmanager
def server(respond: Callable[[socket.socket], None], asked: list[bytes] | None = None) -> Iterator[str]:
    """Listen on loopback, and answer every connection in its own thread; `asked` gets the requests."""
    requests = [] if asked is None else asked
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def one(connection: socket.socket) -> None:
            with connection:
                try:
                    requests.append(connection.recv(1 << 16))
                    respond(connection)
                except OSError:
                    pass

        def accept() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                Thread(target=one, args=(connection,), daemon=True).start()

        Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def trickle(text: bytes) -> Callable[[socket.socket], None]:
    def respond(connection: socket.socket) -> None:
        for byte in chain(text, repeat(ord("x"))):  # until the client hangs up
            connection.sendall(bytes([byte]))
            time.sleep(SLOWLY)

    return respond


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"


def body_by_the_byte(connection: socket.socket) -> None:
    connection.sendall(OK)
    trickle(b"")(connection)


@pytest.mark.parametrize("respond", [trickle(OK), body_by_the_byte], ids=["headers", "body"])
def test_response_trickling_bytes_times_out(respond):
    def read(url: str) -> None:
        with closing(http_opener(Timeouts(0.3)).open(url, timeout=5)) as response:
            response.read()

    with server(respond) as url, pytest.raises((TimeoutError, URLError), match="too slowly"):
        read(url)


def test_slow_but_steady_response_is_accepted():
    def respond(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(10):
            connection.sendall(b"x" * 100)
            time.sleep(SLOWLY)

    opener = http_opener(Timeouts(0.2, rate=1000))
    with server(respond) as url, closing(opener.open(url, timeout=5)) as response:
        assert len(response.read()) == 1000


def slow_headers(connection: socket.socket) -> None:
    time.sleep(0.2)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


def test_requests_to_one_server_share_deadline():
    """Each is in time; a mirror of many documents would keep a command waiting for days."""
    opener, answered = http_opener(Timeouts(2, rate=1000, each=0.05)), 0

    def ask() -> None:
        nonlocal answered
        for _ in range(60):
            with closing(opener.open(url, timeout=5)) as response:
                response.read()
            answered += 1

    with server(slow_headers) as url, pytest.raises((TimeoutError, URLError), match="too slowly"):
        ask()
    assert 2 <= answered < 20


def test_endless_headers_time_out():
    def respond(connection: socket.socket) -> None:
        while True:
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)

    with server(respond) as url, pytest.raises((TimeoutError, URLError), match="too slowly"):
        http_opener(Timeouts(0.3, rate=1000)).open(url, timeout=5)


def test_every_http_client_has_deadline(monkeypatch):
    for seconds, module in ((0.2, client), (0.21, deployment), (0.22, ethereum_node)):
        monkeypatch.setattr(module, "TIMEOUTS", Timeouts(seconds))
    with server(body_by_the_byte) as url:
        with pytest.raises(UnreachableError, match="too slowly"):
            get(url, 10_000)
        with pytest.raises(UnreachableError, match="too slowly"):
            make_http_sender(url)("/x", "GET", {})
        with pytest.raises(NotImportableError, match="too slowly"):
            EthereumNode(url).call("eth_chainId")


@pytest.mark.parametrize(
    ("host", "is_private"),
    [
        ("127.0.0.1", True),
        ("10.1.2.3", True),
        ("169.254.169.254", True),
        ("[::1]", True),
        ("fe80::1%lo", True),
        ("::ffff:10.0.0.1", True),
        ("100.64.0.1", True),
        ("1.1.1.1", False),
        ("2606:4700:4700::1111", False),
    ],
)
def test_private_host_addresses_are_recognized(host, is_private):
    assert is_private_host(host) is is_private


def redirect_to(url: str) -> Callable[[socket.socket], None]:
    head = f"HTTP/1.1 302 Found\r\nLocation: {url}\r\nContent-Length: 0\r\n\r\n"
    return lambda connection: connection.sendall(head.encode())


def found(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")


def test_redirect_to_private_address_fails(monkeypatch):
    """The first server is on loopback here too, and is taken for a public one."""
    with server(found) as secret, server(redirect_to(f"{secret}/metadata")) as public:
        assert get(public, 100) == b"secret"  # who asks a private server may be sent on to another
        monkeypatch.setattr(connections, "is_private_host", lambda _: False)
        with pytest.raises(UnreachableError, match="private address"):
            make_http_sender(public)("/", "GET", {})
        with pytest.raises(UnreachableError, match="private address"):
            get(public, 100)


def test_node_redirect_is_not_followed():
    """Its URL may contain a key, and a redirect would take the request, or the key, to another host."""
    with (
        server(found) as secret,
        server(redirect_to(secret)) as url,
        pytest.raises(NotImportableError, match="302"),
    ):
        EthereumNode(url).call("eth_chainId")


def test_authorization_header_is_not_sent_elsewhere():
    """Neither a redirect nor a link takes it to another server."""
    other, first = [], []
    with server(found, other) as elsewhere, server(redirect_to(f"{elsewhere}/x"), first) as url:
        source = WebSource({"Authorization": "Bearer key"})
        assert source.get(url) == b"secret"
        assert source.get(f"{elsewhere}/next") == b"secret"
    assert b"Authorization: Bearer key" in first[0]
    assert len(other) == 2
    assert not any(b"Bearer" in request for request in other)


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        ("https://a.example/b?c", True),
        ("http://a.example/", False),
        ("https://a.example:8443/", False),
        ("https://b.a.example/", False),
        ("https://a.example@evil.example/", False),
    ],
)
def test_same_server_check_requires_same_origin(other, is_same):
    assert is_same_server("https://a.example/", other) is is_same
    assert is_same_server("http://a.example/", "https://a.example/")


def test_overlong_content_length_is_ignored():
    def respond(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n")

    with server(respond) as url, pytest.raises(UnreachableError, match="does not state its length"):
        fetch_size(url)


def test_http_client_rejects_other_url_schemes():
    for url in ("file:///etc/passwd", "ftp://127.0.0.1/x", "data:text/plain,x"):
        assert http_opener(Timeouts(5)).open(Request(url), timeout=1) is None


REFUSALS = {
    "an error": b"HTTP/1.1 500 No\r\nContent-Length: 5\r\n\r\nabcde",
    "an error that ends early": b"HTTP/1.1 404 No\r\nContent-Length: 50\r\n\r\nabcde",
    "a redirect without end": b"HTTP/1.1 302 No\r\nLocation: /\r\nContent-Length: 5\r\n\r\nabcde",
    "a redirect that ends early": b"HTTP/1.1 301 No\r\nLocation: /\r\nContent-Length: 50\r\n\r\nabcde",
    "a redirect to a file": b"HTTP/1.1 308 No\r\nLocation: file:///etc/hosts\r\nContent-Length: 5\r\n\r\nabcde",
    "half of a chunk": b"HTTP/1.1 303 No\r\nLocation: /\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nab",
    "no HTTP": b"SSH-2.0-OpenSSH_9.2\r\n",
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
def test_failed_request_closes_its_connection(monkeypatch, refusal):
    opened: list[socket.socket] = []

    def connect(*arguments, **options):
        opened.append(connecting(*arguments, **options))
        return opened[-1]

    connecting = socket.create_connection
    monkeypatch.setattr(socket, "create_connection", connect)
    with server(lambda connection: connection.sendall(refusal)) as url:
        with pytest.raises(UnreachableError) as caught:
            fetch_size(url)
        assert opened
        assert [connection.fileno() for connection in opened] == [-1] * len(opened)
        del caught


@pytest.mark.parametrize("digits", ["9" * 5_000, "\xb2"])
def test_invalid_http_header_numbers_are_rejected(digits):
    def respond(connection: socket.socket) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {digits}\r\n\r\n"
        connection.sendall(head.encode("latin-1"))

    def ask_for_a_pause(connection: socket.socket) -> None:
        head = f"HTTP/1.1 429 No\r\nRetry-After: {digits}\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: {digits}"
        connection.sendall(f"{head}\r\nDate: Mon, 01 Jan 0001 00:00:00 -0000\r\n\r\n".encode("latin-1"))

    with server(respond) as url, pytest.raises(UnreachableError, match="does not state its length"):
        fetch_size(url)
    with server(ask_for_a_pause) as url, pytest.raises(UnreachableError, match="returns 429"):
        get(url)


@pytest.mark.parametrize(
    "location", ["http://.example/", f"http://{'a' * 70}.example/", "http://[", "http://a:99999/"]
)
def test_redirect_to_invalid_hostname_is_rejected(location):
    with server(redirect_to(location)) as url, pytest.raises(UnreachableError):
        get(url)


def test_redirects_stop_after_five():
    requests: list[bytes] = []
    with server(found) as last, server(redirect_to(last), requests) as url:
        assert send(url, "HEAD").status == 200
    with (
        server(redirect_to("/again"), requests) as url,
        pytest.raises(RefusedError, match="redirects more than 5"),
    ):
        get(url)
    assert len(requests) == 1 + 6
    assert requests[0].startswith(b"HEAD ")


def test_post_request_redirect_is_not_followed():
    with server(redirect_to("/elsewhere")) as url:
        assert send(url, "POST", body=b"x").status == 302


def test_error_while_reading_stream_is_reraised():
    """Such as a disk that is full while a snapshot is copied."""

    def copy(url: str) -> None:
        with open_stream(url) as body:
            assert body.read() == b"secret"
            raise OSError("no space")

    with server(found) as url, pytest.raises(OSError, match="no space"):
        copy(url)


def test_server_without_range_support_is_reported():
    with server(found) as url, pytest.raises(UnreachableError, match="does not support ranges"):
        fetch_range(url, 0, 3)
