"""Payloads that monitoring systems and Statuspage have posted, against what this project makes of them, and sends itself.

    PYTHONPATH=tests python tests/support/recorded_alerts.py FOLDER...

Each FOLDER has recorded payloads, at any depth in folders `alertmanager`, `grafana`, `pagerduty` and `statuspage`, such as a checkout
of zulip/zulip (`zerver/webhooks/*/fixtures`). Nothing of them is in this repository.

`statuary incident from-alert` takes each alert twice, and the second time changes no file. One that fires opens an incident, which
its end resolves. One that ends an alert resolves what the alert has opened, after it was made to fire. What is not read is listed
with its message and the reason. A payload of Statuspage is compared with the webhook of an event of the same kind: each recorded
member is there. The exit code is 1 for a traceback, a rejection without a reason, or anything else than this.
"""

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from click.testing import CliRunner

from statuary.base.primitives import Instant, format_utc_shortest, parse_instant
from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from statuary.extensions.alerts.payloads import PayloadError, read_alerts
from statuary.extensions.notify.channels import make_channel_body
from statuary.extensions.notify.events import EventKind, list_events_between
from statuary.extensions.notify.settings import ChannelKind
from statuary.status.model.timeline import build_timeline
from support.sites import write_files
from support.status_site import catalogue_of

SENDERS = ("alertmanager", "grafana", "pagerduty")
STATUSPAGE = "statuspage"

START = parse_instant("2026-11-02T10:00:00Z")

PAGE = {"name": "Demo", "url": "https://status.example.org", "created_at": "2020-01-01T00:00:00Z"}

LABELS = ("service", "alertname")
"""The labels by which a rule finds its component, if an alert has them; else its first."""

REASONS = {
    "of PagerDuty's webhooks v1 or v2": "nothing posts them any more",
    "an unknown format": "a message of a person's own template: it says neither what it is about nor whether it fires",
}
"""What messages of rejections contain, and why such a payload is not read."""


class UnexpectedError(Exception):
    """Something else than what the documentation promises."""


class Recorded(NamedTuple):
    """A recorded payload."""

    name: str
    sender: str
    body: bytes


class Row(NamedTuple):
    """What became of a payload."""

    name: str
    outcome: str
    detail: str = ""
    is_unexpected: bool = False


def recorded_in(folder: Path) -> Iterator[Recorded]:
    """Yield the payloads of a folder."""
    for path in sorted(folder.rglob("*.json")):
        senders = [part for part in path.relative_to(folder).parts if part in (*SENDERS, STATUSPAGE)]
        if senders:
            yield Recorded(f"{senders[-1]}/{path.name}", senders[-1], path.read_bytes())


class AlertSite:
    """A content folder with a rule for each alert of a payload; each run is five minutes after the one before."""

    def __init__(self, folder: str, body: bytes) -> None:
        self.content, self.at = Path(folder, "content"), START
        labels = [alert.labels for alert in read_alerts(body) if alert.labels]
        chosen = [next((name for name in LABELS if name in each), min(each)) for each in labels]
        rules = [
            {"component": "rpc", "labels": {name: each[name]}}
            for name, each in zip(chosen, labels, strict=True)
        ]
        settings = {"page": PAGE, "alerts": {"rules": rules}}
        components = {"components": {"rpc": {"name": "RPC"}}}
        write_files(
            self.content,
            {"site.yaml": yaml.safe_dump(settings), "components.yaml": yaml.safe_dump(components)},
        )

    def take(self, body: bytes) -> str:
        """Run `from-alert`, and return what it prints."""
        self.at = Instant(self.at + timedelta(minutes=5))
        return self._run(["incident", "from-alert"], body)

    def check(self) -> None:
        """Check that what was written is content without an error."""
        self._run(["check"])

    def _run(self, words: list[str], body: bytes = b"") -> str:
        options = ["--content", str(self.content), "--now", format_utc_shortest(self.at)]
        done = CliRunner().invoke(command, [*words, *options], input=body)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise UnexpectedError(f"a traceback: {done.exception!r}")
        if done.exit_code != ExitCode.OK:
            raise UnexpectedError(f"exit code {done.exit_code}: {done.output.strip()}")
        return done.stdout

    def files(self) -> dict[str, tuple[int, bytes]]:
        """Return each file with its time and its bytes."""
        files = (path for path in self.content.rglob("*") if path.is_file())
        return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}

    def statuses(self) -> list[list[str]]:
        """Return the statuses of each incident's updates."""
        files = sorted(self.content.glob("incidents/*.yaml"))
        return [
            [update["status"] for update in yaml.safe_load(path.read_bytes())["updates"]] for path in files
        ]


OPEN, RESOLVED = ["investigating"], ["investigating", "resolved"]


