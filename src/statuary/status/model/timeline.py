"""The timeline: the status at any instant, and when it changes.

A `Timeline` is built once from a catalogue; each state costs little, so that the documents of every future
instant can be written. It never reads a clock.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property, lru_cache
from math import inf
from operator import attrgetter
from typing import NamedTuple

from statuary.base.primitives import Instant, midnights
from statuary.status.model.component_now import ComponentNow, LayerHistory
from statuary.status.model.incident_history import IncidentHistory, IncidentState
from statuary.status.model.records import Component, Incident, Page, StatusCatalogue
from statuary.status.model.recurrence import has_window_after, maintenance_windows
from statuary.status.model.status_history import StatusHistory, replay_updates
from statuary.status.model.vocabulary import ComponentStatus, OverallStatus, overall_status, worst_status


class ComponentState(NamedTuple):
    """A component or group at an instant, as the API shows it.

    A group has the status of its worst component.
    """

    component: Component
    status: ComponentStatus
    updated_at: Instant
    now: ComponentNow  # the status that pages show


class PageState(NamedTuple):
    """The status page at an instant, with components and incidents."""

    at: Instant
    page: Page
    updated_at: Instant  # the time of the latest change of anything on the page
    overall_status: OverallStatus  # the status that the API shows
    overall_now: OverallStatus  # the status that pages show: a window does not hide an outage
    worst_now: ComponentStatus | None
    components: dict[str, ComponentState]
    incidents: tuple[IncidentState, ...]  # every published incident, the latest created first
    maintenances: tuple[IncidentState, ...]  # every published maintenance window, the latest created first


SAME_CHANGE = timedelta(seconds=1)
"""The longest delay between a change of a page or component and the update that causes it (measured: up to 88 ms)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Timeline:
    """The status of a page over time, from the first to the last change."""

    catalogue: StatusCatalogue
    until: Instant  # the time by which windows of recurring maintenances are announced and included
    status_histories: dict[str, StatusHistory]  # each component's status as the API shows it, by id
    layer_histories: dict[str, LayerHistory]  # each component's status as pages show it, by id
    incidents: tuple[IncidentHistory, ...]  # the latest created first
    maintenances: tuple[IncidentHistory, ...]  # one for each window, the latest created first

    @cached_property
    def histories(self) -> tuple[IncidentHistory, ...]:
        """All incidents, and then all maintenance windows, over time."""
        return (*self.incidents, *self.maintenances)

    @cached_property
    def change_times(self) -> list[Instant]:
        """The times at which the status page changes, oldest first."""
        instants = {instant for history in self.histories for instant in history.change_instants}
        instants.update(self._status_changes())
        components = self.catalogue.components
        instants.update(component.created_at for component in components)
        stated_instants = (
            self.catalogue.page.updated_at,
            *(component.updated_at for component in components),
        )
        instants.update(at for at in stated_instants if at is not None)
        return sorted(instants)

    def _status_changes(self) -> Iterator[Instant]:
        for status_history in self.status_histories.values():
            yield from status_history.instants
        for layer_history in self.layer_histories.values():
            yield from (change.at for change in layer_history.shown_changes())

    @cached_property
    def deadlines(self) -> list[Instant]:
        """The times at which promised updates become late, oldest first."""
        return sorted({instant for history in self.histories for instant in history.deadlines})

    @cached_property
    def components_by_position(self) -> tuple[Component, ...]:
        """Groups and components in the order of the API.

        They are sorted by position, and at the same position by `rank`, if the content has it. Then come those without a
        `created_at` in the content, then the others, oldest first, as in Statuspage.
        """
        return tuple(
            sorted(
                self.catalogue.components,
                key=lambda component: (
                    component.position,
                    inf if component.rank is None else component.rank,
                    component.is_dated,
                    component.created_at if component.is_dated else None,
                ),
            )
        )


