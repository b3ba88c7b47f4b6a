"""Random stories of upstream, hand-set statuses, windows and incidents: the layers, and that ticks equal builds."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from statuary.base.primitives import Instant, format_utc, parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.tick import tick
from statuary.publish.folder.folder_target import FolderTarget
from statuary.status.api.epoch_index import read_epoch_index
from statuary.status.model.vocabulary import COMPONENT_SEVERITY
from support.random_runs import seeded, times
from support.sites import write_files

START = parse_instant("2026-11-20T12:00:00Z")
SITE = """\
page: {name: Example, url: "https://status.example.org", time_zone: Europe/Zurich}
status: {horizon_days: 3}
embed: true
instatus: true
upstream:
  components:
    rpc: {url: "https://status.provider.example", component: RPC}
"""
FAULTS = ("degraded_performance", "partial_outage", "major_outage")
STATUSES = ("operational", *FAULTS)
INSTATUS = {status: status.replace("_", "").upper() for status in COMPONENT_SEVERITY}


class Layer(NamedTuple):
    """A status from one source, from its start to its end."""

    kind: str
    status: str
    start: Instant
    end: Instant


class Story(NamedTuple):
    """What happens to one component; no two things happen at the same minute."""

    hand: list[tuple[Instant, str]]
    upstream: list[tuple[Instant, str]]
    incidents: list[Layer]
    windows: list[Layer]

    def files(self) -> dict[str, str]:
        rows = ", ".join(f"{{at: {format_utc(at)}, status: {status}}}" for at, status in self.hand)
        changes = [{"at": format_utc(at), "status": status} for at, status in self.upstream]
        files = {
            "site.yaml": SITE,
            "components.yaml": f"components:\n  rpc:\n    name: RPC\n    history: [{rows}]\n",
            ".upstream.json": json.dumps({"format": 1, "components": {"rpc": changes}}),
        }
        for number, layer in enumerate(self.incidents):
            ends = f"  - {{at: {format_utc(layer.end)}, status: resolved}}\n" if layer.end <= START else ""
            files[f"incidents/i{number}.yaml"] = (
                f"name: Incident {number}\ncomponents: {{rpc: {layer.status}}}\nupdates:\n"
                f"  - {{at: {format_utc(layer.start)}, status: investigating}}\n{ends}"
            )
        for number, layer in enumerate(self.windows):
            files[f"maintenances/w{number}.yaml"] = (
                f"name: Window {number}\ncomponents: [rpc]\ncreated_at: 2026-11-17T00:00:00Z\n"
                f"scheduled_for: {format_utc(layer.start)}\nscheduled_until: {format_utc(layer.end)}\n"
            )
        return files

    def layers_at(self, at: Instant) -> Iterator[Layer]:
        """Yield what holds at an instant, by the rules in words: a person's word covers all that began before."""
        past = [change for change in self.hand if change[0] <= at]
        said_at, said = past[-1] if past else (parse_instant("2026-01-01T00:00:00Z"), "operational")
        yield Layer("stated", said, said_at, at)
        told = [change for change in self.upstream if change[0] <= at]
        if told and told[-1][1] != "operational" and told[-1][0] > said_at:
            yield Layer("upstream", told[-1][1], told[-1][0], at)
        for layer in (*self.incidents, *self.windows):
            is_open = layer.end > START and layer.kind == "incident"
            if said_at < layer.start <= at and (is_open or at < layer.end):
                yield layer

    def statuses_at(self, at: Instant) -> tuple[str, str]:
        """Return the status in the API, and on pages."""
        newest_first = sorted(self.layers_at(at), key=lambda layer: layer.start, reverse=True)
        newest = newest_first[0]
        beneath = next(layer for layer in newest_first if layer.kind != "window")
        is_worse = COMPONENT_SEVERITY[beneath.status] > COMPONENT_SEVERITY[newest.status]
        return newest.status, beneath.status if newest.kind == "window" and is_worse else newest.status


def story_of(random: Random) -> Story:
    minutes = random.sample(range(-3 * 24 * 60, -1), 30)

    def instants(count: int) -> list[Instant]:
        return sorted(Instant(START + timedelta(minutes=minutes.pop())) for _ in range(count))

    def changes(statuses: tuple[str, ...], count: int) -> list[tuple[Instant, str]]:
        found: list[tuple[Instant, str]] = []
        for at in instants(count):
            previous = found[-1][1] if found else "operational"
            found.append((at, random.choice([status for status in statuses if status != previous])))
        return found

    incidents, windows = [], []
    for _ in range(random.randrange(4)):
        start, end = instants(2)
        end = random.choice((end, Instant(START + timedelta(days=9))))
        incidents.append(Layer("incident", random.choice(FAULTS), start, end))
    for _ in range(random.randrange(3)):
        start = Instant(START + timedelta(minutes=random.randrange(-2_000, 2_000) * 2 + 1, seconds=30))
        end = Instant(
            start + timedelta(minutes=random.choice((60, 900, 2_880)), seconds=random.randrange(1, 29))
        )
        windows.append(Layer("window", "under_maintenance", start, end))
    return Story(
        changes(STATUSES, random.randrange(3)), changes(STATUSES, random.randrange(5)), incidents, windows
    )


def build(content: Path, out: Path, now: Instant) -> None:
    with FolderTarget(out) as publication:
        result = build_site(content, publication, now, NoProgress())
        assert result.applied, result.checked.all_findings


def shown(out: Path) -> dict[str, bytes]:
    """Return the documents that show the present, without pages, which say when they were built."""
    paths = ("banner.json", "summary.json", "v2/components.json", "badge.json", "components/rpc/badge.json")
    api = sorted(path.relative_to(out).as_posix() for path in (out / "api/v2").glob("*.json"))
    return {path: (out / path).read_bytes() for path in (*paths, *api)}


def statuses_in(out: Path) -> tuple[str, str]:
    (api,) = json.loads((out / "api/v2/components.json").read_bytes())["components"]
    (page,) = json.loads((out / "v2/components.json").read_bytes())["components"]
    return api["status"], next(status for status, word in INSTATUS.items() if word == page["status"])


def play(folder: Path, name: int | str, instants_of_each: int) -> None:
    random = seeded(f"layers {name}")
    story = story_of(random)
    content, site = write_files(folder / "content", story.files()), folder / "site"
    for day in range(3):
        past = Instant(START - timedelta(minutes=random.randrange(1, 4_000)))
        build(content, folder / f"past{day}", past)
        assert statuses_in(folder / f"past{day}") == story.statuses_at(past), (name, past)
    build(content, site, START)
    instants = read_epoch_index(site).instants[1:]
    for at in sorted(random.sample(instants, min(instants_of_each, len(instants)))):
        tick(site, at)
        build(content, fresh := folder / f"{at:%d%H%M%S}", at)
        assert shown(site) == shown(fresh), (name, at)
        assert statuses_in(site) == story.statuses_at(at), (name, at)


@pytest.mark.parametrize("name", range(4))
def test_layers_of_story_follow_rules(tmp_path, name):
    play(tmp_path, name, 2)


@pytest.mark.thorough
def test_many_stories_follow_rules(tmp_path):
    for name in range(times(40)):
        play(tmp_path / str(name), f"many {name}", 4)
