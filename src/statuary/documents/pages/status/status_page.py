"""The status page: current status, incidents, maintenances and components; and the history by quarter."""

from bisect import bisect_right
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple
from zoneinfo import ZoneInfo

from markupsafe import Markup

from statuary.documents.pages.markdown import render_markdown
from statuary.documents.pages.page_texts import PageTexts, one_line
from statuary.documents.pages.site_context import FormattedTime, Localization, PageHead
from statuary.documents.pages.status.component_rows import ComponentRowBuilder, GroupRow, Link, is_shown
from statuary.documents.pages.status.incident_cards import IncidentCard, IncidentCardBuilder
from statuary.documents.url_table import HISTORY_PAGE, HISTORY_QUARTER_PAGE, STATUS_PAGE
from statuary.domain.primitives import ONE_DAY, Instant, day_of, day_start
from statuary.domain.status.incident_history import IncidentHistory, IncidentState
from statuary.domain.status.records import UNKNOWN_CREATION, Maintenance, began_at
from statuary.domain.status.timeline import PageState, Timeline
from statuary.domain.status.vocabulary import (
    ACTIVE_STATUSES,
    COMPONENT_SEVERITY,
    IMPACT_SEVERITY,
    UNRESOLVED_STATUSES,
    ComponentStatus,
    OverallStatus,
)

PAST_DAYS = 15
"""Days of past incidents, today included: as many as Statuspage shows (6 of 6 pages measured)."""


class PastDay(NamedTuple):
    """A day with the incidents and maintenances that began on it, or several days without any."""

    day: FormattedTime  # the day, or the latest of several
    first: FormattedTime | None  # the earliest of several; None for one day
    cards: tuple[IncidentCard, ...]  # newest first, without what is open: the page has it above
    has_open: bool = False  # whether something that is open began on it


class StatusView(NamedTuple):
    """The content of the status page."""

    indicator: str
    description: str  # the indicator in words
    headline: str  # what is affected, by name; without anything, the description
    # the latest change; None if nothing has happened on a page of unknown age
    updated_at: FormattedTime | None
    next_change: FormattedTime | None  # the next instant at which the page changes without a new build
    # an unresolved incident whose impact differs from the banner; None without any
    differs: IncidentCard | None
    incidents: tuple[IncidentCard, ...]
    active: tuple[IncidentCard, ...]
    scheduled: tuple[IncidentCard, ...]
    groups: tuple[GroupRow, ...]
    about: Markup  # what the site is about; empty if it is not set
    uptime_days: int  # the number of days that the bars show; 0 without bars
    past: tuple[PastDay, ...]  # newest first
    past_days: int


class StatusPageInputs(NamedTuple):
    """The inputs of the status page besides the state of the page."""

    next_change: Instant | None
    uptime_days: int


def status_view(
    state: PageState,
    present: StatusPageInputs,
    rows: ComponentRowBuilder,
    cards: IncidentCardBuilder,
    localization: Localization,
) -> StatusView:
    """Return the content of the status page."""
    dates, texts = localization.dates, localization.texts

    def of(incidents: Iterable[IncidentState], statuses: Container[str]) -> tuple[IncidentCard, ...]:
        return tuple(cards.card(record, 4) for record in incidents if record.status in statuses)

    maintenances = sorted(state.maintenances, key=_window)
    incidents, indicator = of(state.incidents, UNRESOLVED_STATUSES), state.overall_status.indicator
    return StatusView(
        indicator=indicator,
        description=description_of(state.overall_status, texts),
        headline=headline_of(state, texts),
        updated_at=None if state.updated_at == UNKNOWN_CREATION else dates.moment(state.updated_at),
        next_change=None if present.next_change is None else dates.moment(present.next_change),
        differs=_most_different(incidents, indicator),
        incidents=incidents,
        active=of(maintenances, ACTIVE_STATUSES),
        scheduled=of(maintenances, {"scheduled"}),
        groups=rows.groups(state),
        about=render_markdown(state.page.about or "", 2),
        uptime_days=present.uptime_days,
        past=PastDaysBuilder(cards, localization).days(state),
        past_days=PAST_DAYS,
    )


def status_head(view: StatusView, name: str, texts: PageTexts) -> PageHead:
    """Return the head of the status page."""
    return PageHead(
        path=STATUS_PAGE.path(),
        title=view.headline,
        description=texts("status.page", description=view.headline, name=name),
        section="status",
        indicator=view.indicator,
        timed=True,
    )


def description_of(overall_status: OverallStatus, texts: PageTexts) -> str:
    """Return the description of the status in the language of the pages; one from the settings stays as it is."""
    key = f"description.{overall_status.description}"
    return texts(key) if texts.has(key) else one_line(overall_status.description)


NAMED = 3
"""How many components a headline names of each status."""


