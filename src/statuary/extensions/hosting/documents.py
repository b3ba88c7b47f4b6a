"""Host files inside the site: rules for paths, such as `_headers`."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import product
from typing import NamedTuple

from typing_extensions import override

from statuary.base.findings import Finding
from statuary.contracts.paths import SHARDS
from statuary.contracts.urls import HEALTH, LOOKUP_URLS, PROOF, SERVER_PREFIX
from statuary.registry import EXTENSIONS, load, providers
from statuary.section import Section
from statuary.site.document import Document
from statuary.site.settings import NO_HOSTING, HostingPlatform, HostingSettings, PathLayout
from statuary.site.site_content import SiteContent
from statuary.site.url_table import all_urls, third_party_urls
from statuary.site.urls import (
    API_PAGE,
    COMMON_HEADERS,
    FRAMED_HEADERS,
    HTML,
    JSON,
    NOT_FOUND_PAGE,
    PATTERN_PARTS,
    REVALIDATE,
    SHORT_LIVED,
    STATUS_PAGE,
    TEXT,
    Url,
    media_type_by_extension,
)
from statuary.status.urls import EPOCH_DOCUMENT, FEED

HOST_FILES = tuple(
    Url(f"host-file{pattern}", pattern, description, media_type)
    for pattern, description, media_type in (
        ("_headers", "the headers of every path, for Netlify and Cloudflare", TEXT),
        ("_redirects", "the paths that are served from another path, for Netlify and Cloudflare", TEXT),
        ("_routes.json", "the paths that the edge module answers, for Cloudflare Pages", JSON),
        (".assetsignore", "the files that are not part of the site, for Cloudflare Workers", TEXT),
        (".nojekyll", "allows names that begin with an underscore, for GitHub Pages", TEXT),
    )
)
"""Files that hosts read and do not serve; a site has those of the hosts in its settings."""

EPOCH_PREFIX = "/" + EPOCH_DOCUMENT.path(epoch=":epoch", path="")
"""The folder of the documents of a later epoch, with a placeholder for the epoch."""

INTERNAL_FILES_RULE = ("/.statuary/*", f"/{NOT_FOUND_PAGE.pattern}")
"""A rule that hides the ledger, which is in the published folder but not part of the site."""


class HeaderRule(NamedTuple):
    """The HTTP headers for paths that match a pattern."""

    glob: str  # `*` is any text, `:name` one segment of the path
    headers: dict[str, str]


def url_glob(url: Url) -> str:
    """Return a pattern for the paths of a URL, such as `/api/v2/*`.

    Hosts accept `*` only at the end, so the pattern covers the whole folder of the URL.
    """
    if url.own_rule:
        return f"/{url.pattern}"
    folder = url.prefix.rpartition("/")[0]
    return f"/{folder}/*" if folder else f"/{url.pattern}"


def make_url_globs(urls: Iterable[Url]) -> tuple[str, ...]:
    """Return patterns for the paths of several URLs, such as `/api/v2/*`.

    A pattern is omitted if another one includes it. A page in the root folder has two patterns, because hosts
    serve it with and without its extension.
    """
    globs: list[str] = []
    for glob in map(url_glob, urls):
        if glob == f"/{STATUS_PAGE.pattern}":
            globs.append("/")
        elif glob.endswith(".html"):
            globs.append(glob.removesuffix(".html"))
        globs.append(glob)
    return tuple(dict.fromkeys(glob for glob in globs if not _is_covered_by_other_glob(glob, globs)))


def _is_covered_by_other_glob(path_glob: str, other_globs: Iterable[str]) -> bool:
    return any(
        other_glob.endswith("*")
        and other_glob != path_glob
        and path_glob.startswith(other_glob.removesuffix("*"))
        for other_glob in other_globs
    )


EnabledKeys = Collection[str] | None
"""The keys of the enabled extensions in site.yaml; None for all extensions."""


def list_urls_with_host_rules(enabled: EnabledKeys) -> tuple[Url, ...]:
    """Return the URLs for which a host's configuration needs rules.

    A disabled extension has none, with exceptions such as the transparency log, whose files may stay published.

    Args:
        enabled: the names of the enabled extensions; None for all extensions.
    """
    if enabled is None:
        return all_urls()
    # Keep the rules of extensions such as the log, whose files may stay published after the extension is
    # disabled.
    kept = {*enabled, "hosting", *(path.partition("/")[0] for path in providers("replacement"))}
    off = [row for row in EXTENSIONS if row.section and row.name not in kept]
    urls = {url for row in off for url in load(row.section).urls}
    return (*(url for url in all_urls() if url not in urls), *third_party_urls(enabled))


def make_static_globs(settings: HostingSettings = NO_HOSTING, enabled: EnabledKeys = None) -> tuple[str, ...]:
    """Return patterns for the paths that the host serves as plain files.

    For all other paths, JavaScript on the host computes the response, for example for the contract API.

    Args:
        settings: what site.yaml says under `hosting`.
        enabled: the names of the enabled extensions; None for all extensions.
    """
    asked = {*LOOKUP_URLS, API_PAGE, *HOST_FILES}
    if _needs_requests_for_proofs(settings, enabled):
        asked |= {url for url in list_urls_with_host_rules(enabled) if url_glob(url) == url_glob(PROOF)}
    static = (
        url for url in list_urls_with_host_rules(enabled) if url not in asked and not url.changes_with_time
    )
    return make_url_globs(url for url in static if url.name not in ANSWERED_WHEN_MISSING)


def _needs_requests_for_proofs(settings: HostingSettings, enabled: EnabledKeys) -> bool:
    has_hidden_shards = settings.layout is PathLayout.SHARDED and not needs_shard_rewrites(settings)
    return has_packs(enabled) or not settings.lower_case_names or has_hidden_shards


ANSWERED_WHEN_MISSING = ("blockscout", "blockscout-answer")
"""The names of URLs whose missing documents need a response of their own."""


def has_packs(enabled: EnabledKeys) -> bool:
    """Return whether the site has packs, archives of many documents each.

    Args:
        enabled: the names of the enabled extensions; None if unknown, for which the result is False.
    """
    return enabled is not None and "packs" in enabled


def make_server_prefix_globs() -> tuple[str, ...]:
    """Return patterns for the contract API's second location, below `/server`.

    Some clients expect it there, as on sourcify.dev.
    """
    tops = [(url.pattern.partition("/")[0], "/*" if "/" in url.pattern else "") for url in LOOKUP_URLS]
    return tuple(dict.fromkeys(f"/{SERVER_PREFIX}/{top}{path_rest}" for top, path_rest in tops))


def make_server_rewrites() -> list[tuple[str, str]]:
    """Return the rules that also serve the contract API below `/server`.

    Some clients expect the API there, as on sourcify.dev.

    Returns:
        Pairs of a pattern of requested paths and the path that is served.
    """
    return [
        (glob, glob.removeprefix(f"/{SERVER_PREFIX}").replace("*", ":splat"))
        for glob in make_server_prefix_globs()
    ]


def url_regex(url: Url) -> str:
    """Return a regular expression for all paths of a URL.

    It works in nginx and Caddy (PCRE and RE2). A page matches with and without its extension, and the page of a folder also
    matches the path of the folder.
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


