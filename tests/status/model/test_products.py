"""Work on the status grows with the content, not with products of records, components and days."""

import sys
from collections.abc import Callable

import pytest

from statuary.status import site_status
from statuary.status.checks.status_checks import status_findings
from statuary.status.model.downtime import DateRange, DowntimeByDay
from statuary.status.model.records import StatusCatalogue, StatusSettings
from statuary.status.model.timeline import build_timeline, page_state_at
from statuary.status.model.uptime import page_uptime
from statuary.status.site_status import SiteStatus
from support.status_site import at, catalogue_of

NOW, END = at("11-20 10:00"), at("12-31 00:00")


def components(count: int) -> str:
    return "components:\n" + "".join(f"  c{number}: {{name: C{number}}}\n" for number in range(count))


def incident(components: int, status: str = "investigating", day: str = "2026-11-19") -> str:
    named = ", ".join(f"c{number}: major_outage" for number in range(components))
    opened = f"{{at: {day}T10:00:00Z, status: investigating}}"
    last = f"{{at: {day}T11:00:00Z, status: {status}}}"
    return f"name: Outage\ncomponents: {{{named}}}\nupdates: [{opened}, {last}]\n"


def window(components: int, day: str = "2026-12-01") -> str:
    named = ", ".join(f"c{number}" for number in range(components))
    return (
        f"name: Work\ncomponents: [{named}]\ncreated_at: 2026-11-01T00:00:00Z\n"
        f"scheduled_for: {day}T10:00:00Z\nscheduled_until: {day}T12:00:00Z\n"
    )


def many(text: str, count: int) -> dict[str, str]:
    return {f"r{number:03}": text for number in range(count)}


CONTENT: dict[str, Callable[[int], StatusCatalogue]] = {
    "open incidents of the same components": lambda n: catalogue_of(
        components(8), many(incident(8, "identified"), n)
    ),
    "incidents that end in the order of their begin": lambda n: catalogue_of(
        components(8), many(incident(8, "resolved"), n)
    ),
    "incidents that are open for months": lambda n: catalogue_of(
        components(8), many(incident(8, "identified", "2026-09-01"), n)
    ),
    "windows at once": lambda n: catalogue_of(components(8), {}, many(window(8), n)),
    "windows that are over": lambda n: catalogue_of(components(8), {}, many(window(8, "2026-11-10"), n)),
    "components of one incident": lambda n: catalogue_of(components(n), many(incident(n, "identified"), 3)),
    "windows of one component": lambda n: catalogue_of(components(1), {}, many(window(1), n)),
}


def examine(catalogue: StatusCatalogue) -> None:
    """Compute what documents show at an instant, and the findings."""
    timeline = build_timeline(catalogue, END)
    page_state_at(timeline, NOW)
    uptime = page_uptime(timeline, NOW)
    downtimes = DowntimeByDay(timeline)
    for component in uptime.components:
        downtimes.downtimes_of(
            component.component.id, DateRange(uptime.first_day, uptime.last_day, NOW, uptime.as_of)
        )
    list(status_findings(timeline, NOW, ()))


def calls_of(catalogue: StatusCatalogue) -> int:
    """Return the number of calls and of steps of generators."""
    count = 0

    def count_call(_frame: object, event: str, _value: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(count_call)
    try:
        examine(catalogue)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("kind", CONTENT)
def test_status_cost_grows_linearly_with_content(kind):
    make = CONTENT[kind]
    examine(make(2))  # fills caches

    assert calls_of(make(60)) < 2.5 * calls_of(make(30))


def test_each_overlapping_maintenance_gives_one_finding():
    catalogue = CONTENT["windows at once"](30)
    findings = list(status_findings(build_timeline(catalogue, END), NOW, ()))

    overlapping = [finding for finding in findings if finding.rule == "overlapping-windows"]
    assert len(overlapping) == 29
    assert "which affects 'c0' and 7 more until" in overlapping[0].message


def test_uptime_day_lists_latest_twenty_incidents():
    timeline = build_timeline(CONTENT["incidents that are open for months"](30), END)
    uptime = page_uptime(timeline, NOW)

    days = uptime.components[0].events
    assert {len(records) for records in days.values()} == {20}
    assert [record.incident.id for record in days[uptime.last_day]] == [
        history.incident.id for history in timeline.incidents[:20]
    ]


def test_large_status_page_has_fewer_epochs(monkeypatch):
    monkeypatch.setattr(site_status, "MAX_EPOCH_ENTRIES", 400)
    timeline = build_timeline(CONTENT["windows of one component"](3), END)
    status = SiteStatus(timeline, StatusSettings(), NOW, None, shows_days=False)

    (finding,) = status.epoch_findings()
    assert finding.rule == "too-many-epochs"
    assert finding.message == (
        "the status is written ahead only until 2026-11-23T00:00:00.000Z: "
        "the limit is 2 changes for a page that lists so many components"
    )
    assert finding.hint == "build again before that time"
