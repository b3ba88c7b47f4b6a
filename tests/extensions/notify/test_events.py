"""What happens between two instants, as events."""

from datetime import timedelta
from itertools import pairwise

import pytest

from statuary.base.primitives import Instant, parse_instant
from statuary.extensions.notify.events import EventKind, list_events_between
from statuary.status.model.timeline import build_timeline, transitions_between
from support.status_site import catalogue_of

START = parse_instant("2026-11-01T00:00:00Z")
END = parse_instant("2026-12-01T00:00:00Z")

TROUBLE = """
    name: Slow answers
    components: {rpc: degraded_performance}
    updates:
      - {at: 2026-11-02T10:00:00Z, status: investigating, body: We look.}
      - {at: 2026-11-02T10:20:00Z, status: investigating, body: We still look.}
      - {at: 2026-11-02T10:40:00Z, status: monitoring, body: Better., deliver_notifications: false}
      - {at: 2026-11-02T11:00:00Z, status: resolved, body: Done.}
      - {at: 2026-11-02T12:00:00Z, status: resolved, body: Really done.}
"""

UPGRADE = """
    name: Upgrade
    created_at: 2026-11-05T10:00:00Z
    scheduled_for: 2026-11-06T10:00:00Z
    scheduled_until: 2026-11-06T11:00:00Z
    components: [explorer]
"""


def timeline_of(**records):
    return build_timeline(catalogue_of(**records), END)


def kinds(events):
    return [event.kind for event in events]


def test_incident_emits_lifecycle_events():
    events = list_events_between(timeline_of(incidents={"trouble": TROUBLE}), START, END)
    assert kinds(events) == [
        EventKind.OPENED,
        EventKind.COMPONENT,
        EventKind.UPDATED,
        EventKind.RESOLVED,
        EventKind.COMPONENT,
        EventKind.UPDATED,
    ]


def test_maintenance_emits_automatic_events():
    events = list_events_between(timeline_of(maintenances={"upgrade": UPGRADE}), START, END)
    of_record = [kind for kind in kinds(events) if kind is not EventKind.COMPONENT]
    assert of_record == [EventKind.SCHEDULED, EventKind.REMINDER, EventKind.STARTED, EventKind.COMPLETED]
    assert [event.at for event in events if event.kind is EventKind.REMINDER] == [
        parse_instant("2026-11-06T09:00:00Z")
    ]


def test_cancelled_maintenance_emits_cancelled_event():
    cancelled = UPGRADE + "    cancelled_at: 2026-11-05T20:00:00Z\n"
    events = list_events_between(timeline_of(maintenances={"upgrade": cancelled}), START, END)
    assert kinds(events) == [EventKind.SCHEDULED, EventKind.CANCELLED]


@pytest.mark.parametrize("key", ["backfilled: true", "draft: true"])
def test_backfilled_and_draft_incidents_emit_nothing(key):
    assert list_events_between(timeline_of(incidents={"trouble": TROUBLE + f"    {key}\n"}), START, END) == []


IMPORTED = """
    name: Slow answers
    components: {rpc: degraded_performance}
    updates:
      - {at: 2026-11-02T10:00:00Z, status: investigating, body: We look., affected_components: [{code: rpc, name: RPC, old_status: operational, new_status: degraded_performance}]}
      - {at: 2026-11-02T11:00:00Z, status: resolved, body: Done., affected_components: [{code: rpc, name: RPC, old_status: degraded_performance, new_status: operational}]}
"""


def test_imported_updates_emit_no_events():
    assert list_events_between(timeline_of(incidents={"trouble": IMPORTED}), START, END) == []
    own = IMPORTED + "      - {at: 2026-11-02T11:30:00Z, status: resolved, body: Really done.}\n"
    events = list_events_between(timeline_of(incidents={"trouble": own}), START, END)
    assert [(event.kind, event.at) for event in events] == [
        (EventKind.UPDATED, parse_instant("2026-11-02T11:30:00Z"))
    ]


@pytest.mark.parametrize(("notifies", "kind"), [("true", [EventKind.POSTMORTEM]), ("false", [])])
def test_postmortem_event_respects_deliver_notifications_setting(notifies, kind):
    with_postmortem = (
        TROUBLE + "    postmortem: {published_at: 2026-11-03T10:00:00Z, body: What happened.,"
        f" deliver_notifications: {notifies}}}\n"
    )
    events = list_events_between(timeline_of(incidents={"trouble": with_postmortem}), START, END)
    assert kinds(events)[6:] == kind


def test_split_time_ranges_emit_identical_events():
    timeline = timeline_of(incidents={"trouble": TROUBLE}, maintenances={"upgrade": UPGRADE})
    turns = [START, *transitions_between(timeline, START, END), END]
    parts = [
        event for after, until in pairwise(turns) for event in list_events_between(timeline, after, until)
    ]
    assert parts == list_events_between(timeline, START, END)
    assert len({event.id for event in parts}) == len(parts)


def test_event_contains_incident_at_event_time():
    timeline = timeline_of(incidents={"trouble": TROUBLE})
    first = list_events_between(timeline, START, END)[0]
    assert first.change.record.status == "investigating"
    assert len(first.change.record.published_updates) == 1


def test_later_updates_keep_earlier_event_ids():
    short = TROUBLE[: TROUBLE.index("      - {at: 2026-11-02T11:00")]
    until = Instant(parse_instant("2026-11-02T10:30:00Z"))
    before, after = (timeline_of(incidents={"trouble": text}) for text in (short, TROUBLE))
    ids = [[event.id for event in list_events_between(one, START, until)] for one in (before, after)]
    assert ids[0] == ids[1]
    assert len(ids[0]) == 3


def test_component_event_id_matches_changes_json():
    # as `changes.json` derives it: from the component, the time as documents have it, and the status
    from statuary.status.api.members import TimestampFormatter
    from statuary.status.model.records import derived_id

    timeline = timeline_of(incidents={"trouble": TROUBLE})
    event = next(one for one in list_events_between(timeline, START, END) if one.kind is EventKind.COMPONENT)
    at = TimestampFormatter(timeline.catalogue.page.time_zone)(event.at)
    assert event.id == derived_id(event.change.component.id, at, "degraded_performance")


def test_recurring_maintenance_emits_each_window():
    weekly = UPGRADE.replace("    created_at: 2026-11-05T10:00:00Z\n", "").replace(
        "components", "recurrence: {rule: FREQ=WEEKLY;COUNT=3, announce_days: 1}\n    components"
    )
    events = list_events_between(
        timeline_of(maintenances={"upgrade": weekly}), START, Instant(END + timedelta(days=30))
    )
    assert kinds(events).count(EventKind.STARTED) == 3
