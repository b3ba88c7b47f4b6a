"""The status of a component at an instant, from layers of causes.

Several sources give a component a status: people, another page that it follows, windows, incidents. Each is a
layer while it lasts, and the component shows the newest one; when a layer ends, the status below it shows
again. The API shows the newest layer as it is. Pages do not let a window hide an outage: they show a worse
status below it.
"""

from bisect import bisect_right
from enum import StrEnum
from typing import NamedTuple

from statuary.base.primitives import Instant
from statuary.status.model.vocabulary import COMPONENT_SEVERITY, ComponentStatus


class LayerKind(StrEnum):
    """The kind of cause of a component's status."""

    STATED = "stated"  # a person, or the last update of an incident or window that is over; it lasts until the next
    UPSTREAM = "upstream"  # another page that the component follows
    MAINTENANCE = "maintenance"  # a window in progress
    INCIDENT = "incident"  # an open incident


class Layer(NamedTuple):
    """A status of a component, from one cause."""

    kind: LayerKind
    status: ComponentStatus
    since: Instant | None = None  # from when on the source says so; None if it did before the first change
    record_id: str | None = None  # the incident or window; None for a person's word and for another page


Stack = tuple[Layer, ...]
"""The layers of a component, the newest last; exactly one is stated, so that there always is one."""


class ComponentNow(NamedTuple):
    """A component as pages show it at an instant."""

    status: ComponentStatus
    since: (
        Instant | None
    )  # when it took this status; None if it had it before the first change, or is a group
    cause: Layer | None  # the layer that shows; None for a group
    beneath: Stack = ()  # the other layers, the newest first


def with_layer(stack: Stack, layer: Layer) -> Stack:
    """Put a layer on top of the stack.

    The layer replaces the layer of the same source, and keeps the start of that layer if the status is the
    same.
    """
    for earlier in stack:
        if _is_same_source(earlier, layer) and earlier.status == layer.status:
            layer = layer._replace(since=earlier.since)
    return (*(earlier for earlier in stack if not _is_same_source(earlier, layer)), layer)


def without_layer(stack: Stack, kind: LayerKind, record_id: str | None = None) -> Stack:
    """Remove the layer of a cause that has ended."""
    return tuple(layer for layer in stack if (layer.kind, layer.record_id) != (kind, record_id))


def as_stated(stack: Stack, kind: LayerKind, record_id: str) -> Stack:
    """Keep the status of a record that ended without restoring it."""
    if all((layer.kind, layer.record_id) != (kind, record_id) for layer in stack):
        return stack
    return tuple(
        layer._replace(kind=LayerKind.STATED) if layer.record_id == record_id else layer
        for layer in stack
        if layer.kind is not LayerKind.STATED
    )


def with_operational(stack: Stack, at: Instant, record_id: str) -> Stack:
    """Replace a record's layer by the stated status "operational"."""
    stated = next(layer for layer in stack if layer.kind is LayerKind.STATED)
    others = tuple(layer for layer in stack if layer.kind is not LayerKind.STATED)
    if stated.status != "operational":
        stated = Layer(LayerKind.STATED, "operational", at, record_id)
    return (stated, *(layer for layer in others if layer.record_id != record_id))


def _is_same_source(layer: Layer, other: Layer) -> bool:
    return (layer.kind, layer.record_id) == (other.kind, other.record_id)


def shown_layer(stack: Stack) -> Layer:
    """Return the layer that pages show.

    This is the newest one, unless that is maintenance above a worse status.
    """
    newest = stack[-1]
    if not _is_maintenance(newest):
        return newest
    beneath = next((layer for layer in reversed(stack) if not _is_maintenance(layer)), newest)
    is_worse = COMPONENT_SEVERITY[beneath.status] > COMPONENT_SEVERITY[newest.status]
    return beneath if is_worse else newest


def _is_maintenance(layer: Layer) -> bool:
    return layer.kind is LayerKind.MAINTENANCE or layer.status == "under_maintenance"


class ShownChange(NamedTuple):
    """A change of the status that pages show."""

    at: Instant
    status_before: ComponentStatus
    status: ComponentStatus


class LaterLayers(NamedTuple):
    """The layers of a component from an instant on."""

    now: ComponentNow
    instants: list[Instant]  # of the later changes
    stacks: list[Stack]  # after each


class LayerHistory:
    """The layers of a component over time."""

    def __init__(self, base: ComponentStatus) -> None:
        """Start with the status before the first change."""
        self.instants: list[Instant] = []  # of the changes, in order
        self.stacks: list[Stack] = [
            (Layer(LayerKind.STATED, base),)
        ]  # before the first change, and after each
        self._nows: dict[int, ComponentNow] = {}

    @property
    def last_stack(self) -> Stack:
        """The layers after the last change."""
        return self.stacks[-1]

    def change(self, instant: Instant, stack: Stack) -> None:
        """Append the layers from an instant on.

        Of several changes at an instant, the last one counts.
        """
        if self.instants and self.instants[-1] == instant:
            self.instants.pop()
            self.stacks.pop()
        if stack != self.stacks[-1]:
            self.instants.append(instant)
            self.stacks.append(stack)

    def at(self, instant: Instant) -> ComponentNow:
        """Return the status that pages show at an instant, with its cause."""
        place = bisect_right(self.instants, instant)
        now = self._nows.get(place)
        if now is None:
            now = self._nows[place] = self._now(place)
        return now

    def _now(self, place: int) -> ComponentNow:
        stack = self.stacks[place]
        cause = shown_layer(stack)
        first = place
        while first and shown_layer(self.stacks[first - 1]).status == cause.status:
            first -= 1
        beneath = tuple(layer for layer in reversed(stack) if layer is not cause)
        return ComponentNow(cause.status, self.instants[first - 1] if first else None, cause, beneath)

    def shown_changes(self) -> list[ShownChange]:
        """Return each change of the status that pages show, in order."""
        statuses = [shown_layer(stack).status for stack in self.stacks]
        changes = map(ShownChange, self.instants, statuses, statuses[1:])
        return [change for change in changes if change.status != change.status_before]

    def since(self, instant: Instant) -> LaterLayers:
        """Return the layers at an instant, and all later changes."""
        passed = bisect_right(self.instants, instant)
        return LaterLayers(self.at(instant), self.instants[passed:], self.stacks[passed + 1 :])
