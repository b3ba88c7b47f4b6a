"""Windows of recurring maintenances, by an RFC 5545 rule.

The rule follows the clock of its time zone: a window at 02:00 stays at 02:00 when clocks change.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice

from statuary.base.primitives import Instant, InvalidValueError, format_utc_shortest, shorten, to_instant
from statuary.status.model.records import (
    Incident,
    IncidentUpdate,
    Maintenance,
    Occurrence,
    Recurrence,
    derived_id,
)
from statuary.status.model.vocabulary import CANCELLED_BODY, DEFAULT_BODIES, REMINDER_BODY, UpdateStatus

MAX_WINDOWS = 4_000
"""The largest number of windows of one rule, such as eleven years of daily ones; a check reports more."""

MAX_TIMES_PER_DAY = 24

FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")

RANGES: Mapping[str, tuple[int, int]] = {
    "INTERVAL": (1, 9999),
    "COUNT": (1, 999_999),
    "BYMONTH": (1, 12),
    "BYMONTHDAY": (-31, 31),
    "BYYEARDAY": (-366, 366),
    "BYWEEKNO": (-53, 53),
    "BYSETPOS": (-366, 366),
    "BYHOUR": (0, 23),
    "BYMINUTE": (0, 59),
    "BYSECOND": (0, 59),
}
"""The numeric parts of a rule with their ranges; one that begins below 0 excludes 0."""

EXAMPLE = "write it like FREQ=WEEKLY;BYDAY=TU;COUNT=10"

LAST_YEAR = 9999
CALENDAR_CYCLE = 400
"""Years after which the calendar repeats, weekdays included."""


def validate_recurrence_rule(rule: str) -> None:
    """Check the syntax and frequency of a recurrence rule (RRULE).

    Raises:
        InvalidValueError: if the rule is not one of RFC 5545, or repeats more often than a maintenance can.
    """
    parts = _parse_rule_parts(rule)
    if parts.get("FREQ") not in FREQUENCIES:
        raise InvalidValueError(
            f"recurrence rule {shorten(rule)} has no FREQ of {', '.join(FREQUENCIES)}", EXAMPLE
        )
    for name, value in parts.items():
        if not _is_valid_rule_part(name, value):
            raise InvalidValueError(
                f"recurrence rule {shorten(rule)}: {name}={shorten(value)} is not valid", EXAMPLE
            )
    if {"COUNT", "UNTIL"} <= parts.keys():
        raise InvalidValueError(
            f"recurrence rule {shorten(rule)} has both COUNT and UNTIL", "keep one of them"
        )
    times = [len(parts[name].split(",")) for name in ("BYHOUR", "BYMINUTE", "BYSECOND") if name in parts]
    if max(times, default=1) > MAX_TIMES_PER_DAY or sum(number > 1 for number in times) > 1:
        raise InvalidValueError(
            f"recurrence rule {shorten(rule)} produces more than {MAX_TIMES_PER_DAY} windows a day", EXAMPLE
        )


def _parse_rule_parts(rule: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in rule.upper().split(";"):
        name, equals, value = part.partition("=")
        if not equals:
            raise InvalidValueError(
                f"recurrence rule {shorten(rule)}: {shorten(part)} is not NAME=VALUE", EXAMPLE
            )
        if name in parts:
            raise InvalidValueError(f"recurrence rule {shorten(rule)} has {name} twice", f"keep one {name}")
        parts[name] = value
    return parts


def _is_valid_rule_part(name: str, value: str) -> bool:
    if name in RANGES:
        numbers = value.split(",") if name.startswith("BY") else [value]
        return all(_is_number_within(number, *RANGES[name]) for number in numbers)
    if name == "BYDAY":
        return all(re.fullmatch(rf"([+-]?[1-9]\d?)?({'|'.join(WEEKDAYS)})", day) for day in value.split(","))
    if name == "UNTIL":
        return _parse_until(value) is not None
    return (name == "FREQ" and value in FREQUENCIES) or (name == "WKST" and value in WEEKDAYS)


def _is_number_within(text: str, least: int, most: int) -> bool:
    if not re.fullmatch(r"[+-]?\d{1,6}", text, re.ASCII):
        return False
    return least <= int(text) <= most and (least >= 0 or int(text) != 0)


def _parse_until(value: str) -> Instant | None:
    try:
        return to_instant(datetime.strptime(value, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC))
    except ValueError:
        return None


def window_starts(maintenance: Maintenance, recurrence: Recurrence, until: Instant) -> list[Instant]:
    """Return the starts of windows that are announced by a time.

    At most `MAX_WINDOWS` + 1 starts are returned. If there are that many, the maintenance has too many
    windows.

    Args:
        maintenance: the recurring maintenance.
        recurrence: the rule of its windows.
        until: the given time.
    """
    last_start = Instant(until + recurrence.announce)
    return list(islice(_window_starts_until(maintenance, recurrence, last_start), MAX_WINDOWS + 1))


def first_window_start(maintenance: Maintenance, recurrence: Recurrence) -> Instant | None:
    """Return the start of the first window of a recurring maintenance.

    Args:
        recurrence: the rule that gives the windows.

    Returns:
        The start, or None if the rule gives no window.
    """
    last_start = to_instant(datetime(LAST_YEAR, 1, 1, tzinfo=UTC))
    return next(_window_starts_until(maintenance, recurrence, last_start), None)


def has_window_after(maintenance: Maintenance, recurrence: Recurrence, at: Instant) -> bool:
    """Return whether a recurring maintenance has a window after a time.

    Args:
        recurrence: the rule that gives the windows; at most `MAX_WINDOWS` are examined.
        at: the time.
    """
    last_start = to_instant(datetime(LAST_YEAR, 1, 1, tzinfo=UTC))
    return any(
        start > at for start in islice(_window_starts_until(maintenance, recurrence, last_start), MAX_WINDOWS)
    )


def _window_starts_until(
    maintenance: Maintenance, recurrence: Recurrence, last_start: Instant
) -> Iterator[Instant]:
    parts = _parse_rule_parts(recurrence.rule)
    until = _parse_until(parts.pop("UNTIL", ""))
    end = last_start if until is None else min(last_start, until)
    rule = ";".join(f"{name}={value}" for name, value in parts.items())
    for start in _local_starts(rule, maintenance.scheduled_for.astimezone(recurrence.time_zone)):
        if start > end:
            return
        yield start


def _local_starts(rule: str, first_local: datetime) -> Iterator[Instant]:
    # Import dateutil only here, because only sites with recurring maintenance need it.
    from dateutil.rrule import rrulestr  # noqa: PLC0415

    # If a rule never matches, such as 30 February, dateutil tries every year up to 9999, which takes half a
    # minute. Because the calendar repeats every 400 years, shift the start by a multiple of 400 years, close
    # to the year 9999.
    shift = max(0, (LAST_YEAR - first_local.year - CALENDAR_CYCLE // 2) // CALENDAR_CYCLE * CALENDAR_CYCLE)
    shifted = first_local.replace(year=first_local.year + shift, tzinfo=None)
    for start in rrulestr(rule, dtstart=shifted):
        yield to_instant(start.replace(year=start.year - shift, tzinfo=first_local.tzinfo))


def maintenance_windows(maintenance: Maintenance, until: Instant) -> Iterator[Maintenance]:
    """Yield each announced window of a recurring maintenance.

    A maintenance that does not recur is yielded as it is.

    Args:
        until: the time by which the windows are announced.
    """
    recurrence = maintenance.recurrence
    if recurrence is None:
        yield maintenance
        return
    # A change may announce a window earlier than the rule does. So search far enough to find every window
    # that was announced by `until`.
    early = (
        Instant(start - recurrence.announce)
        for start, changes in recurrence.occurrences.items()
        if _announcement_time(recurrence, start, changes) <= until
    )
    for start in window_starts(maintenance, recurrence, max((until, *early)))[:MAX_WINDOWS]:
        window = _make_window(maintenance, recurrence, start)
        if window.created_at <= until:
            yield window


def _announcement_time(recurrence: Recurrence, start: Instant, changes: Occurrence) -> Instant:
    """Return the time at which a window of a recurring maintenance is announced.

    It follows from the rule, unless a move or an update announces the window earlier.
    """
    announced = Instant(start - recurrence.announce)
    if changes.scheduled_for is not None:
        moved = Instant(changes.scheduled_for - recurrence.announce)
        announced = min(announced, max(moved, changes.rescheduled_at or moved))
    written_update = (
        update.display_at
        for update in changes.updates
        if changes.cancelled_at is None or update.display_at < changes.cancelled_at
    )
    return min((announced, *written_update))


def window_id(maintenance: Maintenance, start: Instant) -> str:
    """Return the id of one window of a recurring maintenance.

    Args:
        maintenance: the recurring maintenance.
        start: the start of the window, which becomes the end of the id.
    """
    return f"{maintenance.id}-{start:%Y%m%dt%H%Mz}"


def _make_window(maintenance: Maintenance, recurrence: Recurrence, start: Instant) -> Maintenance:
    changes = recurrence.occurrences.get(start, Occurrence())
    announced = _announcement_time(recurrence, start, changes)
    own_id = window_id(maintenance, start)
    scheduled_for = changes.scheduled_for or start
    length = maintenance.scheduled_until - maintenance.scheduled_for
    return replace(
        maintenance,
        id=own_id,
        name=changes.name or maintenance.name,
        created_at=announced,
        started_at=announced,
        scheduled_for=scheduled_for,
        scheduled_until=changes.scheduled_until or to_instant(scheduled_for + length),
        updates=(_announcement_update(own_id, announced, changes.body or maintenance.body), *changes.updates),
        cancelled_at=changes.cancelled_at,
        rescheduled_at=changes.rescheduled_at,
        recurrence=None,
        pointer=changes.pointer or ("recurrence", "occurrences", format_utc_shortest(start)),
    )


def _announcement_update(own_id: str, announced: Instant, body: str) -> IncidentUpdate:
    return IncidentUpdate(
        id=derived_id(own_id, "announcement"),
        status="scheduled",
        body=body,
        display_at=announced,
        created_at=announced,
        updated_at=announced,
    )


REMINDER_LEAD = timedelta(minutes=60)
"""The time between a reminder and its window; the reminder's text states it too."""


