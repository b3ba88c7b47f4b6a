"""The rules of hosts against the table of URLs: each path is served as its row says, whatever a host makes of globs."""

import json
import re
import tomllib
from collections.abc import Iterator

import pytest

from statuary.contracts.urls import LOOKUP_URLS, PROOF
from statuary.extensions.hosting.documents import (
    ANSWERED_WHEN_MISSING,
    HOST_FILES,
    iter_host_documents,
    make_header_rules,
    make_static_globs,
    make_url_globs,
    render_headers_file,
    url_glob,
    url_regex,
)
from statuary.extensions.hosting.hosts import (
    HostOptions,
    group_objects_by_headers,
    make_caddy_files,
    make_cloudflare_pages_files,
    make_nginx_files,
    make_vercel_files,
    make_worker_files,
    make_wrangler_configuration,
    render_edge_function,
    render_netlify_toml,
)
from statuary.site.settings import HostingPlatform, HostingSettings, PathLayout
from statuary.site.url_table import all_urls
from statuary.site.urls import (
    API_PAGE,
    COMMON_HEADERS,
    CONTENT_SECURITY_POLICY,
    IMMUTABLE,
    REVALIDATE,
    SHORT_LIVED,
    SVG,
    THEME_FILE,
    Url,
    media_type_by_extension,
)
from statuary.status.urls import EPOCH_DOCUMENT, EPOCHS
from support.requirements import CHECKOUT

MEMBERS = {
    "chain_id": "1",
    "digest": "ab" * 32,
    "address": "0x" + "ab" * 20,
    "shard": "ab",
    "action": "getabi",
    "page": "2",
    "incident_id": "2026-11-02-rpc",
    "component_id": "rpc",
    "month": "2026-11",
    "quarter": "2026-q4",
    "kind": "names",
    "name": "logo.svg",
    "epoch": "20261201T220000000Z",
    "path": "badge.svg",
    "folder": "manual",
    "update_id": "qqzxuqxop26p",
    "selector": "a9059cbb",
    "topic": "ab" * 32,
    "code_hash": "0x" + "ab" * 32,
    "length": "1359",
    "before": "0x" + "ab" * 20,
    "after": "0x" + "cd" * 20,
    "metric_id": "head-age",
    "period": "day",
}
SERVED = [url for url in all_urls() if url not in HOST_FILES]


def example(url: Url) -> str:
    return "/" + url.path(**MEMBERS)


def of_cloudflare(glob: str) -> re.Pattern[str]:
    """`*` is anything, `:name` one name: as Cloudflare documents it."""
    parts = re.split(r"(\*|:[A-Za-z]\w*)", glob)
    spelled = (
        ".*" if part == "*" else "[^/]+" if part.startswith(":") else re.escape(part) for part in parts
    )
    return re.compile("".join(spelled))


def of_netlify(glob: str) -> re.Pattern[str]:
    """As @netlify/headers-parser turns `for` into an expression: a star at the end needs no slash before it."""
    parts = [part for part in glob.split("/") if part]
    spelled = (
        "([^/]+)" if part.startswith(":") else "?(.*)" if part == "*" else part.replace("*", "(.*)")
        for part in parts
    )
    return re.compile(f"/{'/'.join(spelled)}/?", re.IGNORECASE)


def applied(path: str, pattern) -> Iterator[tuple[str, str]]:
    for rule in make_header_rules():
        if pattern(rule.glob).fullmatch(path):
            yield from rule.headers.items()


def expected_headers(url: Url) -> dict[str, str]:
    """What rules must set: common headers, types that do not follow from names, and how long documents may be cached."""
    output = dict(COMMON_HEADERS)
    if url.cache == SHORT_LIVED:
        output["Cache-Control"] = SHORT_LIVED
    if url.cache == IMMUTABLE:
        output["Cache-Control"] = IMMUTABLE
    if (
        url.media_type
        and media_type_by_extension(url.pattern).partition(";")[0] != url.media_type.partition(";")[0]
    ):
        output["Content-Type"] = url.media_type
    return output


BUT_EPOCHS = [url for url in SERVED if url is not EPOCH_DOCUMENT]


@pytest.mark.parametrize("url", BUT_EPOCHS, ids=lambda url: url.name)
def test_cloudflare_headers_file_matches_url_table(url):
    """It sends the values of all rules that fit, so that none may come twice."""
    output = list(applied(example(url), of_cloudflare))
    assert sorted(output) == sorted(expected_headers(url).items())


