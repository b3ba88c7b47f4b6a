"""Every URL of the site, with its media type and cache rule.

Documents take their paths from here, and hosts their rules.
"""

import re
from datetime import datetime
from enum import IntEnum
from functools import cache
from itertools import chain
from typing import NamedTuple

from statuary.registry import EXTENSIONS, load

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
    """Return the media type for an extension; octets if it is unknown."""
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
    """A site's upload order: referenced documents come first."""

    ANNOUNCEMENT = 0  # the data that the next publication needs if this one is interrupted
    BODY = 1  # documents that name no others
    PAGE = 2  # pages of single subjects
    LIST = 3
    INDEX = 4  # documents that name lists
    STATUS = 5
    MANIFEST = 6  # documents that name every document


class Url(NamedTuple):
    """A URL, or a family of URLs that differ in their parameters."""

    name: str  # as in `statuary explain` and the rules for hosts
    pattern: str  # path below the site's root, with `{parameter}` for each part that varies
    description: str  # the content, as a phrase
    media_type: str = JSON
    cache: str = REVALIDATE  # the `Cache-Control`
    put: PutStep = PutStep.INDEX  # when a store takes it
    own_rule: bool = False  # whether the rules of hosts name its path instead of its folder
    framed: bool = False  # whether pages of other origins may frame it

    def path(self, **parameters: str | int) -> str:
        """Return the path with its parameters filled in."""
        return self.pattern.format(**parameters)

    def link(self, **parameters: str | int) -> str:
        """Return the path as pages link it, without a page's extension."""
        return self.path(**parameters).removesuffix(".html")

    @property
    def prefix(self) -> str:
        """The path before the first parameter, such as `v2/contract/`."""
        return self.pattern.partition("{")[0]

    @property
    def headers(self) -> dict[str, str]:
        """All response headers; no `Content-Type` if the host derives it."""
        own_headers = {"Content-Type": self.media_type, "Cache-Control": self.cache}
        return {name: value for name, value in own_headers.items() if value} | self.common_headers

    @property
    def common_headers(self) -> dict[str, str]:
        """The headers that do not depend on type and cache rule."""
        return FRAMED_HEADERS if self.framed else COMMON_HEADERS

    @property
    def is_timed(self) -> bool:
        """Whether the document shows current status: it changes without a build."""
        return self.cache == SHORT_LIVED


_rows: list[Url] = []


def _url(
    name: str,
    pattern: str,
    description: str,
    media_type: str = JSON,
    cache: str = REVALIDATE,
    *,
    put: PutStep = PutStep.INDEX,
    own_rule: bool = False,
) -> Url:
    url = Url(name, pattern, description, media_type, cache, put, own_rule)
    _rows.append(url)
    return url


def _timed(
    name: str, pattern: str, description: str, media_type: str = JSON, put: PutStep = PutStep.STATUS
) -> Url:
    return _url(name, pattern, description, media_type, SHORT_LIVED, put=put)


# The contract look-up and the proofs

CONTRACT = _url(
    "contract", "v2/contract/{chain_id}/{address}", "the full record of a verified contract", put=PutStep.BODY
)
CONTRACT_ALL_CHAINS = _url(
    "contract-all-chains",
    "v2/contract/all-chains/{address}",
    "the chains on which an address is verified",
    put=PutStep.LIST,
)
CONTRACTS = _url("contracts", "v2/contracts/{chain_id}", "the newest 200 verified contracts of a chain")
CONTRACTS_PAGE = _url(
    "contracts-page",
    "v2/contracts-pages/{chain_id}/{page}.json",
    "up to 200 contracts of a chain, newest first; the name of a page is its first match id, or `oldest`",
    put=PutStep.LIST,
)
CONTRACTS_PAGES = _url(
    "contracts-pages",
    "v2/contracts-pages/{chain_id}/index.json",
    "the pages of a chain, each with its match ids",
)
CHAINS = _url("chains", "chains", "the chains of this site")
HEALTH = _url("health", "health", "a sign of life, as Sourcify's server gives it", HTML)
VERSION_DOCUMENT = _url(
    "version", "version", "the version of statuary, and of Sourcify's server that the look-up follows"
)
CONTRACT_SHARD = _url(
    "contract-shard",
    "_shards/contract/{chain_id}/{shard}/{address}",
    "a record, or an address on all chains, for hosts that limit the files of a folder",
)
PROOF = _url(
    "proof",
    "proof/{chain_id}/{address}.json",
    "the checks of a record, with the evidence of each",
    put=PutStep.BODY,
)
PROOF_SCHEMA = _url("proof-schema", "proof/schema.json", "the JSON Schema of proofs")
PROOF_CHECKS = _url("proof-checks", "proof/checks.json", "the checks that proofs name, with the rule of each")
PROOF_SHARD = _url(
    "proof-shard",
    "_shards/proof/{chain_id}/{shard}/{address}.json",
    "a proof, for hosts that limit the files of a folder",
)

