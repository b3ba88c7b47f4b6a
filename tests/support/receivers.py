"""A receiver of notifications on loopback: it keeps every request, and answers as a test wants."""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from support.local_server import LocalServer

CUT = "cut"
"""The connection ends without a response, after the request was read."""

SLOW = "slow"
"""No response for longer than the sender waits."""


class ReceivedRequest(NamedTuple):
    """A request that arrived whole."""

    path: str
    headers: dict[str, str]  # names in lower case
    body: bytes
    answered: int | str  # the status, or what went wrong

    @property
    def value(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Receiver:
    """A server that takes POST requests.

    Attributes:
        url: where it is.
        requests: all requests, in order.
        answers: what the next requests get: a status, a status with headers, `CUT` or `SLOW`; then what `otherwise` says.
        otherwise: gives what a request gets when `answers` is empty.
    """

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[ReceivedRequest] = []
        self.answers: deque[Any] = deque()
        self.otherwise: Callable[[], Any] = lambda: 200
        self.seconds = 0.0  # how long a slow answer takes
        self.lock = threading.Lock()

    @property
    def taken(self) -> list[ReceivedRequest]:
        """The requests that were answered with success."""
        return [request for request in self.requests if request.answered == 200]


@contextmanager
def receiver() -> Iterator[Receiver]:
    """Serve on a free port of 127.0.0.1."""
    served = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): text for name, text in self.headers.items()}
            with served.lock:
                answer = served.answers.popleft() if served.answers else served.otherwise()
                status, more = answer if isinstance(answer, tuple) else (answer, {})
                served.requests.append(ReceivedRequest(self.path, headers, body, status))
            if status == SLOW:
                time.sleep(served.seconds)
            if isinstance(status, str):
                self.close_connection = True
                return
            self.send_response(status)
            for name, text in {**more, "Content-Length": "0"}.items():
                self.send_header(name, text)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    server = LocalServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
