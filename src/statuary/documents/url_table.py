"""Every URL of the site, once: its shape, media type, cache rule and further headers.

Documents take their paths from here; so do the header and rewrite rules of every host.
"""

from typing import NamedTuple

from statuary.documents.document import JSON

ATOM = "application/atom+xml; charset=utf-8"
RSS = "application/rss+xml; charset=utf-8"
JSON_FEED = "application/feed+json; charset=utf-8"
ICALENDAR = "text/calendar; charset=utf-8"
SVG = "image/svg+xml; charset=utf-8"
HTML = "text/html; charset=utf-8"
CSS = "text/css; charset=utf-8"
JAVASCRIPT = "text/javascript; charset=utf-8"
TEXT = "text/plain; charset=utf-8"

REVALIDATE = "public, max-age=0, must-revalidate"
"""For documents that only a new build changes: keep them, and ask each time."""

STATUS_MAX_AGE = 30
"""Seconds that a status document may be kept without asking."""

SHORT_LIVED = f"public, max-age={STATUS_MAX_AGE}"
"""For documents that tell the present."""

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a page may do: run and show what lies beside it, nothing written into it, in nobody's frame."""

COMMON_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every document, so that no host has to tell pages from data.

Everything here is public: any page of any origin may read it, as on both real systems.
"""


class Url(NamedTuple):
    """One shape of URL.

    Attributes:
        name: what `explain` and the host rules call it.
        pattern: path below the site's root; `{member}` marks what varies.
        tells: what a reader finds there, as a phrase.
        cache: its `Cache-Control`.
    """

    name: str
    pattern: str
    tells: str
    media_type: str = JSON
    cache: str = REVALIDATE

    def path(self, **members: str | int) -> str:
        """Return the path with its varying members filled in."""
        return self.pattern.format(**members)

    @property
    def headers(self) -> dict[str, str]:
        """What it is served with; no `Content-Type` where the host knows it by the extension."""
        told = {"Content-Type": self.media_type, "Cache-Control": self.cache}
        return {name: text for name, text in told.items() if text} | COMMON_HEADERS

    @property
    def is_timed(self) -> bool:
        """Whether it tells the present, so that the clock alone may change what it says."""
        return self.cache == SHORT_LIVED


CONTRACT = Url(
    name="contract",
    pattern="v2/contract/{chain_id}/{address}",
    tells="the full record of one verified contract",
)
CONTRACT_ALL_CHAINS = Url(
    name="contract-all-chains",
    pattern="v2/contract/all-chains/{address}",
    tells="on which chains an address is verified",
)
CONTRACTS = Url(
    name="contracts",
    pattern="v2/contracts/{chain_id}",
    tells="the newest 200 verified contracts of a chain",
)
CONTRACTS_PAGE = Url(
    name="contracts-page",
    pattern="v2/contracts-pages/{chain_id}/{page}.json",
    tells="200 contracts of a chain, pages filled from the oldest, each newest first",
)
CONTRACTS_PAGES = Url(
    name="contracts-pages",
    pattern="v2/contracts-pages/{chain_id}/index.json",
    tells="which pages a chain has and the match ids each holds",
)
CHAINS = Url(name="chains", pattern="chains", tells="the chains that this site serves")
CONTRACT_SHARD = Url(
    name="contract-shard",
    pattern="_shards/contract/{chain_id}/{shard}/{address}",
    tells="a full record, or an address on all chains, where the host limits the files of a folder",
)
PROOF = Url(
    name="proof",
    pattern="proof/{chain_id}/{address}.json",
    tells="the checks that a record passed and what each saw",
)
PROOF_SHARD = Url(
    name="proof-shard",
    pattern="_shards/proof/{chain_id}/{shard}/{address}.json",
    tells="a proof, where the host limits the files of a folder",
)

PROOF_SCHEMA = Url(
    name="proof-schema", pattern="proof/schema.json", tells="the JSON Schema of the proof documents"
)
PROOF_CHECKS = Url(
    name="proof-checks", pattern="proof/checks.json", tells="the rules behind the checks that proofs name"
)

SUMMARY = Url(
    name="summary",
    pattern="api/v2/summary.json",
    tells="status, components, unresolved incidents, upcoming and running maintenances",
    cache=SHORT_LIVED,
)
STATUS = Url(name="status", pattern="api/v2/status.json", tells="the page's status", cache=SHORT_LIVED)
COMPONENTS = Url(
    name="components", pattern="api/v2/components.json", tells="every component's status", cache=SHORT_LIVED
)
INCIDENTS = Url(
    name="incidents", pattern="api/v2/incidents.json", tells="the latest incidents", cache=SHORT_LIVED
)
INCIDENTS_UNRESOLVED = Url(
    name="incidents-unresolved",
    pattern="api/v2/incidents/unresolved.json",
    tells="the unresolved incidents",
    cache=SHORT_LIVED,
)
INCIDENT = Url(
    name="incident",
    pattern="incidents/{incident_id}.json",
    tells="one incident or maintenance",
    cache=SHORT_LIVED,
)
MAINTENANCES = Url(
    name="scheduled-maintenances",
    pattern="api/v2/scheduled-maintenances.json",
    tells="the latest scheduled maintenances",
    cache=SHORT_LIVED,
)
MAINTENANCES_UPCOMING = Url(
    name="scheduled-maintenances-upcoming",
    pattern="api/v2/scheduled-maintenances/upcoming.json",
    tells="the maintenances that have not begun",
    cache=SHORT_LIVED,
)
MAINTENANCES_ACTIVE = Url(
    name="scheduled-maintenances-active",
    pattern="api/v2/scheduled-maintenances/active.json",
    tells="the maintenances that are running",
    cache=SHORT_LIVED,
)

ARCHIVES = Url(
    name="archives",
    pattern="api/v2/history.json",
    tells="which years the history has",
    cache=SHORT_LIVED,
)
ARCHIVE = Url(
    name="archive",
    pattern="api/v2/history/{year}.json",
    tells="every incident and maintenance created in one year",
    cache=SHORT_LIVED,
)
UPTIME = Url(
    name="uptime",
    pattern="api/v2/uptime.json",
    tells="the uptime of page, groups and components over 90 days",
    cache=SHORT_LIVED,
)
UPTIME_SCHEMA = Url(
    name="uptime-schema",
    pattern="api/v2/uptime.schema.json",
    tells="the JSON Schema of the uptime document",
    cache=SHORT_LIVED,
)
EPOCHS = Url(
    name="epochs",
    pattern="api/v2/_epochs/index.json",
    tells="when documents change by themselves, and what holds them then",
    cache=SHORT_LIVED,
)
EPOCH_DOCUMENT = Url(
    name="epoch-document",
    pattern="api/v2/_epochs/{epoch}/{path}",
    tells="a document as it reads from a later instant on",
    cache=SHORT_LIVED,
)

HISTORY_ATOM = Url(
    name="history-atom",
    pattern="history.atom",
    tells="the latest incidents and maintenances as an Atom feed",
    media_type=ATOM,
    cache=SHORT_LIVED,
)
HISTORY_RSS = Url(
    name="history-rss",
    pattern="history.rss",
    tells="the latest incidents and maintenances as an RSS feed",
    media_type=RSS,
    cache=SHORT_LIVED,
)
# not history.json: a real page answers that with months of incidents, which is no JSON Feed
FEED = Url(
    name="feed",
    pattern="feed.json",
    tells="the latest incidents and maintenances as a JSON Feed",
    media_type=JSON_FEED,
    cache=SHORT_LIVED,
)
COMPONENT_ATOM = Url(
    name="component-atom",
    pattern="components/{component_id}/history.atom",
    tells="the latest incidents and maintenances of one component or group as an Atom feed",
    media_type=ATOM,
    cache=SHORT_LIVED,
)
CALENDAR = Url(
    name="calendar",
    pattern="maintenances.ics",
    tells="the scheduled maintenances as a calendar",
    media_type=ICALENDAR,
    cache=SHORT_LIVED,
)
BADGE = Url(
    name="badge",
    pattern="badge.svg",
    tells="the page's status as a picture",
    media_type=SVG,
    cache=SHORT_LIVED,
)
BADGE_ENDPOINT = Url(
    name="badge-endpoint",
    pattern="badge.json",
    tells="the page's status for shields.io",
    cache=SHORT_LIVED,
)
COMPONENT_BADGE = Url(
    name="component-badge",
    pattern="components/{component_id}/badge.svg",
    tells="one component's or group's status as a picture",
    media_type=SVG,
    cache=SHORT_LIVED,
)
COMPONENT_BADGE_ENDPOINT = Url(
    name="component-badge-endpoint",
    pattern="components/{component_id}/badge.json",
    tells="one component's or group's status for shields.io",
    cache=SHORT_LIVED,
)
CHANGES = Url(
    name="changes",
    pattern="changes.json",
    tells="what the last change of the page was, as Statuspage's webhooks tell it",
    cache=SHORT_LIVED,
)

STATUS_PAGE = Url(
    name="status-page",
    pattern="index.html",
    tells="the status page; what is served, where there is none",
    media_type=HTML,
    cache=SHORT_LIVED,
)
INCIDENT_PAGE = Url(
    name="incident-page",
    pattern="incidents/{incident_id}.html",
    tells="one incident or maintenance, for people",
    media_type=HTML,
    cache=SHORT_LIVED,
)
HISTORY_PAGE = Url(
    name="history-page",
    pattern="history.html",
    tells="the incidents and maintenances of the latest months",
    media_type=HTML,
    cache=SHORT_LIVED,
)
HISTORY_QUARTER_PAGE = Url(
    name="history-quarter-page",
    pattern="history/{quarter}.html",
    tells="the incidents and maintenances of three months",
    media_type=HTML,
    cache=SHORT_LIVED,
)
UPTIME_PAGE = Url(
    name="uptime-page",
    pattern="uptime.html",
    tells="what happened to each component on which day",
    media_type=HTML,
    cache=SHORT_LIVED,
)
CONTRACTS_HOME = Url(
    name="contracts-home",
    pattern="contracts/index.html",
    tells="the chains, and the search over their contracts",
    media_type=HTML,
)
CHAIN_PAGE = Url(
    name="chain-page",
    pattern="contracts/{chain_id}/index.html",
    tells="the newest verified contracts of a chain, for people",
    media_type=HTML,
)
CHAIN_PAGES = Url(
    name="chain-pages",
    pattern="contracts/{chain_id}/pages/{page}.html",
    tells="100 contracts of a chain, pages filled from the oldest",
    media_type=HTML,
)
CONTRACT_PAGE = Url(
    name="contract-page",
    pattern="contracts/{chain_id}/{address}.html",
    tells="one contract and its proof, for people",
    media_type=HTML,
)
SEARCH_INDEX = Url(
    name="search-index",
    pattern="contracts/search/index.json",
    tells="how the search over contracts is split into files",
)
SEARCH_SHARD = Url(
    name="search-shard",
    pattern="contracts/search/{kind}/{shard}.json",
    tells="the contracts behind the search terms that begin alike",
)
API_PAGE = Url(
    name="api-page",
    pattern="api.html",
    tells="what is served here, with examples",
    media_type=HTML,
)
REFERENCE_PAGE = Url(
    name="reference-page",
    pattern="reference.html",
    tells="every operation, parameter and type that is served",
    media_type=HTML,
)
NOT_FOUND_PAGE = Url(
    name="not-found-page", pattern="404.html", tells="that there is no such page", media_type=HTML
)
STYLE = Url(name="style", pattern="assets/statuary.css", tells="the style of all pages", media_type=CSS)
SCRIPT = Url(
    name="script",
    pattern="assets/{name}.js",
    tells="what pages do beyond standing there",
    media_type=JAVASCRIPT,
)
ICON = Url(name="icon", pattern="assets/{name}.svg", tells="the icon of pages, by status", media_type=SVG)
THEME_FILE = Url(
    name="theme-file",
    pattern="assets/theme/{name}",
    tells="a picture or font of the site's own",
    media_type="",  # hosts know it by its extension
)

OPENAPI = Url(name="openapi", pattern="openapi.json", tells="what is served here, as OpenAPI 3.1")
NOT_FOUND_JSON = Url(
    name="not-found-json",
    pattern="errors/404.json",
    tells="the answer for an address that is not verified, where a host can only send a file",
)

HOST_FILES = tuple(
    Url(name=f"host-file{pattern}", pattern=pattern, tells=tells, media_type=media_type)
    for pattern, tells, media_type in (
        ("_headers", "the headers of every path, for Netlify and Cloudflare", TEXT),
        ("_redirects", "which path is answered by another, for Netlify and Cloudflare", TEXT),
        ("_routes.json", "which paths the edge module is asked for, for Cloudflare Pages", JSON),
        (".assetsignore", "what is no part of the site, for Cloudflare Workers", TEXT),
        (".nojekyll", "that names may begin with an underscore, for GitHub Pages", TEXT),
    )
)
"""Files that a host reads instead of serving them; the site has those that its settings name."""

LOOKUP_URLS = (CONTRACT, CONTRACT_ALL_CHAINS, CONTRACTS, CHAINS)
"""What the contract look-up answers by itself where something can run."""

URLS = (
    CONTRACT,
    CONTRACT_ALL_CHAINS,
    CONTRACTS,
    CONTRACTS_PAGE,
    CONTRACTS_PAGES,
    CHAINS,
    CONTRACT_SHARD,
    PROOF,
    PROOF_SCHEMA,
    PROOF_CHECKS,
    PROOF_SHARD,
    SUMMARY,
    STATUS,
    COMPONENTS,
    INCIDENTS,
    INCIDENTS_UNRESOLVED,
    INCIDENT,
    MAINTENANCES,
    MAINTENANCES_UPCOMING,
    MAINTENANCES_ACTIVE,
    ARCHIVES,
    ARCHIVE,
    UPTIME,
    UPTIME_SCHEMA,
    EPOCHS,
    EPOCH_DOCUMENT,
    HISTORY_ATOM,
    HISTORY_RSS,
    FEED,
    COMPONENT_ATOM,
    CALENDAR,
    BADGE,
    BADGE_ENDPOINT,
    COMPONENT_BADGE,
    COMPONENT_BADGE_ENDPOINT,
    CHANGES,
    STATUS_PAGE,
    INCIDENT_PAGE,
    HISTORY_PAGE,
    HISTORY_QUARTER_PAGE,
    UPTIME_PAGE,
    CONTRACTS_HOME,
    CHAIN_PAGE,
    CHAIN_PAGES,
    CONTRACT_PAGE,
    SEARCH_INDEX,
    SEARCH_SHARD,
    API_PAGE,
    REFERENCE_PAGE,
    NOT_FOUND_PAGE,
    STYLE,
    SCRIPT,
    ICON,
    THEME_FILE,
    OPENAPI,
    NOT_FOUND_JSON,
    *HOST_FILES,
)