# The status API

SUMMARY = _timed(
    "summary",
    "api/v2/summary.json",
    "the whole status, with components, unresolved incidents, and upcoming and active maintenances",
)
STATUS = _timed("status", "api/v2/status.json", "the status of the page")
COMPONENTS = _timed("components", "api/v2/components.json", "the status of every component")
INCIDENTS = _timed("incidents", "api/v2/incidents.json", "the latest incidents")
INCIDENTS_UNRESOLVED = _timed(
    "incidents-unresolved", "api/v2/incidents/unresolved.json", "the unresolved incidents"
)
INCIDENT = _timed("incident", "incidents/{incident_id}.json", "an incident or maintenance", put=PutStep.BODY)
MAINTENANCES = _timed(
    "scheduled-maintenances", "api/v2/scheduled-maintenances.json", "the latest scheduled maintenances"
)
MAINTENANCES_UPCOMING = _timed(
    "scheduled-maintenances-upcoming",
    "api/v2/scheduled-maintenances/upcoming.json",
    "the upcoming maintenances",
)
MAINTENANCES_ACTIVE = _timed(
    "scheduled-maintenances-active", "api/v2/scheduled-maintenances/active.json", "the active maintenances"
)
ARCHIVES = _timed("archives", "api/v2/history.json", "the months of the history")
ARCHIVE = _timed(
    "archive",
    "api/v2/history/{month}.json",
    "the incidents and maintenances created in a month",
    put=PutStep.BODY,
)
UPTIME = _timed(
    "uptime", "api/v2/uptime.json", "the uptime over 90 days, of the page, its groups and components"
)
UPTIME_SCHEMA = _timed(
    "uptime-schema", "api/v2/uptime.schema.json", "the JSON Schema of the uptime document", put=PutStep.BODY
)
EPOCHS = _timed(
    "epochs", "api/v2/_epochs/index.json", "the instants at which documents change without a new build"
)
EPOCH_PATCH = _timed(
    "epoch-patch",
    "api/v2/_epochs/{epoch}/{path}.patch.json",
    "a document from a later instant on, as a patch of an earlier one",
    put=PutStep.BODY,
)
EPOCH_DOCUMENT = _timed(
    "epoch-document", "api/v2/_epochs/{epoch}/{path}", "a document from a later instant on", put=PutStep.BODY
)


def epoch_name(since: datetime) -> str:
    """Return an epoch's name in URLs: its first instant (UTC, milliseconds)."""
    return f"{since:%Y%m%dT%H%M%S}{since.microsecond // 1000:03}Z"


# Feeds, calendar, badges

