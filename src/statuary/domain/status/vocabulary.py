"""Every value of a status, an impact or an indicator in Statuspage's public API v2, and their order."""

from typing import Literal

ComponentStatus = Literal[
    "operational", "under_maintenance", "degraded_performance", "partial_outage", "major_outage"
]
"""Status of a component."""

IncidentStatus = Literal["investigating", "identified", "monitoring", "resolved", "postmortem"]
"""Status of an incident."""

MaintenanceStatus = Literal["scheduled", "in_progress", "verifying", "completed"]
"""Status of a scheduled maintenance; a cancelled one ends as `completed`, since there is no `cancelled`."""

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
