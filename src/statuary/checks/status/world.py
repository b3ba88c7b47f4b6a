"""What the rules look at: the catalogue, the instant, and what follows from the two."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from statuary.domain.primitives import Instant
from statuary.domain.status.catalogue import StatusCatalogue
from statuary.domain.status.incidents import Incident
from statuary.domain.status.lives import Life
from statuary.domain.status.timeline import Timeline


@dataclass(frozen=True, kw_only=True)
class StatusWorld:
    """The status side at one instant.

    Attributes:
        line: what was read, over time.
        now: the build's instant.
    """

    line: Timeline
    now: Instant

    @property
    def catalogue(self) -> StatusCatalogue:
        """What was read."""
        return self.line.catalogue

    @property
    def records(self) -> Iterator[Incident]:
        """Every incident and every maintenance, as written."""
        yield from self.catalogue.incidents
        yield from self.catalogue.maintenances

    @cached_property
    def lives_by_component(self) -> dict[str, list[Life]]:
        """By component id, the lives of the incidents and maintenances that name it."""
        found: dict[str, list[Life]] = {}
        for life in (*self.line.incidents, *self.line.maintenances):
            for component in life.components:
                found.setdefault(component, []).append(life)
        return found
