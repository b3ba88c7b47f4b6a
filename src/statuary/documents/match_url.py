"""From a path back to its row in the URL table."""

import re

from statuary.documents.url_table import URLS, Url

LITERAL_OR_MEMBER = re.compile(r"\{(\w+)\}|([^{]+)")


def match_url(path: str) -> tuple[Url, dict[str, str]] | None:
    """Return the row that a path belongs to, and its varying members; None if it is no path of a site.

    The most literal row wins: `v2/contract/all-chains/…` is not a contract on a chain called `all-chains`.
    """
    for url in sorted(URLS, key=lambda row: row.pattern.count("{")):
        found = re.fullmatch(_expression(url.pattern), path)
        if found:
            return url, found.groupdict()
    return None


def _expression(pattern: str) -> str:
    return "".join(
        f"(?P<{member}>[^/]+)" if member else re.escape(literal)
        for member, literal in LITERAL_OR_MEMBER.findall(pattern)
    )
