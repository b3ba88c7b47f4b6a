"""Uptime over 90 days, by the formula of Statuspage's own pages.

    uptime = 100 * (1 - (seconds of major outage + 0.3 * seconds of partial outage) / seconds of the window)

truncated to two decimals. Degraded performance and maintenance do not count. The window is 90 days of the page's
time zone including all of today, 23 or 25 hours long where clocks change; a component that started later has a
shorter one. The uptime of a group and of the page is the average of its components.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.base.limits import MAX_DAY_RECORDS
from statuary.base.primitives import ONE_DAY, Instant, day_of, day_start
from statuary.status.model.incident_history import IncidentHistory, IncidentState
from statuary.status.model.records import Component
from statuary.status.model.status_history import StatusHistory
from statuary.status.model.timeline import Timeline
from statuary.status.model.vocabulary import ComponentStatus

WINDOW_DAYS = 90
"""Days in the window, today included."""

PARTIAL_WEIGHT = Fraction(3, 10)
"""Weight of partial outage relative to major outage (0.7 and 1 were ruled out)."""

WHOLE = Fraction(1)
"""The uptime of a period without outage."""

MILLISECOND = timedelta(milliseconds=1)

OUTAGE_STATUSES = frozenset({"partial_outage", "major_outage"})

HOURS_AHEAD = 24
"""Whole hours after a build for which the uptime during an ongoing outage is written in advance."""


@dataclass(frozen=True, slots=True)
class Outage:
    """The time that a component was in partial and in major outage."""

    partial: timedelta = timedelta()
    major: timedelta = timedelta()

    def __add__(self, other: "Outage") -> "Outage":
        return Outage(self.partial + other.partial, self.major + other.major)


NO_OUTAGE = Outage()


class ComponentUptime(NamedTuple):
    """The uptime of a component, with its outages by day."""

    component: Component
    window: timedelta  # the length of the period for which uptime counts
    fraction: Fraction  # the uptime, from 0 to 1; 1 if no time has been measured
    days: Mapping[date, Outage]  # the days with an outage, in order
    events: Mapping[date, tuple[IncidentState, ...]]  # the component's incidents on each of these days


class PageUptime(NamedTuple):
    """The uptime of every component that publishes it."""

    as_of: Instant  # the instant up to which outages count
    first_day: date
    last_day: date  # today
    components: tuple[ComponentUptime, ...]


def uptime_fraction(outage: Outage, period: timedelta) -> Fraction:
    """Return a period's uptime as an exact fraction from 0 to 1.

    Args:
        outage: how long partial and major outages lasted.
        period: the length of the period; the uptime of an empty period is 1.
    """
    if outage is NO_OUTAGE or outage == NO_OUTAGE or not period:
        return WHOLE
    lost = outage.major // MILLISECOND + PARTIAL_WEIGHT * (outage.partial // MILLISECOND)
    return 1 - lost / (period // MILLISECOND)


def uptime_percentage(fractions: Iterable[Fraction]) -> float | None:
    """Return the mean of uptimes as a percentage with two decimals.

    It is truncated: 99.949 becomes 99.94.

    Args:
        fractions: the uptimes, from 0 to 1.

    Returns:
        The percentage, or None if there are no uptimes.
    """
    parts = tuple(fractions)
    if not parts:
        return None
    total = sum(parts[1:], parts[0])
    return total.numerator * 10_000 // (total.denominator * len(parts)) / 100


@lru_cache(maxsize=2)
def page_uptime(timeline: Timeline, at: Instant) -> PageUptime:
    """Return the uptime of each component that publishes it.

    Args:
        timeline: the status over time.
        at: the time of the uptime; an outage that lasts is included so far.
    """
    calendar = UptimeCalendar(
        day_of(at, timeline.catalogue.page.time_zone), timeline.catalogue.page.time_zone
    )
    as_of = _end_of_counted_outages(timeline, calendar, at)
    return PageUptime(
        as_of=as_of,
        first_day=calendar.days[0],
        last_day=calendar.days[-1],
        components=tuple(
            _component_uptime(timeline, component, UptimeWindow(calendar, component.start_date, as_of))
            for component in components_with_uptime(timeline)
        ),
    )


def _component_uptime(timeline: Timeline, component: Component, window: "UptimeWindow") -> ComponentUptime:
    days = _outages_by_day(timeline.status_histories[component.id], window)
    events: dict[date, tuple[IncidentState, ...]] = {}
    if days:  # only days with outages name incidents
        incidents = _incidents_of_component(timeline, component.id, window)
        periods = (
            OpenPeriod(state.incident.started_at, state.resolved_at or window.as_of, state)
            for state in incidents
        )
        events = records_by_day(periods, days, window.calendar.zone)
    outage = sum(days.values(), NO_OUTAGE)
    return ComponentUptime(component, window.length, uptime_fraction(outage, window.length), days, events)


def components_with_uptime(timeline: Timeline) -> list[Component]:
    """Return the components whose uptime is published.

    They are in the order of the API.
    """
    return [c for c in timeline.components_by_position if c.showcase and not (c.group or c.removed)]


def has_ongoing_outage(timeline: Timeline, at: Instant) -> bool:
    """Return whether an outage is in progress that lowers published uptime.

    Args:
        timeline: the status over time.
        at: the time to look at.
    """
    histories = timeline.status_histories
    return any(
        histories[component.id].at(at).status in OUTAGE_STATUSES
        for component in components_with_uptime(timeline)
    )


def full_hours_of_outage(timeline: Timeline, start: Instant, until: Instant) -> list[Instant]:
    """Return the full hours of an interval during which an outage lasts.

    Uptime documents change at these times. For example, during an outage from 10:20 to 12:30: 11:00 and
    12:00.

    Args:
        timeline: the status over time.
        start: the time before the interval.
        until: the last time of the interval.

    Returns:
        The hours in order, none later than `HOURS_AHEAD` hours after `start`.
    """
    first_hour = start.replace(minute=0, second=0, microsecond=0)
    hours = (Instant(first_hour + timedelta(hours=number)) for number in range(1, HOURS_AHEAD + 1))
    return [hour for hour in hours if hour <= until and has_ongoing_outage(timeline, hour)]


def _end_of_counted_outages(timeline: Timeline, calendar: "UptimeCalendar", at: Instant) -> Instant:
    """Return the time up to which the uptime counts outages.

    During an outage this is the build's time. Else it is the latest change or midnight, so that all builds of a day
    write the same bytes.
    """
    if has_ongoing_outage(timeline, at):
        return at
    changes = (
        timeline.status_histories[component.id].at(at).began for component in components_with_uptime(timeline)
    )
    return max((calendar.starts[-2], *(change for change in changes if change is not None)))


class UptimeCalendar:
    """The days for which uptime is shown, in the page's time zone."""

    def __init__(self, today: date, zone: ZoneInfo) -> None:
        self.zone = zone
        self.days = [today - back * ONE_DAY for back in reversed(range(WINDOW_DAYS))]  # today last
        # One more entry than days: the start of each day, and then the end of the last day
        self.starts = [day_start(day, zone) for day in (*self.days, today + ONE_DAY)]

    def split_into_days(self, start: Instant, end: Instant) -> Iterator[tuple[date, Instant, Instant]]:
        """Divide an interval of time into its days.

        Args:
            start: the start of the interval.
            end: the end of the interval.

        Yields:
            Each day, with the start and end of the part of the interval on it.
        """
        place = max(bisect_right(self.starts, start) - 1, 0)
        for day, begins, ends in zip(
            self.days[place:], self.starts[place:], self.starts[place + 1 :], strict=False
        ):
            if begins >= end:
                return
            yield day, max(start, begins), min(end, ends)


