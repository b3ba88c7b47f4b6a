"""The status side over time: what it says at an instant, and at which instants that changes.

A `Timeline` is made once from a catalogue and then asked; asking costs little, so that an epoch for every
transition can be had. It never looks at a clock.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

from statuary.domain.primitives import Instant
from statuary.domain.status.calendar_days import midnights
from statuary.domain.status.components import Component
from statuary.domain.status.incident_history import IncidentHistory, IncidentState
from statuary.domain.status.incidents import Incident
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.overall_status import OverallStatus, page_status, worst_status
from statuary.domain.status.page_state import ComponentState, PageState
from statuary.domain.status.recurrence import occurrences
from statuary.domain.status.status_catalogue import StatusCatalogue
from statuary.domain.status.status_history import StatusHistory, replay_updates
from statuary.domain.status.vocabulary import UNRESOLVED_STATUSES


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """A catalogue, replayed.

    Attributes:
        catalogue: what was replayed.
        until: the instant up to which recurring maintenances are laid out.
        tracks: each component's status over time, by component id.
        incidents: every incident's life, the latest created first.
        maintenances: every maintenance's life, one for each window, the latest created first.
    """

    catalogue: StatusCatalogue
    until: Instant
    status_histories: dict[str, StatusHistory]
    incidents: tuple[IncidentHistory, ...]
    maintenances: tuple[IncidentHistory, ...]

    @cached_property
    def histories(self) -> tuple[IncidentHistory, ...]:
        """Every incident's and every maintenance's life."""
        return (*self.incidents, *self.maintenances)

    @cached_property
    def changes(self) -> list[Instant]:
        """Every instant at which something on the page changes, in order."""
        instants = {instant for history in self.histories for instant in history.change_instants}
        for component in self.catalogue.components:
            instants.add(component.created_at)
            if component.updated_at is not None:
                instants.add(component.updated_at)
        instants.update(
            at for status_history in self.status_histories.values() for at in status_history.instants
        )
        if self.catalogue.page.updated_at is not None:
            instants.add(self.catalogue.page.updated_at)
        return sorted(instants)

    @cached_property
    def by_position(self) -> tuple[Component, ...]:
        """Groups and components by position alone, those of one position by their creation.

        So Statuspage serves them, groups and components interleaved (measured: 352 ties of 352).
        """
        return tuple(sorted(self.catalogue.components, key=attrgetter("position", "created_at")))


def build_timeline(catalogue: StatusCatalogue, until: Instant) -> Timeline:
    """Replay a catalogue, its recurring maintenances laid out as far as they are announced by `until`."""
    maintenances = tuple(
        window for maintenance in catalogue.maintenances for window in _windows(maintenance, until)
    )
    incidents = catalogue.incidents
    replayed = replay_updates(catalogue, (*incidents, *maintenances))
    ids = {name: component.id for name, component in catalogue.components_by_name.items()}

    def history(record: Incident) -> IncidentHistory:
        components = tuple(dict.fromkeys(ids.get(name, name) for name in record.components))
        return IncidentHistory(record, replayed.published_updates.get(record.id, ()), components)

    return Timeline(
        catalogue=catalogue,
        until=until,
        status_histories=dict(replayed.status_histories),
        incidents=tuple(map(history, newest_first(incidents))),
        maintenances=tuple(map(history, newest_first(maintenances))),
    )


def _windows(maintenance: Maintenance, until: Instant) -> Iterable[Maintenance]:
    return (maintenance,) if maintenance.recurrence is None else occurrences(maintenance, until)


def newest_first(records: Sequence[Incident]) -> list[Incident]:
    """Return records by their creation, the latest first; by id where that ties."""
    return sorted(sorted(records, key=attrgetter("id")), key=attrgetter("created_at"), reverse=True)


def state_at(timeline: Timeline, at: Instant) -> PageState:
    """Return everything that the status documents say at an instant."""
    components = components_at(timeline, at)
    incidents = _states(timeline.incidents, at)
    return PageState(
        at=at,
        page=timeline.catalogue.page,
        updated_at=updated_at(timeline, at),
        overall_status=_roll_up(timeline, components, incidents),
        components=components,
        incidents=incidents,
        maintenances=_states(timeline.maintenances, at),
    )


def components_at(timeline: Timeline, at: Instant) -> dict[str, ComponentState]:
    """Return every component and group at an instant, by id, in order of position."""
    leaves = {
        component.id: component_at(timeline, component, at)
        for component in timeline.catalogue.components
        if not component.group
    }
    return {
        component.id: _group_at(component, leaves) if component.group else leaves[component.id]
        for component in timeline.by_position
    }


def component_at(timeline: Timeline, component: Component, at: Instant) -> ComponentState:
    """Return a component that is no group at an instant."""
    status, changed_at = timeline.status_histories[component.id].at(at)
    updated = component.created_at if changed_at is None else changed_at
    if component.updated_at is not None and component.updated_at <= at:
        updated = max(updated, component.updated_at)
    return ComponentState(component, status, updated)


def _group_at(group: Component, leaves: dict[str, ComponentState]) -> ComponentState:
    """Return a group: its worst component's status, and its own stamp, which its components do not move."""
    children = (leaves[child] for child in group.children)
    status = worst_status(child.status for child in children if not child.component.removed)
    return ComponentState(group, status, group.updated_at or group.created_at)


def _states(histories: Sequence[IncidentHistory], at: Instant) -> tuple[IncidentState, ...]:
    return tuple(state for history in histories if (state := history.state_at(at)) is not None)


def _roll_up(
    timeline: Timeline, components: dict[str, ComponentState], incidents: Iterable[IncidentState]
) -> OverallStatus:
    leaves = (s.status for s in components.values() if not (s.component.group or s.component.removed))
    unresolved = (state.impact for state in incidents if state.status in UNRESOLVED_STATUSES)
    derived = page_status(leaves, unresolved)
    page = timeline.catalogue.page
    if page.indicator is None and page.description is None:
        return derived
    return OverallStatus(page.indicator or derived.indicator, page.description or derived.description)


def updated_at(timeline: Timeline, at: Instant) -> Instant:
    """Return the page's last change at an instant; its creation, if nothing had happened yet."""
    page = timeline.catalogue.page
    if page.updated_at is not None and page.updated_at <= at:
        return page.updated_at
    passed = bisect_right(timeline.changes, at)
    return timeline.changes[passed - 1] if passed else page.created_at


def transitions(timeline: Timeline, after: Instant, until: Instant, *, days: bool = False) -> list[Instant]:
    """Return the instants after `after`, up to `until`, at which anything published may change.

    Args:
        line: what is asked; laid out at least as far as `until`.
        after: the instant before the first one that counts.
        until: the last instant that counts.
        days: whether the midnights of the page's zone count too, as they do where a document shows days.
    """
    first, last = bisect_right(timeline.changes, after), bisect_right(timeline.changes, until)
    found = set(timeline.changes[first:last])
    if days:
        found.update(midnights(timeline.catalogue.page.time_zone, after, until))
    return sorted(found)
