"""Mail to the subscribers of listmonk and Buttondown: requests as their documentation records them, and every failure."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from statuary.cli.main import command as statuary
from statuary.extensions.notify.channels import Address, ChannelError, DeliveryError
from statuary.extensions.notify.mail_services import parse_mail_service, send_mail
from statuary.extensions.notify.messages import Message
from statuary.extensions.notify.settings import Channel, ChannelKind
from support.local_server import LocalServer
from support.sites import SITE, small_site, write_files

MESSAGE = Message(
    "Slow {{ .Subscriber }}", "A {% disk %} is full.", "<p>A {{ disk }} is {% full %}.</p>",
    "https://status.example/i/1", "10:00 UTC", "operational",
)  # fmt: skip
LISTMONK = Channel("readers", ChannelKind.LISTMONK, "LIST_URL")
BUTTONDOWN = Channel("letter", ChannelKind.BUTTONDOWN, "LETTER_URL")
CAMPAIGN = {"id": 7, "status": "draft", "type": "regular", "content_type": "html", "messenger": "email"}


@contextmanager
def service(answer: Callable[[Any], tuple[int, Any]]) -> Iterator[SimpleNamespace]:
    """Serve on loopback what `answer` gives for a request; keep the requests."""
    served = SimpleNamespace(requests=[], url="")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers["Content-Length"] or 0)
            body = json.loads(self.rfile.read(length) or b"null")
            request = SimpleNamespace(
                method=self.command, path=self.path, headers=dict(self.headers), body=body
            )
            served.requests.append(request)
            status, value = answer(request)
            sent = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def do_POST(self) -> None:
            self.do_GET()

        def do_PUT(self) -> None:
            self.do_GET()

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    with LocalServer(("127.0.0.1", 0), Handler) as server:
        served.url = f"127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()


def as_listmonk(request: Any) -> tuple[int, Any]:
    """Answer as listmonk's documentation records it."""
    if request.headers.get("Authorization") != "Basic YXBpOnQwa2Vu":
        return 403, {"message": "invalid API credentials"}
    if (request.method, request.path) == ("POST", "/api/campaigns"):
        return 200, {"data": CAMPAIGN}
    if (request.method, request.path) == ("PUT", "/api/campaigns/7/status"):
        return 200, {"data": {**CAMPAIGN, "status": request.body["status"]}}
    return 404, {"message": "not found"}


def test_listmonk_campaign_is_created_and_started():
    with service(as_listmonk) as served:
        send_mail(LISTMONK, Address(f"http://api:t0ken@{served.url}/?lists=1,3"), "up1", MESSAGE)
        created, started = served.requests
    assert created.body == {
        "name": "Slow { { .Subscriber }} (up1)",
        "subject": "Slow { { .Subscriber }}",
        "lists": [1, 3],
        "type": "regular",
        "content_type": "html",
        "body": "<p>A &#123;&#123; disk }} is &#123;% full %}.</p>\n"
        '<p>10:00 UTC<br><a href="https://status.example/i/1">https://status.example/i/1</a></p>',
        "altbody": "A { % disk %} is full.\n\n10:00 UTC\nhttps://status.example/i/1",
        "messenger": "email",
    }
    assert (started.method, started.path, started.body) == (
        "PUT",
        "/api/campaigns/7/status",
        {"status": "running"},
    )


@pytest.mark.parametrize(("state", "fails"), [("running", False), ("finished", False), ("draft", True)])
def test_started_listmonk_campaign_counts_as_sent(state, fails):
    """A retry finds that the lost answer of the first try was a success."""

    def answer(request):
        if request.method == "PUT":
            return 400, {"message": "only draft and paused campaigns can be started"}
        if request.method == "GET":
            return 200, {"data": {**CAMPAIGN, "status": state}}
        return as_listmonk(request)

    with service(answer) as served:
        address = Address(f"http://api:t0ken@{served.url}/?lists=1")
        if fails:
            with pytest.raises(DeliveryError, match="responds with 400"):
                send_mail(LISTMONK, address, "up1", MESSAGE)
        else:
            send_mail(LISTMONK, address, "up1", MESSAGE)


