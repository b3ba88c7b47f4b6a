"""Compute the availability of components by month.

The computation follows the formula of the uptime page (`status/model/uptime.py`): major outage counts in full, partial
outage by 0.3.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from statuary.base.primitives import Instant, day_start
from statuary.status.model.records import Component
from statuary.status.model.timeline import Timeline
from statuary.status.model.uptime import Outage, components_with_uptime, uptime_fraction, uptime_percentage

METHOD = (
    "Availability = 100 x (1 - (seconds of major outage + 0.3 x seconds of partial outage) / seconds of the month), cut after two"
    " decimals. Degraded performance and maintenance do not count as outage. Months are those of the time zone of the page. A component"
    " counts from its start date on, and a month that is not over up to the instant of the report. What counts is the status on the page,"
    " as its incidents and maintenances state it, corrections included."
)
"""The accounting method."""


class MonthFigures(NamedTuple):
    """The availability of a component in a month."""

    component: Component
    month: date  # the first day of the month
    counted: timedelta  # the part of the month that counts
    outage: Outage
    degraded: timedelta
    maintenance: timedelta

    @property
    def availability(self) -> float | None:
        """The availability in percent, such as 99.95, or None.

        It is truncated to two decimals. It is None if the component has no status in the month, such as
        before its start date.
        """
        return uptime_percentage([uptime_fraction(self.outage, self.counted)]) if self.counted else None


def first_of_next_month(month: date) -> date:
    """Return the first day of the next month."""
    return (month.replace(day=28) + timedelta(days=4)).replace(day=1)


def months_of_quarter(year: int, quarter: int) -> list[date]:
    """Return the first day of each month in a quarter."""
    return [date(year, 3 * quarter - 2 + number, 1) for number in range(3)]


def compute_quarter_figures(timeline: Timeline, year: int, quarter: int, now: Instant) -> list[MonthFigures]:
    """Compute the availability of each component in each month of a quarter.

    Components whose uptime is not published, and months that have not started, are left out. The components
    of a group are next to each other.

    Args:
        timeline: the status history.
        year: the year.
        quarter: the quarter, from 1 to 4.
        now: the time of the report.
    """
    zone = timeline.catalogue.page.time_zone
    months = [month for month in months_of_quarter(year, quarter) if day_start(month, zone) < now]
    places = {component.id: place for place, component in enumerate(timeline.components_by_position)}

    def place_of(component: Component) -> tuple[int, int]:
        return places[component.group_id or component.id], places[component.id]

    return [
        _compute_month_figures(timeline, component, month, now)
        for component in sorted(components_with_uptime(timeline), key=place_of)
        for month in months
    ]


def list_names_with_groups(timeline: Timeline) -> dict[str, str]:
    """Return each component's name with its group, such as `RPC / Europe`.

    Returns:
        The names by the id of the component.
    """
    components = timeline.components_by_position
    groups = {component.id: f"{component.name} / " for component in components if component.group}
    return {c.id: f"{groups.get(c.group_id or '', '')}{c.name}" for c in components}


def _compute_month_figures(
    timeline: Timeline, component: Component, month: date, now: Instant
) -> MonthFigures:
    zone = timeline.catalogue.page.time_zone
    first_day = max(month, component.start_date or month)
    start = day_start(first_day, zone)
    end = min(day_start(first_of_next_month(month), zone), now)
    spent: dict[str, timedelta] = {}
    for status, seconds in _iter_status_spans(timeline, component, start, Instant(end)):
        spent[status] = spent.get(status, timedelta()) + seconds
    none = timedelta()
    return MonthFigures(
        component=component,
        month=month,
        counted=sum(spent.values(), none),
        outage=Outage(spent.get("partial_outage", none), spent.get("major_outage", none)),
        degraded=spent.get("degraded_performance", none),
        maintenance=spent.get("under_maintenance", none),
    )


def _iter_status_spans(
    timeline: Timeline, component: Component, start: Instant, end: Instant
) -> Iterator[tuple[str, timedelta]]:
    """Yield the statuses of a component in a period, and how long each lasted."""
    history = timeline.status_histories[component.id]
    at = start
    for change in (*(instant for instant in history.instants if start < instant < end), end):
        if change > at:
            yield history.at(at).status, change - at
            at = change