def updates_in_display_order(record: Incident) -> list[IncidentUpdate]:
    """Return an incident's updates, sorted by the time that readers see.

    The automatic updates of a maintenance window are included.
    """
    return sorted(with_automatic_updates(record), key=lambda update: update.display_at)


def with_automatic_updates(record: Incident) -> tuple[IncidentUpdate, ...]:
    """Return the updates of an incident or window, then the automatic ones.

    For example, a maintenance window can get an update when it starts. Incidents, and recurring maintenances as
    a whole, have no automatic updates.
    """
    return (
        _updates_with_automatic(record)
        if isinstance(record, Maintenance) and not record.recurrence
        else record.updates
    )


def _updates_with_automatic(maintenance: Maintenance) -> tuple[IncidentUpdate, ...]:
    if is_withdrawn(maintenance):
        return ()
    start = actual_window_start(maintenance)
    automatic = (
        *_reminder_updates(maintenance, start),
        _start_update(maintenance, start),
        _end_update(maintenance, start),
    )
    return (*maintenance.updates, *(update for update in automatic if update is not None))


def is_withdrawn(maintenance: Maintenance) -> bool:
    """Return whether a maintenance was cancelled before its announcement.

    Such a maintenance is never published.
    """
    published_at = max(maintenance.created_at, maintenance.publish_at or maintenance.created_at)
    return maintenance.cancelled_at is not None and maintenance.cancelled_at <= published_at


