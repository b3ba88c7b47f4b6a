"""The pinned compilers of the demo network, which `.ci/install-compilers` fetches; from then on they run offline.

`package-lock.json` names solc and ethers, `vyper-<version>.txt` each Vyper with all it needs.
"""

import json
import os
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

from statuary.extensions.compilers.compiler import Compiler, detect_compiler
from statuary.system.programs import RunLimits

HERE = Path(__file__).parent
TOOLS = Path(os.environ.get("STATUARY_DEMO_COMPILERS", HERE.parents[1] / ".compilers"))
"""Where `.ci/install-compilers` puts what it installs."""

SPELLED_IN_RECORDS = {"0.3.10+commit.9136169": "0.3.10+commit.91361694"}
"""Vyper from a wheel spells seven digits of its commit where the released binary, and every record, spells eight."""


def compilers(tools: Path) -> list[Compiler]:
    """Return every pinned compiler."""
    programs = sorted((tools / "bin").iterdir())
    return [detect_compiler(program.name.partition("-")[0], program) for program in programs]


def compiler_digest(tools: Path, compiler: Compiler) -> str:
    """Return the SHA-256 of npm's soljson.js, or of the list of the files of Vyper's wheel with their digests."""
    name = compiler.path.name
    if compiler.kind == "solc":
        return sha256((tools / "node_modules" / name / "soljson.js").read_bytes()).hexdigest()
    [listed] = (tools / name).glob("lib/*/site-packages/vyper-*.dist-info/RECORD")
    # what pip makes for one machine is outside of the wheel
    lines = [line for line in listed.read_text().splitlines() if not line.startswith("../")]
    return sha256("\n".join(sorted(lines)).encode()).hexdigest()


def compile_json(
    tools: Path, kind: str, version: str, standard_input: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Compile standard JSON with a pinned compiler, such as `solc` 0.8.30.

    Returns:
        The version as records spell it (`0.8.30+commit.73712a01`) and the standard-JSON output.

    Raises:
        CompilerFailed: on any error; warnings pass.
    """
    compiler = detect_compiler(kind, tools / "bin" / f"{kind}-{version}")
    output = compiler.compile(standard_input, RunLimits())
    return SPELLED_IN_RECORDS.get(compiler.version, compiler.version), output


def run_chain(tools: Path, node: str, plan: dict[str, Any]) -> dict[str, Any]:
    """Run the plan's transactions on a node (see chain.mjs) and return what the chain then holds."""
    done = subprocess.run(
        ["node", HERE / "chain.mjs", tools, node],
        input=json.dumps(plan),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
