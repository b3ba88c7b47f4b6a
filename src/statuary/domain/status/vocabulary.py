"""The words of the status API: every value a status, an impact or an indicator may have, and their order.

The values are those that Statuspage's public API v2 serves (its manage API names the same ones). They are
plain text, so that a document needs no conversion.
"""

from typing import Literal

ComponentStatus = Literal[
    "operational", "under_maintenance", "degraded_performance", "partial_outage", "major_outage"
]
"""How a component is."""

IncidentStatus = Literal["investigating", "identified", "monitoring", "resolved", "postmortem"]
"""How far an incident is."""

MaintenanceStatus = Literal["scheduled", "in_progress", "verifying", "completed"]
"""How far a scheduled maintenance is; there is no `cancelled` (a cancelled one ends as `completed`)."""

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
"""What an incident update moves its incident or maintenance to."""

Impact = Literal["none", "maintenance", "minor", "major", "critical"]
"""How bad an incident is; also the page's indicator, which live pages do serve as `maintenance`."""

COMPONENT_SEVERITY: dict[ComponentStatus, int] = {
    "operational": 0,
    "under_maintenance": 1,
    "degraded_performance": 2,
    "partial_outage": 3,
    "major_outage": 4,
}
"""Worse is higher, as measured on real groups: maintenance counts above operational, below degraded."""

IMPACT_SEVERITY: dict[Impact, int] = {"none": 0, "maintenance": 1, "minor": 2, "major": 3, "critical": 4}
"""Worse is higher."""

UNRESOLVED_STATUSES = frozenset({"investigating", "identified", "monitoring"})
"""Incidents in these are listed as unresolved."""

RESOLVING_STATUSES = frozenset({"resolved", "completed"})
"""Updates with these set `resolved_at`."""

MONITORING_STATUSES = frozenset({"monitoring", "verifying"})
"""The first update with one of these sets `monitoring_at`."""

ACTIVE_STATUSES = frozenset({"in_progress", "verifying"})
"""Maintenances in these are listed as active."""

CLOSED_STATUSES = frozenset({"resolved", "postmortem", "completed"})
"""What has one of these does not change by itself any more."""

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
"""The text of an update whose author wrote none: Statuspage's own."""

REMINDER_BODY = "Maintenance will begin as scheduled in 60 minutes."
"""The text of the update that Statuspage writes an hour before a window."""

CANCELLED_BODY = "The scheduled maintenance has been cancelled."
"""The text that ends a cancelled window; Statuspage has no such text, for it has no such state."""
