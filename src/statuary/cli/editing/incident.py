"""`statuary incident`: open, update and resolve incidents, and publish postmortems."""

from pathlib import Path

import click

from statuary.cli.editing.completion import complete_incident
from statuary.cli.editing.edit_session import EditSession, read_or_exit, with_edit_session
from statuary.cli.editing.prompts import (
    ask_choice,
    ask_in_editor,
    ask_text,
    incident_or_ask,
    is_interactive,
    statuses_or_ask,
    value_or_ask,
)
from statuary.cli.editing.tables import list_format_option, print_rows
from statuary.cli.editing.update_options import (
    UpdateOptions,
    append_update,
    normalize_body,
    update_body,
    with_body_options,
    with_update_options,
)
from statuary.cli.options.common_options import InstantType, build_instant, content_option, now_option
from statuary.domain.primitives import Instant
from statuary.domain.status.incidents import Incident
from statuary.domain.status.vocabulary import UNRESOLVED_STATUSES, Impact, IncidentStatus
from statuary.editing.errors import EditError
from statuary.editing.find_incident import status_at
from statuary.editing.new_file import new_file, page_day, taken_ids
from statuary.editing.updates import (
    NewUpdate,
    format_if_given,
    postmortem_value,
    single_line,
    status_before,
)
from statuary.editing.yaml.edit_yaml import set_value

STATUSES: tuple[IncidentStatus, ...] = ("investigating", "identified", "monitoring", "resolved")
"""The statuses of an update; a postmortem has its own command."""

IMPACTS: tuple[Impact, ...] = ("none", "minor", "major", "critical")
"""The impacts of an incident; `maintenance` is for maintenances."""

id_argument = click.argument("incident", metavar="ID", required=False, shell_complete=complete_incident)


@click.group()
def incident_command() -> None:
    """Open, update and resolve incidents, and publish postmortems.

    The commands edit files in content/incidents and leave everything else in them unchanged. ID is an incident's id
    or the beginning of one. A change that would add an error to the content is not written.

    For shell completion of ids and components, run `eval "$(_STATUARY_COMPLETE=bash_source statuary)"` (or
    zsh_source, fish_source).
    """


@incident_command.command("open")
@click.option("--name", help="The title.")
@click.option("--status", type=click.Choice(STATUSES), help="The first status. Default: investigating.")
@with_update_options
@click.option(
    "--impact-override",
    type=click.Choice(IMPACTS),
    help="The impact, instead of the one that follows from the components.",
)
@click.option("--started-at", type=InstantType(), help="When the problem began, if earlier.")
@click.option("--publish-at", type=InstantType(), help="Publish nothing before this instant.")
@click.option("--draft", is_flag=True, help="Publish nothing yet.")
@click.option("--id", "given_id", help="The id. Default: the date and the words of the name.")
@with_edit_session
def open_incident(
    session: EditSession,
    update_options: UpdateOptions,
    name: str | None,
    status: IncidentStatus | None,
    impact_override: Impact | None,
    started_at: Instant | None,
    publish_at: Instant | None,
    draft: bool,
    given_id: str | None,
) -> None:
    """Open an incident in a new file."""
    title = single_line(value_or_ask(name, "--name", lambda: ask_text("Name")))
    affected = statuses_or_ask(update_options.components, session.catalogue)
    first_status = status or (_ask_status(STATUSES[0]) if is_interactive() else STATUSES[0])
    body = update_body(update_options.body, first_status, None)
    first = NewUpdate(at=session.at, status=first_status, body=body, notify=update_options.notify)
    value = {
        "name": title,
        "components": affected,
        "impact_override": impact_override,
        "publish_at": format_if_given(publish_at),
        "draft": draft or None,
        "started_at": format_if_given(started_at),
        "updates": [first.value],
    }
    taken = taken_ids(session.timeline, session.options.content / "incidents")
    edit = new_file("incidents", value, page_day(session.timeline, session.at), taken, given_id)
    session.apply(edit, f"Open incident: {title}", first.details_with(affected))


@incident_command.command("update")
@id_argument
@click.option("--status", type=click.Choice(STATUSES), help="The new status.")
@with_update_options
@with_edit_session
def update_incident(
    session: EditSession, update_options: UpdateOptions, incident: str | None, status: IncidentStatus | None
) -> None:
    """Add an update to an incident."""
    found = _find_unresolved(session, incident)
    current = status_at(found, session.at)
    hint = f"Use one of {', '.join(STATUSES)}"
    new_status: IncidentStatus = value_or_ask(status, "--status", lambda: _ask_status(current), hint)
    subject = f"Update incident ({new_status})"
    append_update(session, found, new_status, update_options, subject, ask_components=True)


@incident_command.command("resolve")
@id_argument
@with_update_options
@with_edit_session
def resolve_incident(session: EditSession, update_options: UpdateOptions, incident: str | None) -> None:
    """Resolve an incident; its components become operational unless --component gives another status."""
    found = _find_unresolved(session, incident)
    if status_at(found, session.at) == "resolved":
        raise EditError(f"{found.id} is already resolved", "publish a postmortem, or open a new incident")
    append_update(session, found, "resolved", update_options, "Resolve incident")


@incident_command.command("postmortem")
@id_argument
@with_body_options
@click.option(
    "--notify/--no-notify", default=False, help="Whether subscribers are notified. Default: --no-notify."
)
@with_edit_session
def publish_postmortem(session: EditSession, incident: str | None, body: str | None, notify: bool) -> None:
    """Publish the postmortem of a resolved incident."""
    resolved = frozenset({"resolved"})
    found = incident_or_ask(
        incident, session.timeline.incidents, "incident", session.at, resolved.__contains__
    )
    if status_before(found, "postmortem", session.at) == "postmortem":
        raise EditError(f"{found.id} already has a postmortem", "edit the file yourself")
    text = value_or_ask(body, "--body", lambda: _ask_postmortem(found), "For a longer text, use --body-file")
    value = postmortem_value(session.at, text, notify=notify)
    edit = session.edit_file(found.source, lambda source: set_value(source, ("postmortem",), value))
    session.apply(edit, f"Publish postmortem: {single_line(found.name)}", f"{text}\n")


@incident_command.command("list")
@content_option
@now_option
@click.option("--all", "everything", is_flag=True, help="Include resolved incidents.")
@list_format_option
def list_incidents(content: Path, now: Instant | None, everything: bool, form: str) -> None:
    """List unresolved incidents, newest first."""
    from statuary.cli.editing.list_rows import incident_rows

    instant = build_instant(now)
    rows = incident_rows(read_or_exit(content, instant)[1], instant, everything=everything)
    print_rows(rows, ("id", "status", "impact", "created_at", "name"), form, "no open incidents")


def _find_unresolved(session: EditSession, typed: str | None) -> Incident:
    """Return the incident that was typed; a person chooses among unresolved ones."""
    histories = session.timeline.incidents
    return incident_or_ask(typed, histories, "incident", session.at, UNRESOLVED_STATUSES.__contains__)


def _ask_status(default: str) -> IncidentStatus:
    return ask_choice("Status", STATUSES, default)


def _ask_postmortem(incident: Incident) -> str:
    written = ask_in_editor(f"Postmortem of {single_line(incident.name)!r}")
    if written is None:
        raise EditError(
            "the postmortem is empty; nothing was written", "write a text, or use --body or --body-file"
        )
    return normalize_body(written)
