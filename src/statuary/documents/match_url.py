"""From a path back to its row in the URL table."""

import re
from functools import cache

from statuary.documents.url_table import URLS, Url

ANY_NAME, ANY_PATH = "[^/]+", ".+"
"""What a varying member may be: one name, but for `{path}`, which is a path of its own."""

PATTERN_PARTS = re.compile(r"\{(\w+)\}|([^{]+)")


def match_url(path: str) -> tuple[Url, dict[str, str]] | None:
    """Return the row that a path belongs to, and its varying members; None if it is no path of a site.

    The most literal row wins: `v2/contract/all-chains/…` is not a contract on a chain called `all-chains`.
    """
    for expression, url in _expressions().get(path.partition("/")[0], ()):
        found = expression.fullmatch(path)
        if found:
            return url, found.groupdict()
    return None


@cache
def _expressions() -> dict[str, list[tuple[re.Pattern[str], Url]]]:
    """Return the rows by the first name of their paths, which never varies, the most literal first."""
    found: dict[str, list[tuple[re.Pattern[str], Url]]] = {}
    for url in sorted(URLS, key=lambda row: row.pattern.count("{")):
        row = re.compile(_expression(url.pattern)), url
        found.setdefault(url.pattern.partition("/")[0], []).append(row)
    return found


def _expression(pattern: str) -> str:
    return "".join(
        f"(?P<{member}>{ANY_PATH if member == 'path' else ANY_NAME})" if member else re.escape(literal)
        for member, literal in PATTERN_PARTS.findall(pattern)
    )
