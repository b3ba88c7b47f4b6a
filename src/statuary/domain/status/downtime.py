"""Downtime by day: how long a component was not operational, and which incidents and maintenances explain it.

Uptime counts outages only; this also shows degraded performance and maintenance.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from statuary.domain.primitives import Instant
from statuary.domain.status.calendar_days import ONE_DAY, day_of, day_start
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.status_history import StatusHistory
from statuary.domain.status.timeline import Timeline
from statuary.domain.status.uptime import Outage
from statuary.domain.status.vocabulary import ACTIVE_STATUSES, COMPONENT_SEVERITY, ComponentStatus


class DayDowntime(NamedTuple):
    """A day on which a component was not always operational."""

    day: date  # the date in the page's zone
    lengths: Mapping[ComponentStatus, timedelta]  # time in each status other than operational
    ongoing: ComponentStatus | None  # the present status if it is not operational and the day is today
    records: tuple[IncidentState, ...]  # the incidents and maintenances that affected it on that day

    @property
    def worst(self) -> ComponentStatus:
        """The most severe status of the day."""
        statuses = [*self.lengths, *([self.ongoing] if self.ongoing else [])]
        return max(statuses, key=COMPONENT_SEVERITY.__getitem__)

    @property
    def outage(self) -> Outage:
        """The part that counts against uptime."""
        nothing = timedelta()
        return Outage(
            partial=self.lengths.get("partial_outage", nothing),
            major=self.lengths.get("major_outage", nothing),
        )


class DateRange(NamedTuple):
    """Whole days as they are known at an instant."""

    first: date
    last: date
    at: Instant
    counted_until: Instant | None = None  # the instant up to which an ongoing status counts; None for `at`


class DowntimeByDay:
    """The downtime of every component in a range of days."""

    def __init__(self, timeline: Timeline, days: DateRange) -> None:
        self._timeline = timeline
        self._days = days
        self._zone = timeline.catalogue.page.time_zone
        self._start = day_start(days.first, self._zone)
        self._records = _records_by_component(timeline, days.at, self._start)

    def of(self, component_id: str) -> dict[date, DayDowntime]:
        """Return a component's days with downtime, in order."""
        status_history = self._timeline.status_histories[component_id]
        lengths = self._lengths(status_history)
        today, present = day_of(self._days.at, self._zone), status_history.at(self._days.at)[0]
        ongoing = None if present == "operational" else present
        if ongoing and self._days.first <= today <= self._days.last:
            lengths.setdefault(today, {})
        records = self._records_by_day(component_id) if lengths else {}
        return {
            day: DayDowntime(
                day=day,
                lengths=lengths[day],
                ongoing=ongoing if day == today else None,
                records=tuple(records.get(day, ())),
            )
            for day in sorted(lengths)
        }

    def _lengths(self, status_history: StatusHistory) -> dict[date, dict[ComponentStatus, timedelta]]:
        found: dict[date, dict[ComponentStatus, timedelta]] = {}
        for status, start, end in _downtimes(status_history, self._days, self._start):
            for day, length in self._split(start, end):
                of_day = found.setdefault(day, {})
                of_day[status] = of_day.get(status, timedelta()) + length
        return found

    def _split(self, start: Instant, end: Instant) -> Iterator[tuple[date, timedelta]]:
        """Yield each day between two instants, and how much of it is between them."""
        start = max(start, self._start)
        end = min(end, day_start(self._days.last + ONE_DAY, self._zone))
        while start < end:
            day = day_of(start, self._zone)
            midnight = day_start(day + ONE_DAY, self._zone)
            yield day, min(end, midnight) - start
            start = midnight

    def _records_by_day(self, component_id: str) -> dict[date, list[IncidentState]]:
        """Return the records of a component by each day on which they were active."""
        found: dict[date, list[IncidentState]] = {}
        for record in self._records.get(component_id, ()):
            start, end = active_period(record) or (None, None)
            if start is None:
                continue
            day = day_of(max(start, self._start), self._zone)
            while day <= self._days.last and (end is None or end > day_start(day, self._zone)):
                found.setdefault(day, []).append(record)
                day += ONE_DAY
        return found


def active_period(record: IncidentState) -> tuple[Instant, Instant | None] | None:
    """Return when an incident or maintenance began and ended (None: not yet); None if it never began."""
    if not isinstance(record.incident, Maintenance):
        return record.incident.started_at, record.resolved_at
    begun = [p.update.display_at for p in record.published_updates if p.update.status in ACTIVE_STATUSES]
    return (begun[-1], record.resolved_at) if begun else None


def _downtimes(
    status_history: StatusHistory, days: DateRange, since: Instant
) -> Iterator[tuple[ComponentStatus, Instant, Instant]]:
    """Yield each period, from the one at `since` on, in which a component was not operational."""
    counted_until = days.counted_until or days.at
    instants, statuses = status_history.instants, status_history.statuses
    first, last = max(bisect_right(instants, since) - 1, 0), bisect_right(instants, days.at)
    past = zip(instants[first:last], statuses[first:last], strict=True)
    for (start, status), (end, _) in pairwise([*past, (counted_until, "operational")]):
        if status != "operational" and start < end:
            yield status, start, end


def _records_by_component(
    timeline: Timeline, at: Instant, since: Instant
) -> dict[str, Sequence[IncidentState]]:
    found: dict[str, list[IncidentState]] = {}
    for history in timeline.histories:
        state = history.state_at(at)
        if state is not None and (state.resolved_at is None or state.resolved_at > since):
            for component in state.components:
                found.setdefault(component, []).append(state)
    return dict(found)