HISTORY_ATOM = _timed(
    "history-atom", "history.atom", "an Atom feed, with the latest incidents and maintenances", ATOM
)
HISTORY_RSS = _timed(
    "history-rss", "history.rss", "an RSS feed, with the latest incidents and maintenances", RSS
)
# not history.json: a real page serves months of incidents there, which is not a JSON Feed
FEED = _timed("feed", "feed.json", "a JSON Feed, with the latest incidents and maintenances", JSON_FEED)
COMPONENT_ATOM = _timed(
    "component-atom",
    "components/{component_id}/history.atom",
    "an Atom feed of a component or group, with its latest incidents and maintenances",
    ATOM,
)
CALENDAR = _timed("calendar", "maintenances.ics", "the scheduled maintenances as a calendar", ICALENDAR)
BADGE = _timed("badge", "badge.svg", "the status of the page as a picture", SVG)
BADGE_ENDPOINT = _timed("badge-endpoint", "badge.json", "the status of the page for shields.io")
COMPONENT_BADGE = _timed(
    "component-badge",
    "components/{component_id}/badge.svg",
    "the status of a component or group as a picture",
    SVG,
)
COMPONENT_BADGE_ENDPOINT = _timed(
    "component-badge-endpoint",
    "components/{component_id}/badge.json",
    "the status of a component or group for shields.io",
)
CHANGES = _timed(
    "changes", "changes.json", "the last change of the page, in the form of Statuspage's webhooks"
)

# Pages for people

STATUS_PAGE = _timed("status-page", "index.html", "the status page; the API page if the site has none", HTML)
INCIDENT_PAGE = _timed(
    "incident-page",
    "incidents/{incident_id}.html",
    "the page of an incident or maintenance",
    HTML,
    put=PutStep.PAGE,
)
HISTORY_PAGE = _timed(
    "history-page", "history.html", "the incidents and maintenances of the latest months", HTML
)
HISTORY_QUARTER_PAGE = _timed(
    "history-quarter-page",
    "history/{quarter}.html",
    "the incidents and maintenances of a quarter",
    HTML,
    put=PutStep.PAGE,
)
UPTIME_PAGE = _timed("uptime-page", "uptime.html", "the uptime of each component by day", HTML)
CONTRACTS_HOME = _url(
    "contracts-home", "contracts/index.html", "the chains, and a search over their contracts", HTML
)
CHAIN_PAGE = _url(
    "chain-page", "contracts/{chain_id}/index.html", "the newest contracts of a chain, as a page", HTML
)
CHAIN_PAGES = _url(
    "chain-pages",
    "contracts/{chain_id}/pages/{page}.html",
    "up to 200 contracts of a chain, newest first, as a page",
    HTML,
    put=PutStep.LIST,
)
CONTRACT_PAGE = _url(
    "contract-page",
    "contracts/{chain_id}/{address}.html",
    "the page of a contract, with its proof",
    HTML,
    put=PutStep.PAGE,
)
CONTRACT_VIEWER = _url("contract-viewer", "contract.html", "any contract: `?chain=…&address=…`", HTML)
CONTRACT_LINK = f"{CONTRACT_VIEWER.pattern}?chain={{chain_id}}&address={{address}}"
"""The link to a contract's page if it has no file of its own."""
SEARCH_INDEX = _url("search-index", "contracts/search/index.json", "the files of the contract search")
SEARCH_SHARD = _url(
    "search-shard",
    "contracts/search/{kind}/{shard}.json",
    "the contracts for all search terms with the same first characters",
    put=PutStep.BODY,
)
API_PAGE = _url("api-page", "api.html", "the endpoints of this site, with examples", HTML)
REFERENCE_PAGE = _url(
    "reference-page", "reference.html", "the operations, parameters and types of this site", HTML
)
OWN_PAGE = _url("page", "pages/{path}.html", "a page of the site's own", HTML)
PAGE_SEARCH = _url(
    "page-search",
    "pages/{folder}/search.json",
    "the words of a folder of pages, for its search",
    put=PutStep.BODY,
)
NOT_FOUND_PAGE = _url("not-found-page", "404.html", "the page for an unknown address", HTML)
STYLE = _url("style", "assets/statuary.css", "the style sheet of all pages", CSS, put=PutStep.BODY)
CONTRACT_STYLE = _url(
    "contract-style",
    "assets/contract.css",
    "what only pages of contracts have of style",
    CSS,
    put=PutStep.BODY,
)
DOCS_STYLE = _url(
    "docs-style", "assets/docs.css", "what only a manual and the API have of style", CSS, put=PutStep.BODY
)
SCRIPT = _url("script", "assets/{name}.js", "a script of the pages", JAVASCRIPT, put=PutStep.BODY)
ICON = _url("icon", "assets/{name}.svg", "the icon of the pages for a status", SVG, put=PutStep.BODY)
THEME_FILE = _url(
    "theme-file",
    "assets/theme/{name}",
    "a picture or font of the theme",
    media_type="",  # hosts derive it from the extension
    put=PutStep.BODY,
)

