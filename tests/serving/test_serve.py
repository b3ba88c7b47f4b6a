"""`statuary serve` as a process: a folder, and content that changes while it is served."""

import http.client
import json
import socket
import sys
from pathlib import Path

import pytest

from support.edge_runtimes import Served, served, write_site
from support.edge_vectors import ERROR_ID, VECTORS, fixture_site
from support.requirements import require_module

READY = r"at http://127\.0\.0\.1:(\d+)/"
SERVE = [sys.executable, "-m", "statuary", "serve", "--port", "0"]

CONTENT = {
    "site.yaml": b"page: {name: Demo, url: 'https://status.example', time_zone: Etc/UTC}\n",
    "components.yaml": b"components:\n  rpc: {name: RPC, start_date: 2026-01-01}\n",
}


@pytest.fixture(autouse=True)
def packages():
    for name in ("uvicorn", "watchfiles"):
        require_module(name, install="pip install -e '.[serve]'")


def test_a_folder_is_served_as_the_vectors_say(tmp_path):
    site = write_site(tmp_path / "site", fixture_site())
    cases = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]
    with served([*SERVE, str(site)], READY) as server:
        for case in cases:
            if case["answer"] and "now" not in case:
                answer = server.ask(case["target"], case["method"])
                assert ERROR_ID.sub("<uuid>", answer["body"]) == case["answer"]["body"], case["target"]
                assert answer["status"] == case["answer"]["status"], case["target"]
        for target in ("/../site", "/%2e%2e/%2e%2e/etc/passwd", "/.git/config", "//etc/passwd", "/a%00b"):
            assert server.ask(target)["status"] == 404, target


@pytest.mark.parametrize("now", ["2026-12-01T09:59:59Z", "2026-12-01T10:30:00Z", "2026-12-01T11:30:00Z"])
def test_the_future_can_be_looked_at(tmp_path, now):
    site = write_site(tmp_path / "site", fixture_site())
    expected = {"09": "", "10": "_epochs/a/", "11": "_epochs/b/"}[now[11:13]]
    with served([*SERVE, str(site), "--at", now], READY) as server:
        answer = server.ask("/api/v2/summary.json")
        assert answer["body"] == fixture_site()[f"api/v2/{expected}summary.json"].decode()


def test_content_is_built_again_when_it_changes(tmp_path):
    content = write_site(tmp_path / "content", CONTENT)
    with served([*SERVE, "--content", str(content)], READY) as server:
        assert name_of_component(server) == "RPC"
        change(server, content, CONTENT["components.yaml"].replace(b"RPC", b"Gateway"))
        assert name_of_component(server) == "Gateway"
        change(server, content, b"components: 12")
        assert name_of_component(server) == "Gateway"
        assert sorted(path.name for path in content.iterdir()) == sorted(CONTENT)


def change(server: Served, content: Path, components: bytes) -> None:
    """Write the components anew and wait until open pages are told."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", "/_statuary/changes")
    stream = connection.getresponse()
    (content / "components.yaml").write_bytes(components)
    while b"event: change" not in stream.readline():
        pass
    connection.close()


def name_of_component(server: Served) -> str:
    name: str = json.loads(server.ask("/api/v2/components.json")["body"])["components"][0]["name"]
    return name


def test_a_port_that_is_taken_is_said(tmp_path):
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(AssertionError, match=r"cannot listen on .*: Address already in use; try --port 0"),
        served([*SERVE[:-1], str(taken.getsockname()[1]), str(tmp_path)], READY),
    ):
        pass


def test_a_site_that_is_not_there_is_refused(tmp_path):
    with (
        pytest.raises(AssertionError, match="cannot be read: No such file"),
        served([*SERVE, str(tmp_path / "no")], READY),
    ):
        pass
