"""Scheduled maintenances: incidents with a window and automatic transitions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from typing_extensions import override

from statuary.domain.findings import Pointer
from statuary.domain.primitives import Instant
from statuary.domain.status.incidents import Incident, IncidentUpdate


@dataclass(frozen=True, slots=True, kw_only=True)
class Automation:
    """The automatic steps of a maintenance, under the names of Statuspage's manage API."""

    scheduled_remind_prior: bool = True  # post a reminder 60 minutes before the window
    scheduled_auto_in_progress: bool = True  # start at `scheduled_for`
    scheduled_auto_completed: bool = True  # complete at `scheduled_until`
    auto_transition_to_maintenance_state: bool = True  # the start puts the components under maintenance
    auto_transition_to_operational_state: bool = True  # the completion makes them operational
    auto_transition_deliver_notifications_at_start: bool = True  # the start notifies subscribers
    auto_transition_deliver_notifications_at_end: bool = True  # the completion notifies subscribers
    remind_prior_deliver_notifications: bool = True  # the reminder notifies subscribers


class Occurrence(NamedTuple):
    """Changes to one window of a recurring maintenance; None keeps the rule's value."""

    scheduled_for: Instant | None = None
    scheduled_until: Instant | None = None
    name: str | None = None
    body: str | None = None  # another announcement
    cancelled_at: Instant | None = None
    rescheduled_at: Instant | None = None  # when this window was last moved
    updates: tuple[IncidentUpdate, ...] = ()
    pointer: Pointer = ()  # where the file defines it


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """How a maintenance repeats."""

    rule: str  # an RFC 5545 recurrence rule without its name, such as `FREQ=WEEKLY;BYDAY=TU;COUNT=10`
    time_zone: ZoneInfo  # the zone whose clock the rule follows, so that 02:00 stays 02:00 in summer
    announce: timedelta  # how long before its start a window is published
    # changes to single windows, by the start that the rule gives them
    occurrences: Mapping[Instant, Occurrence] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance(Incident):
    """A scheduled maintenance from its announcement to its end."""

    scheduled_for: Instant  # the start of its window (of the first one, if it recurs)
    scheduled_until: Instant  # the end of its window
    automation: Automation = Automation()
    cancelled_at: Instant | None = None
    recurrence: Recurrence | None = None
    body: str = ""  # the announcement that each window of a recurring maintenance begins with
    rescheduled_at: Instant | None = None  # when its window was last moved

    @property
    @override
    def stated_changes(self) -> tuple[Instant, ...]:
        """Instants at which the record itself changed, not one of its updates."""
        stated = (self.updated_at, self.impact_override_at, self.rescheduled_at)
        return tuple(at for at in stated if at is not None)
