"""No output, file or message has a secret, however a channel, a probe, a node or a store fails."""

import json
import os
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from support.sites import INCIDENT, NOW, SITE, SMALL_SITE, small_site, write_files
from support.tiers import few_by_default

SECRET = "hunter2secret"


def ok(body: str, length: int | None = None) -> str:
    """Return a response with a body, and its length unless another is given."""
    return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body) if length is None else length}\r\n\r\n{body}"


RESPONSES = {
    "echo": ok(SECRET),
    "reason": f"HTTP/1.1 403 {SECRET}\r\nContent-Length: 0\r\n\r\n",
    "failing": f"HTTP/1.1 503 {SECRET}\r\nContent-Length: 0\r\n\r\n",
    "redirect": f"HTTP/1.1 302 Found\r\nLocation: ftp://x/{SECRET}\r\nContent-Length: 0\r\n\r\n",
    "around": f"HTTP/1.1 302 Found\r\nLocation: /around/{SECRET}\r\nContent-Length: 0\r\n\r\n",
    "broken": f"{SECRET}\r\n\r\n",
    "header": f"HTTP/1.1 200 OK\r\nContent-Length: {SECRET}\r\n\r\n",
    "early": ok(SECRET, 999),
    "error": ok(json.dumps({"error": {"code": -1, "message": SECRET}})),
    "result": ok(json.dumps({"result": {"number": SECRET, "unsafe_l2": SECRET}})),
    "quantity": ok(json.dumps({"result": SECRET})),
    "cut": "",
}
"""What a server sends, by the beginning of the path that is asked for."""


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        path = self.rfile.readline().decode("latin-1").split(" ")[1]
        self.wfile.write(RESPONSES[path.strip("/").partition("/")[0]].encode())


