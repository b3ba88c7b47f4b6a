"""`statuary serve` as a process: a folder, and content that changes while it is served."""

import http.client
import json
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, closing, suppress
from errno import ENOSPC
from pathlib import Path
from threading import Event, Thread

import pytest
from click.testing import CliRunner

from statuary.base.errors import StatuaryError
from statuary.base.primitives import parse_instant
from statuary.cli.main import command
from statuary.extensions.serving import commands
from statuary.extensions.serving import server as server_module
from statuary.extensions.serving.server import (
    ReloadEvents,
    WatchedContent,
    read_content_state,
    rebuild_on_changes,
)
from support.edge_runtimes import Served, serve_with_deno, served, write_site
from support.edge_vectors import ERROR_ID, VECTORS, fixture_site, status_document
from support.requirements import require_module
from support.sites import SMALL_SITE, small_site, write_files
from support.tiers import few_by_default

READY = r"at http://127\.0\.0\.1:(\d+)/"
SERVE = [sys.executable, "-m", "statuary", "serve", "--port", "0"]
NOW = parse_instant("2026-11-20T12:00:00Z")

CONTENT = {
    "site.yaml": b"page: {name: Demo, url: 'https://status.example', time_zone: Etc/UTC}\n",
    "components.yaml": b"components:\n  rpc: {name: RPC, start_date: 2026-01-01}\n",
}


WITHOUT_EXTRAS = """
import sys
from importlib import util
find = util.find_spec
util.find_spec = lambda name, *rest: None if name == "watchfiles" else find(name, *rest)
sys.modules["watchfiles"] = None
sys.argv[0] = "statuary"
from statuary.cli.main import command
command()
"""


@pytest.fixture(params=[pytest.param("watchfiles", marks=pytest.mark.slow), "base install"])
def serve(request):
    """Return the command of a server: with the package of the extra, or as if it were not installed."""
    if request.param == "watchfiles":
        require_module("watchfiles", install="pip install -e '.[serve]'")
        return SERVE
    return [sys.executable, "-c", WITHOUT_EXTRAS, *SERVE[3:]]


@pytest.mark.slow
def test_serve_command_returns_test_vector_responses(tmp_path):
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


@pytest.mark.parametrize(
    "now", ["2026-12-01T11:30:00Z", *few_by_default(["2026-12-01T09:59:59Z", "2026-12-01T10:30:00Z"], 0)]
)
def test_at_option_serves_future_status(tmp_path, now):
    site = write_site(tmp_path / "site", fixture_site())
    expected = {"09": "plain", "10": "a", "11": "b \u00e9 patched"}[now[11:13]]
    with served([*SERVE, str(site), "--at", now], READY) as server:
        answer = server.ask("/api/v2/summary.json")
        assert answer["body"] == status_document(expected).decode()


@pytest.mark.slow
def test_serve_rebuilds_changed_content(tmp_path, serve):
    content = write_site(tmp_path / "content", CONTENT)
    with served([*serve, "--content", str(content)], READY) as server:
        assert name_of_component(server) == "RPC"
        change(server, content, CONTENT["components.yaml"].replace(b"RPC", b"Gateway"))
        assert name_of_component(server) == "Gateway"
        change(server, content, b"components: 12")
        assert name_of_component(server) == "Gateway"
        assert sorted(path.name for path in content.iterdir()) == sorted(CONTENT)


@pytest.mark.slow
def test_sigterm_removes_temporary_build(tmp_path):
    content = write_site(tmp_path / "content", CONTENT)
    (tmp_path / "temporary").mkdir()
    command = [*SERVE, "--content", str(content)]
    with served(command, READY, TMPDIR=str(tmp_path / "temporary")) as server:
        assert name_of_component(server) == "RPC"
        assert list((tmp_path / "temporary").iterdir())
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("installed", [True, False])
def test_content_change_before_watching_is_detected(tmp_path, monkeypatch, installed):
    if installed:
        require_module("watchfiles", install="pip install -e '.[serve]'")
    else:
        monkeypatch.setattr(server_module, "find_spec", lambda name: None)
    content = write_site(tmp_path / "content", CONTENT)
    built, stopped = read_content_state(content), Event()
    (content / "components.yaml").write_bytes(b"components: {}\n")
    watched = WatchedContent(content, stopped.set, built)
    watching = Thread(target=rebuild_on_changes, args=(watched, ReloadEvents(), stopped), daemon=True)
    watching.start()
    assert stopped.wait(20)
    watching.join(20)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (StatuaryError("no content", "make some"), "statuary: no content\n    make some\n"),
        (OSError(ENOSPC, "No space left on device", "site"), "statuary: site: No space left on device"),
        (RuntimeError("oops"), "statuary: unexpected RuntimeError: 'oops' in "),
    ],
)
def test_failed_rebuild_does_not_stop_serving(tmp_path, monkeypatch, capsys, error, message):
    def fail(*_: object) -> None:
        raise error

    content = small_site(tmp_path)
    with ExitStack() as stack:
        opened = commands._build_content_to_serve(content, lambda: NOW, stack)
        monkeypatch.setattr(commands, "build_site", fail)
        capsys.readouterr()
        assert opened.watched is not None
        opened.watched.rebuild()
        assert message in capsys.readouterr().err
        assert opened.reader.read("api/v2/status.json")
        opened.reader.close()


