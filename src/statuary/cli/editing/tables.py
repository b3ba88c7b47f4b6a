"""Lists: a table on a terminal, aligned lines elsewhere, or JSON."""

from collections.abc import Sequence
from typing import Any

import click

from statuary.cli.output.printable import json_text, printable

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
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="A table, or a JSON list.",
)


def print_rows(rows: Sequence[Row], columns: Sequence[str], form: str, nothing: str) -> None:
    """Print the columns of rows as a table, or all members as JSON; `nothing` is the message without rows."""
    if form == "json":
        click.echo(json_text(list(rows)))
        return
    if not rows:
        click.echo(nothing, err=True)
        return
    cells = [[_cell(row[column]) for column in columns] for row in rows]
    from rich.console import Console

    console = Console()
    if console.is_terminal:
        console.print(_table(cells, columns))
    else:
        click.echo("\n".join(_aligned(cells)))


def _cell(value: str | list[str] | None) -> str:
    return printable(", ".join(value) if isinstance(value, list) else value or "") or "-"


def _aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]


def _table(cells: Sequence[Sequence[str]], columns: Sequence[str]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column.replace("_", " "), no_wrap=column == "id")
    for row in cells:
        table.add_row(*(Text(cell, style=COLOURS.get(cell, "")) for cell in row))
    return table
