"""Render the status pages at any instant, and reuse unchanged ones."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from statuary.base.primitives import Instant
from statuary.site.document import Document
from statuary.site.pages.page_parts import PreviousVersion
from statuary.site.pages.page_texts import PageTexts
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import PageHead, SiteContext
from statuary.site.urls import STATUS_PAGE
from statuary.status.model.downtime import DateRange, DowntimeByDay
from statuary.status.model.incident_history import IncidentState
from statuary.status.model.timeline import (
    PageState,
    Timeline,
    incident_states_at,
    page_state_at,
    page_states_from,
)
from statuary.status.model.uptime import PageUptime, page_uptime
from statuary.status.pages.component_rows import (
    ComponentRow,
    ComponentRowBuilder,
    DowntimeDays,
    is_component_shown,
)
from statuary.status.pages.incident_cards import IncidentCard, IncidentCardBuilder, IncidentCourse
from statuary.status.pages.status_page import (
    HistoryViewBuilder,
    Quarter,
    RecordsByQuarter,
    StatusSummary,
    quarter_path,
    recent_records,
    status_page_head,
    status_view,
    summarize_status,
)
from statuary.status.pages.uptime_page import DowntimeByComponent, UptimeMonth, UptimeViewBuilder
from statuary.status.urls import HISTORY_PAGE, HISTORY_QUARTER_PAGE, INCIDENT, INCIDENT_PAGE, UPTIME_PAGE


class IncidentView(NamedTuple):
    """The inputs of the template for an incident's page."""

    card: IncidentCard
    course: IncidentCourse | None
    json: str  # the document of the incident, relative to the site's root


def incident_page_head(card: IncidentCard, name: str, texts: PageTexts) -> PageHead:
    """Return title, description and path of an incident's page.

    Args:
        card: the incident as pages show it.
        name: the name of the site.
        texts: the translated texts of pages.
    """
    return PageHead(
        path=INCIDENT_PAGE.path(incident_id=card.id),
        title=card.name,
        description=" · ".join(
            filter(None, (card.impact_label, card.label, texts("page.comma").join(card.components), name))
        ),
        section="history",
        state=card.state if not card.closed else "ok",
        timed=not card.closed,
    )


def _neighbouring_quarters(quarters: list[Quarter], quarter: Quarter) -> list[Quarter]:
    place = quarters.index(quarter)
    return quarters[max(place - 1, 0) : place + 2]


class StartedQuarters(NamedTuple):
    """Incidents by quarter, and the quarters whose pages can no longer change."""

    records: Mapping[Quarter, Sequence[IncidentState]]
    final: list[Quarter]


