"""Uptime over 90 days, by the formula that Statuspage's own pages follow.

    uptime = 100 * (1 - (seconds of major outage + 0.3 * seconds of partial outage) / seconds of the window)

cut, not rounded, to two decimals. Degraded performance and maintenance do not count against it. The window
is 90 days of the page's time zone, today included in full, of 23 or 25 hours where clocks change; a
component that began later has a shorter one. A group, and the page, is the average of its components.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.domain.primitives import Instant
from statuary.domain.status.calendar_days import ONE_DAY, day_of, day_start
from statuary.domain.status.components import Component
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.status_history import StatusHistory
from statuary.domain.status.timeline import Timeline
from statuary.domain.status.vocabulary import ComponentStatus

WINDOW_DAYS = 90
"""Days that uptime is told over, today included."""

PARTIAL_WEIGHT = Fraction(3, 10)
"""What a second of partial outage counts of a second of major outage (0.7 and 1 were ruled out)."""

MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Outage:
    """How long a component was out on one day.

    Attributes:
        partial: time in partial outage.
        major: time in major outage.
    """

    partial: timedelta = timedelta()
    major: timedelta = timedelta()

    def __add__(self, other: "Outage") -> "Outage":
        return Outage(self.partial + other.partial, self.major + other.major)


NO_OUTAGE = Outage()


class ComponentUptime(NamedTuple):
    """A component's uptime.

    Attributes:
        component: the component.
        window: the length of time that counts.
        days: the days with an outage, in order.
        events: on each of these days, the incidents that the component was in.
    """

    component: Component
    window: timedelta
    days: Mapping[date, Outage]
    events: Mapping[date, tuple[IncidentState, ...]]

    @property
    def fraction(self) -> Fraction:
        """The part of the window that the component was up; the whole of an empty one."""
        return uptime_fraction(sum(self.days.values(), NO_OUTAGE), self.window)


class PageUptime(NamedTuple):
    """The uptime of everything that shows it.

    Attributes:
        as_of: the instant up to which outages are counted: the latest change of a component, or midnight.
        first_day: the first day of the window.
        last_day: today.
        components: of each component that shows its uptime, in order of position.
    """

    as_of: Instant
    first_day: date
    last_day: date
    components: tuple[ComponentUptime, ...]


def uptime_fraction(outage: Outage, window: timedelta) -> Fraction:
    """Return the part of a window without outage, exactly; 1 of an empty window."""
    if outage == NO_OUTAGE or not window:
        return Fraction(1)
    lost = outage.major // MILLISECOND + PARTIAL_WEIGHT * (outage.partial // MILLISECOND)
    return 1 - lost / (window // MILLISECOND)


def uptime_percentage(fractions: Iterable[Fraction]) -> float | None:
    """Return the average as a percentage, cut to two decimals (99.949 is 99.94); None of nothing."""
    parts = tuple(fractions)
    if not parts:
        return None
    return float(sum(parts, Fraction()) / len(parts) * 10_000 // 1) / 100


def page_uptime(timeline: Timeline, at: Instant) -> PageUptime:
    """Return the uptime that is published at an instant.

    It changes at transitions only, so an outage that goes on is counted up to the latest of them.
    """
    calendar = UptimeCalendar(
        day_of(at, timeline.catalogue.page.time_zone), timeline.catalogue.page.time_zone
    )
    shown = [c for c in timeline.by_position if c.showcase and not (c.group or c.removed)]
    changes = (timeline.status_histories[component.id].at(at)[1] for component in shown)
    as_of = max((calendar.starts[-2], *(change for change in changes if change is not None)))
    windows = [UptimeWindow(calendar, component.start_date, as_of) for component in shown]
    days = [
        _days(timeline.status_histories[component.id], window)
        for component, window in zip(shown, windows, strict=True)
    ]
    # most days of most components have no outage, and nothing to look up
    incidents = _incidents_by_component(timeline, as_of, calendar.starts[0]) if any(days) else {}
    return PageUptime(
        as_of=as_of,
        first_day=calendar.days[0],
        last_day=calendar.days[-1],
        components=tuple(
            ComponentUptime(
                component=component,
                window=window.length,
                days=out,
                events=_events(out, incidents.get(component.id, ()), window),
            )
            for component, window, out in zip(shown, windows, days, strict=True)
        ),
    )


class UptimeCalendar:
    """The days that uptime is told over.

    Attributes:
        days: the days, today last.
        starts: the first instant of each, and of the day after the last.
    """

    def __init__(self, today: date, zone: ZoneInfo) -> None:
        """Take the last day, and the zone whose days they are."""
        self.days = [today - back * ONE_DAY for back in reversed(range(WINDOW_DAYS))]
        self.starts = [day_start(day, zone) for day in (*self.days, today + ONE_DAY)]

    def stretches(self, start: Instant, end: Instant) -> Iterator[tuple[date, Instant, Instant]]:
        """Yield the days that a stretch of time touches, and the part of it that is in each."""
        place = max(bisect_right(self.starts, start) - 1, 0)
        for day, begins, ends in zip(
            self.days[place:], self.starts[place:], self.starts[place + 1 :], strict=False
        ):
            if begins >= end:
                return
            yield day, max(start, begins), min(end, ends)


class UptimeWindow:
    """The part of the calendar that a component's uptime is told of.

    Attributes:
        calendar: the days.
        start: the first instant that counts.
        as_of: the instant up to which outages are counted.
        length: the length of the whole window, its last day in full.
    """

    def __init__(self, calendar: UptimeCalendar, begin: date | None, as_of: Instant) -> None:
        """Take the calendar, the day that the component began (or None), and the last instant that counts."""
        skipped = 0 if begin is None else bisect_left(calendar.days, begin)
        self.calendar = calendar
        self.start = calendar.starts[skipped]
        self.as_of = as_of
        self.length = calendar.starts[-1] - self.start

    def days(self, start: Instant, end: Instant) -> Iterator[tuple[date, timedelta]]:
        """Yield the days that a stretch of time touches inside the window, and how much of each."""
        start, end = max(start, self.start), min(end, self.as_of)
        if start < end:
            yield from ((day, to - since) for day, since, to in self.calendar.stretches(start, end))


def _days(status_history: StatusHistory, window: UptimeWindow) -> dict[date, Outage]:
    """Return the days on which a component was out, and how long."""
    days: dict[date, Outage] = {}
    for status, start, end in _stretches(status_history, window):
        for day, length in window.days(start, end):
            outage = Outage(partial=length) if status == "partial_outage" else Outage(major=length)
            days[day] = days.get(day, NO_OUTAGE) + outage
    return days


def _stretches(
    status_history: StatusHistory, window: UptimeWindow
) -> Iterator[tuple[ComponentStatus, Instant, Instant]]:
    """Yield the stretches of time that a component was out since the window began."""
    passed = bisect_right(status_history.instants, window.start)
    statuses = (status_history.at(window.start)[0], *status_history.statuses[passed:])
    instants = (window.start, *status_history.instants[passed:], window.as_of)
    for status, (start, end) in zip(statuses, pairwise(instants), strict=True):
        if status in ("partial_outage", "major_outage"):
            yield status, start, end


def _events(
    days: Iterable[date], incidents: Sequence[IncidentState], window: UptimeWindow
) -> dict[date, tuple[IncidentState, ...]]:
    """Return by day the incidents that went on during it."""
    lasted = [(one.incident.started_at, one.resolved_at or window.as_of, one) for one in incidents]
    found = {}
    for day in days:
        place = bisect_left(window.calendar.days, day)
        begins, ends = window.calendar.starts[place : place + 2]
        found[day] = tuple(one for start, end, one in lasted if start < ends and end > begins)
    return found


def _incidents_by_component(
    timeline: Timeline, as_of: Instant, start: Instant
) -> dict[str, list[IncidentState]]:
    """Return by component the incidents of the window that it was in, the latest created first."""
    found: dict[str, list[IncidentState]] = {}
    for history in timeline.incidents:
        if history.is_final_by(start):
            continue
        state = history.state_at(as_of)
        if state is not None and (state.resolved_at is None or state.resolved_at >= start):
            for component in state.components:
                found.setdefault(component, []).append(state)
    return found
