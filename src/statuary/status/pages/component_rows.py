"""The rows of components on the status page, with their uptime bars."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from itertools import groupby
from typing import NamedTuple

from statuary.site.pages.page_texts import PageTexts, one_line
from statuary.site.pages.site_context import DateFormatter, FormattedTime, Localization
from statuary.site.pages.states import STATUS_STATES
from statuary.status.model.downtime import DayDowntime
from statuary.status.model.records import Component
from statuary.status.model.timeline import ComponentState, PageState
from statuary.status.model.uptime import WINDOW_DAYS, ComponentUptime, PageUptime, uptime_percentage
from statuary.status.model.vocabulary import COMPONENT_SEVERITY
from statuary.status.urls import INCIDENT_PAGE

BAR_STEP, BAR_WIDTH, BAR_HEIGHT = 7, 5, 22
"""A day's bar in units of the picture: distance, width, and height of the tallest."""

BAR_HEIGHTS = {"none": 8, "ok": 14, "work": 16, "degraded": 18, "partial": 20, "major": BAR_HEIGHT}
"""A worse day has a taller bar, since colour alone is not enough. The style sheet repeats these heights."""


class Link(NamedTuple):
    """A link within the site."""

    name: str
    href: str


@dataclass(frozen=True, slots=True, eq=False)
class DowntimeDay:
    """The downtime of a component on a day.

    Attributes:
        state: the worst status of the day.
        lengths: the duration of each status, in words.
        records: the incidents and maintenances of the day.
    """

    day: FormattedTime
    state: str
    lengths: str
    records: tuple[Link, ...]


class DayPath(NamedTuple):
    """The days of an uptime bar that have the same state.

    Attributes:
        line: an SVG path through the middle of the bars; the style sheet turns it into one dash for each day.
    """

    state: str
    line: str


