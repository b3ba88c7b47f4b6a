"""An answer to any request for the site: the look-up, status documents by the clock, and plain files."""

from http import HTTPStatus

from statuary.documents.url_table import NOT_FOUND_PAGE
from statuary.domain.primitives import Instant
from statuary.publishing.response_headers import headers_of
from statuary.serving.epoch_documents import (
    EPOCH_INDEX,
    EpochDocuments,
    cache_control,
    document_at,
    is_timed,
    parse_epochs,
)
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

NO_CACHE = "no-cache"


def answer_site(
    request: LookupRequest, read: ReadDocument, now: Instant, new_error_id: NewErrorId
) -> Response:
    """Answer a request as the published site would where an edge runtime can look at the clock.

    Args:
        request: what is asked.
        read: gives the site's documents by path.
        now: the instant to answer for.
        new_id: makes the `errorId` of an error body.
    """
    answer = answer_lookup(request, read, new_error_id)
    if answer is None:
        answer = conditional_response(_plain_answer(request, read, now), request.if_none_match)
        answer = head_response(answer) if request.method == "HEAD" else answer
    return answer


def _plain_answer(request: LookupRequest, read: ReadDocument, now: Instant) -> Response:
    if request.method not in ("GET", "HEAD"):
        return Response(status=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
    path = percent_decoded(request.target.partition("?")[0]).removeprefix("/")
    return timed_response(path, read, now) or _file_answer(path, read) or _not_found(read)


def timed_response(path: str, read: ReadDocument, now: Instant) -> Response | None:
    """Answer with the document of the epoch at an instant, or None if it does not change by itself."""
    epochs = parse_epochs(read(EPOCH_INDEX))
    place = next((place for place in _places(path) if is_timed(epochs, place)), None)
    return None if place is None else _epoch_answer(epochs, place, read, now)


def _places(path: str) -> tuple[str, ...]:
    """Return what a path can mean: a file, the page of a folder, a page without its extension."""
    return (f"{path}index.html",) if not path or path.endswith("/") else (path, f"{path}.html")


def _epoch_answer(
    epochs: tuple[EpochDocuments, ...], path: str, read: ReadDocument, now: Instant
) -> Response | None:
    body = read(document_at(epochs, path, now)) or read(path)
    return None if body is None else document_response(path, body, cache_control(epochs, now))


def _file_answer(path: str, read: ReadDocument) -> Response | None:
    """Answer with a file or a page."""
    for place in (*_places(path), f"{path}/index.html"):
        body = read(place)
        if body is not None:
            return document_response(place, body, NO_CACHE)
    return None


def _not_found(read: ReadDocument) -> Response:
    page = NOT_FOUND_PAGE.path()
    body = read(page) or b"<!doctype html>\n<title>Not found</title>\n<p>Not found.</p>\n"
    return Response(status=HTTPStatus.NOT_FOUND, body=body, headers=headers_of(page))


def document_response(path: str, body: bytes, cache: str) -> Response:
    """Answer with a document of the site."""
    headers = headers_of(path) | {"Cache-Control": cache, "ETag": entity_tag(body)}
    return Response(status=HTTPStatus.OK, body=body, headers=headers)