class UptimeWindow:
    """The period for which a component's uptime is shown.

    The period begins with the calendar, or on the component's start date if that is later.
    """

    def __init__(self, calendar: UptimeCalendar, start_date: date | None, as_of: Instant) -> None:
        skipped = 0 if start_date is None else bisect_left(calendar.days, start_date)
        self.calendar = calendar
        self.start = calendar.starts[skipped]
        self.as_of = as_of
        # Include the whole last day, even its part after `as_of`.
        self.length = calendar.starts[-1] - self.start

    def split_into_days(self, start: Instant, end: Instant) -> Iterator[tuple[date, timedelta]]:
        """Divide an interval into days, without the time outside the window.

        The window is the period for which a component's uptime is shown.

        Args:
            start: the start of the interval.
            end: the end of the interval.

        Yields:
            Each day, with the length of the part of the interval on it.
        """
        start, end = max(start, self.start), min(end, self.as_of)
        if start < end:
            yield from ((day, to - since) for day, since, to in self.calendar.split_into_days(start, end))


def _outages_by_day(status_history: StatusHistory, window: UptimeWindow) -> dict[date, Outage]:
    days: dict[date, Outage] = {}
    for status, start, end in _outage_periods(status_history, window):
        for day, length in window.split_into_days(start, end):
            outage = Outage(partial=length) if status == "partial_outage" else Outage(major=length)
            days[day] = days.get(day, NO_OUTAGE) + outage
    return days


