"""Make every generated file of the repository again, in the order in which they depend on each other.

    python tests/support/regenerate.py               all of them
    python tests/support/regenerate.py NAME ...      only these, such as `manual` or `golden`
    python tests/support/regenerate.py --list        the names, and what each writes

Read the difference before you commit it. A step whose program is missing says so, and the others run.

Recordings of real systems (`recorded_*.py`), the contracts of the demo network (`tests/demo_network/make.py`) and tables of
public facts (`compiler_releases.py`) are inputs, and not made again.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).parents[2]


class Step(NamedTuple):
    """Generated files, and the command that writes them."""

    name: str
    writes: str
    arguments: tuple[str, ...]  # of Python, in the root of the repository
    accept: bool = False  # whether tests accept what they find as what they expect


def expected(name: str, writes: str, *paths: str) -> Step:
    """Return a step in which tests write what they expect."""
    return Step(name, writes, ("-m", "pytest", "-q", "-n", "0", *paths), accept=True)


STEPS = (
    Step("schemas", "the schemas of openapi.json", ("tests/support/openapi_schemas.py",)),
    Step("checks", "the list of checks in proofs", ("tests/support/proof_checks.py",)),
    Step("edge", "the headers that the edge program sends", ("tests/support/edge_table.py",)),
    Step("vectors", "the answers that edge programs must give", ("tests/support/edge_vectors.py",)),
    Step(
        "bundles",
        "scripts and style sheets as they are sent (needs Node.js)",
        ("tests/support/check_bundle.py",),
    ),
    Step(
        "translations",
        "which English each translation was made from",
        ("tests/support/translations.py",),
    ),
    Step("manual", "the reference pages of the manual", ("tests/support/manual.py",)),
    Step("map", "the picture in src/ARCHITECTURE.md", ("tests/architecture/picture.py", "--write")),
    Step("doors", "the table of what opens something", ("tests/architecture/doors.py", "--write")),
    expected("messages", "the messages about wrong content", "tests/engine/test_invalid_input.py"),
    expected("mistakes", "the messages about wrong commands", "tests/packaging/test_mistakes.py"),
    expected("golden", "the sites in tests/golden", "tests/golden"),
    Step(
        "pictures",
        "the pictures of README and the manual, and the digest of their design (needs a browser)",
        ("tests/browser/manual_pictures.py",),
    ),
)


def run(step: Step) -> bool:
    """Run a step in the root of the repository, and return whether it succeeded."""
    # the source of this checkout, also if the environment has that of another installed
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(str(CHECKOUT / name) for name in ("src", "tests"))
    }
    if step.accept:
        environment["BLESS"] = "1"
    done = subprocess.run([sys.executable, *step.arguments], cwd=CHECKOUT, env=environment, check=False)
    return done.returncode == 0


def main(names: list[str]) -> int:
    """Run the named steps, all without a name, and return the exit code."""
    if names == ["--list"]:
        for step in STEPS:
            print(f"{step.name:10} {step.writes}")
        return 0
    unknown = set(names) - {step.name for step in STEPS}
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}; `--list` prints the names", file=sys.stderr)
        return 2
    failed = []
    for step in STEPS:
        if not names or step.name in names:
            print(f"== {step.name}: {step.writes}", flush=True)
            if not run(step):
                failed.append(step.name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
