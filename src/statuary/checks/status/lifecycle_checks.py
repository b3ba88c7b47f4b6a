"""How incidents and maintenances move, and when."""

from collections.abc import Iterator
from itertools import pairwise

from statuary.checks.status.status_context import StatusContext
from statuary.domain.findings import Finding, Pointer, Severity
from statuary.domain.primitives import Instant
from statuary.domain.status.automatic_updates import with_automatic_updates
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.incidents import Incident, IncidentUpdate
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.status_transitions import ALLOWED_TRANSITIONS, may_follow


def in_order_of_display(record: Incident) -> list[IncidentUpdate]:
    """Return a record's updates, the clock's too, as readers come to know them."""
    updates = record.updates
    if isinstance(record, Maintenance) and record.recurrence is None:
        updates = with_automatic_updates(record)
    return sorted(updates, key=lambda update: update.display_at)


def allowed_moves(context: StatusContext) -> Iterator[Finding]:
    """What is over stays over, and what has begun is not scheduled again."""
    for record in context.records:
        if any(later.display_at < earlier.display_at for earlier, later in pairwise(record.updates)):
            continue  # said once: times that are out of order make every move look wrong
        before: IncidentUpdate | None = None
        for update in in_order_of_display(record):
            if (
                not may_follow(None if before is None else before.status, update.status)
                and not update.automatic
            ):
                yield Finding(
                    rule="allowed-moves",
                    path=record.source,
                    pointer=_member(update, "status"),
                    message=_impossible(before, update),
                    hint=_possible(before),
                )
            before = update


def _impossible(before: IncidentUpdate | None, update: IncidentUpdate) -> str:
    if before is None:
        return "a postmortem comes before anything has happened"
    by = ", which the clock makes it" if before.automatic else ""
    return f"{update.status} cannot follow {before.status}{by} at {_text(before.display_at)}"


def _possible(before: IncidentUpdate | None) -> str:
    if before is None:
        return "add the updates before it"
    return f"after {before.status} comes one of: {', '.join(sorted(ALLOWED_TRANSITIONS[before.status]))}"


def updates_in_order(context: StatusContext) -> Iterator[Finding]:
    """Updates are written oldest first."""
    for record in context.records:
        for earlier, later in pairwise(record.updates):
            if later.display_at < earlier.display_at:
                yield Finding(
                    rule="updates-in-order",
                    path=record.source,
                    pointer=_member(later, "at"),
                    message=f"{_text(later.display_at)} is before the update above it, {_text(earlier.display_at)}",
                    hint="write updates oldest first, or mend the time",
                )


def update_in_future(context: StatusContext) -> Iterator[Finding]:
    """An update later than the build is shown only from its time on, which may not be what was meant."""
    for record in context.records:
        for update in record.updates:
            if update.display_at > context.now and not _is_announcement(record, update):
                yield Finding(
                    rule="update-in-future",
                    severity=Severity.WARNING,
                    path=record.source,
                    pointer=_member(update, "at"),
                    message=f"the update is dated {_text(update.display_at)}, after this build, and shows only from then on",
                    hint="mend the time, unless it is meant for later",
                )


def _is_announcement(record: Incident, update: IncidentUpdate) -> bool:
    return isinstance(record, Maintenance) and update.status == "scheduled"


def draft_unpublished(context: StatusContext) -> Iterator[Finding]:
    """A draft, and what is under embargo, is not published (only said, not wrong)."""
    for record in context.records:
        if record.draft:
            yield Finding(
                rule="draft-unpublished",
                severity=Severity.NOTE,
                path=record.source,
                pointer=("draft",),
                message="this is a draft, and nothing of it is published",
                hint="remove `draft`, or give `publish_at`",
            )
        elif record.publish_at is not None and record.publish_at > context.now:
            yield Finding(
                rule="draft-unpublished",
                severity=Severity.NOTE,
                path=record.source,
                pointer=("publish_at",),
                message=f"nothing of this is published before {_text(record.publish_at)}",
            )


def backfilled_moves_nothing(context: StatusContext) -> Iterator[Finding]:
    """What is entered after the fact gives no component a status (Statuspage refuses it as well)."""
    for record in context.records:
        if not record.backfilled:
            continue
        said = [name for name, status in record.opened_with.items() if status is not None]
        said += [name for u in record.updates for name, status in u.components.items() if status is not None]
        if said:
            yield Finding(
                rule="backfilled-moves-nothing",
                path=record.source,
                pointer=("backfilled",),
                message=f"a backfilled incident gives {', '.join(map(repr, said))} a status, which has no effect",
                hint="name them without a status, and record what happened in their `history`",
            )


def resolved_leaves_components_up(context: StatusContext) -> Iterator[Finding]:
    """When an incident is resolved, or a maintenance completed, its components work again."""
    for history in (*context.timeline.incidents, *context.timeline.maintenances):
        state = history.final
        if state is None or state.resolved_at is None or not state.closed:
            continue
        for component in state.components:
            status_history = context.timeline.status_histories.get(component)
            status = "operational" if status_history is None else status_history.at(state.resolved_at)[0]
            if status != "operational" and not _held_by_another(context, component, state):
                yield Finding(
                    rule="resolved-leaves-components-up",
                    severity=Severity.WARNING,
                    path=state.incident.source,
                    pointer=next(
                        (
                            p.update.pointer
                            for p in state.published_updates
                            if p.update.display_at == state.resolved_at
                        ),
                        (),
                    ),
                    message=f"component {component!r} is still {status} when this is {state.status}",
                    hint="give it its status in that update, or leave the incident open",
                )


def _held_by_another(context: StatusContext, component: str, state: IncidentState) -> bool:
    """Say whether another record that names a component was open when a record was closed."""
    at = state.resolved_at
    for history in context.histories_by_component.get(component, ()):
        other = history.state_at(at) if at is not None and history.incident is not state.incident else None
        if other is not None and not other.closed and other.status != "scheduled":
            return True
    return False


def _member(update: IncidentUpdate, member: str) -> Pointer:
    """Return where an update says something; a `postmortem` part has its own word for `at`, and no status."""
    if update.pointer == ("postmortem",):
        return ("postmortem", "published_at") if member == "at" else ("postmortem",)
    return (*update.pointer, member)


def _text(instant: Instant) -> str:
    return instant.isoformat(timespec="seconds").replace("+00:00", "Z")
