"""The inputs of the status page and of the history's pages."""

from bisect import bisect_right
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from markupsafe import Markup

from statuary.base.primitives import ONE_DAY, Instant, day_of, day_start
from statuary.site.pages.markdown import render_markdown
from statuary.site.pages.page_texts import PageTexts, isolate_text_direction, one_line
from statuary.site.pages.site_context import FormattedTime, Localization, PageHead
from statuary.site.pages.states import IMPACT_STATES, STATUS_STATES
from statuary.site.urls import STATUS_PAGE
from statuary.status.model.incident_history import IncidentHistory, IncidentState, unresolved_worst_first
from statuary.status.model.records import UNKNOWN_CREATION, Maintenance, began_at
from statuary.status.model.timeline import ComponentState, PageState, Timeline
from statuary.status.model.uptime import WINDOW_DAYS, PageUptime
from statuary.status.model.vocabulary import (
    ACTIVE_STATUSES,
    COMPONENT_SEVERITY,
    UNRESOLVED_STATUSES,
    ComponentStatus,
)
from statuary.status.pages.component_rows import ComponentRowBuilder, GroupRow, Link, is_component_shown
from statuary.status.pages.incident_cards import IncidentCard, IncidentCardBuilder
from statuary.status.urls import HISTORY_PAGE, HISTORY_QUARTER_PAGE

PAST_DAYS = 15
"""Days of past incidents, today included: as many as Statuspage shows (6 of 6 pages measured)."""

MAX_NAMED = 3
"""The largest number of components that a sentence names for each status."""


class DueUpdate(NamedTuple):
    """The announced time of the next update."""

    incident: str  # the id of the incident
    key: str  # the key of the text that shows the time
    at: FormattedTime


class StatusSummary(NamedTuple):
    """The sentences at the top of the status page.

    Attributes:
        rest: the names of all other statuses, with links to their components; empty if the settings give the
            page a description.
    """

    state: str  # the worst status of a component, as pages show it
    headline: str  # the name of the worst status; the description of the page's status if all is operational
    rest: Markup = Markup()
    since: FormattedTime | None = None  # the time when the worst status began; None if no change is known
    due: DueUpdate | None = None  # the update that is promised next


class StatusView(NamedTuple):
    """The values that the template of the status page needs.

    Attributes:
        updated_at: the time of the latest change; None if nothing has happened and the page's age is unknown.
    """

    answer: StatusSummary
    updated_at: FormattedTime | None
    next_change: FormattedTime | None  # the next instant at which the page changes without a new build
    incidents: tuple[IncidentCard, ...]  # unresolved, the worst first
    active: tuple[IncidentCard, ...]
    scheduled: tuple[IncidentCard, ...]
    groups: tuple[GroupRow, ...]
    about: Markup  # the purpose of the site; empty if it is not set
    uptime_days: int  # the number of days that the bars show; 0 without bars
    first_day: FormattedTime
    last_day: FormattedTime
    past: tuple[IncidentCard, ...]  # closed records of the past days, newest first
    past_days: int