def headline_of(state: PageState, texts: PageTexts) -> str:
    """Return what is affected, the worst first: `RPC down, Explorer degraded`; a stated description stays.

    A page that has nothing yet does not say that everything is operational.
    """
    if state.page.description or state.page.indicator:
        return description_of(state.overall_status, texts)
    if not (state.components or state.incidents):
        return texts("status.nothing")
    by_status = _names_by_status(state)
    if not by_status:
        return description_of(state.overall_status, texts)
    worst_first = sorted(by_status, key=COMPONENT_SEVERITY.__getitem__, reverse=True)
    return ", ".join(
        texts(f"status.affected.{status}", names=_enumerated(by_status[status], texts))
        for status in worst_first
    )


def _names_by_status(state: PageState) -> dict[ComponentStatus, list[str]]:
    """Return the names of the components that pages show, but for operational ones."""
    by_status: dict[ComponentStatus, list[str]] = {}
    for component in state.components.values():
        if not component.component.group and is_shown(component) and component.status != "operational":
            by_status.setdefault(component.status, []).append(one_line(component.component.name))
    return by_status


def _enumerated(names: Sequence[str], texts: PageTexts) -> str:
    if len(names) > NAMED:
        first = NAMED - 1
        return texts.count("status.affected.more", len(names) - first, names=", ".join(names[:first]))
    if len(names) == 1:
        return names[0]
    return texts("status.affected.and", names=", ".join(names[:-1]), last=names[-1])


class PastDaysBuilder:
    """Builds the list of past days."""

    def __init__(self, cards: IncidentCardBuilder, localization: Localization) -> None:
        self._cards = cards
        self._dates, self._texts = localization.dates, localization.texts

    def days(self, state: PageState) -> tuple[PastDay, ...]:
        """Return the past days, newest first; consecutive days without incidents are one entry."""
        today = day_of(state.at, self._dates.zone)
        begun: dict[date, list[IncidentState]] = {}
        for record in past_records(state, self._dates.zone):
            begun.setdefault(day_of(_filed_at(record), self._dates.zone), []).append(record)
        days = [date.fromordinal(today.toordinal() - back) for back in range(PAST_DAYS)]
        past: list[PastDay] = []
        for is_quiet, run in groupby(days, key=lambda day: day not in begun):
            if is_quiet:
                past += self._quiet(list(run), today)
            else:
                past += [self._day(day, begun[day]) for day in run]
        return tuple(past)

    def _quiet(self, days: list[date], today: date) -> list[PastDay]:
        """Return days without incidents: today by itself, the others as one entry."""
        runs = [[days[0]], days[1:]] if days[0] == today else [days]
        return [
            PastDay(
                day=self._dates.weekday(run[0]) if len(run) == 1 else self._dates.short_day(run[0]),
                first=self._dates.short_day(run[-1]) if len(run) > 1 else None,
                cards=(),
            )
            for run in runs
            if run
        ]

    def _day(self, day: date, begun: Sequence[IncidentState]) -> PastDay:
        latest_first = sorted((record for record in begun if record.closed), key=_filed_at, reverse=True)
        cards = tuple(self._cards.card(record, 5) for record in latest_first)
        has_open = len(cards) < len(begun)
        return PastDay(day=self._dates.weekday(day), first=None, cards=cards, has_open=has_open)


def past_records(state: PageState, zone: ZoneInfo) -> list[IncidentState]:
    """Return the incidents and maintenances of the past days, and some of the day before."""
    earliest = day_start(day_of(state.at, zone) - PAST_DAYS * ONE_DAY, zone)
    records = (record for record in state.incidents + state.maintenances if record.status != "scheduled")
    return [record for record in records if _filed_at(record) > earliest]


def _filed_at(state: IncidentState) -> Instant:
    """Return the instant of a record in past days: the start, or the end if it was cancelled before."""
    began = began_at(state.incident)
    return min(began, state.resolved_at or began)


def _most_different(incidents: Sequence[IncidentCard], indicator: str) -> IncidentCard | None:
    """Return the worst incident if its impact differs from the banner's."""
    worst = max(incidents, key=lambda card: IMPACT_SEVERITY[card.impact], default=None)
    return None if worst is None or worst.impact == indicator else worst


def _window(state: IncidentState) -> tuple[Instant, str]:
    incident = state.incident
    start = incident.scheduled_for if isinstance(incident, Maintenance) else incident.created_at
    return start, incident.id


Quarter = tuple[int, int]
"""A year, and the number of its quarter, from 1."""

LATEST_MONTHS = 3
"""Months on the first page, the present one included: as many as Statuspage shows."""


class HistoryMonth(NamedTuple):
    """A month."""

    month: FormattedTime
    cards: tuple[IncidentCard, ...]  # the incidents and maintenances that began in it, newest first


class HistoryView(NamedTuple):
    """The content of a page of the history."""

    title: str
    months: tuple[HistoryMonth, ...]  # newest first
    # all quarters, newest first, on the first page alone: so the page of a quarter does not change when one begins
    quarters: tuple[Link, ...]
    newer: Link | None
    older: Link | None


