"""Events on the page between two instants.

The id of an event is that of its update, the same in every build. Silent updates, backfilled incidents and
imported ones are not events.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from statuary.base.primitives import Instant
from statuary.status.api.members import TimestampFormatter
from statuary.status.model.component_now import ComponentNow, LayerKind
from statuary.status.model.incident_history import IncidentHistory, IncidentState
from statuary.status.model.records import Component, Maintenance, derived_id
from statuary.status.model.status_history import PublishedUpdate
from statuary.status.model.timeline import Timeline
from statuary.status.model.vocabulary import ComponentStatus


class EventKind(StrEnum):
    """The kinds of events to which a channel can subscribe in site.yaml."""

    OPENED = "opened"
    UPDATED = "updated"
    RESOLVED = "resolved"
    POSTMORTEM = "postmortem"
    SCHEDULED = "scheduled"
    REMINDER = "reminder"
    STARTED = "started"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    COMPONENT = "component"


RECORD_EVENTS = tuple(kind for kind in EventKind if kind is not EventKind.COMPONENT)
"""The events of incidents and maintenances."""


BEGINNING = Instant(datetime.min.replace(tzinfo=UTC))
"""Before every event."""


class ComponentChange(NamedTuple):
    """A change of a component's status."""

    component: Component
    old_status: ComponentStatus
    new_status: ComponentStatus


class RecordUpdate(NamedTuple):
    """An update of an incident or maintenance window."""

    record: IncidentState
    update: PublishedUpdate


class StatusEvent(NamedTuple):
    """A change of the status that subscribers are notified of."""

    id: str
    kind: EventKind
    at: Instant  # the time at which the event is published
    change: RecordUpdate | ComponentChange

    @property
    def components(self) -> tuple[str, ...]:
        """The ids of the components that the event affects."""
        if isinstance(self.change, ComponentChange):
            return (self.change.component.id,)
        return self.change.record.components


def list_events_between(timeline: Timeline, start: Instant, until: Instant) -> list[StatusEvent]:
    """Return all events in a period, sorted by time.

    An event is an update of an incident, for example, or a change of a component's status.

    Args:
        timeline: the status history, which must extend at least to `until`.
        start: the time after which events are returned.
        until: the time of the last possible event.
    """
    events = chain(
        chain.from_iterable(_iter_update_events(history, start, until) for history in timeline.histories),
        _iter_component_changes(timeline, start, until),
    )
    return sorted(events, key=_make_sort_key)


def _make_sort_key(event: StatusEvent) -> tuple[Instant, bool, str]:
    """Return a sort key: by time, and updates before component changes.

    The sort keeps the order of an incident's updates.
    """
    is_component = isinstance(event.change, ComponentChange)
    record = (
        event.change.component.id
        if isinstance(event.change, ComponentChange)
        else event.change.record.incident.id
    )
    return event.at, is_component, record


def _iter_update_events(history: IncidentHistory, start: Instant, until: Instant) -> Iterator[StatusEvent]:
    incident = history.incident
    if history.final_state is None or incident.backfilled:
        return
    published_updates = sorted(history.final_state.published_updates, key=lambda update: update.published_at)
    for place, update in enumerate(published_updates):
        if not start < update.published_at <= until or _is_imported_update(update):
            continue
        state = history.state_at(update.published_at)
        if state is not None and update.update.deliver_notifications:
            kind = _classify_update(state, update, published_updates[place - 1] if place else None)
            yield StatusEvent(update.update.id, kind, update.published_at, RecordUpdate(state, update))


def _is_imported_update(update: PublishedUpdate) -> bool:
    """Return whether an update was imported from another page.

    Nobody is notified of such an update. A postmortem has its own setting for that.
    """
    return update.update.recorded and update.update.status != "postmortem"


KINDS = {
    "resolved": EventKind.RESOLVED,
    "postmortem": EventKind.POSTMORTEM,
    "in_progress": EventKind.STARTED,
    "completed": EventKind.COMPLETED,
}
"""The event of the first update with a status."""


def _classify_update(
    incident_state: IncidentState, update: PublishedUpdate, previous_update: PublishedUpdate | None
) -> EventKind:
    status = update.update.status
    if status == "completed" and incident_state.cancelled:
        return EventKind.CANCELLED
    if status in KINDS and (previous_update is None or previous_update.update.status != status):
        return KINDS[status]
    if previous_update is None:
        return EventKind.SCHEDULED if isinstance(incident_state.incident, Maintenance) else EventKind.OPENED
    if status == "scheduled" and update.update.automatic:
        return EventKind.REMINDER
    return EventKind.UPDATED


def iter_incident_events(history: IncidentHistory, until: Instant) -> Iterator[StatusEvent]:
    """Yield each update of an incident as an event, oldest first.

    Args:
        history: the incident and its updates.
        until: the time of the last event that is yielded.
    """
    return _iter_update_events(history, BEGINNING, until)


def _iter_component_changes(timeline: Timeline, start: Instant, until: Instant) -> Iterator[StatusEvent]:
    timestamps = TimestampFormatter(timeline.catalogue.page.time_zone)
    imported = set(_iter_import_times(timeline))
    for component in timeline.catalogue.components:
        if component.group or component.removed:
            continue
        history = timeline.layer_histories[component.id]
        silent = imported | {change.at for change in component.history if change.is_upstream}
        for at, status_before, status in history.shown_changes():
            if start < at <= until and at not in silent and not _is_upstream_status(history.at(at)):
                event_id = derived_id(component.id, timestamps(at), status)
                change = ComponentChange(component, status_before, status)
                yield StatusEvent(event_id, EventKind.COMPONENT, at, change)


def _is_upstream_status(component_status: ComponentNow) -> bool:
    """Return whether a component's status comes from another page.

    Subscribers are not notified of such changes.
    """
    return component_status.cause is not None and component_status.cause.kind is LayerKind.UPSTREAM


def _iter_import_times(timeline: Timeline) -> Iterator[Instant]:
    """Yield the times of imported updates, at which no change is announced."""
    for history in timeline.histories:
        updates = () if history.final_state is None else history.final_state.published_updates
        yield from (update.published_at for update in updates if _is_imported_update(update))
