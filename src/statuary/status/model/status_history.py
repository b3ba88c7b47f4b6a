"""The status of each component over time.

The newest layer counts (`component_now.py`). When an incident is resolved, a window completed, or another
page recovers, the components return to the status of the layer below: that of another open record, another
page or a person.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from statuary.base.primitives import Instant
from statuary.status.model.component_now import (
    Layer,
    LayerHistory,
    LayerKind,
    OpenLayers,
)
from statuary.status.model.records import (
    AffectedComponent,
    Component,
    Incident,
    IncidentUpdate,
    Maintenance,
    StatusCatalogue,
    StatusChange,
)
from statuary.status.model.recurrence import with_automatic_updates
from statuary.status.model.vocabulary import RESOLVING_STATUSES, ComponentStatus


class PublishedUpdate(NamedTuple):
    """An update of an incident, and the time from which readers see it."""

    update: IncidentUpdate
    published_at: Instant  # the first instant at which readers see it
    affected_components: tuple[AffectedComponent, ...] | None  # None publishes null


class BegunStatus(NamedTuple):
    """A component's status, and when that status began."""

    status: ComponentStatus
    began: Instant | None = None  # None for the status before the first change


class LaterStatuses(NamedTuple):
    """A component's status at a time, and all later changes."""

    base: ComponentStatus  # the status before the changes
    instants: list[Instant]
    statuses: list[ComponentStatus]  # the status after each change


@dataclass(slots=True)
class StatusHistory:
    """A component's status over time.

    Attributes:
        statuses: the status after each change; two consecutive ones always differ.
    """

    base: ComponentStatus  # the status before the first change
    instants: list[Instant] = field(default_factory=list)  # the instants of the changes, in order
    statuses: list[ComponentStatus] = field(default_factory=list)
    last_status: ComponentStatus = field(init=False)  # the status after the last change

    def __post_init__(self) -> None:
        self.last_status = self.base

    def at(self, instant: Instant) -> BegunStatus:
        """Return the component's status at a given time, and when it began."""
        passed = bisect_right(self.instants, instant)
        if not passed:
            return BegunStatus(self.base)
        return BegunStatus(self.statuses[passed - 1], self.instants[passed - 1])

    def statuses_since(self, instant: Instant) -> LaterStatuses:
        """Return the component's status at a given time and after it."""
        first_index = max(bisect_right(self.instants, instant) - 1, 0)
        base = self.statuses[first_index - 1] if first_index else self.base
        return LaterStatuses(base, self.instants[first_index:], self.statuses[first_index:])

    def record_change(self, instant: Instant, status: ComponentStatus) -> None:
        """Add a change of the component's status.

        Args:
            instant: the time of the change; of several changes at the same time, the last one counts.
            status: the status from that time on.
        """
        if status == self.last_status:
            return
        if self.instants and self.instants[-1] == instant:
            self.instants.pop()
            self.statuses.pop()
            self.last_status = self.statuses[-1] if self.statuses else self.base
        if status != self.last_status:
            self.instants.append(instant)
            self.statuses.append(status)
            self.last_status = status


class ReplayResult(NamedTuple):
    """The result of replaying all updates: statuses over time, and updates."""

    status_histories: Mapping[str, StatusHistory]
    layer_histories: Mapping[str, LayerHistory]
    published_updates: Mapping[str, Sequence[PublishedUpdate]]


def replay_updates(catalogue: StatusCatalogue, records: Sequence[Incident]) -> ReplayResult:
    """Apply all updates in order, to get each component's status over time.

    Changes under the key `history` of a component are applied, too.

    Args:
        catalogue: the page with its components.
        records: the incidents and maintenance windows.
    """
    replayer = _Replayer(catalogue)
    for event in sorted(_replay_events(catalogue, records), key=attrgetter("at", "rank")):
        replayer.apply_event(event)
    return ReplayResult(replayer.status_histories, replayer.layer_histories, replayer.published_updates)


class _StatusChangeEvent(NamedTuple):
    at: Instant
    component: Component
    change: StatusChange
    rank: int = 0


class _UpdateEvent(NamedTuple):
    at: Instant
    record: Incident
    update: IncidentUpdate
    rank: int


def _replay_events(
    catalogue: StatusCatalogue, records: Iterable[Incident]
) -> Iterator[_StatusChangeEvent | _UpdateEvent]:
    for component in catalogue.components:
        for change in component.history:
            yield _StatusChangeEvent(change.at, component, change)
    for record in records:
        if record.draft:
            continue
        for rank, update in enumerate(with_automatic_updates(record), start=1):
            yield _UpdateEvent(update_publication_time(record, update), record, update, rank)


