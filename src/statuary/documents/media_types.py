"""Media types, by name and by extension: those of operating systems differ between machines."""

JSON = "application/json; charset=utf-8"
"""The media type that both real APIs send; Go's resty and others decode JSON only under it."""

ATOM = "application/atom+xml; charset=utf-8"
CSS = "text/css; charset=utf-8"
HTML = "text/html; charset=utf-8"
ICALENDAR = "text/calendar; charset=utf-8"
JAVASCRIPT = "text/javascript; charset=utf-8"
JSON_FEED = "application/feed+json; charset=utf-8"
RSS = "application/rss+xml; charset=utf-8"
SVG = "image/svg+xml; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
OCTET_STREAM = "application/octet-stream"

MEDIA_TYPES = {
    "atom": ATOM,
    "css": CSS,
    "html": HTML,
    "ico": "image/x-icon",
    "ics": ICALENDAR,
    "jpg": "image/jpeg",
    "js": JAVASCRIPT,
    "json": JSON,
    "jsonl": "application/jsonl; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "png": "image/png",
    "rss": RSS,
    "svg": SVG,
    "txt": TEXT,
    "webmanifest": "application/manifest+json",
    "webp": "image/webp",
    "woff2": "font/woff2",
    "xml": "application/xml; charset=utf-8",
}
"""Media types by extension."""


def media_type_by_extension(path: str) -> str:
    """Return the media type for a path's extension; octets if the extension is unknown."""
    name = path.rpartition("/")[2]
    return MEDIA_TYPES.get(name.rpartition(".")[2], OCTET_STREAM) if "." in name else OCTET_STREAM
