"""Media types by extension: a table of our own, since that of a machine differs from machine to machine."""

from statuary.documents.document import JSON

OCTET_STREAM = "application/octet-stream"
"""For a name that says nothing."""

MEDIA_TYPES = {
    "atom": "application/atom+xml; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ico": "image/x-icon",
    "ics": "text/calendar; charset=utf-8",
    "jpg": "image/jpeg",
    "js": "text/javascript; charset=utf-8",
    "json": JSON,
    "jsonl": "application/jsonl; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "png": "image/png",
    "rss": "application/rss+xml; charset=utf-8",
    "svg": "image/svg+xml; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json",
    "webp": "image/webp",
    "woff2": "font/woff2",
    "xml": "application/xml; charset=utf-8",
}
"""Media type by extension."""


def media_type_by_extension(path: str) -> str:
    """Return the media type that a path's extension stands for."""
    name = path.rpartition("/")[2]
    return MEDIA_TYPES.get(name.rpartition(".")[2], OCTET_STREAM) if "." in name else OCTET_STREAM
