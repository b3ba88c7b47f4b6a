"""The tutorial about a contract: its commands run as they are written, with Foundry and a node."""

import json
import os
import re
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from support.ethereum_node import COMPILERS
from support.manual import MANUAL
from support.manual_blocks import blocks_of
from support.requirements import absent
from support.sites import write_files

SOLC = COMPILERS / "bin" / "solc-0.8.30"
PROGRAMS = {
    name: COMPILERS / f"node/node_modules/@foundry-rs/{name}-linux-amd64/bin/{name}"
    for name in ("anvil", "cast", "forge")
}
SOLCJS = "solc/node_modules/.bin/solcjs"
COUNTER = "0x5FbDB2315678afecb367f032d93F642f64180aa3"

pytestmark = pytest.mark.slow


def test_contract_tutorial_publishes_verified_contract(tmp_path: Path) -> None:
    for program in (SOLC, *PROGRAMS.values()):
        if not program.is_file():
            absent(str(program), ".ci/install-compilers")
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    scripts = {name: f'#!/bin/sh\nexec {path} "$@"\n' for name, path in PROGRAMS.items()}
    scripts["anvil"] = f'#!/bin/sh\nexec {PROGRAMS["anvil"]} --port {port} "$@"\n'
    scripts["statuary"] = f'#!/bin/sh\nexec {sys.executable} -m statuary "$@"\n'
    programs = write_files(tmp_path / "bin", dict(scripts))
    for file in programs.iterdir():
        file.chmod(0o755)
    (work := tmp_path / "work").mkdir()
    environment = os.environ | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "FOUNDRY_SOLC": str(SOLC),  # Foundry would download one
        "ETH_RPC_URL": f"http://127.0.0.1:{port}",  # where `cast` looks
    }
    typed = "\n".join(
        block.text for block in blocks_of(MANUAL / "first-contract.md") if block.mark == "sh account"
    )
    typed = re.sub(r"^(statuary serve|npm install) .*\n", "", typed, flags=re.MULTILINE)
    typed = typed.replace("127.0.0.1:8545", f"127.0.0.1:{port}").replace(SOLCJS, str(SOLC))
    command = ["bash", "-eu", "-c", f"trap 'kill $(jobs -p)' EXIT\n{typed}"]
    done = subprocess.run(
        command, cwd=work, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "creation exact_match, runtime exact_match" in said
    assert said.count("no errors or warnings") == 2
    record = json.loads((work / f"build/v2/contract/31337/{COUNTER}").read_bytes())
    assert (record["match"], record["storageLayout"]["storage"][0]["label"]) == ("exact_match", "number")
    proof = json.loads((work / f"build/proof/31337/{COUNTER}.json").read_bytes())
    claims = {name: claim["status"] for name, claim in proof["claims"].items()}
    assert claims["consistent"] == claims["hashed"] == "verified_here"
    assert claims["compiled"] == claims["onChain"] == "verified_here"