# Descriptions of the site, and files that hosts read

OPENAPI = _url("openapi", "openapi.json", "the description of this site in OpenAPI 3.1")
NOT_FOUND_JSON = _url(
    "not-found-json",
    "errors/404.json",
    "the response for an unverified address on hosts that can only send files",
)
NO_EXPLORER_API = _url(
    "no-explorer-api",
    "errors/explorer-api.json",
    "the response to a call of a block explorer's API (`/api?module=…`), which the site does not have",
)
SITE_MANIFEST = _url(
    "manifest",
    "snapshot/manifest.json",
    "the list of all files, which snapshots and mirrors are verified by",
    put=PutStep.MANIFEST,
    own_rule=True,
)
MANIFEST_PART = _url(
    "manifest-part",
    "snapshot/parts/{digest}.jsonl",
    "a part of the list: path, size and SHA-256 of each file",
    MEDIA_TYPES["jsonl"],
    IMMUTABLE,
    put=PutStep.BODY,
)
LOOKUP_URLS = (CONTRACT, CONTRACT_ALL_CHAINS, CONTRACTS, CHAINS, HEALTH, VERSION_DOCUMENT)
"""The URLs of Sourcify's server, which the contract look-up answers wherever code can run."""

CONTRACT_URLS = (CONTRACT, PROOF, CONTRACT_PAGE)
"""The URLs of a single contract: a chain, then an address."""

LOOKUP_FOLDER = CONTRACT.pattern.partition("/")[0]
SHARDS_FOLDER = CONTRACT_SHARD.prefix.partition("/")[0]
SERVER_PREFIX = "server"
"""The folder of the look-up on sourcify.dev; some clients expect it."""

URLS = tuple(_rows)
"""The rows of the core."""


@cache
def all_urls() -> tuple[Url, ...]:
    """Return all rows; extensions' rows precede the descriptions of the site."""
    openapi_index = URLS.index(OPENAPI)
    extension_urls = (load(row.section).urls for row in EXTENSIONS if row.section)
    return (*URLS[:openapi_index], *chain.from_iterable(extension_urls), *URLS[openapi_index:])


PATTERN_PARTS = re.compile(r"\{(\w+)\}|([^{]+)")
"""A parameter of a pattern, or the literal text between two."""


def url_regex(url: Url) -> str:
    """Return a URL's regular expression, with a group per parameter.

    A parameter is one name, except `{path}`, which is a whole path.
    """
    return "".join(
        f"(?P<{parameter}>{'.+' if parameter == 'path' else '[^/]+'})" if parameter else re.escape(literal)
        for parameter, literal in PATTERN_PARTS.findall(url.pattern)
    )


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


def incident_of(path: str) -> str:
    """Return the id of the incident whose document has a path.

    Returns:
        The id; empty for any other document.
    """
    match = match_url(path)
    return match[1]["incident_id"] if match is not None and match[0] is INCIDENT else ""


@cache
def _extensions_by_name() -> dict[str, str]:
    """Return the extension of each of its folders and paths."""
    return {name: row.section for row in EXTENSIONS for name in row.folders}


@cache
def _expressions(extension: str) -> dict[str, list[tuple[re.Pattern[str], Url]]]:
    """Return an owner's rows by the first name of their paths.

    That name is always literal.

    Args:
        extension: the extension's name; empty for the core.
    """
    urls: tuple[Url, ...] = load(extension).urls if extension else URLS
    expressions: dict[str, list[tuple[re.Pattern[str], Url]]] = {}
    for url in sorted(urls, key=lambda row: row.pattern.count("{")):
        row = re.compile(url_regex(url)), url
        expressions.setdefault(url.pattern.partition("/")[0], []).append(row)
    return expressions
