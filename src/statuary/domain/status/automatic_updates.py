"""Automatic updates of scheduled maintenances: the reminder, the start and the end.

Statuspage's job posts them 7 to 21 seconds late (measured); here they carry the exact instants of the window, so
that every build agrees. An update that the author wrote replaces the automatic one unless that one came first.
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
"""How long before a window its reminder is posted; the text of the reminder states the same time."""


def with_automatic_updates(maintenance: Maintenance) -> tuple[IncidentUpdate, ...]:
    """Return a maintenance's updates, written and automatic, each kind in its own order."""
    start = begins_at(maintenance)
    automatic = (_reminder(maintenance, start), _start(maintenance, start), _end(maintenance, start))
    return (*maintenance.updates, *(update for update in automatic if update is not None))


def begins_at(maintenance: Maintenance) -> Instant | None:
    """Return when a maintenance goes into progress, manually or automatically; None if never.

    An `in_progress` update after an automatic start is news about it and does not start it again.
    """
    written = first_written_at(maintenance, ("in_progress",))
    verified = first_written_at(maintenance, ("verifying",))
    manual = verified if written is None else written
    if not maintenance.automation.scheduled_auto_in_progress:
        return manual
    automatic = max(maintenance.scheduled_for, maintenance.created_at)
    earlier = (written, verified, ended_manually_at(maintenance))
    return manual if any(at is not None and at <= automatic for at in earlier) else automatic


def ended_manually_at(maintenance: Maintenance) -> Instant | None:
    """Return when an author completed or cancelled a maintenance; None if no author did."""
    ends = (first_written_at(maintenance, ("completed",)), maintenance.cancelled_at)
    return min((end for end in ends if end is not None), default=None)


def first_written_at(maintenance: Maintenance, statuses: Iterable[UpdateStatus]) -> Instant | None:
    """Return the `display_at` of the earliest written update with one of these statuses; None without one."""
    wanted = frozenset(statuses)
    instants = (update.display_at for update in maintenance.updates if update.status in wanted)
    return min(instants, default=None)


def _reminder(maintenance: Maintenance, start: Instant | None) -> IncidentUpdate | None:
    at = Instant(maintenance.scheduled_for - REMINDER_LEAD)
    if not maintenance.automation.scheduled_remind_prior or maintenance.created_at >= at:
        return None
    if any(other is not None and other <= at for other in (start, ended_manually_at(maintenance))):
        return None
    notify = maintenance.automation.remind_prior_deliver_notifications
    return _automatic_update(maintenance, "reminder", "scheduled", at, body=REMINDER_BODY, notify=notify)


def _start(maintenance: Maintenance, start: Instant | None) -> IncidentUpdate | None:
    manual = (first_written_at(maintenance, (status,)) for status in ("in_progress", "verifying"))
    if start is None or start in manual:
        return None
    notify = maintenance.automation.auto_transition_deliver_notifications_at_start
    return _automatic_update(maintenance, "in_progress", "in_progress", start, notify=notify)


def _end(maintenance: Maintenance, start: Instant | None) -> IncidentUpdate | None:
    if first_written_at(maintenance, ("completed",)) is not None:
        return None
    notify = maintenance.automation.auto_transition_deliver_notifications_at_end
    cancelled, completed = maintenance.cancelled_at, _automatic_end(maintenance, start)
    if cancelled is not None and (completed is None or cancelled < completed):
        update = _automatic_update(
            maintenance, "cancelled", "completed", cancelled, body=CANCELLED_BODY, notify=notify
        )
        return replace(update, pointer=("cancelled_at",))
    if completed is None:
        return None
    return _automatic_update(maintenance, "completed", "completed", completed, notify=notify)


def _automatic_end(maintenance: Maintenance, start: Instant | None) -> Instant | None:
    if start is None or not maintenance.automation.scheduled_auto_completed:
        return None
    return max(maintenance.scheduled_until, start)


def _automatic_update(
    maintenance: Maintenance,
    kind: str,
    status: UpdateStatus,
    at: Instant,
    *,
    body: str | None = None,
    notify: bool = True,
) -> IncidentUpdate:
    return IncidentUpdate(
        # without the instant, so that a moved window keeps its ids
        id=derived_id(maintenance.id, kind),
        status=status,
        body=DEFAULT_BODIES[status] if body is None else body,
        display_at=at,
        created_at=at,
        updated_at=at,
        deliver_notifications=notify,
        automatic=True,
    )
