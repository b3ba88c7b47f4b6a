"""The commands and the program on the manual page about snapshots, run as they are."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.requirements import CHECKOUT, require_module

pytestmark = pytest.mark.slow

SECTION = (CHECKOUT / "content/pages/manual/log.md").read_text("utf-8")
AT = {"SOURCE_DATE_EPOCH": "1795176000"}


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", SECTION, re.DOTALL)
    assert found, f"the manual shows no {language} for snapshots"
    return found[1]


def test_snapshot_manual_examples_run(tmp_path: Path) -> None:
    require_module("cryptography", install='pip install "statuary[snapshot]"')
    (tmp_path / "content").symlink_to(CHECKOUT / "content")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    shell = ["sh", "-e", "-c", block("sh")]
    output = subprocess.run(
        shell, cwd=tmp_path, env=os.environ | AT | {"PATH": path}, check=True, capture_output=True, text=True
    ).stdout
    contracts = (CHECKOUT / "content/contracts").glob("*/*")
    records = len({(path.parent.name, path.stem) for path in contracts})
    assert f"{records - 1} records verified, 0 rejected, 1 contradicted, as their proofs say" in output
    assert '"status":{"indicator":' in output
    assert output.count("documents are whole") == 2
    program = [sys.executable, "-c", block("python")]
    output = subprocess.run(program, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "0x7794f725ec37158E1f30e805EB7764e9c988693e Bridge exact_match 23" in output
    assert "SPDX-License-Identifier" in output.splitlines()[-1]
