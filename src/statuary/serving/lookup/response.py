"""HTTP responses: status, headers and body, with the entity tag of Express."""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha1
from html import escape
from http import HTTPStatus

from statuary.serving.lookup.request_error import RequestError

JSON = "application/json; charset=utf-8"
HTML = "text/html; charset=utf-8"

CORS = {"Access-Control-Allow-Origin": "*"}
"""Any page may read every response, as on the real server."""

PREFLIGHT = CORS | {
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "*",
}

ERROR_PAGE_HEADERS = {"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff"}
"""The headers of Express's own error page."""

NewErrorId = Callable[[], str]
"""Returns a new `errorId` each time: a UUID (version 4) as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """An HTTP response."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)  # by name, in the usual case


def json_response(body: bytes, status: int = HTTPStatus.OK) -> Response:
    """Return a response with a JSON body."""
    headers = CORS | {"Content-Type": JSON, "ETag": entity_tag(body)}
    return Response(status=status, body=body, headers=headers)


def error_response(error: RequestError, new_error_id: NewErrorId) -> Response:
    """Return Sourcify's error body: customCode, message, errorId."""
    body = {"customCode": error.custom_code, "message": str(error), "errorId": new_error_id()}
    return json_response(compact_json(body), error.status)


def route_not_found(method: str, path: str) -> Response:
    """Return the HTML page that Express sends where no route matches."""
    message = escape(f"Cannot {method} {path}", quote=True).replace("&#x27;", "&#39;")
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n'
        f"<body>\n<pre>{message}</pre>\n</body>\n</html>\n"
    )
    headers = CORS | ERROR_PAGE_HEADERS | {"Content-Type": HTML}
    return Response(status=HTTPStatus.NOT_FOUND, body=page.encode(), headers=headers)


def preflight_response() -> Response:
    """Return the response to a browser's preflight request."""
    return Response(status=HTTPStatus.NO_CONTENT, headers=PREFLIGHT)


def conditional_response(response: Response, if_none_match: str | None) -> Response:
    """Return `304 Not Modified` in place of a response that the client already has.

    Tags are compared weakly (RFC 9110, 13.1.2): `W/` makes no difference.
    """
    tag = response.headers.get("ETag")
    if response.status != HTTPStatus.OK or tag is None or not matches(if_none_match, tag):
        return response
    return Response(status=HTTPStatus.NOT_MODIFIED, headers=CORS | {"ETag": tag})


def matches(if_none_match: str | None, tag: str) -> bool:
    """Return whether an `If-None-Match` header names an entity tag, or is `*`."""
    if if_none_match is None:
        return False
    named = [part.strip().removeprefix("W/") for part in if_none_match.split(",")]
    return "*" in named or tag.removeprefix("W/") in named


def head_response(response: Response) -> Response:
    """Return the response to HEAD: the same headers, no body, and the length of the body."""
    if not response.body:
        return response
    return replace(response, body=b"", headers=response.headers | {"Content-Length": str(len(response.body))})


def entity_tag(body: bytes) -> str:
    """Return the weak tag that Express makes: the length in hex, and 27 characters of base64 of the SHA-1."""
    digest = b64encode(sha1(body, usedforsecurity=False).digest()).decode()
    return f'W/"{len(body):x}-{digest[:27]}"'


def compact_json(value: Mapping[str, str | None]) -> bytes:
    """Return a flat object as JSON, as `JSON.stringify` writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
