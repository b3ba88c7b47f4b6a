"""The updates that nobody writes: what the clock does to a scheduled maintenance.

Statuspage's job writes them 7 to 21 seconds late (measured); here they stand at the very instants that the
window names, so that every build agrees on them. An update that somebody wrote takes the place of the one the
clock would have written, unless the clock had been there before.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from statuary.domain.primitives import Instant
from statuary.domain.status.derived_ids import derived_id
from statuary.domain.status.incidents import IncidentUpdate
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.vocabulary import CANCELLED_BODY, DEFAULT_BODIES, REMINDER_BODY, UpdateStatus

REMINDER_LEAD = timedelta(minutes=60)
"""How long before a window its reminder is written; the reminder's text says the same."""


def with_automatic_updates(maintenance: Maintenance) -> tuple[IncidentUpdate, ...]:
    """Return a maintenance's updates, written and automatic, each kind in its own order."""
    begun = begins_at(maintenance)
    return (
        *maintenance.updates,
        *_reminder(maintenance, begun),
        *_beginning(maintenance, begun),
        *_completion(maintenance, begun),
    )


def begins_at(maintenance: Maintenance) -> Instant | None:
    """Return the instant at which a maintenance goes into progress, by hand or by the clock; None if never.

    A later `in_progress` is news of what the clock has begun, and does not begin it anew.
    """
    written = first_written_at(maintenance, ("in_progress",))
    verified = first_written_at(maintenance, ("verifying",))
    by_hand = verified if written is None else written
    if not maintenance.automation.scheduled_auto_in_progress:
        return by_hand
    by_clock = max(maintenance.scheduled_for, maintenance.created_at)
    before_it = (written, verified, ended_manually_at(maintenance))
    return by_hand if any(at is not None and at <= by_clock for at in before_it) else by_clock


def ended_manually_at(maintenance: Maintenance) -> Instant | None:
    """Return the instant at which somebody completed or cancelled a maintenance; None if nobody did."""
    ends = (first_written_at(maintenance, ("completed",)), maintenance.cancelled_at)
    return min((end for end in ends if end is not None), default=None)


def first_written_at(maintenance: Maintenance, statuses: Iterable[UpdateStatus]) -> Instant | None:
    """Return the instant of the first written update with one of these statuses; None if there is none."""
    wanted = frozenset(statuses)
    instants = (update.display_at for update in maintenance.updates if update.status in wanted)
    return min(instants, default=None)


def _reminder(maintenance: Maintenance, begun: Instant | None) -> tuple[IncidentUpdate, ...]:
    if not maintenance.automation.scheduled_remind_prior:
        return ()
    at = Instant(maintenance.scheduled_for - REMINDER_LEAD)
    ended = ended_manually_at(maintenance)
    overtaken = any(other is not None and other <= at for other in (begun, ended))
    if overtaken or maintenance.created_at >= at:
        return ()
    return (_written_by_clock(maintenance, "reminder", "scheduled", at, REMINDER_BODY, notify=True),)


def _beginning(maintenance: Maintenance, begun: Instant | None) -> tuple[IncidentUpdate, ...]:
    by_hand = (first_written_at(maintenance, (status,)) for status in ("in_progress", "verifying"))
    if begun is None or begun in by_hand:
        return ()
    notify = maintenance.automation.auto_transition_deliver_notifications_at_start
    body = DEFAULT_BODIES["in_progress"]
    return (_written_by_clock(maintenance, "in_progress", "in_progress", begun, body, notify=notify),)


def _completion(maintenance: Maintenance, begun: Instant | None) -> tuple[IncidentUpdate, ...]:
    notify = maintenance.automation.auto_transition_deliver_notifications_at_end
    if first_written_at(maintenance, ("completed",)) is not None:
        return ()
    until = maintenance.scheduled_until if begun is None else max(maintenance.scheduled_until, begun)
    by_clock = begun is not None and maintenance.automation.scheduled_auto_completed
    cancelled = maintenance.cancelled_at
    if cancelled is not None and not (by_clock and until <= cancelled):
        ending = _written_by_clock(
            maintenance, "cancelled", "completed", cancelled, CANCELLED_BODY, notify=notify
        )
        return (replace(ending, pointer=("cancelled_at",)),)
    if not by_clock:
        return ()
    body = DEFAULT_BODIES["completed"]
    return (_written_by_clock(maintenance, "completed", "completed", until, body, notify=notify),)


def _written_by_clock(
    maintenance: Maintenance, part: str, status: UpdateStatus, at: Instant, body: str, *, notify: bool
) -> IncidentUpdate:
    return IncidentUpdate(
        # without the instant in it, so that the id outlives a moved window
        id=derived_id(maintenance.id, part),
        status=status,
        body=body,
        display_at=at,
        created_at=at,
        updated_at=at,
        deliver_notifications=notify,
        automatic=True,
    )
