"""All status documents at one instant.

Lists show every component as it is at that instant. The document of a closed incident shows the page and its
components as of its last change, so that it is written once and never changes.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple

from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.status_api import listed_records
from statuary.documents.status_api.archive_documents import (
    ArchiveYear,
    CreationYears,
    archive_document,
    archives_document,
    by_year,
)
from statuary.documents.status_api.json_members import (
    EncodedJson,
    Members,
    component_members,
    components_of,
    incident_members,
    page_members,
    status_members,
)
from statuary.documents.status_api.timestamps import TimestampFormatter
from statuary.documents.status_api.uptime_document import uptime_document, uptime_schema_document
from statuary.documents.url import Url
from statuary.documents.url_table import (
    COMPONENTS,
    INCIDENT,
    INCIDENTS,
    INCIDENTS_UNRESOLVED,
    MAINTENANCES,
    MAINTENANCES_ACTIVE,
    MAINTENANCES_UPCOMING,
    STATUS,
    SUMMARY,
)
from statuary.domain.primitives import Instant
from statuary.domain.status.calendar_days import ONE_DAY, midnights
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.page import StatusSettings
from statuary.domain.status.page_state import PageState
from statuary.domain.status.status_catalogue import StatusCatalogue
from statuary.domain.status.timeline import (
    Timeline,
    build_timeline,
    component_at,
    state_at,
    transitions,
    updated_at,
)
from statuary.domain.status.uptime import has_ongoing_outage, hours_of_outage, page_uptime

RESOLUTION = timedelta(microseconds=1)
"""Of instants."""


def build_status_documents(
    catalogue: StatusCatalogue, at: Instant, settings: StatusSettings
) -> "StatusDocuments":
    """Return the status documents of a catalogue from a build's instant to the horizon."""
    return StatusDocuments(build_timeline(catalogue, horizon_after(at, catalogue, settings)), settings)


def horizon_after(at: Instant, catalogue: StatusCatalogue, settings: StatusSettings) -> Instant:
    """Return up to when documents are written: the midnight after the horizon, so that builds of a day agree."""
    if not settings.horizon:
        return at
    least = at + settings.horizon
    following = midnights(catalogue.page.time_zone, Instant(least - RESOLUTION), Instant(least + 2 * ONE_DAY))
    return next(following)


class StatusDocumentContext(NamedTuple):
    """The `page` member and the objects of its components, by id, at one instant."""

    page: Members
    components: dict[str, Members]


class EncodedRecord(NamedTuple):
    """A record and the `page` member as of its last change."""

    page: EncodedJson
    incident: EncodedJson


