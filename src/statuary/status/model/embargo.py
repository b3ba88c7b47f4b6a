"""Remove content under embargo: records and updates with later publication times.

An announced change, such as the start of a maintenance window, is published in advance. Content with a later
publication time is in no published file before a build at that time.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple, TypeVar

from statuary.base.primitives import Instant
from statuary.status.model.records import (
    Component,
    Incident,
    IncidentUpdate,
    Maintenance,
    Occurrence,
    StatusCatalogue,
)
from statuary.status.model.status_history import update_publication_time

Record = TypeVar("Record", bound=Incident)


class PublicStatus(NamedTuple):
    """The content that may be published now, and when more may be.

    Attributes:
        next_publication: the time when the next held-back content is published; None if nothing is held back.
    """

    catalogue: StatusCatalogue
    next_publication: Instant | None


def public_status(catalogue: StatusCatalogue, now: Instant) -> PublicStatus:
    """Leave out the content that must not be published yet.

    For example, an incident whose `publish_at` is tomorrow.

    Args:
        catalogue: the page with its components, incidents and maintenance windows.
        now: the time of the build.
    """
    held_back: list[Instant] = []
    unchanged_incidents = (
        _without_later_impact_override(incident, now, held_back) for incident in catalogue.incidents
    )
    incidents = _public_records(unchanged_incidents, now, held_back)
    unchanged_windows = (_without_later_changes(window, now, held_back) for window in catalogue.maintenances)
    maintenances = tuple(
        _public_recurring_maintenance(maintenance, now, held_back)
        for maintenance in _public_records(unchanged_windows, now, held_back)
    )
    components = tuple(_public_component(component, now, held_back) for component in catalogue.components)
    if not held_back:
        return PublicStatus(catalogue, None)
    public = replace(catalogue, components=components, incidents=incidents, maintenances=maintenances)
    return PublicStatus(public, min(held_back))


def _public_records(
    records: Iterable[Record], now: Instant, held_back_times: list[Instant]
) -> tuple[Record, ...]:
    public: list[Record] = []
    for record in records:
        ahead = [update for update in record.updates if update_publication_time(record, update) > now]
        if record.draft or not ahead:
            public.append(record)
            continue
        held_back_times.append(min(update_publication_time(record, update) for update in ahead))
        if len(ahead) < len(record.updates):
            public.append(_without_held_back_updates(record, ahead))
    return tuple(public)


def _without_held_back_updates(record: Record, held_back_updates: list[IncidentUpdate]) -> Record:
    updates = tuple(update for update in record.updates if update not in held_back_updates)
    named_ahead = {name for update in held_back_updates for name in update.components}
    named = {*record.opened_with, *(name for update in updates for name in update.components)}
    components = tuple(name for name in record.components if name in named or name not in named_ahead)
    return replace(record, updates=updates, components=components)


def _without_later_impact_override(
    incident: Incident, now: Instant, held_back_times: list[Instant]
) -> Incident:
    """Hide an impact that the file sets for a time after now.

    Args:
        held_back_times: receives that time.
    """
    later = incident.impact_override_at
    if later is None or later <= now or incident.draft:
        return incident
    held_back_times.append(later)
    return replace(incident, impact_override=None, impact_override_at=None)


def _without_later_changes(
    maintenance: Maintenance, now: Instant, held_back_times: list[Instant]
) -> Maintenance:
    """Hide moves and a cancellation of a window that are published after now.

    Args:
        held_back_times: receives the time of the cancellation.
    """
    if maintenance.draft:
        return maintenance
    cancelled_at, rescheduled_at = maintenance.cancelled_at, maintenance.rescheduled_at
    if cancelled_at is not None and cancelled_at > now:
        held_back_times.append(cancelled_at)
        maintenance = replace(maintenance, cancelled_at=None)
    start = _start_before_later_moves(maintenance.updates, now)
    if start is None:
        return maintenance
    # The content does not say how long the window was before the move, so assume its present length.
    until = Instant(start + (maintenance.scheduled_until - maintenance.scheduled_for))
    is_ahead = rescheduled_at is not None and rescheduled_at > now
    return replace(
        maintenance,
        scheduled_for=start,
        scheduled_until=until,
        rescheduled_at=None if is_ahead else rescheduled_at,
    )


def _start_before_later_moves(updates: Iterable[IncidentUpdate], now: Instant) -> Instant | None:
    """Return the window's start before the first move that is published after now."""
    moves = [(update.display_at, update.moved_from) for update in updates if update.moved_from is not None]
    return next((start for at, start in sorted(moves) if at > now), None)


def _public_recurring_maintenance(
    maintenance: Maintenance, now: Instant, held_back_times: list[Instant]
) -> Maintenance:
    """Hide updates to recurring windows that are published after now.

    Args:
        held_back_times: receives the times of these updates.
    """
    recurrence = maintenance.recurrence
    if recurrence is None or maintenance.draft:
        return maintenance
    occurrences = {}
    for start, occurrence in recurrence.occurrences.items():
        ahead = [
            update for update in occurrence.updates if update_publication_time(maintenance, update) > now
        ]
        held_back_times += [update_publication_time(maintenance, update) for update in ahead]
        updates = tuple(update for update in occurrence.updates if update not in ahead)
        occurrences[start] = _without_later_occurrence_changes(occurrence, now, held_back_times)._replace(
            updates=updates
        )
    return replace(maintenance, recurrence=replace(recurrence, occurrences=occurrences))


def _without_later_occurrence_changes(
    occurrence: Occurrence, now: Instant, held_back_times: list[Instant]
) -> Occurrence:
    """Hide changes to one recurring window that are published after now.

    Args:
        held_back_times: receives the time of a hidden cancellation.
    """
    if occurrence.cancelled_at is not None and occurrence.cancelled_at > now:
        held_back_times.append(occurrence.cancelled_at)
        occurrence = occurrence._replace(cancelled_at=None)
    start = _start_before_later_moves(occurrence.updates, now)
    if start is None:
        return occurrence
    until = occurrence.scheduled_until
    if until is not None and occurrence.scheduled_for is not None:
        until = Instant(start + (until - occurrence.scheduled_for))
    return occurrence._replace(scheduled_for=start, scheduled_until=until, rescheduled_at=None)


def _public_component(component: Component, now: Instant, held_back_times: list[Instant]) -> Component:
    held_back_times += [change.at for change in component.history if change.at > now]
    history = tuple(change for change in component.history if change.at <= now)
    return component if len(history) == len(component.history) else component._replace(history=history)