def update_publication_time(record: Incident, update: IncidentUpdate) -> Instant:
    """Return the time from which readers can see an update.

    Args:
        record: the incident or maintenance window, which may have a `publish_at`.
        update: one of its updates.

    Returns:
        The latest of the update's `created_at`, its `display_at`, and `publish_at`.
    """
    at = max(update.created_at, update.display_at)
    return at if record.publish_at is None else max(at, record.publish_at)


def published_component_names(catalogue: StatusCatalogue) -> dict[str, str]:
    """Return the names of components as readers see them, by component id.

    The name of a component in a group begins with that of the group: `Group - Component`.
    """
    groups = {component.id: component.name for component in catalogue.components if component.group}
    return {
        component.id: (
            f"{groups[component.group_id]} - {component.name}"
            if component.group_id in groups
            else component.name
        )
        for component in catalogue.components
    }


class _Replayer:
    """The statuses of components while updates are replayed.

    Attributes:
        _held: the components to which each open record gives a status now, by the record's id.
        _named_components: the components that the updates of each record have named so far, by the record's
            id.
    """

    def __init__(self, catalogue: StatusCatalogue) -> None:
        self.status_histories = {
            component.id: StatusHistory(component.status) for component in catalogue.components
        }
        self.layer_histories = {
            component.id: LayerHistory(component.status) for component in catalogue.components
        }
        self._layers = defaultdict(
            lambda: OpenLayers("operational"),
            {component.id: OpenLayers(component.status) for component in catalogue.components},
        )
        self.published_updates: dict[str, list[PublishedUpdate]] = {}
        self._ids = {name: component.id for name, component in catalogue.components_by_name.items()}
        self._names = published_component_names(catalogue)
        self._held: dict[str, dict[str, None]] = {}
        self._named_components: dict[str, dict[str, None]] = {}

    def apply_event(self, event: _StatusChangeEvent | _UpdateEvent) -> None:
        if isinstance(event, _StatusChangeEvent):
            self._apply_change(event)
            return
        update = event.update
        affected = (
            self._apply_imported_update(event) if update.recorded else self._apply_content_update(event)
        )
        self.published_updates.setdefault(event.record.id, []).append(
            PublishedUpdate(update, event.at, affected)
        )

    def _apply_change(self, event: _StatusChangeEvent) -> None:
        layers = self._layers[event.component.id]
        if not event.change.is_upstream:
            # A status that a person sets in `history` replaces the statuses that all records give.
            layers.override_all_statuses(Layer(LayerKind.STATED, event.change.status, event.at))
        elif event.change.status == "operational":
            layers.remove_layer(LayerKind.UPSTREAM)
        else:
            layers.add_layer(Layer(LayerKind.UPSTREAM, event.change.status, event.at))
        self._record_change(event.component.id, event.at)

    def _apply_imported_update(self, event: _UpdateEvent) -> tuple[AffectedComponent, ...] | None:
        """Apply an imported update, which states its effect on components."""
        affected = event.update.affected_components
        if affected is not None:
            affected = tuple(
                component._replace(code=component.code and self._component_id(component.code))
                for component in affected
            )
        for code, status in () if event.record.backfilled else _changed_statuses(affected or ()):
            if status == "operational":
                # Statuspage showed this component as operational, although other records may have been open.
                # So drop the statuses from all records.
                self._layers[code].override_all_statuses(
                    Layer(LayerKind.STATED, status, event.at, event.record.id)
                )
                self._record_change(code, event.at)
            else:
                self._set_status(event, code, status)
        if event.update.status in RESOLVING_STATUSES:
            self._keep_ended_statuses(event)
        return affected

    def _apply_content_update(self, event: _UpdateEvent) -> tuple[AffectedComponent, ...] | None:
        """Apply an incident's update, and return its effect on components.

        Updates imported from a status page state their own effect, and are not applied here.
        """
        if event.record.backfilled:
            return None
        statuses = self._statuses_of_update(event)
        component_ids = self._add_named_components(event, statuses)
        if ends_component_effect(event.record, event.update):
            component_ids = component_ids | self._held.get(event.record.id, {})
        old_statuses = {component: self._status_history(component).last_status for component in component_ids}
        self._set_statuses(event, statuses, component_ids)
        affected = tuple(
            AffectedComponent(
                component,
                self._names.get(component, component),
                old,
                self._status_history(component).last_status,
            )
            for component, old in old_statuses.items()
        )
        # Like Statuspage, list no components for an automatic update that changes no status (measured).
        if event.update.automatic and all(change.old_status == change.new_status for change in affected):
            return None
        return affected or None

    def _set_statuses(
        self,
        event: _UpdateEvent,
        statuses: Mapping[str, ComponentStatus | None],
        component_ids: Iterable[str],
    ) -> None:
        for component, status in statuses.items():
            if status == "operational":
                self._layers[component].set_operational(event.at, event.record.id)
                self._record_change(component, event.at)
            elif status is not None:
                self._set_status(event, component, status)
        if ends_component_effect(event.record, event.update):
            # The statuses that a record gives end with the record, except those that its last update states.
            # If the first update is also the last one, this includes the statuses in `opened_with`.
            written_ids = {self._component_id(name) for name in event.update.components}
            for component in component_ids:
                if component not in written_ids:
                    self._layers[component].remove_layer(_layer_kind(event.record), event.record.id)
                    self._record_change(component, event.at)
        if event.update.status in RESOLVING_STATUSES:
            self._keep_ended_statuses(event)

    def _statuses_of_update(self, event: _UpdateEvent) -> dict[str, ComponentStatus | None]:
        statuses = {self._component_id(name): status for name, status in event.update.components.items()}
        if event.rank == 1 and event.record.opened_with:
            statuses = {
                self._component_id(name): status for name, status in event.record.opened_with.items()
            } | statuses
        if begins_maintenance(event.record, event.update) and not any(statuses.values()):
            return {self._component_id(name): "under_maintenance" for name in event.record.components}
        return statuses

    def _add_named_components(self, event: _UpdateEvent, statuses: Mapping[str, object]) -> dict[str, None]:
        """Add the components that an update names to the components of its incident.

        Returns:
            The ids of the incident's components so far; the values of the dict are None.
        """
        named_ids = self._named_components.setdefault(event.record.id, {})
        if not named_ids and isinstance(event.record, Maintenance):
            named_ids.update((self._component_id(name), None) for name in event.record.components)
        named_ids.update((component, None) for component in statuses)
        return named_ids

    def _set_status(self, event: _UpdateEvent, component: str, status: ComponentStatus) -> None:
        self._held.setdefault(event.record.id, {})[component] = None
        layer = Layer(_layer_kind(event.record), status, event.at, event.record.id)
        self._layers[component].add_layer(layer)
        self._record_change(component, event.at)

    def _keep_ended_statuses(self, event: _UpdateEvent) -> None:
        for component in self._held.pop(event.record.id, {}):
            self._layers[component].keep_after_record_end(_layer_kind(event.record), event.record.id)
            self._record_change(component, event.at)

    def _record_change(self, component: str, at: Instant) -> None:
        top = self._layers[component].top
        self._layer_history(component).record_change(at, top.shown)
        self._status_history(component).record_change(at, top.newest.status)

    def _component_id(self, name: str) -> str:
        return self._ids.get(name, name)

    def _status_history(self, component: str) -> StatusHistory:
        history = self.status_histories.get(component)
        if history is None:
            history = self.status_histories[component] = StatusHistory("operational")
        return history

    def _layer_history(self, component: str) -> LayerHistory:
        history = self.layer_histories.get(component)
        if history is None:
            history = self.layer_histories[component] = LayerHistory("operational")
        return history


def _layer_kind(record: Incident) -> LayerKind:
    return LayerKind.MAINTENANCE if isinstance(record, Maintenance) else LayerKind.INCIDENT


def _changed_statuses(affected: Iterable[AffectedComponent]) -> Iterator[tuple[str, ComponentStatus]]:
    for code, _, old_status, status in affected:
        if code and status and old_status != status:
            yield code, status


def begins_maintenance(record: Incident, update: IncidentUpdate) -> bool:
    """Return whether an update sets its components to `under_maintenance`.

    Args:
        record: the maintenance window or incident to which the update belongs.
    """
    return (
        isinstance(record, Maintenance)
        and update.status == "in_progress"
        and record.automation.auto_transition_to_maintenance_state
    )


def ends_component_effect(record: Incident, update: IncidentUpdate) -> bool:
    """Return whether an update ends an incident's effect on its components.

    For example, `resolved` does, so the components are operational again.

    Args:
        record: the incident or maintenance window.
        update: one of its updates.
    """
    if isinstance(record, Maintenance):
        return update.status == "completed" and record.automation.auto_transition_to_operational_state
    return update.status == "resolved"
