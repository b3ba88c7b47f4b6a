"""The module's own form: no dependencies, types that hold, one way to write it."""

import json
import subprocess
from pathlib import Path

import pytest

from support.edge_runtimes import EDGE, deno
from support.edge_table import FILE_HEADERS, file_headers_js

SCRIPTS = sorted(map(str, EDGE.glob("*.js")))


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ["netlify.js", "cloudflare.js", "deno-serve.js"])
def test_edge_adapter_has_no_dependencies(adapter):
    command = [deno(), "info", "--json", "--no-remote", "--no-npm", "--no-config", str(EDGE / adapter)]
    graph = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    own = [module for module in graph["modules"] if module["kind"] == "esm"]
    assert {Path(module["local"]).parent for module in own} == {EDGE}
    others = [module["specifier"] for module in graph["modules"] if module not in own]
    assert others == ["node:zlib"]  # imported only where packs are read: not every runtime has it


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [["check", "--quiet"], ["lint", "--quiet"], ["fmt", "--check", "--quiet", "--line-width=115"]],
    ids=lambda command: command[0],
)
def test_edge_scripts_pass_deno_checks(command):
    done = subprocess.run(
        [deno(), *command, "--no-config", *SCRIPTS], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_generated_edge_headers_match_url_table():
    """If not: `PYTHONPATH=tests python tests/support/edge_table.py`."""
    assert FILE_HEADERS.read_text(encoding="utf-8") == file_headers_js()
