"""`statuary incident`: open, update and resolve incidents, and publish postmortems."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from statuary.base.primitives import Instant, one_line
from statuary.cli.editing.append_update import (
    BodyOptions,
    UpdateOptions,
    append_update,
    apply_update,
    check_next_update_time,
    choose_status,
    normalize_body,
    update_body,
    with_body_options,
    with_update_options,
)
from statuary.cli.editing.edit_session import (
    EditSession,
    Subject,
    draft_option,
    new_id_option,
    read_status_or_exit,
    with_edit_session,
)
from statuary.cli.editing.prompts import (
    ask_choice,
    ask_in_editor,
    ask_text,
    complete_incident_id,
    complete_template,
    incident_or_ask,
    is_interactive,
    statuses_or_ask,
    value_or_ask,
)
from statuary.cli.editing.tables import incident_rows, list_format_option, print_rows
from statuary.cli.extensible_group import ExtensibleGroup
from statuary.cli.options import INSTANT, build_instant, content_option, now_option
from statuary.source.edit_files import EditError
from statuary.source.edit_yaml import set_yaml_value
from statuary.status.editing.new_record import prepare_new_record
from statuary.status.editing.open_incidents import affected_among, find_similar_incident
from statuary.status.editing.updates import (
    NewUpdate,
    check_next_status,
    find_template,
    format_utc_or_none,
    incident_status_at,
    postmortem_value,
)
from statuary.status.model.records import Incident, IncidentTemplate
from statuary.status.model.vocabulary import (
    CLOSED_STATUSES,
    DEFAULT_BODIES,
    UNRESOLVED_STATUSES,
    ComponentStatus,
    Impact,
    IncidentStatus,
)

STATUSES: tuple[IncidentStatus, ...] = ("investigating", "identified", "monitoring", "resolved")
"""The statuses of an update; a postmortem has its own command."""

IMPACTS: tuple[Impact, ...] = ("none", "minor", "major", "critical")
"""The impacts of an incident; `maintenance` is for maintenances."""

incident_argument = click.argument(
    "incident", metavar="ID", required=False, shell_complete=complete_incident_id
)
status_option = click.option(
    "--status",
    type=click.Choice(STATUSES),
    help="Change the status of the incident. Default: keep the current status.",
)


@click.group("incident", cls=ExtensibleGroup)
def incident_command() -> None:
    """Open, update and resolve incidents, and publish postmortems.

    The commands edit the files in content/incidents, and change nothing else in them. On a terminal, a command asks
    for what you leave out. It refuses a change that would add an error to the content.

    ID is the id of an incident, or the beginning of one, with or without the date: `slow` finds
    2026-11-02-slow-answers.

    To complete ids and components with the Tab key, run `eval "$(_STATUARY_COMPLETE=bash_source statuary)"` in bash.
    In another shell, write zsh_source or fish_source.
    """


@incident_command.command("open")
@click.option("--name", metavar="TITLE", help="Set the title of the incident, such as 'RPC errors'.")
@click.option(
    "--status",
    type=click.Choice(STATUSES),
    help="Set the first status of the incident. Default: investigating.",
)
@with_update_options
@click.option(
    "--impact-override",
    type=click.Choice(IMPACTS),
    help="Show this impact instead of the one that statuary computes from the affected components.",
)
@click.option(
    "--started-at",
    type=INSTANT,
    help="Set the time when the problem began, such as 2026-11-02T09:40:00Z. Default: the time of the first update.",
)
@click.option(
    "--ended-at",
    type=INSTANT,
    help="Record an incident that is already over: set the time when it ended, such as 2026-11-02T10:30:00Z. Needs --started-at.",
)
@click.option(
    "--template",
    metavar="NAME",
    shell_complete=complete_template,
    help="Take the title, text and components from the template templates/NAME.yaml. Other options override it.",
)
@draft_option
@click.option(
    "--separate",
    is_flag=True,
    help="Open a new incident even if one of the components already has an open incident. Default: ask, or fail without a terminal.",
)
@new_id_option
@with_edit_session(Subject("incidents"))
def open_incident(
    session: EditSession,
    name: str | None,
    status: IncidentStatus | None,
    update_options: UpdateOptions,
    impact_override: Impact | None,
    started_at: Instant | None,
    ended_at: Instant | None,
    template: str | None,
    draft: bool,
    separate: bool,
    new_record_id: str | None,
) -> None:
    """Open an incident in a new file.

    If one of the components already has an open incident, the command asks whether to add an update to that incident.
    """
    begun = find_template(template, session.catalogue)
    title = one_line(value_or_ask(name or begun.title, "--name", lambda: ask_text("Name")))
    affected = _affected_components(session, begun, update_options.components)
    update = _first_update(session, begun, status, update_options, ended_at)
    is_apart = any((separate, draft, update_options.publish_at))
    if not is_apart and _offer_similar_incident(session, title, affected, update):
        return
    opening = _opening_updates(session, update, started_at, is_affected=any(affected.values()))
    value = {
        "name": title,
        "components": affected,
        "impact_override": impact_override or begun.impact_override,
        "publish_at": format_utc_or_none(update_options.publish_at),
        "draft": draft or None,
        "started_at": None if opening else format_utc_or_none(started_at),
        "updates": [*(item.yaml_value for item in opening), update.yaml_value],
    }
    edit = prepare_new_record(
        session.options.content,
        session.timeline,
        "incidents",
        value,
        at=opening[0].at if opening else session.at,
        given_id=new_record_id,
    )
    session.apply(edit, f"Open incident: {title}", update.commit_message_body_with(affected))


def _offer_similar_incident(
    session: EditSession, title: str, affected: Mapping[str, ComponentStatus | None], update: NewUpdate
) -> bool:
    """Offer to update an open incident on the same components instead.

    Args:
        title: the title of the new incident.
        affected: the status of its components, by key.
        update: the first update of the new incident, which is added to the open incident if the user agrees.

    Returns:
        Whether the open incident was updated, so that no new one is needed.

    Raises:
        EditError: if there is such an incident, and no terminal.
    """
    known = find_similar_incident(session.timeline, title, affected, session.at)
    if known is None or update.status in CLOSED_STATUSES:
        return False
    shared = affected_among(session.timeline, known, affected)
    place = f" on {', '.join(shared)}" if shared else ""
    described = f"{known.id} ({one_line(known.name)}) is still open{place}, with status {incident_status_at(known, session.at)}"
    if not is_interactive():
        hint = (
            f"run `statuary incident update {known.id}` to add to it, or repeat the command with --separate"
        )
        raise EditError(described, hint)
    if not click.confirm(f"{described}. Add this as an update to it instead?", default=True):
        return False
    check_next_status(known, update.status, session.at)
    apply_update(session, known, replace(update, components=affected), f"Update incident ({update.status})")
    return True


def _affected_components(
    session: EditSession, template: IncidentTemplate, component_words: Sequence[str]
) -> Mapping[str, ComponentStatus | None]:
    asked = (
        statuses_or_ask(component_words, session.catalogue) if component_words or not template.name else {}
    )
    return {**template.components, **asked}


def _first_update(
    session: EditSession,
    template: IncidentTemplate,
    status: IncidentStatus | None,
    update_options: UpdateOptions,
    ended_at: Instant | None,
) -> NewUpdate:
    """Make the first update of an incident from the options and the template.

    Raises:
        click.UsageError: if it has an end but another status than `resolved`, or promises an update after the
            end.
    """
    first_status = _first_status(status or template.status, ended_at)
    text = update_options.text
    promised = update_options.next_update_time(session)
    if text is None and template.body is not None:
        text = normalize_body(template.body)
    if promised is None and template.next_update_in is not None and first_status not in CLOSED_STATUSES:
        promised = Instant(session.at + template.next_update_in)
    return NewUpdate(
        at=ended_at or session.at,
        status=first_status,
        body=update_body(text, first_status, None),
        notify=update_options.notify and template.deliver_notifications,
        next_update_by=check_next_update_time(session, promised, first_status),
    )


def _first_status(status: IncidentStatus | None, ended_at: Instant | None) -> IncidentStatus:
    if ended_at and status not in (None, "resolved"):
        raise click.UsageError(f"--ended-at requires the status resolved, not {status}")
    if ended_at or status:
        return status or "resolved"
    return _ask_status(STATUSES[0]) if is_interactive() else STATUSES[0]


def _opening_updates(
    session: EditSession, update: NewUpdate, started_at: Instant | None, *, is_affected: bool
) -> list[NewUpdate]:
    """Return the first update of a new incident that has already ended.

    The incident affects its components from this update on, until the given one, which resolves it.

    Returns:
        A list with this update; empty if the incident is still open, or no start is given and none is needed.

    Raises:
        click.UsageError: if the incident affects components and has no start, or if its end is not after the
            start, or is in the future.
    """
    if update.status not in CLOSED_STATUSES:
        return []
    start = started_at or (session.options.at if update.at != session.at else None)
    if start is None and is_affected:
        raise click.UsageError("Missing option '--started-at'. The incident is over; say when it began.")
    if start is None:
        return []
    if not start < update.at <= session.now:
        raise click.UsageError("--ended-at must be later than --started-at, and not in the future")
    body = DEFAULT_BODIES[STATUSES[0]]
    return [NewUpdate(at=start, status=STATUSES[0], body=body, notify=False)]


@incident_command.command("update")
@incident_argument
@status_option
@with_update_options
@with_edit_session(Subject("incidents", "incident"))
def update_incident(
    session: EditSession, incident: str | None, status: IncidentStatus | None, update_options: UpdateOptions
) -> None:
    """Add an update to an incident."""
    unresolved = _find_unresolved(session, incident)
    new_status: IncidentStatus = choose_status(session, unresolved, status, update_options, _ask_status)
    subject = f"Update incident ({new_status})"
    append_update(session, unresolved, new_status, update_options, subject, ask_components=True)


@incident_command.command("resolve")
@incident_argument
@with_update_options
@with_edit_session(Subject("incidents", "incident"))
def resolve_incident(session: EditSession, incident: str | None, update_options: UpdateOptions) -> None:
    """Resolve an incident.

    The incident's components become operational, unless --component gives another status.
    """
    unresolved = _find_unresolved(session, incident)
    if incident_status_at(unresolved, session.at) == "resolved":
        raise EditError(
            f"{unresolved.id} is already resolved",
            "publish a postmortem with `incident postmortem`, or use `incident reopen` if it is not over",
        )
    append_update(session, unresolved, "resolved", update_options, "Resolve incident")
    session.print_impaired_components(unresolved)


@incident_command.command("reopen")
@incident_argument
@click.option(
    "--status",
    type=click.Choice(STATUSES),
    help="Set the status of the reopened incident, which cannot be resolved. Default: investigating.",
)
@with_update_options
@with_edit_session(Subject("incidents", "incident"))
def reopen_incident(
    session: EditSession, incident: str | None, status: IncidentStatus | None, update_options: UpdateOptions
) -> None:
    """Reopen a resolved incident.

    Resolving the incident set its components to operational. Name the components that are affected again with
    --component.
    """
    histories = session.timeline.incidents
    closed = incident_or_ask(incident, histories, "incident", session.at, CLOSED_STATUSES.__contains__)
    current = incident_status_at(closed, session.at)
    if current not in CLOSED_STATUSES:
        raise EditError(
            f"{closed.id} is not resolved: it is {current or 'not open yet'}", "use `incident update` instead"
        )
    new_status = status or (_ask_status(STATUSES[0]) if is_interactive() else STATUSES[0])
    if new_status in CLOSED_STATUSES:
        raise click.UsageError(
            "a reopened incident cannot have the status resolved; use `incident update` to add an update"
        )
    append_update(
        session, closed, new_status, update_options, "Reopen incident", ask_components=True, reopens=True
    )


@incident_command.command("postmortem")
@incident_argument
@with_body_options
@click.option(
    "--notify/--no-notify",
    default=False,
    help="Send the postmortem to subscribers and notification channels (--notify), or only publish it (--no-notify). Default: --no-notify.",
)
@with_edit_session(Subject("incidents", "incident"))
def publish_postmortem(
    session: EditSession,
    incident: str | None,
    body_options: BodyOptions,
    notify: bool,
) -> None:
    """Publish the postmortem of a resolved incident."""
    resolved = frozenset({"resolved"})
    closed = incident_or_ask(
        incident, session.timeline.incidents, "incident", session.at, resolved.__contains__
    )
    previous_status = check_next_status(closed, "postmortem", session.at)
    if previous_status == "postmortem" or any(update.status == "postmortem" for update in closed.updates):
        raise EditError(
            f"{closed.id} already has a postmortem", "to change the postmortem, edit the file of the incident"
        )
    hint = "For a longer text, use --body-file"
    text = value_or_ask(body_options.text, "--body", lambda: _ask_postmortem(closed), hint)
    value = postmortem_value(session.at, text, notify=notify)
    edit = session.prepare_edit(closed.source, lambda source: set_yaml_value(source, ("postmortem",), value))
    session.apply(edit, f"Publish postmortem: {one_line(closed.name)}", f"{text}\n")


@incident_command.command("list")
@content_option
@now_option
@click.option(
    "--all", "everything", is_flag=True, help="Also list resolved incidents. Default: only open ones."
)
@list_format_option
def list_incidents(
    content: Path,
    now: Instant | None,
    everything: bool,
    output_format: str,
) -> None:
    """List unresolved incidents, newest first.

    With --all, list resolved incidents, too.
    """
    instant = build_instant(now)
    rows = incident_rows(read_status_or_exit(content, instant)[1], instant, everything=everything)
    print_rows(rows, ("id", "status", "impact", "created_at", "name"), output_format, "no open incidents")


def _find_unresolved(session: EditSession, typed_name: str | None) -> Incident:
    histories = session.timeline.incidents
    return incident_or_ask(typed_name, histories, "incident", session.at, UNRESOLVED_STATUSES.__contains__)


def _ask_status(default: str) -> IncidentStatus:
    return ask_choice("Status", STATUSES, default)


def _ask_postmortem(incident: Incident) -> str:
    text = ask_in_editor(f"Postmortem of {one_line(incident.name)!r}")
    if text is None:
        raise EditError(
            "the postmortem is empty; nothing was written", "write a text, or use --body or --body-file"
        )
    return normalize_body(text)
