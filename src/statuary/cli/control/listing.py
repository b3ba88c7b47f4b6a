"""What lists show, as rows."""

from collections.abc import Iterable, Iterator

from statuary.cli.control.desk import spelled_in_source
from statuary.cli.control.find import current_update
from statuary.cli.control.tables import Row
from statuary.domain.primitives import Instant
from statuary.domain.status.incidents import Incident
from statuary.domain.status.lives import Life
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.timeline import Timeline, components_at
from statuary.domain.status.vocabulary import CLOSED_STATUSES


def incident_rows(line: Timeline, at: Instant, *, everything: bool) -> list[Row]:
    """Return incidents, the latest created first; only those that are not over unless `everything` is asked for."""
    return list(_records(line.incidents, at, everything=everything))


def maintenance_rows(line: Timeline, at: Instant, *, everything: bool) -> list[Row]:
    """Return the windows of maintenances, the next to begin first."""
    rows = _records(line.maintenances, at, everything=everything)
    return sorted(rows, key=lambda row: (str(row["scheduled_for"]), str(row["id"])))


def _records(lives: Iterable[Life], at: Instant, *, everything: bool) -> Iterator[Row]:
    for life in lives:
        update = current_update(life.incident, at)
        status = "" if update is None else update.status
        if everything or status not in CLOSED_STATUSES:
            yield _row(life, status, at)


def _row(life: Life, status: str, at: Instant) -> Row:
    """Return a record; what is not published yet has no impact."""
    record, state = life.incident, life.state_at(at)
    row: Row = {
        "id": record.id,
        "name": " ".join(record.name.split()),
        "status": f"{status or 'announced later'}{_unpublished(record, at)}",
        "impact": None if state is None else state.impact,
        "created_at": spelled_in_source(record.created_at),
        "components": list(life.components),
        "file": record.source,
    }
    if isinstance(record, Maintenance):
        row["scheduled_for"] = spelled_in_source(record.scheduled_for)
        row["scheduled_until"] = spelled_in_source(record.scheduled_until)
    return row


def _unpublished(record: Incident, at: Instant) -> str:
    if record.draft:
        return " (draft)"
    return " (embargo)" if record.publish_at is not None and record.publish_at > at else ""


def component_rows(line: Timeline, at: Instant) -> list[Row]:
    """Return groups and components in the author's order, each as it is."""
    states = components_at(line, at)
    keys = {component.id: component.key for component in line.catalogue.components}
    rows: list[Row] = []
    for component in line.catalogue.components:
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
                "updated_at": spelled_in_source(state.updated_at),
            }
        )
    return rows
