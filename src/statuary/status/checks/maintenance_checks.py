"""Checks of maintenance windows and their recurrence rules."""

from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from statuary.base.findings import Pointer, Severity
from statuary.base.primitives import Instant, format_utc
from statuary.base.rules import check
from statuary.status.checks.status_context import StatusContext, StatusViolation
from statuary.status.model.records import Maintenance, Recurrence
from statuary.status.model.recurrence import (
    MAX_WINDOWS,
    actual_window_start,
    first_window_start,
    has_window_after,
    manual_window_end,
    updates_in_display_order,
    window_starts,
)
from statuary.status.model.vocabulary import CLOSED_STATUSES


@check
def empty_window(context: StatusContext) -> Iterator[StatusViolation]:
    """A maintenance window must end after it starts."""
    for maintenance in context.catalogue.maintenances:
        for start, end, pointer in _windows_in_content(maintenance):
            if end <= start:
                yield StatusViolation(
                    maintenance.source,
                    (*pointer, "scheduled_until"),
                    f"the window ends at {format_utc(end)} but starts at {format_utc(start)}",
                    "set scheduled_until to a time after scheduled_for",
                )


def _windows_in_content(maintenance: Maintenance) -> Iterator[tuple[Instant, Instant, Pointer]]:
    yield maintenance.scheduled_for, maintenance.scheduled_until, ()
    length = maintenance.scheduled_until - maintenance.scheduled_for
    for start, changes in (maintenance.recurrence.occurrences if maintenance.recurrence else {}).items():
        begin = changes.scheduled_for or start
        yield begin, changes.scheduled_until or Instant(begin + length), changes.pointer


@check(Severity.WARNING)
def overlapping_windows(context: StatusContext) -> Iterator[StatusViolation]:
    """A component should not have two maintenance windows at the same time."""
    windows: dict[str, Maintenance] = {}
    planned: dict[str, list[Maintenance]] = {}
    for history in context.timeline.maintenances:
        maintenance = history.incident
        if isinstance(maintenance, Maintenance) and _is_upcoming(maintenance, context.now):
            windows[maintenance.id] = maintenance
            for component in history.components:
                planned.setdefault(component, []).append(maintenance)
    components: dict[_Overlap, list[str]] = {}
    for component, of_component in planned.items():
        for overlap in _overlapping_pairs(of_component):
            components.setdefault(overlap, []).append(component)
    for overlap, affected in components.items():
        earlier_window, later_window = windows[overlap.earlier], windows[overlap.later]
        more = f" and {len(affected) - 1:,} more" if len(affected) > 1 else ""
        yield StatusViolation(
            later_window.source,
            ("scheduled_for",),
            (
                f"the window at {format_utc(later_window.scheduled_for)} overlaps the window of {earlier_window.id!r}, "
                f"which affects {affected[0]!r}{more} until {format_utc(earlier_window.scheduled_until)}"
            ),
            "move one of them, or combine them into one maintenance",
        )


class _Overlap(NamedTuple):
    """The ids of two maintenance windows that overlap."""

    earlier: str
    later: str


def _overlapping_pairs(windows: list[Maintenance]) -> Iterator[_Overlap]:
    """Yield each window with the earlier one that it overlaps.

    If there are several, it is the one that ends last.
    """
    latest: Maintenance | None = None
    for window in sorted(windows, key=attrgetter("scheduled_for", "id")):
        if latest is not None and window.scheduled_for < latest.scheduled_until:
            yield _Overlap(latest.id, window.id)
        if latest is None or window.scheduled_until > latest.scheduled_until:
            latest = window


def _is_upcoming(maintenance: Maintenance, now: Instant) -> bool:
    ended = manual_window_end(maintenance)
    return not maintenance.draft and maintenance.scheduled_until > now and (ended is None or ended > now)


@check(Severity.WARNING)
def late_announcement(context: StatusContext) -> Iterator[StatusViolation]:
    """A maintenance window should be announced before it starts."""
    for maintenance in context.catalogue.maintenances:
        late = maintenance.created_at >= maintenance.scheduled_for
        if maintenance.recurrence is None and late and not maintenance.backfilled:
            yield StatusViolation(
                maintenance.source,
                ("created_at",),
                (
                    f"the maintenance window is announced at {format_utc(maintenance.created_at)} "
                    f"but starts at {format_utc(maintenance.scheduled_for)}"
                ),
                "announce it earlier, or write an incident instead",
            )


@check(Severity.WARNING)
def overdue_maintenance(context: StatusContext) -> Iterator[StatusViolation]:
    """A maintenance window should be completed when its time is over."""
    for history in context.timeline.maintenances:
        maintenance = history.incident
        state = history.state_at(context.now)
        if state is None or state.status in CLOSED_STATUSES or not isinstance(maintenance, Maintenance):
            continue
        if maintenance.scheduled_until < context.now:
            yield StatusViolation(
                maintenance.source,
                ("scheduled_until",),
                (
                    f"the window ended at {format_utc(maintenance.scheduled_until)} "
                    f"but the maintenance is still {state.status}"
                ),
                "add an update that completes it, or extend scheduled_until",
            )


@check(Severity.WARNING)
def completed_without_start(context: StatusContext) -> Iterator[StatusViolation]:
    """A maintenance window that completes automatically should have been started."""
    for maintenance in context.catalogue.maintenances:
        if not maintenance.automation.scheduled_auto_completed or maintenance.recurrence is not None:
            continue
        started = actual_window_start(maintenance) is not None or manual_window_end(maintenance) is not None
        if not started and maintenance.scheduled_for < context.now:
            yield StatusViolation(
                maintenance.source,
                ("scheduled_auto_in_progress",),
                "the window has started but the maintenance has not, so it does not complete automatically",
                "add an update with status in_progress, or cancel the maintenance",
            )


