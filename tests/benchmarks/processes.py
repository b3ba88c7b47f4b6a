"""Whole processes measured side by side: wall clock, CPU and peak memory, in rounds of shuffled order.

Machines drift; a ratio of two commands run in the same round does not. Each command writes into a new folder and
nothing is emptied between runs, since creating files soon after deleting many is slow on ext4.
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Command = Callable[[Path], list[str]]
"""Makes a command line for a new, empty output folder."""

WATCHER = Path(__file__).with_name("watcher.py")
SEED = 20261120


@dataclass(frozen=True)
class Run:
    """One run: seconds of wall clock and CPU, and the peak memory of its largest process in MiB."""

    wall: float
    cpu: float
    memory: float


@dataclass(frozen=True)
class Measured:
    """A command's runs, and each as a ratio to the first command's run of the same round."""

    runs: tuple[Run, ...]
    ratios: tuple[float, ...]


def run(command: list[str], folder: Path, environment: Mapping[str, str] = os.environ) -> Run:
    """Run a command in a folder, to its end.

    An installation has its modules compiled; here the round that does not count compiles them.
    """
    os.sync()
    compiling = {name: value for name, value in environment.items() if name != "PYTHONDONTWRITEBYTECODE"}
    watched = [sys.executable, "-S", str(WATCHER), *command]
    done = subprocess.run(watched, cwd=folder, env=compiling, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended badly:\n{done.stderr}")
    wall, cpu, memory = map(float, done.stdout.split())
    return Run(wall, cpu, memory)


def side_by_side(commands: Mapping[str, Command], rounds: int) -> dict[str, Measured]:
    """Run every command once a round, after one round that does not count; the first is what ratios are to."""
    order = random.Random(SEED)
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory(prefix="statuary-benchmark-") as folder:
        for number in range(rounds + 1):
            names = list(commands)
            order.shuffle(names)
            for name in names:
                out = Path(folder) / f"{number}-{name.replace(' ', '-').replace('/', '-')}"
                out.mkdir()
                one = run(commands[name](out), out)
                if number:
                    runs[name].append(one)
        first = runs[next(iter(commands))]
        return {
            name: Measured(tuple(found), tuple(a.wall / b.wall for a, b in zip(found, first, strict=True)))
            for name, found in runs.items()
        }


def table(measured: Mapping[str, Measured]) -> str:
    """Return the medians as a Markdown table, with the least and the greatest of each wall clock."""
    first = next(iter(measured))
    lines = [f"| command | seconds (min-max) | CPU s | peak MiB | times {first} |", "|---|---|---|---|---|"]
    for name, one in measured.items():
        walls = [each.wall for each in one.runs]
        lines.append(
            f"| {name} | {statistics.median(walls):.3f} ({min(walls):.3f}-{max(walls):.3f}) "
            f"| {statistics.median(each.cpu for each in one.runs):.2f} "
            f"| {max(each.memory for each in one.runs):.0f} | {statistics.median(one.ratios):.1f} |"
        )
    return "\n".join(lines)
