"""The calendar of maintenances, read by two libraries."""

from datetime import UTC, datetime, timedelta

import icalendar
import pytest
import vobject

from support.status_site import at, catalogue, feed_documents, incident, maintenance
from support.statuspage_captures import capture, instant_of, read_status, write_content

BEFORE, DURING, AFTER = (at(f"2026-{day}") for day in ("11-20T12:00", "12-01T22:30", "12-02T12:00"))


def calendar(maintenances, moment=BEFORE, **changed):
    status = catalogue({"slow": incident()}, maintenances, **changed)
    return calendar_of(status, moment)


def calendar_of(status, moment):
    return next(d.body for d in feed_documents(status, moment) if d.path == "maintenances.ics")


def events(body):
    """Return the events by their UID, as `icalendar` reads them."""
    return {str(event["UID"]): event for event in icalendar.Calendar.from_ical(body).walk("VEVENT")}


def only(body):
    (event,) = events(body).values()
    return event


def test_icalendar_and_vobject_read_same_events():
    body = calendar({"upgrade": maintenance(), "move": maintenance(name="Move", components=["explorer"])})

    ours = vobject.readOne(body.decode())
    assert ours.version.value == "2.0"
    assert len(ours.vevent_list) == 2
    for event in ours.vevent_list:
        other = events(body)[event.uid.value]
        assert event.summary.value == str(other["SUMMARY"])
        assert event.description.value == str(other["DESCRIPTION"])
        assert event.dtstart.value == other["DTSTART"].dt == datetime(2026, 12, 1, 22, tzinfo=UTC)
        assert event.dtend.value == other["DTEND"].dt == datetime(2026, 12, 1, 23, tzinfo=UTC)
        assert event.url.value == str(other["URL"])
        assert event.status.value == str(other["STATUS"]) == "CONFIRMED"
        assert event.sequence.value == str(other["SEQUENCE"])
        (alarm,) = other.walk("VALARM")
        assert event.valarm.trigger.value == alarm["TRIGGER"].dt == timedelta(minutes=-60)
        assert event.valarm.action.value == str(alarm["ACTION"]) == "DISPLAY"


def test_required_icalendar_properties_occur_once():
    body = calendar({"upgrade": maintenance()})
    root = icalendar.Calendar.from_ical(body)
    assert root.errors == []
    event = only(body)
    assert event.errors == []
    for name in (
        "UID",
        "DTSTAMP",
        "DTSTART",
        "DTEND",
        "SUMMARY",
        "STATUS",
        "SEQUENCE",
        "LAST-MODIFIED",
        "CREATED",
    ):
        assert not isinstance(event[name], list)
    assert str(event["UID"]) == "upgrade@plinthpage01"
    assert str(root["NAME"]) == "Plinth maintenance"
    assert (str(root["VERSION"]), str(root["PRODID"])) == ("2.0", "-//statuary//scheduled maintenances//EN")


def test_calendar_description_lists_components_and_updates():
    body = calendar(
        {"upgrade": maintenance(components=["rpc", "explorer"], body="First line\n<strong>bold</strong>")}
    )
    assert str(only(body)["DESCRIPTION"]) == "Affects: Public RPC, Explorer\n\nScheduled - First line\nbold"


def test_calendar_lines_fold_at_75_bytes():
    long = "Überprüfung der Brücke nach 区块浏览器 🚀 " * 5
    body = calendar({"upgrade": maintenance(name=long, body=long * 20)})
    lines = body.split(b"\r\n")
    assert lines[-1] == b""
    assert not any(b"\n" in line or b"\r" in line for line in lines)
    assert max(map(len, lines)) == 75
    for line in lines:
        # no character is cut in two
        line.decode("utf-8")
    assert str(only(body)["SUMMARY"]) == long.strip()


TEXTS = (
    "back\\slash; semi, comma: colon\\n \\, \"quoted\" 'single'",
    "a\nBEGIN:VALARM\nACTION:EMAIL",
    "a\r\nATTACH:file:///etc/passwd",
    "nel\x85ATTENDEE:x ls\u2028ATTENDEE:x ps\u2029ATTENDEE:x vt\x0bATTENDEE:x del\x7f",
    "<script>alert(1)</script> text",
)


@pytest.mark.parametrize("text", TEXTS)
def test_markup_in_calendar_text_is_escaped(text):
    body = calendar({"upgrade": maintenance(name=text, body=text)}, page={"name": text})
    event = only(body)
    assert [alarm["ACTION"] for alarm in event.walk("VALARM")] == ["DISPLAY"]
    assert not {"ATTACH", "ATTENDEE"} & set(event)
    assert str(event["SUMMARY"]) == " ".join(text.split()).replace("\x7f", "")
    assert vobject.readOne(body.decode()).vevent.summary.value == str(event["SUMMARY"])
    for line in body.decode().splitlines():
        assert line[0] == " " or line.partition(":")[0].partition(";")[0].replace("-", "").isupper()