def build_timeline(catalogue: StatusCatalogue, until: Instant) -> Timeline:
    """Compute the status over time.

    The result tells which status each component, incident and maintenance window has at a time.

    Args:
        catalogue: the components, incidents and maintenance windows.
        until: the time up to which recurring windows are added.
    """
    maintenances = tuple(
        window for maintenance in catalogue.maintenances for window in maintenance_windows(maintenance, until)
    )
    incidents = catalogue.incidents
    replayed = replay_updates(catalogue, (*incidents, *maintenances))
    ids = {name: component.id for name, component in catalogue.components_by_name.items()}

    def history(record: Incident) -> IncidentHistory:
        component_names = (*record.component_order, *record.components)
        components = tuple(dict.fromkeys(ids.get(name, name) for name in component_names))
        return IncidentHistory(record, replayed.published_updates.get(record.id, ()), components)

    return Timeline(
        catalogue=catalogue,
        until=until,
        status_histories=dict(replayed.status_histories),
        layer_histories=dict(replayed.layer_histories),
        incidents=tuple(map(history, newest_created_first(incidents))),
        maintenances=tuple(map(history, newest_created_first(maintenances))),
    )


def newest_created_first(records: Sequence[Incident]) -> list[Incident]:
    """Sort incidents by their creation, newest first; equal times by id."""
    return sorted(sorted(records, key=attrgetter("id")), key=attrgetter("created_at"), reverse=True)


@lru_cache(maxsize=2)
def page_state_at(timeline: Timeline, at: Instant) -> PageState:
    """Return the page at a given time, with its components and incidents."""
    return _page_state(timeline, at, timeline.incidents, timeline.maintenances)


def page_states_from(
    timeline: Timeline, start: Instant, listed_records: Iterable[IncidentState]
) -> Callable[[Instant], PageState]:
    """Return a function that gives the page's state at a given time.

    To save time, the states leave out incidents that no longer change after `start` and are not in
    `listed_records`. Lists of the latest incidents are still complete.

    Args:
        timeline: the status over time.
        start: the earliest time that the function is called with.
        listed_records: the incidents and windows that the lists show at `start`.
    """
    ids = {history.incident.id for history in listed_records}

    def relevant_histories(histories: Iterable[IncidentHistory]) -> tuple[IncidentHistory, ...]:
        return tuple(
            history
            for history in histories
            if history.incident.id in ids or not history.is_unchanging_after(start)
        )

    incidents = relevant_histories(timeline.incidents)
    maintenances = relevant_histories(timeline.maintenances)
    return lambda at: _page_state(timeline, at, incidents, maintenances)


def _page_state(
    timeline: Timeline,
    at: Instant,
    incidents: Sequence[IncidentHistory],
    maintenances: Sequence[IncidentHistory],
) -> PageState:
    components = component_states_at(timeline, at)
    return PageState(
        at=at,
        page=timeline.catalogue.page,
        updated_at=page_updated_at(timeline, at),
        overall_status=_page_status(timeline, components, attrgetter("status")),
        overall_now=_page_status(timeline, components, attrgetter("now.status")),
        worst_now=_worst_now(timeline.catalogue.page, components),
        components=components,
        incidents=tuple(incident_states_at(incidents, at)),
        maintenances=tuple(incident_states_at(maintenances, at)),
    )


def component_states_at(timeline: Timeline, at: Instant) -> dict[str, ComponentState]:
    """Return all components at a given time, in API order.

    Returns:
        The states of components and groups by id.
    """
    leaves = {
        component.id: component_state_at(timeline, component, at)
        for component in timeline.catalogue.components
        if not component.group
    }
    return {
        component.id: _group_state(component, leaves) if component.group else leaves[component.id]
        for component in timeline.components_by_position
    }


