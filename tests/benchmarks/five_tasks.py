"""Five things that readers look for: the clicks, keys and screens that each takes, at a desk and on a phone.

    python tests/benchmarks/five_tasks.py [--before OTHER_CHECKOUT]

A site with two incidents, a contract of 16 files and the project's own site are built by this checkout and, with `--before`, by
another one, each with its own content; Chromium (`.ci/install-browser`) does what a reader does. `-` is what the pages of a
checkout do not say.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import orjson

from browser.test_layout import GROUPS, NOW, OUTAGE, content
from support.browser import browse
from support.contracts import made_record
from support.requirements import CHECKOUT
from support.sites import CHAIN, address_of, path_of, record_of, write_files

FILES = 16
WITH_TRANSFER = 12
"""The file that has what is looked for."""

CONTRACT = path_of(1).replace(".json", ".html")
OWN_CONTRACT = "contracts/748463/0xEA6137d406d443D5727564D1b014307C88e076b8.html"
OWN_NOW = "2026-11-20T12:00:00Z"

FINDER = {"into": ".finder input"}

TASKS: dict[str, tuple[str, str, list[str], list[dict[str, str]], list[dict[str, str]]]] = {
    "what is down, and since when": ("outage", "index.html", ["Public RPC", "13:42"], [], []),
    "was this contract's code compared with the chain": (
        "own",
        OWN_CONTRACT,
        ["ompared with the chain"],
        [],
        [],
    ),
    "find `transfer` in a source of 16 files": (
        "files",
        CONTRACT,
        ["function transfer("],
        [{"into": "[data-find]", "text": "transfer"}],
        [{"find": "transfer", "inside": "pre"}],
    ),
    "the key that sets the time zone": (
        "own",
        "pages/manual/index.html",
        ["time_zone"],
        [FINDER | {"text": "time zone"}],
        [{"click": "main a[href$='content-reference.html']"}],
    ),
    "what `[invalid-value]` means": (
        "own",
        "pages/manual/index.html",
        ["invalid-value"],
        [FINDER | {"text": "invalid-value"}],
        [{"click": "main a[href$='content-reference.html']"}],
    ),
}
"""Site, page, the texts of the answer, and the steps of this checkout and of one before it had searches."""


def record() -> bytes:
    """Return a record with 16 sources, one of which has a function `transfer`."""
    value: dict[str, Any] = orjson.loads(record_of(1))
    text = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.30;\n" + "// a line\n" * 40
    value["sources"] = {
        f"contracts/part{number // 4}/File{number}.sol": {
            "content": text + ("function transfer(address to) {}\n" if number == WITH_TRANSFER else "")
        }
        for number in range(FILES)
    }
    value["abi"] = made_record()["abi"]
    return orjson.dumps(value)


def build(checkout: Path, content: Path, out: Path, now: str, *options: str) -> Path:
    """Build a site with the program of a checkout."""
    command = [sys.executable, "-m", "statuary", "build", "--content", content, "--out", out, "--now", now]
    done = subprocess.run(
        [*map(str, command), *options],
        check=False,
        env=os.environ | {"PYTHONPATH": str(checkout / "src")},
        capture_output=True,
        text=True,
    )
    assert (out / "index.html").is_file(), done.stderr
    return out


def sites_of(checkout: Path, folder: Path) -> dict[str, tuple[Path, str]]:
    """Build the three sites; return where each is, and the instant of its pages."""
    outage = content(GROUPS) | OUTAGE
    if checkout != CHECKOUT:  # a key of an update that it may not know
        outage = {
            path: "\n".join(line for line in text.split("\n") if "next_update_by" not in line)
            for path, text in outage.items()
        }
    site = content(GROUPS)
    site["site.yaml"] += f"chains: [{{chain_id: {CHAIN}, name: Plinth}}]\ncontracts: {{publish: all}}\n"
    files = write_files(folder / "files-content", {**site, path_of(1): record()})
    assert address_of(1) in CONTRACT
    return {
        "outage": (
            build(checkout, write_files(folder / "outage-content", outage), folder / "outage", NOW),
            NOW,
        ),
        "files": (build(checkout, files, folder / "files", NOW, "--skip", "proof"), NOW),
        "own": (build(checkout, checkout / "content", folder / "own", OWN_NOW), OWN_NOW),
    }


def said(effort: dict[str, int] | None) -> str:
    """Return an effort in words."""
    if effort is None:
        return "-"
    return ", ".join(f"{count} {name}" for name, count in effort.items() if count) or "nothing"


def main() -> None:
    """Build, read and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", type=Path)
    before = parser.parse_args().before
    checkouts = {"before": before, "now": CHECKOUT} if before else {"now": CHECKOUT}
    with tempfile.TemporaryDirectory(prefix="statuary-tasks-") as folder:
        sites = {name: sites_of(checkout, Path(folder) / name) for name, checkout in checkouts.items()}
        print(f"| task | width | {' | '.join(sites)} |\n|---|--:|{'---|' * len(sites)}")
        for task, (site, path, answer, steps, earlier) in TASKS.items():
            for width in (1280, 390):
                cells = []
                for name, built in sites.items():
                    place, now = built[site]
                    done = steps if name == "now" else earlier
                    if width == 390 and done and "finder" in done[0].get("into", ""):
                        done = [{"click": ".contents summary"}, *done]
                    cells.append(
                        said(
                            browse(
                                place, "reading", path=path, steps=done, answer=answer, now=now, width=width
                            )
                        )
                    )
                print(f"| {task} | {width} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
