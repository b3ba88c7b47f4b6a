"""The page of any contract on a site of 20,000: what its build costs, and how long a browser takes to show a contract.

    python tests/benchmarks/contract_pages.py [M:20000] [--sample 50] [--with OTHER-PYTHON]

The same content is built by OTHER-PYTHON too, such as that of a checkout without a change. The records are those of
`corpora.py`; each contract of the sample is shown in a browser with an empty cache, from loopback.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpora import corpus

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.browser import browse

NOW = "2026-11-23T12:00:00Z"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", nargs="?", default="M:20000")
    parser.add_argument("--sample", type=int, default=50)
    parser.add_argument("--with", dest="others", action="append", default=[], metavar="PYTHON")
    options = parser.parse_args()
    kind, _, count = options.corpus.partition(":")
    with (
        tempfile.TemporaryDirectory(prefix="statuary-pages-") as scratch,
        corpus(kind, int(count)) as content,
    ):
        for number, python in enumerate([*options.others, sys.executable]):
            site = Path(scratch, str(number))
            print(f"{python}: {cost(python, content, site)}")
        records = [file for file in sorted(site.glob("v2/contract/[0-9]*/0x*")) if not file.name.islower()]
        sample = random.Random(0).sample(records, options.sample)
        paths = [f"contract.html?chain={record.parent.name}&address={record.name}" for record in sample]
        milliseconds = browse(site, "viewer_cost", paths=paths)
        print(
            f"{len(paths)} of {len(records):,} contracts shown: median {statistics.median(milliseconds):.0f} ms, "
            f"worst {max(milliseconds):.0f} ms"
        )


def cost(python: str, content: Path, site: Path) -> str:
    """Build a site and return the seconds of it, its files and their bytes."""
    began = time.monotonic()
    command = [python, "-m", "statuary", "build", "--content", content, "--out", site, "--now", NOW]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.monotonic() - began
    files = [Path(folder, name) for folder, _, names in os.walk(site) for name in names]
    size = sum(file.lstat().st_size for file in files)
    return f"{seconds:.0f} s, {len(files):,} files, {size:,} bytes"


if __name__ == "__main__":
    main()
