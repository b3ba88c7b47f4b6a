"""Random stories of upstream, hand-set statuses, windows, incidents and embargoes: ticks, edge and serve equal builds."""

import json
from collections.abc import Iterator
from datetime import time, timedelta
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest

from statuary.base.primitives import Instant, format_utc, parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.tick import tick
from statuary.extensions.serving.lookup import LookupRequest
from statuary.extensions.serving.server import answer_site_request
from statuary.publish.folder.folder_target import FolderTarget
from statuary.status.api.epoch_index import read_epoch_index
from statuary.status.model.vocabulary import COMPONENT_SEVERITY
from support.edge_runtimes import HOSTS_INSTALL, answers_of_deno
from support.random_runs import seeded, times
from support.requirements import require_program
from support.sites import write_files
from support.tiers import few_by_default

START = parse_instant("2026-11-20T12:00:00Z")
NEVER = Instant(START + timedelta(days=9))
ZURICH = ZoneInfo("Europe/Zurich")
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
    written_at: Instant | None = None  # the time of the first update, if the incident is published later


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
            ends = f"  - {{at: {format_utc(layer.end)}, status: resolved}}\n" if layer.end < NEVER else ""
            embargo = f"publish_at: {format_utc(layer.start)}\n" if layer.written_at else ""
            files[f"incidents/i{number}.yaml"] = (
                f"name: Incident {number}\n{embargo}components: {{rpc: {layer.status}}}\nupdates:\n"
                f"  - {{at: {format_utc(layer.written_at or layer.start)}, status: investigating}}\n{ends}"
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
            if said_at < layer.start <= at < layer.end:
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
    later_minutes = random.sample(range(2, 2 * 24 * 60), 10)  # what is dated ahead, until a build at its time

    def instants(count: int) -> list[Instant]:
        return sorted(Instant(START + timedelta(minutes=minutes.pop())) for _ in range(count))

    def later() -> Instant:
        return Instant(START + timedelta(minutes=later_minutes.pop(), seconds=15))

    def changes(statuses: tuple[str, ...], count: int, ahead: int = 0) -> list[tuple[Instant, str]]:
        found: list[tuple[Instant, str]] = []
        for at in (*instants(count), *sorted(later() for _ in range(ahead))):
            previous = found[-1][1] if found else "operational"
            found.append((at, random.choice([status for status in statuses if status != previous])))
        return found

    incidents, windows = [], []
    for _ in range(random.randrange(4)):
        start, end = instants(2)
        end, status = random.choice((end, NEVER)), random.choice(FAULTS)
        incidents.append(Layer("incident", status, start, end))
    for _ in range(random.randrange(3)):
        (start,) = instants(1)
        status, end = random.choice(FAULTS), random.choice((NEVER, later()))
        published_at = min(later(), end)
        if published_at < end:
            incidents.append(Layer("incident", status, published_at, end, written_at=start))
    for _ in range(random.randrange(3)):
        start = Instant(START + timedelta(minutes=random.randrange(-2_000, 2_000) * 2 + 1, seconds=30))
        end = Instant(
            start + timedelta(minutes=random.choice((60, 900, 2_880)), seconds=random.randrange(1, 14))
        )
        windows.append(Layer("window", "under_maintenance", start, end))
    hand = changes(STATUSES, random.randrange(3), ahead=random.randrange(2))
    return Story(hand, changes(STATUSES, random.randrange(5)), incidents, windows)


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


def served(out: Path, instants: list[Instant]) -> Iterator[tuple[dict[str, bytes], dict[str, bytes]]]:
    """Yield the status of a site at each instant, as `statuary serve` and the edge module answer it."""
    files = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
    files = {path: file for path, file in files.items() if not path.startswith(".statuary/")}
    paths = sorted(path for path in read_epoch_index(out).documents if path in shown(out))
    texts = {path: file.read_bytes() for path, file in files.items() if file.suffix == ".json"}
    cases = [{"target": f"/{path}", "now": format_utc(at)} for at in instants for path in paths]
    answers = iter(answers_of_deno(texts, cases))
    for at in instants:
        by_serve = {
            path: answer_site_request(LookupRequest(target=f"/{path}"), texts.get, at, str).body
            for path in paths
        }
        yield by_serve, {path: next(answers)["body"].encode() for path in paths}


def play(folder: Path, name: int | str, instants_of_each: int, *, with_edge: bool = True) -> None:
    random = seeded(f"layers {name}")
    story = story_of(random)
    content, site = write_files(folder / "content", story.files()), folder / "site"
    for day in range(2):
        past = Instant(START - timedelta(minutes=random.randrange(1, 4_000)))
        build(content, folder / f"past{day}", past)
        assert statuses_in(folder / f"past{day}") == story.statuses_at(past), (name, past)
    due: Instant | None = START
    while due is not None and due < START + timedelta(days=3):
        build(content, site, due)
        assert statuses_in(site) == story.statuses_at(due), (name, due)
        index = read_epoch_index(site)
        held_until = index.next_build
        instants = [at for at in index.instants[1:] if held_until is None or at < held_until]
        midnights = {at for at in instants if at.astimezone(ZURICH).time() == time()}
        chosen = {*random.sample(instants, min(instants_of_each, len(instants))), *[*midnights][:1]}
        answers = [*served(site, sorted(chosen))] if with_edge and chosen else []
        for number, at in enumerate(sorted(chosen)):
            tick(site, at)
            build(content, fresh := folder / f"{at:%d%H%M%S}", at)
            expected = shown(fresh)
            assert shown(site) == expected, (name, at)
            assert statuses_in(site) == story.statuses_at(at), (name, at)
            for answered in answers[number] if answers else ():
                assert answered == {path: expected[path] for path in answered}, (name, at)
        due = held_until


@pytest.mark.parametrize("name", few_by_default([1, 0, 2, 3], 1))
def test_component_status_follows_incidents_and_upstream(tmp_path, name):
    play(tmp_path, name, 1, with_edge=False)


@pytest.mark.thorough
@pytest.mark.parametrize("third", range(3))
@pytest.mark.parametrize("part", range(10))
def test_random_histories_give_correct_component_status(tmp_path, part, third):
    require_program("deno", install=HOSTS_INSTALL)
    for name in range(third, times(30), 3):
        play(tmp_path / str(name), f"many {part} {name}", 2)
        rmtree(tmp_path / str(name))
