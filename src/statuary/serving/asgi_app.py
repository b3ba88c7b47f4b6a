"""The site as an ASGI application, for uvicorn."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from statuary.serving.live_reload import (
    CHANGE_EVENT,
    COMMENT,
    EVENTS_PATH,
    HEARTBEAT,
    STREAM_BEGINS,
    STREAM_HEADERS,
    ReloadEvents,
)
from statuary.serving.lookup.answer_lookup import LookupRequest
from statuary.serving.site_app import SiteApp

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class AsgiApp:
    """The application."""

    def __init__(self, site: SiteApp) -> None:
        self.site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to one HTTP request."""
        events = self.site.events
        if events is not None and scope["path"] == EVENTS_PATH:
            await _stream_events(events, receive, send)
            return
        response = self.site.respond(_request(scope))
        await send(_start(int(response.status), response.headers))
        await send({"type": "http.response.body", "body": response.body})


def _request(scope: Scope) -> LookupRequest:
    path, query = scope["raw_path"].decode("latin-1"), scope["query_string"].decode("latin-1")
    if_none_match = [text.decode("latin-1") for name, text in scope["headers"] if name == b"if-none-match"]
    return LookupRequest(
        method=scope["method"],
        target=f"{path}?{query}" if query else path,
        if_none_match=", ".join(if_none_match) if if_none_match else None,
    )


def _start(status: int, headers: Mapping[str, str]) -> dict[str, Any]:
    encoded = [(name.encode("latin-1"), text.encode("latin-1")) for name, text in headers.items()]
    return {"type": "http.response.start", "status": status, "headers": encoded}


async def _stream_events(events: ReloadEvents, receive: Receive, send: Send) -> None:
    await send(_start(200, STREAM_HEADERS))
    sending = asyncio.create_task(_send_events(events, send))
    try:
        while (await receive())["type"] != "http.disconnect":
            pass
    finally:
        sending.cancel()


async def _send_events(events: ReloadEvents, send: Send) -> None:
    changed = asyncio.Event()
    wake = partial(asyncio.get_running_loop().call_soon_threadsafe, changed.set)
    events.waiting.add(wake)
    body = STREAM_BEGINS
    try:
        while True:
            await send({"type": "http.response.body", "body": body, "more_body": True})
            try:
                await asyncio.wait_for(changed.wait(), HEARTBEAT)
                changed.clear()
                body = CHANGE_EVENT
            except TimeoutError:
                body = COMMENT
    finally:
        events.waiting.discard(wake)
