"""Recurring maintenances: one window for each time that a rule of RFC 5545 names.

The rule follows the clock of its time zone, so that a window at 02:00 stays at 02:00 when clocks change.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice

from statuary.domain.primitives import Instant, InvalidValueError, instant
from statuary.domain.status.derived_ids import derived_id
from statuary.domain.status.incidents import IncidentUpdate
from statuary.domain.status.maintenances import Maintenance, Occurrence, Recurrence

MAX_WINDOWS = 1000
"""Windows that one rule may lay out; a check says so when it would be more."""

FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
"""The frequencies that make sense for a maintenance; faster ones are refused."""


def validate_rule(rule: str) -> None:
    """Read a recurrence rule, only to see that it is one.

    Raises:
        Malformed: if it is not, or repeats more often than daily.
    """
    parts = dict(part.split("=", 1) for part in rule.upper().split(";") if "=" in part)
    if parts.get("FREQ") not in FREQUENCIES:
        raise InvalidValueError(
            f"recurrence rule {rule!r} has no frequency of {', '.join(FREQUENCIES)}",
            "write it like FREQ=WEEKLY;BYDAY=TU;COUNT=10",
        )
    _starts(rule, datetime(2000, 1, 1, tzinfo=UTC))


def _starts(rule: str, first: datetime) -> Iterator[datetime]:
    # only a site with a recurring maintenance pays for the library
    from dateutil.rrule import rrulestr  # noqa: PLC0415

    try:
        return iter(rrulestr(rule, dtstart=first))
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidValueError(f"recurrence rule {rule!r} is not one: {error}") from None


def window_starts(maintenance: Maintenance, recurrence: Recurrence, until: Instant) -> list[Instant]:
    """Return the starts that the rule gives windows announced by `until`, one more than `MAX_WINDOWS` at most."""
    local = maintenance.scheduled_for.astimezone(recurrence.time_zone)
    last = until + recurrence.announce
    found: list[Instant] = []
    for start in islice(_starts(recurrence.rule, local), MAX_WINDOWS + 1):
        if start > last:
            break
        found.append(instant(start))
    return found


def occurrences(maintenance: Maintenance, until: Instant) -> Iterator[Maintenance]:
    """Yield the windows of a maintenance that are announced by `until`, each a maintenance of its own."""
    recurrence = maintenance.recurrence
    if recurrence is None:
        yield maintenance
        return
    for start in window_starts(maintenance, recurrence, until)[:MAX_WINDOWS]:
        yield _occurrence(maintenance, recurrence, start)


def window_id(maintenance: Maintenance, start: Instant) -> str:
    """Return the id of the window that the rule of a recurring maintenance begins at an instant."""
    return f"{maintenance.id}-{start:%Y%m%dt%H%Mz}"


def _occurrence(maintenance: Maintenance, recurrence: Recurrence, start: Instant) -> Maintenance:
    differs = recurrence.occurrences.get(start, Occurrence())
    announced = instant(start - recurrence.announce)
    own_id = window_id(maintenance, start)
    scheduled_for = differs.scheduled_for or start
    length = maintenance.scheduled_until - maintenance.scheduled_for
    return replace(
        maintenance,
        id=own_id,
        name=differs.name or maintenance.name,
        created_at=announced,
        started_at=announced,
        scheduled_for=scheduled_for,
        scheduled_until=differs.scheduled_until or instant(scheduled_for + length),
        updates=(_announcement(own_id, announced, differs.body or maintenance.body), *differs.updates),
        cancelled_at=differs.cancelled_at,
        recurrence=None,
    )


def _announcement(own_id: str, announced: Instant, body: str) -> IncidentUpdate:
    return IncidentUpdate(
        id=derived_id(own_id, "announcement"),
        status="scheduled",
        body=body,
        display_at=announced,
        created_at=announced,
        updated_at=announced,
    )
