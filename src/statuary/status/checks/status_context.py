"""The input of status checks, and their findings."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from statuary.base.findings import Pointer
from statuary.base.primitives import Instant
from statuary.status.model.incident_history import IncidentHistory
from statuary.status.model.records import Incident, Maintenance, StatusCatalogue
from statuary.status.model.recurrence import is_withdrawn
from statuary.status.model.timeline import Timeline


class StatusViolation(NamedTuple):
    """A violation of a check's rule."""

    path: str  # the file
    pointer: Pointer
    message: str  # the fault, with the value
    hint: str = ""  # what to do
    on_key: bool = False  # whether it is about the key and not its value


@dataclass(frozen=True, kw_only=True)
class StatusContext:
    """The status up to the horizon, and the build's instant."""

    timeline: Timeline
    now: Instant

    @property
    def catalogue(self) -> StatusCatalogue:
        """The status content."""
        return self.timeline.catalogue

    @property
    def records(self) -> Iterator[Incident]:
        """Every incident and every maintenance, as written."""
        yield from self.catalogue.incidents
        yield from self.catalogue.maintenances

    @property
    def edited_records(self) -> Iterator[Incident]:
        """Every record with published updates, including edited windows."""
        yield from self.catalogue.incidents
        for history in self.timeline.maintenances:
            window = history.incident
            if not isinstance(window, Maintenance) or is_withdrawn(window):
                continue
            # skip a recurring window without changes: its only update is the announcement of its maintenance
            if not window.pointer or len(window.updates) > 1:
                yield window

    @cached_property
    def histories_by_component(self) -> dict[str, list[IncidentHistory]]:
        """The incidents and maintenances that affect each component, by component id."""
        histories: dict[str, list[IncidentHistory]] = {}
        for history in self.timeline.histories:
            for component in history.components:
                histories.setdefault(component, []).append(history)
        return histories
