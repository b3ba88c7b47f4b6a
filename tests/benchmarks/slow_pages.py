"""When the first content of each kind of page is seen on a slow connection (400 kbit/s, 400 ms), in milliseconds.

    PYTHONPATH=tests python tests/benchmarks/slow_pages.py SITE ...

Chromium (`.ci/install-browser`) opens the pages of built sites as a phone does.
"""

import sys
from pathlib import Path

from benchmarks.page_weights import PAGES
from support.browser import browse


def main(sites: list[Path]) -> None:
    """Measure and print a table."""
    print(f"| page | {' | '.join(site.name for site in sites)} |\n|---|{'--:|' * len(sites)}")
    seen = [browse(site, "slow", paths=list(PAGES.values())) for site in sites]
    for name, path in PAGES.items():
        print(f"| {name} | {' | '.join(str(one[path]) for one in seen)} |")


if __name__ == "__main__":
    main([Path(name).resolve() for name in sys.argv[1:]])
