"""A proxy that passes answers on as they are, and from some request on answers as no good server does."""

import gzip
import itertools
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from statuary import network
from statuary.conform import http_requests
from statuary.importing import ethereum_node, web_source
from statuary.network import Pace
from statuary.snapshots import http_client

PACE = Pace(seconds=0.6, rate=16 << 10, each=0.05)
"""What a command waits for a server here, for a minute elsewhere."""

Send = Callable[[bytes], None]
Attack = Callable[[Send, bytes, random.Random], None]
"""Sends something in place of a good answer, which it is given whole, with its head."""


def _head(status: str = "200 OK", **headers: object) -> bytes:
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{lines}\r\n".encode()


def _body(good: bytes) -> bytes:
    return good.partition(b"\r\n\r\n")[2]


def _whole(body: bytes) -> bytes:
    return _head(Content_Length=len(body)) + body


def _slowly(send: Send, text: bytes) -> None:
    for place in range(len(text)):
        send(text[place : place + 1])
        time.sleep(0.02)


def _for_ever(send: Send, piece: bytes) -> None:
    for _ in range(10_000):  # 600 MB, or 10 s
        send(piece)


def _flipped(good: bytes, dice: random.Random) -> bytes:
    body = bytearray(_body(good) or b"x")
    body[dice.randrange(len(body))] ^= 1 << dice.randrange(8)
    return _whole(bytes(body))


SECRET = "{secret}"

