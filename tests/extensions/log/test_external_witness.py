"""`statuary log witness` against a witness that others wrote, aics-witness, which keeps to c2sp.org/tlog-witness."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.extensions.log.key_changes import sign_key_change, write_key_change
from statuary.extensions.log.notes import WITNESS_KEY, PrivateKey, parse_checkpoint, parse_public_key
from support.logs import KEY, LOGGED_SITE, ORIGIN, log_of, logged
from support.object_stores import free_port
from support.requirements import CHECKOUT, absent
from support.sites import path_of, record_of, write_files

pytestmark = pytest.mark.slow

PROGRAMS = Path(os.environ.get("STATUARY_WITNESS", CHECKOUT / ".witness"))
LOCK = Path(__file__).parent / "pinned/witness.txt"
NAME = "witness.example.org/w1"


class Witness:
    """An installed witness with its own key and database, which trusts our log."""

    def __init__(self, root: Path) -> None:
        copy = PROGRAMS / "installed.lock"
        if not copy.is_file() or copy.read_bytes() != LOCK.read_bytes():
            absent("the witness", "PYTHON=python3.12 .ci/install-witness")
        self.root = root
        self.url = f"http://127.0.0.1:{free_port()}"
        root.mkdir()
        self.key = self.run("init", "--name", NAME).strip()
        self.trust(KEY)

    def trust(self, key: PrivateKey) -> None:
        """Let it cosign checkpoints that a key signs."""
        self.run("add-log", "--origin", key.name, "--vkey", key.public.text)

    def run(self, *arguments: str) -> str:
        program, settings = PROGRAMS / "bin/aics-witness", ("--config", self.root / "witness.json")
        done = subprocess.run(
            [program, arguments[0], *settings, *arguments[1:]],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Let it answer."""
        listen = self.url.removeprefix("http://")
        with (self.root / "log").open("ab") as log:
            server = subprocess.Popen(
                [
                    PROGRAMS / "bin/aics-witness",
                    "serve",
                    "--config",
                    self.root / "witness.json",
                    "--listen",
                    listen,
                ],
                stdout=log,
                stderr=log,
            )
        try:
            for _ in range(300):
                try:
                    urlopen(f"{self.url}/healthz", timeout=5).close()
                    break
                except (URLError, HTTPError):
                    assert server.poll() is None, (self.root / "log").read_text()
                    time.sleep(0.1)
            yield
        finally:
            server.terminate()
            server.wait(timeout=30)


@pytest.fixture
def witness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Witness:
    monkeypatch.setenv("STATUARY_STATE", str(tmp_path / "state"))
    return Witness(tmp_path / "witness")


@pytest.fixture
def content(tmp_path: Path, witness: Witness) -> Path:
    policy = f"  witnesses:\n    - key: {witness.key}\n      url: {witness.url}\n  quorum: 1\n"
    return write_files(tmp_path / "content", LOGGED_SITE | {"site.yaml": LOGGED_SITE["site.yaml"] + policy})


def run(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(command, ["log", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def test_witness_cosigns_consistent_log_only(tmp_path, witness, content):
    site, cosigner = tmp_path / "site", parse_public_key(witness.key, WITNESS_KEY)
    logged(content, site)
    shutil.copytree(site, tmp_path / "first")
    found = run("verify", site, "--forget", code=1)
    assert (
        "0 of the known witnesses have cosigned the checkpoint; 1 are required, by the site's own policy"
        in found
    )
    assert "1 problem" in found
    with witness.serving():
        assert "1 of 1 witnesses have cosigned 7 entries; 1 are required" in run("witness", "--out", site)
        assert "0 problems" in run("verify", site)
        assert f"cosigned by {NAME}" in run("verify", site, "--witness", witness.key, "--quorum", 1)
        # the same checkpoint once more, and the next one by a proof from the first
        assert "1 of 1" in run("witness", "--out", site)
        logged(write_files(content, {path_of(2): record_of(2)}), site, "2026-11-21T12:00:00Z")
        assert "1 of 1 witnesses have cosigned 9 entries" in run("witness", "--out", site)
        assert "0 problems" in run("verify", site)
        # a state of the log that is older than what it has seen
        assert "cannot be the beginning of a log of 7 entries" in run(
            "witness", "--out", tmp_path / "first", code=1
        )
    # what it has seen outlives it: another history of the log is not cosigned
    fork = tmp_path / "fork"
    logged(
        write_files(content, {path_of(3): record_of(3), path_of(4): record_of(4)}),
        fork,
        "2026-11-21T12:00:00Z",
    )
    with witness.serving():
        assert "the witness responds with HTTP status 422" in run("witness", "--out", fork, code=1)
    assert not parse_checkpoint((fork / "log/checkpoint").read_bytes()).note.find_signers([cosigner])
    assert ORIGIN in witness.run("evidence")
    assert json.loads(witness.run("status", "--json"))


def test_witness_cosigns_rotated_key_once_trusted(tmp_path, witness, content):
    site, new = tmp_path / "site", PrivateKey(ORIGIN, bytes(32))
    logged(content, site)
    with witness.serving():
        run("witness", "--out", site)
    write_key_change(content, sign_key_change(KEY, new.public))
    logged(content, site, "2026-11-21T12:00:00Z", key=new)
    with witness.serving():
        assert "the witness responds with HTTP status 403" in run("witness", "--out", site, code=1)
    witness.trust(new)
    with witness.serving():
        assert "1 of 1" in run("witness", "--out", site)
    assert log_of(site, new.public).checkpoint.note.find_signers([parse_public_key(witness.key, WITNESS_KEY)])
    assert "0 problems" in run("verify", site)
