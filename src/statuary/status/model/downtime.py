"""Downtime by day, with the incidents and windows that caused it.

Uptime counts outages only; this also has degraded performance and maintenance.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from statuary.base.primitives import ONE_DAY, Instant, day_of, day_start
from statuary.status.model.incident_history import IncidentHistory, IncidentState
from statuary.status.model.records import Maintenance
from statuary.status.model.status_history import StatusHistory
from statuary.status.model.timeline import Timeline
from statuary.status.model.uptime import OpenPeriod, Outage, published_by_component, records_by_day
from statuary.status.model.vocabulary import ACTIVE_STATUSES, ComponentStatus, worst_status


class DayDowntime(NamedTuple):
    """The downtime of a component on one day."""

    day: date  # the date in the page's zone
    lengths: Mapping[ComponentStatus, timedelta]  # time in each status other than operational
    ongoing: ComponentStatus | None  # the current status if it is not operational and the day is today
    records: tuple[IncidentState, ...]  # the incidents and maintenances that affected it on that day
    worst: ComponentStatus  # the most severe status of the day

    @property
    def outage(self) -> Outage:
        """The part of a day's downtime that counts against uptime.

        Partial and major outages count; degraded performance and maintenance do not.
        """
        nothing = timedelta()
        return Outage(
            partial=self.lengths.get("partial_outage", nothing),
            major=self.lengths.get("major_outage", nothing),
        )


class DateRange(NamedTuple):
    """A range of days, with the time up to which their downtime is counted."""

    first_day: date
    last_day: date
    at: Instant
    counted_until: Instant | None = None  # the instant up to which an ongoing status counts; None for `at`


class _Change(NamedTuple):
    """A change of a component's status, or of a record that affects it."""

    at: Instant
    record: IncidentHistory | None = None


class _ComputedDays(NamedTuple):
    """A component's downtime for a range of days, kept to be used again."""

    days: DateRange
    passed: int  # the number of changes up to `days.at`
    downtimes: dict[date, DayDowntime]

    def is_before(self, days: DateRange) -> bool:
        """Return whether neither end of a range of days is earlier than here."""
        return (
            self.days.first_day <= days.first_day
            and self.days.last_day <= days.last_day
            and self.days.at <= days.at
        )

    def downtimes_between(self, first_day: date, end: date) -> dict[date, DayDowntime]:
        """Return the days from a first day to one before another; the same object if they are all."""
        downtimes = self.downtimes
        if not downtimes or (first_day <= next(iter(downtimes)) and next(reversed(downtimes)) < end):
            return downtimes
        return {day: downtime for day, downtime in downtimes.items() if first_day <= day < end}


