"""An incident over its life: what it says at each instant.

Everything that an incident's document tells of itself changes only at the instants of its *steps*; between
two steps it is one value, which is made once and kept.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from statuary.domain.primitives import Instant
from statuary.domain.status.incidents import Incident
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.overall_status import overall_status, worst_impact
from statuary.domain.status.status_history import PublishedUpdate
from statuary.domain.status.vocabulary import (
    CLOSED_STATUSES,
    MONITORING_STATUSES,
    RESOLVING_STATUSES,
    ComponentStatus,
    Impact,
    UpdateStatus,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IncidentState:
    """What an incident or maintenance says between two of its steps.

    Attributes:
        incident: the record.
        since: the step that this state begins with.
        status: its status: that of the newest update.
        impact: its impact: the worst so far, or what overrides it.
        updated_at: its last change.
        monitoring_at: when it was first monitored (verified), or None.
        resolved_at: when it was resolved (completed), or None.
        postings: the updates that can be read, newest first.
        components: the ids of its components that can be read of.
    """

    incident: Incident
    since: Instant
    status: UpdateStatus
    impact: Impact
    updated_at: Instant
    monitoring_at: Instant | None
    resolved_at: Instant | None
    published_updates: tuple[PublishedUpdate, ...]
    components: tuple[str, ...]

    @property
    def closed(self) -> bool:
        """Whether the incident is over, so that nothing about it changes by itself."""
        return self.status in CLOSED_STATUSES


class IncidentHistory:
    """The steps of one incident or maintenance.

    Attributes:
        incident: the record.
        components: the ids of its components.
        steps: the instants at which something about it changes, in order; empty if it is never published.
    """

    def __init__(
        self, incident: Incident, published_updates: Sequence[PublishedUpdate], components: tuple[str, ...]
    ) -> None:
        """Take a record, its postings in the order they are posted, and the ids of its components."""
        self.incident = incident
        self._published_updates = () if incident.draft else tuple(published_updates)
        self.components = components
        self._states: dict[int, IncidentState] = {}
        self.change_instants = self._find_change_instants()

    def _find_change_instants(self) -> tuple[Instant, ...]:
        if not self._published_updates:
            return ()
        first = self._published_updates[0].published_at
        instants = {published.published_at for published in self._published_updates}
        edits = {published.update.updated_at for published in self._published_updates}
        overrides = {self.incident.updated_at, self.incident.monitoring_at, self.incident.resolved_at} - {
            None
        }
        return tuple(sorted(instants | {at for at in edits | overrides if at is not None and at > first}))

    def state_at(self, instant: Instant) -> IncidentState | None:
        """Return what the record says at an instant; None while there is nothing of it to read."""
        passed = bisect_right(self.change_instants, instant)
        if not passed:
            return None
        state = self._states.get(passed)
        if state is None:
            state = self._states[passed] = self._state(self.change_instants[passed - 1])
        return state

    def is_final_by(self, instant: Instant) -> bool:
        """Say whether the record is closed at an instant, and nothing about it changes any more."""
        final = self.final
        return final is None or (final.closed and final.since <= instant)

    @cached_property
    def final(self) -> IncidentState | None:
        """What the record says after its last step."""
        return self.state_at(self.change_instants[-1]) if self.change_instants else None

    def _state(self, since: Instant) -> IncidentState:
        count = bisect_right(self._published_at, since)
        published_updates = self._published_updates[:count]
        newest_first = tuple(sorted(published_updates, key=_display_at)[::-1])
        status = newest_first[0].update.status
        return IncidentState(
            incident=self.incident,
            since=since,
            status=status,
            impact=self._impact(count),
            updated_at=self._updated_at(published_updates, since),
            monitoring_at=self._monitoring_at(newest_first, since),
            resolved_at=self._resolved_at(newest_first, status, since),
            published_updates=newest_first,
            components=self.components,
        )

    @cached_property
    def _published_at(self) -> list[Instant]:
        return [published.published_at for published in self._published_updates]

    def _impact(self, count: int) -> Impact:
        if self.incident.impact_override is not None:
            return self.incident.impact_override
        if isinstance(self.incident, Maintenance):
            return "maintenance"
        return self._impacts[count - 1]

    @cached_property
    def _impacts(self) -> list[Impact]:
        return list(_worst_so_far(self._published_updates))

    def _updated_at(self, published_updates: Sequence[PublishedUpdate], since: Instant) -> Instant:
        derived = max(last_edit_as_of(published, since) for published in published_updates)
        given = self.incident.updated_at
        return max(derived, given) if given is not None and given <= since else derived

    def _monitoring_at(self, newest_first: Sequence[PublishedUpdate], since: Instant) -> Instant | None:
        given = self.incident.monitoring_at
        if given is not None:
            return given if given <= since else None
        monitored = [p.update.display_at for p in newest_first if p.update.status in MONITORING_STATUSES]
        return monitored[-1] if monitored else None

    def _resolved_at(
        self, newest_first: Sequence[PublishedUpdate], status: UpdateStatus, since: Instant
    ) -> Instant | None:
        given = self.incident.resolved_at
        if given is not None and given <= since:
            return given
        if status not in CLOSED_STATUSES:
            return None
        resolved = [p.update.display_at for p in newest_first if p.update.status in RESOLVING_STATUSES]
        return resolved[0] if resolved else None


def last_edit_as_of(published: PublishedUpdate, instant: Instant) -> Instant:
    """Return an update's last change as of an instant: an edit still to come has not happened."""
    update = published.update
    return update.updated_at if update.updated_at <= instant else update.created_at


def _display_at(published: PublishedUpdate) -> Instant:
    return published.update.display_at


def _worst_so_far(published_updates: Sequence[PublishedUpdate]) -> Iterator[Impact]:
    """Yield after each posting the worst impact that the incident's own components have had in its life."""
    statuses: dict[str, ComponentStatus] = {}
    worst: Impact = "none"
    for published in published_updates:
        if published.affected_components:
            for affected in published.affected_components:
                statuses[affected.code] = affected.new_status
            worst = worst_impact((worst, overall_status(statuses.values()).indicator))
        yield worst