class StatusDocuments:
    """The status documents of a timeline at any instant; those that do not change are made once."""

    def __init__(self, timeline: Timeline, settings: StatusSettings) -> None:
        """Use a timeline that extends at least to the latest instant of any document."""
        self.timeline = timeline
        self.settings = settings
        self._page = timeline.catalogue.page
        self._timestamps = TimestampFormatter(self._page.time_zone)
        self._positions = {component.id: position for position, component in enumerate(timeline.by_position)}
        self._on_page = {c.id: c for c in timeline.catalogue.components if not c.removed}
        self._groups = [c for c in timeline.by_position if c.group and not c.removed]
        self._closed: dict[IncidentState, Document] = {}
        self._members: dict[IncidentState, Members] = {}
        self._encoded: dict[IncidentState, EncodedRecord] = {}
        self._years = CreationYears(self._page.time_zone)
        self._archived: dict[int, tuple[ArchiveYear, Document]] = {}

    def documents_at(self, at: Instant) -> list[Document]:
        """Return every status document at an instant."""
        state = state_at(self.timeline, at)
        documents = self._changing(state, state)
        if self.settings.uptime:
            documents.append(uptime_schema_document())
        return documents

    def later_documents(self, start: Instant) -> Callable[[Instant], list[Document]]:
        """Return a function that gives, for an instant from `start` on, the documents that may have changed.

        These exclude the documents of records that are closed by `start`, and at an instant without a change (a
        midnight, an hour of an outage) all but the uptime: so the cost of epochs does not depend on the history.
        """
        changes = frozenset((start, *self.timeline.changes))
        open_ids = frozenset(
            history.incident.id for history in self.timeline.histories if not history.is_final_by(start)
        )

        def documents_at(at: Instant) -> list[Document]:
            if at not in changes:
                return self._uptime(at, self._page_at(at)) if self.settings.uptime else []
            state = state_at(self.timeline, at)
            return self._changing(state, state.only(open_ids))

        return documents_at

    def transitions(self, at: Instant, *, days: bool = False) -> list[Instant]:
        """Return the instants after `at`, up to the horizon, at which a document may change.

        Args:
            at: before the first instant.
            days: include midnights even without uptime, for pages that show days.
        """
        horizon = horizon_after(at, self.timeline.catalogue, self.settings)
        found = transitions(self.timeline, at, horizon, days=days or self.settings.uptime)
        hours = hours_of_outage(self.timeline, at, horizon) if self.settings.uptime else []
        return sorted({*found, *hours})

    def unchanged_since(self, at: Instant, *, days: bool = False) -> Instant:
        """Return since when every document reads as it does at an instant, as far as that is known.

        Args:
            at: the instant.
            days: whether something shows days, as for `transitions`.
        """
        passed = bisect_right(self.timeline.changes, at)
        found = {*self.timeline.changes[:passed][-1:]}
        if days or self.settings.uptime:
            if has_ongoing_outage(self.timeline, at):
                return at
            found.update(midnights(self._page.time_zone, Instant(at - 2 * ONE_DAY), at))
        return max(found, default=at)

    def _changing(self, state: PageState, records: PageState) -> list[Document]:
        """Return the lists of a state, and the documents and archives of some of its records."""
        context = self._context(state)
        documents = [*self._lists(state, context), *self._incident_documents(records, context)]
        if self.settings.archives:
            documents += self._archives(state, records)
        if self.settings.uptime:
            documents += self._uptime(state.at, context.page)
        return documents

    def _uptime(self, at: Instant, page: Members) -> list[Document]:
        return [uptime_document(page, page_uptime(self.timeline, at), self._groups, self._timestamps)]

    def _lists(self, state: PageState, context: StatusDocumentContext) -> Iterator[Document]:
        """Yield the documents without a record of their own, members in Statuspage's order."""
        status = status_members(state.overall_status)
        components = list(context.components.values())
        made: dict[IncidentState, Members] = {}

        def objects(records: Sequence[IncidentState]) -> list[Members]:
            made.update({one: self._incident(one, context) for one in records if one not in made})
            return [made[record] for record in records]

        unresolved = objects(listed_records.unresolved(state.incidents))
        cap = self.settings.cap
        yield _document(
            SUMMARY,
            context,
            components=components,
            incidents=unresolved,
            scheduled_maintenances=objects(listed_records.announced(state.maintenances)),
            status=status,
        )
        yield _document(STATUS, context, status=status)
        yield _document(COMPONENTS, context, components=components)
        yield _document(INCIDENTS, context, incidents=objects(listed_records.latest(state.incidents, cap)))
        yield _document(INCIDENTS_UNRESOLVED, context, incidents=unresolved)
        for url, records in (
            (MAINTENANCES, listed_records.latest(state.maintenances, cap)),
            (MAINTENANCES_UPCOMING, listed_records.upcoming(state.maintenances)),
            (MAINTENANCES_ACTIVE, listed_records.active(state.maintenances)),
        ):
            yield _document(url, context, scheduled_maintenances=objects(records))

    def _incident_documents(self, state: PageState, context: StatusDocumentContext) -> Iterator[Document]:
        for record in (*state.incidents, *state.maintenances):
            yield self._closed_document(record) if record.closed else self._open_document(record, context)

    def _open_document(self, record: IncidentState, context: StatusDocumentContext) -> Document:
        incident = encode_json(self._incident(record, context))
        return _incident_document(record, encode_json(context.page), incident)

    def _closed_document(self, record: IncidentState) -> Document:
        document = self._closed.get(record)
        if document is None:
            encoded = self._as_of_last_change(record)
            document = self._closed[record] = _incident_document(record, encoded.page, encoded.incident)
        return document

    def _as_of_last_change(self, record: IncidentState) -> EncodedRecord:
        encoded = self._encoded.get(record)
        if encoded is None:
            context = self._past_context(record)
            encoded = EncodedRecord(encode_json(context.page), encode_json(self._incident(record, context)))
            self._encoded[record] = encoded
        return encoded

    def _archives(self, state: PageState, records: PageState) -> list[Document]:
        """Return the list of all years, and the archives of the years of some records."""
        years = by_year(state, self._years)
        archives = []
        for year in by_year(records, self._years):
            made = self._archived.get(year)
            if made is None or made[0] != years[year]:
                made = self._archived[year] = years[year], self._archive(year, years[year])
            archives.append(made[1])
        changed_at = max((year.changed_at for year in years.values()), default=self._page.created_at)
        return [archives_document(self._page_at(changed_at), years), *archives]

    def _archive(self, year: int, records: ArchiveYear) -> Document:
        page = encode_json(self._page_at(records.changed_at))
        incidents, maintenances = (
            [self._as_of_last_change(record).incident for record in part] for part in records
        )
        return archive_document(page, year, incidents, maintenances)

    def _incident(self, record: IncidentState, context: StatusDocumentContext) -> Members:
        members = self._members.get(record)
        if members is None:
            members = self._members[record] = incident_members(record, [], self._page, self._timestamps)
        return {**members, "components": components_of(record, context.components, self._positions)}

    def _context(self, state: PageState) -> StatusDocumentContext:
        components = {
            component: component_members(state.components[component], self._page, self._timestamps)
            for component in state.components
            if component in self._on_page
        }
        return StatusDocumentContext(page_members(self._page, state.updated_at, self._timestamps), components)

    def _past_context(self, record: IncidentState) -> StatusDocumentContext:
        """Return the page and the record's components as of its last change."""
        at = record.since
        states = (
            component_at(self.timeline, self._on_page[component], at)
            for component in record.components
            if component in self._on_page
        )
        components = {
            state.component.id: component_members(state, self._page, self._timestamps) for state in states
        }
        return StatusDocumentContext(self._page_at(at), components)

    def _page_at(self, at: Instant) -> Members:
        return page_members(self._page, updated_at(self.timeline, at), self._timestamps)


def _document(url: Url, context: StatusDocumentContext, **members: object) -> Document:
    body = encode_json({"page": context.page, **members})
    return Document(path=url.path(), body=body, cache=url.cache)


def _incident_document(record: IncidentState, page: EncodedJson, incident: EncodedJson) -> Document:
    return Document(
        path=INCIDENT.path(incident_id=record.incident.id),
        body=b'{"page":%b,"incident":%b}' % (page, incident),
        cache=INCIDENT.cache,
        sources=(record.incident.source,),
    )