def status_view(
    state: PageState,
    uptime: PageUptime,
    rows: ComponentRowBuilder,
    cards: IncidentCardBuilder,
    localization: Localization,
) -> StatusView:
    """Collect the values that the template of the status page shows.

    Args:
        state: the page at some time.
        uptime: the uptime of each component at that time.
        rows: builds the rows of components.
        cards: builds the cards of incidents.
        localization: the language, and the format of times.
    """
    dates = localization.dates

    def cards_with_status(
        incidents: Iterable[IncidentState], statuses: Container[str]
    ) -> tuple[IncidentCard, ...]:
        return cards.list_of(record for record in incidents if record.status in statuses)

    maintenances = sorted(state.maintenances, key=lambda record: (_start_time(record), record.incident.id))
    steps = [at for window in maintenances if (at := _next_automatic_step(window)) and at > state.at]
    return StatusView(
        answer=summarize_status(state, localization),
        updated_at=None if state.updated_at == UNKNOWN_CREATION else dates.moment(state.updated_at),
        next_change=dates.moment(min(steps)) if steps else None,
        incidents=cards_with_status(unresolved_worst_first(state.incidents), UNRESOLVED_STATUSES),
        active=cards_with_status(maintenances, ACTIVE_STATUSES),
        scheduled=cards_with_status(maintenances, {"scheduled"}),
        groups=rows.group_rows(state),
        about=render_markdown(state.page.about or "", 2),
        uptime_days=WINDOW_DAYS if uptime.components else 0,
        first_day=dates.short_day(uptime.first_day),
        last_day=dates.short_day(uptime.last_day),
        past=cards.list_of(recently_closed_records(state, dates.zone), past=True),
        past_days=PAST_DAYS,
    )


def status_page_head(view: StatusView, name: str, texts: PageTexts) -> PageHead:
    """Return title, description and path of the status page.

    Args:
        view: the values that the page shows.
        name: the name of the site.
        texts: the translated texts of pages.
    """
    headline, rest = view.answer.headline, view.answer.rest.striptags()
    return PageHead(
        path=STATUS_PAGE.path(),
        title=headline,
        # Chat programs show this description in the preview of a link, so name every problem in it.
        description=f"{texts('status.sentence', clauses=headline)} {rest}"
        if rest
        else texts("status.page", description=headline, name=name),
        section="status",
        state=view.answer.state,
        timed=True,
    )


def summarize_status(state: PageState, localization: Localization) -> StatusSummary:
    """Describe the status of the page in a few sentences.

    The sentences say what is wrong, since when, and when the next update is due, beginning with the worst. If
    the settings give the page a description or an indicator, these replace the sentences.

    Args:
        state: the page as of a time.
        localization: the language, and the format of times.
    """
    texts, overall = localization.texts, state.overall_now
    description = one_line(overall.description)  # one from the settings stays as it is
    answer = StatusSummary(
        state=IMPACT_STATES[overall.indicator],
        headline=texts.by_key.get(f"description.{overall.description}", description),
        due=_due_update(state, localization),
    )
    if state.page.description or state.page.indicator:
        return answer
    if not (state.components or state.incidents):
        return answer._replace(state="none", headline=texts("status.nothing"))
    return _with_component_names(answer, state, localization)


def _with_component_names(
    summary: StatusSummary, state: PageState, localization: Localization
) -> StatusSummary:
    """Add the names of components that are not operational to a summary."""
    texts = localization.texts
    by_status = _leaves_by_status(state)
    calm = len(by_status.pop("operational", ()))
    if not by_status:
        if not calm or state.overall_now.indicator == "none":
            return summary  # the headline already names the components
        return summary._replace(rest=Markup.escape(texts.count("status.all_calm", calm)))
    (worst, leaves), *other_statuses = by_status.items()
    instants = [began for leaf in leaves if (began := _status_start(leaf, state.incidents)) is not None]
    names = [Markup.escape(isolate_text_direction(one_line(leaf.component.name))) for leaf in leaves]
    return summary._replace(
        state=STATUS_STATES[worst],
        headline=_status_clause(worst, names, texts).unescape(),
        rest=_sentences_about_other_statuses(other_statuses, calm, texts),
        since=localization.dates.moment(min(instants)) if instants else None,
    )


def _status_start(leaf: ComponentState, incidents: Iterable[IncidentState]) -> Instant | None:
    """Return the time from which a component has its status.

    If an incident's first update set the status, that is the start of the incident, even if the update is later.
    """
    since, cause = leaf.now.since, leaf.now.cause
    if since is None or cause is None:
        return since
    for state in incidents:
        if state.incident.id == cause.record_id and not isinstance(state.incident, Maintenance):
            is_first = state.published_updates[-1].published_at == since
            return min(since, state.incident.started_at) if is_first else since
    return since


