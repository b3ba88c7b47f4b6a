"""A site whose incidents are edited one after the other has the files of a new site."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from shutil import rmtree

import pytest

from support.random_runs import seeded, times
from support.sites import COMPONENTS, SITE, build, files_in, write_files
from support.tiers import few_by_default

KEYS = ("rpc", "blocks", "explorer")
STATUSES = (
    "operational",
    "degraded_performance",
    "partial_outage",
    "major_outage",
    "null",
)
GROUPS = (
    COMPONENTS,
    COMPONENTS.replace("Public RPC", "RPC for all"),
    COMPONENTS.replace("      blocks:\n        name: Block production\n", "")
    + "  blocks:\n    name: Blocks\n",
    COMPONENTS + "    history: [{at: 2026-06-01T00:00:00Z, status: degraded_performance}]\n",
)
SETTINGS = (
    SITE,
    SITE.replace("horizon_days: 2", "horizon_days: 3"),
    SITE.replace("Plinth\n", "Plinth\n  time_zone: Pacific/Auckland\n", 1),
)
WINDOW = """\
name: Upgrade
components: [rpc]
created_at: {created}
scheduled_for: {start}
scheduled_until: {end}
"""


def stamp(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


class Story:
    """A folder of content with incidents of a year, which is edited at random."""

    def __init__(self, content: Path, random: Random, count: int) -> None:
        self.content, self.random, self.count = content, random, count
        self.now = datetime(2026, 11, 28, 10, tzinfo=UTC)
        self.updates: dict[str, list[str]] = {}
        for number in range(count):
            start = self.now - timedelta(days=350) * (number + 1) / count
            self.add(start, ["investigating", random.choice(("identified", "monitoring")), "resolved"])
        write_files(content, {"site.yaml": SITE, "components.yaml": COMPONENTS})

    def add(self, start: datetime, statuses: list[str]) -> None:
        name = f"incidents/i{len(self.updates):03}.yaml"
        self.updates[name] = []
        for step, status in enumerate(statuses):
            at = min(start + timedelta(minutes=self.random.randrange(40, 90) * step), self.now)
            self.post(name, at, status)

    def post(self, name: str, at: datetime, status: str) -> None:
        component = f"{self.random.choice(KEYS)}: {self.random.choice(STATUSES)}"
        named = (
            f", components: {{{component}}}"
            if self.random.random() < (0.03 if status == "resolved" else 0.5)
            else ""
        )
        line = f"  - {{at: {stamp(at)}, status: {status}, body: Text {self.random.randrange(99)}.{named}}}"
        self.updates[name].append(line)
        self.write(name)

    def write(self, name: str) -> None:
        key = KEYS[len(name + self.updates[name][0]) % 3]
        lines = [f"name: Incident {name[-8:-5]}", f"components: {{{key}: partial_outage}}", "updates:"]
        write_files(self.content, {name: "\n".join([*lines, *self.updates[name]]) + "\n"})

    def opened(self) -> list[str]:
        return [
            name
            for name, updates in self.updates.items()
            if updates and "status: resolved" not in updates[-1]
        ]

    def ended(self) -> list[str]:
        return [name for name, updates in self.updates.items() if updates and name not in self.opened()]

    def edits(self) -> Iterator[str]:
        """Make one edit after the other, and yield what was done."""
        while True:
            edit = self.random.choice(EDITS)
            getattr(self, f"edit_{edit}")()
            yield edit

    def edit_open(self) -> None:
        self.add(self.now - timedelta(minutes=self.random.randrange(60)), ["investigating"])

    def edit_update(self) -> None:
        for name in self.opened()[:1]:
            self.post(name, self.now, "monitoring")

    def edit_resolve(self) -> None:
        for name in self.opened():
            self.post(name, self.now, "resolved")

    def edit_backfill(self) -> None:
        start = self.now - timedelta(days=self.random.randrange(5, 500))
        self.add(start, ["investigating", "resolved"])

    def edit_text(self) -> None:
        name = self.random.choice(self.ended())
        self.updates[name][-1] = self.updates[name][-1].replace("Text", "Other text")
        self.write(name)

    def edit_delete(self) -> None:
        name = self.random.choice(self.ended())
        self.updates[name] = []
        write_files(self.content, {name: None})

    def edit_components(self) -> None:
        write_files(self.content, {"components.yaml": self.random.choice(GROUPS)})

    def edit_settings(self) -> None:
        write_files(self.content, {"site.yaml": self.random.choice(SETTINGS)})

    def edit_window(self) -> None:
        start = self.now + timedelta(hours=self.random.choice((-900, -2, 5, 30)))
        created, end = (stamp(start + timedelta(hours=hours)) for hours in (-1, 1))
        text = WINDOW.format(created=created, start=stamp(start), end=end)
        write_files(self.content, {f"maintenances/w{self.random.randrange(3)}.yaml": text})

    def edit_time(self) -> None:
        self.now += timedelta(hours=self.random.choice((1, 30, 100, 800)))


EDITS = [
    "open",
    "update",
    "resolve",
    "resolve",
    "backfill",
    "text",
    "delete",
    "components",
    "settings",
    "window",
    "time",
    "time",
]


@pytest.mark.parametrize(("count", "steps"), [(24, 12), pytest.param(300, times(10), marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", few_by_default(range(6), 1))
def test_random_status_edits_equal_fresh_build(tmp_path, seed, count, steps):
    content, out, anew = (tmp_path / name for name in ("content", "out", "anew"))
    story = Story(content, seeded(f"{seed} {count}"), count)
    build(content, out, stamp(story.now))
    done = []
    for edit, _ in zip(story.edits(), range(steps), strict=False):
        done.append(edit)
        rmtree(anew, ignore_errors=True)
        found, fresh = (build(content, site, stamp(story.now)) for site in (out, anew))
        assert found.applied
        assert found.checked.findings == fresh.checked.findings, done
        files, others = files_in(out), files_in(anew)
        differing = {path for path in files.keys() | others.keys() if files.get(path) != others.get(path)}
        assert differing <= {"changes.json"}, done
