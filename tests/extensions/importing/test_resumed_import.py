"""An import that is killed and run again compiles no input again that was compiled before."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from statuary.contracts.site_contracts import SiteContracts
from statuary.extensions.compilers.cache import VARIABLE
from support.ethereum_node import COMPILERS, ethereum_node, send_signed
from support.imported_projects import DEPLOYMENTS, NOW, catalogue_of, empty_site
from support.requirements import require_program

pytestmark = pytest.mark.slow

PROGRAM = """#!/bin/sh
if [ "$1" != --version ]; then
  digest=$(sha256sum < /proc/self/fd/0 | cut -c1-16)
  echo "began $digest" >> "{log}"
  if grep -q Unused2 /proc/self/fd/0; then while [ -e "{stop}" ]; do sleep 0.1; done; fi
fi
"{real}" "$@" && {{ [ "$1" = --version ] || echo "ended $digest" >> "{log}"; }}
"""
"""The real solc, which notes its compilations, and of one input waits for as long as there is a file."""


def project_of_three_inputs(folder: Path) -> Path:
    """Copy a project, in which each contract has an input of its own: the others have a source more."""
    shutil.copytree(DEPLOYMENTS / "hardhat-deploy", folder)
    [network] = (folder / "deployments").iterdir()
    [first] = (network / "solcInputs").iterdir()
    for number, file in enumerate(sorted(network.glob("*.json"))):
        deployment, solc_input = json.loads(file.read_text()), json.loads(first.read_text())
        text = f"// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract Unused{number} {{}}\n"
        solc_input["sources"][f"contracts/Unused{number}.sol"] = {"content": text}
        deployment["solcInputHash"] = f"{number:032x}"
        (network / "solcInputs" / f"{number:032x}.json").write_text(json.dumps(solc_input))
        file.write_text(json.dumps(deployment))
    return folder


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the compiler is told of its input by /proc")
@pytest.mark.parametrize("keeps_content", [True, False], ids=["same content", "empty content"])
def test_killed_import_reuses_finished_compilations(tmp_path: Path, *, keeps_content: bool) -> None:
    real = require_program(str(COMPILERS / "bin/solc-0.8.30"), install=".ci/install-compilers")
    log, stop, program = tmp_path / "log", tmp_path / "stop", tmp_path / "solc"
    program.write_text(PROGRAM.format(log=log, stop=stop, real=real))
    program.chmod(0o755)
    stop.touch()
    content, project = empty_site(tmp_path), project_of_three_inputs(tmp_path / "project")
    environment = {**os.environ, VARIABLE: str(tmp_path / "cache")}

    def runs(kind: str) -> Counter[str]:
        lines = log.read_text().splitlines() if log.exists() else []
        return Counter(line.partition(" ")[2] for line in lines if line.startswith(kind))

    with ethereum_node(31337, "--slots-in-an-epoch", "1") as url:
        for raw in json.loads((DEPLOYMENTS / "hardhat-deploy/transactions.json").read_text()):
            send_signed(url, raw)
        command = [sys.executable, "-m", "statuary", "import", "hardhat-deploy", project, "--rpc", url]
        command += ["--content", content, "--compiler", f"solc={program}", "--now", NOW.isoformat()]
        begun = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 120
        while (len(runs("ended")), len(runs("began"))) != (2, 3):
            assert begun.poll() is None
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        time.sleep(0.5)  # the second output is written to the cache
        begun.send_signal(signal.SIGKILL)
        begun.wait()
        done = runs("ended")
        log.unlink()
        stop.unlink()
        if not keeps_content:
            shutil.rmtree(content / "contracts", ignore_errors=True)
        again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stdout + again.stderr
    assert not runs("ended").keys() & done.keys()
    assert len(runs("ended") + done) == 3
    assert len(catalogue_of(content).content_of(SiteContracts).sources) == 3
