"""The plain list of the status documents at one instant.

The documents that tell the present show every component as it is at that instant. An incident that is
closed has a page of its own that stands still: it, and the components on it, read as they did at its last
change, so that history is written once and cached for good.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from statuary.documents.document import Document
from statuary.documents.encode import encode_json, encode_unchecked, encoded_fragment
from statuary.documents.status_api import listed_records
from statuary.documents.status_api.archive_documents import (
    ArchiveYear,
    CreationYears,
    archive_document,
    archives_document,
    by_year,
)
from statuary.documents.status_api.epoch_documents import EpochPlan, plan_epochs
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
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.page_state import PageState
from statuary.domain.status.status_catalogue import StatusCatalogue
from statuary.domain.status.status_settings import StatusSettings
from statuary.domain.status.timeline import (
    Timeline,
    build_timeline,
    component_at,
    state_at,
    transitions,
    updated_at,
)
from statuary.domain.status.uptime import page_uptime


def status_documents(
    catalogue: StatusCatalogue, at: Instant, settings: StatusSettings | None = None
) -> list[Document]:
    """Return every status document as it reads at an instant."""
    return StatusDocuments(build_timeline(catalogue, at), settings or StatusSettings()).documents_at(at)


def build_status_documents(
    catalogue: StatusCatalogue, at: Instant, settings: StatusSettings | None = None
) -> "StatusDocuments":
    """Return a site that can be asked for its documents at a build's instant and up to the horizon."""
    settings = settings or StatusSettings()
    return StatusDocuments(build_timeline(catalogue, Instant(at + settings.horizon)), settings)


class StatusDocumentContext(NamedTuple):
    """What incidents are told against: the page and its components as they were at one instant.

    Attributes:
        page: the `page` member.
        components: the objects of the components on the page, by id.
    """

    page: Members
    components: dict[str, Members]


class EncodedRecord(NamedTuple):
    """A record as it was at its last change, as parts of documents.

    Attributes:
        page: the `page` member as of then.
        incident: the record's object.
    """

    page: EncodedJson
    incident: EncodedJson


