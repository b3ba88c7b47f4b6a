"""What is sent back: a status, headers and bytes, with the entity tag that Express would give them."""

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
"""Every answer may be read by any page, as on the real server."""

PREFLIGHT = CORS | {
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "*",
}

ERROR_PAGE_HEADERS = {"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff"}
"""What Express sends with its own error page."""

NewErrorId = Callable[[], str]
"""Makes an `errorId`: a new UUID (version 4) as text, each time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """An HTTP answer.

    Attributes:
        status: the HTTP status.
        body: its bytes; empty where there is none.
        headers: by their usual spelling.
    """

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def json_response(body: bytes, status: int = HTTPStatus.OK) -> Response:
    """Answer with a JSON body."""
    headers = CORS | {"Content-Type": JSON, "ETag": entity_tag(body)}
    return Response(status=status, body=body, headers=headers)


def error_response(refusal: RequestError, new_error_id: NewErrorId) -> Response:
    """Answer with Sourcify's error body: customCode, message, errorId."""
    body = {"customCode": refusal.custom_code, "message": str(refusal), "errorId": new_error_id()}
    return json_response(compact_json(body), refusal.status)


def route_not_found(method: str, path: str) -> Response:
    """Answer with the HTML page that Express sends where no route matches."""
    message = escape(f"Cannot {method} {path}", quote=True).replace("&#x27;", "&#39;")
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n'
        f"<body>\n<pre>{message}</pre>\n</body>\n</html>\n"
    )
    headers = CORS | ERROR_PAGE_HEADERS | {"Content-Type": HTML}
    return Response(status=HTTPStatus.NOT_FOUND, body=page.encode(), headers=headers)


def preflight_response() -> Response:
    """Answer a browser's question whether it may ask."""
    return Response(status=HTTPStatus.NO_CONTENT, headers=PREFLIGHT)


def conditional_response(answer: Response, if_none_match: str | None) -> Response:
    """Return `304 Not Modified` in place of a good answer that the client already holds.

    Tags are compared weakly (RFC 9110, 13.1.2): `W/` makes no difference.
    """
    tag = answer.headers.get("ETag")
    if answer.status != HTTPStatus.OK or tag is None or not matches(if_none_match, tag):
        return answer
    return Response(status=HTTPStatus.NOT_MODIFIED, headers=CORS | {"ETag": tag})


def matches(if_none_match: str | None, tag: str) -> bool:
    """Say whether an `If-None-Match` header names an entity tag, or is `*`."""
    if if_none_match is None:
        return False
    named = [part.strip().removeprefix("W/") for part in if_none_match.split(",")]
    return "*" in named or tag.removeprefix("W/") in named


def head_response(answer: Response) -> Response:
    """Return the answer to HEAD: the same headers, no body, and the length that the body has."""
    if not answer.body:
        return answer
    return replace(answer, body=b"", headers=answer.headers | {"Content-Length": str(len(answer.body))})


def entity_tag(body: bytes) -> str:
    """Return the weak tag that Express makes: the length in hex, and 27 characters of base64 of the SHA-1."""
    digest = b64encode(sha1(body, usedforsecurity=False).digest()).decode()
    return f'W/"{len(body):x}-{digest[:27]}"'


def compact_json(value: Mapping[str, str | None]) -> bytes:
    """Return a flat object as JSON, spelled as `JSON.stringify` spells it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
