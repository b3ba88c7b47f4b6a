"""How a path is served: media type and cache rule, by the URL table, else by the name's extension.

A folder or a snapshot holds bytes and names; this says the rest, and agrees with what the documents say of
themselves when they are made.
"""

from statuary.documents.document import JSON
from statuary.documents.match_url import match_url
from statuary.documents.url_table import EPOCH_DOCUMENT

BYTES = "application/octet-stream"
"""For a name that says nothing."""

MEDIA_TYPES = {
    "atom": "application/atom+xml; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ico": "image/x-icon",
    "ics": "text/calendar; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": JSON,
    "jsonl": "application/jsonl; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "png": "image/png",
    "rss": "application/rss+xml; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json",
    "woff2": "font/woff2",
    "xml": "application/xml; charset=utf-8",
}
"""Media type by extension: a table of our own, since that of the machine differs from machine to machine."""


def media_type_of(path: str) -> str:
    """Return the `Content-Type` of a path."""
    found = match_url(path)
    if found is None:
        return _by_extension(path)
    url, members = found
    if url is EPOCH_DOCUMENT:
        return media_type_of(members["path"])
    return url.media_type or _by_extension(path)


def _by_extension(path: str) -> str:
    name = path.rpartition("/")[2]
    return MEDIA_TYPES.get(name.rpartition(".")[2], BYTES) if "." in name else BYTES


def cache_of(path: str) -> str:
    """Return the `Cache-Control` of a path; empty leaves it to the host."""
    found = match_url(path)
    return "" if found is None else found[0].cache
