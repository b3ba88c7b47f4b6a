"""A web server on loopback that sends given JSON documents, and fails where a test wants it."""

import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from support.local_server import LocalServer


class JsonServer:
    """Documents by path and query, and what goes wrong before one is sent.

    Attributes:
        url: where the server is.
        documents: what it sends; bytes as they are, anything else as JSON.
        failures: by path, what the next requests get instead: a status code, `cut` or `html`.
        requested: the paths of all requests, in order.
    """

    def __init__(self, documents):
        self.documents = documents
        self.failures = defaultdict(list)
        self.requested = []
        self.url = ""

    def answer(self, handler):
        self.requested.append(handler.path)
        planned = self.failures[handler.path]
        failure = planned.pop(0) if planned else None
        if isinstance(failure, int):
            headers = {"Retry-After": "1"} if failure == 429 else {}
            send(handler, failure, b"not now", headers)
        elif failure == "html":
            send(handler, 200, b"<!DOCTYPE html><title>Sign in</title>")
        elif handler.path not in self.documents:
            send(handler, 404, b"")
        else:
            found = self.documents[handler.path]
            body = found if isinstance(found, bytes) else json.dumps(found).encode()
            send(handler, 200, body, cut=failure == "cut")


def send(handler, status, body, headers=None, *, cut=False):
    handler.send_response(status)
    for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2] if cut else body)
    handler.close_connection = cut


@contextmanager
def serve_json(documents) -> Iterator[JsonServer]:
    """Serve documents by path on a free port."""
    served = JsonServer(documents)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            served.answer(self)

        def log_message(self, *_arguments):
            pass

    server = LocalServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    served.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
