"""The status page: how everything is, what is wrong, what is planned, and what was."""

from collections.abc import Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple

from statuary.documents.pages.dates import FormattedTime, Localization
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
from statuary.domain.status.page_state import PageState
from statuary.domain.status.vocabulary import ACTIVE_STATUSES, UNRESOLVED_STATUSES

IncidentsByDay = dict[date, list[IncidentState]]
"""Incidents and maintenances by a day."""

PAST_DAYS = 15
"""Days of past incidents, today included: as many as Statuspage shows (6 of 6 pages measured)."""


class PastDay(NamedTuple):
    """A day, and what ended on it; or several days on which nothing did.

    Attributes:
        day: the day, of several the latest.
        first: of several, the earliest; None of one.
        quiet: what is said where nothing ended.
        cards: the incidents and maintenances that ended.
        ongoing: the incidents that began on this day and go on.
    """

    day: FormattedTime
    first: FormattedTime | None
    quiet: str
    cards: tuple[IncidentCard, ...]
    ongoing: tuple[IncidentCard, ...]


class StatusView(NamedTuple):
    """Everything that the status page says.

    Attributes:
        indicator: how bad it is, as the API says it.
        description: the same in words.
        built_at: the instant of the build.
        updated_at: the latest change of anything.
        next_change: the next instant at which the page changes by itself, or None.
        incidents: the unresolved ones.
        active: the maintenances that are running.
        scheduled: the maintenances that have not begun, the next first.
        groups: the components.
        uptime_days: how many days the bars tell of; 0 if no component shows its uptime.
        past: the latest days, the newest first.
        past_days: how many those are.
        calendar: the address of the calendar.
    """

    indicator: str
    description: str
    built_at: FormattedTime
    updated_at: FormattedTime
    next_change: FormattedTime | None
    incidents: tuple[IncidentCard, ...]
    active: tuple[IncidentCard, ...]
    scheduled: tuple[IncidentCard, ...]
    groups: tuple[GroupRow, ...]
    uptime_days: int
    past: tuple[PastDay, ...]
    past_days: int
    calendar: str


class StatusPageInputs(NamedTuple):
    """What the status page is made of besides the page's state.

    Attributes:
        built_at: the build's instant.
        next_change: the next transition after the state's instant.
        uptime_days: how many days the bars tell of.
    """

    built_at: Instant
    next_change: Instant | None
    uptime_days: int


def status_view(
    state: PageState,
    present: StatusPageInputs,
    rows: ComponentRowBuilder,
    cards: IncidentCardBuilder,
    voice: Localization,
) -> StatusView:
    """Return what the status page says at an instant."""
    calendar, texts = voice.calendar, voice.texts
    running = [one for one in state.maintenances if one.status in ACTIVE_STATUSES]
    coming = [one for one in state.maintenances if one.status == "scheduled"]
    unresolved = [one for one in state.incidents if one.status in UNRESOLVED_STATUSES]
    return StatusView(
        indicator=state.overall_status.indicator,
        description=description_of(state.overall_status, texts),
        built_at=calendar.moment(present.built_at),
        updated_at=calendar.moment(state.updated_at),
        next_change=None if present.next_change is None else calendar.moment(present.next_change),
        incidents=tuple(cards.card(one, 4) for one in unresolved),
        active=tuple(cards.card(one, 4) for one in sorted(running, key=_window)),
        scheduled=tuple(cards.card(one, 4) for one in sorted(coming, key=_window)),
        groups=rows.groups(state),
        uptime_days=present.uptime_days,
        past=PastDaysBuilder(cards, voice).days(state),
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
    """Return the page's description in the pages' language; one that an author wrote as it is."""
    key = f"description.{overall_status.description}"
    return texts(key) if texts.has(key) else one_line(overall_status.description)


class PastDaysBuilder:
    """Makes the list of past days."""

    def __init__(self, cards: IncidentCardBuilder, voice: Localization) -> None:
        """Take how to make cards, speak."""
        self._cards = cards
        self._calendar, self._texts = voice.calendar, voice.texts

    def days(self, state: PageState) -> tuple[PastDay, ...]:
        """Return the latest days, the newest first, quiet ones that follow one another as one."""
        today = day_of(state.at, self._calendar.zone)
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
        """Return what ended, and what goes on, by the day it ended or began on."""
        ended: IncidentsByDay = {}
        ongoing: IncidentsByDay = {}
        for one in (*state.maintenances, *state.incidents):
            if one.closed:
                ended.setdefault(day_of(ended_at(one), self._calendar.zone), []).append(one)
            elif one.status in UNRESOLVED_STATUSES:
                began = day_of(one.incident.started_at, self._calendar.zone)
                ongoing.setdefault(began, []).append(one)
        return ended, ongoing

    def _quiet(self, days: list[date], today: date) -> list[PastDay]:
        """Return days on which nothing ended: today by itself, the others as one."""
        runs = [[days[0]], days[1:]] if days[0] == today else [days]
        return [
            PastDay(
                day=self._calendar.weekday(run[0]) if len(run) == 1 else self._calendar.short_day(run[0]),
                first=self._calendar.short_day(run[-1]) if len(run) > 1 else None,
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
            day=self._calendar.weekday(day),
            first=None,
            quiet="",
            cards=tuple(self._cards.card(one, 5) for one in latest_first),
            ongoing=tuple(self._cards.card(one, 5) for one in ongoing),
        )


def ended_at(state: IncidentState) -> Instant:
    """Return when a closed record was over; where no instant says so, its last change."""
    return state.resolved_at or state.updated_at


def _window(state: IncidentState) -> tuple[Instant, str]:
    incident = state.incident
    start = incident.scheduled_for if isinstance(incident, Maintenance) else incident.created_at
    return start, incident.id
