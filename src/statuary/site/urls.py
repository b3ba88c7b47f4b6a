"""A URL of the site, with its media type and cache rule; and the rows that belong to no section."""

import re
from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import NamedTuple

JSON = "application/json; charset=utf-8"
"""The media type that both real APIs send; Go's resty and others decode JSON only under it."""

ATOM = "application/atom+xml; charset=utf-8"
CSS = "text/css; charset=utf-8"
HTML = "text/html; charset=utf-8"
ICALENDAR = "text/calendar; charset=utf-8"
JAVASCRIPT = "text/javascript; charset=utf-8"
JSON_FEED = "application/feed+json; charset=utf-8"
RSS = "application/rss+xml; charset=utf-8"
SVG = "image/svg+xml; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
OCTET_STREAM = "application/octet-stream"

MEDIA_TYPES = {
    "atom": ATOM,
    "css": CSS,
    "html": HTML,
    "ico": "image/x-icon",
    "ics": ICALENDAR,
    "jpg": "image/jpeg",
    "js": JAVASCRIPT,
    "json": JSON,
    "jsonl": "application/jsonl; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "png": "image/png",
    "rss": RSS,
    "svg": SVG,
    "txt": TEXT,
    "webmanifest": "application/manifest+json",
    "webp": "image/webp",
    "woff2": "font/woff2",
    "xml": "application/xml; charset=utf-8",
}
"""Media types by extension."""


def media_type_by_extension(path: str) -> str:
    """Return the media type of a path by its extension.

    An unknown extension means `application/octet-stream`.
    """
    name = path.rpartition("/")[2]
    return MEDIA_TYPES.get(name.rpartition(".")[2], OCTET_STREAM) if "." in name else OCTET_STREAM


REVALIDATE = "public, max-age=0, must-revalidate"
"""For documents that change only with a new build: clients may keep them, but ask each time."""

IMMUTABLE = "public, max-age=31536000, immutable"
"""For documents that never change: tiles of the log, parts of the manifest."""

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

On the pages of a contract and of code, scripts may ask the Ethereum node that the reader names. The others forbid that in a
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

FRAMED_POLICY = CONTENT_SECURITY_POLICY.replace("; frame-ancestors 'none'", "")
FRAMED_HEADERS = {name: text for name, text in COMMON_HEADERS.items() if name != "X-Frame-Options"} | {
    "Content-Security-Policy": FRAMED_POLICY
}
"""Headers of a document that pages of other origins may frame."""


class PutStep(IntEnum):
    """The order in which a publication uploads documents.

    A document that lists others is uploaded after them.
    """

    ANNOUNCEMENT = 0  # the data that the next publication needs if this one is interrupted
    BODY = 1  # documents that name no others
    PAGE = 2  # pages of single subjects
    LIST = 3
    INDEX = 4  # documents that name lists
    STATUS = 5
    MANIFEST = 6  # documents that name every document


class Url(NamedTuple):
    """A URL pattern of the site, and the headers of its documents."""

    name: str  # the name in `statuary explain` and the rules for hosts
    pattern: str  # path below the site's root, with `{parameter}` for each part that varies
    description: str  # the content, as a phrase
    media_type: str = JSON
    cache: str = REVALIDATE  # the `Cache-Control`
    put: PutStep = PutStep.INDEX  # when a publication uploads the file
    own_rule: bool = False  # whether rules for hosts name the path instead of its folder
    framed: bool = False  # whether pages of other origins may frame it
    is_version: bool = False  # whether it is a version of the document at its parameter `path`

    def path(self, **parameters: str | int) -> str:
        """Return the path of the file, with parameters filled in.

        Args:
            parameters: the value of each `{parameter}` in the pattern.
        """
        return self.pattern.format(**parameters)

    def link(self, **parameters: str | int) -> str:
        """Return the address for links, without the extension of a page.

        Args:
            parameters: the value of each `{parameter}` in the pattern.
        """
        return self.path(**parameters).removesuffix(".html")

    @property
    def prefix(self) -> str:
        """The path before the first parameter, such as `v2/contract/`."""
        return self.pattern.partition("{")[0]

    @property
    def headers(self) -> dict[str, str]:
        """All response headers; `Content-Type` is missing if the host sets it."""
        own_headers = {"Content-Type": self.media_type, "Cache-Control": self.cache}
        return {name: value for name, value in own_headers.items() if value} | self.common_headers

    @property
    def common_headers(self) -> dict[str, str]:
        """The headers for security and cross-origin use, such as `X-Frame-Options`."""
        return FRAMED_HEADERS if self.framed else COMMON_HEADERS

    @property
    def changes_with_time(self) -> bool:
        """Whether the document changes with time, without a new build.

        Documents that show the status do.
        """
        return self.cache == SHORT_LIVED


