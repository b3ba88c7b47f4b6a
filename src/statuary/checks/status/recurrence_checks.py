"""Checks of recurring maintenances."""

from collections.abc import Iterator

from statuary.checks.status.status_context import StatusContext, format_utc
from statuary.domain.findings import Finding, Severity
from statuary.domain.primitives import Instant
from statuary.domain.status.maintenances import Maintenance, Recurrence
from statuary.domain.status.recurrence import MAX_WINDOWS, continues_after, first_start, window_starts

RULE = ("recurrence", "rule")


def _recurring(context: StatusContext) -> Iterator[tuple[Maintenance, Recurrence]]:
    for maintenance in context.catalogue.maintenances:
        if maintenance.recurrence is not None:
            yield maintenance, maintenance.recurrence


def start_fits_rule(context: StatusContext) -> Iterator[Finding]:
    """The first window of a recurring maintenance starts at `scheduled_for`."""
    for maintenance, recurrence in _recurring(context):
        first = first_start(maintenance, recurrence)
        if first is None:
            yield Finding(
                rule="start-fits-rule",
                path=maintenance.source,
                pointer=RULE,
                message="the rule gives no window",
                hint="correct the rule, or remove `recurrence`",
            )
        elif first != maintenance.scheduled_for:
            yield Finding(
                rule="start-fits-rule",
                path=maintenance.source,
                pointer=("scheduled_for",),
                message=f"the rule gives no window at {format_utc(maintenance.scheduled_for)}; "
                f"the first one starts at {format_utc(first)}",
                hint=f"set scheduled_for to {format_utc(first)}, or correct the rule",
            )


def occurrence_exists(context: StatusContext) -> Iterator[Finding]:
    """A change to one window names a window that the rule gives."""
    for maintenance, recurrence in _recurring(context):
        starts = _starts_around(maintenance, recurrence)
        for start, changes in recurrence.occurrences.items():
            if start not in starts:
                nearest = min((abs(one - start), one) for one in starts)[1] if starts else None
                yield Finding(
                    rule="occurrence-exists",
                    path=maintenance.source,
                    pointer=changes.pointer,
                    on_key=True,
                    message=f"the rule gives no window at {format_utc(start)}",
                    hint=f"did you mean {format_utc(nearest)}?"
                    if nearest
                    else "correct the time or the rule",
                )


def _starts_around(maintenance: Maintenance, recurrence: Recurrence) -> set[Instant]:
    if not recurrence.occurrences:
        return set()
    return set(window_starts(maintenance, recurrence, max(recurrence.occurrences)))


def move_is_dated(context: StatusContext) -> Iterator[Finding]:
    """A window that was moved after its announcement states when."""
    for maintenance, recurrence in _recurring(context):
        for start, changes in recurrence.occurrences.items():
            moved = changes.scheduled_for is not None or changes.scheduled_until is not None
            announced = start - recurrence.announce <= context.now < start
            if moved and announced and changes.rescheduled_at is None and changes.cancelled_at is None:
                yield Finding(
                    rule="move-is-dated",
                    severity=Severity.WARNING,
                    path=maintenance.source,
                    pointer=changes.pointer,
                    on_key=True,
                    message="the window is moved without rescheduled_at, so calendars and feeds may keep the old time",
                    hint="add rescheduled_at, or use `statuary maintenance reschedule`",
                )


def recurrence_within_limit(context: StatusContext) -> Iterator[Finding]:
    """A rule gives no more windows than a site can hold."""
    for maintenance, recurrence in _recurring(context):
        if len(window_starts(maintenance, recurrence, context.timeline.until)) > MAX_WINDOWS:
            yield Finding(
                rule="recurrence-within-limit",
                severity=Severity.WARNING,
                path=maintenance.source,
                pointer=RULE,
                message=f"the rule gives more than {MAX_WINDOWS:,} windows; the later ones are omitted",
                hint="set a later scheduled_for, or end the rule with UNTIL or COUNT",
            )


def recurrence_within_horizon(context: StatusContext) -> Iterator[Finding]:
    """A rule gives no window after the horizon, up to which future documents are written."""
    for maintenance, recurrence in _recurring(context):
        horizon = context.timeline.until
        if not maintenance.draft and continues_after(maintenance, recurrence, horizon):
            yield Finding(
                rule="recurrence-within-horizon",
                severity=Severity.NOTE,
                path=maintenance.source,
                pointer=RULE,
                message=f"the documents of windows after the horizon {format_utc(horizon)} are not written yet",
                hint="build again before the horizon",
            )
