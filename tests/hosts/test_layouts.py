"""What a site may hold for its hosts, on those hosts: shards behind the edge module, compressed forms, a fallback."""

import gzip
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.extensions.conform.commands import conform_command as conform
from statuary.site.settings import HostingPlatform, HostingSettings, PathLayout
from support.edge_runtimes import Served, serve_project_with_cloudflare, serve_project_with_netlify
from support.host_servers import (
    project_for,
    serve_folder_with_deno,
    serve_with_caddy,
    serve_with_nginx,
    serve_with_statuary,
)
from support.requirements import require_module

pytestmark = pytest.mark.slow

CHAIN = "748463"
SHARDED = HostingSettings(layout=PathLayout.SHARDED, files=(HostingPlatform.CLOUDFLARE,))
SHARDED_FOR_NETLIFY = HostingSettings(layout=PathLayout.SHARDED, files=(HostingPlatform.NETLIFY,))


def addresses(project: Path) -> list[str]:
    listed = json.loads((project / "build" / "v2" / "contracts" / CHAIN).read_bytes())
    return [entry["address"] for entry in listed["results"]]


def contracts_conform(server: Served) -> dict[str, list[str]]:
    """Return what a server does not conform in, of the look-up at the edge."""
    base = f"http://127.0.0.1:{server.port}"
    options = ["--only", "contracts", "--level", "edge", "--format", "json"]
    checks = json.loads(CliRunner().invoke(conform, [base, *options]).stdout)["checks"]
    return {check["check"]: check["problems"] for check in checks if check["outcome"] != "passed"}


@pytest.fixture(scope="module")
def sharded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project_for(tmp_path_factory, "\nhosting: {layout: sharded, files: [cloudflare]}\n")


@pytest.fixture(scope="module")
def compressed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for module in ("brotli", "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"):
        require_module(module, install='pip install "statuary[compress]"')
    return project_for(tmp_path_factory, "\nhosting: {precompressed: [gz, br, zst]}\n")


@pytest.mark.parametrize(
    "serve", [serve_folder_with_deno, serve_project_with_cloudflare, serve_with_statuary]
)
def test_sharded_layout_passes_conformance_checks(serve, sharded):
    with serve(sharded, **({} if serve is serve_with_statuary else {"settings": SHARDED})) as server:
        assert contracts_conform(server) == {}


@pytest.mark.parametrize("serve", [serve_project_with_cloudflare, serve_project_with_netlify])
def test_edge_module_serves_shards_without_rewrites(serve, sharded):
    """Cloudflare has no room for rewrites of shards, so the edge module finds every record and proof."""
    assert "_shards" not in (sharded / "build/_redirects").read_text("utf-8")
    with serve(sharded, settings=SHARDED) as server:
        for address in addresses(sharded):
            for path in (f"/v2/contract/{CHAIN}/{address}", f"/proof/{CHAIN}/{address}.json"):
                for asked in (path, path.replace(address, address.lower())):
                    found = server.ask(asked)
                    assert found["status"] == 200, asked
                    assert json.loads(found["body"])["address"] == address
        assert server.ask(f"/proof/{CHAIN}/0x{'0' * 39}1.json")["status"] == 404


def test_netlify_serves_records_from_sharded_layout(tmp_path_factory):
    sharded = project_for(tmp_path_factory, "\nhosting: {layout: sharded, files: [netlify]}\n")
    address = addresses(sharded)[0]
    with serve_project_with_netlify(sharded, settings=SHARDED_FOR_NETLIFY) as server:
        record = server.ask(f"/v2/contract/{CHAIN}/{address}?fields=abi")
        proof = server.ask(f"/proof/{CHAIN}/{address}.json")
        missing = server.ask(f"/v2/contract/{CHAIN}/0x{'0' * 39}1")
    assert (record["status"], record["headers"]["x-answered-by"]) == (200, "edge-function")
    assert json.loads(record["body"])["address"] == address
    assert (proof["status"], proof["headers"]["x-answered-by"]) == (200, "redirect")
    assert json.loads(proof["body"])["address"] == address
    assert missing["status"] == 404


@pytest.mark.parametrize(
    ("serve", "encodings"), [(serve_with_nginx, ("gzip",)), (serve_with_caddy, ("gzip", "br", "zstd"))]
)
def test_accept_encoding_header_selects_precompressed_file(serve, encodings, compressed):
    target = f"/v2/contract/{CHAIN}/{addresses(compressed)[0]}"
    with serve(compressed) as server:
        plain = server.fetch(target)
        forms = {encoding: server.fetch(target, {"Accept-Encoding": encoding}) for encoding in encodings}
    assert "content-encoding" not in plain["headers"]
    for encoding, form in forms.items():
        assert form["headers"]["content-encoding"] == encoding
        assert form["headers"]["content-type"] == plain["headers"]["content-type"]
        assert len(form["body"]) < len(plain["body"]) / 2
    assert gzip.decompress(forms["gzip"]["body"]) == plain["body"]


@pytest.mark.parametrize("serve", [serve_with_nginx, serve_with_caddy])
def test_files_are_served_without_edge_module(serve, tmp_path_factory):
    project = project_for(tmp_path_factory)
    address = addresses(project)[0]
    with serve_folder_with_deno(project) as gone:
        pass
    with serve(project, gone) as server:
        record = server.ask(f"/v2/contract/{CHAIN}/{address}")
        summary = server.ask("/api/v2/summary.json")
        absent = server.ask("/nothing/here")
    assert json.loads(record["body"])["address"] == address
    assert record["headers"]["content-type"] == "application/json; charset=utf-8"
    assert json.loads(summary["body"])["page"]["name"] == "Plinth"
    assert absent["status"] == 404
