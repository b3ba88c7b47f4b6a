"""The states that pages show by colour and shape: one word for what a component, an incident, the page or a contract is in."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statuary.domain.contracts.rows import ContractRow

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


def verdict_sign(verdict: str, level: str) -> str:
    """Return the sign of a verdict: green for what was verified here, red for what is contradicted.

    Args:
        level: the match that the record claims of the runtime side; empty if it claims none.
    """
    if verdict in ("verified_here", "contradicted"):
        return "ok" if verdict == "verified_here" else "major"
    return "stated" if level else "none"


def level_of(row: "ContractRow") -> str:
    """Return the key of the text about a contract in lists: its runtime side's, unless that is contradicted."""
    return "contradicted" if row.verdict == "contradicted" else row.runtimeMatch or "unchecked"
