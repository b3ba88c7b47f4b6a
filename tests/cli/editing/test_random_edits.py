"""Random stories, told by the commands: whatever they do, content is clean, and every way to the site agrees at every instant."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from icalendar import Calendar

from statuary.base.primitives import Instant, format_utc_shortest, parse_instant
from statuary.base.progress import NoProgress
from statuary.cli.main import command
from statuary.engine.build import build_site
from statuary.engine.check_edit import CheckedStatus, read_status_content
from statuary.engine.tick import tick
from statuary.extensions.serving.lookup import LookupRequest
from statuary.extensions.serving.server import SiteApp, answer_site_request
from statuary.publish.folder.folder_target import FolderTarget
from statuary.status.api.epoch_index import read_epoch_index
from statuary.status.model.timeline import Timeline
from support.random_runs import times
from support.sites import files_in, write_files
from support.strategies import steady

pytestmark = pytest.mark.thorough

STORIES = times(4)

FILES = {
    "site.yaml": (
        "page:\n  name: Demo\n  url: https://status.example.org\n  time_zone: Europe/Zurich\n"
        "  created_at: 2026-01-01T00:00:00Z\nstatus:\n  horizon_days: 6\n"
    ),
    "components.yaml": "components:\n  rpc: {name: RPC}\n  explorer: {name: Explorer}\n  bridge: {name: Bridge}\n",
}

BEGIN = parse_instant("2026-10-20T09:00:00Z")
"""Five days before clocks change."""

NOT_FAULTS = {
    # two random windows may overlap, and a rule goes on beyond the horizon
    "overlapping-windows",
    "recurrence-beyond-horizon",
    "window-beyond-horizon",
}

OPEN_STATUSES = ("investigating", "identified", "monitoring")
WORSE = ("degraded_performance", "partial_outage", "major_outage")
KINDS = (
    "open",
    "open",
    "backfill",
    "update",
    "update",
    "resolve",
    "resolve",
    "reopen",
    "postmortem",
    "schedule",
    "schedule",
    "recur",
    "recur",
    "move",
    "move",
    "move",
    "cancel",
    "cancel",
    "update-window",
    "update-window",
    "start",
    "complete",
)


@dataclass
class Story:
    """A content folder, and the commands that edit it one after the other."""

    draw: Any
    content: Path
    now: Instant = BEGIN
    told: list[str] = field(default_factory=list)

    def pick(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def minutes(self, most: int, least: int = 1) -> timedelta:
        return timedelta(minutes=self.draw(st.integers(least, most)))

    def after(self, most: int, least: int = 1) -> str:
        return format_utc_shortest(self.now + self.minutes(most, least))

    def before(self, most: int) -> Instant:
        return Instant(self.now - self.minutes(most))

    def read(self) -> CheckedStatus:
        return read_status_content(self.content, self.now)

    def timeline(self) -> Timeline:
        timeline = self.read().timeline
        assert timeline is not None
        return timeline

    def step(self) -> None:
        """Let time pass, then run a command; what it refuses changes nothing."""
        self.now = Instant(self.now + self.minutes(3000))
        kind = self.pick(*KINDS)
        arguments = getattr(self, f"_{kind.replace('-', '_')}")()
        if arguments is None:
            return
        options = ("--content", str(self.content), "--now", format_utc_shortest(self.now))
        before = files_in(self.content)
        self.told.append(f"{format_utc_shortest(self.now)} {' '.join(arguments)}")
        result = CliRunner().invoke(command, [*arguments, *options], catch_exceptions=False)
        self.told.append(f"    {result.exit_code}")
        assert result.exit_code in (0, 2, 3), (self.told, result.output)
        assert result.exit_code == 0 or files_in(self.content) == before

    def _statuses(self) -> list[str]:
        named = self.draw(st.lists(st.sampled_from(("rpc", "explorer", "bridge")), max_size=2, unique=True))
        return [
            word for name in named for word in ("--component", f"{name}={self.pick(*WORSE, 'operational')}")
        ]

    def _text(self) -> list[str]:
        return self.pick([], ["--body", "More is known."])

    def _incident(self) -> str | None:
        ids = [history.incident.id for history in self.timeline().incidents]
        return self.pick(*ids) if ids else None

    def _window(self) -> str | None:
        ids = sorted(history.incident.id for history in self.timeline().maintenances)
        return self.pick(*ids) if ids else None

    def _open(self) -> list[str]:
        promise = self.pick([], ["--next-update-in", "30m"])
        return [
            "incident",
            "open",
            "--name",
            "Trouble",
            "--separate",
            "--status",
            self.pick(*OPEN_STATUSES),
            *self._statuses(),
            *promise,
        ]

    def _backfill(self) -> list[str]:
        ended = self.before(600)
        started = Instant(ended - self.minutes(600))
        times = ("--started-at", format_utc_shortest(started), "--ended-at", format_utc_shortest(ended))
        return ["incident", "open", "--name", "Earlier trouble", *times, *self._statuses(), *self._text()]

    def _update(self) -> list[str] | None:
        name, status = self._incident(), self.pick(None, *OPEN_STATUSES, "resolved")
        if name is None:
            return None
        given = [] if status is None else ["--status", status]
        more = self._statuses() if status in OPEN_STATUSES else []
        promise = ["--next-update-in", "2h"] if status in OPEN_STATUSES and self.pick(True, False) else []
        return ["incident", "update", name, *given, *more, *promise, "--body", "An update."]

    def _resolve(self) -> list[str] | None:
        name = self._incident()
        return name and ["incident", "resolve", name, *self._text()]

    def _reopen(self) -> list[str] | None:
        name = self._incident()
        return name and ["incident", "reopen", name, *self._statuses(), *self._text()]

    def _postmortem(self) -> list[str] | None:
        name = self._incident()
        return name and ["incident", "postmortem", name, "--body", "What we learned."]

    def _schedule(self) -> list[str]:
        window = ("--scheduled-for", self.after(6000, 200), "--duration", f"{self.pick(30, 90, 3000)}m")
        later = self.pick([], [], ["--at", self.after(100)])
        part = self.pick([], ["--component", "rpc"], ["--component", "explorer", "--component", "bridge"])
        return ["maintenance", "schedule", "--name", "Work", *window, *part, *later, *self._text()]

    def _recur(self) -> list[str]:
        rule = self.pick("FREQ=WEEKLY", "FREQ=DAILY;COUNT=4", "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;COUNT=2")
        window = (
            "--scheduled-for",
            self.after(9000, 30),
            "--duration",
            f"{self.pick(30, 200)}m",
            "--rule",
            rule,
        )
        return [
            "maintenance",
            "schedule",
            "--name",
            "Regular work",
            *window,
            "--component",
            self.pick("rpc", "bridge"),
        ]

    def _move(self) -> list[str] | None:
        name = self._window()
        times = self.pick(
            ["--scheduled-for", self.after(9000)], ["--scheduled-for", self.after(90)], ["--duration", "3h"]
        )
        return name and ["maintenance", "reschedule", name, *times, *self._text()]

    def _cancel(self) -> list[str] | None:
        name = self._window()
        return name and ["maintenance", "cancel", name, *self._text()]

    def _update_window(self) -> list[str] | None:
        name, status = (
            self._window(),
            self.pick([], [], ["--status", "in_progress"], ["--status", "verifying"]),
        )
        return name and ["maintenance", "update", name, *status, "--body", "An update."]

    def _start(self) -> list[str] | None:
        name = self._window()
        return name and ["maintenance", "start", name]

    def _complete(self) -> list[str] | None:
        name = self._window()
        return name and ["maintenance", "complete", name]


def build(content: Path, out: Path, now: Instant) -> dict[str, bytes]:
    """Build a site and return its files."""
    with FolderTarget(out) as target:
        assert build_site(content, target, now, NoProgress()).applied
    return present(out)


def present(out: Path) -> dict[str, bytes]:
    """Return the documents of the present: not the epochs, the changes since a build, nor its examples of answers."""
    return {
        path: without_next_change(body)
        for path, body in files_in(out).items()
        if not path.startswith((".statuary/", "api/v2/_epochs/")) and path not in ("changes.json", "api.html")
    }


NEXT_CHANGE = re.compile(rb" <span>Next scheduled change [^\n]*?\.</span>")


def without_next_change(page: bytes) -> bytes:
    """Return a page without what changes next: a build looks ahead as far as its horizon, and a later one further."""
    return NEXT_CHANGE.sub(b"", page)


def unlike(expected: dict[str, bytes], found: dict[str, bytes]) -> list[str]:
    return sorted(path for path in expected.keys() | found.keys() if expected.get(path) != found.get(path))


def faults(documents: dict[str, bytes], now: Instant) -> Iterator[str]:
    """Yield what readers would take for a lie."""
    summary = json.loads(documents["api/v2/summary.json"])
    incidents = json.loads(documents["api/v2/incidents.json"])["incidents"]
    windows = json.loads(documents["api/v2/scheduled-maintenances.json"])["scheduled_maintenances"]
    for window in windows:
        if (
            window["status"] in ("scheduled", "in_progress", "verifying")
            and parse_instant(window["scheduled_until"]) <= now
        ):
            yield f"{window['id']} is {window['status']} after its end"
    for record in (*incidents, *windows):
        for update in record["incident_updates"]:
            if parse_instant(update["display_at"]) < parse_instant(record["created_at"]):
                yield f"an update of {record['id']} is dated before its record"
    closed = ("resolved", "postmortem", "completed", "scheduled")
    held = {
        component["id"]
        for record in (*incidents, *windows)
        if record["status"] not in closed
        for component in record["components"]
    }
    for component in summary["components"]:
        if component["status"] != "operational" and component["id"] not in held:
            yield f"{component['id']} is {component['status']} without an open record"
    events = {
        str(event["UID"]).partition("@")[0]: event
        for event in Calendar.from_ical(documents["maintenances.ics"]).walk("VEVENT")
    }
    if set(events) != {window["id"] for window in windows}:
        yield f"the calendar has {sorted(events)}"
    for window in windows:
        event = events.get(window["id"])
        if event and (event.start, event.end) != tuple(
            parse_instant(window[key]) for key in ("scheduled_for", "scheduled_until")
        ):
            yield f"the calendar has another window of {window['id']}"
        name = f"incidents/{window['id']}.html"
        if f'href="{name}"'.encode() not in documents["history.html"] + documents["index.html"]:
            yield f"no page links to {name}"
        if f"/incidents/{window['id']}".encode() not in documents["history.rss"]:
            yield f"the feed lacks {window['id']}"


def listed(content: Path, now: Instant) -> dict[str, str]:
    """Return the statuses of announced windows as `maintenance list` has them."""
    arguments = [
        "maintenance",
        "list",
        "--all",
        "--format",
        "json",
        "--content",
        str(content),
        "--now",
        format_utc_shortest(now),
    ]
    rows = json.loads(CliRunner().invoke(command, arguments, catch_exceptions=False).stdout)
    return {row["id"]: row["status"] for row in rows if row["impact"] is not None}


@settings(steady, max_examples=STORIES, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(st.data())
def test_random_edits_build_equals_fresh_build(tmp_path_factory: Any, data: Any) -> None:
    root = tmp_path_factory.mktemp("story")
    story = Story(data.draw, write_files(root / "content", FILES))
    for _ in range(data.draw(st.integers(3, 14))):
        story.step()
    found = [finding for finding in story.read().findings if finding.rule not in NOT_FAULTS]
    assert found == [], story.told
    timeline = story.timeline()
    site = root / "site"
    build(story.content, site, story.now)
    whole = files_in(site)
    turns = [at for at in (*timeline.change_times, *timeline.deadlines) if story.now < at <= timeline.until]
    for number, now in enumerate([story.now, *sorted(set(turns))]):
        fresh = build(story.content, root / f"fresh-{number}", now)
        due = read_epoch_index(site).next_build
        if due is not None and now >= due:  # what is under embargo is in no file before
            build(story.content, site, now)
            whole = files_in(site)
        tick(site, now)
        assert unlike(fresh, present(site)) == [], (now, story.told)
        app = SiteApp(whole.get, lambda now=now: now, lambda: "<uuid>", lambda _: None, None)
        for path in fresh:
            if path.endswith((".json", ".html", ".atom", ".rss", ".ics", ".svg")):
                looked_up = answer_site_request(
                    LookupRequest(target=f"/{path}"), whole.get, now, lambda: "<uuid>"
                )
                assert without_next_change(looked_up.body) == fresh[path], (path, now, story.told)
                if path.startswith("api/v2/"):
                    assert app.respond(LookupRequest(target=f"/{path}")).body == fresh[path], (
                        path,
                        now,
                        story.told,
                    )
        assert list(faults(fresh, now)) == [], (now, story.told)
        windows = json.loads(fresh["api/v2/scheduled-maintenances.json"])["scheduled_maintenances"]
        rows = listed(story.content, now)
        assert {one: "completed" if status == "cancelled" else status for one, status in rows.items()} == {
            window["id"]: window["status"] for window in windows
        }, (now, story.told)
