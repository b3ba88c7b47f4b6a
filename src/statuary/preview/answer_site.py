"""An answer to any request for the site: the look-up, status documents by the clock, and plain files."""

from http import HTTPStatus

from statuary.documents.url_table import NOT_FOUND_PAGE
from statuary.domain.contracts.lookup.answer import (
    Answer,
    NewId,
    conditional,
    entity_tag,
    without_body,
)
from statuary.domain.contracts.lookup.answer_request import Request, answer_request
from statuary.domain.contracts.lookup.contracts_list import Read
from statuary.domain.contracts.lookup.query import decoded
from statuary.domain.primitives import Instant
from statuary.preview.epochs import INDEX, Epoch, cache_control, document_at, is_timed, parse_epochs
from statuary.publishing.sites.served_as import headers_of

ASK_EACH_TIME = "no-cache"


def answer_site(request: Request, read: Read, now: Instant, new_id: NewId) -> Answer:
    """Answer a request as the published site would where an edge runtime can look at the clock.

    Args:
        request: what is asked.
        read: gives the site's documents by path.
        now: the instant to answer for.
        new_id: makes the `errorId` of an error body.
    """
    answer = answer_request(request, read, new_id)
    if answer is None:
        answer = conditional(_plain_answer(request, read, now), request.if_none_match)
        answer = without_body(answer) if request.method == "HEAD" else answer
    return answer


def _plain_answer(request: Request, read: Read, now: Instant) -> Answer:
    if request.method not in ("GET", "HEAD"):
        return Answer(status=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
    path = decoded(request.target.partition("?")[0]).removeprefix("/")
    return answer_timed(path, read, now) or _file_answer(path, read) or _not_found(read)


def answer_timed(path: str, read: Read, now: Instant) -> Answer | None:
    """Answer with the document of the epoch at an instant, or None if it does not change by itself."""
    epochs = parse_epochs(read(INDEX))
    place = next((place for place in _places(path) if is_timed(epochs, place)), None)
    return None if place is None else _epoch_answer(epochs, place, read, now)


def _places(path: str) -> tuple[str, ...]:
    """Return what a path can mean: a file, the page of a folder, a page without its extension."""
    return (f"{path}index.html",) if not path or path.endswith("/") else (path, f"{path}.html")


def _epoch_answer(epochs: tuple[Epoch, ...], path: str, read: Read, now: Instant) -> Answer | None:
    body = read(document_at(epochs, path, now)) or read(path)
    return None if body is None else document_answer(path, body, cache_control(epochs, now))


def _file_answer(path: str, read: Read) -> Answer | None:
    """Answer with a file or a page."""
    for place in (*_places(path), f"{path}/index.html"):
        body = read(place)
        if body is not None:
            return document_answer(place, body, ASK_EACH_TIME)
    return None


def _not_found(read: Read) -> Answer:
    page = NOT_FOUND_PAGE.path()
    body = read(page) or b"<!doctype html>\n<title>Not found</title>\n<p>Not found.</p>\n"
    return Answer(status=HTTPStatus.NOT_FOUND, body=body, headers=headers_of(page))


def document_answer(path: str, body: bytes, cache: str) -> Answer:
    """Answer with a document of the site."""
    headers = headers_of(path) | {"Cache-Control": cache, "ETag": entity_tag(body)}
    return Answer(status=HTTPStatus.OK, body=body, headers=headers)