class UptimeBars(NamedTuple):
    """A component's bars of the last 90 days.

    Attributes:
        first: the first day, as ISO 8601.
        unknown: how many days at the beginning are before the component started.
    """

    first: str
    unknown: int
    width: int
    paths: tuple[DayPath, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ComponentRow:
    """A component on the status page.

    Attributes:
        state: the status as pages show it.
        label: the status in words.
        uptime: the uptime in percent; empty if the component does not show it.
        downtimes: the days with downtime, newest first.
        summary: a text that describes the bars in words.
    """

    id: str
    name: str
    description: str
    state: str
    label: str
    uptime: str = ""
    bars: UptimeBars | None = None
    downtimes: tuple[DowntimeDay, ...] = ()
    summary: str = ""


class GroupRow(NamedTuple):
    """A group on the status page.

    A component that is in no group has a row without a name, which contains only that component.
    """

    name: str
    state: str
    label: str
    note: str
    uptime: str
    opened: bool
    rows: tuple[ComponentRow, ...]


class ComponentRowBuilder:
    """Builds the component rows of the status page; unchanged rows are reused."""

    def __init__(
        self,
        localization: Localization,
        uptime: PageUptime,
        downtimes: Mapping[str, Mapping[date, DayDowntime]],
        days: "DowntimeDays",
        earlier_rows: dict[str, tuple[object, ComponentRow]],
    ) -> None:
        self._dates, self._texts = localization.dates, localization.texts
        self._uptime = uptime
        self._by_id = {component.component.id: component for component in uptime.components}
        self._downtimes = downtimes
        self._days = days
        self._earlier = earlier_rows

    def group_rows(self, state: PageState) -> tuple[GroupRow, ...]:
        """Return the components that the status page lists, group by group.

        Args:
            state: the page with its components at one time.
        """
        states = {
            key: component for key, component in state.components.items() if is_component_shown(component)
        }
        top = [component for component in states.values() if component.component.group_id not in states]
        is_calm = all(component.now.status == "operational" for component in states.values())
        groups = (self._group_row(component, states, opened=is_calm) for component in top)
        return tuple(group for group in groups if group.rows)

    def _group_row(
        self, state: ComponentState, states: Mapping[str, ComponentState], *, opened: bool
    ) -> GroupRow:
        component = state.component
        children = [states[child] for child in component.children if child in states]
        rows = [self._cached_row(child) for child in (children if component.group else [state])]
        uptimes = [self._by_id[child] for child in component.children if child in self._by_id]
        return GroupRow(
            name=one_line(component.name) if component.group else "",
            state=STATUS_STATES[state.now.status],
            label=self._texts(f"status.{state.now.status}"),
            note=self._problem_note(children),
            uptime=self._format_percent(uptimes),
            opened=opened or state.now.status != "operational",
            rows=tuple(rows),
        )

    def _problem_note(self, children: Sequence[ComponentState]) -> str:
        """Count the components of a group that have a problem, in words."""
        affected = sum(child.now.status != "operational" for child in children)
        if affected:
            count = self._texts.number(len(children))
            return self._texts("components.affected", affected=self._texts.number(affected), count=count)
        return self._texts.count("components.calm", len(children))

    def _cached_row(self, state: ComponentState) -> ComponentRow:
        component = state.component
        uptime = self._by_id.get(component.id)
        downtimes = self._downtimes.get(component.id)
        depends_on = state.now.status, uptime and uptime.fraction, self._uptime.last_day, downtimes
        row = self._earlier.get(component.id)
        if row is None or row[0] != depends_on:
            row = self._earlier[component.id] = depends_on, self._make_row(state, uptime)
        return row[1]

    def _make_row(self, state: ComponentState, uptime: ComponentUptime | None) -> ComponentRow:
        component = state.component
        row = ComponentRow(
            id=component.id,
            name=one_line(component.name),
            description=one_line(component.description or ""),
            state=STATUS_STATES[state.now.status],
            label=self._texts(f"status.{state.now.status}"),
        )
        return row if uptime is None else self._row_with_uptime(row, component, uptime)

    def _row_with_uptime(
        self, row: ComponentRow, component: Component, uptime: ComponentUptime
    ) -> ComponentRow:
        days = self._downtimes.get(component.id, {})
        downtimes = self._days.newest_first(component.id, days)
        return replace(
            row,
            uptime=self._format_percent([uptime]),
            bars=self._uptime_bars(component, days),
            downtimes=downtimes,
            summary=self._texts.count("uptime.bars_label", len(downtimes), name=row.name, days=WINDOW_DAYS),
        )

    def _format_percent(self, uptimes: Sequence[ComponentUptime]) -> str:
        value = uptime_percentage(uptime.fraction for uptime in uptimes)
        if value is None:
            return ""
        return self._texts.percent(value)

    def _uptime_bars(self, component: Component, downtimes: Mapping[date, DayDowntime]) -> UptimeBars:
        first_day = self._uptime.first_day
        begin = component.start_date or first_day
        without_data = max(0, min(WINDOW_DAYS, (begin - first_day).days))
        by_day = ["none"] * without_data + ["ok"] * (WINDOW_DAYS - without_data)
        for day, downtime in downtimes.items():
            if first_day <= day <= self._uptime.last_day:
                by_day[(day - first_day).days] = STATUS_STATES[downtime.worst]
        lines: dict[str, list[str]] = {}
        place = 0
        for state, run in groupby(by_day):
            count = len(list(run))
            lines.setdefault(state, []).append(_svg_line_of_days(place, count, BAR_HEIGHTS[state]))
            place += count
        return UptimeBars(
            first=first_day.isoformat(),
            unknown=without_data,
            width=WINDOW_DAYS * BAR_STEP - (BAR_STEP - BAR_WIDTH),
            paths=tuple(DayPath(state, "".join(lines[state])) for state in BAR_HEIGHTS if state in lines),
        )


class DowntimeDays:
    """Describes days with downtime in words; each day is described once."""

    def __init__(self, localization: Localization) -> None:
        self._dates, self._texts = localization.dates, localization.texts
        self._last: dict[tuple[str, date], tuple[DayDowntime, DowntimeDay]] = {}
        self._lists: dict[str, tuple[object, tuple[DowntimeDay, ...]]] = {}

    def newest_first(
        self, component_id: str, downtimes: Mapping[date, DayDowntime]
    ) -> tuple[DowntimeDay, ...]:
        """Describe all days on which a component had downtime, newest first."""
        previous = self._lists.get(component_id)
        if previous is None or previous[0] is not downtimes:
            days = tuple(self(component_id, downtimes[day]) for day in sorted(downtimes, reverse=True))
            previous = self._lists[component_id] = downtimes, days
        return previous[1]

    def __call__(self, component_id: str, day: DayDowntime) -> DowntimeDay:
        """Describe the downtime of a component on a day in words."""
        previous = self._last.get((component_id, day.day))
        if previous is None or previous[0] != day:
            previous = self._last[component_id, day.day] = (
                day,
                _describe_downtime_day(day, self._dates, self._texts),
            )
        return previous[1]


def _describe_downtime_day(day: DayDowntime, dates: DateFormatter, texts: PageTexts) -> DowntimeDay:
    unresolved_worst_first = sorted(day.lengths.items(), key=lambda item: -COMPONENT_SEVERITY[item[0]])
    lengths = [
        texts("uptime.length", status=texts(f"status.{status}"), length=dates.length(length))
        for status, length in unresolved_worst_first
    ]
    if day.ongoing:
        lengths.append(texts("uptime.ongoing", status=texts(f"status.{day.ongoing}")))
    return DowntimeDay(
        day=dates.short_day(day.day),
        state=STATUS_STATES[day.worst],
        lengths=texts("page.comma").join(lengths),
        records=tuple(
            Link(one_line(record.incident.name), INCIDENT_PAGE.path(incident_id=record.incident.id))
            for record in day.records
        ),
    )


@cache
def _svg_line_of_days(first: int, count: int, height: int) -> str:
    """Return the line of an SVG path for some days in a row."""
    length = count * BAR_STEP - (BAR_STEP - BAR_WIDTH)
    return f"M{first * BAR_STEP} {BAR_HEIGHT - height / 2:g}h{length}"


def is_component_shown(state: ComponentState) -> bool:
    """Return whether the status page shows a component.

    A component can be hidden while it is operational.
    """
    component = state.component
    hidden = component.only_show_if_degraded and state.now.status == "operational"
    return not (component.removed or hidden)
