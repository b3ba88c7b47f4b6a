"""The response to any request for the site: look-up, timed documents, plain files."""

from dataclasses import replace
from http import HTTPStatus

from statuary.documents import url_table
from statuary.domain.primitives import Instant
from statuary.publishing.epoch_index import EpochIndex, readable_epochs
from statuary.publishing.response_headers import headers_of
from statuary.serving.lookup.answer_lookup import LookupRequest, answer_lookup
from statuary.serving.lookup.contracts_list import ReadDocument
from statuary.serving.lookup.query import percent_decoded
from statuary.serving.lookup.response import (
    NewErrorId,
    Response,
    conditional_response,
    entity_tag,
    head_response,
)

MAX_AGE = 30
"""Seconds for which clients may keep a status document."""


def answer_site(
    request: LookupRequest, read: ReadDocument, now: Instant, new_error_id: NewErrorId
) -> Response:
    """Return the response of the site on a host with an edge runtime.

    Args:
        new_error_id: returns the `errorId` of an error body.
    """
    response = answer_lookup(request, read, new_error_id)
    if response is None:
        response = conditional_response(_plain_response(request, read, now), request.if_none_match)
        response = head_response(response) if request.method == "HEAD" else response
    return response


def _plain_response(request: LookupRequest, read: ReadDocument, now: Instant) -> Response:
    if request.method not in ("GET", "HEAD"):
        return Response(status=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
    path = percent_decoded(request.target.partition("?")[0]).removeprefix("/")
    return timed_response(path, read, now) or _file_response(path, read) or _not_found(read)


def timed_response(path: str, read: ReadDocument, now: Instant) -> Response | None:
    """Return the document of the epoch at an instant; None if no epoch has this path."""
    index = readable_epochs(read(url_table.EPOCHS.path()))
    for file in _files(path):
        if file in index.documents:
            stored = index.document_at(file, now)
            body = (stored and stored.body(read)) or read(file)
            if body is None:
                return None
            response = _document_response(file, body, _cache_control(index, now))
            stale = index.stale_since(now)
            headers = {**response.headers, "Statuary-Stale-Since": stale} if stale else response.headers
            return replace(response, headers=headers)
    return None


def _files(path: str) -> tuple[str, ...]:
    """Return the files that a URL path can mean: a file, a folder's page, a page without extension."""
    return (f"{path}index.html",) if not path or path.endswith("/") else (path, f"{path}.html")


def _cache_control(index: EpochIndex, now: Instant) -> str:
    """Return how long a status document may be cached: never beyond the next transition."""
    coming = [since - now for since in index.instants if since > now]
    seconds = min(MAX_AGE, int(coming[0].total_seconds())) if coming else MAX_AGE
    return f"public, max-age={seconds}"


def _file_response(path: str, read: ReadDocument) -> Response | None:
    for file in (*_files(path), f"{path}/index.html"):
        body = read(file)
        if body is not None:
            return _document_response(file, body, "no-cache")
    return None


def _not_found(read: ReadDocument) -> Response:
    page = url_table.NOT_FOUND_PAGE.path()
    body = read(page) or b"<!doctype html>\n<title>Not found</title>\n<p>Not found.</p>\n"
    return Response(status=HTTPStatus.NOT_FOUND, body=body, headers=headers_of(page))


def _document_response(path: str, body: bytes, cache: str) -> Response:
    headers = headers_of(path) | {"Cache-Control": cache, "ETag": entity_tag(body)}
    return Response(status=HTTPStatus.OK, body=body, headers=headers)
