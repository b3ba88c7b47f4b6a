"""A URL of the site: its path, media type, cache rule and headers."""

from typing import NamedTuple

from statuary.documents.media_types import JSON

REVALIDATE = "public, max-age=0, must-revalidate"
"""For documents that change only with a new build: clients may keep them, but ask each time."""

IMMUTABLE = "public, max-age=31536000, immutable"
"""For documents that never change: tiles of the log."""

STATUS_MAX_AGE = 30
"""Seconds for which clients may keep a status document without asking."""

SHORT_LIVED = f"public, max-age={STATUS_MAX_AGE}"
"""For documents that show the current status."""

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self' https: http://localhost:* http://127.0.0.1:*; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Pages load only files of the site, run no inline code, and cannot be framed.

On a contract's page scripts may also ask the Ethereum node that the reader names. Every other page forbids that in a
separate policy in its `<meta>` element: browsers enforce both.
"""

COMMON_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every document, so that hosts need not distinguish pages from data.

All documents are public: any origin may read them, as on both real systems.
"""


class Url(NamedTuple):
    """A URL, or a family of URLs that differ in their parameters."""

    name: str  # as in `statuary explain` and the rules for hosts
    pattern: str  # path below the site's root, with `{parameter}` for each part that varies
    description: str  # the content, as a phrase
    media_type: str = JSON
    cache: str = REVALIDATE  # the `Cache-Control`

    def path(self, **parameters: str | int) -> str:
        """Return the path with its parameters filled in."""
        return self.pattern.format(**parameters)

    def link(self, **parameters: str | int) -> str:
        """Return the path as it is linked: hosts serve a page without its extension."""
        return self.path(**parameters).removesuffix(".html")

    @property
    def prefix(self) -> str:
        """The text before the first parameter, such as `v2/contract/`; the whole path if there is none."""
        return self.pattern.partition("{")[0]

    @property
    def headers(self) -> dict[str, str]:
        """All response headers; without `Content-Type` where the host derives it from the extension."""
        own = {"Content-Type": self.media_type, "Cache-Control": self.cache}
        return {name: value for name, value in own.items() if value} | COMMON_HEADERS

    @property
    def is_timed(self) -> bool:
        """Whether the document shows the current status, so that it may change without a new build."""
        return self.cache == SHORT_LIVED
