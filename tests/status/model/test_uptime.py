"""Uptime by the formula that was found on real pages."""

from datetime import date, timedelta
from fractions import Fraction

import pytest

from statuary.status.model.timeline import build_timeline
from statuary.status.model.uptime import Outage, page_uptime, uptime_fraction, uptime_percentage
from support.status_site import COMPONENTS, PAGE, at, catalogue_of

NINETY_DAYS = timedelta(days=90)


@pytest.mark.parametrize(
    ("partial", "major", "printed"),
    [
        (0, 0, 100.0),
        (0, 3966, 99.94),  # 99.94899…: cut, not rounded
        (13_220, 0, 99.94),  # the same weight, as partial outage
        (0, 1, 99.99),  # a second is enough to lose the 100
        (0, 777, 99.99),
        (0, 778, 99.98),
        (0, 90 * 86_400, 0.0),
        (90 * 86_400, 0, 70.0),
    ],
)
def test_uptime_percentage_matches_printed_value(partial, major, printed):
    outage = Outage(timedelta(seconds=partial), timedelta(seconds=major))

    assert uptime_percentage([uptime_fraction(outage, NINETY_DAYS)]) == printed


def test_uptime_average_uses_exact_fractions():
    third = Fraction(1, 3)

    assert uptime_percentage([third, third, third]) == 33.33
    assert uptime_percentage([Fraction(1), Fraction(99_9899, 1_000_000)]) == 99.99
    assert uptime_percentage([]) is None


def test_empty_period_has_full_uptime():
    assert uptime_fraction(Outage(), timedelta()) == 1


def history(component, *changes):
    output = ", ".join(f"{{at: {instant}, status: {status}}}" for instant, status in changes)
    return COMPONENTS.replace(f"{{name: {component}}}", f"{{name: {component}, history: [{output}]}}")


def uptime_of(components, instant, page=PAGE, **texts):
    catalogue = catalogue_of(components=components, page=page, **texts)
    return page_uptime(build_timeline(catalogue, at("12-31 00:00")), at(instant))


RPC_OUT = history(
    "RPC",
    ("2026-11-02T23:30:00Z", "partial_outage"),
    ("2026-11-03T00:30:00Z", "major_outage"),
    ("2026-11-03T00:45:00Z", "degraded_performance"),
    ("2026-11-03T02:00:00Z", "under_maintenance"),
    ("2026-11-03T03:00:00Z", "operational"),
)


def test_outage_seconds_are_counted_by_day():
    rpc = uptime_of(RPC_OUT, "11-10 12:00").components[0]

    assert rpc.days == {
        date(2026, 11, 2): Outage(partial=timedelta(minutes=30)),
        date(2026, 11, 3): Outage(partial=timedelta(minutes=30), major=timedelta(minutes=15)),
    }
    assert rpc.window == NINETY_DAYS
    assert uptime_percentage([rpc.fraction]) == 99.97  # 900 + 0.3 * 3600 of 7,776,000 seconds: 99.9745…


def test_uptime_days_follow_page_timezone():
    rpc = uptime_of(RPC_OUT, "11-10 12:00", PAGE + "    time_zone: America/Tijuana\n").components[0]

    assert list(rpc.days) == [date(2026, 11, 2)]


def test_uptime_covers_ninety_days():
    assert uptime_of(RPC_OUT, "11-10 12:00").first_day == date(2026, 8, 13)
    assert uptime_of(RPC_OUT, "01-30 12:00").components[0].days == {}
    late = catalogue_of(components=RPC_OUT)
    in_winter = at("11-10 12:00").replace(year=2027, month=1, day=31)
    assert list(page_uptime(build_timeline(late, in_winter), in_winter).components[0].days) == [
        date(2026, 11, 3)
    ]


def test_clock_change_day_has_25_hours():
    zone = PAGE + "    time_zone: Europe/Zurich\n"
    all_day = history(
        "RPC", ("2026-10-24T22:00:00Z", "major_outage"), ("2026-10-25T23:00:00Z", "operational")
    )

    uptime = uptime_of(all_day, "11-10 12:00", zone)

    assert uptime.components[0].days == {date(2026, 10, 25): Outage(major=timedelta(hours=25))}
    assert uptime.components[0].window == NINETY_DAYS + timedelta(hours=1)
    spring = history("RPC", ("2026-03-28T23:00:00Z", "major_outage"), ("2026-03-29T22:00:00Z", "operational"))
    assert uptime_of(spring, "04-10 12:00", zone).components[0].days == {
        date(2026, 3, 29): Outage(major=timedelta(hours=23))
    }


def test_component_start_date_shortens_uptime_period():
    components = RPC_OUT.replace("{name: RPC,", "{name: RPC, start_date: 2026-11-03,")

    uptime = uptime_of(components, "11-10 12:00")

    rpc = next(one for one in uptime.components if one.component.id == "rpc")
    assert rpc.window == timedelta(days=8)
    assert list(rpc.days) == [date(2026, 11, 3)]


def test_ongoing_outage_reduces_uptime_until_now():
    components = history("RPC", ("2026-11-02T22:00:00Z", "major_outage"))

    same_day = uptime_of(components, "11-02 23:00")
    assert same_day.components[0].days == {date(2026, 11, 2): Outage(major=timedelta(hours=1))}
    next_day = uptime_of(components, "11-03 12:00")
    assert next_day.as_of == at("11-03 12:00")
    assert next_day.components[0].days == {
        date(2026, 11, 2): Outage(major=timedelta(hours=2)),
        date(2026, 11, 3): Outage(major=timedelta(hours=12)),
    }
    assert uptime_percentage([next_day.components[0].fraction]) == 99.35  # 14 hours of 90 days


def test_uptime_counts_until_change_or_midnight():
    components = history(
        "RPC", ("2026-11-02T22:00:00Z", "major_outage"), ("2026-11-02T23:00:00Z", "degraded_performance")
    )

    assert uptime_of(components, "11-02 23:30").as_of == at("11-02 23:00")
    assert uptime_of(components, "11-03 12:00").as_of == at("11-03 00:00")


def test_hidden_component_has_no_uptime():
    components = COMPONENTS.replace("{name: RPC}", "{name: RPC, showcase: false}")

    shown = [one.component.id for one in uptime_of(components, "11-10 12:00").components]

    assert shown == ["north", "explorer", "south"]


def test_uptime_day_lists_affecting_incidents():
    incident = """
        name: Stale answers
        components: {rpc: partial_outage}
        updates:
          - {at: 2026-11-02T23:00:00Z, status: investigating}
          - {at: 2026-11-03T01:00:00Z, status: resolved}
    """
    elsewhere = incident.replace("rpc", "explorer")

    rpc = uptime_of(COMPONENTS, "11-10 12:00", incidents={"stale": incident, "else": elsewhere}).components[0]

    assert {day: [event.incident.id for event in events] for day, events in rpc.events.items()} == {
        date(2026, 11, 2): ["stale"],
        date(2026, 11, 3): ["stale"],
    }