ATTACKS: dict[str, Attack] = {
    "the head a byte at a time": lambda send, good, _: _slowly(send, good),
    "the body a byte at a time": lambda send, good, _: (
        send(_head(Content_Length=10_000)),
        _slowly(send, _body(good) + b" " * 9_000),
    )[1],
    "an endless body": lambda send, *_: (send(_head()), _for_ever(send, b"[" * 65_536))[1],
    "an endless body in chunks": lambda send, *_: (
        send(_head(Transfer_Encoding="chunked")),
        _for_ever(send, b"10000\r\n" + b" " * 65_536 + b"\r\n"),
    )[1],
    "an endless head": lambda send, *_: (
        send(b"HTTP/1.1 200 OK\r\n"),
        _for_ever(send, b"X-More: 1\r\n" * 100),
    )[1],
    "endless interim answers": lambda send, *_: _for_ever(send, b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "a redirect into the private network": lambda send, *_: send(
        _head("302 Found", Location=SECRET, Content_Length=0)
    ),
    "redirects in a circle": lambda send, *_: send(_head("302 Found", Location="/again", Content_Length=0)),
    "a redirect to a file": lambda send, *_: send(
        _head("302 Found", Location="file:///etc/passwd", Content_Length=0)
    ),
    "a length that is too long": lambda send, good, _: send(
        _head(Content_Length=len(_body(good)) + 1000) + _body(good)
    ),
    "a length that is too short": lambda send, good, _: send(
        _head(Content_Length=len(_body(good)) // 2) + _body(good)
    ),
    "a length below zero": lambda send, good, _: send(_head(Content_Length=-1) + _body(good)),
    "a length that is no number": lambda send, good, _: send(_head(Content_Length="9" * 5_000) + _body(good)),
    "broken gzip": lambda send, good, _: send(
        _head(Content_Encoding="gzip", Content_Length=40) + gzip.compress(_body(good) or b"x" * 100)[:40]
    ),
    "gzip that expands": lambda send, *_: send(
        _head(Content_Encoding="gzip") + gzip.compress(b"[" * (64 << 20), 9)
    ),
    "a number of 100,000 digits": lambda send, *_: send(
        _whole(b'{"jsonrpc":"2.0","id":1,"result":' + b"9" * 100_000 + b"}")
    ),
    "a quantity of 100,000 digits": lambda send, *_: send(
        _whole(b'{"jsonrpc":"2.0","id":1,"result":"0x' + b"f" * 100_000 + b'"}')
    ),
    "100,000 brackets": lambda send, *_: send(_whole(b"[" * 100_000)),
    "cut in the middle": lambda send, good, _: send(good[: len(good) // 2]),
    "no answer": lambda send, *_: None,
    "silence": lambda *_: time.sleep(3),
    "no HTTP": lambda send, _, dice: send(dice.randbytes(2_000)),
    "a bit of it is wrong": lambda send, good, dice: send(_flipped(good, dice)),
    "nothing in it": lambda send, *_: send(_head(Content_Length=0)),
    "an error": lambda send, *_: send(_head("500 Internal Server Error", Content_Length=3) + b"\x1b[2"),
    "a reason with control characters": lambda send, *_: send(
        _head("403 No\x1b[2J\x07::stop-commands::x", Content_Length=0)
    ),
}


@dataclass
class HostileProxy:
    """A proxy in front of a good server.

    Attributes:
        good: the port of that server.
        attack: what it does from the request with the number `begins` on, counted from 0.
        answered: how many requests there were.
        secrets: how many requests came to the server of the private network.
    """

    good: int
    attack: Attack | None = None
    begins: int = 0
    url: str = ""
    answered: int = 0
    secrets: int = 0

    def set(self, attack: Attack | None = None, begins: int = 0) -> None:
        """Begin again."""
        self.attack, self.begins, self.answered, self.secrets = attack, begins, 0, 0

    def ask(self, request: bytes) -> bytes:
        """Return the good server's answer to a request, with its head."""
        with socket.create_connection(("127.0.0.1", self.good), timeout=30) as connection:
            connection.sendall(request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
            return b"".join(iter(lambda: connection.recv(1 << 16), b""))


@contextmanager
def hostile_proxy(good: int) -> Iterator[HostileProxy]:
    """Run a proxy in front of a port of loopback."""
    proxy, dice = HostileProxy(good), random.Random(1)

    def answer(connection: socket.socket) -> None:
        request = _request(connection)
        if not request:
            return
        number, proxy.answered = proxy.answered, proxy.answered + 1
        response = proxy.ask(request)
        if proxy.attack is None or number < proxy.begins:
            connection.sendall(response)
        else:
            proxy.attack(
                lambda text: connection.sendall(text.replace(SECRET.encode(), secret.encode())),
                response,
                dice,
            )

    def private(connection: socket.socket) -> None:
        if _request(connection):  # a connection alone tells nothing
            proxy.secrets += 1
            connection.sendall(_whole(b'"secret"'))

    with _listener(answer) as proxy.url, _listener(private) as secret:
        yield proxy


def _request(connection: socket.socket) -> bytes:
    text = b""
    while b"\r\n\r\n" not in text:
        piece = connection.recv(1 << 16)
        if not piece:
            return b""
        text += piece
    head, _, body = text.partition(b"\r\n\r\n")
    lengths = [
        line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
    ]
    while lengths and len(body) < int(lengths[0]):
        body += connection.recv(1 << 16)
    kept = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
    return b"\r\n".join(kept) + b"\r\n\r\n" + body


@contextmanager
def _listener(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:

        def one(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                answer(connection)

        def accept() -> None:
            with suppress(OSError):
                for _ in itertools.count():
                    connection, _ = listening.accept()
                    threading.Thread(target=one, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def hasten() -> None:
    """Let this process wait seconds for a server, not minutes, and take loopback for the public internet."""
    http_client.PACE = http_requests.PACE = PACE
    http_client.TIMEOUT = http_requests.TIMEOUT = ethereum_node.TIMEOUT_SECONDS = 1
    ethereum_node.DEADLINE_SECONDS = PACE.seconds
    web_source.FIRST_PAUSE = 0.01
    network.is_private_host = lambda _: False
    for module, name in ((http_client, "opener"), (http_requests, "_opener"), (ethereum_node, "_opener")):
        getattr(module, name).cache_clear()
