"""Asking over HTTP: every answer comes back as it is, redirects are followed, an unreachable server is an error."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from statuary.extensions.conform.deployment import SendRequest, make_http_sender
from statuary.system.network.client import UnreachableError


class Host(BaseHTTPRequestHandler):
    """Answers by the path; tells what it was asked."""

    def do_GET(self) -> None:
        status, location = {
            "/base/moved": (301, "/base/here?x=1"),
            "/base/round": (302, "/base/round"),
            "/base/file": (302, "file:///etc/passwd"),
            "/base/refused": (400, None),
            "/base/fault": (500, None),
        }.get(self.path, (200, None))
        body = (
            f"{self.command} {self.path} {self.headers.get('X-Asked')} {self.headers['User-Agent']}".encode()
        )
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Type", "Text/Plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_OPTIONS = do_GET  # noqa: N815 - the names that http.server calls

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Host) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/base/"
        server.shutdown()


@pytest.fixture
def ask(base: str) -> SendRequest:
    return make_http_sender(base)


@pytest.mark.parametrize(("target", "status"), [("/here", 200), ("/refused", 400), ("/fault", 500)])
def test_http_client_returns_error_responses_unchanged(ask, target, status):
    answered = ask(target, "GET", {"X-Asked": "twice"})
    assert (answered.status, answered.media_type) == (status, "text/plain")
    assert answered.body.startswith(f"GET /base{target} twice statuary/".encode())


def test_http_client_sends_request_target_verbatim(ask):
    target = "/v2/%2e%2e/a%zz?fields=abi,&fields=b"
    assert ask(target, "GET", {}).body.startswith(f"GET /base{target} ".encode())


def test_http_client_sends_head_and_options(ask):
    assert ask("/here", "HEAD", {}).body == b""
    assert ask("/here", "OPTIONS", {}).body.startswith(b"OPTIONS")


def test_http_client_follows_redirect(ask):
    assert ask("/moved", "GET", {}).body.startswith(b"GET /base/here?x=1 ")


@pytest.mark.parametrize(
    ("target", "why"), [("/round", "redirects more than"), ("/file", "is not a web address")]
)
def test_redirect_loop_or_file_url_fails(ask, target, why):
    with pytest.raises(UnreachableError, match=why):
        ask(target, "GET", {})


@pytest.mark.parametrize("base_url", ["status.example", "file:///etc", "ftp://x.example", "http://"])
def test_non_http_url_gives_error(base_url):
    with pytest.raises(UnreachableError, match="is not a web address"):
        make_http_sender(base_url)


def test_unreachable_host_raises_error():
    with pytest.raises(UnreachableError, match="cannot be read"):
        make_http_sender("http://127.0.0.1:9")("/", "GET", {})
