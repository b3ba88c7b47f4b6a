"""`statuary component`: record a component's status, and list all."""

from pathlib import Path

import click

from statuary.cli.control.carry_out import Control, read_or_exit
from statuary.cli.control.completion import complete_component
from statuary.cli.control.components import STATUSES, find_component, leaf_keys
from statuary.cli.control.desk import Desk, at_desk, spelled_in_source
from statuary.cli.control.prompts import ask_choice, needed
from statuary.cli.control.refusal import Refusal
from statuary.cli.control.tables import list_format_option, show_rows
from statuary.cli.options import content_option, instant_of_build, now_option
from statuary.content.editing.edit import append_item
from statuary.domain.primitives import Instant
from statuary.domain.status.timeline import component_at
from statuary.domain.status.vocabulary import ComponentStatus


@click.group()
def command() -> None:
    """Record a component's status, and list all components.

    What an incident or a maintenance says of its components need not be recorded here.
    """


@command.command("set")
@click.argument("component", metavar="KEY", required=False, shell_complete=complete_component)
@click.argument("status", required=False, type=click.Choice(STATUSES))
@at_desk
def set_status(desk: Desk, component: str | None, status: ComponentStatus | None) -> None:
    """Record that a component has a status from now on, or from --at on."""
    control = Control(desk)
    catalogue = control.line.catalogue
    leaves = leaf_keys(catalogue)
    name = needed(
        component, "KEY", lambda: ask_choice("Component", leaves), f"It is one of: {', '.join(leaves)}"
    )
    found = find_component(name, catalogue)
    words = f"It is one of: {', '.join(STATUSES)}"
    wanted = needed(status, "STATUS", lambda: ask_choice("Status", STATUSES), words)
    state = component_at(control.line, found, desk.at)
    if state.status == wanted:
        since = spelled_in_source(state.updated_at)
        raise Refusal(f"{found.key} is {wanted} already, since {since}", "there is nothing to record")
    item = {"at": spelled_in_source(desk.at), "status": wanted}
    edit = control.edit(
        catalogue.components_source, lambda text: append_item(text, (*found.pointer, "history"), item)
    )
    control.carry_out(
        edit, f"Set {found.name} to {wanted}", f"{state.status} before, {wanted} from {item['at']}\n"
    )


@command.command("list")
@content_option
@now_option
@list_format_option
def list_components(content: Path, now: Instant | None, form: str) -> None:
    """List groups and components with their status."""
    from statuary.cli.control.listing import component_rows

    instant = instant_of_build(now)
    rows = component_rows(read_or_exit(content, instant)[1], instant)
    show_rows(rows, ("key", "group", "status", "updated_at", "name"), form, "there is no component")