def _leaves_by_status(state: PageState) -> dict[ComponentStatus, list[ComponentState]]:
    by_status: dict[ComponentStatus, list[ComponentState]] = {}
    for leaf in state.components.values():
        if not leaf.component.group and is_component_shown(leaf):
            by_status.setdefault(leaf.now.status, []).append(leaf)
    unresolved_worst_first = sorted(by_status, key=COMPONENT_SEVERITY.__getitem__, reverse=True)
    return {status: by_status[status] for status in unresolved_worst_first}


def _due_update(state: PageState, localization: Localization) -> DueUpdate | None:
    for incident in unresolved_worst_first(state.incidents):
        if incident.next_update_by is not None:
            key = "status.was_due" if incident.is_overdue else "status.due"
            return DueUpdate(incident.incident.id, key, localization.dates.moment(incident.next_update_by))
    return None


def _sentences_about_other_statuses(
    other_statuses: Sequence[tuple[ComponentStatus, Sequence[ComponentState]]],
    operational_count: int,
    texts: PageTexts,
) -> Markup:
    clauses = [
        _status_clause(status, [_component_link(leaf) for leaf in states], texts)
        for status, states in other_statuses
    ]
    sentences = (
        [texts.markup("status.sentence", clauses=_enumerate_in_words(clauses, texts))] if clauses else []
    )
    if operational_count:
        sentences.append(Markup.escape(texts.count("status.others_calm", operational_count)))
    return Markup(" ").join(sentences)


def _status_clause(status: ComponentStatus, names: Sequence[Markup], texts: PageTexts) -> Markup:
    """Name the components that have a status.

    For example: `RPC is down`, `North, South and 3 more are degraded`.
    """
    number = "one" if len(names) == 1 else "other"
    if len(names) > MAX_NAMED:
        first_names = Markup.escape(texts("page.comma")).join(names[: MAX_NAMED - 1])
        hidden_count = len(names) - MAX_NAMED + 1
        text = texts.markup(
            f"status.affected.more.{'one' if hidden_count == 1 else 'other'}",
            count=texts.number(hidden_count),
            names=first_names,
        )
    else:
        text = _enumerate_in_words(names, texts)
    return texts.markup(f"status.affected.{status}.{number}", names=text)


def _enumerate_in_words(parts: Sequence[Markup], texts: PageTexts) -> Markup:
    if len(parts) == 1:
        return parts[0]
    return texts.markup(
        "status.affected.and", names=Markup.escape(texts("page.comma")).join(parts[:-1]), last=parts[-1]
    )


def _component_link(state: ComponentState) -> Markup:
    return Markup('<a href="#component-{}">{}</a>').format(
        state.component.id, isolate_text_direction(one_line(state.component.name))
    )


def recently_closed_records(state: PageState, zone: ZoneInfo) -> list[IncidentState]:
    """Return the incidents and windows of the past days that have ended.

    They began, or were cancelled before their start, on one of the last `PAST_DAYS` days. The newest is
    first.

    Args:
        state: the page as of a time, which is on the last of these days.
        zone: the time zone of the days.
    """
    earliest = day_of(state.at, zone).toordinal() - PAST_DAYS
    over = (record for record in recent_records(state, zone) if record.closed)
    recent = [record for record in over if day_of(_sorting_time(record), zone).toordinal() > earliest]
    return sorted(recent, key=_sorting_time, reverse=True)


def recent_records(state: PageState, zone: ZoneInfo) -> list[IncidentState]:
    """Return the incidents and windows of a day and the `PAST_DAYS` days before.

    A window cancelled before its start belongs to the day of the cancellation, the others to that of their start.

    Args:
        state: the page at some time of the day.
        zone: the time zone of the days.
    """
    earliest = day_start(day_of(state.at, zone) - PAST_DAYS * ONE_DAY, zone)
    records = (record for record in state.incidents + state.maintenances if record.status != "scheduled")
    return [record for record in records if _sorting_time(record) > earliest]


