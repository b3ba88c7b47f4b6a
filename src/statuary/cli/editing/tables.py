"""Lists of records and components, as tables, plain lines or JSON."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from statuary.base.primitives import Instant, format_utc_shortest, one_line
from statuary.cli.escape import escape_control_chars, json_text
from statuary.status.editing.updates import incident_status_at
from statuary.status.model.incident_history import IncidentHistory, IncidentState
from statuary.status.model.records import Incident, Maintenance
from statuary.status.model.timeline import Timeline, component_states_at
from statuary.status.model.vocabulary import CLOSED_STATUSES

if TYPE_CHECKING:
    from rich.table import Table

Row = dict[str, str | list[str] | None]

COLOURS = {
    "operational": "green",
    "resolved": "green",
    "completed": "green",
    "postmortem": "green",
    "none": "default",
    "scheduled": "blue",
    "under_maintenance": "blue",
    "maintenance": "blue",
    "in_progress": "blue",
    "verifying": "blue",
    "monitoring": "yellow",
    "degraded_performance": "yellow",
    "minor": "yellow",
    "identified": "dark_orange",
    "partial_outage": "dark_orange",
    "major": "dark_orange",
    "investigating": "red",
    "major_outage": "red",
    "critical": "red",
}
"""Statuspage's colours of these words."""


list_format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Print a table (text), or a JSON list for programs (json).",
)


def print_rows(rows: Sequence[Row], columns: Sequence[str], output_format: str, empty_message: str) -> None:
    """Print rows as a table, or as JSON.

    Args:
        columns: the columns of the table; the JSON has all values of a row.
        output_format: `text` for a table, or `json`.
        empty_message: the message if there are no rows.
    """
    if output_format == "json":
        click.echo(json_text(list(rows)))
        return
    if not rows:
        click.echo(empty_message, err=True)
        return
    cells = [[_cell_text(row[column]) for column in columns] for row in rows]
    from rich.console import Console

    console = Console()
    if console.is_terminal:
        console.print(_make_table(cells, columns))
    else:
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            click.echo("  ".join(map(str.ljust, row, widths)).rstrip())


def _cell_text(value: str | list[str] | None) -> str:
    return escape_control_chars(", ".join(value) if isinstance(value, list) else value or "") or "-"


def _make_table(cells: Sequence[Sequence[str]], columns: Sequence[str]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column.replace("_", " "), no_wrap=column == "id")
    for row in cells:
        table.add_row(*(Text(cell, style=COLOURS.get(cell, "")) for cell in row))
    return table


def incident_rows(timeline: Timeline, at: Instant, *, everything: bool) -> list[Row]:
    """Return the rows that `incident list` prints, newest incident first.

    Args:
        timeline: the status over time.
        at: the time of the list.
        everything: whether to include incidents that have ended.
    """
    return list(_record_rows(timeline.incidents, at, everything=everything))


def maintenance_rows(timeline: Timeline, at: Instant, *, everything: bool) -> list[Row]:
    """Return the rows that `maintenance list` prints, sorted by start.

    Args:
        timeline: the status over time.
        at: the time of the list.
        everything: whether to include windows that have ended.
    """
    rows = _record_rows(timeline.maintenances, at, everything=everything)
    return sorted(rows, key=lambda row: (str(row["scheduled_for"]), str(row["id"])))


def _record_rows(histories: Iterable[IncidentHistory], at: Instant, *, everything: bool) -> Iterator[Row]:
    for history in histories:
        status = incident_status_at(history.incident, at)
        if everything or status not in CLOSED_STATUSES:
            yield _record_row(history, status, at)


def _record_row(history: IncidentHistory, status: str, at: Instant) -> Row:
    incident, state = history.incident, history.state_at(at)
    row: Row = {
        "id": incident.id,
        "name": one_line(incident.name),
        "status": f"{_status_text(incident, state, status, at)}{_draft_label(incident, at)}",
        "impact": None if state is None else state.impact,
        "created_at": format_utc_shortest(incident.created_at),
        "components": list(history.components),
        "file": incident.source,
    }
    if isinstance(incident, Maintenance):
        row["scheduled_for"] = format_utc_shortest(incident.scheduled_for)
        row["scheduled_until"] = format_utc_shortest(incident.scheduled_until)
    return row


def _status_text(incident: Incident, state: IncidentState | None, status: str, at: Instant) -> str:
    if isinstance(incident, Maintenance):
        is_withdrawn = state is None and status in CLOSED_STATUSES
        if is_withdrawn or (state is not None and state.cancelled):
            return "cancelled"
    return status if state is not None or incident.created_at <= at else "announced later"


def _draft_label(incident: Incident, at: Instant) -> str:
    if incident.draft:
        return " (draft)"
    return " (embargo)" if incident.publish_at is not None and incident.publish_at > at else ""


def component_rows(timeline: Timeline, at: Instant) -> list[Row]:
    """Return a row with the status of each component.

    The rows are in the order of components.yaml.

    Args:
        timeline: the components and their statuses over time.
        at: the time of the statuses.
    """
    states = component_states_at(timeline, at)
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
                "updated_at": format_utc_shortest(state.updated_at),
            }
        )
    return rows
