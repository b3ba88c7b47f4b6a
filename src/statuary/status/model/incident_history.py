"""The state of an incident at each instant of its history.

The document of an incident changes only at its *change instants*; between two of them it has one state, which
is cached.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from statuary.base.primitives import Instant
from statuary.status.model.records import Incident, Maintenance
from statuary.status.model.status_history import PublishedUpdate
from statuary.status.model.vocabulary import (
    CLOSED_STATUSES,
    IMPACT_SEVERITY,
    MONITORING_STATUSES,
    RESOLVING_STATUSES,
    UNRESOLVED_STATUSES,
    ComponentStatus,
    Impact,
    UpdateStatus,
    overall_status,
    worst_impact,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IncidentState:
    """The state of an incident or maintenance window between two changes.

    Attributes:
        next_update_by: the time by which the newest update promises another; None if it promises none, or
            after the end.
    """

    incident: Incident
    since: Instant  # the change instant that this state begins at
    status: UpdateStatus  # the status of the newest update
    impact: Impact  # the worst impact so far, or the override of the content
    updated_at: Instant
    monitoring_at: Instant | None
    resolved_at: Instant | None
    published_updates: tuple[PublishedUpdate, ...]  # newest first
    components: tuple[str, ...]
    next_update_by: Instant | None

    @property
    def is_overdue(self) -> bool:
        """Whether the author promised an update by a time that has passed."""
        return self.next_update_by is not None and self.next_update_by <= self.since

    @property
    def closed(self) -> bool:
        """Whether the incident or maintenance window has ended.

        After its end, it changes only if someone edits its file.
        """
        return self.status in CLOSED_STATUSES

    @property
    def cancelled(self) -> bool:
        """Whether this is a maintenance window that was cancelled."""
        if not isinstance(self.incident, Maintenance) or self.resolved_at is None:
            return False
        cancelled_at = self.incident.cancelled_at
        return cancelled_at is not None and cancelled_at <= self.resolved_at


class IncidentHistory:
    """All states of an incident or maintenance window over time.

    Attributes:
        change_instants: all times at which it changes, in order; empty if it is never published.
    """

    def __init__(
        self, incident: Incident, published_updates: Sequence[PublishedUpdate], components: tuple[str, ...]
    ) -> None:
        """Collect the changes of an incident or maintenance window.

        Args:
            incident: the incident or window.
            published_updates: its updates as readers see them.
            components: the ids of its components.
        """
        self.incident = incident
        self._published_updates = () if incident.draft else tuple(published_updates)
        self.components = components
        self._states: dict[int, IncidentState] = {}
        self.change_instants = self._find_change_instants()

    def _find_change_instants(self) -> tuple[Instant, ...]:
        if not self._published_updates:
            return ()
        incident, first_published = self.incident, self._published_updates[0].published_at
        edits = {published_update.update.updated_at for published_update in self._published_updates}
        stated_instants = {*incident.changes_without_update, incident.monitoring_at, incident.resolved_at}
        later_instants = {at for at in edits | stated_instants if at is not None and at > first_published}
        return tuple(sorted(later_instants.union(self._publication_times)))

    def state_at(self, instant: Instant) -> IncidentState | None:
        """Return the incident or window as readers see it at a time.

        Returns:
            The state, or None before the first update.
        """
        passed = bisect_right(self._change_times, instant)
        if not passed:
            return None
        state = self._states.get(passed)
        if state is None:
            state = self._states[passed] = self._compute_state(self._change_times[passed - 1])
        return state

    @cached_property
    def deadlines(self) -> tuple[Instant, ...]:
        """The times at which a promised update becomes late.

        An update can promise the next one, with `next_update_by`. If none follows by then, the promised update
        is late. Only pages show this; the API does not.
        """
        promises = []
        for place, published_update in enumerate(self._published_updates):
            promised = published_update.update.next_update_by
            later_instants = self._publication_times[place + 1 :]
            is_open = published_update.update.status not in CLOSED_STATUSES
            if promised is None or not is_open or promised <= published_update.published_at:
                continue
            if all(at > promised for at in later_instants):
                promises.append(promised)
        return tuple(promises)

    @cached_property
    def _change_times(self) -> Sequence[Instant]:
        return sorted({*self.change_instants, *self.deadlines}) if self.deadlines else self.change_instants

    def is_unchanging_after(self, instant: Instant) -> bool:
        """Return whether the incident or window does not change after a time.

        This is so if it has ended by then, or if it is never published.
        """
        final = self.final_state
        return final is None or (final.closed and final.since <= instant)

    @cached_property
    def final_state(self) -> IncidentState | None:
        """The incident or window after its last change.

        The value is None if it is never published.
        """
        return self.state_at(self.change_instants[-1]) if self.change_instants else None

    def _compute_state(self, since: Instant) -> IncidentState:
        count = bisect_right(self._publication_times, since)
        published_updates = self._published_updates[:count]
        newest_first = tuple(sorted(published_updates, key=_display_time)[::-1])
        status = newest_first[0].update.status
        edits = [last_edit_as_of(published_update, since) for published_update in published_updates]
        return IncidentState(
            incident=self.incident,
            since=since,
            status=status,
            impact=self._impact_at(count, since),
            updated_at=max(
                [*edits, *(change for change in self.incident.changes_without_update if change <= since)]
            ),
            monitoring_at=self._monitoring_at(newest_first, since),
            resolved_at=self._resolved_at(newest_first, since),
            published_updates=newest_first,
            components=self.components,
            next_update_by=None if status in CLOSED_STATUSES else newest_first[0].update.next_update_by,
        )

    @cached_property
    def _publication_times(self) -> list[Instant]:
        return [published_update.published_at for published_update in self._published_updates]

    def _impact_at(self, update_count: int, since: Instant) -> Impact:
        override, override_at = self.incident.impact_override, self.incident.impact_override_at
        if override is not None and (override_at is None or override_at <= since):
            return override
        if isinstance(self.incident, Maintenance):
            return "maintenance"
        return self._worst_impacts[update_count - 1]

    @cached_property
    def _worst_impacts(self) -> list[Impact]:
        return list(_worst_impacts_so_far(self._published_updates))

    def _monitoring_at(self, newest_first: Sequence[PublishedUpdate], since: Instant) -> Instant | None:
        monitoring_at = self.incident.monitoring_at
        if monitoring_at is not None:
            return monitoring_at if monitoring_at <= since else None
        monitored = _display_times(newest_first, MONITORING_STATUSES)
        return monitored[-1] if monitored else None

    def _resolved_at(self, newest_first: Sequence[PublishedUpdate], since: Instant) -> Instant | None:
        resolved_at = self.incident.resolved_at
        if resolved_at is not None and resolved_at <= since:
            updates = (published_update.update for published_update in newest_first)
            # Ignore the imported time of the resolution if a later update has reopened the incident.
            if not any(update.reopens and update.display_at >= resolved_at for update in updates):
                return resolved_at
        # Look at the updates since the record was last open. The record ended with the first one that
        # resolves it, and later ones, such as a postmortem, do not change that.
        ending = takewhile(lambda entry: entry.update.status in CLOSED_STATUSES, newest_first)
        resolved = _display_times(list(ending), RESOLVING_STATUSES)
        return resolved[-1] if resolved else None


RECORD_ENTRIES = 10
"""The size of a record without components, or of an update, as a number of component entries."""


def estimate_document_entries(history: IncidentHistory) -> int:
    """Estimate the size of an incident's document.

    It is about the number of components in the document, which lists them again with each update.
    """
    updates = 0 if history.final_state is None else len(history.final_state.published_updates)
    return (RECORD_ENTRIES + len(history.components)) * (1 + updates)


def unresolved_worst_first(incidents: Iterable[IncidentState]) -> list[IncidentState]:
    """Return the unresolved incidents, sorted by impact, worst first.

    Incidents with the same impact keep their order.
    """
    unresolved = [incident for incident in incidents if incident.status in UNRESOLVED_STATUSES]
    return sorted(unresolved, key=lambda incident: IMPACT_SEVERITY[incident.impact], reverse=True)


def last_edit_as_of(published_update: PublishedUpdate, instant: Instant) -> Instant:
    """Return the time of an update's last edit, up to a given time.

    Args:
        published_update: the update.
        instant: the time; later edits are ignored.

    Returns:
        The time of the last edit, or the time of the update's creation if there was none.
    """
    update = published_update.update
    return update.updated_at if update.updated_at <= instant else update.created_at


def _display_time(published_update: PublishedUpdate) -> Instant:
    return published_update.update.display_at


def _display_times(updates: Sequence[PublishedUpdate], statuses: Collection[str]) -> list[Instant]:
    return [
        _display_time(published_update)
        for published_update in updates
        if published_update.update.status in statuses
    ]


def _worst_impacts_so_far(published_updates: Sequence[PublishedUpdate]) -> Iterator[Impact]:
    statuses: dict[str, ComponentStatus] = {}
    worst: Impact = "none"
    for published_update in published_updates:
        if published_update.affected_components:
            affected = published_update.affected_components
            statuses |= {
                component.code: component.new_status
                for component in affected
                if component.code and component.new_status
            }
            worst = worst_impact((worst, overall_status(statuses.values()).indicator))
        yield worst
