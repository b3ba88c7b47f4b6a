"""The statuses that components keep after an incident or a window."""

from collections.abc import Iterator

from statuary.base.primitives import Instant, format_exact, one_line
from statuary.status.model.component_now import Layer, LayerKind
from statuary.status.model.records import Component, Incident
from statuary.status.model.timeline import Timeline, component_at


def remaining_statuses(timeline: Timeline, record: Incident, at: Instant) -> Iterator[str]:
    """Yield a sentence for each component that is not operational."""
    by_name = timeline.catalogue.components_by_name
    for component in dict.fromkeys(by_name[name] for name in record.components if name in by_name):
        if not (component.group or component.removed):
            yield from _sentence(timeline, component, at)


def _sentence(timeline: Timeline, component: Component, at: Instant) -> Iterator[str]:
    now = component_at(timeline, component, at).now
    if now.status != "operational" and now.cause is not None:
        status = now.status.replace("_", " ")
        yield f"{one_line(component.name)} stays at {status}, {_reason(now.cause)}"


def _reason(layer: Layer) -> str:
    if layer.kind is LayerKind.INCIDENT:
        return f"because of the open incident {layer.record_id}"
    if layer.kind is LayerKind.MAINTENANCE:
        return f"because of the window {layer.record_id}"
    since = "" if layer.since is None else f" since {format_exact(layer.since)}"
    if layer.kind is LayerKind.UPSTREAM:
        return f"as the page that it follows says{since}"
    if layer.record_id is not None:
        return f"as {layer.record_id} left it{since}"
    return "set in components.yaml" if layer.since is None else f"set by hand on {format_exact(layer.since)}"
