"""What happened to a component on which day: how long it was not operational, and which records told of it.

Uptime counts outages alone; people ask about degraded performance and maintenance, too.
"""

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
    """A day on which a component was not operational all the time.

    Attributes:
        day: the day, in the page's zone.
        lengths: how long it was how; nothing of the stretch that goes on.
        ongoing: what it is at the instant asked for, if that is not operational and the day is today.
        records: the incidents and maintenances that it was in on that day.
    """

    day: date
    lengths: Mapping[ComponentStatus, timedelta]
    ongoing: ComponentStatus | None
    records: tuple[IncidentState, ...]

    @property
    def worst(self) -> ComponentStatus:
        """The most severe status of the day."""
        statuses = [*self.lengths, *([self.ongoing] if self.ongoing else [])]
        return max(statuses, key=COMPONENT_SEVERITY.__getitem__)

    @property
    def outage(self) -> Outage:
        """What of the day counts against uptime."""
        nothing = timedelta()
        return Outage(
            partial=self.lengths.get("partial_outage", nothing),
            major=self.lengths.get("major_outage", nothing),
        )


class DateRange(NamedTuple):
    """A stretch of days, and how far it is known.

    Attributes:
        first: the first day.
        last: the last day, in full.
        at: the instant up to which something happened.
    """

    first: date
    last: date
    at: Instant


class DowntimeByDay:
    """The days of trouble of every component between two days."""

    def __init__(self, timeline: Timeline, days: DateRange) -> None:
        """Take a timeline and the days to tell of."""
        self._timeline = timeline
        self._days = days
        self._zone = timeline.catalogue.page.time_zone
        self._records = _records_by_component(timeline, days.at, day_start(days.first, self._zone))

    def of(self, component_id: str) -> dict[date, DayDowntime]:
        """Return a component's days of trouble, in order."""
        status_history = self._timeline.status_histories[component_id]
        lengths = self._lengths(status_history)
        present = status_history.at(self._days.at)[0]
        today = day_of(self._days.at, self._zone)
        if present != "operational" and self._days.first <= today <= self._days.last:
            lengths.setdefault(today, {})
        records = self._records.get(component_id, ()) if lengths else ()
        return {
            day: DayDowntime(
                day=day,
                lengths=lengths[day],
                ongoing=present if day == today and present != "operational" else None,
                records=tuple(record for record in records if self._covers(record, day)),
            )
            for day in sorted(lengths)
        }

    def _lengths(self, status_history: StatusHistory) -> dict[date, dict[ComponentStatus, timedelta]]:
        """Return by day how long the component had which status; the stretch that goes on counts by whole days."""
        found: dict[date, dict[ComponentStatus, timedelta]] = {}
        today = day_start(day_of(self._days.at, self._zone), self._zone)
        for status, start, end in _stretches(status_history, self._days.at):
            for day, length in self._split(start, today if end is None else end):
                of_day = found.setdefault(day, {})
                of_day[status] = of_day.get(status, timedelta()) + length
        return found

    def _split(self, start: Instant, end: Instant) -> Iterator[tuple[date, timedelta]]:
        """Yield the days that a stretch touches, and how much of each."""
        start = max(start, day_start(self._days.first, self._zone))
        end = min(end, day_start(self._days.last + ONE_DAY, self._zone))
        while start < end:
            day = day_of(start, self._zone)
            midnight = day_start(day + ONE_DAY, self._zone)
            yield day, min(end, midnight) - start
            start = midnight

    def _covers(self, record: IncidentState, day: date) -> bool:
        span = active_period(record)
        if span is None:
            return False
        start, end = span
        return start < day_start(day + ONE_DAY, self._zone) and (
            end is None or end > day_start(day, self._zone)
        )


def active_period(record: IncidentState) -> tuple[Instant, Instant | None] | None:
    """Return from when to when a record was about trouble (None: it still is); None if it never was."""
    if not isinstance(record.incident, Maintenance):
        return record.incident.started_at, record.resolved_at
    begun = [p.update.display_at for p in record.published_updates if p.update.status in ACTIVE_STATUSES]
    return (begun[-1], record.resolved_at) if begun else None


def _stretches(
    status_history: StatusHistory, at: Instant
) -> Iterator[tuple[ComponentStatus, Instant, Instant | None]]:
    """Yield the stretches up to an instant in which a component was not operational; None ends one that goes on."""
    changes = [
        (instant, status)
        for instant, status in zip(status_history.instants, status_history.statuses, strict=True)
        if instant <= at
    ]
    if not changes:
        return
    for (start, status), (end, _) in pairwise(changes):
        if status != "operational":
            yield status, start, end
    start, status = changes[-1]
    if status != "operational":
        yield status, start, None


def _records_by_component(
    timeline: Timeline, at: Instant, since: Instant
) -> dict[str, Sequence[IncidentState]]:
    found: dict[str, list[IncidentState]] = {}
    for history in (*timeline.incidents, *timeline.maintenances):
        state = history.state_at(at)
        if state is not None and (state.resolved_at is None or state.resolved_at > since):
            for component in state.components:
                found.setdefault(component, []).append(state)
    return dict(found)
