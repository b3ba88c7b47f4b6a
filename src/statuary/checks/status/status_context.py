"""What the rules look at: the catalogue, the instant, and what follows from the two."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from statuary.domain.primitives import Instant
from statuary.domain.status.incident_history import IncidentHistory
from statuary.domain.status.incidents import Incident
from statuary.domain.status.status_catalogue import StatusCatalogue
from statuary.domain.status.timeline import Timeline


@dataclass(frozen=True, kw_only=True)
class StatusContext:
    """The status side at one instant.

    Attributes:
        line: what was read, over time.
        now: the build's instant.
    """

    timeline: Timeline
    now: Instant

    @property
    def catalogue(self) -> StatusCatalogue:
        """What was read."""
        return self.timeline.catalogue

    @property
    def records(self) -> Iterator[Incident]:
        """Every incident and every maintenance, as written."""
        yield from self.catalogue.incidents
        yield from self.catalogue.maintenances

    @cached_property
    def histories_by_component(self) -> dict[str, list[IncidentHistory]]:
        """By component id, the lives of the incidents and maintenances that name it."""
        found: dict[str, list[IncidentHistory]] = {}
        for history in (*self.timeline.incidents, *self.timeline.maintenances):
            for component in history.components:
                found.setdefault(component, []).append(history)
        return found
