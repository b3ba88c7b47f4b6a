"""The inputs of the uptime calendar: days by month and component."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from statuary.base.primitives import Instant, day_start
from statuary.site.pages.page_texts import isolate_text_direction, one_line
from statuary.site.pages.site_context import FormattedTime, Localization, PageHead
from statuary.site.pages.states import STATUS_STATES
from statuary.status.model.downtime import DateRange, DayDowntime
from statuary.status.model.records import Component, began_at
from statuary.status.model.uptime import (
    NO_OUTAGE,
    WINDOW_DAYS,
    ComponentUptime,
    Outage,
    PageUptime,
    uptime_fraction,
    uptime_percentage,
)
from statuary.status.model.vocabulary import ComponentStatus, worst_status
from statuary.status.pages.component_rows import DowntimeDay, DowntimeDays, Link
from statuary.status.pages.unique_tuple import UniqueTuple
from statuary.status.urls import INCIDENT_PAGE, UPTIME, UPTIME_PAGE

if TYPE_CHECKING:
    from statuary.status.model.incident_history import IncidentState

DowntimeByComponent = Mapping[str, Mapping[date, DayDowntime]]
"""Downtime by day, by component id."""


Month = tuple[int, int]
"""A year, and the number of its month, from 1."""

WORST_FIRST = ("major", "partial")
"""The states of a month with an outage, worst first."""


class CalendarCell(NamedTuple):
    """A day in the calendar of a month.

    Attributes:
        number: the day of the month; 0 for a cell outside the month.
        state: the worst status of the day; `none` for a day without data; empty outside the month.
        title: the downtime in words; empty if there was none.
    """

    number: int
    state: str
    title: str = ""


class UptimeMonth(NamedTuple):
    """A component's calendar of a month.

    Attributes:
        uptime: in words; empty if it is unknown.
        weeks: seven cells each, from Monday.
    """

    month: FormattedTime
    uptime: str
    weeks: tuple[tuple[CalendarCell, ...], ...]


class MonthUptime(NamedTuple):
    """A component's uptime in a month, with its worst outage's state."""

    percent: str
    state: str


@dataclass(frozen=True, slots=True, eq=False)
class RecordDowntime:
    """An incident or window in the list of downtime.

    Attributes:
        day: the first day with downtime.
        began: when the incident or window began.
        state: the worst state of its days, as pages show it.
        label: the worst state in words.
        length: how long the incident or window lasted; empty while it is open.
    """

    day: FormattedTime
    began: FormattedTime
    record: Link
    components: tuple[str, ...]
    state: str
    label: str
    length: str


class ComponentName(NamedTuple):
    """The name of a component and of its group, if any."""

    alone: str
    group: str

    @property
    def full(self) -> str:
        """The component's name, with its group as `GROUP / NAME`."""
        name = isolate_text_direction(self.alone)
        return f"{isolate_text_direction(self.group)} / {name}" if self.group else name


@dataclass(frozen=True, slots=True, eq=False)
class ComponentCalendar:
    """A component's calendar.

    Attributes:
        uptime: over the latest days, in percent.
        months: the uptime of each month, oldest first.
        tables: the days of each month, newest first.
        downtimes: the days with downtime, newest first.
        summary: the number of those days, in words.
    """

    id: str
    name: ComponentName
    description: str
    uptime: str
    months: tuple[MonthUptime, ...]
    tables: tuple[Markup, ...]
    downtimes: tuple[DowntimeDay, ...]
    summary: str


class UptimeView(NamedTuple):
    """The inputs of the template for the uptime calendar.

    Attributes:
        first: the first day.
        last: the last day.
        months: oldest first.
        downtimes: the incidents and windows that caused downtime, newest first.
        json: the uptime document, relative to the site's root.
    """

    first: FormattedTime
    last: FormattedTime
    days: int
    months: tuple[FormattedTime, ...]
    components: tuple[ComponentCalendar, ...]
    downtimes: tuple[RecordDowntime, ...]
    json: str


