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
from statuary.domain.status.catalogue import StatusCatalogue
from statuary.domain.status.components import Component
from statuary.domain.status.days import midnights
from statuary.domain.status.incidents import Incident
from statuary.domain.status.lives import IncidentState, Life
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.recurrence import occurrences
from statuary.domain.status.replay import Track, replay
from statuary.domain.status.roll_up import RollUp, page_roll_up, worst_status
from statuary.domain.status.state import ComponentState, PageState
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
    tracks: dict[str, Track]
    incidents: tuple[Life, ...]
    maintenances: tuple[Life, ...]

    @cached_property
    def lives(self) -> tuple[Life, ...]:
        """Every incident's and every maintenance's life."""
        return (*self.incidents, *self.maintenances)

    @cached_property
    def changes(self) -> list[Instant]:
        """Every instant at which something on the page changes, in order."""
        instants = {step for life in self.lives for step in life.steps}
        for component in self.catalogue.components:
            instants.add(component.created_at)
            if component.updated_at is not None:
                instants.add(component.updated_at)
        instants.update(at for track in self.tracks.values() for at in track.instants)
        if self.catalogue.page.updated_at is not None:
            instants.add(self.catalogue.page.updated_at)
        return sorted(instants)

    @cached_property
    def by_position(self) -> tuple[Component, ...]:
        """Groups and components by position alone, those of one position by their creation.

        So Statuspage serves them, groups and components interleaved (measured: 352 ties of 352).
        """
        return tuple(sorted(self.catalogue.components, key=attrgetter("position", "created_at")))


def timeline(catalogue: StatusCatalogue, until: Instant) -> Timeline:
    """Replay a catalogue, its recurring maintenances laid out as far as they are announced by `until`."""
    maintenances = tuple(
        window for maintenance in catalogue.maintenances for window in _windows(maintenance, until)
    )
    incidents = catalogue.incidents
    replayed = replay(catalogue, (*incidents, *maintenances))
    ids = {name: component.id for name, component in catalogue.components_by_name.items()}

    def life(record: Incident) -> Life:
        components = tuple(dict.fromkeys(ids.get(name, name) for name in record.components))
        return Life(record, replayed.postings.get(record.id, ()), components)

    return Timeline(
        catalogue=catalogue,
        until=until,
        tracks=dict(replayed.tracks),
        incidents=tuple(map(life, newest_first(incidents))),
        maintenances=tuple(map(life, newest_first(maintenances))),
    )


def _windows(maintenance: Maintenance, until: Instant) -> Iterable[Maintenance]:
    return (maintenance,) if maintenance.recurrence is None else occurrences(maintenance, until)


def newest_first(records: Sequence[Incident]) -> list[Incident]:
    """Return records by their creation, the latest first; by id where that ties."""
    return sorted(sorted(records, key=attrgetter("id")), key=attrgetter("created_at"), reverse=True)


def state_at(line: Timeline, at: Instant) -> PageState:
    """Return everything that the status documents say at an instant."""
    components = components_at(line, at)
    incidents = _states(line.incidents, at)
    return PageState(
        at=at,
        page=line.catalogue.page,
        updated_at=updated_at(line, at),
        roll_up=_roll_up(line, components, incidents),
        components=components,
        incidents=incidents,
        maintenances=_states(line.maintenances, at),
    )


def components_at(line: Timeline, at: Instant) -> dict[str, ComponentState]:
    """Return every component and group at an instant, by id, in order of position."""
    leaves = {
        component.id: component_at(line, component, at)
        for component in line.catalogue.components
        if not component.group
    }
    return {
        component.id: _group_at(component, leaves) if component.group else leaves[component.id]
        for component in line.by_position
    }


def component_at(line: Timeline, component: Component, at: Instant) -> ComponentState:
    """Return a component that is no group at an instant."""
    status, changed_at = line.tracks[component.id].at(at)
    updated = component.created_at if changed_at is None else changed_at
    if component.updated_at is not None and component.updated_at <= at:
        updated = max(updated, component.updated_at)
    return ComponentState(component, status, updated)


def _group_at(group: Component, leaves: dict[str, ComponentState]) -> ComponentState:
    """Return a group: its worst component's status, and its own stamp, which its components do not move."""
    children = (leaves[child] for child in group.children)
    status = worst_status(child.status for child in children if not child.component.removed)
    return ComponentState(group, status, group.updated_at or group.created_at)


def _states(lives: Sequence[Life], at: Instant) -> tuple[IncidentState, ...]:
    return tuple(state for life in lives if (state := life.state_at(at)) is not None)


def _roll_up(
    line: Timeline, components: dict[str, ComponentState], incidents: Iterable[IncidentState]
) -> RollUp:
    leaves = (s.status for s in components.values() if not (s.component.group or s.component.removed))
    unresolved = (state.impact for state in incidents if state.status in UNRESOLVED_STATUSES)
    derived = page_roll_up(leaves, unresolved)
    page = line.catalogue.page
    if page.indicator is None and page.description is None:
        return derived
    return RollUp(page.indicator or derived.indicator, page.description or derived.description)


def updated_at(line: Timeline, at: Instant) -> Instant:
    """Return the page's last change at an instant; its creation, if nothing had happened yet."""
    page = line.catalogue.page
    if page.updated_at is not None and page.updated_at <= at:
        return page.updated_at
    passed = bisect_right(line.changes, at)
    return line.changes[passed - 1] if passed else page.created_at


def transitions(line: Timeline, after: Instant, until: Instant, *, days: bool = False) -> list[Instant]:
    """Return the instants after `after`, up to `until`, at which anything published may change.

    Args:
        line: what is asked; laid out at least as far as `until`.
        after: the instant before the first one that counts.
        until: the last instant that counts.
        days: whether the midnights of the page's zone count too, as they do where a document shows days.
    """
    first, last = bisect_right(line.changes, after), bisect_right(line.changes, until)
    found = set(line.changes[first:last])
    if days:
        found.update(midnights(line.catalogue.page.time_zone, after, until))
    return sorted(found)
