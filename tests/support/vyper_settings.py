"""The table of the settings that each release of Vyper takes, made from runs of the real compilers.

`.ci/install-releases` fetches them. For a person to run after a release: `PYTHONPATH=tests .venv/bin/python
tests/support/vyper_settings.py`.
"""

import json
import subprocess
from typing import Any

from statuary.contracts.model.compiler import parse_compiler_version
from statuary.contracts.model.vyper_settings import TABLE
from support.compilations import RELEASES

CANDIDATES: dict[str, list[Any]] = {
    "optimize": [True, False, "none", "gas", "codesize", "O0", "O1", "O2", "O3", "Os", "audited"],
    "evmVersion": [
        "frontier",
        "homestead",
        "byzantium",
        "constantinople",
        "petersburg",
        "istanbul",
        "atlantis",
        "agharta",
        "berlin",
        "london",
        "paris",
        "shanghai",
        "cancun",
        "prague",
        "osaka",
        "audited",
    ],
}
"""The values that are tried; a release that takes a made-up one takes any."""

SCRIPT = """
import contextlib, io, json, sys
from vyper.cli.vyper_json import compile_json

def is_taken(name, value):
    sources = {"a.vy": {"content": "@external\\ndef f() -> uint256:\\n    return 1\\n"}}
    settings = {"outputSelection": {"*": ["evm.bytecode.object"]}, name: value}
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            output = compile_json({"language": "Vyper", "sources": sources, "settings": settings})
    except BaseException:
        return False
    return not any(error.get("severity") == "error" for error in output.get("errors", []))

candidates = json.load(sys.stdin)
print(json.dumps({name: [one for one in values if is_taken(name, one)] for name, values in candidates.items()}))
"""


def taken_by(release: str) -> dict[str, Any]:
    """Return the values that a release takes, by setting; none for a setting of which it takes any."""
    python = RELEASES / f"vyper-{release}" / "bin" / "python"
    done = subprocess.run(
        [python, "-W", "ignore", "-c", SCRIPT],
        input=json.dumps(CANDIDATES),
        capture_output=True,
        check=True,
        text=True,
    )
    taken = json.loads(done.stdout)
    return {name: values for name, values in taken.items() if "audited" not in values}


def main() -> None:
    """Write the table."""
    releases = sorted(
        (folder.name.removeprefix("vyper-") for folder in RELEASES.glob("vyper-*/")),
        key=parse_compiler_version,
    )
    rows = ",\n".join(f"  {json.dumps(one)}: {json.dumps(taken_by(one))}" for one in releases)
    TABLE.write_text(f"{{\n{rows}\n}}\n", "utf-8")


if __name__ == "__main__":
    main()
