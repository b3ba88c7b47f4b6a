"""A site with a year of incidents, and a maintenance that recurs: what each step of its life costs, as the history grows.

    python tests/benchmarks/year_of_incidents.py [--counts 100 1000] [--every DAILY|NEVER] [--before OTHER_CHECKOUT/src]

The steps are the first build, an unchanged one, an edit of an incident in the middle of the year, another one that is
added as over, one that is opened, an unchanged build a day later, and a tick. Each cell is CPU seconds of whole processes (user and system), documents written or removed, and their
megabytes. With `--before` the steps are those of two checkouts in turns.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"
NOW = datetime(2026, 12, 20, 12, tzinfo=UTC)
DAY_LATER = NOW + timedelta(days=1)
TICKED = DAY_LATER + timedelta(hours=15, minutes=5)
"""During the first maintenance after the last build."""

NEVER = "NEVER"
"""The site has no maintenance."""

OPENED = """\
name: Opened now
components: {c3: partial_outage}
updates: [{at: 2026-12-20T11:50:00Z, status: investigating, body: We look.}]
"""

STATUSES = ("investigating", "identified", "monitoring", "resolved")
MAINTENANCE = """\
name: Daily restart
scheduled_for: 2026-01-05T03:00:00Z
scheduled_until: 2026-01-05T03:10:00Z
recurrence: {rule: FREQ=%s}
components: [c1]
body: Nodes restart one after another.
"""


def incident(number: int, began: datetime) -> str:
    """Return an incident of four updates, about 2 KB, resolved within its hour."""
    lines = [
        f"name: Incident {number} of the benchmark",
        "components:",
        f"  c{number % 10}: degraded_performance",
    ]
    lines.append("updates:")
    for step, status in enumerate(STATUSES):
        at = began + timedelta(minutes=12 * step)
        lines += [f"  - at: {at:%Y-%m-%dT%H:%M:%SZ}", f"    status: {status}", "    body: |"]
        lines += [
            f"      Line {line} of what is known about incident {number} at step {step}, and what is done."
            for line in range(5)
        ]
    return "\n".join(lines) + "\n"


def write_content(folder: Path, count: int, every: str) -> Path:
    """Write a site with incidents spread over 350 days."""
    (folder / "incidents").mkdir(parents=True)
    (folder / "maintenances").mkdir()
    (folder / "site.yaml").write_text("page: {name: Benchmark, url: https://b.example}\n")
    components = "".join(f"  c{number}:\n    name: Component {number}\n" for number in range(10))
    (folder / "components.yaml").write_text(f"components:\n{components}")
    if every != NEVER:
        (folder / "maintenances/daily.yaml").write_text(MAINTENANCE % every)
    step = timedelta(days=350) / count
    for number in range(count):
        text = incident(number, NOW - step * number - timedelta(minutes=200))
        (folder / f"incidents/i{number:05}.yaml").write_text(text)
    return folder


def seconds(src: Path, *arguments: object) -> float:
    """Run the program of a checkout; return the CPU of its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "statuary", *map(str, arguments)],
        check=True,
        capture_output=True,
        # an empty variable: modules are compiled by the first run, and not by each one
        env=os.environ | {"PYTHONPATH": str(src), "PYTHONDONTWRITEBYTECODE": ""},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def written(site: Path) -> dict[Path, tuple[int, int, int]]:
    """Return inode, time and size of each published file."""
    files = (file for file in site.rglob("*") if file.is_file() and ".statuary" not in file.parts)
    stats = ((file, file.stat()) for file in files)
    return {file: (stat.st_ino, stat.st_mtime_ns, stat.st_size) for file, stat in stats}


class Life:
    """The site of a program, step by step."""

    def __init__(self, src: Path, content: Path, site: Path) -> None:
        self.src, self.content, self.site = src, content, site
        self.files: dict[Path, tuple[int, int, int]] = {}

    def step(self, command: str, now: datetime) -> str:
        """Run a command; return its cell."""
        content = ("--content", self.content) if command == "build" else ()
        spent = seconds(self.src, command, *content, "--now", f"{now:%Y-%m-%dT%H:%M:%SZ}", "--out", self.site)
        before, self.files = self.files, written(self.site)
        new = [stat[2] for file, stat in self.files.items() if before.get(file) != stat]
        gone = len(before.keys() - self.files.keys())
        removed = f" (-{gone})" if gone else ""
        return f"{spent:.2f} s, {len(new):,}{removed}, {sum(new) / 1e6:,.2f} MB"


def steps(lives: dict[str, Life], content: Path, count: int) -> Iterator[tuple[str, list[str]]]:
    """Yield each step with its cells, one for each program."""

    def run(command: str, now: datetime) -> list[str]:
        return [life.step(command, now) for life in lives.values()]

    yield "first build", run("build", NOW)
    yield "unchanged", run("build", NOW)
    file = content / f"incidents/i{count // 2:05}.yaml"
    file.write_text(file.read_text().replace("Line 3 of what", "Line 3, corrected, of what"))
    yield "edit of one incident", run("build", NOW)
    (content / "incidents/added.yaml").write_text(incident(count, NOW - timedelta(days=1)))
    yield "one incident added", run("build", NOW)
    (content / "incidents/opened.yaml").write_text(OPENED)
    yield "one incident opened", run("build", NOW)
    yield "unchanged a day later", run("build", DAY_LATER)
    yield "tick", run("tick", TICKED)


def main() -> None:
    """Measure each size and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--counts", type=int, nargs="+", default=[100, 1_000])
    parser.add_argument("--every", choices=["DAILY", "WEEKLY", "MONTHLY", NEVER], default="DAILY")
    parser.add_argument("--before", type=Path)
    arguments = parser.parse_args()
    programs = {"before": arguments.before, "now": SRC} if arguments.before else {"now": SRC}
    print(f"| incidents | step | {' | '.join(programs)} |")
    print(f"|--:|---|{'---|' * len(programs)}")
    for count in arguments.counts:
        with tempfile.TemporaryDirectory(prefix="statuary-year-") as folder:
            content = write_content(Path(folder) / "content", count, arguments.every)
            lives = {name: Life(src, content, Path(folder) / name) for name, src in programs.items()}
            for step, cells in steps(lives, content, count):
                print(f"| {count:,} | {step} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
