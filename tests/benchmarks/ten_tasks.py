"""Ten things that people come for: the clicks, keys and screens that each takes, at a desk and on a phone.

    PYTHONPATH=tests python tests/benchmarks/ten_tasks.py [--before OTHER_CHECKOUT] [TASK ...]

A site with two incidents and the project's own site are built by this checkout and, with `--before`, by another one, each with its own
content; Chromium (`.ci/install-browser`) does what a reader does. `-` is what the pages of a checkout do not say. A task is named by a
part of its sentence.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from browser.test_layout import GROUPS, NOW, OUTAGE, content
from support.browser import browse
from support.requirements import CHECKOUT
from support.sites import write_files

CONTRACT = "contracts/748463/0xEA6137d406d443D5727564D1b014307C88e076b8.html"
OWN_NOW = "2026-11-20T12:00:00Z"
ADDRESS = "0xEA6137d406d443D5727564D1b014307C88e076b8"
CALL = "0x26476204" + "0000000000000000000000007794f725ec37158e1f30e805eb7764e9c988693e"

Step = dict[str, str]


class Task(NamedTuple):
    """What a person wants to know or to have."""

    site: str
    path: str  # where they begin
    steps: tuple[Step, ...]
    answer: tuple[str, ...]  # the texts of the answer; none where the last step is what was wanted
    steps_before: tuple[Step, ...] | None = None  # on pages of the other checkout, if they are others
    answer_before: tuple[str, ...] | None = None
    timezone: str = "UTC"


FIND = {"click": ".find"}


def search(text: str) -> tuple[Step, ...]:
    """Return the steps of a search for contracts, from any page."""
    return (FIND, {"into": "#query", "text": text})


TASKS = {
    "what is down, and since when": Task("outage", "index.html", (), ("Public RPC", "13:42")),
    "the next maintenance in my zone": Task(
        "own",
        "index.html",
        (),
        ("26 Nov", "16:00 \N{EN DASH} 22:00 GMT-5"),
        answer_before=("26 Nov 2026, 16:00", "22:00 GMT-5"),
        timezone="America/New_York",
    ),
    "subscribe": Task("own", "index.html", ({"click": ".subscribe summary"},), ("/feed subscribe",)),
    "a contract by name": Task("own", "index.html", search("Staking"), (ADDRESS,)),
    "a contract by prefix": Task("own", "index.html", search("EA6137"), (ADDRESS,)),
    "copy the ABI": Task(
        "own", CONTRACT, ({"click": "[data-take=abi]"},), (), ({"click": "[data-member=abi]"},)
    ),
    "is this really the code of the chain": Task(
        "own", CONTRACT, (), ("account proof",), answer_before=("ompared with the chain",)
    ),
    "decode a call": Task(
        "own",
        CONTRACT,
        ({"into": "[data-decode] textarea", "text": CALL}, {"click": "[data-decode] button"}),
        ("0x7794f725ec37158E1f30e805EB7764e9c988693e",),
    ),
    "verify it offline": Task(
        "own", CONTRACT, ({"click": "a[href='#proof']"},), ("&& statuary check 0xEA6137",)
    ),
    "a key of incident.yaml": Task(
        "own",
        "pages/manual/index.html",
        ({"into": ".finder input", "text": "impact_override"},),
        ("impact_override",),
    ),
    "upcoming work as a calendar": Task("own", "index.html", ({"click": "a[href$='maintenances.ics']"},), ()),
}
"""Upcoming work is the tenth with the two ways to a contract counted as one."""


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
    """Build both sites; return where each is, and the instant of its pages."""
    files = write_files(folder / "outage-content", content(GROUPS) | OUTAGE)
    return {
        "outage": (build(checkout, files, folder / "outage", NOW), NOW),
        "own": (build(checkout, checkout / "content", folder / "own", OWN_NOW), OWN_NOW),
    }


def said(effort: dict[str, int] | None) -> str:
    """Return an effort in words."""
    if effort is None:
        return "-"
    return ", ".join(f"{count} {name}" for name, count in effort.items() if count) or "nothing"


def effort(task: Task, place: Path, now: str, width: int, *, is_before: bool) -> str:
    """Return what a task takes on a site."""
    steps = task.steps_before if is_before and task.steps_before is not None else task.steps
    answer = task.answer_before if is_before and task.answer_before is not None else task.answer
    if width < 800 and steps and "finder" in steps[0].get("into", ""):
        steps = ({"click": ".contents summary"}, *steps)
    question = {"steps": list(steps), "answer": list(answer), "now": now, "width": width}
    try:
        return said(browse(place, "reading", path=task.path, timezoneId=task.timezone, **question))
    except AssertionError as error:
        if "Timeout" in str(error):
            return "-"  # what a step needs is not there
        raise


def main() -> None:
    """Build, read and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", type=Path)
    parser.add_argument("tasks", nargs="*")
    given = parser.parse_args()
    checkouts = {"before": given.before.resolve(), "now": CHECKOUT} if given.before else {"now": CHECKOUT}
    with tempfile.TemporaryDirectory(prefix="statuary-tasks-") as folder:
        sites = {name: sites_of(checkout, Path(folder) / name) for name, checkout in checkouts.items()}
        print(f"| task | width | {' | '.join(sites)} |\n|---|--:|{'---|' * len(sites)}")
        for name, task in TASKS.items():
            if given.tasks and not any(part in name for part in given.tasks):
                continue
            for width in (1280, 390):
                cells = [
                    effort(task, *built[task.site], width, is_before=checkout == "before")
                    for checkout, built in sites.items()
                ]
                print(f"| {name} | {width} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
