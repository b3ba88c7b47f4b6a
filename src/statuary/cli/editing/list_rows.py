"""What lists show, as rows."""

from collections.abc import Iterable, Iterator

from statuary.cli.editing.find_incident import current_update
from statuary.cli.options.edit_options import format_for_source
from statuary.cli.output.tables import Row
from statuary.domain.primitives import Instant
from statuary.domain.status.incident_history import IncidentHistory
from statuary.domain.status.incidents import Incident
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.timeline import Timeline, components_at
from statuary.domain.status.vocabulary import CLOSED_STATUSES


def incident_rows(timeline: Timeline, at: Instant, *, everything: bool) -> list[Row]:
    """Return incidents, the latest created first; only those that are not over unless `everything` is asked for."""
    return list(_records(timeline.incidents, at, everything=everything))


def maintenance_rows(timeline: Timeline, at: Instant, *, everything: bool) -> list[Row]:
    """Return the windows of maintenances, the next to begin first."""
    rows = _records(timeline.maintenances, at, everything=everything)
    return sorted(rows, key=lambda row: (str(row["scheduled_for"]), str(row["id"])))


def _records(histories: Iterable[IncidentHistory], at: Instant, *, everything: bool) -> Iterator[Row]:
    for history in histories:
        update = current_update(history.incident, at)
        status = "" if update is None else update.status
        if everything or status not in CLOSED_STATUSES:
            yield _row(history, status, at)


def _row(history: IncidentHistory, status: str, at: Instant) -> Row:
    """Return a record; what is not published yet has no impact."""
    record, state = history.incident, history.state_at(at)
    row: Row = {
        "id": record.id,
        "name": " ".join(record.name.split()),
        "status": f"{status or 'announced later'}{_unpublished(record, at)}",
        "impact": None if state is None else state.impact,
        "created_at": format_for_source(record.created_at),
        "components": list(history.components),
        "file": record.source,
    }
    if isinstance(record, Maintenance):
        row["scheduled_for"] = format_for_source(record.scheduled_for)
        row["scheduled_until"] = format_for_source(record.scheduled_until)
    return row


def _unpublished(record: Incident, at: Instant) -> str:
    if record.draft:
        return " (draft)"
    return " (embargo)" if record.publish_at is not None and record.publish_at > at else ""


def component_rows(timeline: Timeline, at: Instant) -> list[Row]:
    """Return groups and components in the author's order, each as it is."""
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
