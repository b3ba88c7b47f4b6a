"""The status of a component at an instant, from layers of causes.

Several sources give a component a status: people, another page that it follows, windows, incidents. Each is a
layer while it lasts, and the component shows the newest one; when a layer ends, the status below it shows
again. The API shows the newest layer as it is. Pages do not let a window hide an outage: they show a worse
status below it.
"""

from bisect import bisect_right
from enum import StrEnum
from heapq import heappop, heappush
from typing import NamedTuple

from statuary.base.primitives import Instant
from statuary.status.model.vocabulary import COMPONENT_SEVERITY, ComponentStatus


class LayerKind(StrEnum):
    """The kind of cause that gives a component its status."""

    STATED = "stated"  # a person, or the last update of an incident or window that is over; it lasts until the next
    UPSTREAM = "upstream"  # another page that the component follows
    MAINTENANCE = "maintenance"  # a window in progress
    INCIDENT = "incident"  # an open incident


class Layer(NamedTuple):
    """The status that one cause, such as an incident, gives a component.

    Attributes:
        since: the time from which the cause gives this status; None if it gave it before the first change.
        record_id: the id of the incident or window; None if a person or another page is the cause.
    """

    kind: LayerKind
    status: ComponentStatus
    since: Instant | None = None
    record_id: str | None = None


class ComponentNow(NamedTuple):
    """A component's status as pages show it, with its cause.

    Attributes:
        since: the time from which the component has this status; None before the first change, or for a
            group.
    """

    status: ComponentStatus
    since: Instant | None
    cause: Layer | None  # the layer that shows; None for a group


class OpenLayers:
    """The statuses that a component has at the same time, from several causes.

    For example, an incident gives it a major outage during a maintenance window. One status, which a person or
    an imported page states, is always there. Changes stay fast with many statuses.
    """

    def __init__(self, base: ComponentStatus) -> None:
        """Start with the component's status before its first change."""
        self._layers: dict[int, Layer] = {}  # the layers by position; a higher position is newer
        self._places: dict[_Source, int] = {}
        self._lowest = self._highest = 0
        # The positions of layers in two heaps: those of maintenance (True) and all others (False). `heapq`
        # gives the smallest number, so negate the positions to get the newest layer. A removed layer's
        # position is dropped when it comes to the top.
        self._heaps: dict[bool, list[int]] = {False: [], True: []}
        self._stated = 0
        self.override_all_statuses(Layer(LayerKind.STATED, base))

    def override_all_statuses(self, stated: Layer) -> None:
        """Replace a component's statuses from all causes by a single status.

        Args:
            stated: the status, which a person or an imported page states.
        """
        self._layers.clear()
        self._places.clear()
        self._heaps = {False: [], True: []}
        self._insert(self._highest, stated)

    def add_layer(self, layer: Layer) -> None:
        """Add the newest status that an incident or window gives the component.

        It replaces an earlier status from the same cause.

        Args:
            layer: the status and its cause. If the earlier status was the same, the start of that one is kept.
        """
        place = self._places.pop(_source_of_layer(layer), None)
        if place is not None:
            earlier = self._layers.pop(place)
            if earlier.status == layer.status:
                layer = layer._replace(since=earlier.since)
        self._highest += 1
        self._insert(self._highest, layer)

    def remove_layer(self, kind: LayerKind, record_id: str | None = None) -> None:
        """Remove the status that an incident, a window or another page gave.

        For example, after an incident is resolved, its `partial_outage` is removed. Nothing happens if there is
        no such status.

        Args:
            kind: the kind of cause: an incident, a maintenance window, or a page that the component follows.
            record_id: the id of the incident or window; None for a page.
        """
        place = self._places.pop(_Source(kind, record_id), None)
        if place is not None:
            del self._layers[place]

    def keep_after_record_end(self, kind: LayerKind, record_id: str) -> None:
        """Keep a component's status after the end of the incident that gave it.

        Then no cause is left: the status counts as stated by a person.

        Args:
            kind: the cause: an incident or a maintenance window.
            record_id: the id of the incident or window.
        """
        place = self._places.pop(_Source(kind, record_id), None)
        if place is not None:
            del self._layers[self._stated]
            self._insert(place, self._layers[place]._replace(kind=LayerKind.STATED))

    def set_operational(self, at: Instant, record_id: str) -> None:
        """Make a component operational after an incident or maintenance window.

        The status that the incident or window gave it is removed. If another incident also affects the
        component, its status stays.

        Args:
            at: the time from which the component is operational.
            record_id: the id of the incident or window.
        """
        stated = self._layers.pop(self._stated)
        if stated.status != "operational":
            stated = Layer(LayerKind.STATED, "operational", at, record_id)
        self.remove_layer(LayerKind.INCIDENT, record_id)
        self.remove_layer(LayerKind.MAINTENANCE, record_id)
        self._lowest -= 1
        self._insert(self._lowest, stated)

    def _insert(self, position: int, layer: Layer) -> None:
        self._layers[position] = layer
        if layer.kind is LayerKind.STATED:
            self._stated = position
        else:
            self._places[_source_of_layer(layer)] = position
        heappush(self._heaps[_is_maintenance(layer)], -position)

    @property
    def top(self) -> "TopLayers":
        """The newest status, and the one that pages show.

        Pages show the newest status, except that maintenance never hides a worse one.
        """
        beneath = self._newest_position(is_maintenance=False)
        maintenance = self._newest_position(is_maintenance=True)
        if maintenance is None or (beneath is not None and beneath > maintenance):
            newest = self._layers[self._stated if beneath is None else beneath]
            return TopLayers(newest, newest)
        newest = self._layers[maintenance]
        if beneath is None:
            return TopLayers(newest, newest)
        other = self._layers[beneath]
        is_worse = COMPONENT_SEVERITY[other.status] > COMPONENT_SEVERITY[newest.status]
        return TopLayers(newest, other if is_worse else newest)

    def _newest_position(self, *, is_maintenance: bool) -> int | None:
        heap = self._heaps[is_maintenance]
        while heap:
            layer = self._layers.get(-heap[0])
            if layer is not None and _is_maintenance(layer) is is_maintenance:
                return -heap[0]
            heappop(heap)
        return None