def outcome_of(body: bytes) -> tuple[str, str]:
    """Return what becomes of a payload, and what the command says.

    Raises:
        PayloadError: if it is not read.
        UnexpectedError: if a second time changes something, or an end does not resolve what was opened.
    """
    alerts = read_alerts(body)
    if not any(alert.labels for alert in alerts):
        with tempfile.TemporaryDirectory() as folder:
            site = AlertSite(folder, body)
            said = _twice(site, body)
            _expect(site.statuses() == [], "something was opened")
            return "changes nothing", said
    with tempfile.TemporaryDirectory() as folder:
        site = AlertSite(folder, body)
        if any(alert.is_firing for alert in alerts):
            said = _twice(site, body)
            _expect(site.statuses() == [OPEN], f"it did not open one incident, but {site.statuses()}")
            _twice(site, with_state(body, fires=False))
            outcome = "opens, its end resolves"
        else:
            _twice(site, with_state(body, fires=True))
            _expect(site.statuses() == [OPEN], f"its begin did not open one incident, but {site.statuses()}")
            said, outcome = _twice(site, body), "resolves what its begin opened"
        _expect(site.statuses() == [RESOLVED], f"what it opened is not resolved: {site.statuses()}")
        site.check()
    return outcome, said


def _twice(site: AlertSite, body: bytes) -> str:
    said, before = site.take(body), site.files()
    site.take(body)
    _expect(site.files() == before, "the second time changes files")
    return said.splitlines()[0] if said else ""


def _expect(holds: bool, message: str) -> None:
    if not holds:
        raise UnexpectedError(message)


def with_state(body: bytes, *, fires: bool) -> bytes:
    """Return a payload as its sender posts it at the begin or at the end of the same alert."""
    value: Any = json.loads(body)
    status = "firing" if fires else "resolved"
    if "alerts" in value:
        alerts = [{**alert, "status": status} for alert in value["alerts"]]
        value = {**value, "status": status, "alerts": alerts}
    elif "event" in value:
        event_type = "incident.triggered" if fires else "incident.resolved"
        value = {"event": {**value["event"], "event_type": event_type}}
    else:
        value = {**value, "state": "alerting" if fires else "ok"}
    return json.dumps(value).encode()


def row_of(recorded: Recorded) -> Row:
    """Return what became of a payload."""
    try:
        if recorded.sender == STATUSPAGE:
            return Row(recorded.name, "each member is in our webhook", missing_members(recorded.body))
        return Row(recorded.name, *outcome_of(recorded.body))
    except PayloadError as error:
        reason = next((why for part, why in REASONS.items() if part in str(error)), "")
        return Row(recorded.name, "rejected", f"{error} ({reason or 'WITHOUT A REASON'})", not reason)
    except UnexpectedError as error:
        return Row(recorded.name, "UNEXPECTED", str(error), is_unexpected=True)


INCIDENT = """
    name: Slow answers
    components: {rpc: degraded_performance}
    updates: [{at: 2026-11-02T10:00:00Z, status: investigating, body: We look.}]
"""


def missing_members(body: bytes) -> str:
    """Compare a payload of Statuspage with the webhook of an event of the same kind; return how many members were found.

    Raises:
        UnexpectedError: if one is not there, or is of another type.
    """
    recorded = json.loads(body)
    timeline = build_timeline(catalogue_of(incidents={"slow": INCIDENT}), Instant(START + timedelta(days=1)))
    wanted = EventKind.OPENED if "incident" in recorded else EventKind.COMPONENT
    events = list_events_between(
        timeline, Instant(START - timedelta(days=1)), Instant(START + timedelta(days=1))
    )
    event = next(event for event in events if event.kind is wanted)
    own = json.loads(json.dumps(make_channel_body(ChannelKind.WEBHOOK, event, timeline)))
    expected, found = dict(_members("", recorded)), dict(_members("", own))
    missing = [name for name in expected if name not in found]
    _expect(not missing, f"our webhook lacks {', '.join(missing)}")
    others = [name for name, kind in expected.items() if not kind & found[name]]
    _expect(not others, f"another type than recorded: {', '.join(others)}")
    return f"{len(expected)} members"


Types = frozenset[type]


def _members(name: str, value: Any) -> Iterator[tuple[str, Types]]:
    """Yield the members of a JSON value with their types; null may stand for any."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _members(f"{name}.{key}", member)
    elif isinstance(value, list):
        yield f"{name}[]", frozenset({list})
        for member in value[:1]:
            yield from _members(f"{name}[]", member)
    else:
        yield name, frozenset({str, bool, int} if value is None else {type(value)})


def main(folders: list[Path], show: Callable[[str], None] = print) -> int:
    """Print the table, and return 1 if something is unexpected or nothing is recorded."""
    rows = [row_of(recorded) for folder in folders for recorded in recorded_in(folder)]
    for row in rows:
        show(f"{row.name:55} {row.outcome:32} {row.detail}")
    for outcome, count in Counter(row.outcome for row in rows).most_common():
        show(f"{count:4}  {outcome}")
    return int(not rows or any(row.is_unexpected for row in rows))


if __name__ == "__main__":
    sys.exit(main([Path(name) for name in sys.argv[1:]]))