def _sorted_moves(maintenance: Maintenance) -> list[tuple[Instant, Instant]]:
    """Return the moves of a maintenance window, sorted by time.

    Returns:
        The time of each move, and the start before it.
    """
    moves = ((update.display_at, update.moved_from) for update in maintenance.updates)
    return sorted((at, start) for at, start in moves if start is not None)


def actual_window_start(maintenance: Maintenance) -> Instant | None:
    """Return the time at which a maintenance window really started.

    An `in_progress` or `verifying` update starts the window unless it has started automatically before.

    Returns:
        The time, or None if the window never starts.
    """
    written_at = first_update_time(maintenance, ("in_progress",))
    verified = first_update_time(maintenance, ("verifying",))
    manual = verified if written_at is None else written_at
    if not maintenance.automation.scheduled_auto_in_progress:
        return manual
    moved = (at for at, _ in _sorted_moves(maintenance))
    automatic = max((maintenance.scheduled_for, maintenance.created_at, *moved))
    other_instants = (written_at, verified, manual_window_end(maintenance))
    return manual if any(at is not None and at <= automatic for at in other_instants) else automatic


def manual_window_end(maintenance: Maintenance) -> Instant | None:
    """Return the time at which a person ended a maintenance window.

    A `completed` update or a cancellation in the content ends it.

    Returns:
        The time, or None if the window ends automatically.
    """
    ends = (first_update_time(maintenance, ("completed",)), maintenance.cancelled_at)
    return min((end for end in ends if end is not None), default=None)


