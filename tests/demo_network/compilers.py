"""The pinned compilers of the demo network: fetched once into a folder, then run offline.

`package-lock.json` names solc and the EVM, `vyper-<version>.txt` each Vyper with all it needs.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DEFAULT_TOOLS = Path(tempfile.gettempdir()) / "plinth-demo-network-tools"


class CompilerError(Exception):
    """A compiler that could not be run, or that refused its input; `str(error)` is what it said."""


def solc_compile(tools: Path, version: str, standard_input: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Compile standard JSON with npm's solc of a version such as `0.8.30`.

    Returns:
        The version as records spell it (`0.8.30+commit.73712a01`) and the standard-JSON output.

    Raises:
        CompilerError: on any error; warnings pass.
    """
    _install_node_packages(tools)
    answer = json.loads(_run(["node", HERE / "solc.mjs", tools, f"solc-{version}"], standard_input))
    _refuse_errors(answer["output"])
    return answer["version"].removesuffix(".Emscripten.clang"), answer["output"]


def vyper_compile(tools: Path, version: str, standard_input: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Compile standard JSON with PyPI's vyper of a version such as `0.4.3`; answers like `solc_compile`."""
    vyper_json = _install_vyper(tools, version)
    output = json.loads(_run([vyper_json], standard_input))
    _refuse_errors(output)
    full_version = _run([vyper_json, "--version"]).strip()
    # Vyper 0.3.10 from a wheel spells seven digits of its commit where the released binary, and with it
    # every record, spells eight
    return {"0.3.10+commit.9136169": "0.3.10+commit.91361694"}.get(full_version, full_version), output


def run_chain(tools: Path, plan: dict[str, Any]) -> dict[str, Any]:
    """Run the plan's transactions on an EVM (see chain.mjs) and return what the chain then holds."""
    _install_node_packages(tools)
    answer: dict[str, Any] = json.loads(_run(["node", HERE / "chain.mjs", tools], plan))
    return answer


def _refuse_errors(output: dict[str, Any]) -> None:
    errors = [error for error in output.get("errors", []) if error.get("severity", "error") == "error"]
    if errors:
        raise CompilerError("\n".join(error.get("formattedMessage") or error["message"] for error in errors))


def _install_node_packages(tools: Path) -> None:
    lock = (HERE / "package-lock.json").read_text()
    installed = tools / "package-lock.json"
    if installed.is_file() and installed.read_text() == lock and (tools / "ready").exists():
        return
    tools.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(HERE / name, tools / name)
    _run(["npm", "ci", "--silent", "--prefix", tools])
    (tools / "ready").touch()


def _install_vyper(tools: Path, version: str) -> Path:
    """Return this Vyper's standard-JSON command."""
    requirements = HERE / f"vyper-{version}.txt"
    environment = tools / f"vyper-{version}"
    python = environment / "bin" / "python"
    installed = environment / "requirements.txt"
    if not installed.is_file() or installed.read_text() != requirements.read_text():
        _run([sys.executable, "-m", "venv", "--clear", environment])
        _run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements])
        shutil.copy(requirements, installed)
    return environment / "bin" / "vyper-json"


def _run(command: list[str | Path], standard_input: dict[str, Any] | None = None) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        input=None if standard_input is None else json.dumps(standard_input),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    if done.returncode != 0:
        raise CompilerError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
    return done.stdout
