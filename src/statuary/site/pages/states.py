"""The states that pages show by colour and shape."""

STATUS_STATES = {
    "operational": "ok",
    "under_maintenance": "work",
    "degraded_performance": "degraded",
    "partial_outage": "partial",
    "major_outage": "major",
    "unknown": "none",
}
"""The state of a component's status."""

IMPACT_STATES = {
    "none": "ok",
    "maintenance": "work",
    "minor": "degraded",
    "major": "partial",
    "critical": "major",
}
"""The state of an incident's impact, and of the page's indicator."""