def first_update_time(maintenance: Maintenance, statuses: Iterable[UpdateStatus]) -> Instant | None:
    """Return the time of a window's first update with a given status.

    The time is the one that readers see.

    Args:
        maintenance: the maintenance window, whose automatic updates are not searched.
        statuses: the statuses, one of which the update must have.

    Returns:
        The time, or None if there is no such update.
    """
    status_set = frozenset(statuses)
    instants = (update.display_at for update in maintenance.updates if update.status in status_set)
    return min(instants, default=None)


def _reminder_updates(maintenance: Maintenance, start: Instant | None) -> Iterator[IncidentUpdate]:
    """Yield the updates that remind readers of a maintenance window.

    If the window was moved, reminders of its earlier times are among them.
    """
    if not maintenance.automation.scheduled_remind_prior:
        return
    moves = _sorted_moves(maintenance)
    planned = [*(start_before_move for _, start_before_move in moves), maintenance.scheduled_for]
    instants = [maintenance.created_at, *(at for at, _ in moves)]
    ends = [*(at for at, _ in moves), *filter(None, (start, manual_window_end(maintenance)))]
    notify = maintenance.automation.remind_prior_deliver_notifications
    number = 0
    for place, (since, window) in enumerate(zip(instants, planned, strict=True)):
        at = Instant(window - REMINDER_LEAD)
        if since < at and all(end > at for end in ends[place:]):
            # After a move, readers get another reminder. Number the later reminders, so that the first one
            # keeps its id.
            kind = f"reminder {number + 1}" if number else "reminder"
            yield _automatic_update(maintenance, kind, "scheduled", at, body=REMINDER_BODY, notify=notify)
            number += 1


def _start_update(maintenance: Maintenance, start: Instant | None) -> IncidentUpdate | None:
    manual = (first_update_time(maintenance, (status,)) for status in ("in_progress", "verifying"))
    if start is None or start in manual:
        return None
    notify = maintenance.automation.auto_transition_deliver_notifications_at_start
    return _automatic_update(maintenance, "in_progress", "in_progress", start, notify=notify)


def _end_update(maintenance: Maintenance, start: Instant | None) -> IncidentUpdate | None:
    if first_update_time(maintenance, ("completed",)) is not None:
        return None
    notify = maintenance.automation.auto_transition_deliver_notifications_at_end
    cancelled, completed = maintenance.cancelled_at, None
    if start is not None and maintenance.automation.scheduled_auto_completed:
        completed = max(maintenance.scheduled_until, start)
    if cancelled is not None and (completed is None or cancelled < completed):
        update = _automatic_update(
            maintenance, "cancelled", "completed", cancelled, body=CANCELLED_BODY, notify=notify
        )
        return replace(update, pointer=(*maintenance.pointer, "cancelled_at"))
    if completed is None:
        return None
    return _automatic_update(maintenance, "completed", "completed", completed, notify=notify)


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
        # Derive the id from the kind of update instead of the time, so that the update keeps its id when the
        # window moves.
        id=derived_id(maintenance.id, kind),
        status=status,
        body=DEFAULT_BODIES[status] if body is None else body,
        display_at=at,
        created_at=at,
        updated_at=at,
        deliver_notifications=notify,
        automatic=True,
    )
