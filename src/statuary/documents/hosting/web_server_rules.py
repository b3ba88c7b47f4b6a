"""What nginx and Caddy need of the table of URLs: their rules are regular expressions, so that each row has its own."""

from statuary.documents.document import JSON
from statuary.documents.hosting.globs import regex_of, static_globs
from statuary.documents.media_types import MEDIA_TYPES
from statuary.documents.url_table import (
    COMMON_HEADERS,
    EPOCH_DOCUMENT,
    EPOCHS,
    FEED,
    REVALIDATE,
    SHORT_LIVED,
    URLS,
)

EPOCH_PREFIX_REGEX = "(?:/api/v2/_epochs/[^/]+)?"
"""Documents of later instants lie below the epochs as the present ones lie below the root."""


def web_server_values() -> dict[str, object]:
    """Return what the templates of web servers take from the table of URLs."""
    return {
        "everywhere": COMMON_HEADERS,
        "revalidate": REVALIDATE,
        "briefly": SHORT_LIVED,
        "brief_expressions": short_lived_regexes(),
        "briefly_expression": "|".join(short_lived_regexes()),
        "media_types": MEDIA_TYPES,
        "json": JSON,
        "feed": FEED,
        "feed_expression": feed_regex(),
        "types": media_type_regexes(),
        "plain_globs": static_globs(),
    }


def short_lived_regexes() -> list[str]:
    """Return the expressions of the paths that tell the present, and of the same below the epochs."""
    rows = (url for url in URLS if url.is_timed and url not in (EPOCHS, EPOCH_DOCUMENT))
    present = (regex_of(url) for url in rows)
    return [
        regex_of(EPOCHS),
        *(f"^{EPOCH_PREFIX_REGEX}{expression.removeprefix('^')}" for expression in present),
    ]


def media_type_regexes() -> list[tuple[str, str]]:
    """Return media types and the expressions of their paths, for a server that knows none of them by itself."""
    by_extension = [
        (media_type, rf"\.{extension}$")
        for extension, media_type in MEDIA_TYPES.items()
        if media_type != JSON
    ]
    return [*by_extension, (JSON, r"\.json$"), (FEED.media_type, feed_regex())]


def feed_regex() -> str:
    """Return the expression of the JSON Feed, whose extension does not tell its type."""
    return f"^{EPOCH_PREFIX_REGEX}{regex_of(FEED).removeprefix('^')}"