def make_header_rules(enabled: EnabledKeys = None) -> tuple[HeaderRule, ...]:
    """Return the HTTP headers that a host must send, by path.

    Args:
        enabled: the names of the enabled extensions; None for all extensions.

    Returns:
        The rules, each with a pattern of paths.
    """
    by_glob: dict[str, dict[str, str]] = {}
    for rule in (*_iter_common_rules(enabled), *_iter_cache_rules(enabled), *_iter_type_rules(enabled)):
        by_glob.setdefault(rule.glob, {}).update(rule.headers)
    return tuple(HeaderRule(glob, headers) for glob, headers in by_glob.items())


def allows_frames(enabled: EnabledKeys) -> bool:
    """Return whether other sites may embed pages of the site.

    Args:
        enabled: the names of the enabled extensions; None if unknown, for which the result is False.
    """
    return enabled is not None and any(url.framed for url in list_urls_with_host_rules(enabled))


def _iter_common_rules(enabled: EnabledKeys) -> Iterator[HeaderRule]:
    """Yield the rules for headers that all paths have.

    `X-Frame-Options` forbids other sites to show a page in a frame. If they may frame some documents, the header
    cannot be in the rule for all paths, because no other rule can remove it. So only pages have it, and the stored
    later versions of documents, whose headers the edge program copies.
    """
    if not allows_frames(enabled):
        yield HeaderRule("/*", COMMON_HEADERS)
        return
    pages = make_url_globs(
        url for url in list_urls_with_host_rules(enabled) if url.media_type == HTML and not url.framed
    )
    versions = f"{EPOCH_PREFIX.partition(':')[0]}*"
    yield HeaderRule("/*", FRAMED_HEADERS)
    for glob in (*pages, versions):
        yield HeaderRule(glob, {"X-Frame-Options": COMMON_HEADERS["X-Frame-Options"]})


