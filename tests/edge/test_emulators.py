"""The adapters in the runtimes of their hosts, tested with the conformance vectors over HTTP."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from statuary.site.document import encode_json
from support.edge_runtimes import (
    Served,
    serve_with_cloudflare,
    serve_with_deno,
    serve_with_netlify,
    write_site,
)
from support.edge_vectors import ERROR_ID, ODD, STATUS_DOCUMENTS, VECTORS, fixture_site, status_document
from support.random_runs import IS_LARGE

pytestmark = pytest.mark.slow

Case = dict[str, Any]

READS = ("GET", "HEAD")


def vectors() -> list[Case]:
    """Return the cases that the edge module answers by itself, at whatever time it is."""
    cases: list[Case] = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]
    return [case for case in cases if case["answer"] and "now" not in case]


def differences(server: Served, cases: list[Case]) -> dict[str, Any]:
    """Return what is answered otherwise than the vectors say, by method and target."""
    answers = {f"{case['method']} {case['target']}": (case, ask(server, case)) for case in cases}
    return {name: answer for name, (case, answer) in answers.items() if answer != case["answer"]}


def ask(server: Served, case: Case) -> Case:
    answer = server.ask(case["target"], case["method"])
    headers = {name: answer["headers"].get(name.lower()) for name in case["answer"]["headers"]}
    return {"status": answer["status"], "headers": headers, "body": ERROR_ID.sub("<uuid>", answer["body"])}


def site_of_today() -> dict[str, bytes]:
    """Return the site of the vectors, its status a summary that was patched an hour ago and will be again."""
    hours = (datetime.now(UTC).replace(microsecond=0) + timedelta(hours=ahead) for ahead in (-2, -1, 1))
    instants = [f"{hour:%Y-%m-%dT%H:%M:%S}.000Z" for hour in hours]
    index = {
        "until": "2999-01-01T00:00:00.000Z",
        "complete": True,
        "instants": instants,
        "documents": {"api/v2/summary.json": {"whole": [0], "patched": [1], "again": {"2": 0}}},
    }
    first, second = (
        f"api/v2/_epochs/{re.sub('[-:.]', '', since)}/api/v2/summary.json" for since in instants[:2]
    )
    patch = STATUS_DOCUMENTS["api/v2/_epochs/20261201T110000000Z/api/v2/summary.json.patch.json"]
    stored = {first: status_document("a"), f"{second}.patch.json": patch}
    return fixture_site() | stored | {"api/v2/_epochs/index.json": encode_json(index)}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("site"), site_of_today())


@pytest.fixture(scope="module")
def deno_serve(site: Path) -> Iterator[Served]:
    with serve_with_deno(site) as server:
        yield server


@pytest.fixture(scope="module")
def netlify(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_with_netlify(site_of_today(), tmp_path_factory.mktemp("netlify")) as server:
        yield server


@pytest.fixture(scope="module")
def cloudflare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_with_cloudflare(site_of_today(), tmp_path_factory.mktemp("cloudflare")) as server:
        yield server


def test_deno_serve_returns_expected_responses(deno_serve):
    assert not differences(deno_serve, vectors())


def test_deno_serve_rejects_paths_outside_folder(deno_serve):
    page = deno_serve.ask("/v2/contracts-pages/10/index.json")
    assert (page["status"], page["headers"]["content-type"]) == (200, "application/json; charset=utf-8")
    for target in (
        "/../edge/vectors.json",
        "/%2e%2e/x",
        "/..%2f..%2fetc%2fpasswd",
        "/%00",
        "/%zz",
        "/api/v2/",
    ):
        assert deno_serve.ask(target)["status"] == 404, target
    assert deno_serve.ask("/api/v2/status.json", method="POST")["status"] == 405


def test_cloudflare_worker_returns_expected_responses(cloudflare):
    assert not differences(cloudflare, vectors())


def test_cloudflare_worker_serves_static_files(cloudflare):
    assert cloudflare.ask("/v2/contracts-pages/10/index.json")["status"] == 200
    assert cloudflare.ask("/nothing/here")["status"] == 404


def test_netlify_edge_function_returns_expected_responses(netlify):
    """Each request starts a new worker there, so that a spread of the reads is asked, or all if you wait for it."""
    reads = [case for case in vectors() if case["method"] in READS]
    assert not differences(netlify, reads if IS_LARGE else [*reads[::29], *reads[-36::4]])


def test_netlify_edge_function_skips_static_files(netlify):
    page = netlify.ask("/v2/contracts-pages/10/index.json")
    assert page["body"] == fixture_site()["v2/contracts-pages/10/index.json"].decode()
    assert page["headers"]["x-answered-by"] == "static"
    assert netlify.ask("/assets/none.css")["headers"]["x-answered-by"] == "nothing"
    assert netlify.ask("/robots.txt")["status"] == 404
    assert netlify.ask("/v2/contracts/1")["headers"]["x-answered-by"] == "edge-function"


@pytest.mark.parametrize("runtime", ["deno_serve", "netlify", "cloudflare"])
def test_edge_runtime_serves_current_status_document(runtime, request):
    server: Served = request.getfixturevalue(runtime)
    answer = server.ask("/api/v2/summary.json")
    assert answer["body"] == status_document("b \u00e9 patched").decode()
    assert answer["headers"]["cache-control"] == "public, max-age=30"
    assert answer["headers"]["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("runtime", ["deno_serve", "cloudflare"])
def test_matching_etag_returns_304(runtime, request):
    server: Served = request.getfixturevalue(runtime)
    for target in (
        f"/v2/contract/1/{ODD}",
        f"/v2/contract/1/{ODD}?fields=abi,metadata",
        "/v2/contracts/10?limit=2",
    ):
        first = server.ask(target)
        again = server.ask(target, headers={"If-None-Match": first["headers"]["etag"]})
        assert (again["status"], again["body"]) == (304, "")