class ComponentMonth(NamedTuple):
    """A component's uptime in a month, and its calendar as HTML."""

    uptime: MonthUptime
    table: Markup


class _RecordKey(NamedTuple):
    """What an incident or window is sorted by."""

    began: Instant
    id: str


class _AffectedDay(NamedTuple):
    """A day on which an incident or window affected a component."""

    day: date
    worst: ComponentStatus
    component: str  # its name
    record: "IncidentState"


_DaysByRecord = dict[_RecordKey, list[_AffectedDay]]


class UptimeViewBuilder:
    """Collects the values that the uptime page needs; past months are reused."""

    def __init__(
        self,
        localization: Localization,
        days: DowntimeDays,
        render_month: Callable[[UptimeMonth, str], Markup],
    ) -> None:
        """Prepare the calendar.

        Args:
            localization: the language and time zone of the page.
            days: describes days with downtime.
            render_month: renders a month of a component as HTML.
        """
        self._days = days
        self._dates, self._texts = localization.dates, localization.texts
        self._draw = render_month
        self._months: dict[tuple[str, Month], tuple[object, ComponentMonth]] = {}
        self._calendars: dict[str, tuple[object, ComponentCalendar]] = {}
        self._records: dict[str, tuple[object, RecordDowntime]] = {}
        self._downtimes: tuple[object, UniqueTuple[RecordDowntime]] = (), UniqueTuple()
        self._affected_by_component: dict[str, tuple[object, _DaysByRecord]] = {}

    def view(
        self,
        uptime: PageUptime,
        days: DateRange,
        downtimes: DowntimeByComponent,
        groups: Mapping[str, Component],
    ) -> UptimeView:
        """Collect the values that the template of the uptime page shows.

        Args:
            uptime: the uptime of each component.
            days: the days of the calendar.
            downtimes: the downtime on these days.
            groups: the groups by id.
        """
        components = tuple(
            self._component_calendar(
                component,
                days,
                downtimes.get(component.component.id, {}),
                _component_name(component.component, groups),
            )
            for component in sorted(
                uptime.components, key=lambda uptime: _list_position(uptime.component, groups)
            )
        )
        return UptimeView(
            first=self._dates.short_day(days.first_day),
            last=self._dates.short_day(days.last_day),
            days=WINDOW_DAYS,
            months=tuple(self._dates.month(*month) for month in months_in_range(days)),
            components=components,
            downtimes=self._downtime_by_record(
                {component.id: component.name.alone for component in components}, downtimes
            ),
            json=UPTIME.path(),
        )

    def _downtime_by_record(
        self, names: Mapping[str, str], downtimes: DowntimeByComponent
    ) -> UniqueTuple[RecordDowntime]:
        """Return the incidents and windows that caused downtime, latest first.

        If none has changed, the list of the previous call is returned.
        """
        by_component = [
            self._affected_days(component_id, name, downtimes.get(component_id, {}))
            for component_id, name in names.items()
        ]
        previous, records = self._downtimes
        if previous != by_component:
            days: _DaysByRecord = {}
            for of_component in by_component:
                for key, affected_days in of_component.items():
                    days[key] = [*days[key], *affected_days] if key in days else affected_days
            latest = sorted(days, reverse=True)
            records = UniqueTuple(self._cached_record_downtime(key.id, days[key]) for key in latest)
            self._downtimes = by_component, records
        return records

    def _affected_days(
        self, component_id: str, name: str, downtimes: Mapping[date, DayDowntime]
    ) -> _DaysByRecord:
        """Return the days on which each record affected a component; the same object if none changed."""
        days: _DaysByRecord = {}
        previous = self._affected_by_component.get(component_id)
        if previous is not None and previous[0] is downtimes:
            return previous[1]
        for day in downtimes.values():
            for record in day.records:
                key = _RecordKey(began_at(record.incident), record.incident.id)
                days.setdefault(key, []).append(_AffectedDay(day.day, day.worst, name, record))
        if previous is not None and previous[1] == days:
            days = previous[1]
        self._affected_by_component[component_id] = downtimes, days
        return days

    def _cached_record_downtime(self, record_id: str, days: "Sequence[_AffectedDay]") -> RecordDowntime:
        previous = self._records.get(record_id)
        if previous is None or previous[0] != days:
            previous = self._records[record_id] = days, self._record_downtime(days)
        return previous[1]

    def _record_downtime(self, days: "Sequence[_AffectedDay]") -> RecordDowntime:
        """Return the downtime of a record.

        Args:
            days: its days with downtime, by component. A day that is over has the record's state of that time.
        """
        record = max((day.record for day in days), key=attrgetter("since"))
        worst = worst_status(day.worst for day in days)
        began = began_at(record.incident)
        ended = record.resolved_at
        return RecordDowntime(
            day=self._dates.short_day(min(day.day for day in days)),
            began=self._dates.moment(began),
            record=Link(one_line(record.incident.name), INCIDENT_PAGE.path(incident_id=record.incident.id)),
            components=tuple(dict.fromkeys(isolate_text_direction(day.component) for day in days)),
            state=STATUS_STATES[worst],
            label=self._texts(f"status.{worst}"),
            length="" if ended is None else self._dates.length(ended - began),
        )

    def head(self, name: str) -> PageHead:
        """Return title, description and path of the uptime page.

        Args:
            name: the name of the site.
        """
        return PageHead(
            path=UPTIME_PAGE.path(),
            title=self._texts("uptime.title"),
            description=self._texts("uptime.page", name=name),
            section="uptime",
            timed=True,
        )

    def _component_calendar(
        self,
        uptime: ComponentUptime,
        days: DateRange,
        downtimes: Mapping[date, DayDowntime],
        name: ComponentName,
    ) -> ComponentCalendar:
        basis = days.first_day, days.last_day, uptime.fraction, downtimes
        previous = self._calendars.get(uptime.component.id)
        if previous is None or previous[0] != basis:
            calendar = self._make_calendar(uptime, days, downtimes, name)
            previous = self._calendars[uptime.component.id] = basis, calendar
        return previous[1]

    def _make_calendar(
        self,
        uptime: ComponentUptime,
        days: DateRange,
        downtimes: Mapping[date, DayDowntime],
        name: ComponentName,
    ) -> ComponentCalendar:
        component = uptime.component
        described_days = self._days.newest_first(component.id, downtimes)
        first_day = max(days.first_day, component.start_date or days.first_day)
        by_month: dict[Month, list[DayDowntime]] = {}
        for day, downtime in downtimes.items():
            if first_day <= day <= days.last_day:
                by_month.setdefault((day.year, day.month), []).append(downtime)
        months = [
            self._component_month_uptime(
                component.id, name, month, (first_day, days.last_day), by_month.get(month, [])
            )
            for month in months_in_range(days)
        ]
        return ComponentCalendar(
            id=component.id,
            name=name,
            description=one_line(component.description or ""),
            uptime=self._format_percent(uptime_percentage([uptime.fraction])),
            months=tuple(month.uptime for month in months),
            tables=tuple(month.table for month in reversed(months)),
            downtimes=described_days,
            summary=self._texts.count("uptime.days_with_issues", len(described_days)),
        )

    def _component_month_uptime(
        self,
        component_id: str,
        name: ComponentName,
        month: Month,
        data_range: tuple[date, date],
        affected: list[DayDowntime],
    ) -> ComponentMonth:
        """Return a component's uptime in a month; reuse an unchanged month.

        Args:
            data_range: the first and the last day with data.
            affected: the days with downtime in the month and the range.
        """
        days = _days_of_month(month)
        first_day, last_day = max(days[0], data_range[0]), min(days[-1], data_range[1])
        basis = first_day, last_day, affected
        previous = self._months.get((component_id, month))
        if previous is None or previous[0] != basis:
            data_days = range(first_day.toordinal(), last_day.toordinal() + 1)
            views = [self._days(component_id, downtime) for downtime in affected]
            outage = sum((downtime.outage for downtime in affected), NO_OUTAGE)
            uptime = MonthUptime(
                self._month_uptime(data_days, outage), _worst_outage_state(data_days, outage, views)
            )
            table = self._draw(self._make_month(month, data_days, views, uptime.percent), name.full)
            previous = self._months[component_id, month] = basis, ComponentMonth(uptime, table)
        return previous[1]

    def _make_month(
        self, month: Month, data_days: range, downtimes: Sequence[DowntimeDay], uptime: str
    ) -> UptimeMonth:
        """Make the calendar of a month, with a cell for each day.

        Args:
            data_days: the ordinals of the days with data.
        """
        weeks = _weeks_without_downtime(month, data_days)
        if downtimes:
            blank_cells = date(*month, 1).weekday()
            affected_weeks = list(map(list, weeks))
            for downtime in downtimes:
                number = int(downtime.day.iso[-2:])
                week, weekday = divmod(blank_cells + number - 1, 7)
                affected_weeks[week][weekday] = CalendarCell(number, downtime.state, downtime.lengths)
            weeks = tuple(map(tuple, affected_weeks))
        return UptimeMonth(
            month=self._dates.month(*month),
            uptime=uptime,
            weeks=weeks,
        )

    def _month_uptime(self, data_days: range, outage: Outage) -> str:
        if not data_days:
            return ""
        zone = self._dates.zone
        first_day, day_after = date.fromordinal(data_days.start), date.fromordinal(data_days.stop)
        window = day_start(day_after, zone) - day_start(first_day, zone)
        return self._format_percent(uptime_percentage([uptime_fraction(outage, window)]))

    def _format_percent(self, value: float | None) -> str:
        return "" if value is None else self._texts.percent(value)


