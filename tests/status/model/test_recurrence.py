"""Windows that a rule lays out."""

from datetime import timedelta

import pytest

from statuary.base.primitives import InvalidValueError
from statuary.status.model.recurrence import (
    MAX_WINDOWS,
    first_window_start,
    maintenance_windows,
    validate_recurrence_rule,
)
from statuary.status.model.timeline import build_timeline, page_state_at
from support.status_site import at, catalogue_of, maintenance_of

WEEKLY = """
    name: Weekly restart
    components: [rpc]
    scheduled_for: 2026-10-13T02:00:00+02:00
    scheduled_until: 2026-10-13T02:30:00+02:00
    body: Validators restart.
    recurrence:
      rule: FREQ=WEEKLY;BYDAY=TU;COUNT=4
      time_zone: Europe/Zurich
"""


def windows(text, until="12-31 00:00"):
    return list(maintenance_windows(maintenance_of(text, "restart"), at(until)))


def test_recurring_maintenance_follows_daylight_saving_time():
    # clocks go back on 25 October: 02:00 is then an hour later in UTC
    assert [window.scheduled_for for window in windows(WEEKLY)] == [
        at("10-13 00:00"),
        at("10-20 00:00"),
        at("10-27 01:00"),
        at("11-03 01:00"),
    ]


def test_recurrence_in_skipped_hour_shifts_later():
    daily = WEEKLY.replace("FREQ=WEEKLY;BYDAY=TU;COUNT=4", "FREQ=DAILY;COUNT=3")
    spring = daily.replace("2026-10-13T02:00:00+02:00", "2026-03-28T02:30:00+01:00")
    spring = spring.replace("2026-10-13T02:30:00+02:00", "2026-03-28T03:30:00+01:00")

    assert [window.scheduled_for for window in windows(spring)] == [
        at("03-28 01:30"),
        at("03-29 01:30"),  # 02:30 does not exist on this day: 03:30 by the clock
        at("03-30 00:30"),
    ]


def test_recurrence_windows_are_separate_maintenances():
    first, second = windows(WEEKLY)[:2]

    assert (first.id, second.id) == ("restart-20261013t0000z", "restart-20261020t0000z")
    assert first.created_at == at("10-06 00:00")
    assert first.scheduled_until - first.scheduled_for == timedelta(minutes=30)
    assert [update.body for update in first.updates] == ["Validators restart."]
    assert first.updates[0].id != second.updates[0].id


def test_recurrence_window_is_published_when_announced():
    timeline = build_timeline(catalogue_of(maintenances={"restart": WEEKLY}), at("12-31 00:00"))

    def published(instant):
        return [state.incident.scheduled_for for state in page_state_at(timeline, at(instant)).maintenances]

    assert published("10-12 23:59") == [at("10-13 00:00")]
    assert published("10-13 00:00") == [at("10-20 00:00"), at("10-13 00:00")]


def test_recurrence_windows_stop_at_horizon():
    endless = WEEKLY.replace(";COUNT=4", "")

    # the third, on 27 October at 01:00, is announced seven days before
    assert len(windows(endless, "10-20 00:59")) == 2
    assert len(windows(endless, "10-20 01:00")) == 3
    assert len(windows(endless.replace("WEEKLY;BYDAY=TU", "DAILY"), "12-31 00:00")) == 86