class TopLayers(NamedTuple):
    """The statuses of a component that readers see, each with its cause."""

    newest: Layer  # the API shows this one
    shown: Layer  # pages show this one


class _Source(NamedTuple):
    """The cause of a component's status, such as one incident."""

    kind: LayerKind
    record_id: str | None


def _source_of_layer(layer: Layer) -> _Source:
    return _Source(layer.kind, layer.record_id)


def _is_maintenance(layer: Layer) -> bool:
    return layer.kind is LayerKind.MAINTENANCE or layer.status == "under_maintenance"


class ShownChange(NamedTuple):
    """A change of the component status that pages show."""

    at: Instant
    status_before: ComponentStatus
    status: ComponentStatus


class LaterLayers(NamedTuple):
    """A component's status on pages at a time, and all later changes."""

    now: ComponentNow
    instants: list[Instant]  # the times of the later changes
    later: list[ComponentNow]  # the status after each of them


class LayerHistory:
    """A component's status on pages over time, with the cause of each status."""

    def __init__(self, base: ComponentStatus) -> None:
        """Start with the component's status before its first change."""
        self._instants: list[Instant] = []  # the times of the changes, in order
        # The list begins with the status before any change. Each change appends the status after it.
        self._shown_statuses = [ComponentNow(base, None, Layer(LayerKind.STATED, base))]

    def record_change(self, instant: Instant, cause: Layer) -> None:
        """Record the status that pages show from a given time on.

        If several changes happen at the same time, the last one counts.

        Args:
            instant: the time of the change, not before that of the previous one.
            cause: the status with its cause.
        """
        if self._instants and self._instants[-1] == instant:
            self._instants.pop()
            self._shown_statuses.pop()
        before = self._shown_statuses[-1]
        if cause != before.cause:
            since = before.since if cause.status == before.status else instant
            self._instants.append(instant)
            self._shown_statuses.append(ComponentNow(cause.status, since, cause))

    def at(self, instant: Instant) -> ComponentNow:
        """Return the status that pages show at a given time, with its cause.

        The cause is, for example, an incident.
        """
        return self._shown_statuses[bisect_right(self._instants, instant)]

    def shown_changes(self) -> list[ShownChange]:
        """Return all changes of the status that pages show, oldest first."""
        statuses = [now.status for now in self._shown_statuses]
        changes = map(ShownChange, self._instants, statuses, statuses[1:])
        return [change for change in changes if change.status != change.status_before]

    def shown_since(self, instant: Instant) -> LaterLayers:
        """Return the status that pages show at a time, and all later ones."""
        passed = bisect_right(self._instants, instant)
        return LaterLayers(
            self._shown_statuses[passed], self._instants[passed:], self._shown_statuses[passed + 1 :]
        )
