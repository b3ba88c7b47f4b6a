"""The plain list of the status documents at one instant.

The documents that tell the present show every component as it is at that instant. An incident that is
closed has a page of its own that stands still: it, and the components on it, read as they did at its last
change, so that history is written once and cached for good.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.status_api import arrays
from statuary.documents.status_api.members import (
    Members,
    component_members,
    components_of,
    incident_members,
    page_members,
    status_members,
)
from statuary.documents.status_api.stamps import Stamps
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
    Url,
)
from statuary.domain.primitives import Instant
from statuary.domain.status.catalogue import StatusCatalogue
from statuary.domain.status.lives import IncidentState
from statuary.domain.status.settings import StatusSettings
from statuary.domain.status.state import PageState
from statuary.domain.status.timeline import Timeline, component_at, state_at, timeline, updated_at


def status_documents(
    catalogue: StatusCatalogue, at: Instant, settings: StatusSettings | None = None
) -> list[Document]:
    """Return every status document as it reads at an instant."""
    return StatusSite(timeline(catalogue, at), settings or StatusSettings()).documents_at(at)


@dataclass(frozen=True, slots=True)
class View:
    """What incidents are told against: the page and its components as they were at one instant.

    Attributes:
        page: the `page` member.
        components: the objects of the components on the page, by id.
    """

    page: Members
    components: dict[str, Members]


class StatusSite:
    """A timeline that can be asked for its documents at any instant; what stands still is made once."""

    def __init__(self, line: Timeline, settings: StatusSettings) -> None:
        """Take a timeline, laid out at least as far as the latest instant that will be asked for."""
        self.line = line
        self.settings = settings
        self._page = line.catalogue.page
        self._stamps = Stamps(self._page.time_zone)
        self._positions = {component.id: place for place, component in enumerate(line.by_position)}
        self._on_page = {c.id: c for c in line.catalogue.components if not c.removed}
        self._closed: dict[IncidentState, Document] = {}

    def documents_at(self, at: Instant) -> list[Document]:
        """Return every status document as it reads at an instant."""
        state = state_at(self.line, at)
        present = self._present(state)
        return [*self._lists(state, present), *self._incident_pages(state, present)]

    def _lists(self, state: PageState, present: View) -> Iterator[Document]:
        """Yield the documents that tell the present, members in the order of the real ones."""
        status = status_members(state.roll_up)
        components = list(present.components.values())
        told: dict[IncidentState, Members] = {}

        def objects(records: Sequence[IncidentState]) -> list[Members]:
            for record in records:
                if record not in told:
                    told[record] = self._incident(record, present)
            return [told[record] for record in records]

        unresolved = objects(arrays.unresolved(state.incidents))
        cap = self.settings.cap
        yield _document(
            SUMMARY,
            present,
            components=components,
            incidents=unresolved,
            scheduled_maintenances=objects(arrays.announced(state.maintenances)),
            status=status,
        )
        yield _document(STATUS, present, status=status)
        yield _document(COMPONENTS, present, components=components)
        yield _document(INCIDENTS, present, incidents=objects(arrays.latest(state.incidents, cap)))
        yield _document(INCIDENTS_UNRESOLVED, present, incidents=unresolved)
        for url, records in (
            (MAINTENANCES, arrays.latest(state.maintenances, cap)),
            (MAINTENANCES_UPCOMING, arrays.upcoming(state.maintenances)),
            (MAINTENANCES_ACTIVE, arrays.active(state.maintenances)),
        ):
            yield _document(url, present, scheduled_maintenances=objects(records))

    def _incident_pages(self, state: PageState, present: View) -> Iterator[Document]:
        for record in (*state.incidents, *state.maintenances):
            yield self._closed_page(record) if record.closed else self._incident_page(record, present)

    def _closed_page(self, record: IncidentState) -> Document:
        page = self._closed.get(record)
        if page is None:
            page = self._closed[record] = self._incident_page(record, self._past(record))
        return page

    def _incident_page(self, record: IncidentState, view: View) -> Document:
        return Document(
            path=INCIDENT.path(incident_id=record.incident.id),
            body=encode_json({"page": view.page, "incident": self._incident(record, view)}),
            cache=INCIDENT.cache,
            sources=(record.incident.source,),
        )

    def _incident(self, record: IncidentState, view: View) -> Members:
        components = components_of(record, view.components, self._positions)
        return incident_members(record, components, self._page, self._stamps)

    def _present(self, state: PageState) -> View:
        """Return the whole page as it is."""
        components = {
            component: component_members(state.components[component], self._page, self._stamps)
            for component in state.components
            if component in self._on_page
        }
        return View(page_members(self._page, state.updated_at, self._stamps), components)

    def _past(self, record: IncidentState) -> View:
        """Return the page as it was at a record's last change, as far as the record tells of it."""
        at = record.since
        states = (
            component_at(self.line, self._on_page[component], at)
            for component in record.components
            if component in self._on_page
        )
        components = {
            state.component.id: component_members(state, self._page, self._stamps) for state in states
        }
        return View(page_members(self._page, updated_at(self.line, at), self._stamps), components)


def _document(url: Url, view: View, **members: object) -> Document:
    return Document(path=url.path(), body=encode_json({"page": view.page, **members}), cache=url.cache)
