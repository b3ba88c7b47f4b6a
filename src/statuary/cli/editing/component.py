"""`statuary component`: set a component's status, and list all components."""

from pathlib import Path

import click

from statuary.base.primitives import Instant, format_utc_shortest
from statuary.cli.editing.edit_session import EditSession, read_status_or_exit, with_edit_session
from statuary.cli.editing.prompts import ask_choice, complete_component, value_or_ask
from statuary.cli.editing.tables import component_rows, list_format_option, print_rows
from statuary.cli.options import build_instant, content_option, now_option
from statuary.source.edit_files import EditError
from statuary.source.edit_yaml import append_yaml_item
from statuary.status.editing.updates import STATUSES, find_component, settable_component_keys
from statuary.status.model.timeline import component_state_at
from statuary.status.model.vocabulary import ComponentStatus


@click.group()
def component_command() -> None:
    """Set a component's status, and list all components.

    Incidents and maintenance set the statuses of their components automatically. Use this command for other changes of
    status.
    """


@component_command.command("set")
@click.argument("component", metavar="KEY", required=False, shell_complete=complete_component)
@click.argument("status", metavar="STATUS", required=False, type=click.Choice(STATUSES))
@with_edit_session()
def set_status(
    session: EditSession,
    component: str | None,
    status: ComponentStatus | None,
) -> None:
    """Set a component's status, from now on or from --at.

    STATUS is operational, under_maintenance, degraded_performance, partial_outage or major_outage.
    """
    keys = settable_component_keys(session.catalogue)
    name = value_or_ask(
        component, "KEY", lambda: ask_choice("Component", keys), f"Use one of {', '.join(keys)}"
    )
    leaf = find_component(name, session.catalogue)
    hint = f"Use one of {', '.join(STATUSES)}"
    new_status = value_or_ask(status, "STATUS", lambda: ask_choice("Status", STATUSES), hint)
    state = component_state_at(session.timeline, leaf, session.at)
    if state.status == new_status:
        since = format_utc_shortest(state.updated_at)
        raise EditError(f"{leaf.key} has been {new_status} since {since}", "there is nothing to change")
    item = {"at": format_utc_shortest(session.at), "status": new_status}
    pointer = (*leaf.pointer, "history")
    edit = session.prepare_edit(
        session.catalogue.components_source, lambda text: append_yaml_item(text, pointer, item)
    )
    details = f"{state.status} before, {new_status} from {item['at']}\n"
    session.apply(edit, f"Set {leaf.name} to {new_status}", details)


@component_command.command("list")
@content_option
@now_option
@list_format_option
def list_components(content: Path, now: Instant | None, output_format: str) -> None:
    """List groups and components with their status."""
    instant = build_instant(now)
    rows = component_rows(read_status_or_exit(content, instant)[1], instant)
    print_rows(rows, ("key", "group", "status", "updated_at", "name"), output_format, "no components")
