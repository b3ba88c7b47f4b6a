"""What the pages and the files that they load weigh, gzipped, now and at an earlier commit.

    git worktree add ../before COMMIT
    PYTHONPATH=tests python tests/benchmarks/page_weights.py --before ../before

Each checkout builds its own content at one instant. A page weighs its HTML; `with files` adds the style sheets and scripts that its
head names. Files are listed after the pages; those that one of the checkouts lacks have no ratio.
"""

import argparse
import gzip
import re
import tempfile
from pathlib import Path

from benchmarks.ten_tasks import CONTRACT, OWN_NOW, build
from support.requirements import CHECKOUT

PAGES = {
    "status": "index.html",
    "uptime": "uptime.html",
    "history": "history.html",
    "incident": "incidents/2026-09-03-empty-blocks.html",
    "contracts": "contracts/index.html",
    "list of a chain": "contracts/748463/index.html",
    "contract": CONTRACT,
    "API": "api.html",
    "manual": "pages/manual/index.html",
}

LOADED = re.compile(r'(?:<link rel="stylesheet" href|<script[^>]* src)="([^"]+)"')


def weight(file: Path) -> int:
    """Return the bytes of a file as hosts send it."""
    return len(gzip.compress(file.read_bytes(), mtime=0))


def weights_of(site: Path) -> dict[str, int]:
    """Return the weight of each page, alone and with what it loads, and of each file of `assets/`."""
    weights: dict[str, int] = {}
    for name, path in PAGES.items():
        page = site / path
        if page.is_file():
            files = {(page.parent / href).resolve() for href in LOADED.findall(page.read_text("utf-8"))}
            weights[name] = weight(page)
            weights[f"{name}, with files"] = weights[name] + sum(map(weight, files))
    assets = sorted(file for file in (site / "assets").iterdir() if file.suffix in {".css", ".js"})
    return weights | {file.name: weight(file) for file in assets}


def main() -> None:
    """Build, weigh and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", type=Path, required=True)
    before = parser.parse_args().before
    with tempfile.TemporaryDirectory(prefix="statuary-weights-") as folder:
        earlier, now = (
            weights_of(build(checkout, checkout / "content", Path(folder) / name, OWN_NOW))
            for name, checkout in (("before", before.resolve()), ("now", CHECKOUT))
        )
    print("| page or file | before | now | ratio |\n|---|--:|--:|--:|")
    for name, size in now.items():
        if name in earlier:
            print(f"| {name} | {earlier[name]:,} | {size:,} | {size / earlier[name]:.2f} |")
        else:
            print(f"| {name} | - | {size:,} | new |")


if __name__ == "__main__":
    main()