@pytest.mark.parametrize("url", BUT_EPOCHS, ids=lambda url: url.name)
def test_netlify_headers_match_url_table(url):
    """It sends the last value of a header; its globs reach a little farther, to no harm."""
    output = list(applied(example(url), of_netlify))
    assert dict(output) | {"Content-Type": ""} == expected_headers(url) | {"Content-Type": ""}
    assert dict(output).get("Content-Type", url.media_type) == url.media_type
    assert len(set(output)) == len(dict(output))


@pytest.mark.parametrize("pattern", [of_cloudflare, of_netlify])
@pytest.mark.parametrize(
    ("path", "media_type"),
    [("badge.svg", None), ("index.html", None), ("feed.json", "application/feed+json; charset=utf-8")],
)
def test_epoch_documents_have_current_headers(path, media_type, pattern):
    output = dict(applied(f"/api/v2/_epochs/20261201T220000000Z/{path}", pattern))
    assert (output.get("Content-Type"), output["Cache-Control"]) == (media_type, SHORT_LIVED)


@pytest.mark.parametrize(
    ("path", "brief"), [("/", True), ("/uptime", True), ("/contracts/", False), ("/api", False)]
)
def test_extensionless_page_url_has_same_caching(path, brief):
    assert dict(applied(path, of_cloudflare)).get("Cache-Control") == (SHORT_LIVED if brief else None)


@pytest.mark.parametrize("url", SERVED, ids=lambda url: url.name)
def test_url_regular_expressions_match_url_table(url):
    fitting = [other for other in SERVED if re.fullmatch(url_regex(other), example(url))]
    assert url in fitting
    assert {other.headers["Cache-Control"] for other in fitting} == {url.cache}


def test_headers_file_fits_cloudflare_limits():
    lines = render_headers_file().splitlines()
    globs = [line for line in lines if line.startswith("/")]
    assert len(globs) == len(set(globs)) <= 100
    assert max(map(len, lines)) < 2000
    assert all(glob.count("*") <= 1 for glob in globs)


def test_edge_module_runs_only_for_lookups():
    for url in SERVED:
        plain = any(of_cloudflare(glob).fullmatch(example(url)) for glob in make_static_globs())
        is_asked = url in (*LOOKUP_URLS, API_PAGE) or url.name.startswith(ANSWERED_WHEN_MISSING)
        assert plain is not (is_asked or url.changes_with_time), url.name


def test_edge_handles_only_proofs_without_files():
    proofs = {url_glob(PROOF)}
    for on in (None, frozenset(), frozenset({"log"})):
        assert proofs <= set(make_static_globs(enabled=on))
    assert (
        set(make_static_globs(enabled=frozenset())) - set(make_static_globs(enabled=frozenset({"packs"})))
        == proofs
    )
    without_second_names = HostingSettings(lower_case_names=False)
    assert set(make_static_globs()) - set(make_static_globs(without_second_names)) == proofs


@pytest.mark.parametrize("files", [make_worker_files, make_cloudflare_pages_files])
def test_packs_enable_cloudflare_nodejs_compat(files):
    for on, flags in ((frozenset(), None), (frozenset({"packs"}), ["nodejs_compat"])):
        (text,) = (file.text for file in files(HostOptions(enabled=on)) if file.path == "wrangler.jsonc")
        configuration = json.loads(text.partition("\n")[2])
        assert configuration.get("compatibility_flags") == flags


def test_repository_netlify_toml_is_current():
    """`statuary hosting netlify --install . --out . --force` writes it again."""
    assert (CHECKOUT / "netlify.toml").read_text(encoding="utf-8") == render_netlify_toml(
        HostOptions(install=".", enabled=frozenset())
    )


def test_netlify_toml_has_header_rules():
    found = tomllib.loads(render_netlify_toml(HostOptions()))
    assert found["build"]["publish"] == "build"
    assert [(rule["for"], rule["values"]) for rule in found["headers"]] == [
        (rule.glob, rule.headers) for rule in make_header_rules()
    ]
    assert found["redirects"][-1] == {"from": "/.statuary/*", "to": "/404.html", "status": 404, "force": True}


def test_netlify_redirects_exclude_contract_lookups():
    """The edge function would be given that rule's page in place of a missing record."""
    rules = tomllib.loads(render_netlify_toml(HostOptions()))["redirects"]
    assert rules
    for rule in rules:
        assert rule["status"] == 200 or not rule["from"].startswith("/v2")


def test_edge_function_excludes_static_files():
    config = json.loads(render_edge_function().partition("export const config = ")[2].rstrip(";\n"))
    assert config["path"] == "/*"
    assert set(config["excludedPath"]) == {*make_static_globs(), "/.statuary/*"}


def test_cloudflare_worker_runs_before_static_assets():
    rules = make_wrangler_configuration(HostOptions())["assets"]["run_worker_first"]
    assert rules[0] == "/*"
    assert len(rules) <= 100
    assert all(rule.startswith("!/") for rule in rules[1:])


