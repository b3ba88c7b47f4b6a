"""Remove embargoed records and updates dated ahead from a catalogue.

An announced change, such as the start of a maintenance window, is published in advance. Content with a later
publication time is in no published file before a build at that time.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple, TypeVar

from statuary.base.primitives import Instant
from statuary.status.model.records import Component, Incident, IncidentUpdate, Maintenance, StatusCatalogue
from statuary.status.model.status_history import published_at

Record = TypeVar("Record", bound=Incident)


class PublicStatus(NamedTuple):
    """The part of a catalogue that a build at an instant may publish."""

    catalogue: StatusCatalogue
    next_publication: (
        Instant | None
    )  # when the next build is due to publish more; None if nothing is held back


def public_status(catalogue: StatusCatalogue, now: Instant) -> PublicStatus:
    """Remove from a catalogue what may not be read at an instant."""
    held_back: list[Instant] = []
    incidents = _public_records(catalogue.incidents, now, held_back)
    maintenances = tuple(
        _public_windows(maintenance, now, held_back)
        for maintenance in _public_records(catalogue.maintenances, now, held_back)
    )
    components = tuple(_public_component(component, now, held_back) for component in catalogue.components)
    if not held_back:
        return PublicStatus(catalogue, None)
    public = replace(catalogue, components=components, incidents=incidents, maintenances=maintenances)
    return PublicStatus(public, min(held_back))


def _public_records(records: Iterable[Record], now: Instant, held_back: list[Instant]) -> tuple[Record, ...]:
    public: list[Record] = []
    for record in records:
        ahead = [update for update in record.updates if published_at(record, update) > now]
        if record.draft or not ahead:
            public.append(record)
            continue
        held_back.append(min(published_at(record, update) for update in ahead))
        if len(ahead) < len(record.updates):
            public.append(_without_updates(record, ahead))
    return tuple(public)


def _without_updates(record: Record, ahead: list[IncidentUpdate]) -> Record:
    updates = tuple(update for update in record.updates if update not in ahead)
    named_ahead = {name for update in ahead for name in update.components}
    named = {*record.opened_with, *(name for update in updates for name in update.components)}
    components = tuple(name for name in record.components if name in named or name not in named_ahead)
    return replace(record, updates=updates, components=components)


def _public_windows(maintenance: Maintenance, now: Instant, held_back: list[Instant]) -> Maintenance:
    """Remove updates dated ahead from the windows of a recurring maintenance."""
    recurrence = maintenance.recurrence
    if recurrence is None or maintenance.draft:
        return maintenance
    occurrences = {}
    for start, occurrence in recurrence.occurrences.items():
        ahead = [update for update in occurrence.updates if published_at(maintenance, update) > now]
        held_back += [published_at(maintenance, update) for update in ahead]
        updates = tuple(update for update in occurrence.updates if update not in ahead)
        occurrences[start] = occurrence._replace(updates=updates)
    return replace(maintenance, recurrence=replace(recurrence, occurrences=occurrences))


def _public_component(component: Component, now: Instant, held_back: list[Instant]) -> Component:
    held_back += [change.at for change in component.history if change.at > now]
    history = tuple(change for change in component.history if change.at <= now)
    return component if len(history) == len(component.history) else component._replace(history=history)
