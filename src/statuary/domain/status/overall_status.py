"""The overall status of a page, a group or an incident, from the statuses of its components."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from statuary.domain.status.vocabulary import COMPONENT_SEVERITY, IMPACT_SEVERITY, ComponentStatus, Impact


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
    """Return the overall status of components (without groups)."""
    return _first_match(frozenset(statuses))


@cache
def _first_match(statuses: frozenset[ComponentStatus]) -> OverallStatus:
    return next(status for applies, status in CASCADE if applies(statuses))


def worst_status(statuses: Iterable[ComponentStatus]) -> ComponentStatus:
    """Return the most severe status, which is the status of a group; operational if there is none."""
    return max(statuses, key=COMPONENT_SEVERITY.__getitem__, default="operational")


def worst_impact(impacts: Iterable[Impact]) -> Impact:
    """Return the most severe impact; `none` if there is none."""
    return max(impacts, key=IMPACT_SEVERITY.__getitem__, default="none")
