"""The status page: current status, incidents, maintenances, components, and past incidents."""

from collections.abc import Container, Iterable, Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple
from zoneinfo import ZoneInfo

from markupsafe import Markup

from statuary.documents.pages.dates import FormattedTime, Localization
from statuary.documents.pages.markdown import render_markdown
from statuary.documents.pages.page_texts import PageTexts
from statuary.documents.pages.site_context import PageHead
from statuary.documents.pages.status.component_rows import ComponentRowBuilder, GroupRow
from statuary.documents.pages.status.incident_cards import IncidentCard, IncidentCardBuilder, began_at
from statuary.documents.pages.visible_text import one_line
from statuary.documents.url_table import STATUS_PAGE
from statuary.domain.primitives import Instant
from statuary.domain.status.calendar_days import ONE_DAY, day_of, day_start
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.overall_status import OverallStatus
from statuary.domain.status.page import UNKNOWN_CREATION
from statuary.domain.status.page_state import PageState
from statuary.domain.status.vocabulary import ACTIVE_STATUSES, IMPACT_SEVERITY, UNRESOLVED_STATUSES

PAST_DAYS = 15
"""Days of past incidents, today included: as many as Statuspage shows (6 of 6 pages measured)."""


class PastDay(NamedTuple):
    """A day with the incidents and maintenances that began on it, or several days without any."""

    day: FormattedTime  # the day, or the latest of several
    first: FormattedTime | None  # the earliest of several; None for one day
    cards: tuple[IncidentCard, ...]  # newest first


class StatusView(NamedTuple):
    """The content of the status page."""

    indicator: str
    description: str  # the indicator in words
    built_at: FormattedTime
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
    incidents, indicator = of(state.incidents, UNRESOLVED_STATUSES), state.overall_status.indicator
    return StatusView(
        indicator=indicator,
        description=description_of(state.overall_status, texts),
        built_at=dates.moment(present.built_at),
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
        begun: dict[date, list[IncidentState]] = {}
        for one in past_records(state, self._dates.zone):
            begun.setdefault(day_of(_filed_at(one), self._dates.zone), []).append(one)
        days = [date.fromordinal(today.toordinal() - back) for back in range(PAST_DAYS)]
        found: list[PastDay] = []
        for is_quiet, run in groupby(days, key=lambda day: day not in begun):
            if is_quiet:
                found += self._quiet(list(run), today)
            else:
                found += [self._day(day, begun[day]) for day in run]
        return tuple(found)

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
        latest_first = sorted(begun, key=_filed_at, reverse=True)
        cards = tuple(self._cards.card(one, 5) for one in latest_first)
        return PastDay(day=self._dates.weekday(day), first=None, cards=cards)


def past_records(state: PageState, zone: ZoneInfo) -> list[IncidentState]:
    """Return the incidents and maintenances of the past days, and some of the day before."""
    earliest = day_start(day_of(state.at, zone) - PAST_DAYS * ONE_DAY, zone)
    records = (one for one in state.incidents + state.maintenances if one.status != "scheduled")
    return [one for one in records if _filed_at(one) > earliest]


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
