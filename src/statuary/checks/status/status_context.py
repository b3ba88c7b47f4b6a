"""The input of the status checks."""

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
    """The status side over time, as far as the horizon, and the instant of the build."""

    timeline: Timeline
    now: Instant

    @property
    def catalogue(self) -> StatusCatalogue:
        """What was read from content."""
        return self.timeline.catalogue

    @property
    def records(self) -> Iterator[Incident]:
        """Every incident and every maintenance, as written."""
        yield from self.catalogue.incidents
        yield from self.catalogue.maintenances

    @cached_property
    def histories_by_component(self) -> dict[str, list[IncidentHistory]]:
        """The incidents and maintenances that affect each component, by component id."""
        found: dict[str, list[IncidentHistory]] = {}
        for history in self.timeline.histories:
            for component in history.components:
                found.setdefault(component, []).append(history)
        return found


def format_utc(instant: Instant) -> str:
    """Return an instant in UTC and whole seconds, for a message."""
    return instant.isoformat(timespec="seconds").replace("+00:00", "Z")
