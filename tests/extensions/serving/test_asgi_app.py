"""The application: what it sends and logs, and that nothing stops it."""

import asyncio
from typing import Any

from statuary.base.primitives import parse_instant
from statuary.extensions.serving.server import (
    EVENTS_PATH,
    SCRIPT_PATH,
    AsgiApp,
    ReloadEvents,
    ServedRequest,
    SiteApp,
)

NOW = parse_instant("2026-12-01T10:00:00Z")


def web(
    site: dict[str, bytes], served_requests: list[ServedRequest], changes: ReloadEvents | None = None
) -> AsgiApp:
    return AsgiApp(SiteApp(site.get, lambda: NOW, lambda: "<uuid>", served_requests.append, changes))


def scope(target: str, method: str = "GET", headers: tuple[tuple[bytes, bytes], ...] = ()) -> dict[str, Any]:
    path, _, query = target.partition("?")
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": headers,
    }


def ask(application: AsgiApp, target: str, **request: Any) -> tuple[int, dict[str, str], bytes]:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    asyncio.run(application(scope(target, **request), receive, send))
    headers = {name.decode().lower(): text.decode() for name, text in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(message["body"] for message in sent[1:])


def test_each_request_is_logged_once():
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


def test_not_modified_omits_content_length():
    application = web({"a.txt": b"abc"}, [])
    tag = ask(application, "/a.txt")[1]["etag"]
    status, headers, body = ask(application, "/a.txt", headers=((b"if-none-match", tag.encode()),))
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


def test_reload_script_requires_reload_events():
    site = {"a.html": b"<body>one</body>", "b.html": b"two", "c.json": b"{}"}
    script = b'<script src="/_statuary/reload.js"></script>'
    listening = web(site, [], ReloadEvents())
    assert ask(listening, "/a.html")[2] == b"<body>one" + script + b"</body>"
    assert ask(listening, "/b.html")[2] == b"two" + script
    assert ask(listening, "/c.json")[2] == b"{}"
    assert ask(listening, SCRIPT_PATH)[1]["content-type"] == "text/javascript; charset=utf-8"
    assert ask(web(site, []), "/a.html")[2] == b"<body>one</body>"
    assert ask(web(site, []), SCRIPT_PATH)[0] == 404


def test_reload_events_forget_disconnected_client():
    changes = ReloadEvents()
    events: asyncio.Queue[bytes] = asyncio.Queue()
    left = asyncio.Event()

    async def send(message: dict[str, Any]) -> None:
        await events.put(message.get("body", b""))

    async def receive() -> dict[str, Any]:
        await left.wait()
        return {"type": "http.disconnect"}

    async def story() -> list[bytes]:
        stream = asyncio.create_task(web({}, [], changes)(scope(EVENTS_PATH), receive, send))
        seen = [await events.get(), await events.get()]
        changes.announce()
        seen.append(await events.get())
        left.set()
        await stream
        await asyncio.sleep(0)
        return seen

    assert asyncio.run(asyncio.wait_for(story(), 5)) == [
        b"",
        b"retry: 1000\n\n",
        b"event: change\ndata: site\n\n",
    ]
    assert not changes.waiting