def test_occurrence_settings_override_single_recurrence_window():
    text = (
        WEEKLY
        + """
      occurrences:
        2026-10-20T00:00:00Z:
          scheduled_for: 2026-10-21T00:00:00Z
          name: Restart, a day late
        2026-10-27T02:00:00+01:00:
          cancelled_at: 2026-10-26T12:00:00Z
        2026-11-03T01:00:00Z:
          updates: [{at: 2026-11-03T01:10:00Z, status: completed, body: Quick.}]
    """
    )
    plain, moved, cancelled, quick = windows(text)

    assert plain.name == "Weekly restart"
    assert (moved.name, moved.scheduled_for) == ("Restart, a day late", at("10-21 00:00"))
    assert moved.scheduled_until == at("10-21 00:30")
    assert moved.id == "restart-20261020t0000z"  # the id stays that of the rule's own start
    assert cancelled.cancelled_at == at("10-26 12:00")
    assert [update.body for update in quick.updates] == ["Validators restart.", "Quick."]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("FREQ=HOURLY", "has no FREQ of DAILY"),
        ("BYDAY=TU", "has no FREQ of DAILY"),
        ("every Tuesday", "'EVERY TUESDAY' is not NAME=VALUE"),
        ("FREQ=DAILY;COUNT=3;COUNT=4", "has COUNT twice"),
        ("FREQ=DAILY;COUNT=3;UNTIL=20261231T000000Z", "has both COUNT and UNTIL"),
        ("FREQ=WEEKLY;BYDAY=XX", "BYDAY='XX' is not valid"),
        ("FREQ=WEEKLY;BYDAY=", "BYDAY='' is not valid"),
        ("FREQ=WEEKLY;INTERVAL=often", "INTERVAL='OFTEN' is not valid"),
        ("FREQ=DAILY;INTERVAL=0;BYMONTH=2", "INTERVAL='0' is not valid"),
        ("FREQ=DAILY;INTERVAL=-1", "INTERVAL='-1' is not valid"),
        ("FREQ=DAILY;INTERVAL=99999999999999999999", "is not valid"),
        ("FREQ=YEARLY;BYEASTER=372", "BYEASTER='372' is not valid"),
        ("FREQ=YEARLY;BYMONTHDAY=0", "BYMONTHDAY='0' is not valid"),
        ("FREQ=WEEKLY;WHENEVER=1", "WHENEVER='1' is not valid"),
        ("FREQ=WEEKLY;UNTIL=20261231", "UNTIL='20261231' is not valid"),
        ("FREQ=WEEKLY;UNTIL=20261331T000000Z", "UNTIL='20261331T000000Z' is not valid"),
        ("FREQ=WEEKLY;UNTIL=20261231000000000000", "UNTIL='20261231000000000000' is not valid"),
        ("FREQ=DAILY;BYHOUR=1,2;BYMINUTE=1,2", "produces more than 24 windows a day"),
    ],
)
def test_invalid_recurrence_rules_are_rejected(rule, message):
    with pytest.raises(InvalidValueError, match=message):
        validate_recurrence_rule(rule)


def test_endless_recurrence_rule_is_capped():
    daily = WEEKLY.replace("FREQ=WEEKLY;BYDAY=TU;COUNT=4", "FREQ=DAILY")

    assert len(windows(daily.replace("2026-10-13", "2016-10-13"))) == 3738
    assert len(windows(daily.replace("2026-10-13", "1926-10-13"))) == MAX_WINDOWS


def test_rule_without_dates_gives_no_window():
    text = WEEKLY.replace("FREQ=WEEKLY;BYDAY=TU;COUNT=4", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30")
    maintenance = maintenance_of(text, "restart")

    assert windows(text) == []
    assert first_window_start(maintenance, maintenance.recurrence) is None


def test_recurrence_until_includes_last_window():
    text = WEEKLY.replace("COUNT=4", "UNTIL=20261027T010000Z")

    assert [window.scheduled_for for window in windows(text)] == [
        at("10-13 00:00"),
        at("10-20 00:00"),
        at("10-27 01:00"),
    ]


def test_yearly_leap_day_recurrence_gives_window():
    leap = WEEKLY.replace("FREQ=WEEKLY;BYDAY=TU;COUNT=4", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=2")
    leap = leap.replace("2026-10-13", "2024-02-29")

    assert [f"{one.scheduled_for:%Y-%m-%d %H:%M}" for one in windows(leap)] == ["2024-02-29 00:00"]


HOURS = ",".join(map(str, range(24)))
MINUTES = ",".join(map(str, range(25)))


@pytest.mark.parametrize(
    "times", [f"BYHOUR={HOURS}", f"BYHOUR={HOURS};BYMINUTE=30;BYSECOND=0", "BYMINUTE=0,30"]
)
def test_recurrence_allows_24_windows_daily(times):
    validate_recurrence_rule(f"FREQ=DAILY;{times}")


@pytest.mark.parametrize(
    "times", [f"BYMINUTE={MINUTES}", "BYMINUTE=0,30;BYSECOND=0,30", "BYHOUR=1,2;BYSECOND=1,2"]
)
def test_recurrence_rejects_25_windows_daily(times):
    with pytest.raises(InvalidValueError, match="produces more than 24 windows a day"):
        validate_recurrence_rule(f"FREQ=DAILY;{times}")
