"""nginx and Caddy choose among the stored bodies by rules, as the edge module and `statuary serve` do by code."""

import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest

from statuary.extensions.hosting.web_servers import NO_SIGNATURES
from statuary.extensions.serving.lookup import LookupRequest, answer_api_request
from support.api_requests import SITE as SIGNATURE_SITE
from support.edge_runtimes import Served, answers_of_deno, write_site
from support.explorer_requests import ABSENT, ADDRESS, CHAIN, SITE, hostile_targets
from support.host_servers import serve_with_caddy, serve_with_nginx, serve_with_statuary

pytestmark = pytest.mark.slow

PAGES = {
    "api.html": b"<!doctype html>api",
    "404.html": b"<!doctype html>404",
    "index.html": b"<!doctype html>",
    "errors/explorer-api.json": b'{"error":"none"}',
}
SERVERS = {"nginx": serve_with_nginx, "Caddy": serve_with_caddy}
TARGETS = [quote(target, safe="/?&=%[]$,*+'") for target in hostile_targets(17, 500)]


def expected(target: str, method: str = "GET") -> tuple[int, bytes]:
    """What `serve` answers; a path without an answer is that of a page, or of none."""
    response = answer_api_request(LookupRequest(method=method, target=target), SITE.get, lambda: "id")
    if response is not None:
        return (404, PAGES["404.html"]) if response.status == 404 else (response.status, response.body)
    is_page = target.partition("?")[0].strip("/") == "api"
    return (200, PAGES["api.html"]) if is_page else (404, PAGES["404.html"])


def project(tmp_path: Path, site: dict[str, bytes]) -> Path:
    write_site(tmp_path / "build", site)
    return tmp_path


def answer(server: Served, target: str, method: str = "GET") -> tuple[int, bytes]:
    response = server.fetch(target, method=method)
    if response["status"] == 200 and method == "GET":
        html = response["body"].startswith(b"<!doctype")
        assert response["headers"]["content-type"].startswith("text/html" if html else "application/json")
        assert response["headers"]["access-control-allow-origin"] == "*"
    return response["status"], response["body"]


@pytest.mark.parametrize("name", SERVERS)
def test_web_servers_match_serve_command(name, tmp_path):
    with SERVERS[name](project(tmp_path, SITE | PAGES)) as server:
        for target in TARGETS:
            assert answer(server, target) == expected(target), target


def test_serve_command_matches_edge_module(tmp_path):
    cases = [{"target": target, "method": "GET"} for target in TARGETS]
    answers = answers_of_deno(SITE, cases)
    bodies = set()
    with serve_with_statuary(project(tmp_path, SITE | PAGES)) as server:
        for target, of_edge in zip(TARGETS, answers, strict=True):
            status, body = expected(target)
            bodies.add(body)
            if status == 200 and not body.startswith(b"<!doctype"):
                assert (of_edge["status"], of_edge["body"].encode()) == (status, body), target
                assert answer(server, target) == (status, body), target
    assert (
        len(bodies) > 12
    )  # the errors, the bodies of both contracts, creations of one and of several, and the pages


@pytest.mark.parametrize("name", SERVERS)
def test_web_servers_match_serve_on_posts(name, tmp_path):
    call = f"/v2/api?chainid={CHAIN}&module=contract&action=getabi&address={ADDRESS}"
    with SERVERS[name](project(tmp_path, SITE | PAGES)) as server:
        for method in ("POST", "PUT", "DELETE"):
            for target in (call, "/api", f"/explorer/{CHAIN}/api", "/v2/chainlist"):
                assert answer(server, target, method) == expected(target, method), (method, target)
        assert answer(server, call, "HEAD") == (200, b"")
        assert answer(server, call, "OPTIONS")[0] == 204


@pytest.mark.parametrize("name", SERVERS)
def test_site_without_etherscan_api_responds_404(name, tmp_path):
    with SERVERS[name](project(tmp_path, PAGES)) as server:
        status, body = answer(server, f"/api?module=contract&action=getabi&address={ABSENT}")
        assert (status, b"explorer" in body) == (404, True)
        assert answer(server, "/api") == (200, PAGES["api.html"])


SIGNATURES = SIGNATURE_SITE | PAGES
LOOK_UPS = (
    "/signature-database/v1/lookup",
    "/Signature-Database/v1/Search/",
    "/api/v1/signatures/",
    "/api/v1/event-signatures",
)


@pytest.mark.parametrize("name", SERVERS)
def test_static_server_signature_lookup_returns_501(name, tmp_path):
    queries = ("", "?function=0xa9059cbb", "?query=%00%zz<b>&function=,", "?hex_signature=0xa9059cbb")
    with SERVERS[name](project(tmp_path, SIGNATURES)) as server:
        for path in LOOK_UPS:
            for query in queries:
                response = server.fetch(path + query)
                assert response["status"] == 501
                assert json.loads(response["body"]) == NO_SIGNATURES
                assert response["headers"]["content-type"].startswith("application/json")
                assert response["headers"]["access-control-allow-origin"] == "*"
            assert server.fetch(path, method="OPTIONS")["status"] == 204
        [named] = re.findall(r"/(\S+txt)", NO_SIGNATURES["error"])
        assert server.fetch(f"/{named}")["body"] == SIGNATURE_SITE[named]
        assert server.fetch("/signature-database/v1/stats")["status"] == 200


@pytest.mark.parametrize("name", SERVERS)
def test_site_without_signature_api_responds_404(name, tmp_path):
    with SERVERS[name](project(tmp_path, PAGES)) as server:
        for path in LOOK_UPS:
            assert answer(server, path) == (404, PAGES["404.html"])
