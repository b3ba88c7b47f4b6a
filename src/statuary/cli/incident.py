"""`statuary incident`: open, update and resolve incidents, and publish what was learned."""

from pathlib import Path

import click

from statuary.cli.command_error import CommandError
from statuary.cli.editing.append_update import (
    NewUpdate,
    append_update,
    postmortem_value,
    status_before,
    title,
)
from statuary.cli.editing.completion import complete_incident
from statuary.cli.editing.component_names import statuses_or_ask
from statuary.cli.editing.edit_session import EditSession, read_timeline_or_exit
from statuary.cli.editing.find_incident import find_incident, status_at
from statuary.cli.editing.new_file import new_file
from statuary.cli.editing.prompts import ask_choice, ask_in_editor, ask_text, is_interactive, value_or_ask
from statuary.cli.options.common_options import InstantType, build_instant, content_option, now_option
from statuary.cli.options.edit_options import EditOptions, format_for_source_if_given, with_edit_options
from statuary.cli.options.update_options import (
    UpdateOptions,
    normalize_body,
    update_body,
    with_body_options,
    with_update_options,
)
from statuary.cli.output.tables import list_format_option, print_rows
from statuary.domain.primitives import Instant
from statuary.domain.status.incidents import Incident
from statuary.domain.status.vocabulary import UNRESOLVED_STATUSES, Impact, IncidentStatus
from statuary.editing.yaml.edit_yaml import set_value

STATUSES: tuple[IncidentStatus, ...] = ("investigating", "identified", "monitoring", "resolved")
"""What an update can move an incident to; a postmortem has a command of its own."""

IMPACTS: tuple[Impact, ...] = ("none", "minor", "major", "critical")
"""What can override an incident's impact; `maintenance` is left to maintenances."""

id_argument = click.argument("incident", metavar="ID", required=False, shell_complete=complete_incident)


@click.group()
def command() -> None:
    """Open, update and resolve incidents, and publish what was learned.

    The commands edit files in content/incidents and keep everything else in them as it is. ID is an incident's id
    or the beginning of it. Nothing is written that would give the content an error.

    Shells complete ids and components after `eval "$(_STATUARY_COMPLETE=bash_source statuary)"` (or zsh_source,
    fish_source).
    """


@command.command("open")
@click.option("--name", help="What readers see as its title.")
@click.option("--status", type=click.Choice(STATUSES), help="How far it is. Default: investigating.")
@with_update_options
@click.option(
    "--impact-override", type=click.Choice(IMPACTS), help="Its impact, whatever the components say."
)
@click.option("--started-at", type=InstantType(), help="When the trouble began, if earlier.")
@click.option("--publish-at", type=InstantType(), help="Publish nothing of it before this instant.")
@click.option("--draft", is_flag=True, help="Publish nothing of it yet.")
@click.option("--id", "given_id", help="Its id. Default: the date and the words of the name.")
@with_edit_options
def open_incident(
    desk: EditOptions,
    said: UpdateOptions,
    name: str | None,
    status: IncidentStatus | None,
    impact_override: Impact | None,
    started_at: Instant | None,
    publish_at: Instant | None,
    draft: bool,
    given_id: str | None,
) -> None:
    """Open an incident in a file of its own."""
    called = " ".join(value_or_ask(name, "--name", lambda: ask_text("Name")).split())
    control = EditSession(desk)
    affected = statuses_or_ask(said.components, control.timeline.catalogue)
    begun_as = status or (_asked_status(STATUSES[0]) if is_interactive() else STATUSES[0])
    body = update_body(said.body, begun_as, None)
    first = NewUpdate(at=desk.at, status=begun_as, body=body, notify=said.notify)
    value = {
        "name": called,
        "components": affected,
        "impact_override": impact_override,
        "publish_at": format_for_source_if_given(publish_at),
        "draft": draft or None,
        "started_at": format_for_source_if_given(started_at),
        "updates": [first.value],
    }
    edit = new_file(control, "incidents", called, desk.at, given_id, value)
    control.carry_out(edit, f"Open incident: {called}", first.with_components(affected).details)


@command.command("update")
@id_argument
@click.option("--status", type=click.Choice(STATUSES), help="What it moves to.")
@with_update_options
@with_edit_options
def update_incident(
    desk: EditOptions, said: UpdateOptions, incident: str | None, status: IncidentStatus | None
) -> None:
    """Say what is known by now, and move the incident on."""
    control = EditSession(desk)
    record = _open_one(control, incident)
    current = status_at(record, desk.at)
    words = f"It is one of: {', '.join(STATUSES)}"
    moved_to: IncidentStatus = value_or_ask(status, "--status", lambda: _asked_status(current), words)
    append_update(control, record, moved_to, said, f"Update incident ({moved_to})", ask_components=True)


@command.command("resolve")
@id_argument
@with_update_options
@with_edit_options
def resolve_incident(desk: EditOptions, said: UpdateOptions, incident: str | None) -> None:
    """Resolve an incident; its components work again unless --component says otherwise."""
    control = EditSession(desk)
    record = _open_one(control, incident)
    if status_at(record, desk.at) == "resolved":
        raise CommandError(f"{record.id} is resolved already", "publish a postmortem, or open a new incident")
    append_update(control, record, "resolved", said, "Resolve incident")


@command.command("postmortem")
@id_argument
@with_body_options
@click.option(
    "--notify/--no-notify", default=False, help="Whether subscribers are told. Default: they are not."
)
@with_edit_options
def publish_postmortem(desk: EditOptions, incident: str | None, body: str | None, notify: bool) -> None:
    """Publish what was learned from a resolved incident."""
    control = EditSession(desk)
    histories = control.timeline.incidents
    record = find_incident(incident, histories, "incident", desk.at, frozenset({"resolved"}).__contains__)
    if status_before(record, "postmortem", desk.at) == "postmortem":
        raise CommandError(f"{record.id} has a postmortem already", "edit it by hand")
    learned = value_or_ask(
        body, "--body", lambda: _asked_postmortem(record), "--body-file reads a longer text."
    )
    value = postmortem_value(desk.at, learned, notify=notify)
    edit = control.edit(record.source, lambda text: set_value(text, ("postmortem",), value))
    control.carry_out(edit, f"Publish postmortem: {title(record)}", f"{learned}\n")


@command.command("list")
@content_option
@now_option
@click.option("--all", "everything", is_flag=True, help="Those that are over, too.")
@list_format_option
def list_incidents(content: Path, now: Instant | None, everything: bool, form: str) -> None:
    """List the incidents that are not resolved, the latest first."""
    from statuary.cli.editing.list_rows import incident_rows

    instant = build_instant(now)
    rows = incident_rows(read_timeline_or_exit(content, instant)[1], instant, everything=everything)
    print_rows(rows, ("id", "status", "impact", "created_at", "name"), form, "no incident is open")


def _open_one(control: EditSession, typed: str | None) -> Incident:
    """Return the incident that is meant; a person may choose among those that are not resolved."""
    histories = control.timeline.incidents
    return find_incident(typed, histories, "incident", control.desk.at, UNRESOLVED_STATUSES.__contains__)


def _asked_status(default: str) -> IncidentStatus:
    return ask_choice("Status", STATUSES, default)


def _asked_postmortem(record: Incident) -> str:
    written = ask_in_editor(f"What was learned from {title(record)!r}")
    if written is None:
        raise CommandError("nothing was written", "write something, or give --body or --body-file")
    return normalize_body(written)
