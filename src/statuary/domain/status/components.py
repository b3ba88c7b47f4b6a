"""Components and component groups."""

from datetime import date
from typing import NamedTuple

from statuary.domain.findings import Pointer
from statuary.domain.primitives import Instant
from statuary.domain.status.vocabulary import ComponentStatus


class StatusChange(NamedTuple):
    """A recorded change: the component has this status from this instant on."""

    at: Instant
    status: ComponentStatus


class Component(NamedTuple):
    """A component, or a group of components, which Statuspage serves as a component too.

    Attributes:
        key: the author's name for it in content; the id is accepted there too.
        children: for a group, the ids of its components by position.
        position: counted from 1, separately in each group.
        rank: the order among components of the same position; None for the usual one.
        showcase: whether its uptime is published.
        start_date: the first day that its uptime counts.
        only_show_if_degraded: whether pages hide it while it is operational.
        updated_at: given by an import only; otherwise the last change of status.
        status: its status before the first recorded change.
        history: recorded changes, oldest first.
        removed: no longer on the page, kept only because past incidents name it.
        is_dated: `created_at` is given, not the default.
        pointer: where `components.yaml` defines it.
    """

    key: str
    id: str
    name: str
    created_at: Instant
    position: int
    description: str | None = None
    group: bool = False
    group_id: str | None = None
    children: tuple[str, ...] = ()
    rank: int | None = None
    showcase: bool = True
    start_date: date | None = None
    only_show_if_degraded: bool = False
    updated_at: Instant | None = None
    status: ComponentStatus = "operational"
    history: tuple[StatusChange, ...] = ()
    removed: bool = False
    is_dated: bool = False
    pointer: Pointer = ()