def component_state_at(timeline: Timeline, component: Component, at: Instant) -> ComponentState:
    """Return a component with its status at a given time.

    Args:
        timeline: the timeline, which has the status of each component over time.
        component: the component, which must not be a group.
        at: the time.
    """
    status, changed_at = timeline.status_histories[component.id].at(at)
    updated = component.created_at if changed_at is None else changed_at
    now = timeline.layer_histories[component.id].at(at)
    return ComponentState(
        component, status, _imported_or_later_change(component.updated_at, updated, at), now
    )


def _group_state(group: Component, component_states: dict[str, ComponentState]) -> ComponentState:
    """Return a group with the status of its worst component.

    Its components do not change its timestamp.
    """
    children = [
        component_states[child] for child in group.children if not component_states[child].component.removed
    ]
    status, now = (worst_status(map(of, children)) for of in (attrgetter("status"), attrgetter("now.status")))
    return ComponentState(group, status, group.updated_at or group.created_at, ComponentNow(now, None, None))


def incident_states_at(histories: Sequence[IncidentHistory], at: Instant) -> list[IncidentState]:
    """Return the published incidents or windows as of a given time.

    Args:
        histories: the incidents over time.
        at: the time.
    """
    return [state for history in histories if (state := history.state_at(at)) is not None]


def _page_status(
    timeline: Timeline,
    components: dict[str, ComponentState],
    status_of: Callable[[ComponentState], ComponentStatus],
) -> OverallStatus:
    """Return the overall status of the page, such as a partial outage.

    It follows from the components, unless the settings replace it.

    Args:
        status_of: returns the status of a component that counts: the newest one, or the one that pages show.
    """
    page = timeline.catalogue.page
    derived = overall_status(
        status_of(state)
        for state in components.values()
        if not (state.component.group or state.component.removed)
    )
    return OverallStatus(page.indicator or derived.indicator, page.description or derived.description)


def _worst_now(page: Page, components: dict[str, ComponentState]) -> ComponentStatus | None:
    if page.indicator or page.description:
        return None
    return worst_status(
        state.now.status
        for state in components.values()
        if not (state.component.group or state.component.removed)
    )


def page_updated_at(timeline: Timeline, at: Instant) -> Instant:
    """Return the time of the page's last change, up to a given time."""
    page = timeline.catalogue.page
    passed = bisect_right(timeline.change_times, at)
    changed_at = timeline.change_times[passed - 1] if passed else page.created_at
    return _imported_or_later_change(page.updated_at, changed_at, at)


def _imported_or_later_change(stated_instant: Instant | None, changed_at: Instant, at: Instant) -> Instant:
    if stated_instant is None or stated_instant > at:
        return changed_at
    return changed_at if changed_at - stated_instant > SAME_CHANGE else stated_instant


def transitions_between(
    timeline: Timeline, start: Instant, until: Instant, *, days: bool = False
) -> list[Instant]:
    """Return the times in an interval at which the page may change.

    Args:
        timeline: the status over time, which must extend at least to `until`.
        start: the time before the interval; a change exactly then is not returned.
        until: the last time of the interval.
        days: whether to include midnight in the page's time zone, when documents that show days change.
    """
    first_index = bisect_right(timeline.change_times, start)
    end_index = bisect_right(timeline.change_times, until)
    instants = set(timeline.change_times[first_index:end_index])
    instants.update(at for at in timeline.deadlines if start < at <= until)
    if days:
        instants.update(midnights(timeline.catalogue.page.time_zone, start, until))
    return sorted(instants)


def changes_after(timeline: Timeline, at: Instant) -> bool:
    """Return whether anything on the page changes after a time.

    Recurring maintenances count, too, even if their next window is so far ahead that a build does not write
    documents for it.
    """
    if any(instants and instants[-1] > at for instants in (timeline.change_times, timeline.deadlines)):
        return True
    maintenances = timeline.catalogue.maintenances
    return any(
        maintenance.recurrence and has_window_after(maintenance, maintenance.recurrence, at)
        for maintenance in maintenances
    )
