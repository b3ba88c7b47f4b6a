"""`statuary incident`: open, update and resolve incidents, and publish postmortems."""

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import NamedTuple

import click

from statuary.cli.editing.edit_session import EditSession, read_or_exit, with_edit_session
from statuary.cli.editing.prompts import (
    ask_choice,
    ask_in_editor,
    ask_text,
    complete_component_status,
    complete_incident,
    incident_or_ask,
    is_interactive,
    statuses_or_ask,
    value_or_ask,
)
from statuary.cli.editing.tables import list_format_option, print_rows
from statuary.cli.options import InstantType, build_instant, content_option, now_option, with_options
from statuary.domain.findings import Pointer
from statuary.domain.primitives import Instant, one_line
from statuary.domain.status.records import Incident
from statuary.domain.status.vocabulary import (
    DEFAULT_BODIES,
    UNRESOLVED_STATUSES,
    Impact,
    IncidentStatus,
    UpdateStatus,
)
from statuary.editing.edit_yaml import append_item, set_value
from statuary.editing.files import EditError, new_file, page_day, taken_ids
from statuary.editing.updates import (
    NewUpdate,
    format_if_given,
    parse_statuses,
    postmortem_value,
    status_at,
    status_before,
)


class UpdateOptions(NamedTuple):
    """The options of an update."""

    body: str | None  # None if it was not given
    components: tuple[str, ...] = ()  # as `key` or `key=status`
    notify: bool = True


BODY_OPTIONS = (
    click.option("--body", help="The text. Default: Statuspage's text for the status."),
    click.option(
        "--body-file",
        type=click.Path(path_type=Path, dir_okay=False, allow_dash=True, exists=True),
        help="Read the text from a file; `-` is standard input.",
    ),
)
UPDATE_OPTIONS = (
    click.option(
        "--component",
        "components",
        multiple=True,
        metavar="KEY[=STATUS]",
        shell_complete=complete_component_status,
        help="An affected component and its new status (repeatable).",
    ),
    *BODY_OPTIONS,
    click.option(
        "--notify/--no-notify", default=True, help="Whether subscribers are notified. Default: --notify."
    ),
)


def with_body_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a text; the function gets it as `body`, None if it was not given."""

    @wraps(function)
    def run(*arguments: object, body: str | None, body_file: Path | None, **values: object) -> None:
        function(*arguments, body=read_body(body, body_file), **values)

    return with_options(*BODY_OPTIONS)(run)


def with_update_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of an update; the function gets them as `update_options`."""

    @wraps(function)
    def run(
        *arguments: object,
        body: str | None,
        body_file: Path | None,
        components: tuple[str, ...],
        notify: bool,
        **values: object,
    ) -> None:
        update_options = UpdateOptions(read_body(body, body_file), components, notify)
        function(*arguments, update_options=update_options, **values)

    return with_options(*UPDATE_OPTIONS)(run)


def read_body(body: str | None, body_file: Path | None) -> str | None:
    """Return the text of --body or --body-file, or None.

    Raises:
        click.UsageError: if both are given, or the file cannot be read as UTF-8.
    """
    if body is not None and body_file is not None:
        raise click.UsageError("use either --body or --body-file")
    if body_file is None:
        return body if body is None else normalize_body(body)
    try:
        raw = sys.stdin.buffer.read() if str(body_file) == "-" else body_file.read_bytes()
        return normalize_body(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise click.UsageError(f"--body-file {body_file} is not UTF-8") from None
    except OSError as error:
        raise click.UsageError(f"--body-file {body_file}: {error.strerror}") from None


def update_body(given: str | None, status: UpdateStatus, before: UpdateStatus | None) -> str:
    """Return the text of an update: the given one, a person's answer, or Statuspage's default.

    Raises:
        click.UsageError: if the status stays the same, no text is given, and there is no terminal.
    """
    if given is not None:
        return given
    default = None if status == before else DEFAULT_BODIES[status]
    if is_interactive():
        return normalize_body(ask_text("Text", default))
    if default is None:
        raise click.UsageError(
            f"Missing option '--body'. The status stays {status}, so there is no default text."
        )
    return default


def normalize_body(text: str) -> str:
    """Return a text with LF line ends, without empty lines around it and spaces after it."""
    return text.replace("\r\n", "\n").lstrip("\n").rstrip()


def append_update(
    session: EditSession,
    incident: Incident,
    status: UpdateStatus,
    update_options: UpdateOptions,
    subject: str,
    *,
    ask_components: bool = False,
    pointer: Pointer = (),
) -> None:
    """Append an update to a file, at the incident's `pointer` in it, and apply that edit.

    Raises:
        EditError: if the status cannot follow, or a component is unknown.
    """
    before = status_before(incident, status, session.at)
    components = statuses_or_ask if ask_components else parse_statuses
    update = NewUpdate(
        at=session.at,
        status=status,
        body=update_body(update_options.body, status, before),
        components=components(update_options.components, session.catalogue),
        notify=update_options.notify,
    )
    edit = session.edit_file(
        incident.source, lambda text: append_item(text, (*pointer, "updates"), update.value)
    )
    session.apply(edit, f"{subject}: {one_line(incident.name)}", update.details)


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
    title = one_line(value_or_ask(name, "--name", lambda: ask_text("Name")))
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
    session.apply(edit, f"Publish postmortem: {one_line(found.name)}", f"{text}\n")


@incident_command.command("list")
@content_option
@now_option
@click.option("--all", "everything", is_flag=True, help="Include resolved incidents.")
@list_format_option
def list_incidents(content: Path, now: Instant | None, everything: bool, form: str) -> None:
    """List unresolved incidents, newest first."""
    from statuary.cli.editing.tables import incident_rows

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
    written = ask_in_editor(f"Postmortem of {one_line(incident.name)!r}")
    if written is None:
        raise EditError(
            "the postmortem is empty; nothing was written", "write a text, or use --body or --body-file"
        )
    return normalize_body(written)