@check
def cancelled_after_completion(context: StatusContext) -> Iterator[StatusViolation]:
    """A maintenance window must not be cancelled after it is completed."""
    for maintenance in context.catalogue.maintenances:
        completed = next((u for u in updates_in_display_order(maintenance) if u.status == "completed"), None)
        cancelled = maintenance.cancelled_at
        if cancelled is not None and completed is not None and completed.display_at < cancelled:
            yield StatusViolation(
                maintenance.source,
                ("cancelled_at",),
                (
                    f"the maintenance is cancelled at {format_utc(cancelled)} "
                    f"but completed earlier, at {format_utc(completed.display_at)}"
                ),
                "remove cancelled_at, or correct its time",
            )


@check(Severity.NOTE)
def window_beyond_horizon(context: StatusContext) -> Iterator[StatusViolation]:
    """A maintenance window should end before the horizon, which ends the precomputed documents."""
    horizon = context.timeline.until
    for maintenance in context.catalogue.maintenances:
        if maintenance.recurrence is not None or not _is_upcoming(maintenance, context.now):
            continue
        if maintenance.scheduled_until > horizon:
            yield StatusViolation(
                maintenance.source,
                ("scheduled_until",),
                (
                    f"the window ends at {format_utc(maintenance.scheduled_until)}, "
                    f"after the horizon {format_utc(horizon)}"
                ),
                f"build again before the horizon, or raise status.horizon_days in {context.catalogue.page_source}",
            )


RULE = ("recurrence", "rule")


def _recurring_maintenances(context: StatusContext) -> Iterator[tuple[Maintenance, Recurrence]]:
    for maintenance in context.catalogue.maintenances:
        if maintenance.recurrence is not None:
            yield maintenance, maintenance.recurrence


@check
def recurrence_start_mismatch(context: StatusContext) -> Iterator[StatusViolation]:
    """The first window of a recurring maintenance must start at `scheduled_for`."""
    for maintenance, recurrence in _recurring_maintenances(context):
        rule_start = first_window_start(maintenance, recurrence)
        if rule_start is None:
            yield StatusViolation(
                maintenance.source,
                RULE,
                "the recurrence rule never produces a maintenance window",
                "correct the rule, or remove `recurrence`",
            )
        elif rule_start != maintenance.scheduled_for:
            yield StatusViolation(
                maintenance.source,
                ("scheduled_for",),
                (
                    f"the recurrence rule does not produce a window at {format_utc(maintenance.scheduled_for)}; "
                    f"the first one starts at {format_utc(rule_start)}"
                ),
                f"set scheduled_for to {format_utc(rule_start)}, or correct the rule",
            )


@check
def unknown_occurrence(context: StatusContext) -> Iterator[StatusViolation]:
    """A change to one window must name a window of the recurrence rule."""
    for maintenance, recurrence in _recurring_maintenances(context):
        if not recurrence.occurrences:
            continue
        starts = set(window_starts(maintenance, recurrence, max(recurrence.occurrences)))
        for start, changes in recurrence.occurrences.items():
            if start not in starts:
                nearest = (
                    min((abs(other_start - start), other_start) for other_start in starts)[1]
                    if starts
                    else None
                )
                yield StatusViolation(
                    maintenance.source,
                    changes.pointer,
                    f"the recurrence rule does not produce a window at {format_utc(start)}",
                    (f"did you mean {format_utc(nearest)}?" if nearest else "correct the time or the rule"),
                    on_key=True,
                )


@check(Severity.WARNING)
def undated_move(context: StatusContext) -> Iterator[StatusViolation]:
    """A window that was moved after its announcement should state when."""
    for maintenance, recurrence in _recurring_maintenances(context):
        for start, changes in recurrence.occurrences.items():
            moved = changes.scheduled_for is not None or changes.scheduled_until is not None
            announced = start - recurrence.announce <= context.now < start
            if moved and announced and changes.rescheduled_at is None and changes.cancelled_at is None:
                yield StatusViolation(
                    maintenance.source,
                    changes.pointer,
                    "the window is moved without rescheduled_at, so calendars and feeds may keep the old time",
                    "add rescheduled_at, or use `statuary maintenance reschedule`",
                    on_key=True,
                )


@check(Severity.WARNING)
def too_many_windows(context: StatusContext) -> Iterator[StatusViolation]:
    """A recurrence rule should not give more windows than a site can hold."""
    for maintenance, recurrence in _recurring_maintenances(context):
        if len(window_starts(maintenance, recurrence, context.timeline.until)) > MAX_WINDOWS:
            yield StatusViolation(
                maintenance.source,
                RULE,
                f"the recurrence rule produces more than {MAX_WINDOWS:,} maintenance windows; the later ones are omitted",
                "set a later scheduled_for, or end the rule with UNTIL or COUNT",
            )


@check(Severity.NOTE)
def recurrence_beyond_horizon(context: StatusContext) -> Iterator[StatusViolation]:
    """A recurrence rule should not give windows after the horizon, which ends the precomputed documents."""
    for maintenance, recurrence in _recurring_maintenances(context):
        horizon = context.timeline.until
        if not maintenance.draft and has_window_after(maintenance, recurrence, horizon):
            yield StatusViolation(
                maintenance.source,
                RULE,
                f"the documents of windows after the horizon {format_utc(horizon)} are not written yet",
                "build again before the horizon",
            )
