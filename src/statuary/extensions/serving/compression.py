"""Compress text responses with gzip, if the client accepts it."""

import gzip
import re
from dataclasses import replace
from http import HTTPStatus

from statuary.extensions.serving.lookup import Response
from statuary.publish.host_layout import SMALLEST

TEXT = re.compile(
    r"text/|image/svg\+xml|application/(?:json|jsonl|xml|manifest\+json|[a-z]+\+(?:json|xml))\b"
)
"""The media types of text; pictures and archives are compressed already."""

LEVEL = 6
"""The level of zlib: higher ones take much longer and save little."""

VARY = {"Vary": "Accept-Encoding"}


def allows_gzip(accept_encoding: str | None) -> bool:
    """Return whether a client's header `Accept-Encoding` allows gzip.

    Example: `br, gzip;q=0` -> False (RFC 9110, 12.5.3).
    """
    weights: dict[str, bool] = {}
    for part in (accept_encoding or "").lower().split(","):
        name, *parameters = (text.strip() for text in part.split(";"))
        weights[name] = not any(re.fullmatch(r"q=0(\.0*)?", parameter) for parameter in parameters)
    return weights.get("gzip", weights.get("*", False))


def add_vary_header(response: Response) -> Response:
    """Tell caches that a response differs with and without compression.

    It gets the header `Vary`. Both forms have the same entity tag, which is allowed because the tag is weak
    (RFC 9110, 8.8.1).
    """
    is_unchanged = response.status == HTTPStatus.NOT_MODIFIED
    is_variant = _has_text_body(response) if response.status == HTTPStatus.OK else is_unchanged
    return replace(response, headers=response.headers | VARY) if is_variant else response


def compress_response_if_smaller(response: Response) -> Response:
    """Compress a response with gzip, if that makes it smaller.

    Only text is compressed, not images, for example.

    Returns:
        The compressed response, or else the same one.
    """
    if response.status != HTTPStatus.OK or not _has_text_body(response) or len(response.body) < SMALLEST:
        return response
    body = gzip.compress(response.body, LEVEL, mtime=0)
    if len(body) >= len(response.body):
        return response
    return replace(response, body=body, headers=response.headers | {"Content-Encoding": "gzip"})


def _has_text_body(response: Response) -> bool:
    return TEXT.match(response.headers.get("Content-Type", "")) is not None
