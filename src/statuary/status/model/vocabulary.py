"""Every status, impact and indicator of Statuspage's public API v2, in order."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Literal, NamedTuple

ComponentStatus = Literal[
    "operational", "under_maintenance", "degraded_performance", "partial_outage", "major_outage"
]
"""Status of a component."""

IncidentStatus = Literal["investigating", "identified", "monitoring", "resolved", "postmortem"]
"""Status of an incident."""

MaintenanceStatus = Literal["scheduled", "in_progress", "verifying", "completed"]
"""Status of a scheduled maintenance. A cancelled one ends as `completed`, because `cancelled` does not exist."""

UpdateStatus = Literal[
    "investigating",
    "identified",
    "monitoring",
    "resolved",
    "postmortem",
    "scheduled",
    "in_progress",
    "verifying",
    "completed",
]
"""Status that an update gives its incident or maintenance."""

Impact = Literal["none", "maintenance", "minor", "major", "critical"]
"""Impact of an incident; also the page's indicator, which real pages serve as `maintenance` too."""

COMPONENT_SEVERITY: dict[ComponentStatus, int] = {
    "operational": 0,
    "under_maintenance": 1,
    "degraded_performance": 2,
    "partial_outage": 3,
    "major_outage": 4,
}
"""Worse is higher; on real groups maintenance is above operational and below degraded."""

IMPACT_SEVERITY: dict[Impact, int] = {"none": 0, "maintenance": 1, "minor": 2, "major": 3, "critical": 4}
"""Worse is higher."""

UNRESOLVED_STATUSES = frozenset({"investigating", "identified", "monitoring"})
"""Incidents with one of these are listed as unresolved."""

RESOLVING_STATUSES = frozenset({"resolved", "completed"})
"""Updates with one of these set `resolved_at`."""

MONITORING_STATUSES = frozenset({"monitoring", "verifying"})
"""The first update with one of these sets `monitoring_at`."""

ACTIVE_STATUSES = frozenset({"in_progress", "verifying"})
"""Maintenances with one of these are listed as active."""

CLOSED_STATUSES = frozenset({"resolved", "postmortem", "completed"})
"""Records with one of these no longer change automatically."""

DEFAULT_BODIES: dict[UpdateStatus, str] = {
    "investigating": "We are currently investigating this issue.",
    "identified": "The issue has been identified and a fix is being implemented.",
    "monitoring": "A fix has been implemented and we are monitoring the results.",
    "resolved": "This incident has been resolved.",
    "postmortem": "",
    "scheduled": "We will be undergoing scheduled maintenance during this time.",
    "in_progress": "Scheduled maintenance is currently in progress. We will provide updates as necessary.",
    "verifying": "Verification is currently underway for the maintenance items.",
    "completed": "The scheduled maintenance has been completed.",
}
"""Statuspage's own text for an update without one."""

REMINDER_BODY = "Maintenance will begin as scheduled in 60 minutes."
"""Text of the update that Statuspage posts an hour before a window."""

CANCELLED_BODY = "The scheduled maintenance has been cancelled."
"""The last text of a cancelled window; Statuspage has no such status, and so no text."""

STANDARD_BODIES: dict[str, str] = {
    **{body: status for status, body in DEFAULT_BODIES.items() if body},
    REMINDER_BODY: "reminder",
    CANCELLED_BODY: "cancelled",
}
"""The bodies that a page shows in its own language, each with its name."""


_OPEN: frozenset[UpdateStatus] = frozenset({"investigating", "identified", "monitoring", "resolved"})
_RUNNING: frozenset[UpdateStatus] = frozenset({"in_progress", "verifying", "completed"})

ALLOWED_TRANSITIONS: Mapping[UpdateStatus, frozenset[UpdateStatus]] = {
    "investigating": _OPEN,
    "identified": _OPEN,
    "monitoring": _OPEN,
    "resolved": frozenset({"resolved", "postmortem"}),
    "postmortem": frozenset({"postmortem"}),
    "scheduled": _RUNNING | {"scheduled"},
    "in_progress": _RUNNING,
    "verifying": _RUNNING,
    "completed": frozenset({"completed"}),
}
"""The statuses that the next update may have, by the status of an update."""


def can_follow(previous_status: UpdateStatus | None, status: UpdateStatus) -> bool:
    """Return whether an update may change one status to another.

    Args:
        previous_status: the status before; None for the first update.
        status: the new status.
    """
    return (
        status != "postmortem" if previous_status is None else status in ALLOWED_TRANSITIONS[previous_status]
    )


class OverallStatus(NamedTuple):
    """An indicator, and one of Statuspage's six descriptions."""

    indicator: Impact
    description: str


CASCADE: tuple[tuple[Callable[[frozenset[ComponentStatus]], bool], OverallStatus], ...] = (
    (lambda found: found == {"major_outage"}, OverallStatus("critical", "Major System Outage")),
    (
        lambda found: found == {"partial_outage"} or "major_outage" in found,
        OverallStatus("major", "Partial System Outage"),
    ),
    (lambda found: "partial_outage" in found, OverallStatus("minor", "Minor Service Outage")),
    (lambda found: "degraded_performance" in found, OverallStatus("minor", "Partially Degraded Service")),
    (lambda found: "under_maintenance" in found, OverallStatus("maintenance", "Service Under Maintenance")),
    (lambda _: True, OverallStatus("none", "All Systems Operational")),
)
"""Statuspage's rules, the first match wins: conditions on the set of statuses of the components.

They give the status of every one of 10,172 summaries of a real page; open incidents do not count.
"""


def overall_status(statuses: Iterable[ComponentStatus]) -> OverallStatus:
    """Return the status of the whole page, such as a partial outage.

    It follows from the statuses of the components.
    """
    return _match_overall_status(frozenset(statuses))


@cache
def _match_overall_status(statuses: frozenset[ComponentStatus]) -> OverallStatus:
    return next(status for applies, status in CASCADE if applies(statuses))


def worst_status(statuses: Iterable[ComponentStatus]) -> ComponentStatus:
    """Return the most severe status, or `operational` if none are given."""
    return max(statuses, key=COMPONENT_SEVERITY.__getitem__, default="operational")


def worst_impact(impacts: Iterable[Impact]) -> Impact:
    """Return the most severe impact, or `none` if none are given."""
    return max(impacts, key=IMPACT_SEVERITY.__getitem__, default="none")
