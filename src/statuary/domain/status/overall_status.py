"""From the statuses of parts to the status of the whole: page, group, incident.

The cascade is Statuspage's own list of seven descriptions ("Top-level status and incident impact
calculations" in its help), held against every captured page.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from statuary.domain.status.vocabulary import COMPONENT_SEVERITY, IMPACT_SEVERITY, ComponentStatus, Impact


class OverallStatus(NamedTuple):
    """The status of a whole.

    Attributes:
        indicator: how bad it is.
        description: the same in words, one of seven.
    """

    indicator: Impact
    description: str


OPERATIONAL = OverallStatus("none", "All Systems Operational")
UNDER_MAINTENANCE = OverallStatus("maintenance", "Service Under Maintenance")
PARTIALLY_DEGRADED = OverallStatus("minor", "Partially Degraded Service")
DEGRADED = OverallStatus("minor", "Degraded System Service")
MINOR_OUTAGE = OverallStatus("minor", "Minor Service Outage")
PARTIAL_OUTAGE = OverallStatus("major", "Partial System Outage")
MAJOR_OUTAGE = OverallStatus("critical", "Major System Outage")

OF_IMPACT: dict[Impact, OverallStatus] = {
    "none": OPERATIONAL,
    "maintenance": UNDER_MAINTENANCE,
    "minor": MINOR_OUTAGE,
    "major": PARTIAL_OUTAGE,
    "critical": MAJOR_OUTAGE,
}
"""What an unresolved incident makes of a page whose components are all operational.

Measured for `minor` (GitHub, 22 May 2020); the others follow the same pairs of indicator and description.
"""


LeafStatuses = frozenset[ComponentStatus]
"""The statuses that occur among the leaf components of a whole."""

CASCADE: tuple[tuple[Callable[[LeafStatuses, bool], bool], OverallStatus], ...] = (
    (lambda present, _: present == {"major_outage"}, MAJOR_OUTAGE),
    (lambda present, _: present == {"partial_outage"} or "major_outage" in present, PARTIAL_OUTAGE),
    (lambda present, _: "partial_outage" in present, MINOR_OUTAGE),
    (lambda present, several: present == {"degraded_performance"} and several, DEGRADED),
    (lambda present, _: "degraded_performance" in present, PARTIALLY_DEGRADED),
    (lambda present, _: "under_maintenance" in present, UNDER_MAINTENANCE),
    (lambda _present, _several: True, OPERATIONAL),
)
"""The rules in their order, given the statuses that occur and whether there are several components."""


def overall_status(statuses: Iterable[ComponentStatus]) -> OverallStatus:
    """Return the status of a whole from its leaf components (groups left out)."""
    leaves = tuple(statuses)
    return _first_that_fits(frozenset(leaves), len(leaves) > 1)


@cache
def _first_that_fits(present: LeafStatuses, several: bool) -> OverallStatus:  # noqa: FBT001 - the cache knows no keywords
    return next(whole for applies, whole in CASCADE if applies(present, several))


def page_status(leaves: Iterable[ComponentStatus], unresolved: Iterable[Impact]) -> OverallStatus:
    """Return the page's status: of its components, or, if all are operational, of its unresolved incidents."""
    by_components = overall_status(leaves)
    if by_components is not OPERATIONAL:
        return by_components
    return OF_IMPACT[worst_impact(unresolved)]


def worst_status(statuses: Iterable[ComponentStatus]) -> ComponentStatus:
    """Return the most severe status: that of a group, from its components; operational of nothing."""
    return max(statuses, key=COMPONENT_SEVERITY.__getitem__, default="operational")


def worst_impact(impacts: Iterable[Impact]) -> Impact:
    """Return the most severe impact; none of nothing."""
    return max(impacts, key=IMPACT_SEVERITY.__getitem__, default="none")