class StatusPages:
    """Renders the HTML pages of the status for any time."""

    def __init__(
        self,
        timeline: Timeline,
        site: SiteContext,
        previous_versions: Mapping[str, Sequence[PreviousVersion]] | None = None,
    ) -> None:
        """Prepare the pages of a timeline.

        Args:
            timeline: the status over time; it must extend to each instant that is asked for.
            site: the settings that all pages share.
            previous_versions: earlier versions of updates, by update id.
        """
        self._timeline = timeline
        self.site = site
        self.previous_versions = previous_versions or {}
        self._renderer = renderer_of(site)
        self._localization = self._renderer.localization
        current_components = [
            component for component in timeline.catalogue.components if not component.removed
        ]
        self._groups = {component.id: component for component in current_components if component.group}
        self._cards = IncidentCardBuilder(self._localization, current_components, self.previous_versions)
        self._days = DowntimeDays(self._localization)
        texts = self._localization.texts
        self._weekdays = tuple(
            (texts(f"weekday_short.{day}"), texts(f"weekday.{day}")) for day in range(1, 8)
        )
        self._rows: dict[str, tuple[object, ComponentRow]] = {}
        self._uptimes = UptimeViewBuilder(self._localization, self._days, self._month_table)
        self._histories = HistoryViewBuilder(self._cards, self._localization)
        self._downtimes = DowntimeByDay(timeline)
        self._records_by_quarter = RecordsByQuarter(timeline, self._localization.dates.zone)
        self._incidents: dict[IncidentState, Document] = {}
        self._quarters: dict[Quarter, tuple[object, Document]] = {}
        self._latest: tuple[object, Document] | None = None

    def summary(self, state: PageState) -> StatusSummary:
        """Return the sentences at the top of the status page."""
        return summarize_status(state, self._localization)

    def documents_at(self, at: Instant) -> list[Document]:
        """Make all pages of the status as of a given time."""
        final = (
            history.final_state for history in self._timeline.histories if history.is_unchanging_after(at)
        )
        incidents = [self.incident_page(record) for record in final if record is not None]
        quarters = [self.quarter_page(quarter, at) for quarter in self.started_quarters(at).final]
        return [*self.documents_from(at)(at), *incidents, *quarters]

    def started_quarters(self, start: Instant) -> "StartedQuarters":
        """Return the quarters with incidents, and those of them that no longer change.

        Args:
            start: the time after which a quarter must not change to be among the second ones.
        """
        begun = self._records_by_quarter.records_begun_by(start)
        # The page of a quarter links to its two neighbours, so the page changes when a neighbour gets its
        # first incident.
        later_records = list(self._records_by_quarter.records_begun_by(self._timeline.until))
        is_same = {
            quarter: _neighbouring_quarters(list(begun), quarter)
            == _neighbouring_quarters(later_records, quarter)
            for quarter in begun
        }
        final = [
            quarter
            for quarter in begun
            if is_same[quarter] and self._records_by_quarter.is_unchanging_after(quarter, start)
        ]
        return StartedQuarters(begun, final)

    def records_in_changing_documents(self, start: Instant) -> list[IncidentState]:
        """Return the incidents on history pages that may still change.

        A history page may change if one of its incidents does, or if a later incident begins another quarter.

        Args:
            start: the time, usually that of the build.
        """
        begun, final = self.started_quarters(start)
        return [record for quarter, records in begun.items() if quarter not in final for record in records]

    def documents_from(self, earliest_time: Instant) -> Callable[[Instant], list[Document]]:
        """Return a function that makes the status pages for a given time.

        The function skips pages that can no longer change after `earliest_time`. At a time when no status
        changes (a midnight, or each hour of an outage), it makes only pages that show uptime and past days.
        On the first day of a month, it also makes the history.

        Args:
            earliest_time: the earliest time that the function is called with.
        """
        opened = [
            history for history in self._timeline.histories if not history.is_unchanging_after(earliest_time)
        ]
        turns = (earliest_time, *self._timeline.change_times, *self._timeline.deadlines)
        zone = self._localization.dates.zone
        changes = frozenset(turns)
        states = page_states_from(
            self._timeline, earliest_time, recent_records(page_state_at(self._timeline, earliest_time), zone)
        )
        final = self.started_quarters(earliest_time)

        def documents_at(at: Instant) -> list[Document]:
            current_pages = self._current_pages(states(at))
            if at in changes:
                records = incident_states_at(opened, at)
                quarters = [
                    quarter
                    for quarter in self._records_by_quarter.records_begun_by(at)
                    if quarter not in final.final
                ]
                pages = [self.quarter_page(quarter, at) for quarter in quarters]
                return [*current_pages, self._latest_history(at), *pages, *map(self.incident_page, records)]
            if at.astimezone(zone).day == 1:
                return [*current_pages, self._latest_history(at)]
            return [*current_pages]

        return documents_at

    def stale_pages_at(self, until: Instant) -> list[Document]:
        """Return the main pages with a notice that they are outdated.

        Visitors see these pages if no build follows in time.

        Args:
            until: the time up to which the last build precomputed the pages.
        """
        state = page_state_at(self._timeline, until)
        stale = self._localization.texts("page.stale", until=self._localization.dates.moment(until).text)
        return [*self._current_pages(state, stale), self._latest_history(until, stale)]

    def _current_pages(self, state: PageState, stale: str = "") -> Iterator[Document]:
        uptime = page_uptime(self._timeline, state.at)
        days = DateRange(uptime.first_day, uptime.last_day, state.at, uptime.as_of)
        downtimes = {
            component.component.id: self._downtimes.downtimes_of(component.component.id, days)
            for component in uptime.components
        }
        yield self._status_page(state, uptime, downtimes, stale)
        components = [
            component
            for component in uptime.components
            if is_component_shown(state.components[component.component.id])
        ]
        uptime = uptime._replace(components=tuple(components))
        view = self._uptimes.view(uptime, days, downtimes, self._groups)
        head = self._uptimes.head(self.site.name)._replace(stale=stale)
        yield self._renderer.page(UPTIME_PAGE, "uptime.html", head, view)

    def _status_page(
        self, state: PageState, uptime: PageUptime, downtimes: DowntimeByComponent, stale: str
    ) -> Document:
        rows = ComponentRowBuilder(self._localization, uptime, downtimes, self._days, self._rows)
        view = status_view(state, uptime, rows, self._cards, self._localization)
        head = status_page_head(view, self.site.name, self._localization.texts)._replace(stale=stale)
        return self._renderer.page(STATUS_PAGE, "status.html", head, view)

    def _month_table(self, month: UptimeMonth, name: str) -> Markup:
        return self._renderer.fragment("month.html", month=month, name=name, weekdays=self._weekdays)

    def quarter_page(self, quarter: Quarter, at: Instant) -> Document:
        """Return the page with the incidents of a quarter of a year."""
        quarters = self._records_by_quarter.records_begun_by(at)
        previous = self._quarters.get(quarter)
        basis = (quarters[quarter], _neighbouring_quarters(list(quarters), quarter))
        if previous is None or previous[0] != basis:
            view = self._histories.quarter_view(quarters, quarter)
            head = self._histories.head(view, quarter_path(quarter), self.site.name)
            page = self._renderer.page(HISTORY_QUARTER_PAGE, "history.html", head, view)
            previous = self._quarters[quarter] = basis, page
        return previous[1]

    def _latest_history(self, at: Instant, stale: str = "") -> Document:
        quarters = self._records_by_quarter.records_begun_by(at)
        today = at.astimezone(self._localization.dates.zone)
        basis = quarters, today.year, today.month, stale
        if self._latest is None or self._latest[0] != basis:
            view = self._histories.latest_view(quarters, at)
            head = self._histories.head(view, HISTORY_PAGE.path(), self.site.name)._replace(stale=stale)
            self._latest = basis, self._renderer.page(HISTORY_PAGE, "history.html", head, view)
        return self._latest[1]

    def incident_page(self, record: IncidentState) -> Document:
        """Return the page of an incident or maintenance window."""
        page = self._incidents.get(record)
        if page is None:
            card = self._cards.card(record, 3)
            head = incident_page_head(card, self.site.name, self._localization.texts)
            view = IncidentView(card, self._cards.course_diagram(record), INCIDENT.path(incident_id=card.id))
            sources = (record.incident.source,)
            page = self._renderer.page(INCIDENT_PAGE, "incident.html", head, view, sources=sources)
            self._incidents[record] = page
        return page
