"""This repository's own site on real servers, set up by what `statuary hosting` writes, held by `statuary conform`."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from statuary.contracts.api.proof_rules import EXPLORER_ERROR, SOURCIFY_SERVER
from statuary.extensions.conform.commands import conform_command as conform
from statuary.extensions.serving.lookup import make_entity_tag
from support.edge_runtimes import Served, serve_project_with_netlify
from support.host_servers import EMULATORS_LACK, SERVERS, project_for
from support.random_runs import IS_LARGE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project_for(tmp_path_factory)


SLOW = {
    "Netlify (`@netlify/dev`)": (
        "openapi-describes-the-site",
        "malformed-parameters-are-rejected",
        "invalid-selectors-are-rejected",
        "fields-are-omitted",
        "lists-are-sorted-and-limited",
    )
}
"""Checks left out where every request starts a new worker, unless the run is large: the vectors ask as much."""

DEMO_LACKS = [
    "descriptors-are-indexed",
    "descriptors-have-proofs",
    "metrics-have-their-points",
    "packs-have-the-records",
]
"""Checks of what the demo site does not have: descriptors for clear signing, and measurements."""


@pytest.mark.parametrize("name", SERVERS)
def test_web_server_passes_conformance_checks(name: str, project: Path):
    serve, level = SERVERS[name]
    left_out = [*EMULATORS_LACK.get(name, ()), *(() if IS_LARGE else SLOW.get(name, ()))]
    options = [part for check in left_out for part in ("--skip", check)]
    sample = "1" if name in SLOW else "3"
    with serve(project) as running:
        base = f"http://127.0.0.1:{running.port}"
        done = CliRunner().invoke(
            conform, [base, "--level", level, "--sample", sample, "--format", "json", *options]
        )
    checks = json.loads(done.stdout)["checks"]
    failed = {check["check"]: check["problems"] for check in checks if check["outcome"] == "failed"}
    skipped = [check["check"] for check in checks if check["outcome"] == "skipped"]
    assert (failed, skipped) == ({}, DEMO_LACKS)
    assert done.exit_code == 0


ANY_ORIGIN = {"access-control-allow-origin": "*"}


@pytest.mark.parametrize("name", SERVERS)
def test_web_server_answers_explorer_clients(name: str, project: Path):
    """An explorer's API is at the path of the API page: its clients read JSON, whatever the status."""
    serve, level = SERVERS[name]
    with serve(project) as running:
        calls = [
            running.ask("/api?module=contract&action=getabi&address=0x00"),
            running.ask("/api/?chainid=1&module=contract"),
            running.ask("/api", method="POST"),
        ]
        page = running.ask("/api")
        health, version = running.ask("/health"), running.ask("/version")
        again = [running.ask(f"/server/{path}") for path in ("health", "version")]
    has_api = level == "edge" or name in ("nginx", "Caddy")  # `apis: [etherscan]` needs code, or their rules
    for call in calls:
        assert call["headers"]["content-type"] == "application/json; charset=utf-8"
        assert call["headers"].items() >= ANY_ORIGIN.items()
        answer = json.loads(call["body"])
        assert answer["status"] == "0"
        assert call["status"] == (200 if has_api else 404)
        assert has_api or answer == EXPLORER_ERROR
    assert page["headers"]["content-type"] == "text/html; charset=utf-8"
    assert "<main" in page["body"]
    assert (health["status"], health["body"]) == (200, "Alive and kicking!")
    assert health["headers"]["content-type"] == "text/html; charset=utf-8"
    assert version["headers"]["content-type"] == "application/json; charset=utf-8"
    assert json.loads(version["body"])["sourcifyServerVersion"] == SOURCIFY_SERVER
    assert [answer["body"] for answer in again] == [health["body"], version["body"]]


COMPRESSING = ("`statuary serve`", "`statuary serve site.zip`", "Deno", "nginx and Deno", "Caddy and Deno")
"""The servers that answer with what statuary gives them; others have entity tags and compression of their own."""

TEXTS = ("/contracts/", "/assets/statuary.css", "/openapi.json", "/api/v2/summary.json", "/health", "/api")


def answers_of(server: Served, targets: list[str], **headers: str) -> dict[str, dict[str, Any]]:
    """Return the response to each target; header names have their hyphens as underscores."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return {target: server.fetch(target, named) for target in targets}


@pytest.mark.parametrize("name", COMPRESSING)
def test_etags_match_between_copies_of_site(name: str, project: Path, tmp_path: Path):
    serve, _ = SERVERS[name]
    record = min((project / "build" / "v2" / "contract" / "748463").glob("0x*"))
    targets = [*TEXTS, f"/v2/contract/748463/{record.name}"]
    copy = shutil.copytree(project, tmp_path / "copy", copy_function=shutil.copyfile)
    with serve(project) as first, serve(copy) as second:
        whole = answers_of(first, targets)
        packed = answers_of(second, targets, Accept_Encoding="br;q=0.5, gzip")
        heads = {target: first.ask(target, "HEAD", {"Accept-Encoding": "gzip"}) for target in targets}
        again = {
            target: second.ask(target, headers={"If-None-Match": whole[target]["headers"]["etag"]})
            for target in targets
        }
        refused = first.fetch("/openapi.json", {"Accept-Encoding": "gzip;q=0, *;q=0"})
    for target in targets:
        body, headers, other = whole[target]["body"], whole[target]["headers"], packed[target]["headers"]
        assert headers["etag"] == other["etag"] == heads[target]["headers"]["etag"] == make_entity_tag(body)
        assert "content-encoding" not in headers
        assert (again[target]["status"], again[target]["body"]) == (304, ""), target
        for each in (headers, other, heads[target]["headers"], again[target]["headers"]):
            assert "Accept-Encoding" in each["vary"], target
        encoding = other.get("content-encoding")
        assert encoding == heads[target]["headers"].get("content-encoding")
        sent = packed[target]["body"]
        assert (gzip.decompress(sent) if encoding == "gzip" else sent) == body
        if len(body) >= 1024:
            assert encoding == "gzip"
            assert len(sent) < len(body)
    assert "content-encoding" not in refused["headers"]


def test_netlify_redirect_hides_ledger_file(project: Path):
    with serve_project_with_netlify(project) as running:
        answer = running.ask("/.statuary/ledger.sqlite3")
    assert answer["headers"]["x-answered-by"] == "redirect"
