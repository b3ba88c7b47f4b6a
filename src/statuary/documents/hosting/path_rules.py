"""The URL table as rules for hosts: globs, regular expressions, headers and rewrites.

Header rules that set the same header never overlap, since hosts differ on overlaps: Cloudflare sends both values,
Netlify the later one.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from statuary.documents.media_types import JSON, media_type_by_extension
from statuary.documents.url import COMMON_HEADERS, SHORT_LIVED, Url
from statuary.documents.url_table import (
    EPOCH_DOCUMENT,
    FEED,
    HOST_FILES,
    LOG,
    LOG_CHECKPOINT,
    LOG_SCHEMA,
    LOG_TILE,
    LOOKUP_URLS,
    NOT_FOUND_PAGE,
    PATTERN_PARTS,
    SERVER_PREFIX,
    STATUS_PAGE,
    URLS,
)

EPOCH_PREFIX = "/" + EPOCH_DOCUMENT.path(epoch=":epoch", path="")
"""The folder of the documents of a later instant, with the placeholder of globs."""

INTERNAL_FILES_RULE = ("/.statuary/*", f"/{NOT_FOUND_PAGE.pattern}")
"""The ledger is in the published folder, but is not part of the site."""


class HeaderRule(NamedTuple):
    """The headers of the paths that match a glob."""

    glob: str  # `*` is any text, `:name` one name
    headers: dict[str, str]


def glob_of(url: Url) -> str:
    """Return the glob of a URL: its folder, or the path itself if it is at the top or beside folders.

    Hosts accept `*` only at the end, so a folder covers everything in it.
    """
    if url in (LOG, LOG_SCHEMA, LOG_CHECKPOINT):
        return f"/{url.pattern}"
    folder = url.prefix.rpartition("/")[0]
    return f"/{folder}/*" if folder else f"/{url.pattern}"


def globs_of(urls: Iterable[Url]) -> tuple[str, ...]:
    """Return the globs of several URLs in order, without those that another glob includes.

    A page at the top has two: hosts serve it with and without its extension; `/` is the status page.
    """
    found = [variant for url in urls for variant in _variants(glob_of(url))]
    return tuple(dict.fromkeys(glob for glob in found if not _is_included(glob, found)))


def _variants(glob: str) -> tuple[str, ...]:
    if glob == f"/{STATUS_PAGE.pattern}":
        return ("/", glob)
    return (glob.removesuffix(".html"), glob) if glob.endswith(".html") else (glob,)


def _is_included(glob: str, others: Iterable[str]) -> bool:
    return any(
        other.endswith("*") and other != glob and glob.startswith(other.removesuffix("*")) for other in others
    )


def static_globs() -> tuple[str, ...]:
    """Return the paths that never need the edge module: not of the look-up, and unchanged until the next build."""
    return globs_of(url for url in URLS if url not in (*LOOKUP_URLS, *HOST_FILES) and not url.is_timed)


def server_globs() -> tuple[str, ...]:
    """Return the look-up's paths below `/server`, where sourcify.dev has its API and some clients expect it."""
    tops = [(url.pattern.partition("/")[0], "/*" if "/" in url.pattern else "") for url in LOOKUP_URLS]
    return tuple(dict.fromkeys(f"/{SERVER_PREFIX}/{top}{rest}" for top, rest in tops))


def server_rewrites() -> list[tuple[str, str]]:
    """Return the rewrites of the paths below `/server`, as (requested, served)."""
    return [(glob, glob.removeprefix(f"/{SERVER_PREFIX}").replace("*", ":splat")) for glob in server_globs()]


def regex_of(url: Url) -> str:
    """Return the anchored regular expression of a URL's path, in the syntax that PCRE and RE2 share.

    A page is served with and without its extension, and the page of a folder at the folder's own name.
    """
    expression = "".join(
        (".+" if parameter == "path" else "[^/]+") if parameter else re.escape(literal)
        for parameter, literal in PATTERN_PARTS.findall(url.pattern)
    )
    for ending, optional in ((r"index\.html", r"(?:index\.html)?"), (r"\.html", r"(?:\.html)?")):
        if expression.endswith(ending):
            expression = expression.removesuffix(ending) + optional
            break
    return f"^/{expression}$"


def header_rules() -> tuple[HeaderRule, ...]:
    """Return the rules of all paths: common headers, cache rules, and types that the extension does not give."""
    by_glob: dict[str, dict[str, str]] = {}
    for rule in (HeaderRule("/*", COMMON_HEADERS), *_cache_rules(), *_type_rules()):
        by_glob.setdefault(rule.glob, {}).update(rule.headers)
    return tuple(HeaderRule(glob, headers) for glob, headers in by_glob.items())


def _cache_rules() -> Iterator[HeaderRule]:
    """Yield the rules of timed documents; for the rest the default of these hosts is the table's rule."""
    for glob in globs_of(url for url in URLS if url.is_timed):
        yield HeaderRule(glob, {"Cache-Control": SHORT_LIVED})
    yield HeaderRule(glob_of(LOG_TILE), {"Cache-Control": LOG_TILE.cache})


def _type_rules() -> Iterator[HeaderRule]:
    candidates = (url for url in URLS if url not in (FEED, EPOCH_DOCUMENT, *HOST_FILES))
    by_type: dict[str, list[Url]] = {}
    for url in filter(_needs_type_rule, candidates):
        by_type.setdefault(url.media_type, []).append(url)
    for media_type, urls in by_type.items():
        for glob in globs_of(urls):
            yield HeaderRule(glob, {"Content-Type": media_type})
    for glob in server_globs():
        yield HeaderRule(glob, {"Content-Type": JSON})
    for prefix in ("/", EPOCH_PREFIX):
        yield HeaderRule(f"{prefix}{FEED.pattern}", {"Content-Type": FEED.media_type})


def _needs_type_rule(url: Url) -> bool:
    """Return whether the media type differs from that of the extension."""
    own = url.media_type.partition(";")[0]
    return bool(own) and own != media_type_by_extension(url.pattern).partition(";")[0]
