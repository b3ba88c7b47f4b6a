"""What a build costs when nothing, or little, has changed: 100,000 contracts in a git repository.

    python tests/benchmarks/no_change.py [--count 100000] [--rounds 3]

Whole processes. Each build has a different state of the content, so every round changes something else.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable  # noqa: TC003 - local annotations are read
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from corpora import grow
from processes import Run, run

from support.sites import INCIDENT


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder."""
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "gc.auto=0", *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def build(project: Path, *, git: bool = True) -> Run:
    """Build a project."""
    command = [sys.executable, "-m", "statuary", "build", "--now", "2026-11-20T12:00:00Z"]
    return run(command, project, os.environ if git else os.environ | {"GIT_DIR": str(project / "nowhere")})


def seconds(command: list[str], folder: Path) -> float:
    """Run another program; return seconds."""
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - began


def change(project: Path, number: int, records: int) -> None:
    """Change some records of a project: their match ids."""
    files = sorted((project / "content/contracts").glob("*/*.json"))
    for file in files[number * records : (number + 1) * records]:
        file.write_bytes(file.read_bytes().replace(b'"matchId":"', b'"matchId":"9000000'))


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="statuary-no-change-") as folder:
        project = Path(folder) / "project"
        grow("K", project / "content", arguments.count)
        (project / "content/components.yaml").write_text("components: {rpc: {name: RPC}}\n")
        (project / "content/incidents").mkdir()
        (project / ".gitignore").write_text("/build/\n")
        git(project, "init", "-q")
        git(project, "add", ".")
        git(project, "commit", "-qm", "All")
        first = build(project)
        print(
            f"{arguments.count:,} contracts; the first build takes {first.wall:.1f} s ({first.memory:.0f} MiB)\n"
        )
        show(project, arguments.rounds, Path(folder))


def show(project: Path, rounds: int, folder: Path) -> None:
    """Print how long each kind of build takes."""

    def incident(number: int) -> None:
        (project / f"content/incidents/{number}.yaml").write_text(
            INCIDENT.replace("Slow answers", f"Slow answers {number}")
        )

    def commit(_: int) -> None:
        git(project, "add", ".")
        git(project, "commit", "-qm", "More")

    def nothing(_: int) -> None:
        pass

    kinds: dict[str, tuple[Callable[[int], None], bool]] = {
        "nothing changed, by git": (nothing, True),
        "one incident, not committed": (incident, True),
        "one incident, committed": (lambda number: (incident(100 + number), commit(number)), True),  # type: ignore[func-returns-value]
        "100 records, committed": (lambda number: (change(project, number, 100), commit(number)), True),  # type: ignore[func-returns-value]
        "nothing changed, without git": (nothing, False),
    }
    print("| build | seconds (min-max) | peak MiB |\n|---|---|---|")
    status = [seconds(["git", "status", "--porcelain"], project) for _ in range(rounds)]
    print(f"| `git status` alone | {spread(status)} | |")
    for name, (prepare, with_git) in kinds.items():
        if not with_git:
            build(project, git=False)
        found = []
        for number in range(rounds):
            prepare(number)
            found.append(build(project, git=with_git))
        print(
            f"| {name} | {spread([one.wall for one in found])} | {max(one.memory for one in found):.0f} |",
            flush=True,
        )
    clones = []
    for number in range(rounds):
        clone = folder / f"clone-{number}"
        git(folder, "clone", "-q", str(project), str(clone))
        shutil.copytree(project / "build", clone / "build", copy_function=shutil.copyfile)
        clones.append(build(clone))
    print(f"| a fresh clone with the site restored | {spread([one.wall for one in clones])} | |")


def spread(found: list[float]) -> str:
    """Return the median, the least and the greatest."""
    return f"{statistics.median(found):.2f} ({min(found):.2f}-{max(found):.2f})"


if __name__ == "__main__":
    main()
