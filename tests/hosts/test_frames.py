"""Pages of other origins may frame the banner and the badge of a site, and no other document, on real servers."""

import json
from pathlib import Path
from typing import Any

import pytest

from statuary.site.urls import COMMON_HEADERS, FRAMED_POLICY
from support.edge_runtimes import serve_project_with_cloudflare, serve_project_with_netlify
from support.host_servers import (
    serve_folder_with_deno,
    serve_with_caddy,
    serve_with_nginx,
    serve_with_statuary,
)
from support.sites import INCIDENT, SITE, built_files, small_site, write_files

pytestmark = pytest.mark.slow

ON = frozenset({"embed", "languages"})
NOW = "2026-11-20T12:00:00Z"
FRAMES = ("/embed/frame", "/embed/frame.html", "/embed/frame?mobile=true", "/badge", "/badge?theme=dark")
OTHERS = (
    "/",
    "/?/embed/frame",
    "/embed/",
    "/embed/frame/../../",
    "/embed/frame/",
    "/embed/frames",
    "/embed/frame.htm",
    "/embed/script.js",
    "/badge.svg",
    "/badges",
    "/de/embed/frame",
    "/api/v2/summary.json",
    "/nothing",
)
"""Documents that are none of these, and addresses without a document that resemble theirs."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("frames")
    settings = "embed: true\nlanguages: [en, de]\nhosting: {files: [cloudflare]}\n"
    files = {
        "site.yaml": SITE + settings,
        "incidents/slow.yaml": INCIDENT,
        "pages/about.md": "---\ntitle: About\n---\n\nUs.\n",
    }
    built_files(write_files(small_site(root), files), root / "build", NOW)
    return root


def pages_of(project: Path) -> list[str]:
    """Return the addresses of all pages, with and without their extension, but those that may be framed."""
    build = project / "build"
    files = [file.relative_to(build).as_posix() for file in build.rglob("*.html")]
    shown = [
        file for file in files if not file.startswith(".") and f"/{file.removesuffix('.html')}" not in FRAMES
    ]
    short = [file.removesuffix("index.html").removesuffix(".html") for file in shown]
    return sorted(f"/{path}" for path in {*shown, *short})


def refuses(answer: dict[str, Any]) -> bool:
    """Return whether a browser shows the response in no frame."""
    headers = answer["headers"]
    policies = headers.get("content-security-policy", "")
    return headers.get("x-frame-options") == "DENY" and "frame-ancestors 'none'" in policies


SERVERS = {"nginx": serve_with_nginx, "Caddy": serve_with_caddy}
OF_ANY_SITE = {"Deno": serve_folder_with_deno, "`statuary serve`": serve_with_statuary}
"""Those that need no rules."""


@pytest.mark.parametrize("name", [*SERVERS, *OF_ANY_SITE])
def test_web_server_allows_framing_only_embeds(name: str, project: Path) -> None:
    pages = pages_of(project)
    assert {"/index.html", "/", "/de/", "/pages/about"} <= set(pages), json.dumps(pages)
    assert len(pages) > 20
    serving = SERVERS[name](project, on=ON) if name in SERVERS else OF_ANY_SITE[name](project)
    with serving as running:
        frames = {target: running.ask(target) for target in FRAMES}
        others = {target: running.ask(target) for target in (*pages, *OTHERS)}
    for target, answer in frames.items():
        assert answer["status"] == 200, target
        assert "x-frame-options" not in answer["headers"], target
        assert answer["headers"]["content-security-policy"] == FRAMED_POLICY, target
    bodies = {answer["body"] for answer in frames.values()}  # Deno sends the banner at `/embed/frame/` too
    framed = [target for target, answer in others.items() if not refuses(answer)]
    assert [target for target in framed if others[target]["body"] not in bodies] == []
    assert {others[page]["status"] for page in pages} <= {200, 301, 302, 308}


@pytest.mark.parametrize("name", SERVERS)
def test_web_server_without_embeds_denies_framing(name: str, project: Path) -> None:
    with SERVERS[name](project, on=frozenset()) as running:
        answers = {target: running.ask(target) for target in FRAMES}
    assert [target for target, answer in answers.items() if not refuses(answer)] == []


@pytest.mark.parametrize("host", ["Netlify", "Cloudflare"])
def test_cloud_hosts_allow_framing_only_embeds(host: str, project: Path) -> None:
    """Its edge function answers for a page with the file of an epoch."""
    if host == "Netlify":
        serving = serve_project_with_netlify(project, on=ON)
    else:
        serving = serve_project_with_cloudflare(project)
    with serving as running:
        frames = {target: running.ask(target) for target in FRAMES if not target.endswith(".html")}
        others = {
            target: running.ask(target) for target in ("/", "/history", "/pages/about", "/de/", "/uptime")
        }
    assert {answer["status"] for answer in (*frames.values(), *others.values())} == {200}
    assert [target for target, answer in frames.items() if "x-frame-options" in answer["headers"]] == []
    denied = {target: answer["headers"].get("x-frame-options") for target, answer in others.items()}
    assert denied == dict.fromkeys(others, COMMON_HEADERS["X-Frame-Options"])
