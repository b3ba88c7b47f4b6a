"""The time of the build on the status page: the one thing by which two builds of the same status differ."""

from collections.abc import Iterable, Mapping
from hashlib import sha256

from markupsafe import escape

from statuary.documents.document import Document
from statuary.documents.pages.site_context import FormattedTime
from statuary.documents.url_table import EPOCH_PATCH, JSON, STATUS_PAGE

PATCH = EPOCH_PATCH.path(epoch="any", path="").rpartition("/")[2]
"""How the path of a patch ends."""


def built_at_another_time(
    files: Mapping[str, bytes], before: FormattedTime, after: FormattedTime
) -> list[Document] | None:
    """Return the status page and the files of its epochs as a build at another time makes them of the same status.

    None if a page does not show the time of its build just once, or if the other one is longer or shorter, so that
    patches have other ranges.

    Args:
        files: as the earlier build made them, by path.
        before: the time of that build.
        after: the other time.
    """
    times = _differing(before, after)
    pages = {path: body for path, body in files.items() if not path.endswith(PATCH)}
    patches = {path: body for path, body in files.items() if path not in pages}
    if not _show(pages, times, 1) or not _show(patches, times, 0):
        return None
    made = {path: _replaced(body, times) for path, body in pages.items()}
    bases = [(_digest(body), _digest(made[path])) for path, body in pages.items()]
    return [
        *_documents(made, STATUS_PAGE.media_type),
        *_documents({path: _replaced(body, bases) for path, body in patches.items()}, JSON),
    ]


def _documents(files: Mapping[str, bytes], media_type: str) -> list[Document]:
    return [Document(path, body, media_type, cache=STATUS_PAGE.cache) for path, body in files.items()]


def _differing(before: FormattedTime, after: FormattedTime) -> list[tuple[bytes, bytes]]:
    """Return the parts of two times that differ, as pages show them."""
    pairs = zip(before, after, strict=True)
    return [(str(escape(one)).encode(), str(escape(other)).encode()) for one, other in pairs if one != other]


def _show(files: Mapping[str, bytes], times: Iterable[tuple[bytes, bytes]], count: int) -> bool:
    """Whether each file shows a time as often as this, and the other time has its length."""
    return all(
        body.count(one) == count and len(one) == len(other) for body in files.values() for one, other in times
    )


def _replaced(body: bytes, pairs: Iterable[tuple[bytes, bytes]]) -> bytes:
    for one, other in pairs:
        body = body.replace(one, other)
    return body


def _digest(body: bytes) -> bytes:
    return sha256(body).hexdigest().encode()
