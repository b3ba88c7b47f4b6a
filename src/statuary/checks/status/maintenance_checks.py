"""The windows of maintenances, and how they repeat."""

from collections.abc import Iterator
from operator import attrgetter

from statuary.checks.status.lifecycle_checks import in_order_of_display
from statuary.checks.status.status_context import StatusContext
from statuary.domain.findings import Finding, Pointer, Severity
from statuary.domain.primitives import Instant
from statuary.domain.status.automatic_updates import begins_at, ended_manually_at
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.recurrence import MAX_WINDOWS, window_starts
from statuary.domain.status.vocabulary import CLOSED_STATUSES


def window_has_length(context: StatusContext) -> Iterator[Finding]:
    """A window ends after it begins."""
    for maintenance in context.catalogue.maintenances:
        for start, end, pointer in _written_windows(maintenance):
            if end <= start:
                yield Finding(
                    rule="window-has-length",
                    path=maintenance.source,
                    pointer=(*pointer, "scheduled_until"),
                    message=f"the window ends at {_text(end)} and begins at {_text(start)}",
                    hint="let scheduled_until be after scheduled_for",
                )


def _written_windows(maintenance: Maintenance) -> Iterator[tuple[Instant, Instant, Pointer]]:
    yield maintenance.scheduled_for, maintenance.scheduled_until, ()
    length = maintenance.scheduled_until - maintenance.scheduled_for
    for start, differs in (maintenance.recurrence.occurrences if maintenance.recurrence else {}).items():
        begin = differs.scheduled_for or start
        yield begin, differs.scheduled_until or Instant(begin + length), differs.pointer


def windows_do_not_overlap(context: StatusContext) -> Iterator[Finding]:
    """No component has two windows at once that are still to end."""
    windows: dict[str, list[Maintenance]] = {}
    for history in context.timeline.maintenances:
        maintenance = history.incident
        if isinstance(maintenance, Maintenance) and _is_ahead(maintenance, context.now):
            for component in history.components:
                windows.setdefault(component, []).append(maintenance)
    for component, planned in windows.items():
        for first, second in _overlaps(planned):
            yield Finding(
                rule="windows-do-not-overlap",
                severity=Severity.WARNING,
                path=second.source,
                pointer=("scheduled_for",),
                message=f"the window at {_text(second.scheduled_for)} overlaps that of {first.id!r}, "
                f"which has {component!r} until {_text(first.scheduled_until)}",
                hint="move one of the two, or make them one maintenance",
            )


def _overlaps(windows: list[Maintenance]) -> Iterator[tuple[Maintenance, Maintenance]]:
    """Yield each window that begins before an earlier one has ended, with the latest-ending of these."""
    latest: Maintenance | None = None
    for window in sorted(windows, key=attrgetter("scheduled_for", "id")):
        if latest is not None and window.scheduled_for < latest.scheduled_until:
            yield latest, window
        if latest is None or window.scheduled_until > latest.scheduled_until:
            latest = window


def _is_ahead(maintenance: Maintenance, now: Instant) -> bool:
    ended = ended_manually_at(maintenance)
    return not maintenance.draft and maintenance.scheduled_until > now and (ended is None or ended > now)


def announced_before_it_begins(context: StatusContext) -> Iterator[Finding]:
    """A maintenance is announced before its window."""
    for maintenance in context.catalogue.maintenances:
        late = maintenance.created_at >= maintenance.scheduled_for
        if maintenance.recurrence is None and late and not maintenance.backfilled:
            yield Finding(
                rule="announced-before-it-begins",
                severity=Severity.WARNING,
                path=maintenance.source,
                pointer=("created_at",),
                message=f"it is announced at {_text(maintenance.created_at)}, "
                f"and begins at {_text(maintenance.scheduled_for)}",
                hint="announce it earlier, or write an incident",
            )


def overdue_maintenance(context: StatusContext) -> Iterator[Finding]:
    """A maintenance whose window is over is completed, or says that it takes longer."""
    for history in context.timeline.maintenances:
        maintenance, state = history.incident, history.state_at(context.now)
        if state is None or state.status in CLOSED_STATUSES or not isinstance(maintenance, Maintenance):
            continue
        if maintenance.scheduled_until < context.now:
            yield Finding(
                rule="overdue-maintenance",
                severity=Severity.WARNING,
                path=maintenance.source,
                pointer=("scheduled_until",),
                message=f"the window ended at {_text(maintenance.scheduled_until)}, and it is still {state.status}",
                hint="add an update that completes it, or move scheduled_until",
            )


def completed_by_clock_begins(context: StatusContext) -> Iterator[Finding]:
    """What the clock is to complete has to begin, by the clock or by hand."""
    for maintenance in context.catalogue.maintenances:
        automation = maintenance.automation
        if automation.scheduled_auto_completed and maintenance.recurrence is None:
            ended = ended_manually_at(maintenance)
            if begins_at(maintenance) is None and ended is None and maintenance.scheduled_for < context.now:
                yield Finding(
                    rule="completed-by-clock-begins",
                    severity=Severity.WARNING,
                    path=maintenance.source,
                    pointer=("scheduled_auto_in_progress",),
                    message="the window is open, nobody has begun the maintenance, and so the clock will not complete it",
                    hint="add an update with status in_progress, or cancel it",
                )


def cancelled_in_time(context: StatusContext) -> Iterator[Finding]:
    """What is cancelled had not been completed before."""
    for maintenance in context.catalogue.maintenances:
        completed = next((u for u in in_order_of_display(maintenance) if u.status == "completed"), None)
        cancelled = maintenance.cancelled_at
        if cancelled is not None and completed is not None and completed.display_at < cancelled:
            yield Finding(
                rule="cancelled-in-time",
                path=maintenance.source,
                pointer=("cancelled_at",),
                message=f"it is cancelled at {_text(cancelled)}, and completed before, at {_text(completed.display_at)}",
                hint="remove cancelled_at, or mend its time",
            )


def occurrence_exists(context: StatusContext) -> Iterator[Finding]:
    """What differs in one window of a recurring maintenance belongs to a window that the rule gives."""
    for maintenance in context.catalogue.maintenances:
        recurrence = maintenance.recurrence
        if recurrence is None or not recurrence.occurrences:
            continue
        given = set(window_starts(maintenance, recurrence, max(recurrence.occurrences)))
        for start, differs in recurrence.occurrences.items():
            if start not in given:
                near = min(given, key=lambda one, start=start: abs(one - start), default=None)  # type: ignore[misc]
                yield Finding(
                    rule="occurrence-exists",
                    path=maintenance.source,
                    pointer=differs.pointer,
                    on_key=True,
                    message=f"the rule gives no window at {_text(start)}",
                    hint=f"did you mean {_text(near)}?" if near else "mend the time, or the rule",
                )


def recurrence_within_limit(context: StatusContext) -> Iterator[Finding]:
    """A rule lays out no more windows than a site can hold."""
    for maintenance in context.catalogue.maintenances:
        recurrence = maintenance.recurrence
        if (
            recurrence is not None
            and len(window_starts(maintenance, recurrence, context.timeline.until)) > MAX_WINDOWS
        ):
            yield Finding(
                rule="recurrence-within-limit",
                path=maintenance.source,
                pointer=("recurrence", "rule"),
                message=f"the rule gives more than {MAX_WINDOWS:,} windows, and the later ones are left out",
                hint="let it begin later, or end",
            )


def _text(instant: Instant) -> str:
    return instant.isoformat(timespec="seconds").replace("+00:00", "Z")
