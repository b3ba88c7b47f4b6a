"""The uptime calendar: each component's days by month, each day with what happened on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from statuary.documents.pages.frame import Head
from statuary.documents.pages.legible import one_line
from statuary.documents.pages.moments import Moment, Voice
from statuary.documents.pages.status.component_rows import RowMaker, Trouble
from statuary.documents.url_table import UPTIME, UPTIME_PAGE
from statuary.domain.status.components import Component
from statuary.domain.status.days import ONE_DAY, day_start
from statuary.domain.status.days_of_trouble import DayOfTrouble
from statuary.domain.status.uptime import Outage, PageUptime, percent, up_fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A day in a month's table.

    Attributes:
        number: the day of the month; 0 of a cell outside the month.
        status: its worst status, `unknown` of a day without data, empty of a cell outside the month.
        title: what happened, or empty.
    """

    number: int
    status: str
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthOfDays:
    """A month of one component.

    Attributes:
        month: the month.
        uptime: its uptime in words, or empty.
        weeks: seven cells each, from Monday.
    """

    month: Moment
    uptime: str
    weeks: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentCalendar:
    """A component's months.

    Attributes:
        id: its id.
        name: its name, with that of its group.
        uptime: its uptime over the whole window, in words.
        months: in the order of time.
        troubles: its days with trouble, the newest first.
    """

    id: str
    name: str
    uptime: str
    months: tuple[MonthOfDays, ...]
    troubles: tuple[Trouble, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UptimeView:
    """What the uptime calendar says.

    Attributes:
        first: the first day.
        last: the last day.
        components: in order of position.
        weekdays: the days of the week, in short and in full.
        json: the document of the same numbers.
    """

    first: Moment
    last: Moment
    components: tuple[ComponentCalendar, ...]
    weekdays: tuple[tuple[str, str], ...]
    json: str


class UptimeMaker:
    """Makes the uptime calendar of one instant."""

    def __init__(self, rows: RowMaker, voice: Voice) -> None:
        """Take how to tell of trouble, and how to speak."""
        self._rows = rows
        self._calendar, self._texts = voice.calendar, voice.texts

    def view(
        self,
        uptime: PageUptime,
        troubles: Mapping[str, Mapping[date, DayOfTrouble]],
        groups: Mapping[str, Component],
    ) -> UptimeView:
        """Return what the calendar says of the months that the uptime's window touches."""
        months = _months(uptime.first_day, uptime.last_day)
        return UptimeView(
            first=self._calendar.short_day(uptime.first_day),
            last=self._calendar.short_day(uptime.last_day),
            components=tuple(
                ComponentCalendar(
                    id=one.component.id,
                    name=_full_name(one.component, groups),
                    uptime=self._percent(percent([one.fraction])),
                    months=tuple(
                        self._month(month, one.component, troubles.get(one.component.id, {}), uptime)
                        for month in months
                    ),
                    troubles=tuple(
                        self._rows.trouble(day)
                        for _, day in sorted(troubles.get(one.component.id, {}).items(), reverse=True)
                    ),
                )
                for one in uptime.components
            ),
            weekdays=tuple(
                (self._texts(f"weekday.{day}")[:2], self._texts(f"weekday.{day}")) for day in range(1, 8)
            ),
            json=UPTIME.path(),
        )

    def head(self, name: str) -> Head:
        """Return the head of the calendar."""
        return Head(
            path=UPTIME_PAGE.path(),
            title=self._texts("uptime.title"),
            description=self._texts("uptime.page", name=name),
            section="uptime",
            timed=True,
        )

    def _month(
        self,
        month: tuple[int, int],
        component: Component,
        troubles: Mapping[date, DayOfTrouble],
        uptime: PageUptime,
    ) -> MonthOfDays:
        days = _days(month)
        first = max(uptime.first_day, component.start_date or uptime.first_day)
        told = [day for day in days if first <= day <= uptime.last_day]
        blank = [Cell(number=0, status="")]
        cells = [*blank * (days[0].isoweekday() - 1), *(self._cell(day, troubles, told) for day in days)]
        cells += blank * (-len(cells) % 7)
        return MonthOfDays(
            month=self._calendar.month(*month),
            uptime=self._month_uptime(told, troubles),
            weeks=tuple(tuple(cells[start : start + 7]) for start in range(0, len(cells), 7)),
        )

    def _cell(self, day: date, troubles: Mapping[date, DayOfTrouble], told: list[date]) -> Cell:
        if day not in told:
            return Cell(number=day.day, status="unknown")
        if day not in troubles:
            return Cell(number=day.day, status="operational")
        trouble = self._rows.trouble(troubles[day])
        return Cell(number=day.day, status=trouble.status, title=trouble.lengths)

    def _month_uptime(self, told: list[date], troubles: Mapping[date, DayOfTrouble]) -> str:
        if not told:
            return ""
        zone = self._calendar.zone
        window = day_start(told[-1] + ONE_DAY, zone) - day_start(told[0], zone)
        outage = sum((troubles[day].outage for day in told if day in troubles), Outage())
        return self._percent(percent([up_fraction(outage, window)]))

    def _percent(self, value: float | None) -> str:
        if value is None:
            return ""
        return self._texts("uptime.percent", percent=self._texts.decimal(value, 1 if value == 100 else 2))


def _months(first: date, last: date) -> list[tuple[int, int]]:
    numbers = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    return [(number // 12, number % 12 + 1) for number in numbers]


def _days(month: tuple[int, int]) -> list[date]:
    year, number = month
    first = date(year, number, 1)
    after = date(year + number // 12, number % 12 + 1, 1)
    return [date.fromordinal(day) for day in range(first.toordinal(), after.toordinal())]


def _full_name(component: Component, groups: Mapping[str, Component]) -> str:
    group = groups.get(component.group_id or "")
    return one_line(component.name if group is None else f"{group.name} / {component.name}")