def _outage_periods(
    status_history: StatusHistory, window: UptimeWindow
) -> Iterator[tuple[ComponentStatus, Instant, Instant]]:
    passed = bisect_right(status_history.instants, window.start)
    statuses = (status_history.at(window.start).status, *status_history.statuses[passed:])
    instants = (window.start, *status_history.instants[passed:], window.as_of)
    for status, (start, end) in zip(statuses, pairwise(instants), strict=True):
        if status in OUTAGE_STATUSES:
            yield status, start, end


class OpenPeriod(NamedTuple):
    """The time in which an incident or maintenance window was open."""

    start: Instant
    end: Instant
    record: IncidentState


def records_by_day(
    periods: Iterable[OpenPeriod], days: Iterable[date], zone: ZoneInfo
) -> dict[date, tuple[IncidentState, ...]]:
    """Return the incidents that were open on each day.

    Args:
        periods: the periods in which incidents were open.
        days: the days.
        zone: the time zone of the days.

    Returns:
        The incidents by day, at most `MAX_DAY_RECORDS` each.
    """
    free = sorted(days)
    starts = [day_start(day, zone) for day in free]
    ends = [day_start(day + ONE_DAY, zone) for day in free]
    records: dict[date, list[IncidentState]] = {day: [] for day in free}
    for start, end, record in periods:
        first, last = bisect_right(ends, start), bisect_left(starts, end)
        for place in reversed(range(first, last)):
            records[free[place]].append(record)
            if len(records[free[place]]) == MAX_DAY_RECORDS:
                del free[place], starts[place], ends[place]
        if not free:
            break
    return {day: tuple(of_day) for day, of_day in records.items()}


class PublishedIncident(NamedTuple):
    """An incident, and the time after which it no longer changes."""

    history: IncidentHistory
    final_since: Instant | None  # None if the last state known is open


def published_by_component(histories: Iterable[IncidentHistory]) -> dict[str, list[PublishedIncident]]:
    """Group the incidents that are ever published by component, in the given order."""
    by_component: dict[str, list[PublishedIncident]] = {}
    for history in histories:
        final = history.final_state
        if final is None:
            continue
        incident = PublishedIncident(history, final.since if final.closed else None)
        for component_id in history.components:
            by_component.setdefault(component_id, []).append(incident)
    return by_component


@lru_cache(maxsize=2)
def _published_incidents(timeline: Timeline) -> dict[str, list[PublishedIncident]]:
    return published_by_component(timeline.incidents)


def _incidents_of_component(
    timeline: Timeline, component_id: str, window: UptimeWindow
) -> Iterator[IncidentState]:
    """Yield a component's incidents since the start of the calendar, latest first."""
    start = window.calendar.starts[0]
    for history, final_since in _published_incidents(timeline).get(component_id, ()):
        if final_since is not None and final_since <= start:
            continue
        state = history.state_at(window.as_of)
        if state is not None and (state.resolved_at is None or state.resolved_at >= start):
            yield state