def _sorting_time(state: IncidentState) -> Instant:
    """Return the time by which lists of past days sort a record.

    It is the start, or the time of a cancellation before the start.
    """
    began = began_at(state.incident)
    return min(began, state.resolved_at or began)


def _start_time(state: IncidentState) -> Instant:
    incident = state.incident
    return incident.scheduled_for if isinstance(incident, Maintenance) else incident.created_at


def _next_automatic_step(record: IncidentState) -> Instant | None:
    window = record.incident
    if record.closed or not isinstance(window, Maintenance):
        return None
    if record.status == "scheduled":
        return window.scheduled_for if window.automation.scheduled_auto_in_progress else None
    return window.scheduled_until if window.automation.scheduled_auto_completed else None


Quarter = tuple[int, int]
"""A year, and the number of its quarter, from 1."""

LATEST_MONTHS = 3
"""Months on the first page, the present one included: as many as Statuspage shows."""


class HistoryMonth(NamedTuple):
    """A month on a history page, with its incidents and maintenance windows."""

    month: FormattedTime
    cards: tuple[IncidentCard, ...]  # the incidents and maintenances that began in it, newest first


class HistoryView(NamedTuple):
    """The values that the template of a history page needs.

    Attributes:
        quarters: all quarters, newest first; only the first page lists them, so that a new quarter changes
            one page.
    """

    title: str
    months: tuple[HistoryMonth, ...]  # newest first
    quarters: tuple[Link, ...] = ()
    newer: Link | None = None
    older: Link | None = None