def test_buttondown_email_is_sent_at_once():
    with service(lambda _: (201, {"id": "em_1", "status": "about_to_send"})) as served:
        send_mail(BUTTONDOWN, Address(f"http://:k3y@{served.url}/v1/emails"), "up1", MESSAGE)
        (request,) = served.requests
    assert (request.method, request.path) == ("POST", "/v1/emails")
    assert request.headers["Authorization"] == "Token k3y"
    assert request.headers["X-Buttondown-Live-Dangerously"] == "true"
    assert (request.body["slug"], request.body["status"]) == ("up1", "about_to_send")
    assert request.body["subject"] == "Slow { { .Subscriber }}"
    assert "{{" not in request.body["body"]


@pytest.mark.parametrize("code", ["email_duplicate", "slug_invalid"])
def test_duplicate_buttondown_email_counts_as_sent(code):
    with service(lambda _: (400, {"code": code, "detail": "…"})) as served:
        send_mail(BUTTONDOWN, Address(f"http://:k3y@{served.url}/v1/emails"), "up1", MESSAGE)


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500])
@pytest.mark.parametrize("channel", [LISTMONK, BUTTONDOWN], ids=lambda channel: channel.name)
def test_mail_service_error_omits_secret(status, channel):
    with service(lambda _: (status, {"message": "no"})) as served:
        address = Address(f"http://api:s3cret@{served.url}/x?lists=1")
        with pytest.raises(DeliveryError, match=f"responds with {status}") as refused:
            send_mail(channel, address, "up1", MESSAGE)
    assert ("LIST_URL" in refused.value.hint or "LETTER_URL" in refused.value.hint) == (status < 405)
    assert "s3cret" not in f"{refused.value}{refused.value.hint}"
    with pytest.raises(DeliveryError) as silent:
        send_mail(channel, address, "up1", MESSAGE)
    assert "s3cret" not in str(silent.value)


@pytest.mark.parametrize(
    ("channel", "url", "lack"),
    [
        (LISTMONK, "https://a:b@lists.example/", "names no mailing lists"),
        (LISTMONK, "https://a:b@lists.example/?lists=x", "names no mailing lists"),
        (LISTMONK, "https://lists.example/?lists=1", "has no key"),
        (BUTTONDOWN, "https://api.buttondown.com/v1/emails", "has no key"),
    ],
)
def test_incomplete_mail_service_url_is_rejected(channel, url, lack):
    with pytest.raises(ChannelError, match=lack) as refused:
        parse_mail_service(channel, Address(url))
    assert "write the URL like https://" in refused.value.hint


def test_mail_update_is_sent_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    channels = "notify:\n  channels:\n    - {name: readers, kind: listmonk, url_variable: LIST_URL}\n"
    content = write_files(small_site(tmp_path), {"site.yaml": SITE + channels})
    with service(as_listmonk) as served:
        variables = {"LIST_URL": f"http://api:t0ken@{served.url}/?lists=1"}

        def notify(*options: str) -> str:
            arguments = ["notify", "--content", str(content), *options]
            done = CliRunner().invoke(statuary, arguments, env=variables)
            assert done.exit_code == 0, done.output
            return done.stdout

        assert "is a draft there" in notify("--test")
        assert [request.method for request in served.requests] == ["POST"]
        state = ["--state", "sent.json", "--now", "2026-11-02T10:30:00Z", "--since", "2026-11-02T09:00:00Z"]
        assert "1 message sent" in notify(*state)
        assert [request.method for request in served.requests] == ["POST", "POST", "PUT"]
        assert "0 messages sent" in notify(*state)
    assert served.requests[1].body["subject"].endswith("Slow answers")
