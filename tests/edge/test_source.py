"""The module's own form: no dependencies, types that hold, one way to write it."""

import re
import subprocess

import pytest

from edge_runtimes import EDGE, deno

SCRIPTS = sorted(map(str, EDGE.glob("*.js")))
IMPORT = re.compile(r"""(?:^|\s)(?:import|export)\b[^;]*?\bfrom\s+"([^"]+)"|\bimport\(\s*"([^"]+)""")


def test_it_imports_nothing_but_itself():
    for script in SCRIPTS:
        with open(script, encoding="utf-8") as opened:
            named = ["".join(found) for found in IMPORT.findall(opened.read())]
        assert all(re.fullmatch(r"\./[a-z-]+\.js", name) for name in named), script


@pytest.mark.parametrize(
    "command",
    [["check", "--quiet"], ["lint", "--quiet"], ["fmt", "--check", "--quiet", "--line-width=115"]],
    ids=lambda command: command[0],
)
def test_it_passes(command):
    done = subprocess.run(
        [deno(), *command, "--no-config", *SCRIPTS], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
