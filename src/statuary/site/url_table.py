"""The URL table: the rows of every section and extension."""

import re
from functools import cache
from itertools import chain

from statuary.registry import CONTENT_SECTIONS, EXTENSIONS, load
from statuary.site.urls import DESCRIPTION_URLS, PAGE_URLS, Url, url_regex


@cache
def content_urls() -> tuple[Url, ...]:
    """Return the rows of the contracts and of the status."""
    return tuple(chain.from_iterable(load(row.provides["urls"]) for row in CONTENT_SECTIONS))


@cache
def all_urls() -> tuple[Url, ...]:
    """Return all rows, those of extensions before the descriptions of the site."""
    extension_urls = (load(row.section).urls for row in EXTENSIONS if row.section)
    return (*content_urls(), *PAGE_URLS, *chain.from_iterable(extension_urls), *DESCRIPTION_URLS)


def match_url(path: str) -> tuple[Url, dict[str, str]] | None:
    """Return the URL and the parameters of a path.

    The URL with the fewest parameters wins: `v2/contract/all-chains/...` is not a contract on the chain
    `all-chains`.

    Returns:
        The pair, or None if no document can have the path.
    """
    folder = path.partition("/")[0]
    extensions = _extensions_by_name()
    urls = extensions.get(path) or extensions.get(folder, "")
    for expression, url in _expressions(urls).get(folder, ()):
        matched = expression.fullmatch(path)
        if matched:
            return url, matched.groupdict()
    return None


@cache
def _extensions_by_name() -> dict[str, str]:
    """Return the extension of each of its folders and paths."""
    return {name: row.section for row in EXTENSIONS for name in row.folders}


@cache
def _expressions(extension: str) -> dict[str, list[tuple[re.Pattern[str], Url]]]:
    """Return an owner's rows by the first name of their paths.

    That name is always literal.

    Args:
        extension: the target of the extension's section; empty for all other rows.
    """
    others = (*content_urls(), *PAGE_URLS, *DESCRIPTION_URLS)
    urls: tuple[Url, ...] = load(extension).urls if extension else others
    expressions: dict[str, list[tuple[re.Pattern[str], Url]]] = {}
    for url in sorted(urls, key=lambda row: row.pattern.count("{")):
        row = re.compile(url_regex(url)), url
        expressions.setdefault(url.pattern.partition("/")[0], []).append(row)
    return expressions
