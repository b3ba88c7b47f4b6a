"""The shapes of URLs as hosts write them: globs, whose `*` is anything, and regular expressions."""

import re
from collections.abc import Iterable

from statuary.documents.url_table import HOST_FILES, LOOKUP_URLS, URLS, Url

PATTERN_PARTS = re.compile(r"\{(\w+)\}|([^{]+)")


def glob_of(url: Url) -> str:
    """Return the glob of a URL: the folder that holds it, or the path itself if it lies at the top.

    Hosts know `*` at the end only, so that a folder stands for all that lies in it.
    """
    folder = url.pattern.partition("{")[0].rpartition("/")[0]
    return f"/{folder}/*" if folder else f"/{url.pattern}"


def globs_of(urls: Iterable[Url]) -> tuple[str, ...]:
    """Return the globs of several URLs, without those that another holds, in the order of their first URL.

    A page at the top has two: hosts serve it with and without its extension; `/` is the status page.
    """
    found = [spelling for url in urls for spelling in _spellings(glob_of(url))]
    return tuple(dict.fromkeys(glob for glob in found if not _is_held(glob, found)))


def _spellings(glob: str) -> tuple[str, ...]:
    if glob == "/index.html":
        return ("/", glob)
    return (glob.removesuffix(".html"), glob) if glob.endswith(".html") else (glob,)


def _is_held(glob: str, others: Iterable[str]) -> bool:
    return any(
        other.endswith("*") and other != glob and glob.startswith(other.removesuffix("*")) for other in others
    )


def static_globs() -> tuple[str, ...]:
    """Return what the edge module has no business with: neither the look-up's, nor changed by the clock alone."""
    return globs_of(url for url in URLS if url not in (*LOOKUP_URLS, *HOST_FILES) and not url.is_timed)


def regex_of(url: Url) -> str:
    """Return the regular expression of a URL's path, anchored, in the syntax that PCRE and RE2 share.

    A page is served with and without its extension, and a folder's page under the folder's own name.
    """
    parts = (
        "[^/]+" if member and member != "path" else ".+" if member else re.escape(literal)
        for member, literal in PATTERN_PARTS.findall(url.pattern)
    )
    expression = "".join(parts)
    for ending, optional in ((r"index\.html", r"(?:index\.html)?"), (r"\.html", r"(?:\.html)?")):
        if expression.endswith(ending):
            expression = expression.removesuffix(ending) + optional
            break
    return f"^/{expression}$"