@contextmanager
def hostile_server() -> Iterator[str]:
    """Serve every response on a free port."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def urls(server: str) -> list[str]:
    """Return addresses that fail, each in its own way."""
    return [
        *(f"http://{server}/{name}/{SECRET}" for name in RESPONSES),
        f"https://{server}/echo/{SECRET}",
        f"http://127.0.0.1:9/{SECRET}?key={SECRET}#{SECRET}",
        f"http://{SECRET}:{SECRET}@127.0.0.1:9/",
        f"http://127.0.0.1:9/{SECRET} with a space",
        f"http://127.0.0.1:9/{SECRET}\u20ac",
        f"http://127.0.0.1:9/\x1b{SECRET}",
        f"http://127.0.0.1:{SECRET}/",
        f"http://[::{SECRET}/",
        f"http://{'a' * 70}.example/{SECRET}",
        f"http://nowhere.invalid/{SECRET}",
        f"http:///{SECRET}",
        f"ftp://{SECRET}",
        SECRET,
    ]


def run(folder: Path, *arguments: str, code: int, **variables: str) -> None:
    """Run a command that fails, and check its output and every file that it may have written."""
    done = subprocess.run(
        [sys.executable, "-m", "statuary", *arguments],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == code, output.decode()
    assert b"Traceback" not in output
    assert b"defect of statuary" not in output
    assert output.decode().count(SECRET) == 0, [
        line for line in output.decode().split("\n") if SECRET in line
    ]
    written = [file for file in folder.rglob("*") if file.is_file()]
    assert [file for file in written if SECRET.encode() in file.read_bytes()] == []


def test_failing_notification_channels_print_no_secret(tmp_path):
    with hostile_server() as server:
        addresses = urls(server)
        channels = [
            {
                "name": f"{kind}-{number}",
                "kind": kind,
                "url_variable": f"URL_{number}",
                "delivery": "at_most_once",
            }
            for number in range(len(addresses))
            for kind in ("webhook", "slack", "teams", "listmonk", "buttondown")
        ]
        settings = SITE + yaml.safe_dump({"notify": {"channels": channels}})
        incident = INCIDENT.partition("  - at: 2026-11-02T11")[0]
        write_files(
            tmp_path / "content", SMALL_SITE | {"site.yaml": settings, "incidents/slow.yaml": incident}
        )
        variables = {f"URL_{number}": url for number, url in enumerate(addresses)}
        options = ["--state", "sent.json", "--since", "2026-11-02T09:00:00Z", "--now", "2026-11-02T10:30:00Z"]
        run(tmp_path, "notify", *options, code=1, **variables)
        run(tmp_path, "notify", "--test", code=1, **variables)


def test_failing_probes_print_no_secret(tmp_path):
    with hostile_server() as server:
        addresses = [*urls(server), f"{SECRET}:9", f"127.0.0.1:{'9' * 30}", "127.0.0.1:9"]
        probes = {
            f"p{number}-{kind}": {
                "kind": kind,
                "url_variable": f"URL_{number}",
                "component": "rpc",
                "failures": 1,
            }
            for number in range(len(addresses))
            for kind in ("http", "tcp", "jsonrpc", "optimism", "zksync")
        }
        settings = SITE + yaml.safe_dump({"metrics": {"probes": probes}})
        write_files(tmp_path / "content", SMALL_SITE | {"site.yaml": settings})
        variables = {f"URL_{number}": url for number, url in enumerate(addresses)}
        run(tmp_path, "probe", "--alert", "alerts.json", code=1, **variables)
    assert (tmp_path / "alerts.json").stat().st_size > 1_000


READERS = (
    "mirror {} mirrored",
    "extract {} api/v2/summary.json",
    "log verify {}",
    "log proof 1/0x0 --from {}",
    "snapshot verify {}",
    "snapshot create out.zip --from {}",
    "conform {}",
    "build --to {}",
    "build --log-from {} --to out",
    "import statuspage {}",
    "import instatus {}",
    "import cachet {}",
    "import gatus {}",
    "import etherscan {} --chain-id 1",
    "import sourcify {}",
)
"""Commands that read a site or another system at an address."""

ADDRESSES = ("echo", "header", "error", "result", "redirect", "zip", "account")
"""How the address fails, or has a secret itself."""


@pytest.mark.slow
@pytest.mark.parametrize("command", READERS)
def test_failing_url_argument_prints_no_secret(command, tmp_path):
    content = small_site(tmp_path)
    site = content / "site.yaml"
    site.write_text(site.read_text("utf-8") + "log: {origin: status.example.org/log}\n", "utf-8")
    with hostile_server() as server:
        others = {
            "zip": f"http://{server}/echo/{SECRET}.zip",
            "account": f"http://{SECRET}:{SECRET}@127.0.0.1:9/",
            "closed": f"http://127.0.0.1:9/{SECRET}?key={SECRET}",
        }
        for name in ADDRESSES:
            address = others.get(name, f"http://{server}/{name}/{SECRET}")
            done = subprocess.run(
                [sys.executable, "-m", "statuary", *command.format(address).split()],
                cwd=tmp_path,
                env=os.environ,
                capture_output=True,
                text=True,
                check=False,
            )
            output = done.stdout + done.stderr
            assert done.returncode in {1, 2, 3, 4, 6}, (name, output)
            assert "Traceback" not in output, (name, output)
            assert SECRET not in output, (name, output)
            written = [file for file in tmp_path.rglob("*") if file.is_file()]
            assert [file for file in written if SECRET.encode() in file.read_bytes()] == []


def test_unset_probe_variable_is_reported(tmp_path):
    probe = {"kind": "http", "url_variable": "NODE_URL", "component": "rpc"}
    settings = SITE + yaml.safe_dump({"metrics": {"probes": {"node": probe}}})
    write_files(tmp_path / "content", SMALL_SITE | {"site.yaml": settings})
    run(tmp_path, "probe", code=1, NODE_URL="")
    assert "the environment variable NODE_URL is not set" in (tmp_path / "measurements/node.csv").read_text()


@pytest.mark.parametrize("name", few_by_default(["reason", "failing", "broken", "cut", "closed"], 1))
def test_failing_object_store_prints_no_secret(name, tmp_path):
    pytest.importorskip("obstore", reason='needs obstore (pip install "statuary[s3]")')
    content = small_site(tmp_path)
    run(tmp_path, "build", "--content", str(content), "--now", NOW, code=0)
    keys = {"AWS_ACCESS_KEY_ID": SECRET, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1"}
    with hostile_server() as server:
        address = "127.0.0.1:9" if name == "closed" else server
        endpoint = {"AWS_ENDPOINT_URL": f"http://{address}/{name}/{SECRET}", "AWS_ALLOW_HTTP": "true"}
        options = ["publish", "build", "--to", "s3://bucket", "--wait", "0"]
        run(tmp_path, *options, code=3, **keys, **endpoint)
