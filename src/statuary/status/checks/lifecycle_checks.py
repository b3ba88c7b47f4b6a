"""Checks of the updates of incidents and maintenances: statuses, order and times."""

from collections.abc import Iterator
from itertools import pairwise

from statuary.base.findings import Pointer, Severity
from statuary.base.primitives import format_utc
from statuary.base.rules import check
from statuary.status.checks.status_context import StatusContext, StatusViolation
from statuary.status.model.incident_history import IncidentState
from statuary.status.model.records import Incident, IncidentUpdate, Maintenance
from statuary.status.model.recurrence import updates_in_display_order
from statuary.status.model.vocabulary import ALLOWED_TRANSITIONS, CLOSED_STATUSES, can_follow


@check
def invalid_status_transition(context: StatusContext) -> Iterator[StatusViolation]:
    """An update's status must be one that may follow the previous status."""
    for record in context.edited_records:
        # Skip a record whose updates are out of order. The rule `updates-out-of-order` reports it, and its
        # transitions mean nothing.
        if any(
            later_update.display_at < earlier_update.display_at
            for earlier_update, later_update in pairwise(record.updates)
        ):
            continue
        for previous_update, update in pairwise([None, *updates_in_display_order(record)]):
            if update is None or update.automatic or update.reopens:
                continue
            if not can_follow(None if previous_update is None else previous_update.status, update.status):
                yield _transition_violation(record, previous_update, update)


def _transition_violation(
    record: Incident, previous_update: IncidentUpdate | None, update: IncidentUpdate
) -> StatusViolation:
    if previous_update is None:
        message, hint = "a postmortem is the first update", "add the updates before it"
    else:
        automatic = "the automatic " if previous_update.automatic else ""
        message = f"{update.status} cannot follow {automatic}{previous_update.status} of {format_utc(previous_update.display_at)}"
        hint = f"use one of {', '.join(sorted(ALLOWED_TRANSITIONS[previous_update.status]))} after {previous_update.status}"
        if previous_update.status in CLOSED_STATUSES:
            hint += ", or add `reopens: true`"
    return StatusViolation(record.source, _pointer_in_update(update, "status"), message, hint)


@check
def updates_out_of_order(context: StatusContext) -> Iterator[StatusViolation]:
    """Imported updates must be sorted, oldest first, with the postmortem last."""
    for record in context.edited_records:
        for earlier_update, later_update in pairwise(record.updates):
            if later_update.display_at < earlier_update.display_at:
                yield StatusViolation(
                    record.source,
                    _pointer_in_update(later_update, "at"),
                    f"{format_utc(later_update.display_at)} is before the previous update, {format_utc(earlier_update.display_at)}",
                    "list updates oldest first, or correct the time",
                )


@check(Severity.WARNING)
def update_in_future(context: StatusContext) -> Iterator[StatusViolation]:
    """An update should not be dated after the build."""
    for record in context.edited_records:
        for update in record.updates:
            is_announcement = isinstance(record, Maintenance) and update.status == "scheduled"
            if update.display_at > context.now and not is_announcement:
                yield StatusViolation(
                    record.source,
                    _pointer_in_update(update, "at"),
                    f"the update is dated {format_utc(update.display_at)}, which is in the future, and is published only then",
                    "correct the time, unless the update is meant for later",
                )


@check(Severity.NOTE)
def draft_unpublished(context: StatusContext) -> Iterator[StatusViolation]:
    """A draft, or a record with a later `publish_at`, is not published yet."""
    for record in context.records:
        if record.draft:
            yield StatusViolation(
                record.source,
                ("draft",),
                "the record is a draft, so it is not published",
                "to publish it, remove `draft` or set `publish_at`",
            )
        elif record.publish_at is not None and record.publish_at > context.now:
            yield StatusViolation(
                record.source,
                ("publish_at",),
                f"the record is not published before {format_utc(record.publish_at)}",
            )


@check
def backfilled_status_change(context: StatusContext) -> Iterator[StatusViolation]:
    """A backfilled incident must not change a component's status (as in Statuspage)."""
    for record in context.records:
        components = _components_with_status(record) if record.backfilled else []
        if components:
            yield StatusViolation(
                record.source,
                ("backfilled",),
                f"a backfilled incident sets the status of {', '.join(map(repr, components))}, which has no effect",
                "name the components without a status, and record the changes in their `history`",
            )


def _components_with_status(record: Incident) -> list[str]:
    statuses = [record.opened_with, *(update.components for update in record.updates)]
    return [name for components in statuses for name, status in components.items() if status is not None]


@check(Severity.WARNING)
def component_not_restored(context: StatusContext) -> Iterator[StatusViolation]:
    """Components should be operational after their incident or maintenance window ends."""
    for history in context.timeline.histories:
        state = history.final_state
        if state is None or state.resolved_at is None or not state.closed:
            continue
        for component in state.components:
            status_history = context.timeline.status_histories.get(component)
            status = "operational" if status_history is None else status_history.at(state.resolved_at).status
            if status != "operational" and not _is_affected_by_another_record(context, component, state):
                yield StatusViolation(
                    state.incident.source,
                    _resolving_pointer(state),
                    f"component {component!r} is still {status} when the record is {state.status}",
                    "set its status in that update, or leave the incident open",
                )


def _resolving_pointer(state: IncidentState) -> Pointer:
    updates = (published_update.update for published_update in state.published_updates)
    return next((update.pointer for update in updates if update.display_at == state.resolved_at), ())


def _is_affected_by_another_record(context: StatusContext, component: str, state: IncidentState) -> bool:
    at = state.resolved_at
    for history in context.histories_by_component.get(component, ()):
        other_state = (
            history.state_at(at) if at is not None and history.incident is not state.incident else None
        )
        if other_state is not None and not other_state.closed and other_state.status != "scheduled":
            return True
    return False


def _pointer_in_update(update: IncidentUpdate, member: str) -> Pointer:
    """Return the place of an update's value, such as `at`, in its file.

    A postmortem is an update too, but its keys differ: `published_at` instead of `at`.
    """
    if update.pointer == ("postmortem",):
        return ("postmortem", "published_at") if member == "at" else ("postmortem",)
    return (*update.pointer, member)