def _iter_cache_rules(enabled: EnabledKeys) -> Iterator[HeaderRule]:
    for glob in make_url_globs(url for url in list_urls_with_host_rules(enabled) if url.changes_with_time):
        yield HeaderRule(glob, {"Cache-Control": SHORT_LIVED})
    for url in list_urls_with_host_rules(enabled):
        if url.cache not in (REVALIDATE, SHORT_LIVED):
            yield HeaderRule(url_glob(url), {"Cache-Control": url.cache})


def _iter_type_rules(enabled: EnabledKeys) -> Iterator[HeaderRule]:
    candidates = (
        url for url in list_urls_with_host_rules(enabled) if url not in (FEED, EPOCH_DOCUMENT, *HOST_FILES)
    )
    by_type: dict[str, list[Url]] = {}
    for url in filter(_has_unusual_media_type, candidates):
        by_type.setdefault(url.media_type, []).append(url)
    for media_type, urls in by_type.items():
        for glob in make_url_globs(urls):
            yield HeaderRule(glob, {"Content-Type": media_type})
    for glob in make_server_prefix_globs():
        media_type = HEALTH.media_type if glob.endswith(f"/{HEALTH.pattern}") else JSON
        yield HeaderRule(glob, {"Content-Type": media_type})
    for prefix in ("/", EPOCH_PREFIX):
        yield HeaderRule(f"{prefix}{FEED.pattern}", {"Content-Type": FEED.media_type})


def list_typed_paths(enabled: EnabledKeys) -> list[tuple[str, str]]:
    """Return paths whose media type the host must be told.

    For example, a file without an extension may contain JSON. The list has the paths of the extension `apis` and
    of other installed packages. The templates of the configuration contain the rules for the other paths.

    Returns:
        Pairs of a media type and a regular expression for the paths.
    """
    of_extensions = {url for row in EXTENSIONS if row.name == "apis" for url in load(row.section).urls}
    of_extensions |= set(third_party_urls(enabled or ()))
    typed = (
        url
        for url in list_urls_with_host_rules(enabled)
        if url in of_extensions and _has_unusual_media_type(url)
    )
    return [(url.media_type, url_regex(url)) for url in typed]


def _has_unusual_media_type(url: Url) -> bool:
    own_type = url.media_type.partition(";")[0]
    return bool(own_type) and own_type != media_type_by_extension(url.pattern).partition(";")[0]


FILES_BY_PLATFORM: dict[HostingPlatform, tuple[str, ...]] = {
    HostingPlatform.NETLIFY: ("_headers", "_redirects"),
    HostingPlatform.CLOUDFLARE: ("_headers", "_redirects", "_routes.json", ".assetsignore"),
    HostingPlatform.GITHUB_PAGES: (".nojekyll",),
}


class HostingSection(Section):
    """The section that publishes files for web hosts, such as `_headers`."""

    urls = HOST_FILES

    @override
    def config_documents(self, site: SiteContent, skipped: list[Finding]) -> Iterator[Document]:
        """Yield the files for the hosts in site.yaml, such as `_headers`."""
        return iter_host_documents(site.hosting, dict(site.extensions))


