"""Which headers a host sends with which paths, for hosts that know globs.

Rules that set the same header never overlap, since hosts differ in what they make of that: Cloudflare sends
both values, Netlify the later one.
"""

from collections.abc import Iterator
from typing import NamedTuple

from statuary.documents.document import JSON
from statuary.documents.hosting.globs import globs_of
from statuary.documents.media_types import media_type_by_extension
from statuary.documents.url_table import (
    COMMON_HEADERS,
    EPOCH_DOCUMENT,
    FEED,
    HOST_FILES,
    LOOKUP_URLS,
    SHORT_LIVED,
    URLS,
    Url,
)

EPOCH_PREFIX = "/api/v2/_epochs/:epoch"
"""Where a document of a later instant lies, in the placeholders of globs."""


class HeaderRule(NamedTuple):
    """Headers of the paths that a glob holds.

    Attributes:
        glob: `*` stands for anything, `:name` for one name.
        headers: by their usual spelling.
    """

    glob: str
    headers: dict[str, str]


def header_rules() -> tuple[HeaderRule, ...]:
    """Return the rules of every path: what all have, how long they may be kept, and types that no name tells."""
    by_glob: dict[str, dict[str, str]] = {}
    for rule in (HeaderRule("/*", COMMON_HEADERS), *_cache_rules(), *_type_rules()):
        by_glob.setdefault(rule.glob, {}).update(rule.headers)
    return tuple(HeaderRule(glob, headers) for glob, headers in by_glob.items())


def _cache_rules() -> Iterator[HeaderRule]:
    """Yield the rules of what tells the present; for the rest each host's own rule is the table's: ask each time."""
    for glob in globs_of(url for url in URLS if url.is_timed):
        yield HeaderRule(glob, {"Cache-Control": SHORT_LIVED})


def _type_rules() -> Iterator[HeaderRule]:
    by_rule = (url for url in URLS if url not in (FEED, EPOCH_DOCUMENT, *HOST_FILES))
    for glob in globs_of(url for url in by_rule if needs_type_rule(url)):
        yield HeaderRule(glob, {"Content-Type": JSON})
    for glob in server_globs():
        yield HeaderRule(glob, {"Content-Type": JSON})
    for place in ("", EPOCH_PREFIX):
        yield HeaderRule(f"{place}/{FEED.pattern}", {"Content-Type": FEED.media_type})


def needs_type_rule(url: Url) -> bool:
    """Say whether a URL's media type is another than that of its extension."""
    told = url.media_type.partition(";")[0]
    return bool(told) and told != media_type_by_extension(url.pattern).partition(";")[0]


def server_globs() -> tuple[str, ...]:
    """Return the look-up's paths below `/server`, where sourcify.dev has its API and some clients look for it."""
    return tuple(
        dict.fromkeys("/server/" + url.pattern.partition("/")[0] + _rest(url) for url in LOOKUP_URLS)
    )


def _rest(url: Url) -> str:
    return "/*" if "/" in url.pattern else ""
