"""The rows of `statuary incident list`, `maintenance list` and `component list`."""

from collections.abc import Iterable, Iterator

from statuary.cli.editing.tables import Row
from statuary.domain.primitives import Instant
from statuary.domain.status.incident_history import IncidentHistory, IncidentState
from statuary.domain.status.incidents import Incident
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.timeline import Timeline, components_at
from statuary.domain.status.vocabulary import CLOSED_STATUSES
from statuary.editing.find_incident import current_update
from statuary.editing.updates import format_for_source, single_line


def incident_rows(timeline: Timeline, at: Instant, *, everything: bool) -> list[Row]:
    """Return incidents, newest first; without `everything`, only those that are not over."""
    return list(_rows(timeline.incidents, at, everything=everything))


def maintenance_rows(timeline: Timeline, at: Instant, *, everything: bool) -> list[Row]:
    """Return the windows of maintenances, the next first."""
    rows = _rows(timeline.maintenances, at, everything=everything)
    return sorted(rows, key=lambda row: (str(row["scheduled_for"]), str(row["id"])))


def _rows(histories: Iterable[IncidentHistory], at: Instant, *, everything: bool) -> Iterator[Row]:
    for history in histories:
        update = current_update(history.incident, at)
        status = "" if update is None else update.status
        if everything or status not in CLOSED_STATUSES:
            yield _row(history, status, at)


def _row(history: IncidentHistory, status: str, at: Instant) -> Row:
    """Return a row; an incident that is not published yet has no impact."""
    incident, state = history.incident, history.state_at(at)
    row: Row = {
        "id": incident.id,
        "name": single_line(incident.name),
        "status": f"{_status_text(state, status)}{_unpublished(incident, at)}",
        "impact": None if state is None else state.impact,
        "created_at": format_for_source(incident.created_at),
        "components": list(history.components),
        "file": incident.source,
    }
    if isinstance(incident, Maintenance):
        row["scheduled_for"] = format_for_source(incident.scheduled_for)
        row["scheduled_until"] = format_for_source(incident.scheduled_until)
    return row


def _status_text(state: IncidentState | None, status: str) -> str:
    if state is not None and state.cancelled:
        return "cancelled"
    return status or "announced later"


def _unpublished(incident: Incident, at: Instant) -> str:
    if incident.draft:
        return " (draft)"
    return " (embargo)" if incident.publish_at is not None and incident.publish_at > at else ""


def component_rows(timeline: Timeline, at: Instant) -> list[Row]:
    """Return groups and components in the author's order."""
    states = components_at(timeline, at)
    keys = {component.id: component.key for component in timeline.catalogue.components}
    rows: list[Row] = []
    for component in timeline.catalogue.components:
        if component.removed:
            continue
        state = states[component.id]
        rows.append(
            {
                "key": component.key,
                "id": component.id,
                "name": component.name,
                "group": None if component.group_id is None else keys[component.group_id],
                "status": state.status,
                "updated_at": format_for_source(state.updated_at),
            }
        )
    return rows
