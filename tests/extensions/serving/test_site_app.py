"""The application and its server: what they send and log, and that nothing stops them."""

import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from threading import Thread
from typing import Any

from statuary.base.primitives import parse_instant
from statuary.extensions.serving.lookup import LookupRequest
from statuary.extensions.serving.server import (
    EVENTS_PATH,
    LOOPBACK,
    SCRIPT_PATH,
    ReloadEvents,
    ServedRequest,
    SiteApp,
    SiteHandler,
    SiteServer,
)
from statuary.system.network.listening import listen

NOW = parse_instant("2026-12-01T10:00:00Z")


def web(
    site: dict[str, bytes], served_requests: list[ServedRequest], changes: ReloadEvents | None = None
) -> SiteApp:
    return SiteApp(site.get, lambda: NOW, lambda: "<uuid>", served_requests.append, changes)


def ask(site: SiteApp, target: str, **request: Any) -> tuple[int, dict[str, str], bytes]:
    response = site.respond(LookupRequest(target=target, **request))
    return (
        int(response.status),
        {name.lower(): text for name, text in response.headers.items()},
        response.body,
    )


def test_served_request_is_logged_once():
    output: list[ServedRequest] = []
    application = web({"a.txt": b"abc"}, output)
    assert ask(application, "/a.txt?x=1")[2] == b"abc"
    assert ask(application, "/a.txt", method="HEAD")[1]["content-length"] == "3"
    assert ask(application, "/b.txt")[0] == 404
    assert [(one.method, one.target, one.status, one.size) for one in output] == [
        ("GET", "/a.txt?x=1", 200, 3),
        ("HEAD", "/a.txt", 200, 0),
        ("GET", "/b.txt", 404, output[2].size),
    ]


def test_not_modified_response_omits_content_length():
    application = web({"a.txt": b"abc"}, [])
    tag = ask(application, "/a.txt")[1]["etag"]
    status, headers, body = ask(application, "/a.txt", if_none_match=tag)
    assert (status, body, "content-length" in headers) == (304, b"", False)


def test_internal_error_responds_500_and_logs():
    output: list[ServedRequest] = []
    record = "v2/contract/1/0x" + "0" * 40
    status, headers, body = ask(web({record: b'{"abi":['}, output), f"/{record}?fields=abi")
    assert (status, headers["content-type"]) == (500, "application/json; charset=utf-8")
    assert body == (
        b'{"customCode":"internal_error","message":"The server encountered an unexpected error.",'
        b'"errorId":"<uuid>"}'
    )
    assert output[0].failure is not None


def test_only_watched_pages_have_reload_script():
    site = {"a.html": b"<body>one</body>", "b.html": b"two", "c.json": b"{}"}
    script = b'<script src="/_statuary/reload.js"></script>'
    changing = web(site, [], ReloadEvents())
    assert ask(changing, "/a.html")[2] == b"<body>one" + script + b"</body>"
    assert ask(changing, "/b.html")[2] == b"two" + script
    assert ask(changing, "/c.json")[2] == b"{}"
    assert ask(changing, SCRIPT_PATH)[1]["content-type"] == "text/javascript; charset=utf-8"
    assert ask(web(site, []), "/a.html")[2] == b"<body>one</body>"
    assert ask(web(site, []), SCRIPT_PATH)[0] == 404


@contextmanager
def listening(site: SiteApp) -> Iterator[int]:
    """Serve a site in a thread; yield the port."""
    with closing(listen(LOOPBACK, 0)) as connection:
        server = SiteServer(site, connection)
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield connection.getsockname()[1]
        server.shutdown()


@contextmanager
def asked(port: int, target: str, **headers: str) -> Iterator[HTTPResponse]:
    with closing(HTTPConnection(LOOPBACK, port, timeout=20)) as connection:
        connection.request("GET", target, headers=headers)
        with connection.getresponse() as response:
            yield response


def test_reload_events_forget_disconnected_client():
    changes = ReloadEvents()
    with listening(web({}, [], changes)) as port:
        with asked(port, EVENTS_PATH) as stream:
            assert stream.readline() == b"retry: 1000\n"
            changes.reload_pages()
            assert [stream.readline() for _ in range(3)] == [b"\n", b"event: change\n", b"data: site\n"]
        until = time.monotonic() + 20
        while changes.waiting and time.monotonic() < until:
            changes.reload_pages()
            time.sleep(0.01)
    assert not changes.waiting


def test_server_sends_requested_byte_range():
    with listening(web({"a.txt": b"0123456789"}, [])) as port:
        with asked(port, "/a.txt", Range="bytes=2-4") as part:
            assert (part.status, part.read(), part.headers["Content-Range"]) == (206, b"234", "bytes 2-4/10")
            tag = part.headers["ETag"]
        with asked(port, "/a.txt", Range="bytes=2-4", **{"If-Range": tag}) as whole:
            assert (whole.status, whole.read()) == (200, b"0123456789")
        with asked(port, "/a.txt", **{"If-None-Match": tag}) as unchanged:
            assert (unchanged.status, unchanged.read()) == (304, b"")


def test_slow_client_receives_whole_body(monkeypatch):
    monkeypatch.setattr(SiteHandler, "timeout", 0.5)  # of one write, not of the body
    body = bytes(range(256)) * 32768
    with listening(web({"large.bin": body}, [])) as port, socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        reader.connect((LOOPBACK, port))
        reader.sendall(b"GET /large.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        received = bytearray()
        while part := reader.recv(1 << 20):
            received += part
            time.sleep(0.02)
    assert received.endswith(body)
