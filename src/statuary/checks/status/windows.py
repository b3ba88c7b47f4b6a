"""The windows of maintenances, and how they repeat."""

from collections.abc import Iterator
from operator import attrgetter

from statuary.checks.status.lifecycle import in_order_of_display
from statuary.checks.status.world import StatusWorld
from statuary.domain.findings import Finding, Pointer, Severity
from statuary.domain.primitives import Instant
from statuary.domain.status.automatic import begins_at, ends_by_hand_at
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.recurrence import MAX_WINDOWS, starts
from statuary.domain.status.vocabulary import CLOSED_STATUSES


def window_has_length(world: StatusWorld) -> Iterator[Finding]:
    """A window ends after it begins."""
    for maintenance in world.catalogue.maintenances:
        for start, end, pointer in _written_windows(maintenance):
            if end <= start:
                yield Finding(
                    rule="window-has-length",
                    path=maintenance.source,
                    pointer=(*pointer, "scheduled_until"),
                    message=f"the window ends at {_text(end)} and begins at {_text(start)}",
                    remedy="let scheduled_until be after scheduled_for",
                )


def _written_windows(maintenance: Maintenance) -> Iterator[tuple[Instant, Instant, Pointer]]:
    yield maintenance.scheduled_for, maintenance.scheduled_until, ()
    length = maintenance.scheduled_until - maintenance.scheduled_for
    for start, differs in (maintenance.recurrence.occurrences if maintenance.recurrence else {}).items():
        begin = differs.scheduled_for or start
        yield begin, differs.scheduled_until or Instant(begin + length), differs.pointer


def windows_do_not_overlap(world: StatusWorld) -> Iterator[Finding]:
    """No component has two windows at once that are still to end."""
    windows: dict[str, list[Maintenance]] = {}
    for life in world.line.maintenances:
        maintenance = life.incident
        if isinstance(maintenance, Maintenance) and _is_ahead(maintenance, world.now):
            for component in life.components:
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
                remedy="move one of the two, or make them one maintenance",
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
    ended = ends_by_hand_at(maintenance)
    return not maintenance.draft and maintenance.scheduled_until > now and (ended is None or ended > now)


def announced_before_it_begins(world: StatusWorld) -> Iterator[Finding]:
    """A maintenance is announced before its window."""
    for maintenance in world.catalogue.maintenances:
        late = maintenance.created_at >= maintenance.scheduled_for
        if maintenance.recurrence is None and late and not maintenance.backfilled:
            yield Finding(
                rule="announced-before-it-begins",
                severity=Severity.WARNING,
                path=maintenance.source,
                pointer=("created_at",),
                message=f"it is announced at {_text(maintenance.created_at)}, "
                f"and begins at {_text(maintenance.scheduled_for)}",
                remedy="announce it earlier, or write an incident",
            )


def overdue_maintenance(world: StatusWorld) -> Iterator[Finding]:
    """A maintenance whose window is over is completed, or says that it takes longer."""
    for life in world.line.maintenances:
        maintenance, state = life.incident, life.state_at(world.now)
        if state is None or state.status in CLOSED_STATUSES or not isinstance(maintenance, Maintenance):
            continue
        if maintenance.scheduled_until < world.now:
            yield Finding(
                rule="overdue-maintenance",
                severity=Severity.WARNING,
                path=maintenance.source,
                pointer=("scheduled_until",),
                message=f"the window ended at {_text(maintenance.scheduled_until)}, and it is still {state.status}",
                remedy="add an update that completes it, or move scheduled_until",
            )


def completed_by_clock_begins(world: StatusWorld) -> Iterator[Finding]:
    """What the clock is to complete has to begin, by the clock or by hand."""
    for maintenance in world.catalogue.maintenances:
        automation = maintenance.automation
        if automation.scheduled_auto_completed and maintenance.recurrence is None:
            ended = ends_by_hand_at(maintenance)
            if begins_at(maintenance) is None and ended is None and maintenance.scheduled_for < world.now:
                yield Finding(
                    rule="completed-by-clock-begins",
                    severity=Severity.WARNING,
                    path=maintenance.source,
                    pointer=("scheduled_auto_in_progress",),
                    message="the window is open, nobody has begun the maintenance, and so the clock will not complete it",
                    remedy="add an update with status in_progress, or cancel it",
                )


def cancelled_in_time(world: StatusWorld) -> Iterator[Finding]:
    """What is cancelled had not been completed before."""
    for maintenance in world.catalogue.maintenances:
        completed = next((u for u in in_order_of_display(maintenance) if u.status == "completed"), None)
        cancelled = maintenance.cancelled_at
        if cancelled is not None and completed is not None and completed.display_at < cancelled:
            yield Finding(
                rule="cancelled-in-time",
                path=maintenance.source,
                pointer=("cancelled_at",),
                message=f"it is cancelled at {_text(cancelled)}, and completed before, at {_text(completed.display_at)}",
                remedy="remove cancelled_at, or mend its time",
            )


def occurrence_exists(world: StatusWorld) -> Iterator[Finding]:
    """What differs in one window of a recurring maintenance belongs to a window that the rule gives."""
    for maintenance in world.catalogue.maintenances:
        recurrence = maintenance.recurrence
        if recurrence is None or not recurrence.occurrences:
            continue
        given = set(starts(maintenance, recurrence, max(recurrence.occurrences)))
        for start, differs in recurrence.occurrences.items():
            if start not in given:
                near = min(given, key=lambda one, start=start: abs(one - start), default=None)  # type: ignore[misc]
                yield Finding(
                    rule="occurrence-exists",
                    path=maintenance.source,
                    pointer=differs.pointer,
                    on_key=True,
                    message=f"the rule gives no window at {_text(start)}",
                    remedy=f"did you mean {_text(near)}?" if near else "mend the time, or the rule",
                )


def recurrence_within_limit(world: StatusWorld) -> Iterator[Finding]:
    """A rule lays out no more windows than a site can hold."""
    for maintenance in world.catalogue.maintenances:
        recurrence = maintenance.recurrence
        if recurrence is not None and len(starts(maintenance, recurrence, world.line.until)) > MAX_WINDOWS:
            yield Finding(
                rule="recurrence-within-limit",
                path=maintenance.source,
                pointer=("recurrence", "rule"),
                message=f"the rule gives more than {MAX_WINDOWS:,} windows, and the later ones are left out",
                remedy="let it begin later, or end",
            )


def _text(instant: Instant) -> str:
    return instant.isoformat(timespec="seconds").replace("+00:00", "Z")