class DowntimeByDay:
    """Computes each component's downtime by day; past days are computed once."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._zone = timeline.catalogue.page.time_zone
        self._records = published_by_component(timeline.histories)
        self._changes: dict[str, list[_Change]] = {}
        self._last: dict[str, _ComputedDays] = {}
        self._periods: dict[IncidentState, ActivePeriod | None] = {}

    def downtimes_of(self, component_id: str, days: DateRange) -> dict[date, DayDowntime]:
        """Return the days on which a component had downtime, in order.

        Args:
            component_id: the component's id.
            days: the days to look at.

        Returns:
            The downtime by date; days without any are left out.
        """
        passed = bisect_right(self._changes_of(component_id), days.at, key=attrgetter("at"))
        previous = self._last.get(component_id)
        downtimes: dict[date, DayDowntime] = {}
        first_day = days.first_day  # the first day to compute
        if previous is not None and previous.is_before(days):
            first_day = max(first_day, self._first_changed_day(component_id, previous, days, passed))
            downtimes = previous.downtimes_between(days.first_day, first_day)
        if first_day <= days.last_day:
            downtimes = downtimes | self._compute_downtimes(component_id, days._replace(first_day=first_day))
        self._last[component_id] = _ComputedDays(days, passed, downtimes)
        return downtimes

    def _first_changed_day(
        self, component_id: str, previous: _ComputedDays, days: DateRange, passed: int
    ) -> date:
        """Return the first day that may differ from the days computed before.

        It is their last one, or the one on which a record began that has changed since.

        Args:
            passed: the number of changes up to the time of the new days.
        """
        changes = self._changes_of(component_id)[previous.passed : passed]
        if not changes and self._status_at(component_id, days.at) == "operational":
            return days.last_day + ONE_DAY
        states = (change.record.state_at(days.at) for change in changes if change.record is not None)
        periods = (self._period_of(state) for state in states if state is not None)
        starts = (period.start for period in periods if period is not None)
        return day_of(min((previous.days.at, *starts)), self._zone)

    def _status_at(self, component_id: str, at: Instant) -> ComponentStatus:
        return self._timeline.status_histories[component_id].at(at).status

    def _changes_of(self, component_id: str) -> list[_Change]:
        if component_id not in self._changes:
            records = self._records.get(component_id, ())
            changes = [_Change(at) for at in self._timeline.status_histories[component_id].instants]
            changes += (_Change(at, record) for record, _ in records for at in record.change_instants)
            self._changes[component_id] = sorted(changes, key=attrgetter("at"))
        return self._changes[component_id]

    def _compute_downtimes(self, component_id: str, days: DateRange) -> dict[date, DayDowntime]:
        current_status = self._status_at(component_id, days.at)
        lengths = self._downtime_lengths(component_id, days)
        today = day_of(days.at, self._zone)
        ongoing = None if current_status == "operational" else current_status
        if ongoing and days.first_day <= today <= days.last_day:
            lengths.setdefault(today, {})
        records = records_by_day(self._open_periods(component_id, days), lengths, self._zone)
        return {
            day: DayDowntime(
                day=day,
                lengths=lengths[day],
                ongoing=ongoing if day == today else None,
                records=records[day],
                worst=worst_status([*lengths[day], ongoing] if ongoing and day == today else lengths[day]),
            )
            for day in sorted(lengths)
        }

    def _downtime_lengths(
        self, component_id: str, days: DateRange
    ) -> dict[date, dict[ComponentStatus, timedelta]]:
        durations: dict[date, dict[ComponentStatus, timedelta]] = {}
        range_start = day_start(days.first_day, self._zone)
        range_end = day_start(days.last_day + ONE_DAY, self._zone)
        for status, start, end in _downtime_periods(
            self._timeline.status_histories[component_id], days, range_start
        ):
            for day, length in self._split_by_day(max(start, range_start), min(end, range_end)):
                of_day = durations.setdefault(day, {})
                of_day[status] = of_day.get(status, timedelta()) + length
        return durations

    def _split_by_day(self, start: Instant, end: Instant) -> Iterator[tuple[date, timedelta]]:
        while start < end:
            day = day_of(start, self._zone)
            midnight = day_start(day + ONE_DAY, self._zone)
            yield day, min(end, midnight) - start
            start = midnight

    def _open_periods(self, component_id: str, days: DateRange) -> Iterator[OpenPeriod]:
        range_start = day_start(days.first_day, self._zone)
        range_end = day_start(days.last_day + ONE_DAY, self._zone)
        for history, final_since in self._records.get(component_id, ()):
            if final_since is not None and final_since < range_start:
                continue
            record = history.state_at(days.at)
            if record is None:
                continue
            period = self._period_of(record)
            if period is not None:
                start, end = period
                yield OpenPeriod(start, range_end if end is None else end, record)

    def _period_of(self, record: IncidentState) -> "ActivePeriod | None":
        if record not in self._periods:
            self._periods[record] = active_period(record)
        return self._periods[record]


class ActivePeriod(NamedTuple):
    """The start and end of an incident or maintenance window."""

    start: Instant
    end: Instant | None  # None while it is open


def active_period(record: IncidentState) -> ActivePeriod | None:
    """Return the start and end of an incident or maintenance window.

    Returns:
        The period; it has no end if the incident or window is in progress. None for a window that has not
        begun.
    """
    if not isinstance(record.incident, Maintenance):
        return ActivePeriod(record.incident.started_at, record.resolved_at)
    begun = [p.update.display_at for p in record.published_updates if p.update.status in ACTIVE_STATUSES]
    return ActivePeriod(begun[-1], record.resolved_at) if begun else None


def _downtime_periods(
    status_history: StatusHistory, days: DateRange, since: Instant
) -> Iterator[tuple[ComponentStatus, Instant, Instant]]:
    """Yield the periods in which a component was not operational.

    Args:
        days: the range of days, of which only the end counts.
        since: the start; the first period may begin before it.

    Yields:
        The status in the period, its start and its end.
    """
    counted_until = days.counted_until or days.at
    instants, statuses = status_history.instants, status_history.statuses
    first_index = max(bisect_right(instants, since) - 1, 0)
    end_index = bisect_right(instants, days.at)
    past = zip(instants[first_index:end_index], statuses[first_index:end_index], strict=True)
    for (start, status), (end, _) in pairwise([*past, (counted_until, "operational")]):
        if status != "operational" and start < end:
            yield status, start, end