def test_vercel_json_has_every_header_rule():
    found = json.loads(make_vercel_files(HostOptions())[0].text)
    assert [(rule["source"], rule["destination"], rule["statusCode"]) for rule in found["redirects"]] == [
        ("/.statuary/(.*)", "/404.html", 302)  # its builds publish names with a leading dot too
    ]
    assert [one["source"].replace("(.*)", "*") for one in found["headers"]] == [
        rule.glob for rule in make_header_rules()
    ]
    assert {"source": "/server/chains", "destination": "/chains"} in found["rewrites"]
    assert {"source": "/server/v2/(.*)", "destination": "/v2/$1"} in found["rewrites"]


def keys_of_s3(pattern: str) -> re.Pattern[str]:
    """As the AWS command line reads `--include`: a star is anything."""
    return re.compile(re.escape(pattern).replace(r"\*", ".*"))


@pytest.mark.parametrize("url", BUT_EPOCHS, ids=lambda url: url.name)
def test_s3_object_metadata_matches_url_table(url):
    """A theme's own pictures are taken twice, as what they are both times."""
    groups = group_objects_by_headers()
    for key in (
        url.path(**MEMBERS),
        *([f"api/v2/_epochs/e/{url.path(**MEMBERS)}"] if url.changes_with_time and url is not EPOCHS else []),
    ):
        takers = [
            output for output, patterns in groups if any(keys_of_s3(one).fullmatch(key) for one in patterns)
        ]
        assert (url.media_type, url.cache) in takers
        assert len(takers) == 1 or url is THEME_FILE, takers


def test_hosting_settings_determine_published_host_files():
    assert [document.path for document in iter_host_documents(HostingSettings())] == []
    named = HostingSettings(files=(HostingPlatform.CLOUDFLARE, HostingPlatform.GITHUB_PAGES))
    assert [document.path for document in iter_host_documents(named)] == [
        "_headers",
        "_redirects",
        "_routes.json",
        ".assetsignore",
        ".nojekyll",
    ]
    sharded = HostingSettings(layout=PathLayout.SHARDED)
    assert [document.path for document in iter_host_documents(sharded)] == ["_redirects"]


@pytest.mark.parametrize("layout", PathLayout)
@pytest.mark.parametrize("platforms", [("cloudflare",), ("netlify", "cloudflare")])
def test_redirects_fit_limits_of_cloudflare(layout, platforms):
    """It reads 100 rules with placeholders and 2,000 others."""
    settings = HostingSettings(layout=layout, files=tuple(map(HostingPlatform, platforms)))
    (redirects,) = (one for one in iter_host_documents(settings) if one.path == "_redirects")
    dynamic = [line for line in redirects.body.decode().splitlines() if "*" in line or ":" in line]
    assert 0 < len(dynamic) <= 100
    netlify = HostingSettings(layout=layout, files=(HostingPlatform.NETLIFY,))
    (redirects,) = (one for one in iter_host_documents(netlify) if one.path == "_redirects")
    assert (b"/v2/contract/:chain/0xab*" in redirects.body) is (layout is PathLayout.SHARDED)


def test_glob_within_other_glob_is_omitted():
    wide, narrow = (
        Url(name="x", pattern=pattern, description="") for pattern in ("a/{b}.json", "a/b/{c}.json")
    )
    page = Url(name="x", pattern="p.html", description="", cache=REVALIDATE)
    assert make_url_globs([narrow, wide, page]) == ("/a/*", "/p", "/p.html")


@pytest.mark.parametrize(
    "url", [url for url in SERVED if url.media_type == SVG or url is THEME_FILE], ids=lambda url: url.name
)
@pytest.mark.parametrize("pattern", [of_cloudflare, of_netlify])
def test_images_have_content_security_policy(url, pattern):
    """An SVG that somebody opens by itself is a document that could run scripts."""
    assert dict(applied(example(url), pattern))["Content-Security-Policy"].startswith("default-src 'none'")


@pytest.mark.parametrize("files", [make_nginx_files, make_caddy_files])
@pytest.mark.parametrize("edge", [None, "127.0.0.1:8001"])
def test_web_servers_send_content_security_policy(files, edge):
    (file,) = files(HostOptions(edge=edge))
    rule = f'Content-Security-Policy "{CONTENT_SECURITY_POLICY}"'
    assert rule in file.text
    if files is make_nginx_files:  # a location that adds headers loses those of the server
        locations = re.findall(r"^    location [^{]*\{\n(.*?)^    \}", file.text, re.DOTALL | re.MULTILINE)
        assert all(rule in one for one in locations if "add_header" in one)
        assert f"\n    add_header {rule} always;" in file.text