class RecordsByQuarter:
    """Groups incidents by the quarter in which they began."""

    def __init__(self, timeline: Timeline, zone: ZoneInfo) -> None:
        self._histories: dict[Quarter, list[IncidentHistory]] = {}
        for history in sorted(
            timeline.histories, key=lambda history: (began_at(history.incident), history.incident.id)
        ):
            year, month = _local_month_of(began_at(history.incident), zone)
            self._histories.setdefault((year, (month + 2) // 3), []).append(history)
        self._records: dict[Quarter, tuple[int, tuple[IncidentState, ...]]] = {}
        self._changes = {
            quarter: sorted(at for history in histories for at in history.change_instants)
            for quarter, histories in self._histories.items()
        }

    def records_begun_by(self, instant: Instant) -> dict[Quarter, tuple[IncidentState, ...]]:
        """Return the incidents that have begun by a time, grouped by quarter.

        The newest quarter and its newest incident come first. If the incidents of a quarter have not changed,
        an earlier call's tuple is returned again.
        """
        begun = {
            quarter: self._records_of_quarter(quarter, instant)
            for quarter in sorted(self._histories, reverse=True)
        }
        return {quarter: records for quarter, records in begun.items() if records}

    def is_unchanging_after(self, quarter: Quarter, instant: Instant) -> bool:
        """Return whether a quarter's incidents no longer change after a time.

        Maintenance windows are considered, too.

        Args:
            quarter: the year and the number of the quarter.
            instant: the time.
        """
        return all(history.is_unchanging_after(instant) for history in self._histories[quarter])

    def _records_of_quarter(self, quarter: Quarter, instant: Instant) -> tuple[IncidentState, ...]:
        passed = bisect_right(self._changes[quarter], instant)
        previous = self._records.get(quarter)
        if previous is None or previous[0] != passed:
            states = (history.state_at(instant) for history in reversed(self._histories[quarter]))
            begun = tuple(state for state in states if state is not None and state.status != "scheduled")
            previous = self._records[quarter] = passed, begun
        return previous[1]


class _Month(NamedTuple):
    year: int
    month: int


@lru_cache(maxsize=65_536)
def _local_month_of(at: Instant, zone: ZoneInfo) -> _Month:
    local = at.astimezone(zone)
    return _Month(local.year, local.month)


class HistoryViewBuilder:
    """Collects the values that the templates of history pages need."""

    def __init__(self, cards: IncidentCardBuilder, localization: Localization) -> None:
        self._cards = cards
        self._dates, self._texts = localization.dates, localization.texts
        self._months: dict[tuple[int, int], tuple[Sequence[IncidentState], HistoryMonth]] = {}

    def latest_view(self, quarters: Mapping[Quarter, Sequence[IncidentState]], at: Instant) -> HistoryView:
        """Collect the values of the history page, which shows the latest months.

        Args:
            quarters: the incidents by quarter.
            at: the time of the page.
        """
        today = at.astimezone(self._dates.zone)
        months = [_months_before(today.year, today.month, back) for back in range(LATEST_MONTHS)]
        year_before, month_before = _months_before(today.year, today.month, LATEST_MONTHS)
        last_quarter = year_before, (month_before + 2) // 3
        return HistoryView(
            title=self._texts("history.title"),
            months=tuple(
                self._history_month((year, month), quarters.get((year, (month + 2) // 3), ()))
                for year, month in months
            ),
            quarters=tuple(Link(self._quarter_title(quarter), quarter_path(quarter)) for quarter in quarters),
            older=self._quarter_link(
                next((quarter for quarter in quarters if quarter <= last_quarter), None)
            ),
        )

    def quarter_view(
        self, quarters: Mapping[Quarter, Sequence[IncidentState]], quarter: Quarter
    ) -> HistoryView:
        """Collect the values of the history page for one quarter of a year.

        Args:
            quarters: the incidents of all quarters, newest quarter first.
            quarter: the quarter of the page.
        """
        year, number = quarter
        order = list(quarters)
        place = order.index(quarter)
        months = [(year, month) for month in range(number * 3, number * 3 - 3, -1)]
        views = [self._history_month(month, quarters[quarter]) for month in months]
        return HistoryView(
            title=self._quarter_title(quarter),
            months=tuple(view for view in views if view.cards),
            newer=(
                self._quarter_link(order[place - 1])
                if place
                else Link(self._texts("history.latest"), HISTORY_PAGE.path())
            ),
            older=self._quarter_link(order[place + 1] if place + 1 < len(order) else None),
        )

    def head(self, view: HistoryView, path: str, name: str) -> PageHead:
        """Return title, description and path of a history page.

        Args:
            view: the values that the page shows.
            path: the path of the page in the site.
            name: the name of the site.
        """
        description = self._texts("history.page", name=name)
        return PageHead(path=path, title=view.title, description=description, section="history", timed=True)

    def _history_month(self, month: tuple[int, int], states: Sequence[IncidentState]) -> HistoryMonth:
        previous = self._months.get(month)
        if previous is None or previous[0] != states:
            zone = self._dates.zone
            of_month = [state for state in states if _local_month_of(began_at(state.incident), zone) == month]
            cards = tuple(map(self._cards.past_card, of_month))
            previous = self._months[month] = states, HistoryMonth(self._dates.month(*month), cards)
        return previous[1]

    def _quarter_link(self, quarter: Quarter | None) -> Link | None:
        return None if quarter is None else Link(self._quarter_title(quarter), quarter_path(quarter))

    def _quarter_title(self, quarter: Quarter) -> str:
        return self._texts("history.quarter", year=quarter[0], quarter=quarter[1])


def quarter_path(quarter: Quarter) -> str:
    """Return the path, in the site, of a quarter's history page."""
    return HISTORY_QUARTER_PAGE.path(quarter=f"{quarter[0]}-q{quarter[1]}")


def _months_before(year: int, month: int, month_count: int) -> _Month:
    number = year * 12 + month - 1 - month_count
    return _Month(number // 12, number % 12 + 1)
