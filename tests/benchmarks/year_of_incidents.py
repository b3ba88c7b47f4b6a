"""A site with a year of incidents and a daily maintenance: bytes and CPU of a build and of a tick, as the history grows.

    python tests/benchmarks/year_of_incidents.py [--counts 100 1000] [--every DAILY] [--before OTHER_CHECKOUT/src]

Every size has the same transitions: those of the maintenances of 35 days. CPU is user time of whole processes; `again` is a
second build of the same content. With `--before` the same is measured of another checkout, one after the other.
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
LATER = "2026-12-21T03:05:00Z"
"""During the first maintenance after the build."""

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
    (folder / "maintenances/daily.yaml").write_text(MAINTENANCE % every)
    step = timedelta(days=350) / count
    for number in range(count):
        text = incident(number, NOW - step * number - timedelta(minutes=200))
        (folder / f"incidents/i{number:05}.yaml").write_text(text)
    return folder


def seconds(src: Path, *arguments: object) -> float:
    """Run the program of a checkout; return the user CPU of its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(
        [sys.executable, "-m", "statuary", *map(str, arguments)],
        check=True,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(src)},
    )
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measured(src: Path, content: Path, site: Path) -> Iterator[str]:
    """Yield the cells of a row."""
    build = ("build", "--content", content, "--now", f"{NOW:%Y-%m-%dT%H:%M:%SZ}", "--out", site)
    spent = [seconds(src, *build), seconds(src, *build), seconds(src, "tick", "--now", LATER, "--out", site)]
    files = [file for file in site.rglob("*") if file.is_file() and ".statuary" not in file.parts]
    later = sum(file.stat().st_size for file in files if "_epochs" in file.parts)
    whole = sum(file.stat().st_size for file in files)
    index = (site / "api/v2/_epochs/index.json").stat().st_size
    yield from (f"{(whole - later) / 1e6:,.1f}", f"{later / 1e6:,.1f}", f"{index / 1e3:,.1f}")
    yield from (f"{one:.2f}" for one in spent)


def main() -> None:
    """Measure each size and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--counts", type=int, nargs="+", default=[100, 1_000])
    parser.add_argument("--every", choices=["DAILY", "WEEKLY", "MONTHLY"], default="DAILY")
    parser.add_argument("--before", type=Path)
    arguments = parser.parse_args()
    print("| incidents | program | present, MB | epochs, MB | index, kB | build, s | again, s | tick, s |")
    print("|---|---|---|---|---|---|---|---|")
    programs = {"before": arguments.before, "now": SRC} if arguments.before else {"now": SRC}
    for count in arguments.counts:
        with tempfile.TemporaryDirectory(prefix="statuary-year-") as folder:
            content = write_content(Path(folder) / "content", count, arguments.every)
            for name, src in programs.items():
                cells = " | ".join(measured(src, content, Path(folder) / name))
                print(f"| {count:,} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
