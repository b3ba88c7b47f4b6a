"""`statuary component`: record a component's status, and list all."""

from pathlib import Path

import click

from statuary.cli.command_error import CommandError
from statuary.cli.editing.completion import complete_component
from statuary.cli.editing.component_names import STATUSES, find_component, leaf_keys
from statuary.cli.editing.edit_session import EditSession, read_timeline_or_exit
from statuary.cli.editing.prompts import ask_choice, value_or_ask
from statuary.cli.options.common_options import build_instant, content_option, now_option
from statuary.cli.options.edit_options import EditOptions, format_for_source, with_edit_options
from statuary.cli.output.tables import list_format_option, print_rows
from statuary.domain.primitives import Instant
from statuary.domain.status.timeline import component_at
from statuary.domain.status.vocabulary import ComponentStatus
from statuary.editing.yaml.edit_yaml import append_item


@click.group()
def command() -> None:
    """Record a component's status, and list all components.

    What an incident or a maintenance says of its components need not be recorded here.
    """


@command.command("set")
@click.argument("component", metavar="KEY", required=False, shell_complete=complete_component)
@click.argument("status", required=False, type=click.Choice(STATUSES))
@with_edit_options
def set_status(desk: EditOptions, component: str | None, status: ComponentStatus | None) -> None:
    """Record that a component has a status from now on, or from --at on."""
    control = EditSession(desk)
    catalogue = control.timeline.catalogue
    leaves = leaf_keys(catalogue)
    name = value_or_ask(
        component, "KEY", lambda: ask_choice("Component", leaves), f"It is one of: {', '.join(leaves)}"
    )
    found = find_component(name, catalogue)
    words = f"It is one of: {', '.join(STATUSES)}"
    wanted = value_or_ask(status, "STATUS", lambda: ask_choice("Status", STATUSES), words)
    state = component_at(control.timeline, found, desk.at)
    if state.status == wanted:
        since = format_for_source(state.updated_at)
        raise CommandError(f"{found.key} is {wanted} already, since {since}", "there is nothing to record")
    item = {"at": format_for_source(desk.at), "status": wanted}
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
    from statuary.cli.editing.list_rows import component_rows

    instant = build_instant(now)
    rows = component_rows(read_timeline_or_exit(content, instant)[1], instant)
    print_rows(rows, ("key", "group", "status", "updated_at", "name"), form, "there is no component")
