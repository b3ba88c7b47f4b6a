"""Everything that the status documents say at one instant."""

from typing import NamedTuple

from statuary.domain.primitives import Instant
from statuary.domain.status.components import Component
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.overall_status import OverallStatus
from statuary.domain.status.page import Page
from statuary.domain.status.vocabulary import ComponentStatus


class ComponentState(NamedTuple):
    """A component or group at one instant.

    Attributes:
        component: the component.
        status: its status; a group's is that of its worst component.
        updated_at: its last change of status.
    """

    component: Component
    status: ComponentStatus
    updated_at: Instant


class PageState(NamedTuple):
    """The page at one instant.

    Attributes:
        at: the instant.
        page: the page.
        updated_at: the latest change of anything on it.
        roll_up: its indicator and description.
        components: by id, the removed ones too, in order of position.
        incidents: every incident that can be read of, the latest created first.
        maintenances: likewise every maintenance.
    """

    at: Instant
    page: Page
    updated_at: Instant
    overall_status: OverallStatus
    components: dict[str, ComponentState]
    incidents: tuple[IncidentState, ...]
    maintenances: tuple[IncidentState, ...]

    def only(self, ids: frozenset[str]) -> "PageState":
        """Return this state with the records of these ids alone."""
        return self._replace(
            incidents=tuple(state for state in self.incidents if state.incident.id in ids),
            maintenances=tuple(state for state in self.maintenances if state.incident.id in ids),
        )