PATTERN_PARTS = re.compile(r"\{(\w+)\}|([^{]+)")
"""A parameter of a pattern, or the literal text between two."""

WHOLE_PATH = "path"
"""The only parameter that can contain slashes."""


def url_regex(url: Url) -> str:
    """Return a regular expression that matches a URL's paths.

    It has a group for each parameter. A parameter is one name, except `{path}`, which is a whole path.
    """
    return "".join(
        f"(?P<{parameter}>{'.+' if parameter == WHOLE_PATH else '[^/]+'})"
        if parameter
        else re.escape(literal)
        for parameter, literal in PATTERN_PARTS.findall(url.pattern)
    )


class UrlRows(list[Url]):
    """The URL patterns that one package adds to the site."""

    def add(
        self,
        name: str,
        pattern: str,
        description: str,
        media_type: str = JSON,
        cache: str = REVALIDATE,
        *,
        put: PutStep = PutStep.INDEX,
        own_rule: bool = False,
    ) -> Url:
        """Add a URL to the table, and return it.

        Args:
            name: the name of the URL in `statuary explain`.
            pattern: the path below the site's root, with `{parameter}` for each part that varies.
            description: the content of the documents, as a phrase.
            media_type: the `Content-Type` of the documents.
            cache: the `Cache-Control` of the documents.
            put: when a publication uploads the documents: after those that they list.
            own_rule: whether configurations of hosts need a rule for this path, and not only for its folder.
        """
        url = Url(name, pattern, description, media_type, cache, put, own_rule)
        self.append(url)
        return url

    def add_status_url(
        self,
        name: str,
        pattern: str,
        description: str,
        media_type: str = JSON,
        put: PutStep = PutStep.STATUS,
    ) -> Url:
        """Add the URL of documents that show the current status."""
        return self.add(name, pattern, description, media_type, SHORT_LIVED, put=put)


STATUS_PAGE = Url(
    "status-page",
    "index.html",
    "the status page; the API page if the site has none",
    HTML,
    SHORT_LIVED,
    put=PutStep.STATUS,
)
"""The first page of a site: a row of the status."""

_rows = UrlRows()

# Pages for people

API_PAGE = _rows.add("api-page", "api.html", "the endpoints of this site, with examples", HTML)
REFERENCE_PAGE = _rows.add(
    "reference-page", "reference.html", "the operations, parameters and types of this site", HTML
)
OWN_PAGE = _rows.add("page", "pages/{path}.html", "a page of the site's own", HTML)
PAGE_SEARCH = _rows.add(
    "page-search",
    "pages/{folder}/search.json",
    "the words of a folder of pages, for its search",
    put=PutStep.BODY,
)
NOT_FOUND_PAGE = _rows.add("not-found-page", "404.html", "the page for an unknown address", HTML)
STYLE = _rows.add("style", "assets/statuary.css", "the style sheet of all pages", CSS, put=PutStep.BODY)
DOCS_STYLE = _rows.add(
    "docs-style", "assets/docs.css", "what only a manual and the API have of style", CSS, put=PutStep.BODY
)
SCRIPT = _rows.add("script", "assets/{name}.js", "a script of the pages", JAVASCRIPT, put=PutStep.BODY)
ICON = _rows.add("icon", "assets/{name}.svg", "the icon of the pages for a status", SVG, put=PutStep.BODY)
THEME_FILE = _rows.add(
    "theme-file",
    "assets/theme/{name}",
    "a picture or font of the theme",
    media_type="",  # hosts derive it from the extension
    put=PutStep.BODY,
)

PAGE_URLS = tuple(_rows)
"""The pages that belong to no section, and the files that every page loads."""

_rows = UrlRows()

# URLs of descriptions of the site, and of files that hosts read

OPENAPI = _rows.add("openapi", "openapi.json", "the description of this site in OpenAPI 3.1")
SITE_MANIFEST = _rows.add(
    "manifest",
    "snapshot/manifest.json",
    "the list of all files, which snapshots and mirrors are verified by",
    put=PutStep.MANIFEST,
    own_rule=True,
)
MANIFEST_PART = _rows.add(
    "manifest-part",
    "snapshot/parts/{digest}.jsonl",
    "a part of the list: path, size and SHA-256 of each file",
    MEDIA_TYPES["jsonl"],
    IMMUTABLE,
    put=PutStep.BODY,
)

DESCRIPTION_URLS = tuple(_rows)
"""The descriptions of the whole site."""


class FrameLinks(NamedTuple):
    """The pages and feeds of a section that all pages link to."""

    home: Url
    tabs: Mapping[str, Url] = MappingProxyType({})  # the pages with tabs, by the keys of their texts
    feeds: tuple[tuple[Url, str], ...] = ()  # the feeds, each with its name for readers
    calendar: Url | None = None
