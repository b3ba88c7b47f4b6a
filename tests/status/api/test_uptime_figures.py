"""Ten histories with their uptime worked out by hand: the same figure in JSON and on both pages, by build and by tick."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from statuary.base.primitives import Instant, parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.tick import tick
from statuary.publish.folder.folder_target import FolderTarget
from statuary.status.api.epoch_index import read_epoch_index
from support.sites import write_files

pytestmark = pytest.mark.slow

START = parse_instant("2026-11-20T10:00:00Z")
NIGHT, MORNING, NEXT_NIGHT = (
    parse_instant(text) for text in ("2026-11-21T00:00:00Z", "2026-11-21T00:30:00Z", "2026-11-22T00:00:00Z")
)
INSTANTS = (START, Instant(START + timedelta(hours=2)), NIGHT, MORNING, NEXT_NIGHT)
"""The build, two hours later, two midnights, and a change in between (the resolution of another incident)."""

OUT, PARTLY, SLOW, UP = "major_outage", "partial_outage", "degraded_performance", "operational"

HISTORIES = {
    # a day of major outage is 1/90: 1.1111 %; an hour is 0.0462963 %; partial outage counts 0.3 of it
    "never": ([], (100.0, 100.0, 100.0, 100.0, 100.0)),
    "ended": ([("2026-11-10T00:00", OUT), ("2026-11-10T14:00", UP)], (99.35, 99.35, 99.35, 99.35, 99.35)),
    "since-20-00": ([("2026-11-19T20:00", OUT)], (99.35, 99.25, 98.7, 98.68, 97.59)),
    "partly": ([("2026-11-19T20:00", PARTLY)], (99.8, 99.77, 99.61, 99.6, 99.27)),
    "slow": ([("2026-11-19T20:00", SLOW)], (100.0, 100.0, 100.0, 100.0, 100.0)),
    "worse": (
        [("2026-11-20T00:00", PARTLY), ("2026-11-20T10:00", OUT)],
        (99.86, 99.76, 99.21, 99.18, 98.1),
    ),
    "better": (
        [("2026-11-20T00:00", OUT), ("2026-11-20T10:00", SLOW)],
        (99.53, 99.53, 99.53, 99.53, 99.53),
    ),
    "begins-now": ([("2026-11-20T10:00", OUT)], (100.0, 99.9, 99.35, 99.32, 98.24)),
    "ends-at-night": (
        [("2026-11-20T00:00", OUT), ("2026-11-21T00:00", UP)],
        (99.53, 99.44, 98.88, 98.88, 98.88),
    ),
    "old": ([("2026-01-01T00:00", OUT), ("2026-08-24T00:00", UP)], (98.88, 98.88, 100.0, 100.0, 100.0)),
}
"""By name: the recorded changes, and the uptime at each of the five instants."""

OTHER = """\
name: Other trouble
updates:
  - {at: 2026-11-20T09:00:00Z, status: investigating}
  - {at: 2026-11-21T00:30:00Z, status: resolved}
"""


def content(root):
    components = "".join(
        f"  {name}: {{name: {name}, history: [{', '.join(f'{{at: {at}:00Z, status: {s}}}' for at, s in changes)}]}}\n"
        for name, (changes, _) in HISTORIES.items()
    )
    site = "page: {name: Demo, url: 'https://status.example.org', created_at: 2020-01-01T00:00:00Z}\n"
    files = {
        "site.yaml": site,
        "components.yaml": "components:\n" + components,
        "incidents/other.yaml": OTHER,
    }
    return write_files(root / "content", files)


def build(content, out, now):
    with FolderTarget(out) as target:
        assert build_site(content, target, now, NoProgress()).applied
    return out


def figures(site):
    """Return each component's uptime in the three documents that show it."""
    listed = json.loads((site / "api/v2/uptime.json").read_bytes())["components"]
    found = {"json": {one["id"]: one["uptime"] for one in listed}}
    found["uptime.html"] = _of_months(site / "uptime.html")
    for page in ("index.html",):
        _, _, listed_components = (
            (site / page).read_text("utf-8").rpartition('id="components"')
        )  # the banner names some
        text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", listed_components))
        shown = (re.search(rf" {name} .*?(\d+(?:\.\d+)?) ?%", text) for name in HISTORIES)
        found[page] = {name: float(one[1]) for name, one in zip(HISTORIES, shown, strict=True)}
    return found


def _of_months(page: Path) -> dict[str, float]:
    """The last figure of each row of the table of months: that of the 90 days."""
    rows = re.findall(r'<tr id="component-.*?</tr>', page.read_text("utf-8"), re.DOTALL)
    cells = (re.sub(r"<[^>]+>", " ", row).split() for row in rows)
    figures = {" ".join(words): float(words[-1].rstrip("%")) for words in cells}
    return {
        name: next(figure for text, figure in figures.items() if text.startswith(f"{name} "))
        for name in HISTORIES
    }


@pytest.fixture(scope="module")
def ticked(tmp_path_factory):
    root = tmp_path_factory.mktemp("ticked")
    return build(content(root), root / "site", START)


@pytest.mark.parametrize("place", range(len(INSTANTS)))
def test_uptime_json_and_pages_agree(tmp_path, ticked, place):
    expected = {name: uptimes[place] for name, (_, uptimes) in HISTORIES.items()}
    built = build(content(tmp_path), tmp_path / "site", INSTANTS[place])
    if read_epoch_index(ticked).build_due <= INSTANTS[place]:  # the content dates changes ahead
        build(content(tmp_path / "due"), ticked, INSTANTS[place])
    tick(ticked, INSTANTS[place])

    for site in (built, ticked):
        shown = figures(site)
        assert shown == dict.fromkeys(("json", "index.html", "uptime.html"), expected)