def months_in_range(days: DateRange) -> list[Month]:
    """Return the months that a range of days touches, oldest first."""
    first_day, last_day = days.first_day, days.last_day
    numbers = range(first_day.year * 12 + first_day.month - 1, last_day.year * 12 + last_day.month)
    return [(number // 12, number % 12 + 1) for number in numbers]


def _worst_outage_state(data_days: range, outage: Outage, downtimes: Iterable[DowntimeDay]) -> str:
    """Return the state of a month's worst outage.

    Returns:
        The state; `ok` for a month without outage, `none` for one without data.
    """
    if data_days and outage == NO_OUTAGE:
        return "ok"
    states = {downtime.state for downtime in downtimes}
    return next((state for state in WORST_FIRST if state in states), "ok" if data_days else "none")


@lru_cache(maxsize=256)
def _weeks_without_downtime(month: Month, data_days: range) -> tuple[tuple[CalendarCell, ...], ...]:
    """Return the weeks of a month as if all days with data were good.

    Args:
        data_days: the ordinals of the days with data.
    """
    days = _days_of_month(month)
    blank = [CalendarCell(number=0, state="")]
    cells = blank * days[0].weekday()
    cells += [CalendarCell(day.day, "ok" if day.toordinal() in data_days else "none") for day in days]
    cells += blank * (-len(cells) % 7)
    return tuple(tuple(cells[start : start + 7]) for start in range(0, len(cells), 7))


@lru_cache(maxsize=64)
def _days_of_month(month: Month) -> list[date]:
    year, number = month
    first_day = date(year, number, 1)
    next_month = date(year + number // 12, number % 12 + 1, 1)
    return [date.fromordinal(day) for day in range(first_day.toordinal(), next_month.toordinal())]


class _Position(NamedTuple):
    """The position of a component in a list that keeps groups together."""

    position: int  # the position of its group; for a component without a group, its own
    in_group: int = 0


def _list_position(component: Component, groups: Mapping[str, Component]) -> _Position:
    group = groups.get(component.group_id or "")
    return _Position(component.position) if group is None else _Position(group.position, component.position)


def _component_name(component: Component, groups: Mapping[str, Component]) -> ComponentName:
    group = groups.get(component.group_id or "")
    return ComponentName(one_line(component.name), "" if group is None else one_line(group.name))
