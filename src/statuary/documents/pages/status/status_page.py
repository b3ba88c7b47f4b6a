"""The status page: current status, incidents, maintenances, components, and past incidents."""

from collections.abc import Container, Iterable, Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup

from statuary.documents.pages.dates import FormattedTime, Localization
from statuary.documents.pages.markdown import render_markdown
from statuary.documents.pages.page_texts import PageTexts
from statuary.documents.pages.site_context import PageHead
from statuary.documents.pages.status.component_rows import ComponentRowBuilder, GroupRow
from statuary.documents.pages.status.incident_cards import IncidentCard, IncidentCardBuilder
from statuary.documents.pages.visible_text import one_line
from statuary.documents.url_table import CALENDAR, STATUS_PAGE
from statuary.domain.primitives import Instant
from statuary.domain.status.calendar_days import day_of
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.overall_status import OverallStatus
from statuary.domain.status.page import UNKNOWN_CREATION
from statuary.domain.status.page_state import PageState
from statuary.domain.status.vocabulary import ACTIVE_STATUSES, UNRESOLVED_STATUSES

IncidentsByDay = dict[date, list[IncidentState]]
"""Incidents and maintenances by a day."""

PAST_DAYS = 15
"""Days of past incidents, today included: as many as Statuspage shows (6 of 6 pages measured)."""


class PastDay(NamedTuple):
    """A day with the incidents that ended on it, or several days without any.

    Attributes:
        day: the day, or the latest of several.
        first: the earliest of several; None for one day.
        quiet: the text for days without incidents.
        ongoing: the unresolved incidents that began on this day.
    """

    day: FormattedTime
    first: FormattedTime | None
    quiet: str
    cards: tuple[IncidentCard, ...]
    ongoing: tuple[IncidentCard, ...]


class StatusView(NamedTuple):
    """The content of the status page.

    Attributes:
        description: the indicator in words.
        updated_at: the latest change; None if nothing has happened on a page of unknown age.
        next_change: the next instant at which the page changes without a new build.
        uptime_days: the number of days that the bars show; 0 without bars.
        about: what the site is about; empty if it does not say.
        past: newest first.
        calendar: the path of the calendar.
    """

    indicator: str
    description: str
    built_at: FormattedTime
    updated_at: FormattedTime | None
    next_change: FormattedTime | None
    incidents: tuple[IncidentCard, ...]
    active: tuple[IncidentCard, ...]
    scheduled: tuple[IncidentCard, ...]
    groups: tuple[GroupRow, ...]
    about: Markup
    uptime_days: int
    past: tuple[PastDay, ...]
    past_days: int
    calendar: str


class StatusPageInputs(NamedTuple):
    """The inputs of the status page besides the state of the page."""

    built_at: Instant
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
        return tuple(cards.card(one, 4) for one in incidents if one.status in statuses)

    maintenances = sorted(state.maintenances, key=_window)
    return StatusView(
        indicator=state.overall_status.indicator,
        description=description_of(state.overall_status, texts),
        built_at=dates.moment(present.built_at),
        updated_at=None if state.updated_at == UNKNOWN_CREATION else dates.moment(state.updated_at),
        next_change=None if present.next_change is None else dates.moment(present.next_change),
        incidents=of(state.incidents, UNRESOLVED_STATUSES),
        active=of(maintenances, ACTIVE_STATUSES),
        scheduled=of(maintenances, {"scheduled"}),
        groups=rows.groups(state),
        about=render_markdown(state.page.about or "", 2),
        uptime_days=present.uptime_days,
        past=PastDaysBuilder(cards, localization).days(state),
        past_days=PAST_DAYS,
        calendar=CALENDAR.path(),
    )


def status_head(view: StatusView, name: str, texts: PageTexts) -> PageHead:
    """Return the head of the status page."""
    return PageHead(
        path=STATUS_PAGE.path(),
        title=view.description,
        description=texts("status.page", description=view.description, name=name),
        section="status",
        indicator=view.indicator,
        timed=True,
    )


def description_of(overall_status: OverallStatus, texts: PageTexts) -> str:
    """Return the description of the status in the language of the pages; one from the settings stays as it is."""
    key = f"description.{overall_status.description}"
    return texts(key) if texts.has(key) else one_line(overall_status.description)


class PastDaysBuilder:
    """Builds the list of past days."""

    def __init__(self, cards: IncidentCardBuilder, localization: Localization) -> None:
        self._cards = cards
        self._dates, self._texts = localization.dates, localization.texts

    def days(self, state: PageState) -> tuple[PastDay, ...]:
        """Return the past days, newest first; consecutive days without incidents are one entry."""
        today = day_of(state.at, self._dates.zone)
        ended, ongoing = self._by_day(state)
        days = [date.fromordinal(today.toordinal() - back) for back in range(PAST_DAYS)]
        found: list[PastDay] = []
        for is_quiet, run in groupby(days, key=lambda day: not (ended.get(day) or ongoing.get(day))):
            if is_quiet:
                found += self._quiet(list(run), today)
            else:
                found += [self._day(day, ended.get(day, ()), ongoing.get(day, ())) for day in run]
        return tuple(found)

    def _by_day(self, state: PageState) -> tuple[IncidentsByDay, IncidentsByDay]:
        """Return the ended incidents by the day they ended on, and the unresolved ones by the day they began on."""
        ended: IncidentsByDay = {}
        ongoing: IncidentsByDay = {}
        for one in (*state.maintenances, *state.incidents):
            if one.closed:
                ended.setdefault(day_of(ended_at(one), self._dates.zone), []).append(one)
            elif one.status in UNRESOLVED_STATUSES:
                began = day_of(one.incident.started_at, self._dates.zone)
                ongoing.setdefault(began, []).append(one)
        return ended, ongoing

    def _quiet(self, days: list[date], today: date) -> list[PastDay]:
        """Return days without incidents: today by itself, the others as one entry."""
        runs = [[days[0]], days[1:]] if days[0] == today else [days]
        return [
            PastDay(
                day=self._dates.weekday(run[0]) if len(run) == 1 else self._dates.short_day(run[0]),
                first=self._dates.short_day(run[-1]) if len(run) > 1 else None,
                quiet=self._texts("past.quiet_today" if run[0] == today else "past.quiet"),
                cards=(),
                ongoing=(),
            )
            for run in runs
            if run
        ]

    def _day(self, day: date, ended: Sequence[IncidentState], ongoing: Sequence[IncidentState]) -> PastDay:
        latest_first = sorted(ended, key=ended_at, reverse=True)
        return PastDay(
            day=self._dates.weekday(day),
            first=None,
            quiet="",
            cards=tuple(self._cards.card(one, 5) for one in latest_first),
            ongoing=tuple(self._cards.card(one, 5) for one in ongoing),
        )


def ended_at(state: IncidentState) -> Instant:
    """Return when a closed incident ended; its last change if that is not recorded."""
    return state.resolved_at or state.updated_at


def _window(state: IncidentState) -> tuple[Instant, str]:
    incident = state.incident
    start = incident.scheduled_for if isinstance(incident, Maintenance) else incident.created_at
    return start, incident.id
