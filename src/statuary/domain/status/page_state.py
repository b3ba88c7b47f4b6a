"""Everything that the status documents show at one instant."""

from typing import NamedTuple

from statuary.domain.primitives import Instant
from statuary.domain.status.components import Component
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.overall_status import OverallStatus
from statuary.domain.status.page import Page
from statuary.domain.status.vocabulary import ComponentStatus


class ComponentState(NamedTuple):
    """A component or group at one instant; a group has the status of its worst component."""

    component: Component
    status: ComponentStatus
    updated_at: Instant


class PageState(NamedTuple):
    """The page at one instant."""

    at: Instant
    page: Page
    updated_at: Instant  # the latest change of anything on it
    overall_status: OverallStatus
    components: dict[str, ComponentState]  # by id, in the order of the documents, removed ones included
    incidents: tuple[IncidentState, ...]  # every published incident, the latest created first
    maintenances: tuple[IncidentState, ...]  # likewise every maintenance
