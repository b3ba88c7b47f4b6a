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
    """A component, or a group of components, which Statuspage serves as a component too."""

    key: str  # the author's name for it in content; the id is accepted there too
    id: str
    name: str
    created_at: Instant
    position: int  # counted from 1, separately in each group
    description: str | None = None
    group: bool = False
    group_id: str | None = None
    children: tuple[str, ...] = ()  # for a group, the ids of its components by position
    rank: int | None = None  # the order among components of the same position; None for the usual one
    showcase: bool = True  # whether its uptime is published
    start_date: date | None = None  # the first day that its uptime counts
    only_show_if_degraded: bool = False  # whether pages hide it while it is operational
    updated_at: Instant | None = None  # given by an import only; otherwise the last change of status
    status: ComponentStatus = "operational"  # its status before the first recorded change
    history: tuple[StatusChange, ...] = ()  # recorded changes, oldest first
    removed: bool = False  # no longer on the page, kept only because past incidents name it
    is_dated: bool = False  # `created_at` is given, not the default
    pointer: Pointer = ()  # where `components.yaml` defines it
