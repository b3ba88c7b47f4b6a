"""The site behind a local server of either kind: request in, response out, one log entry each."""

import json
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from time import perf_counter
from typing import NamedTuple

from statuary.domain.primitives import Instant
from statuary.serving.answer_site import answer_site
from statuary.serving.live_reload import SCRIPT_PATH, SCRIPT_TEXT, ReloadEvents, with_reload_script
from statuary.serving.lookup.answer_lookup import LookupRequest
from statuary.serving.lookup.contracts_list import ReadDocument
from statuary.serving.lookup.response import NewErrorId, Response, entity_tag, json_response

SCRIPT_HEADERS = {"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache"}


class ServedRequest(NamedTuple):
    """A log entry.

    Attributes:
        target: path and query as on the request line.
        size: of the response's body, in bytes.
        seconds: until the response was ready.
        failure: the exception behind a status 500.
    """

    method: str
    target: str
    status: int
    size: int
    seconds: float
    failure: Exception | None = None


class SiteApp:
    """The site.

    Attributes:
        events: for open pages; None if the site does not change while it is served.
    """

    def __init__(
        self,
        read: ReadDocument,
        clock: Callable[[], Instant],
        new_error_id: NewErrorId,
        log: Callable[[ServedRequest], None],
        events: ReloadEvents | None = None,
    ) -> None:
        self._read = read
        self._clock = clock
        self._new_error_id = new_error_id
        self._log = log
        self.events = events

    def respond(self, request: LookupRequest) -> Response:
        """Return the response to a request; it has `Content-Length` unless its status forbids a body."""
        began = perf_counter()
        response, failure = self._response(request)
        if response.status not in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED):
            length = response.headers.get("Content-Length", str(len(response.body)))
            response = replace(response, headers=response.headers | {"Content-Length": length})
        seconds, size = perf_counter() - began, len(response.body)
        self._log(ServedRequest(request.method, request.target, response.status, size, seconds, failure))
        return response

    def _response(self, request: LookupRequest) -> tuple[Response, Exception | None]:
        """Return the response, and the exception behind a 500: no request ends the server."""
        if self.events is not None and request.target == SCRIPT_PATH:
            return Response(status=HTTPStatus.OK, body=SCRIPT_TEXT, headers=SCRIPT_HEADERS), None
        try:
            response = answer_site(request, self._read, self._clock(), self._new_error_id)
        except Exception as failure:  # noqa: BLE001 - whatever it is, the client gets a response
            return _internal_error(self._new_error_id), failure
        return (response if self.events is None else _with_live_reload(response)), None


def _internal_error(new_error_id: NewErrorId) -> Response:
    body = {
        "customCode": "internal_error",
        "message": "The server encountered an unexpected error.",
        "errorId": new_error_id(),
    }
    encoded = json.dumps(body, separators=(",", ":")).encode()
    return json_response(encoded, HTTPStatus.INTERNAL_SERVER_ERROR)


def _with_live_reload(response: Response) -> Response:
    """Return a response whose page reloads itself when the site changes."""
    if not response.body or not response.headers.get("Content-Type", "").startswith("text/html"):
        return response
    body = with_reload_script(response.body)
    return replace(response, body=body, headers=response.headers | {"ETag": entity_tag(body)})
