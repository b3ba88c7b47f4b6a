"""What a channel is sent: each event once, in order, whatever ends a run."""

from collections import Counter
from datetime import timedelta

import pytest

from statuary.base.primitives import Instant, parse_instant
from statuary.extensions.notify.announce import send_due_events
from statuary.extensions.notify.channels import DeliveryError
from statuary.extensions.notify.events import RECORD_EVENTS, EventKind, list_events_between
from statuary.extensions.notify.sent_events import (
    MAX_DELAY,
    DeliveryStateError,
    FileState,
    encode_delivery_state,
    parse_delivery_state,
)
from statuary.extensions.notify.settings import Channel, ChannelKind, Delivery
from statuary.status.model.timeline import build_timeline
from support.status_site import catalogue_of

BEFORE = parse_instant("2026-11-02T09:00:00Z")
NOON = parse_instant("2026-11-02T12:00:00Z")
END = parse_instant("2026-12-01T00:00:00Z")

INCIDENT = """
    name: Slow answers
    components: {rpc: degraded_performance}
    updates:
      - {at: 2026-11-02T10:00:00Z, status: investigating, body: We look.}
      - {at: 2026-11-02T10:20:00Z, status: identified, body: We know.}
      - {at: 2026-11-02T11:00:00Z, status: resolved, body: Done.}
"""


def timeline_of(**incidents):
    return build_timeline(catalogue_of(incidents=incidents), END)


def channel(delivery=Delivery.AT_LEAST_ONCE, name="ops", events=tuple(EventKind), components=()):
    return Channel(name, ChannelKind.SLACK, "URL", events=events, components=components, delivery=delivery)


class Sent:
    """Keeps what is sent; fails where a test wants it."""

    def __init__(self, *failures):
        self.events = []
        self.failures = list(failures)

    def __call__(self, channel, event, timeline):
        failure = self.failures.pop(0) if self.failures else None
        if failure is not None:
            raise failure
        self.events.append((channel.name, event.id))

    @property
    def ids(self):
        return [event_id for _, event_id in self.events]


@pytest.fixture
def record(tmp_path):
    return FileState(tmp_path / "notified.json")


def run(record, timeline, now, send, *channels, **more):
    return list(send_due_events(channels or (channel(),), timeline, now, record, send, **more))


def all_ids(timeline, kinds=tuple(EventKind)):
    return [event.id for event in list_events_between(timeline, BEFORE, END) if event.kind in kinds]


def test_first_notify_run_sends_no_events(record):
    timeline, send = timeline_of(trouble=INCIDENT), Sent()
    run(record, timeline, parse_instant("2026-11-02T10:10:00Z"), send)
    assert send.ids == []
    run(record, timeline, NOON, send)
    assert send.ids == all_ids(timeline)[2:]  # without the opening and its component
    run(record, timeline, NOON, send)
    assert send.ids == all_ids(timeline)[2:]


def test_since_option_affects_only_new_channels(record):
    timeline, send = timeline_of(trouble=INCIDENT), Sent()
    for _ in range(2):
        run(record, timeline, NOON, send, since=BEFORE)
    assert send.ids == all_ids(timeline)


def test_update_committed_late_is_sent(record):
    """The seam of two clocks: an update's own time, and that of the run which sees it first."""
    send = Sent()
    run(record, timeline_of(), BEFORE, send)
    run(record, timeline_of(), parse_instant("2026-11-02T10:03:00Z"), send)
    run(record, timeline_of(trouble=INCIDENT), parse_instant("2026-11-02T10:05:00Z"), send)
    assert send.ids == all_ids(timeline_of(trouble=INCIDENT))[:2]


def test_outdated_event_is_not_sent(record):
    send = Sent()
    run(record, timeline_of(), BEFORE, send)
    late = Instant(parse_instant("2026-11-02T11:00:00Z") + MAX_DELAY + timedelta(seconds=1))
    run(record, timeline_of(), late, send)
    run(record, timeline_of(trouble=INCIDENT), late, send)
    assert send.ids == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("at: 2026-11-02T10:20:00Z, status", "at: 2026-11-02T10:21:00Z, status"),
        ("body: We know.", "body: We do know."),
        ("name: Slow answers", "name: Slow replies"),
    ],
)
def test_corrected_incident_text_is_not_resent(record, before, after):
    send = Sent()
    at = parse_instant("2026-11-02T10:30:00Z")
    run(record, timeline_of(trouble=INCIDENT), at, send, since=BEFORE)
    sent = send.ids
    run(record, timeline_of(trouble=INCIDENT.replace(before, after)), at, send)
    assert len(sent) == 3
    assert send.ids == sent


def test_failing_channel_never_blocks_other_channels(record):
    timeline = timeline_of(trouble=INCIDENT)
    broken, working = channel(name="broken"), channel(name="working")
    send = Sent(None, DeliveryError("500"))
    results = run(record, timeline, NOON, send, broken, working, since=BEFORE)
    assert [result.error is not None for result in results] == [False, True, *[False] * 5]
    run(record, timeline, NOON, send, broken, working)
    for name in ("broken", "working"):
        assert [event_id for of, event_id in send.events if of == name] == all_ids(timeline)


def test_long_channel_outage_loses_no_events(record):
    timeline, send = timeline_of(trouble=INCIDENT), Sent()
    run(record, timeline, BEFORE, send)
    for day in range(1, 6):
        run(record, timeline, Instant(BEFORE + timedelta(days=day)), Sent(DeliveryError("down")))
    run(record, timeline, Instant(BEFORE + timedelta(days=6)), send)
    assert send.ids == all_ids(timeline)


