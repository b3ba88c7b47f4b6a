"""What commands cost on the site of `statuary init`, where most of a build is start-up.

    python tests/benchmarks/start_up.py [--rounds 20] [--other PYTHON]

User CPU of whole processes, medians; rounds alternate between this interpreter and another one, whose environment has
another version of statuary. An unchanged build is at another time of the same day.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

DAY = "2026-11-02T"
PYDANTIC = "from pydantic import BaseModel"


def user_cpu(folder: Path, python: str, *arguments: str) -> float:
    """Return the milliseconds that a process takes; raise CalledProcessError if it fails."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([python, *arguments], cwd=folder, env=environment, check=True, capture_output=True)
    return (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before) * 1000


def commands(python: str, site: str, number: int) -> dict[str, list[str]]:
    """Return the commands of a round, in order; `number` is that of the round."""
    statuary = ["-m", "statuary"]
    build = [*statuary, "build", "--out", site, "--now"]
    return {
        "python": ["-c", "pass"],
        "pydantic": ["-c", PYDANTIC],
        "a model of pydantic": ["-c", f"{PYDANTIC}\nclass Model(BaseModel):\n    member: int"],
        "statuary --help": [*statuary, "--help"],
        "build, first": [*build, f"{DAY}10:00:00Z"],
        "build, unchanged": [*build, f"{DAY}11:{number % 60:02}:00Z"],
        "tick": [*statuary, "tick", "--out", site, "--now", f"{DAY}12:00:00Z"],
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--other")
    options = parser.parse_args()
    pythons = [sys.executable, *([options.other] if options.other else [])]
    found: dict[str, list[list[float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        initial = ["-m", "statuary", "init", "--name", "Plinth", "--url", "https://status.plinth.example"]
        user_cpu(folder, sys.executable, *initial, "--now", f"{DAY}09:00:00Z")
        for number in range(options.rounds):
            for place, python in list(enumerate(pythons))[:: -1 if number % 2 else 1]:
                shutil.rmtree(folder / f"site{place}", ignore_errors=True)
                for label, command in commands(python, f"site{place}", number).items():
                    times = found.setdefault(label, [[] for _ in pythons])
                    times[place].append(user_cpu(folder, python, *command))
    for label, times in found.items():
        print(f"{label:20}", *(f"{statistics.median(one):6.0f} ms" for one in times))


if __name__ == "__main__":
    main()
