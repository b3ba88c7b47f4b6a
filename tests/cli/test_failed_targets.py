"""Every command with a target, and every way in which the target fails: one exit code, and what is there stays."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from itertools import product
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result

from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from statuary.extensions.object_stores.store import ObjectStore
from support.file_server import served
from support.local_server import LocalServer
from support.object_stores import HASTY, free_port
from support.sites import NOW, small_site, tree

pytestmark = pytest.mark.slow

HOOK = """\
notify:
  channels:
    - {name: hook, kind: webhook, url_variable: TARGET_HOOK_URL}
"""
BUCKET = "s3://plinth-bucket"
STORE = f"{BUCKET}/secret-prefix"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
FAILED = {"build": ExitCode.TARGET_FAILED}
"""The exit codes of commands that have done something before their target fails."""


class Answers(NamedTuple):
    """What a store answers: a status for what reads, and one for what writes."""

    reads: int
    writes: int


STORES = {
    "unreachable": None,
    "refused": Answers(403, 403),
    "writes refused": Answers(404, 403),
    "full": Answers(404, 507),
    "broken": Answers(500, 500),
    "without credentials": None,
}
REASONS = {
    "unreachable": "it cannot be reached",
    "refused": "denies access",
    "writes refused": "denies access",
    "without credentials": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set",
}
EMPTY_LIST = b'<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>'


@contextmanager
def store(answers: Answers | None) -> Iterator[str]:
    """Serve a store that fails; give its address. Without answers, nobody listens."""
    if answers is None:
        yield f"http://127.0.0.1:{free_port()}"
        return

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_list = answers.reads == 404 and "list-type" in self.path
            self.answer(200 if is_list else answers.reads, EMPTY_LIST if is_list else b"")

        def do_PUT(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.answer(answers.writes, b"")

        do_HEAD, do_POST, do_DELETE = do_GET, do_PUT, do_PUT  # noqa: N815 - the standard library's names

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = LocalServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder with content, a built site and its snapshot."""
    content = small_site(tmp_path)
    with (content / "site.yaml").open("a") as file:
        file.write(HOOK)
    assert run(tmp_path, "build").exit_code == 0
    assert run(tmp_path, "snapshot").exit_code == 0
    return tmp_path


def arguments_of(folder: Path, name: str, to: object = "", site_url: str = "") -> list[str]:
    """Return the command that writes to a target."""
    content, out, snapshot = folder / "content", folder / "site", folder / "site.zip"
    return [
        str(part)
        for part in {
            "build": [
                "build",
                "--content",
                content,
                "--out",
                out,
                "--now",
                NOW,
                *(["--to", to] if to else []),
            ],
            "publish": ["publish", out, "--to", to],
            "publish snapshot": ["publish", snapshot, "--to", to],
            "notify": ["notify", "--content", content, "--state", to, "--now", NOW],
            "snapshot": ["snapshot", "create", "--from", out, "--allow-older", to or snapshot],
            "extract": ["extract", snapshot, "*", "--to", to],
            "mirror": ["mirror", site_url, to],
        }[name]
    ]


def run(folder: Path, name: str, to: object = "", site_url: str = "") -> Result:
    return CliRunner().invoke(command, arguments_of(folder, name, to, site_url))


@pytest.mark.parametrize(
    ("name", "failure"), list(product(("build", "publish", "publish snapshot", "notify"), STORES))
)
def test_failing_object_store_fails_with_message(name, failure, site, monkeypatch):
    monkeypatch.setattr(ObjectStore.__init__, "__defaults__", (HASTY,))
    monkeypatch.setenv("TARGET_HOOK_URL", "http://127.0.0.1:1/hook")
    for variable, value in CREDENTIALS.items():
        monkeypatch.setenv(variable, value)
    if failure == "without credentials":
        for variable in CREDENTIALS:
            monkeypatch.delenv(variable)
    before = tree(site / "site")
    with store(STORES[failure]) as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
        monkeypatch.setenv("AWS_METADATA_ENDPOINT", endpoint)
        done = run(site, name, STORE)
    assert done.exit_code == FAILED.get(name, ExitCode.FAILED), done.output
    assert BUCKET in done.stderr
    assert REASONS.get(failure, "its response is an error") in done.stderr
    assert "Traceback" not in done.output
    assert endpoint not in done.output
    assert tree(site / "site") == before


FOLDERS = ("file in the way", "full")
FOLDER_COMMANDS = ("build", "publish", "publish snapshot", "notify", "snapshot", "extract", "mirror")


@pytest.mark.parametrize(("name", "failure"), list(product(FOLDER_COMMANDS, FOLDERS)))
def test_unwritable_target_folder_fails_with_message(name, failure, site, monkeypatch):
    monkeypatch.setenv("TARGET_HOOK_URL", "http://127.0.0.1:1/hook")
    before = tree(site / "site")
    with served(site / "site") as (url, _), bad_folder(site / "bad", failure) as folder:
        done = run(site, name, folder / "target", url)
    assert done.exit_code == FAILED.get(name, ExitCode.FAILED), done.output
    assert "Traceback" not in done.output
    assert str(site / "bad") in done.stderr
    assert tree(site / "site") == before


@contextmanager
def bad_folder(folder: Path, failure: str) -> Iterator[Path]:
    """Make a folder that takes no files: a file is at its path, or its file system is full."""
    if failure == "file in the way":
        folder.write_text("a file")
        yield folder
        assert folder.read_text() == "a file"
        return
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", folder]
    if sys.platform != "linux" or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("needs a small file system; to have it: Linux and root")
    try:
        (folder / "filler").write_bytes(bytes(4096))
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)
