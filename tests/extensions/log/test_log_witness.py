"""`statuary log witness` against a witness that keeps to c2sp.org/tlog-witness, made of tlog-scales and cryptography."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tlog_scales.tlog import Checkpoint, ConsistencyProof, ConsistencyProofInvalid
from tlog_scales.utils import b64dec, b64enc

from statuary.cli.main import command
from statuary.extensions.log.entries import parse_proof
from statuary.extensions.log.notes import WITNESS_KEY, PublicKey, parse_checkpoint
from support.local_server import LocalServer
from support.logs import LOGGED_SITE, log_of, logged
from support.sites import path_of, record_of, write_files

SECRET = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
WITNESS = PublicKey("witness.example/w1", WITNESS_KEY, SECRET.public_key().public_bytes_raw())
TIME = 1_763_640_000


class Witness(BaseHTTPRequestHandler):
    """A witness of one log; `server.seen` is its latest checkpoint, or None."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        head, _, text = body.partition("\n\n")
        old, *lines = head.split("\n")
        size, new, seen = int(old.removeprefix("old ")), Checkpoint.from_text(text), self.server.seen
        if size != (seen.size if seen else 0):
            return self.answer(409, f"{seen.size if seen else 0}\n")
        if size and size != new.size:
            try:
                ConsistencyProof(size, new.size, list(map(b64dec, lines))).check(
                    seen.root_hash, new.root_hash
                )
            except ConsistencyProofInvalid as error:
                return self.answer(422, str(error))
        elif lines or (size and seen.root_hash != new.root_hash):
            return self.answer(422, "another tree")
        self.server.seen = new
        signed = f"cosignature/v1\ntime {TIME}\n{new.serialize_body()}".encode()
        value = WITNESS.id + TIME.to_bytes(8, "big") + SECRET.sign(signed)
        return self.answer(200, f"— {WITNESS.name} {b64enc(value)}\n")

    def answer(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def witness():
    server = LocalServer(("127.0.0.1", 0), Witness)
    server.seen = None
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server, f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def run(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(command, ["log", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def test_witness_cosigns_only_consistent_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATUARY_STATE", str(tmp_path / "state"))
    content, site = write_files(tmp_path / "content", LOGGED_SITE), tmp_path / "site"
    logged(content, site)
    need = ("--witness", WITNESS.text, "--quorum", "1")
    assert "0 of the known witnesses" in run("verify", site, *need, code=1)
    with witness() as (server, url):
        ask = ("witness", "--out", site, WITNESS.text, url)
        assert "1 of 1 witnesses have cosigned 7 entries" in run(*ask)
        assert "cosigned by witness.example/w1" in run("verify", site, *need)  # also its own manifest has it
        proof = parse_proof((site / "log/incidents/slow.tlog-proof").read_bytes())
        assert proof.checkpoint.note.find_signers([WITNESS]) == [WITNESS]
        # an unchanged build keeps the cosignature; a longer log gets one by a proof from what the witness has seen
        logged(content, site)
        assert log_of(site).checkpoint.note.find_signers([WITNESS])
        logged(write_files(content, {path_of(2): record_of(2)}), site, "2026-11-21T12:00:00Z")
        assert not log_of(site).checkpoint.note.find_signers([WITNESS])
        assert "1 of 1" in run(*ask)
        assert server.seen.size == 9
        # another history of the same log is not cosigned
        write_files(content, {path_of(3): record_of(3), path_of(4): record_of(4)})
        logged(content, tmp_path / "fork", "2026-11-21T12:00:00Z")
        output = run("witness", "--out", tmp_path / "fork", WITNESS.text, url, code=1)
        assert "the witness responds with HTTP status 422" in output
        assert "0 of 1" in output
        assert not parse_checkpoint((tmp_path / "fork/log/checkpoint").read_bytes()).note.find_signers(
            [WITNESS]
        )
    assert "0 of 1" in run(*ask, code=1)
