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
    """A violation of a rule: the record, the place, and the message."""

    path: str  # the file
    pointer: Pointer
    message: str  # the fault, with the value
    hint: str = ""  # the remedy
    on_key: bool = False  # whether it is about the key and not its value


@dataclass(frozen=True, kw_only=True)
class StatusContext:
    """The input of status checks: timeline and build time."""

    timeline: Timeline
    now: Instant

    @property
    def catalogue(self) -> StatusCatalogue:
        """The status content."""
        return self.timeline.catalogue

    @property
    def records(self) -> Iterator[Incident]:
        """All incidents and maintenance windows, as the content has them."""
        yield from self.catalogue.incidents
        yield from self.catalogue.maintenances

    @property
    def edited_records(self) -> Iterator[Incident]:
        """All incidents, and the maintenance windows with updates of their own."""
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
        """The incidents and maintenance windows that affect each component, by its id."""
        histories: dict[str, list[IncidentHistory]] = {}
        for history in self.timeline.histories:
            for component in history.components:
                histories.setdefault(component, []).append(history)
        return histories
