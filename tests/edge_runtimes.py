"""The runtimes that the edge module is tried under."""

import json
import subprocess
from pathlib import Path
from typing import Any

from real_parts import require_program

EDGE_TESTS = Path(__file__).parent / "edge"
EDGE = Path(__file__).parents[1] / "src" / "statuary" / "edge"

DENO_INSTALL = "pip install deno==2.9.4"
OFFLINE = ("--no-remote", "--no-npm", "--no-lock", "--no-config", "--quiet")


def deno() -> str:
    """Return the path of deno."""
    return require_program("deno", install=DENO_INSTALL)


def run_deno(script: Path, stdin: str, *arguments: str) -> Any:
    """Run a script of the edge tests and return the JSON that it writes."""
    command = [deno(), "run", *OFFLINE, f"--allow-read={EDGE}", str(script), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def answers_of_deno(
    site: dict[str, bytes], cases: list[dict[str, Any]], *, digests: bool = False
) -> list[Any]:
    """Return what the edge module answers to each case, in one process."""
    questions = {
        "site": {path: body.decode() for path, body in site.items()},
        "cases": cases,
        "digests": digests,
    }
    answers: list[Any] = run_deno(EDGE_TESTS / "answer_all.js", json.dumps(questions))
    return answers
