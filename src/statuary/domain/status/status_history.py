"""Everything that was said of components, replayed in the order it was said.

The newest word wins: a recorded change, an update's, the clock's. When an incident is resolved, or a
maintenance completed, the components that it holds down go back to operational, unless another record
still holds them; what that one says of them shows then.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from statuary.domain.primitives import Instant
from statuary.domain.status.automatic_updates import with_automatic_updates
from statuary.domain.status.components import Component
from statuary.domain.status.incidents import AffectedComponent, Incident, IncidentUpdate
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.overall_status import worst_status
from statuary.domain.status.status_catalogue import StatusCatalogue
from statuary.domain.status.vocabulary import RESOLVING_STATUSES, ComponentStatus


class PublishedUpdate(NamedTuple):
    """An update, and what follows from when it was posted.

    Attributes:
        update: the update.
        posted_at: the first instant at which it can be read.
        affected_components: what it publishes of its components; None publishes null.
    """

    update: IncidentUpdate
    published_at: Instant
    affected_components: tuple[AffectedComponent, ...] | None


@dataclass(slots=True)
class StatusHistory:
    """A component's status over time.

    Attributes:
        base: its status before the first change.
        instants: when it changed, in order.
        statuses: what to, one for each instant; never the same twice running.
        last: its status after the last change.
    """

    base: ComponentStatus
    instants: list[Instant] = field(default_factory=list)
    statuses: list[ComponentStatus] = field(default_factory=list)
    last: ComponentStatus = field(init=False)

    def __post_init__(self) -> None:
        self.last = self.base

    def at(self, instant: Instant) -> tuple[ComponentStatus, Instant | None]:
        """Return the status at an instant, and since when (None: from the beginning)."""
        passed = bisect_right(self.instants, instant)
        return (self.statuses[passed - 1], self.instants[passed - 1]) if passed else (self.base, None)

    def change(self, instant: Instant, status: ComponentStatus) -> None:
        """Add a change at an instant not before the last one; of several at one instant the last counts."""
        if status == self.last:
            return
        if self.instants and self.instants[-1] == instant:
            self.instants.pop()
            self.statuses.pop()
            self.last = self.statuses[-1] if self.statuses else self.base
        if status != self.last:
            self.instants.append(instant)
            self.statuses.append(status)
            self.last = status


class ReplayResult(NamedTuple):
    """What came out of a replay.

    Attributes:
        tracks: each component's status over time, by component id.
        postings: each record's postings by its id, in the order they were posted.
    """

    status_histories: Mapping[str, StatusHistory]
    published_updates: Mapping[str, Sequence[PublishedUpdate]]


def replay_updates(catalogue: StatusCatalogue, records: Sequence[Incident]) -> ReplayResult:
    """Replay every recorded change and every update of the records, each at the instant it took effect."""
    tape = _Replayer(catalogue)
    for event in sorted(_events(catalogue, records), key=_when):
        tape.play(event)
    return ReplayResult(tape.status_histories, tape.published_updates)


class _StatusChangeEvent(NamedTuple):
    """A recorded change of a component."""

    at: Instant
    component: Component
    status: ComponentStatus
    rank: int = 0


class _UpdateEvent(NamedTuple):
    """An update of a record, at the instant it is posted."""

    at: Instant
    record: Incident
    update: IncidentUpdate
    rank: int


def _events(
    catalogue: StatusCatalogue, records: Iterable[Incident]
) -> Iterator[_StatusChangeEvent | _UpdateEvent]:
    for component in catalogue.components:
        for change in component.history:
            yield _StatusChangeEvent(change.at, component, change.status)
    for record in records:
        if record.draft:
            continue
        updates = with_automatic_updates(record) if isinstance(record, Maintenance) else record.updates
        for rank, update in enumerate(updates, start=1):
            yield _UpdateEvent(published_at(record, update), record, update, rank)


def _when(event: _StatusChangeEvent | _UpdateEvent) -> tuple[Instant, int]:
    """Return the order of events; of the same instant, recorded changes come first, then updates as written."""
    return event.at, event.rank


def published_at(record: Incident, update: IncidentUpdate) -> Instant:
    """Return the first instant at which an update can be read: never before its own time or its embargo."""
    at = max(update.created_at, update.display_at)
    return at if record.publish_at is None else max(at, record.publish_at)


def published_names(catalogue: StatusCatalogue) -> dict[str, str]:
    """Return by component id the name that updates show: `Group - Component` for one in a group."""
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
    """The running state of a replay."""

    def __init__(self, catalogue: StatusCatalogue) -> None:
        self.status_histories = {
            component.id: StatusHistory(component.status) for component in catalogue.components
        }
        self.published_updates: dict[str, list[PublishedUpdate]] = {}
        self._ids = {name: component.id for name, component in catalogue.components_by_name.items()}
        self._names = published_names(catalogue)
        # by component id: which records hold it down, and how far
        self._held: dict[str, dict[str, ComponentStatus]] = {}
        # by record id: the components it has named so far
        self._named: dict[str, dict[str, None]] = {}

    def play(self, event: _StatusChangeEvent | _UpdateEvent) -> None:
        """Take one event."""
        if isinstance(event, _StatusChangeEvent):
            # a person's word about the component itself: what incidents said of it is settled
            self._held.pop(event.component.id, None)
            self._status_history(event.component.id).change(event.at, event.status)
            return
        update = event.update
        affected = self._recorded(event) if update.recorded else self._derived(event)
        self.published_updates.setdefault(event.record.id, []).append(
            PublishedUpdate(update, event.at, affected)
        )

    def _recorded(self, event: _UpdateEvent) -> tuple[AffectedComponent, ...] | None:
        """Take an update whose effect on components is on record: it moves what it says it moved."""
        affected = event.update.affected_components
        if affected is not None:
            affected = tuple(component._replace(code=self._id(component.code)) for component in affected)
        for component in affected or ():
            if component.old_status != component.new_status and not event.record.backfilled:
                self._say(event, component.code, component.new_status)
        if event.update.status in RESOLVING_STATUSES:
            for held in self._held.values():
                held.pop(event.record.id, None)
        return affected

    def _derived(self, event: _UpdateEvent) -> tuple[AffectedComponent, ...] | None:
        """Take an update as written: return each component it is about with its status before and after."""
        if event.record.backfilled:
            return None
        said = self._said(event)
        before = [(component, self._status_history(component).last) for component in self._name(event, said)]
        for component, status in said.items():
            if status is not None:
                self._say(event, component, status)
        if ends_effect(event.record, event.update):
            for component, _ in before:
                if component not in said:
                    self._release(event, component)
        affected = tuple(
            AffectedComponent(
                component, self._names.get(component, component), old, self._status_history(component).last
            )
            for component, old in before
        )
        # the clock's updates list components only when they move them; a person's always do (measured)
        if event.update.automatic and all(one.old_status == one.new_status for one in affected):
            return None
        return affected or None

    def _said(self, event: _UpdateEvent) -> dict[str, ComponentStatus | None]:
        """Return by component id what the update says of components, in words or by what it is."""
        said = {self._id(name): status for name, status in event.update.components.items()}
        if event.rank == 1 and event.record.opened_with:
            said = {self._id(name): status for name, status in event.record.opened_with.items()} | said
        if begins_maintenance(event.record, event.update) and not any(said.values()):
            return {self._id(name): "under_maintenance" for name in event.record.components}
        return said

    def _name(self, event: _UpdateEvent, said: Mapping[str, ComponentStatus | None]) -> dict[str, None]:
        """Return the components that a record has named up to this update, in the order of naming."""
        named = self._named.setdefault(event.record.id, {})
        if not named and isinstance(event.record, Maintenance):
            named.update((self._id(name), None) for name in event.record.components)
        named.update((component, None) for component in said)
        return named

    def _say(self, event: _UpdateEvent, component: str, status: ComponentStatus) -> None:
        held = self._held.setdefault(component, {})
        if status == "operational":
            held.pop(event.record.id, None)
        else:
            held[event.record.id] = status
        self._status_history(component).change(event.at, status)

    def _release(self, event: _UpdateEvent, component: str) -> None:
        held = self._held.get(component, {})
        if held.pop(event.record.id, None) is not None:
            self._status_history(component).change(event.at, worst_status(held.values()))

    def _id(self, name: str) -> str:
        return self._ids.get(name, name)

    def _status_history(self, component: str) -> StatusHistory:
        status_history = self.status_histories.get(component)
        if status_history is None:
            status_history = self.status_histories[component] = StatusHistory("operational")
        return status_history


def begins_maintenance(record: Incident, update: IncidentUpdate) -> bool:
    """Say whether an update puts a maintenance's components under maintenance unless it says otherwise."""
    return (
        isinstance(record, Maintenance)
        and update.status == "in_progress"
        and record.automation.auto_transition_to_maintenance_state
    )


def ends_effect(record: Incident, update: IncidentUpdate) -> bool:
    """Say whether an update lets go of the components that its record holds down."""
    if isinstance(record, Maintenance):
        return update.status == "completed" and record.automation.auto_transition_to_operational_state
    return update.status == "resolved"