class StatusDocuments:
    """A timeline that can be asked for its documents at any instant; what stands still is made once."""

    def __init__(self, timeline: Timeline, settings: StatusSettings) -> None:
        """Take a timeline, laid out at least as far as the latest instant that will be asked for."""
        self.timeline = timeline
        self.settings = settings
        self._page = timeline.catalogue.page
        self._stamps = TimestampFormatter(self._page.time_zone)
        self._positions = {component.id: place for place, component in enumerate(timeline.by_position)}
        self._on_page = {c.id: c for c in timeline.catalogue.components if not c.removed}
        self._groups = [c for c in timeline.by_position if c.group and not c.removed]
        self._closed: dict[IncidentState, Document] = {}
        self._standing_still: dict[IncidentState, EncodedRecord] = {}
        self._years = CreationYears(self._page.time_zone)
        self._archived: dict[int, tuple[ArchiveYear, Document]] = {}

    def documents_at(self, at: Instant) -> list[Document]:
        """Return every status document as it reads at an instant."""
        state = state_at(self.timeline, at)
        documents = self._timed(state, state)
        if self.settings.uptime:
            documents.append(uptime_schema_document())
        return documents

    def timed_documents(self, start: Instant) -> Callable[[Instant], list[Document]]:
        """Return what tells, at an instant from `start` on, the documents that may differ from before.

        The pages of what is over by then are left out, and at an instant at which nothing happens (midnight)
        all but the uptime: so that epochs cost little however long the history is.
        """
        changes = frozenset((start, *self.timeline.changes))
        unsettled = frozenset(
            history.incident.id for history in self.timeline.histories if not history.is_final_by(start)
        )

        def documents_at(at: Instant) -> list[Document]:
            if at not in changes:
                return self._uptime(at, self._page_at(at)) if self.settings.uptime else []
            state = state_at(self.timeline, at)
            return self._timed(state, state.only(unsettled))

        return documents_at

    def _timed(self, state: PageState, told: PageState) -> list[Document]:
        """Return the lists of a state, and the pages and archives of the records in `told`, a part of it."""
        present = self._present(state)
        documents = [*self._lists(state, present), *self._incident_pages(told, present)]
        if self.settings.archives:
            documents += self._archives(state, told)
        if self.settings.uptime:
            documents += self._uptime(state.at, present.page)
        return documents

    def _uptime(self, at: Instant, page: Members) -> list[Document]:
        return [uptime_document(page, page_uptime(self.timeline, at), self._groups, self._stamps)]

    def transitions(self, at: Instant) -> list[Instant]:
        """Return the instants after `at`, up to the horizon, at which a document may change."""
        horizon = Instant(at + self.settings.horizon)
        return transitions(self.timeline, at, horizon, days=self.settings.uptime)

    def epochs(self, at: Instant) -> EpochPlan:
        """Return what of the status documents changes after a build's instant."""
        horizon = Instant(at + self.settings.horizon)
        documents_at = self.timed_documents(at)
        return plan_epochs(documents_at, self.transitions(at), at, horizon, self.settings.max_epochs)

    def _lists(self, state: PageState, present: StatusDocumentContext) -> Iterator[Document]:
        """Yield the documents that tell the present, members in the order of the real ones."""
        status = status_members(state.overall_status)
        components = list(present.components.values())
        told: dict[IncidentState, Members] = {}

        def objects(records: Sequence[IncidentState]) -> list[Members]:
            for record in records:
                if record not in told:
                    told[record] = self._incident(record, present)
            return [told[record] for record in records]

        unresolved = objects(listed_records.unresolved(state.incidents))
        cap = self.settings.cap
        yield _document(
            SUMMARY,
            present,
            components=components,
            incidents=unresolved,
            scheduled_maintenances=objects(listed_records.announced(state.maintenances)),
            status=status,
        )
        yield _document(STATUS, present, status=status)
        yield _document(COMPONENTS, present, components=components)
        yield _document(INCIDENTS, present, incidents=objects(listed_records.latest(state.incidents, cap)))
        yield _document(INCIDENTS_UNRESOLVED, present, incidents=unresolved)
        for url, records in (
            (MAINTENANCES, listed_records.latest(state.maintenances, cap)),
            (MAINTENANCES_UPCOMING, listed_records.upcoming(state.maintenances)),
            (MAINTENANCES_ACTIVE, listed_records.active(state.maintenances)),
        ):
            yield _document(url, present, scheduled_maintenances=objects(records))

    def _incident_pages(self, state: PageState, present: StatusDocumentContext) -> Iterator[Document]:
        for record in (*state.incidents, *state.maintenances):
            yield self._closed_page(record) if record.closed else self._open_page(record, present)

    def _open_page(self, record: IncidentState, present: StatusDocumentContext) -> Document:
        incident = encoded_fragment(self._incident(record, present))
        return _incident_page(record, encoded_fragment(present.page), incident)

    def _closed_page(self, record: IncidentState) -> Document:
        page = self._closed.get(record)
        if page is None:
            standing = self._standing(record)
            page = self._closed[record] = _incident_page(record, standing.page, standing.incident)
        return page

    def _standing(self, record: IncidentState) -> EncodedRecord:
        """Return the page and the record as they were at the record's last change."""
        standing = self._standing_still.get(record)
        if standing is None:
            past = self._past(record)
            standing = EncodedRecord(
                encoded_fragment(past.page), encoded_fragment(self._incident(record, past))
            )
            self._standing_still[record] = standing
        return standing

    def _archives(self, state: PageState, told: PageState) -> list[Document]:
        """Return the complete history by year, every record as it read at its last change.

        Only the years with records in `told` are written, and the list of all years.
        """
        years = by_year(state, self._years)
        archives = []
        for year in by_year(told, self._years):
            made = self._archived.get(year)
            if made is None or made[0] != years[year]:
                made = self._archived[year] = years[year], self._archive(year, years[year])
            archives.append(made[1])
        changed_at = max((records.changed_at for records in years.values()), default=self._page.created_at)
        return [archives_document(self._page_at(changed_at), years), *archives]

    def _archive(self, year: int, records: ArchiveYear) -> Document:
        told = [self._standing(record).incident for record in (*records.incidents, *records.maintenances)]
        return archive_document(encoded_fragment(self._page_at(records.changed_at)), year, records, told)

    def _incident(self, record: IncidentState, view: StatusDocumentContext) -> Members:
        components = components_of(record, view.components, self._positions)
        return incident_members(record, components, self._page, self._stamps)

    def _present(self, state: PageState) -> StatusDocumentContext:
        """Return the whole page as it is."""
        components = {
            component: component_members(state.components[component], self._page, self._stamps)
            for component in state.components
            if component in self._on_page
        }
        return StatusDocumentContext(page_members(self._page, state.updated_at, self._stamps), components)

    def _past(self, record: IncidentState) -> StatusDocumentContext:
        """Return the page as it was at a record's last change, as far as the record tells of it."""
        at = record.since
        states = (
            component_at(self.timeline, self._on_page[component], at)
            for component in record.components
            if component in self._on_page
        )
        components = {
            state.component.id: component_members(state, self._page, self._stamps) for state in states
        }
        return StatusDocumentContext(self._page_at(at), components)

    def _page_at(self, at: Instant) -> Members:
        return page_members(self._page, updated_at(self.timeline, at), self._stamps)


def _document(url: Url, view: StatusDocumentContext, **members: object) -> Document:
    return Document(path=url.path(), body=encode_json({"page": view.page, **members}), cache=url.cache)


def _incident_page(record: IncidentState, page: EncodedJson, incident: EncodedJson) -> Document:
    return Document(
        path=INCIDENT.path(incident_id=record.incident.id),
        body=encode_unchecked({"page": page, "incident": incident}),
        cache=INCIDENT.cache,
        sources=(record.incident.source,),
    )
