"""What happened to a component on which day."""

from datetime import date, timedelta

from statuary.base.primitives import Instant
from statuary.status.model.downtime import DateRange, DayDowntime, DowntimeByDay
from statuary.status.model.timeline import build_timeline
from support.status_site import at, catalogue_of

ZONED = """
    name: Demo
    url: https://status.example.org
    time_zone: Europe/Zurich
    created_at: 2020-01-01T00:00:00Z
"""


ALL_DAYS = (date(2026, 10, 1), date(2026, 11, 20))


def troubles(
    now: Instant, page: str = ZONED, days: tuple[date, date] = ALL_DAYS, **records: dict[str, str]
) -> dict[date, DayDowntime]:
    catalogue = catalogue_of(page=page, **records)
    rpc = next(component for component in catalogue.components if component.key == "rpc")
    return DowntimeByDay(build_timeline(catalogue, now)).downtimes_of(rpc.id, DateRange(*days, now))


OUTAGE = {
    "trouble": """
        name: Trouble
        components: {rpc: major_outage}
        updates:
          - {at: 2026-11-02T22:30:00Z, status: investigating, body: a}
          - {at: 2026-11-02T23:30:00Z, status: identified, body: b, components: {rpc: degraded_performance}}
          - {at: 2026-11-03T00:15:00Z, status: resolved, body: c}
    """
}


def test_outage_splits_at_page_midnight() -> None:
    found = troubles(at("11-20 12:00"), incidents=OUTAGE)
    assert list(found) == [date(2026, 11, 2), date(2026, 11, 3)]
    first, second = found.values()
    assert first.lengths == {"major_outage": timedelta(minutes=30)}
    assert second.lengths == {
        "major_outage": timedelta(minutes=30),
        "degraded_performance": timedelta(minutes=45),
    }
    assert second.worst == "major_outage"
    assert second.outage.major == timedelta(minutes=30)
    assert [record.incident.id for record in second.records] == ["trouble"]


def test_ongoing_outage_counts_until_present_time() -> None:
    found = troubles(at("11-03 00:00"), incidents=OUTAGE)
    today = found[date(2026, 11, 3)]
    assert today.ongoing == "degraded_performance"
    assert today.lengths == {
        "major_outage": timedelta(minutes=30),
        "degraded_performance": timedelta(minutes=30),
    }
    assert today.worst == "major_outage"


def test_long_outage_fills_whole_uptime_days() -> None:
    open_ended = {"trouble": OUTAGE["trouble"].split("          - {at: 2026-11-02T23:30")[0]}
    found = troubles(at("11-05 09:00"), incidents=open_ended)
    assert [day.day for day in found] == [2, 3, 4, 5]
    assert found[date(2026, 11, 4)].lengths == {"major_outage": timedelta(days=1)}
    assert found[date(2026, 11, 5)].lengths == {"major_outage": timedelta(hours=10)}
    assert found[date(2026, 11, 5)].ongoing == "major_outage"


def test_past_maintenance_day_shows_its_duration() -> None:
    window = {
        "upgrade": """
            name: Upgrade
            components: [rpc]
            created_at: 2026-10-01T00:00:00Z
            scheduled_for: 2026-11-10T10:00:00Z
            scheduled_until: 2026-11-10T12:00:00Z
        """
    }
    found = troubles(at("11-20 12:00"), maintenances=window)
    (day,) = found.values()
    assert day.lengths == {"under_maintenance": timedelta(hours=2)}
    assert [record.incident.id for record in day.records] == ["upgrade"]
    assert day.outage.major == day.outage.partial == timedelta()


def test_component_without_downtime_has_no_days() -> None:
    assert troubles(at("11-20 12:00")) == {}


def test_outage_of_zero_length_marks_today() -> None:
    now = at("11-02 22:30")
    rpc_days = [(date(2026, 11, 2), date(2026, 11, 2)), (date(2026, 11, 1), date(2026, 11, 3))]
    for first, last in rpc_days:
        (day,) = troubles(now, days=(first, last), incidents=OUTAGE).values()
        assert (day.day, day.lengths, day.ongoing) == (date(2026, 11, 2), {}, "major_outage")
        assert day.worst == "major_outage"


def test_past_days_omit_ongoing_outage() -> None:
    now = at("11-02 22:30")
    assert troubles(now, days=(date(2026, 11, 1), date(2026, 11, 1)), incidents=OUTAGE) == {}
    assert troubles(now, days=(date(2026, 11, 3), date(2026, 11, 3)), incidents=OUTAGE) == {}


CHANGING = {
    "first": """
        name: Lasts for two days
        components: {rpc: degraded_performance}
        updates:
          - {at: 2026-11-02T22:30:00Z, status: investigating, body: a}
          - {at: 2026-11-04T10:00:00Z, status: resolved, body: b}
          - {at: 2026-11-06T10:00:00Z, status: monitoring, reopens: true, body: c}
          - {at: 2026-11-07T10:00:00Z, status: resolved, body: d}
    """,
    "backdated": """
        name: Published after its start
        components: {rpc: major_outage}
        started_at: 2026-11-03T08:00:00Z
        updates:
          - {at: 2026-11-05T09:00:00Z, status: investigating, body: a}
          - {at: 2026-11-05T11:00:00Z, status: resolved, body: b}
    """,
}


def test_downtime_computed_step_by_step_is_the_same() -> None:
    catalogue = catalogue_of(page=ZONED, incidents=CHANGING)
    timeline = build_timeline(catalogue, at("11-20 00:00"))
    [rpc, *_] = (component for component in catalogue.components if component.key == "rpc")
    steps = DowntimeByDay(timeline)
    for hours in range(0, 15 * 24, 5):
        now = Instant(at("11-01 00:00") + timedelta(hours=hours))
        days = DateRange(now.date() - timedelta(days=3), now.date(), now)
        assert steps.downtimes_of(rpc.id, days) == DowntimeByDay(timeline).downtimes_of(rpc.id, days)
