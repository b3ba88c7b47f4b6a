"""The site as an ASGI application: a thin shell over `answer_site`.

It reads requests, has them answered, and says what it served; it decides nothing.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from time import perf_counter
from typing import Any, NamedTuple

from statuary.domain.primitives import Instant
from statuary.serving.answer_site import answer_site
from statuary.serving.live_reload import (
    EVENTS_PATH,
    SCRIPT_PATH,
    SCRIPT_TEXT,
    ReloadEvents,
    with_reload_script,
)
from statuary.serving.lookup.answer_lookup import LookupRequest
from statuary.serving.lookup.contracts_list import ReadDocument
from statuary.serving.lookup.response import NewErrorId, Response, entity_tag, json_response

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

READ_METHODS = ("GET", "HEAD")


class ServedRequest(NamedTuple):
    """One request, as it is told to whoever runs the server.

    Attributes:
        method: in capitals.
        target: path and query as on the request line.
        status: the HTTP status of the answer.
        size: of its body, in bytes.
        seconds: from the request's arrival to the answer.
        failure: what went wrong in here, if the status is 500.
    """

    method: str
    target: str
    status: int
    size: int
    seconds: float
    failure: Exception | None = None


class SiteApp:
    """The application.

    Attributes:
        read: gives the site's documents by path.
        clock: the instant to answer for.
        new_id: makes the `errorId` of an error body.
        tell: called after each request.
        changes: what open pages listen to; None if the site does not change while it is served.
    """

    def __init__(
        self,
        read: ReadDocument,
        clock: Callable[[], Instant],
        new_error_id: NewErrorId,
        tell: Callable[[ServedRequest], None],
        changes: ReloadEvents | None = None,
    ) -> None:
        self.read = read
        self.clock = clock
        self.new_error_id = new_error_id
        self.tell = tell
        self.changes = changes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request; other kinds of connection are refused by whoever runs this."""
        if self.changes is not None and scope["path"] == EVENTS_PATH:
            await stream_changes(self.changes, receive, send)
            return
        request = request_of(scope)
        began = perf_counter()
        answer, failure = self.answer(request)
        await send_answer(answer, send)
        self.tell(
            ServedRequest(
                method=request.method,
                target=request.target,
                status=answer.status,
                size=len(answer.body),
                seconds=perf_counter() - began,
                failure=failure,
            )
        )

    def answer(self, request: LookupRequest) -> tuple[Response, Exception | None]:
        """Return the answer, and what went wrong if it is a 500: a request must not end the server."""
        if self.changes is not None and request.target == SCRIPT_PATH:
            return Response(status=HTTPStatus.OK, body=SCRIPT_TEXT, headers=SCRIPT_HEADERS), None
        try:
            answer = answer_site(request, self.read, self.clock(), self.new_error_id)
        except Exception as failure:  # noqa: BLE001 - whatever it is, the client gets an answer
            return internal_error(self.new_error_id), failure
        return (with_live_reload(answer) if self.changes is not None else answer), None


SCRIPT_HEADERS = {"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache"}


def request_of(scope: Scope) -> LookupRequest:
    """Return what an ASGI scope asks."""
    path, query = scope["raw_path"].decode("latin-1"), scope["query_string"].decode("latin-1")
    if_none_match = [text.decode("latin-1") for name, text in scope["headers"] if name == b"if-none-match"]
    return LookupRequest(
        method=scope["method"],
        target=f"{path}?{query}" if query else path,
        if_none_match=", ".join(if_none_match) if if_none_match else None,
    )


def internal_error(new_error_id: NewErrorId) -> Response:
    """Answer as Sourcify does to a fault of its own."""
    body = {
        "customCode": "internal_error",
        "message": "The server encountered an unexpected error.",
        "errorId": new_error_id(),
    }
    encoded = json.dumps(body, separators=(",", ":")).encode()
    return json_response(encoded, HTTPStatus.INTERNAL_SERVER_ERROR)


def with_live_reload(answer: Response) -> Response:
    """Return the answer, its page reloading itself when the site changes."""
    if not answer.body or not answer.headers.get("Content-Type", "").startswith("text/html"):
        return answer
    body = with_reload_script(answer.body)
    return replace(answer, body=body, headers=answer.headers | {"ETag": entity_tag(body)})


async def send_answer(answer: Response, send: Send) -> None:
    """Send an answer, with the length of its body unless it has none to tell."""
    headers = dict(answer.headers)
    if answer.status not in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED):
        headers.setdefault("Content-Length", str(len(answer.body)))
    await send(
        {
            "type": "http.response.start",
            "status": int(answer.status),
            "headers": [(name.encode("latin-1"), text.encode("latin-1")) for name, text in headers.items()],
        }
    )
    await send({"type": "http.response.body", "body": answer.body})


async def stream_changes(changes: ReloadEvents, receive: Receive, send: Send) -> None:
    """Send events until the client goes away."""
    headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    sending = asyncio.create_task(_send_events(changes, send))
    try:
        while (await receive())["type"] != "http.disconnect":
            pass
    finally:
        sending.cancel()


async def _send_events(changes: ReloadEvents, send: Send) -> None:
    async for event in changes.stream():
        await send({"type": "http.response.body", "body": event, "more_body": True})