def iter_host_documents(settings: HostingSettings, enabled: EnabledKeys = None) -> Iterator[Document]:
    """Yield the files that the hosts in site.yaml need, such as `_headers`.

    Args:
        settings: what site.yaml says under `hosting`.
        enabled: the names of the enabled extensions; None for all extensions.
    """
    file_names = {name for host in settings.files for name in FILES_BY_PLATFORM[host]}
    if needs_shard_rewrites(settings):
        file_names.add("_redirects")
    for url in HOST_FILES:
        if url.pattern in file_names:
            text = FILE_TEXTS[url.pattern](settings, enabled)
            yield Document(path=url.path(), body=text.encode(), media_type=url.media_type)


def render_headers_file(enabled: EnabledKeys = None) -> str:
    """Return the content of `_headers`, which Netlify and Cloudflare read.

    Cloudflare accepts at most 100 rules with 2,000 characters in a line; a site has about thirty.

    Args:
        enabled: the names of the enabled extensions; None for all extensions.
    """
    blocks = (
        "\n".join((rule.glob, *(f"  {name}: {value}" for name, value in rule.headers.items())))
        for rule in make_header_rules(enabled)
    )
    return "\n\n".join(blocks) + "\n"


def make_shard_rewrites() -> list[tuple[str, str]]:
    """Return Netlify's rules that map paths to sharded folders.

    In the sharded layout, records are in folders named after the first two hex digits of their addresses. Paths are
    case-sensitive at Netlify, so each folder has a rule for each spelling of its digits: 484 rules for
    records, and as many for proofs.

    Returns:
        Pairs of a pattern of requested paths and the path that is served.
    """
    digits = "0123456789abcdefABCDEF"
    return [
        (f"/{plain}:chain/0x{a}{b}*", f"/{sharded.prefix}:chain/{(a + b).lower()}/0x{a}{b}:splat")
        for plain, sharded in SHARDS.items()
        for a, b in product(digits, repeat=2)
    ]


def needs_shard_rewrites(settings: HostingSettings) -> bool:
    """Return whether `_redirects` needs rules for sharded folders.

    The site's records are then in folders named after the first two hex digits of the address. Cloudflare accepts too few
    rules, so its sites have none.
    """
    return settings.layout is PathLayout.SHARDED and HostingPlatform.CLOUDFLARE not in settings.files


def render_redirects_file(settings: HostingSettings, _: EnabledKeys = None) -> str:
    """Return the content of `_redirects`, which Netlify and Cloudflare read.

    The first matching rule applies. Cloudflare ignores rules with status 404, so internal files are redirected
    instead. Cloudflare reads only the first 100 rules with placeholders such as `:name`. So there are none for
    records in subfolders by address; the edge program finds these.

    Args:
        settings: what site.yaml says under `hosting`.
    """
    shards = make_shard_rewrites() if needs_shard_rewrites(settings) else []
    lines = [f"{requested} {served} 200" for requested, served in (*make_server_rewrites(), *shards)]
    return "\n".join((*lines, f"{INTERNAL_FILES_RULE[0]} {INTERNAL_FILES_RULE[1]} 302")) + "\n"


def _render_routes_file(settings: HostingSettings, enabled: EnabledKeys) -> str:
    """Return the text of `_routes.json`: the paths that run the edge program.

    These are all paths except static ones. The edge program is JavaScript that Cloudflare runs.
    """
    return (
        json.dumps(
            {"version": 1, "include": ["/*"], "exclude": make_static_globs(settings, enabled)}, indent=2
        )
        + "\n"
    )


FILE_TEXTS: dict[str, Callable[[HostingSettings, EnabledKeys], str]] = {
    "_headers": lambda _settings, on: render_headers_file(on),
    "_redirects": render_redirects_file,
    "_routes.json": _render_routes_file,
    ".assetsignore": lambda _settings, _: ".statuary\n",
    ".nojekyll": lambda _settings, _: "",
}
