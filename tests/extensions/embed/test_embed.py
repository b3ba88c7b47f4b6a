"""Embeds: their documents, and in Chromium inside a page of another origin, served with the headers that hosts send."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from statuary.extensions.embed.documents import BADGE_PAGE, FRAME, NOW, SCRIPT, URLS, make_embed_documents
from statuary.extensions.hosting.documents import make_header_rules, render_headers_file
from statuary.extensions.hosting.hosts import HostOptions, make_s3_files
from statuary.extensions.hosting.web_servers import make_caddy_files, make_nginx_files
from statuary.extensions.serving.server import make_response_headers
from statuary.registry import EXTENSIONS
from statuary.site.settings import LANGUAGES
from statuary.site.url_table import all_urls
from statuary.site.urls import COMMON_HEADERS, FRAMED_HEADERS, HTML
from support.browser import LOOKS, browse
from support.edge_runtimes import served
from support.file_server import served as plain_files
from support.sites import INCIDENT, SITE, built_files, small_site, write_files

ON = frozenset({"embed", "languages"})
EVERY_KEY = frozenset(row.name for row in EXTENSIONS if row.section)
CALM = "2026-11-20T12:00:00Z"


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return write_files(small_site(tmp_path), {"site.yaml": SITE + "embed: true\n"})


def test_embed_documents_have_no_inline_scripts():
    documents = {document.path: document for document in make_embed_documents("Plinth", "en")}
    assert set(documents) == {url.path() for url in URLS if url is not NOW}
    for document in documents.values():
        assert len(document.body) <= 4096, document.path
        assert b"[[" not in document.body
        assert not re.search(rb"<script(?![^>]*\bsrc=)|\son\w+=|style=", document.body)


def test_embed_documents_escape_page_name():
    body = b"".join(document.body for document in make_embed_documents('<b>"x"</b>', "de"))
    assert b"<b>" not in body
    assert "Schließen".encode() in body


@pytest.mark.parametrize("language", LANGUAGES)
def test_embed_documents_use_page_language(language):
    documents = list(make_embed_documents("Plinth", language))
    pages = [document.body.decode() for document in documents if document.media_type == HTML]
    assert len(pages) == 2
    assert all(f'lang="{language}"' in page for page in pages)
    assert all(len(document.body) <= 4096 for document in documents)
    assert language == "en" or not any("Close" in page for page in pages)


@pytest.mark.slow
def test_disabled_embed_removes_documents(content, tmp_path):
    assert {url.path() for url in URLS} <= set(built_files(content, tmp_path / "site"))
    write_files(content, {"site.yaml": SITE})
    assert built_files(content, tmp_path / "site") == built_files(content, tmp_path / "fresh")
    assert not (tmp_path / "site/embed").exists()
    assert not (tmp_path / "site/badge.html").exists()


OUTAGE = """name: RPC down
components: {rpc: major_outage}
updates: [{at: 2026-11-20T10:00:00Z, status: investigating}]
"""
NEWER = """name: Odd blocks
components: {blocks: degraded_performance}
updates: [{at: 2026-11-20T10:30:00Z, status: investigating}]
"""
WINDOW = """name: Upgrade
components: [rpc]
created_at: 2026-11-19T09:00:00Z
scheduled_for: 2026-11-20T11:00:00Z
scheduled_until: 2026-11-20T13:00:00Z
"""


def test_embed_documents_show_outage_during_maintenance(content, tmp_path):
    records = {
        "incidents/slow.yaml": None,
        "incidents/down.yaml": OUTAGE,
        "incidents/odd.yaml": NEWER,
        "maintenances/upgrade.yaml": WINDOW,
        "site.yaml": SITE + "embed: true\ninstatus: true\n",
    }
    files = built_files(write_files(content, records), tmp_path / "site", CALM)

    assert json.loads(files["banner.json"]) == {
        "state": "major",
        "headline": "Public RPC is down",
        "record": {"id": "down", "name": "RPC down"},
    }
    page = files["index.html"].decode()
    assert "<title>Public RPC is down" in page
    assert 'class="hero s-major"' in page
    assert 'rel="icon" type="image/svg+xml" href="assets/status-critical.svg"' in page
    assert re.search(r'property="og:description" content="Public RPC is down', page)
    assert json.loads(files["badge.json"])["color"] == "red"
    assert json.loads(files["components/rpc/badge.json"])["message"] == "major outage"
    assert json.loads(files["summary.json"])["page"]["status"] == "HASISSUES"
    rows = {row["id"]: row["status"] for row in json.loads(files["v2/components.json"])["components"]}
    assert rows["rpc"] == "MAJOROUTAGE"
    # the API stays as Statuspage has it
    statuses = {row["id"]: row["status"] for row in json.loads(files["api/v2/components.json"])["components"]}
    assert statuses["rpc"] == "under_maintenance"


def test_only_embed_documents_allow_framing():
    assert {url.name for url in all_urls() if url.framed} == {FRAME.name, BADGE_PAGE.name}
    for url in (FRAME, BADGE_PAGE):
        headers = make_response_headers(url.path())
        assert "X-Frame-Options" not in headers
        assert "frame-ancestors" not in headers["Content-Security-Policy"]
    assert make_response_headers("index.html")["X-Frame-Options"] == "DENY"


def rule_headers(path: str) -> dict[str, list[str]]:
    """Return what hosts of globs send for a path: the values of all rules that fit."""
    found: dict[str, list[str]] = {}
    for rule in make_header_rules(EVERY_KEY):
        expression = re.escape(rule.glob).replace(r"\*", ".*").replace(":epoch", "[^/]+")
        if re.fullmatch(expression, path):
            for name, text in rule.headers.items():
                found.setdefault(name, []).append(text)
    return found


@pytest.mark.parametrize(
    "url", [url for url in all_urls() if url.media_type == HTML], ids=lambda url: url.name
)
def test_host_headers_forbid_framing_other_pages(url):
    names = dict.fromkeys(re.findall(r"\{(\w+)\}", url.pattern), "x")
    for path in (url.path(**names), url.link(**names).removesuffix("index")):
        headers = rule_headers(f"/{path}")
        assert all(len(values) == 1 for values in headers.values()), headers
        assert headers.get("X-Frame-Options") == (None if url.framed else ["DENY"]), path
        assert headers["Content-Security-Policy"] == [FRAMED_HEADERS["Content-Security-Policy"]]


def test_hosts_forbid_frames_without_embed():
    assert make_header_rules(frozenset())[0].headers == COMMON_HEADERS
    assert "embed" not in render_headers_file(frozenset())
    for files in (make_nginx_files, make_caddy_files, make_s3_files):
        plain = files(HostOptions(enabled=frozenset()))
        assert "embed" not in "".join(file.path + file.text for file in plain)


def test_server_configurations_allow_embed_frames():
    (nginx,) = make_nginx_files(HostOptions(enabled=ON))
    assert nginx.text.count('"~^/embed/frame(?:\\.html)?$"') == 2
    (caddy,) = make_caddy_files(HostOptions(enabled=ON))
    assert "header @framed {\n\t\t-X-Frame-Options\n" in caddy.text
    policies = {file.path: file.text for file in make_s3_files(HostOptions(enabled=ON))}
    assert "FrameOptions" not in policies["cloudfront/response-headers-policy-embed.json"]


def build_outage(content: Path, site: Path) -> None:
    """Build a site with an incident that is not over: servers show the present."""
    updates = INCIDENT.partition("  - at: 2026-11-02T11:00:00Z")[0]
    built_files(write_files(content, {"incidents/slow.yaml": updates}), site, CALM)


@contextmanager
def wallet(tmp_path: Path, status: str, *, scheme: str = "light dark") -> Iterator[str]:
    """Serve a page of another origin that embeds the banner as Statuspage's snippet does; give its URL."""
    page = f"""<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="{scheme}">
<title>A wallet</title><h1>Your coins</h1><p>128.40 PLT</p><script src="{status}/{SCRIPT.path()}"></script></html>"""
    folder = write_files(tmp_path / "wallet", {"index.html": page})
    with plain_files(folder) as (url, _):
        yield f"{url}/index.html"


