"""Components and groups: what the page shows the status of."""

from datetime import date
from typing import NamedTuple

from statuary.domain.findings import Pointer
from statuary.domain.primitives import Instant
from statuary.domain.status.vocabulary import ComponentStatus


class StatusChange(NamedTuple):
    """A component's status from an instant on.

    Attributes:
        at: when it took this status.
        status: the status it has from then on.
    """

    at: Instant
    status: ComponentStatus


class Component(NamedTuple):
    """A component, or a group of them (which Statuspage serves as a component as well).

    Attributes:
        key: the author's name for it, which incidents use; the id serves as well.
        id: the published id.
        name: the published name.
        description: the published description, or None.
        group: whether it is a group.
        group_id: the id of the group it is in, or None.
        children: of a group, the ids of its components in their order.
        position: counted from 1, anew in each group.
        showcase: whether its uptime is published.
        start_date: the day from which its uptime counts, or None.
        only_show_if_degraded: whether pages hide it while it is operational.
        created_at: when it was added.
        updated_at: given only by an import; otherwise the instant of its last change of status.
        status: how it is before anything recorded changes it.
        history: recorded changes of status, oldest first.
        removed: whether it is gone from the page and kept only because past incidents name it.
        pointer: where in `components.yaml` it is written.
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
    showcase: bool = True
    start_date: date | None = None
    only_show_if_degraded: bool = False
    updated_at: Instant | None = None
    status: ComponentStatus = "operational"
    history: tuple[StatusChange, ...] = ()
    removed: bool = False
    pointer: Pointer = ()
