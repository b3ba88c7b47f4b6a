"""The status documents at an instant, and their records.

Lists show every component as it is at that instant. The document of a closed incident shows the page and its
components as of its last change, so that it is written once and never changes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from statuary.base.primitives import Instant
from statuary.site.document import Document, encode_json
from statuary.site.urls import Url
from statuary.status.api.history import (
    ArchivedMonth,
    Archives,
    archived_months,
    uptime_document,
    uptime_schema_document,
)
from statuary.status.api.members import (
    EncodedJson,
    Members,
    TimestampFormatter,
    affected_component_objects,
    component_json,
    incident_json,
    page_json,
    status_json,
)
from statuary.status.model.incident_history import IncidentState
from statuary.status.model.records import StatusSettings
from statuary.status.model.timeline import (
    ComponentState,
    PageState,
    Timeline,
    component_state_at,
    page_state_at,
    page_states_from,
    page_updated_at,
)
from statuary.status.model.uptime import page_uptime
from statuary.status.model.vocabulary import ACTIVE_STATUSES, UNRESOLVED_STATUSES
from statuary.status.urls import (
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


def unresolved_records(incidents: Sequence[IncidentState]) -> list[IncidentState]:
    """Return the incidents that are not resolved, the latest updated first.

    Args:
        incidents: the states of incidents at one time.
    """
    return _sort_by_latest_update([state for state in incidents if state.status in UNRESOLVED_STATUSES])


def latest_records(records: Sequence[IncidentState], count: int) -> list[IncidentState]:
    """Return the latest incidents or windows, and all that are open.

    For example, with a count of 50, an open incident in place 60 is included.

    Args:
        records: the incidents or maintenance windows, latest first.
        count: how many to return in any case; 0 returns all.
    """
    if count == 0:
        return list(records)
    return [state for position, state in enumerate(records) if position < count or not state.closed]


def upcoming_windows(maintenances: Sequence[IncidentState]) -> list[IncidentState]:
    """Return the maintenance windows that have not started, earliest first.

    If several start at the same time, the one updated last comes first.
    """
    scheduled = [state for state in maintenances if state.status == "scheduled"]
    return sorted(_sort_by_latest_update(scheduled), key=attrgetter("incident.scheduled_for"))


def active_windows(maintenances: Sequence[IncidentState]) -> list[IncidentState]:
    """Return the maintenance windows in progress, the latest updated first.

    Args:
        maintenances: the states of maintenance windows at one time.
    """
    return _sort_by_latest_update([state for state in maintenances if state.status in ACTIVE_STATUSES])


def upcoming_and_active_windows(maintenances: Sequence[IncidentState]) -> list[IncidentState]:
    """Return the upcoming maintenance windows, and then those in progress.

    The document `summary.json` lists them in this order.

    Args:
        maintenances: the states of maintenance windows at one time.
    """
    return [*upcoming_windows(maintenances), *active_windows(maintenances)]


def _sort_by_latest_update(records: list[IncidentState]) -> list[IncidentState]:
    return sorted(records, key=attrgetter("updated_at"), reverse=True)


class StatusDocumentContext(NamedTuple):
    """The JSON of the page and of its components at one time."""

    page: EncodedJson
    components: dict[str, EncodedJson]


class EncodedRecord(NamedTuple):
    """The JSON of an incident or maintenance window, and of its page.

    The page is shown as it was when the incident or window last changed.
    """

    page: EncodedJson
    incident: EncodedJson


class StatusDocuments:
    """Makes the status API's JSON documents for any time.

    Each incident and maintenance window is encoded once.
    """

    def __init__(self, timeline: Timeline, settings: StatusSettings) -> None:
        """Prepare to make the documents of a page.

        Args:
            timeline: the status over time; it must extend to each instant that is asked for.
            settings: the settings, which choose the documents.
        """
        self.timeline = timeline
        self.settings = settings
        self._page = timeline.catalogue.page
        self._timestamps = TimestampFormatter(self._page.time_zone)
        self._positions = {
            component.id: position for position, component in enumerate(timeline.components_by_position)
        }
        self._on_page = {c.id: c for c in timeline.catalogue.components if not c.removed}
        self._groups = [c for c in timeline.components_by_position if c.group and not c.removed]
        self._closed: dict[IncidentState, Document] = {}
        # The JSON of each incident, split at the value of its member `components`: the bytes before and after
        # this value
        self._bytes_around_components: dict[IncidentState, tuple[EncodedJson, EncodedJson]] = {}
        self._encoded: dict[IncidentState, EncodedRecord] = {}
        self._archives: tuple[Instant, Archives] | None = None

    def documents_at(self, at: Instant) -> list[Document]:
        """Make all documents of the status API as of a given time."""
        final = [document for month in self.archived_months for document in self.final_documents(month, at)]
        return [*self.documents_from(at)(at), *final]

    @cached_property
    def archived_months(self) -> dict[str, ArchivedMonth]:
        """The incidents and maintenance windows that were created in each month.

        The keys are months such as `2026-11`, the latest first.
        """
        return archived_months(self.timeline)

    def final_documents(self, month: str, build_time: Instant) -> Iterator[Document]:
        """Yield the API documents of a month that can no longer change.

        They are the documents of the month's ended incidents and windows. If all have ended, the archive of the
        month is yielded, too.

        Args:
            month: a month such as `2026-11`.
            build_time: the time of the build; a record counts as ended if it does not change after this time.
        """
        for record in self.archived_months[month].unchanging_states_after(build_time):
            yield self.closed_document(record)
        yield from self.final_archive(month, build_time)

    def final_archive(self, month: str, build_time: Instant) -> Iterator[Document]:
        """Yield the archive of a month, unless it may still change.

        The archive lists the month's incidents and maintenance windows.

        Args:
            month: a month such as `2026-11`.
            build_time: the time of the build.
        """
        archive = (
            self._make_archives(build_time).unchanging_archive(month) if self.settings.archives else None
        )
        if archive is not None:
            yield archive

    def closed_document_inputs(self, record: IncidentState) -> tuple[object, ...]:
        """Return the values in an ended incident's document, except the incident.

        A build reuses the document while these values and the incident stay the same.

        Returns:
            The JSON of the page's settings, and a tuple with the JSON of each component.
        """
        context = self._context_of_last_change(record)
        return context.page, tuple(context.components.values())

    def documents_from(self, earliest_time: Instant) -> Callable[[Instant], list[Document]]:
        """Return a function that makes the API documents for a given time.

        The function leaves out documents that can no longer change. If only the uptime changes at the given time,
        which is a midnight or an hour of an outage, it makes only that document. So the work does not grow with the
        length of the history.

        Args:
            earliest_time: the earliest time that the function is called with, usually that of the build.
        """
        changes = frozenset((earliest_time, *self.timeline.change_times))
        opened = [
            history for history in self.timeline.histories if not history.is_unchanging_after(earliest_time)
        ]
        states = page_states_from(self.timeline, earliest_time, self._listed_record_states(earliest_time))
        archives = self._make_archives(earliest_time) if self.settings.archives else None

        def documents_at(at: Instant) -> list[Document]:
            if at not in changes:
                return self._uptime_documents(at)
            records = (state for history in opened if (state := history.state_at(at)) is not None)
            page_state = states(at)
            context = self._document_context(page_state)
            documents = [
                *self._list_documents(page_state, context),
                *self._incident_documents(records, context),
            ]
            if archives is not None:
                documents += archives.documents_at(at)
            return [*documents, *self._uptime_documents(at)]

        return documents_at

    def _listed_record_states(self, at: Instant) -> list[IncidentState]:
        state = page_state_at(self.timeline, at)
        cap = self.settings.cap
        return [*latest_records(state.incidents, cap), *latest_records(state.maintenances, cap)]

    def records_in_changing_documents(self, build_time: Instant) -> list[IncidentState]:
        """Return the incidents and windows in documents that can still change.

        These documents are the lists of the API, and the archives of some months.

        Args:
            build_time: the time of the build.
        """
        months = [
            month
            for month in self.archived_months.values()
            if self.settings.archives and not month.is_unchanging_after(build_time)
        ]
        archived = (
            record for month in months for records in month.records_at(build_time) for record in records
        )
        return [*self._listed_record_states(build_time), *archived]

    def record_counts_by_month(self, at: Instant) -> list[tuple[object, ...]]:
        """Count the incidents and windows of each month, latest month first.

        Returns:
            A tuple for each month: the month, the number of its incidents, the number of its windows, and the
            time at which one of them last changed.
        """
        months = {month: records.records_at(at) for month, records in self.archived_months.items()}
        return [
            (month, *map(len, records), records.changed_at)
            for month, records in months.items()
            if any(records)
        ]

    def _make_archives(self, start: Instant) -> Archives:
        if self._archives is None or self._archives[0] != start:
            archives = Archives(
                self.timeline,
                self.archived_months,
                start,
                self._encode_archived_record,
                self._page_members_at,
            )
            self._archives = start, archives
        return self._archives[1]

    def _encode_archived_record(self, record: IncidentState) -> EncodedJson:
        return self._encode_as_of_last_change(record).incident

    def _uptime_documents(self, at: Instant) -> list[Document]:
        if not self.settings.uptime:
            return []
        uptime = page_uptime(self.timeline, at)
        document = uptime_document(self._page_members_at(at), uptime, self._groups, self._timestamps)
        return [document, uptime_schema_document()]

    def _list_documents(self, state: PageState, context: StatusDocumentContext) -> Iterator[Document]:
        """Yield the documents that list incidents and maintenance windows.

        The keys of each JSON object are in Statuspage's order.
        """
        status = encode_json(status_json(state.overall_status))
        components = _encode_array(context.components.values())

        def encode_records(records: Sequence[IncidentState]) -> EncodedJson:
            return _encode_array(self._encode_incident(record, context) for record in records)

        def list_document(url: Url, **members: EncodedJson) -> Document:
            encoded_members = (b'"%b":%b' % (name.encode(), value) for name, value in members.items())
            return Document(path=url.path(), body=b"{%b}" % b",".join(encoded_members), cache=url.cache)

        page, cap = context.page, self.settings.cap
        unresolved = encode_records(unresolved_records(state.incidents))
        yield list_document(
            SUMMARY,
            page=page,
            components=components,
            incidents=unresolved,
            scheduled_maintenances=encode_records(upcoming_and_active_windows(state.maintenances)),
            status=status,
        )
        yield list_document(STATUS, page=page, status=status)
        yield list_document(COMPONENTS, page=page, components=components)
        yield list_document(
            INCIDENTS, page=page, incidents=encode_records(latest_records(state.incidents, cap))
        )
        yield list_document(INCIDENTS_UNRESOLVED, page=page, incidents=unresolved)
        for url, records in (
            (MAINTENANCES, latest_records(state.maintenances, cap)),
            (MAINTENANCES_UPCOMING, upcoming_windows(state.maintenances)),
            (MAINTENANCES_ACTIVE, active_windows(state.maintenances)),
        ):
            yield list_document(url, page=page, scheduled_maintenances=encode_records(records))

    def _incident_documents(
        self, records: Iterable[IncidentState], context: StatusDocumentContext
    ) -> Iterator[Document]:
        for record in records:
            if record.closed:
                yield self.closed_document(record)
            else:
                yield _incident_document(record, context.page, self._encode_incident(record, context))

    def closed_document(self, record: IncidentState) -> Document:
        """Return the API document of an ended incident or window.

        The document contains the page and the affected components as they were at its last change.
        """
        document = self._closed.get(record)
        if document is None:
            encoded = self._encode_as_of_last_change(record)
            document = self._closed[record] = _incident_document(record, encoded.page, encoded.incident)
        return document

    def _encode_as_of_last_change(self, record: IncidentState) -> EncodedRecord:
        encoded = self._encoded.get(record)
        if encoded is None:
            context = self._context_of_last_change(record)
            encoded = EncodedRecord(context.page, self._encode_incident(record, context))
            self._encoded[record] = encoded
        return encoded

    def _encode_incident(self, record: IncidentState, context: StatusDocumentContext) -> EncodedJson:
        around = self._bytes_around_components.get(record)
        if around is None:
            # Split the JSON at the member `components`. These bytes cannot occur within a string, because
            # JSON escapes quotation marks there.
            members = encode_json(incident_json(record, [], self._page, self._timestamps))
            text_before, _, text_after = members.partition(b'"components":[]')
            around = self._bytes_around_components[record] = text_before + b'"components":', text_after
        components = affected_component_objects(record, context.components, self._positions)
        return around[0] + _encode_array(components) + around[1]

    def _document_context(self, state: PageState) -> StatusDocumentContext:
        return StatusDocumentContext(
            encode_json(page_json(self._page, state.updated_at, self._timestamps)),
            self._encode_components(
                row for row in state.components.values() if row.component.id in self._on_page
            ),
        )

    def _context_of_last_change(self, record: IncidentState) -> StatusDocumentContext:
        at = record.since
        current_components = (
            self._on_page[component] for component in record.components if component in self._on_page
        )
        states = (component_state_at(self.timeline, component, at) for component in current_components)
        return StatusDocumentContext(encode_json(self._page_members_at(at)), self._encode_components(states))

    def _encode_components(self, states: Iterable[ComponentState]) -> dict[str, EncodedJson]:
        return {
            state.component.id: encode_json(component_json(state, self._page, self._timestamps))
            for state in states
        }

    def _page_members_at(self, at: Instant) -> Members:
        return page_json(self._page, page_updated_at(self.timeline, at), self._timestamps)


def _encode_array(values: Iterable[EncodedJson]) -> EncodedJson:
    return b"[%b]" % b",".join(values)


def _incident_document(record: IncidentState, page: EncodedJson, incident: EncodedJson) -> Document:
    return Document(
        path=INCIDENT.path(incident_id=record.incident.id),
        body=b'{"page":%b,"incident":%b}' % (page, incident),
        cache=INCIDENT.cache,
        sources=(record.incident.source,),
    )
