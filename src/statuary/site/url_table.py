"""The URL table: the rows of every section and extension.

A section of another package has rows too. A path is looked for in them after statuary's own rows, so that no package can
change what a path of statuary is.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache, partial
from itertools import chain
from typing import NamedTuple

from statuary.registry import CONTENT_SECTIONS, EXTENSIONS, extension_of, load, third_party_extensions
from statuary.site.urls import DESCRIPTION_URLS, PAGE_URLS, WHOLE_PATH, Url, url_regex


@cache
def content_urls() -> tuple[Url, ...]:
    """Return the URLs of documents about contracts and the status.

    URLs of extensions and of the site itself are not among them.
    """
    return tuple(chain.from_iterable(load(row.provides["urls"]) for row in CONTENT_SECTIONS))


@cache
def all_urls() -> tuple[Url, ...]:
    """Return the URLs of all documents that statuary can publish."""
    extension_urls = (load(row.section).urls for row in EXTENSIONS if row.section)
    return (*content_urls(), *PAGE_URLS, *chain.from_iterable(extension_urls), *DESCRIPTION_URLS)


def third_party_urls(keys: Iterable[str]) -> tuple[Url, ...]:
    """Return the URLs that extensions of other packages add.

    Args:
        keys: the keys of site.yaml, which enable the extensions.
    """
    own_keys = {row.name for row in EXTENSIONS}
    rows = (extension_of(key) for key in keys if key not in own_keys)
    return tuple(chain.from_iterable(load(row.section).urls for row in rows if row is not None))


class UrlMatch(NamedTuple):
    """The URL pattern that a path belongs to, and its parameters."""

    url: Url
    parameters: dict[str, str]  # the parts of the path that vary, by name in the pattern


def match_url(path: str) -> UrlMatch | None:
    """Find the URL pattern that a path belongs to.

    If several patterns match, the one with the fewest parameters is returned. For example, `all-chains` in
    `v2/contract/all-chains/...` is not treated as a chain id.

    Returns:
        The pattern and its parameters, or None if no document can have the path.
    """
    folder = path.partition("/")[0]
    extensions = _extensions_by_name()
    own_rows = partial(_url_expressions, extensions.get(path) or extensions.get(folder, ""))
    slashes = path.count("/")
    # Search the installed packages for more rows only if none of statuary's own matches.
    for find_rows in (own_rows, _expressions_of_other_packages):
        for row in find_rows().get(folder, ()):
            # Compare the number of slashes first, because that takes a tenth of the time of a regular
            # expression. Reading a manifest looks up each path of a site.
            if row.slashes is None or row.slashes == slashes:
                matched = row.expression.fullmatch(path)
                if matched:
                    return UrlMatch(row.url, matched.groupdict())
    return None


@cache
def _extensions_by_name() -> dict[str, str]:
    return {name: row.section for row in EXTENSIONS for name in row.folders}


class UrlExpression(NamedTuple):
    """A URL pattern as a regular expression, to look up paths."""

    expression: re.Pattern[str]
    slashes: int | None  # the number of slashes in its paths; None if it varies
    url: Url


Expressions = dict[str, list[UrlExpression]]
"""Rows by the first name of their paths, which is always literal."""


@cache
def _url_expressions(extension: str) -> Expressions:
    """Compile the URL patterns of an extension, or of the rest of statuary.

    Args:
        extension: the class of the extension's section as "module:name"; empty for the rest.
    """
    others = (*content_urls(), *PAGE_URLS, *DESCRIPTION_URLS)
    urls: tuple[Url, ...] = load(extension).urls if extension else others
    return _compile_expressions(urls)


@cache
def _expressions_of_other_packages() -> Expressions:
    urls: list[Url] = []
    for row in third_party_extensions():
        with suppress(
            Exception
        ):  # skip a package that cannot be imported; sites that use it get an error elsewhere
            urls += load(row.section).urls
    return _compile_expressions(urls)


def _compile_expressions(urls: Iterable[Url]) -> Expressions:
    expressions: Expressions = {}
    for url in sorted(urls, key=lambda row: row.pattern.count("{")):
        slashes = None if f"{{{WHOLE_PATH}}}" in url.pattern else url.pattern.count("/")
        row = UrlExpression(re.compile(url_regex(url)), slashes, url)
        expressions.setdefault(url.pattern.partition("/")[0], []).append(row)
    return expressions
