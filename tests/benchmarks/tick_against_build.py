"""What `statuary tick` does at a transition, beside `statuary build` of the same site at the same instant.

    python tests/benchmarks/tick_against_build.py [--transitions 6] [--content content]

The site is this repository's own, or another one. Both begin with the site as it was before the transition; times are of whole
processes. Documents that tell of the build itself (epochs, changes.json, pages that say when they were built) are not
compared.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from statuary.status.api.epoch_index import read_epoch_index
from support.requirements import CHECKOUT

START = "2026-11-20T12:00:00Z"
OF_THE_BUILD = {".statuary", "_epochs", "changes.json"}


def statuary(*arguments: object) -> float:
    """Run the program; return seconds."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "statuary", *map(str, arguments)]
    subprocess.run(command, check=True, capture_output=True, cwd=CHECKOUT)
    return time.perf_counter() - began


def files(site: Path) -> dict[str, os.stat_result]:
    """Return the site's files."""
    found = (path for path in site.rglob("*") if path.is_file() and ".statuary" not in path.parts)
    return {path.relative_to(site).as_posix(): path.stat() for path in found}


def touched(before: dict[str, os.stat_result], after: dict[str, os.stat_result]) -> tuple[int, int]:
    """Return how many files were written, and their bytes."""
    new = [
        output for path, output in after.items() if path not in before or before[path].st_ino != output.st_ino
    ]
    return len(new), sum(output.st_size for output in new)


def present_documents(site: Path) -> dict[str, bytes]:
    """Return the documents of the present."""
    paths = (path for path in site.rglob("*") if path.is_file() and path.suffix != ".html")
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in paths
        if not OF_THE_BUILD & set(path.parts)
    }


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--transitions", type=int, default=6)
    parser.add_argument("--content", type=Path, default=CHECKOUT / "content")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="statuary-tick-") as folder:
        ticked = Path(folder) / "site"
        statuary("build", "--content", arguments.content, "--now", START, "--out", ticked)
        print(
            "| at | tick: s | files | bytes | build: s | files | bytes | same documents |\n|---|---|---|---|---|---|---|---|"
        )
        epochs = read_epoch_index(ticked).instants[2:]
        for number, since in enumerate(epochs[: arguments.transitions]):
            built = Path(folder) / f"built-{number}"
            shutil.copytree(ticked, built)
            cells = []
            build = ("build", "--content", arguments.content)
            for site, command in ((ticked, ("tick",)), (built, build)):
                before = files(site)
                spent = statuary(*command, "--now", since.isoformat(), "--out", site)
                count, size = touched(before, files(site))
                cells += [f"{spent:.2f}", f"{count:,}", f"{size:,}"]
            print(
                f"| {since:%Y-%m-%d %H:%M} | {' | '.join(cells)} | {'yes' if present_documents(ticked) == present_documents(built) else 'NO'} |"
            )


if __name__ == "__main__":
    main()
