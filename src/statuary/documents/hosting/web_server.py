"""What nginx and Caddy need of the table of URLs: their rules are regular expressions, so that each row has its own."""

from statuary.documents.document import JSON
from statuary.documents.hosting.globs import expression_of, plain_globs
from statuary.documents.media_types import MEDIA_TYPES
from statuary.documents.url_table import BRIEFLY, EPOCH_DOCUMENT, EPOCHS, EVERYWHERE, FEED, REVALIDATE, URLS

BELOW_EPOCHS = "(?:/api/v2/_epochs/[^/]+)?"
"""Documents of later instants lie below the epochs as the present ones lie below the root."""


def table_values() -> dict[str, object]:
    """Return what the templates of web servers take from the table of URLs."""
    return {
        "everywhere": EVERYWHERE,
        "revalidate": REVALIDATE,
        "briefly": BRIEFLY,
        "brief_expressions": brief_expressions(),
        "briefly_expression": "|".join(brief_expressions()),
        "media_types": MEDIA_TYPES,
        "json": JSON,
        "feed": FEED,
        "feed_expression": feed_expression(),
        "types": type_expressions(),
        "plain_globs": plain_globs(),
    }


def brief_expressions() -> list[str]:
    """Return the expressions of the paths that tell the present, and of the same below the epochs."""
    rows = (url for url in URLS if url.keeps_time and url not in (EPOCHS, EPOCH_DOCUMENT))
    present = (expression_of(url) for url in rows)
    return [
        expression_of(EPOCHS),
        *(f"^{BELOW_EPOCHS}{expression.removeprefix('^')}" for expression in present),
    ]


def type_expressions() -> list[tuple[str, str]]:
    """Return media types and the expressions of their paths, for a server that knows none of them by itself."""
    by_extension = [
        (media_type, rf"\.{extension}$")
        for extension, media_type in MEDIA_TYPES.items()
        if media_type != JSON
    ]
    return [*by_extension, (JSON, r"\.json$"), (FEED.media_type, feed_expression())]


def feed_expression() -> str:
    """Return the expression of the JSON Feed, whose extension does not tell its type."""
    return f"^{BELOW_EPOCHS}{expression_of(FEED).removeprefix('^')}"