def test_icalendar_special_characters_are_escaped():
    body = calendar({"upgrade": maintenance(name="a\\b;c,d:e")})
    assert b"\r\nSUMMARY:a\\\\b\\;c\\,d:e\r\n" in body


def test_calendar_event_update_raises_sequence():
    record = {"upgrade": maintenance()}
    output = [only(calendar(record, moment)) for moment in (BEFORE, at("2026-12-01T21:00"), DURING, AFTER)]
    assert len({str(event["UID"]) for event in output}) == 1
    sequences = [event["SEQUENCE"] for event in output]
    assert sequences == sorted(set(sequences))
    assert [event["DTSTAMP"].dt for event in output] == [
        datetime(2026, 11, 1, tzinfo=UTC),
        datetime(2026, 12, 1, 21, tzinfo=UTC),
        datetime(2026, 12, 1, 22, tzinfo=UTC),
        datetime(2026, 12, 1, 23, tzinfo=UTC),
    ]
    # what has begun rings no more
    assert [len(event.walk("VALARM")) for event in output] == [1, 1, 0, 0]


def test_calendar_is_independent_of_clock():
    record = {"upgrade": maintenance()}
    assert calendar(record, BEFORE) == calendar(record, at("2026-11-28T00:00"))


def test_moved_calendar_event_keeps_uid():
    before = only(calendar({"upgrade": maintenance()}))
    moved = maintenance(
        name="Upgrade, later",
        scheduled_for="2026-12-08T22:00:00Z",
        scheduled_until="2026-12-08T23:00:00Z",
        updates=[{"at": "2026-11-10T00:00:00Z", "status": "scheduled", "body": "A week later."}],
    )
    after = only(calendar({"upgrade": moved}))
    assert str(after["UID"]) == str(before["UID"])
    assert after["SEQUENCE"] > before["SEQUENCE"]
    assert after["DTSTART"].dt == datetime(2026, 12, 8, 22, tzinfo=UTC)


def test_cancelled_maintenance_stays_in_calendar():
    record = maintenance(cancelled_at="2026-11-15T08:00:00Z")
    assert str(only(calendar({"upgrade": record}, at("2026-11-15T07:59")))["STATUS"]) == "CONFIRMED"
    event = only(calendar({"upgrade": record}))
    assert str(event["STATUS"]) == "CANCELLED"
    assert event.walk("VALARM") == []
    assert event["DTSTART"].dt == datetime(2026, 12, 1, 22, tzinfo=UTC)


def test_completed_maintenance_stays_confirmed_in_calendar():
    record = maintenance(cancelled_at="2026-12-01T23:30:00Z")
    assert str(only(calendar({"upgrade": record}, AFTER))["STATUS"]) == "CONFIRMED"


def test_recurring_maintenances_are_separate_calendar_events():
    rule = {
        "rule": "FREQ=WEEKLY;COUNT=4",
        "announce_days": 30,
        "occurrences": {
            "2026-12-08T22:00:00Z": {"scheduled_for": "2026-12-09T20:00:00Z"},
            "2026-12-15T22:00:00Z": {"cancelled_at": "2026-11-18T00:00:00Z"},
        },
    }
    record = maintenance(recurrence=rule)
    del record["created_at"]
    output = events(calendar({"weekly": record}))
    assert {uid.partition("@")[0]: event["DTSTART"].dt.isoformat() for uid, event in output.items()} == {
        "weekly-20261201t2200z": "2026-12-01T22:00:00+00:00",
        "weekly-20261208t2200z": "2026-12-09T20:00:00+00:00",
        "weekly-20261215t2200z": "2026-12-15T22:00:00+00:00",
    }
    assert [str(event["STATUS"]) for event in output.values()].count("CANCELLED") == 1


def test_empty_calendar_is_valid():
    body = calendar({})
    root = icalendar.Calendar.from_ical(body)
    assert [component.name for component in root.subcomponents] == ["VTIMEZONE"]
    assert vobject.readOne(body.decode()).vtimezone.tzid.value == "Etc/UTC"


def test_calendar_keeps_times_of_captured_maintenances(tmp_path):
    real = capture("junxit-claude.scheduled-maintenances.json")
    records = real["scheduled_maintenances"]
    components = {c["id"]: c for record in records for c in record["components"]}
    write_content(tmp_path, real["page"], components.values(), (), records)
    output = events(calendar_of(read_status(tmp_path), at("2030-01-01T00:00")))

    assert len(output) == len(records)
    for record in records:
        event = output[f"{record['id']}@{real['page']['id']}"]
        assert str(event["SUMMARY"]) == record["name"]
        for name, member in (
            ("DTSTART", "scheduled_for"),
            ("DTEND", "scheduled_until"),
            ("DTSTAMP", "updated_at"),
        ):
            assert event[name].dt == instant_of(record[member]).replace(microsecond=0)
