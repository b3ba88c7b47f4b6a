"""Scheduled maintenances: incidents with a window and with transitions that the clock makes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.domain.findings import Pointer
from statuary.domain.primitives import Instant
from statuary.domain.status.incidents import Incident, IncidentUpdate


@dataclass(frozen=True, slots=True, kw_only=True)
class Automation:
    """What the clock does to a maintenance by itself, under the names of Statuspage's manage API.

    Attributes:
        scheduled_remind_prior: write a reminder 60 minutes before the window.
        scheduled_auto_in_progress: begin at `scheduled_for`.
        scheduled_auto_completed: complete at `scheduled_until`.
        auto_transition_to_maintenance_state: beginning puts the components under maintenance.
        auto_transition_to_operational_state: completing makes them operational.
        auto_transition_deliver_notifications_at_start: beginning notifies subscribers.
        auto_transition_deliver_notifications_at_end: completing notifies subscribers.
    """

    scheduled_remind_prior: bool = True
    scheduled_auto_in_progress: bool = True
    scheduled_auto_completed: bool = True
    auto_transition_to_maintenance_state: bool = True
    auto_transition_to_operational_state: bool = True
    auto_transition_deliver_notifications_at_start: bool = True
    auto_transition_deliver_notifications_at_end: bool = True


MANUAL_AUTOMATION = Automation(
    scheduled_remind_prior=False, scheduled_auto_in_progress=False, scheduled_auto_completed=False
)
"""Nothing happens by itself: each transition is an update that somebody writes."""


class Occurrence(NamedTuple):
    """What differs in one window of a recurring maintenance; None leaves a member as the rule has it.

    Attributes:
        scheduled_for: a moved start.
        scheduled_until: a moved end.
        name: another name.
        body: another announcement.
        cancelled_at: when this window was called off.
        updates: updates of this window alone.
        pointer: where it is written.
    """

    scheduled_for: Instant | None = None
    scheduled_until: Instant | None = None
    name: str | None = None
    body: str | None = None
    cancelled_at: Instant | None = None
    updates: tuple[IncidentUpdate, ...] = ()
    pointer: Pointer = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """How a maintenance repeats.

    Attributes:
        rule: an RFC 5545 recurrence rule without its name, such as `FREQ=WEEKLY;BYDAY=TU;COUNT=10`.
        time_zone: the zone whose clock the rule follows, so that 02:00 stays 02:00 in summer.
        announce: how long before its start a window is published.
        occurrences: what differs in single windows, by the start that the rule gives them.
    """

    rule: str
    time_zone: ZoneInfo
    announce: timedelta
    occurrences: Mapping[Instant, Occurrence] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance(Incident):
    """A scheduled maintenance over its whole life.

    Attributes:
        scheduled_for: the start of its window (of the first one, if it recurs).
        scheduled_until: the end of its window.
        automation: what the clock does by itself.
        cancelled_at: when it was called off, or None.
        recurrence: how it repeats, or None.
        body: the announcement that each window of a recurring maintenance begins with.
    """

    scheduled_for: Instant
    scheduled_until: Instant
    automation: Automation = Automation()
    cancelled_at: Instant | None = None
    recurrence: Recurrence | None = None
    body: str = ""