@contextmanager
def status_site(site: Path) -> Iterator[str]:
    ready = r"at http://127\.0\.0\.1:(\d+)/"
    command = [sys.executable, "-m", "statuary", "serve", "--port", "0", str(site)]
    with served(command, ready) as server:
        yield f"http://127.0.0.1:{server.port}"


@pytest.mark.slow
def test_status_banner_appears_on_other_site(content, tmp_path):
    site = tmp_path / "site"
    build_outage(content, site)
    with status_site(site) as status, wallet(tmp_path, status) as url:
        found = browse(site, "embed", url=url, looks=LOOKS, name="banner", dismiss=True)
    assert len(found) == 4
    for look in found:
        shown = look["shown"]
        assert shown["inSight"], look
        assert look["text"].startswith("Slow answers\n\nPublic RPC has degraded performance"), look
        assert look["violations"] == []
        assert look["dismissed"] is False
        if look["width"] == 1280:
            assert (shown["width"], shown["height"], shown["x"]) == (320, 115, 60)
            assert shown["y"] + shown["height"] == 900 - 60
        else:
            assert (shown["width"], shown["height"], shown["x"]) == (390, 180, 0)


@pytest.mark.slow
def test_status_banner_stays_hidden_when_operational(content, tmp_path):
    site = tmp_path / "site"
    built_files(content, site, CALM)
    with status_site(site) as status, wallet(tmp_path, status) as url:
        found = browse(site, "embed", url=url, looks=LOOKS[:1] + LOOKS[2:3], name="calm")
    assert [look["shown"]["inSight"] for look in found] == [False, False]


@pytest.mark.slow
def test_other_site_can_frame_only_badge(content, tmp_path):
    site = tmp_path / "site"
    build_outage(content, site)
    with status_site(site) as status:
        for path, is_framed in (("badge?theme=dark", True), ("", False)):
            page = f'<!DOCTYPE html><html lang="en"><title>W</title><iframe title="Status" src="{status}/{path}" width="250" height="30"></iframe></html>'
            folder = write_files(tmp_path / "wallet", {"badge.html": page})
            with plain_files(folder) as (url, _):
                (look,) = browse(site, "embed", url=f"{url}/badge.html", looks=LOOKS[:1], name="badge")
            assert ("Public RPC has degraded performance" in look["text"]) is is_framed, look
            assert look["violations"] == []