class BegunByQuarter:
    """Everything that has begun, by quarter, over time."""

    def __init__(self, timeline: Timeline, zone: ZoneInfo) -> None:
        self._histories: dict[Quarter, list[IncidentHistory]] = {}
        for history in sorted(
            timeline.histories, key=lambda history: (began_at(history.incident), history.incident.id)
        ):
            year, month = _month_of(began_at(history.incident), zone)
            self._histories.setdefault((year, (month + 2) // 3), []).append(history)
        self._begun: dict[Quarter, tuple[int, tuple[IncidentState, ...]]] = {}
        self._changes = {
            quarter: sorted(at for history in histories for at in history.change_instants)
            for quarter, histories in self._histories.items()
        }

    def at(self, instant: Instant) -> dict[Quarter, tuple[IncidentState, ...]]:
        """Return what has begun by an instant, newest first; a quarter in which nothing has changed is the same value."""
        begun = {quarter: self._of(quarter, instant) for quarter in sorted(self._histories, reverse=True)}
        return {quarter: records for quarter, records in begun.items() if records}

    def is_final_by(self, quarter: Quarter, instant: Instant) -> bool:
        """Return whether nothing in a quarter changes after an instant."""
        return all(history.is_final_by(instant) for history in self._histories[quarter])

    def _of(self, quarter: Quarter, instant: Instant) -> tuple[IncidentState, ...]:
        passed = bisect_right(self._changes[quarter], instant)
        last = self._begun.get(quarter)
        if last is None or last[0] != passed:
            states = (history.state_at(instant) for history in reversed(self._histories[quarter]))
            begun = tuple(state for state in states if state is not None and state.status != "scheduled")
            last = self._begun[quarter] = passed, begun
        return last[1]


@lru_cache(maxsize=65_536)
def _month_of(at: Instant, zone: ZoneInfo) -> tuple[int, int]:
    local = at.astimezone(zone)
    return local.year, local.month


class HistoryViewBuilder:
    """Builds the views of the history."""

    def __init__(self, cards: IncidentCardBuilder, localization: Localization) -> None:
        self._cards = cards
        self._dates, self._texts = localization.dates, localization.texts

    def latest(self, quarters: Mapping[Quarter, Sequence[IncidentState]], at: Instant) -> HistoryView:
        """Return the view of the latest months."""
        today = at.astimezone(self._dates.zone)
        months = [_months_before(today.year, today.month, back) for back in range(LATEST_MONTHS)]
        return HistoryView(
            title=self._texts("history.title"),
            months=tuple(
                self._month((year, month), quarters.get((year, (month + 2) // 3), ()))
                for year, month in months
            ),
            quarters=tuple(Link(self._title(quarter), quarter_path(quarter)) for quarter in quarters),
            newer=None,
            older=self._link(_before(quarters, _months_before(today.year, today.month, LATEST_MONTHS))),
        )

    def quarter(self, quarters: Mapping[Quarter, Sequence[IncidentState]], quarter: Quarter) -> HistoryView:
        """Return the view of a quarter."""
        year, number = quarter
        order = list(quarters)
        place = order.index(quarter)
        months = [(year, month) for month in range(number * 3, number * 3 - 3, -1)]
        views = [self._month(month, quarters[quarter]) for month in months]
        return HistoryView(
            title=self._title(quarter),
            months=tuple(view for view in views if view.cards),
            quarters=(),
            newer=(
                self._link(order[place - 1])
                if place
                else Link(self._texts("history.latest"), HISTORY_PAGE.path())
            ),
            older=self._link(order[place + 1] if place + 1 < len(order) else None),
        )

    def head(self, view: HistoryView, path: str, name: str) -> PageHead:
        """Return the head of a page of the history."""
        description = self._texts("history.page", name=name)
        return PageHead(path=path, title=view.title, description=description, section="history", timed=True)

    def _month(self, month: tuple[int, int], states: Sequence[IncidentState]) -> HistoryMonth:
        zone = self._dates.zone
        of_month = [state for state in states if _month_of(began_at(state.incident), zone) == month]
        cards = tuple(self._cards.card(state, 4) for state in of_month)
        return HistoryMonth(month=self._dates.month(*month), cards=cards)

    def _link(self, quarter: Quarter | None) -> Link | None:
        return None if quarter is None else Link(self._title(quarter), quarter_path(quarter))

    def _title(self, quarter: Quarter) -> str:
        return self._texts("history.quarter", year=quarter[0], quarter=quarter[1])


def _before(quarters: Iterable[Quarter], month: tuple[int, int]) -> Quarter | None:
    """Return the latest quarter up to a month."""
    last = month[0], (month[1] + 2) // 3
    return next((quarter for quarter in quarters if quarter <= last), None)


def quarter_path(quarter: Quarter) -> str:
    """Return the path of the page of a quarter."""
    return HISTORY_QUARTER_PAGE.path(quarter=f"{quarter[0]}-q{quarter[1]}")


def _months_before(year: int, month: int, back: int) -> tuple[int, int]:
    number = year * 12 + month - 1 - back
    return number // 12, number % 12 + 1