def test_channel_filters_select_sent_events(record):
    timeline, send = timeline_of(trouble=INCIDENT), Sent()
    channels = (
        channel(name="other", components=("explorer",)),
        channel(name="records", events=RECORD_EVENTS),
    )
    run(record, timeline, NOON, send, *channels, since=BEFORE)
    assert send.events == [("records", event_id) for event_id in all_ids(timeline, RECORD_EVENTS)]


def test_event_waits_for_site_publication(record):
    timeline, send = timeline_of(trouble=INCIDENT), Sent()
    results = run(record, timeline, NOON, send, since=BEFORE, is_published=lambda _: False)
    assert send.ids == []
    assert "not on the published site yet" in str(results[0].error)
    run(record, timeline, NOON, send)
    assert send.ids == all_ids(timeline)


class KilledError(BaseException):
    """Ends a run at once."""


class MemoryRecord:
    """A record that outlives the runs of one test."""

    def __init__(self):
        self.body = None

    def read(self):
        return None if self.body is None else parse_delivery_state(self.body, "record")

    def write(self, channels):
        self.body = encode_delivery_state(channels)


class Killing:
    """A record and a sender that end a run at one of its steps."""

    def __init__(self, record, step):
        self.record, self.step = record, step
        self.sent = []

    def _count(self):
        self.step -= 1
        if self.step == 0:
            raise KilledError

    def read(self):
        return self.record.read()

    def write(self, channels):
        self._count()
        self.record.write(channels)
        self._count()

    def send(self, channel, event, timeline):
        self._count()
        self.sent.append((channel.name, event.id))
        self._count()


CHANNELS = (channel(name="again"), channel(Delivery.AT_MOST_ONCE, name="once"))


@pytest.mark.thorough
def test_killed_notify_run_loses_no_event():
    """Every step of a run, and every step of the run after it: nothing is lost but where the channel says so."""
    timeline = timeline_of(trouble=INCIDENT)
    kills = 0
    for first in range(1, 60):
        for second in (0, 1, 2, 3, 5, 8):
            record = MemoryRecord()
            sent = []
            for step in (first, second, 0, 0):
                killing = Killing(record, step)
                try:
                    list(send_due_events(CHANNELS, timeline, NOON, killing, killing.send, since=BEFORE))
                except KilledError:
                    kills += 1
                sent += killing.sent
            counts = Counter(sent)
            wanted = all_ids(timeline)
            assert all(counts["again", event_id] >= 1 for event_id in wanted)
            assert sum(counts["again", event_id] for event_id in wanted) <= len(wanted) + 2
            assert all(counts["once", event_id] <= 1 for event_id in wanted)
            for name in ("again", "once"):
                order = [wanted.index(event_id) for of, event_id in dict.fromkeys(sent) if of == name]
                assert order == sorted(order)
    assert kills > 300


def test_uncertain_delivery_is_reported_only_once(record):
    timeline, once = timeline_of(trouble=INCIDENT), channel(Delivery.AT_MOST_ONCE)
    killing = Killing(record, 3)
    with pytest.raises(KilledError):
        list(send_due_events((once,), timeline, NOON, killing, killing.send, since=BEFORE))
    errors = [result.error for result in run(record, timeline, NOON, Sent(), once) if result.error]
    assert ["may not have arrived" in str(error) for error in errors] == [True]
    assert [result for result in run(record, timeline, NOON, Sent(), once) if result.error] == []


def test_rejected_at_most_once_event_retries(record):
    timeline, once = timeline_of(trouble=INCIDENT), channel(Delivery.AT_MOST_ONCE)
    send = Sent(DeliveryError("404", is_certain=True))
    run(record, timeline, NOON, send, once, since=BEFORE)
    assert send.ids == []
    run(record, timeline, NOON, send, once)
    assert send.ids == all_ids(timeline)


def test_delivery_state_drops_old_events(record):
    timeline, send = timeline_of(trouble=INCIDENT), Sent()
    run(record, timeline, NOON, send, since=BEFORE)
    run(record, timeline, END, send)
    assert record.read()["ops"].events == {}


def test_encoded_delivery_state_parses_unchanged(record):
    timeline = timeline_of(trouble=INCIDENT)
    run(record, timeline, NOON, Sent(), since=BEFORE)
    body = record.file.read_bytes()
    assert encode_delivery_state(parse_delivery_state(body, "record")) == body


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"format":1}',
        b'{"format":2,"channels":{}}',
        b'{"format":1,"channels":{"a":{"until":"x"}}}',
        b'{"format":1,"channels":{"a":3}}',
        b"\xff",
        b'{"format":1,"channels":[]}',
    ],
)
def test_damaged_delivery_state_sends_nothing(record, body):
    record.file.write_bytes(body)
    send = Sent()
    with pytest.raises(DeliveryStateError):
        run(record, timeline_of(trouble=INCIDENT), NOON, send)
    assert send.ids == []
    assert record.file.read_bytes() == body


def test_clock_rollback_resends_no_event(record):
    timeline, send = timeline_of(trouble=INCIDENT), Sent()
    run(record, timeline, NOON, send, since=BEFORE)
    for at in (BEFORE, parse_instant("2026-11-02T10:30:00Z"), NOON):
        run(record, timeline, at, send)
    assert send.ids == all_ids(timeline)