def change(server: Served, content: Path, components: bytes) -> None:
    """Write the components again and wait until open pages are notified."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", "/_statuary/changes")
    stream = connection.getresponse()
    (content / "components.yaml").write_bytes(components)
    until = time.monotonic() + 60
    while b"event: change" not in stream.readline():
        assert time.monotonic() < until, "no event"
    connection.close()


def name_of_component(server: Served) -> str:
    name: str = json.loads(server.ask("/api/v2/components.json")["body"])["components"][0]["name"]
    return name


def test_serve_rejects_port_beyond_range(tmp_path):
    done = CliRunner().invoke(command, ["serve", str(tmp_path), "--port", "80000"])
    assert (done.exit_code, "80000 is not in the range" in done.output) == (2, True)


def test_serve_on_used_port_reports_address(tmp_path):
    write_files(tmp_path, {"index.html": ""})
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(
            AssertionError,
            match=r"cannot listen on .*: Address already in use\n    --port 0 chooses a free port",
        ),
        served([*SERVE[:-1], str(taken.getsockname()[1]), str(tmp_path)], READY),
    ):
        pass


def test_serve_rejects_folder_without_site(tmp_path):
    write_files(tmp_path, {"notes.txt": ""})
    done = CliRunner().invoke(command, ["serve", "--port", "0", str(tmp_path)])
    assert done.exit_code == 3
    assert "does not contain a site\n    name the folder of a build" in done.output


LONG = "9" * 20_000

HOSTILE_TARGETS = [
    f"/v2/contracts/1?afterMatchId={LONG}",
    f"/v2/contracts/1?limit={LONG}",
    "/v2/contracts/1?limit=1e999",
    f"/v2/contracts/{LONG}",
    f"/v2/contract/{LONG}/0x{LONG}",
    f"/{'a' * 5000}",
    f"/{'a/' * 5000}",
    f"/{'%c3%28' * 100}",
    "/%ff%fe",
    "/out",
    "/circle",
    "/api/up/api/up/nothing",
    "/%00",
    "/a%5cb",
    "/?%",
]
"""Numbers and names of any length, links out of the folder and in circles, escapes that are not UTF-8."""


def hostile_site(folder: Path) -> Path:
    """Write a site with links that lead out of it, in a circle and up."""
    site = write_site(folder / "site", fixture_site())
    (folder / "secret").write_text("secret")
    (site / "out").symlink_to(folder / "secret")
    (site / "circle").symlink_to(site / "circle")
    (site / "api" / "up").symlink_to(site)
    return site


def ask_for_everything(server: Served) -> None:
    for target in HOSTILE_TARGETS:
        for method in ("GET", "HEAD", "POST", "OPTIONS", "BREW"):
            status = server.ask(target, method)["status"]
            assert 200 <= status < 500, (status, method, target[:60])
    assert "secret" not in server.ask("/out")["body"]


@pytest.mark.slow
def test_serve_never_responds_500(tmp_path):
    with served([*SERVE, str(hostile_site(tmp_path))], READY) as server:
        ask_for_everything(server)


@pytest.mark.slow
def test_deno_never_responds_500(tmp_path):
    with serve_with_deno(hostile_site(tmp_path)) as server:
        ask_for_everything(server)


def test_serve_reports_missing_content_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = subprocess.run(SERVE, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 3
    assert done.stderr.splitlines() == [
        "statuary: there is no folder content to build",
        "    name the content folder with --content, or the folder of a site; `statuary init` makes new content",
    ]


OWN_HOSTS = (
    "localhost",
    "LocalHost.",
    "a.localhost:80",
    "127.0.0.1:1",
    "[::1]:1",
    "192.168.0.7",
    "named.example",
    "status.plinth.example",
)
FOREIGN_HOSTS = (
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "xlocalhost",
    "[::1].evil.example",
    "0x7f.1.evil",
)


def asked_as(server: Served, host: str, path: str) -> tuple[int, str]:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)) as connection:
        connection.putrequest("GET", path, skip_host=True)
        connection.putheader("Host", host)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def test_unknown_host_header_responds_421(tmp_path):
    """The page of another site, whose name was made to lead to this machine, reads nothing."""
    content = write_files(tmp_path / "content", SMALL_SITE)
    with served([*SERVE, "--content", str(content), "--allow-host", "named.example"], READY) as server:
        for host in OWN_HOSTS:
            assert asked_as(server, host, "/api/v2/status.json")[0] == 200, host
        for host in FOREIGN_HOSTS:
            for path in ("/api/v2/status.json", "/_statuary/changes", "/_statuary/reload.js", "/server/x"):
                status, body = asked_as(server, host, path)
                assert (status, "does not answer for this host" in body) == (421, True), host


IMPATIENT = """
from statuary.extensions.serving import server
server.REQUEST_SECONDS = 1
from statuary.cli.main import command
command()
"""


@pytest.mark.slow
@pytest.mark.parametrize("first", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_endless_request_headers_close_connection(tmp_path, first):
    site = write_site(tmp_path / "site", fixture_site())
    program = [sys.executable, "-c", IMPATIENT, *SERVE[3:], str(site)]
    with served(program, READY) as server, socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.settimeout(0.2)
        slow.sendall(first + b"GET / HTTP/1.1\r\n")
        began = time.monotonic()
        ended = False
        while not ended and time.monotonic() - began < 20:  # a byte now and then, as slowloris does
            try:
                ended = not slow.recv(65536)
            except TimeoutError:
                with suppress(OSError):
                    slow.send(b"X")
            except OSError:
                ended = True
        assert ended
        assert server.ask("/chains")["status"] == 200


def test_serve_rejects_missing_site_folder(tmp_path):
    with (
        pytest.raises(AssertionError, match="cannot be read: No such file"),
        served([*SERVE, str(tmp_path / "no")], READY),
    ):
        pass
