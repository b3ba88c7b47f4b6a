"""`statuary maintenance`: schedule maintenances, and start, complete or cancel them by hand."""

from datetime import timedelta
from pathlib import Path

import click

from statuary.base.primitives import Instant, format_utc_shortest, one_line
from statuary.cli.editing.append_update import (
    BodyOptions,
    UpdateOptions,
    append_update,
    choose_status,
    notify_option,
    update_body,
    with_body_options,
    with_update_options,
)
from statuary.cli.editing.edit_session import (
    EditSession,
    Subject,
    draft_option,
    new_id_option,
    publish_at_option,
    read_status_or_exit,
    scope_of_command,
    with_edit_session,
)
from statuary.cli.editing.prompts import (
    ask_choice,
    ask_end_time,
    ask_instant,
    ask_text,
    complete_component,
    complete_maintenance_id,
    components_or_ask,
    incident_or_ask,
    value_or_ask,
)
from statuary.cli.editing.tables import list_format_option, maintenance_rows, print_rows
from statuary.cli.options import DURATION, INSTANT, build_instant, content_option, now_option
from statuary.source.edit_files import EditError
from statuary.source.edit_yaml import append_yaml_item
from statuary.status.editing.new_record import prepare_new_record
from statuary.status.editing.updates import (
    NewUpdate,
    announce_in_file,
    cancel_in_file,
    format_utc_or_none,
    incident_status_at,
    record_pointer,
    reschedule_in_file,
    reschedule_update_text,
)
from statuary.status.model.records import Incident, Maintenance
from statuary.status.model.vocabulary import ACTIVE_STATUSES, CLOSED_STATUSES, MaintenanceStatus

STATUSES: tuple[MaintenanceStatus, ...] = ("scheduled", "in_progress", "verifying")
"""The statuses of an update; `complete` is a separate command."""

maintenance_argument = click.argument(
    "maintenance", metavar="ID", required=False, shell_complete=complete_maintenance_id
)


@click.group()
def maintenance_command() -> None:
    """Schedule maintenance, and start, complete, move or cancel it by hand.

    Maintenance is announced, started and completed automatically, at the times in its file. Use `start` and
    `complete` only if the work starts or ends at another time.

    ID is the id of a maintenance, which `statuary maintenance list` shows. The beginning of the id is enough, with or
    without its date. Each repetition of a recurring maintenance has its own id.
    """


@maintenance_command.command("schedule")
@click.option("--name", metavar="TITLE", help="Set the title of the maintenance, such as 'Database upgrade'.")
@click.option(
    "--scheduled-for", type=INSTANT, help="Start the maintenance at this time, such as 2026-11-02T10:00:00Z."
)
@click.option(
    "--scheduled-until",
    type=INSTANT,
    help="End the maintenance at this time, such as 2026-11-02T12:00:00Z. Give this or --duration.",
)
@click.option(
    "--duration",
    type=DURATION,
    help="Set how long the maintenance takes, such as 90m or 2h. Give this or --scheduled-until.",
)
@click.option(
    "--component",
    "components",
    multiple=True,
    metavar="KEY",
    shell_complete=complete_component,
    help="Add a component that the maintenance affects, such as rpc (repeatable).",
)
@with_body_options
@click.option(
    "--rule",
    metavar="RULE",
    help="Repeat the maintenance by this recurrence rule (RFC 5545), such as FREQ=WEEKLY;BYDAY=TU for every Tuesday.",
)
@click.option(
    "--no-remind",
    is_flag=True,
    help="Don't publish a reminder. Default: publish one an hour before the start.",
)
@click.option(
    "--no-auto-begin",
    is_flag=True,
    help="Don't start the maintenance automatically: you start it with `statuary maintenance start`. Default: it starts at --scheduled-for.",
)
@click.option(
    "--no-auto-complete",
    is_flag=True,
    help="Don't complete the maintenance automatically: you complete it with `statuary maintenance complete`. Default: it completes at its scheduled end.",
)
@publish_at_option
@draft_option
@new_id_option
@with_edit_session(Subject("maintenances"))
def schedule_maintenance(
    session: EditSession,
    name: str | None,
    scheduled_for: Instant | None,
    scheduled_until: Instant | None,
    duration: timedelta | None,
    components: tuple[str, ...],
    body_options: BodyOptions,
    rule: str | None,
    no_remind: bool,
    no_auto_begin: bool,
    no_auto_complete: bool,
    publish_at: Instant | None,
    draft: bool,
    new_record_id: str | None,
) -> None:
    """Schedule a maintenance window in a new file.

    The maintenance is announced at once, or at the time of --publish-at.
    """
    title = one_line(value_or_ask(name, "--name", lambda: ask_text("Name")))
    start = value_or_ask(scheduled_for, "--scheduled-for", lambda: ask_instant("Start of the window"))
    end = _window_end(start, scheduled_until, duration)
    affected = components_or_ask(components, session.catalogue)
    announcement = update_body(body_options.text, "scheduled", None)
    value = {
        "name": title,
        "components": affected,
        "created_at": None if rule else format_utc_shortest(session.at),
        "scheduled_for": format_utc_shortest(start),
        "scheduled_until": format_utc_shortest(end),
        "body": announcement,
        "publish_at": format_utc_or_none(publish_at),
        "draft": draft or None,
        "scheduled_remind_prior": False if no_remind else None,
        "scheduled_auto_in_progress": False if no_auto_begin else None,
        "scheduled_auto_completed": False if no_auto_complete else None,
        "recurrence": {"rule": rule} if rule else None,
    }
    edit = prepare_new_record(
        session.options.content, session.timeline, "maintenances", value, at=start, given_id=new_record_id
    )
    times = f"{format_utc_shortest(start)} to {format_utc_shortest(end)}"
    session.apply(edit, f"Schedule maintenance: {title}", f"{times}\n\n{announcement}\n")


@maintenance_command.command("start")
@maintenance_argument
@with_update_options
@with_edit_session(Subject("maintenances", "maintenance"))
def start_maintenance(session: EditSession, maintenance: str | None, update_options: UpdateOptions) -> None:
    """Start a maintenance window now.

    Use this command to start the maintenance early, or if it does not start automatically.
    """
    window = _find_maintenance(session, maintenance, frozenset({"scheduled"}))
    current = incident_status_at(window, session.at)
    if current in ACTIVE_STATUSES:
        raise EditError(
            f"{window.id} is already {current}", "use `maintenance update` or `maintenance complete`"
        )
    append_update(session, window, "in_progress", update_options, "Start maintenance")


@maintenance_command.command("update")
@maintenance_argument
@click.option(
    "--status",
    type=click.Choice(STATUSES),
    help="Change the status of the maintenance. Default: keep the current status.",
)
@with_update_options
@with_edit_session(Subject("maintenances", "maintenance"))
def update_maintenance(
    session: EditSession,
    maintenance: str | None,
    status: MaintenanceStatus | None,
    update_options: UpdateOptions,
) -> None:
    """Add an update to a maintenance window."""
    window = _find_maintenance(session, maintenance, frozenset(STATUSES))
    new_status: MaintenanceStatus = choose_status(
        session, window, status, update_options, lambda current: ask_choice("Status", STATUSES, current)
    )
    append_update(session, window, new_status, update_options, f"Update maintenance ({new_status})")


@maintenance_command.command("complete")
@maintenance_argument
@with_update_options
@with_edit_session(Subject("maintenances", "maintenance"))
def complete_maintenance(
    session: EditSession, maintenance: str | None, update_options: UpdateOptions
) -> None:
    """Complete a maintenance window now.

    Use this command to complete the maintenance early, or if it does not complete automatically.
    """
    window = _find_maintenance(session, maintenance, ACTIVE_STATUSES)
    current = incident_status_at(window, session.at)
    if current in CLOSED_STATUSES:
        raise EditError(
            f"{window.id} is already {current}", "schedule another window with `maintenance schedule`"
        )
    if current not in ACTIVE_STATUSES:
        raise EditError(
            f"{window.id} has not started", "use `maintenance start` first, or `maintenance cancel`"
        )
    append_update(session, window, "completed", update_options, "Complete maintenance")
    session.print_impaired_components(window)


@maintenance_command.command("cancel")
@maintenance_argument
@with_body_options
@with_edit_session(Subject("maintenances", "maintenance"))
def cancel_maintenance(session: EditSession, maintenance: str | None, body_options: BodyOptions) -> None:
    """Cancel a maintenance window.

    The API shows a cancelled maintenance as completed, because Statuspage has no status for it.
    """
    body = body_options.text
    window = _find_maintenance(session, maintenance, frozenset(STATUSES))
    current = incident_status_at(window, session.at)
    if current in CLOSED_STATUSES:
        raise EditError(
            f"{window.id} is already {current}",
            "a maintenance window that has ended cannot be cancelled",
        )
    pointer = record_pointer(window)
    edit = session.prepare_edit(window.source, lambda text: cancel_in_file(text, pointer, session.at, body))
    session.apply(edit, f"Cancel maintenance: {one_line(window.name)}", f"{body}\n" if body else "")
    if window.created_at > session.at:
        click.echo("    the maintenance was not announced yet, so readers won't see it")


@maintenance_command.command("reschedule")
@maintenance_argument
@click.option(
    "--scheduled-for",
    type=INSTANT,
    help="Move the start of the maintenance to this time, such as 2026-11-02T10:00:00Z. Default: keep the start.",
)
@click.option(
    "--scheduled-until",
    type=INSTANT,
    help="Move the end of the maintenance to this time, such as 2026-11-02T12:00:00Z. Default: keep its length.",
)
@click.option(
    "--duration",
    type=DURATION,
    help="Change how long the maintenance takes, such as 90m or 2h. Default: keep its length.",
)
@with_body_options
@notify_option
@with_edit_session(Subject("maintenances", "maintenance"))
def reschedule_maintenance(
    session: EditSession,
    maintenance: str | None,
    scheduled_for: Instant | None,
    scheduled_until: Instant | None,
    duration: timedelta | None,
    body_options: BodyOptions,
    notify: bool,
) -> None:
    """Move a maintenance window.

    Readers get an update if the maintenance was already announced.
    """
    window = _find_movable_window(session, maintenance, moves_start=scheduled_for is not None)
    start = scheduled_for or window.scheduled_for
    if not (scheduled_for or scheduled_until or duration):
        start = value_or_ask(None, "--scheduled-for", lambda: ask_instant("New start of the window"))
    length = window.scheduled_until - window.scheduled_for if scheduled_until is None else None
    moved = start, _window_end(start, scheduled_until, duration or length)
    _check_move(session, window, moved)
    update = _reschedule_update(session, window, moved, body_options.text, notify=notify)
    edit = session.prepare_edit(
        window.source, lambda source: _reschedule_text(session, source, window, moved, update)
    )
    times = f"{format_utc_shortest(moved[0])} to {format_utc_shortest(moved[1])}\n"
    details = f"{times}\n{update.commit_message_body}" if update else times
    session.apply(edit, f"Reschedule maintenance: {one_line(window.name)}", details)


def _check_move(session: EditSession, window: Maintenance, new_times: tuple[Instant, Instant]) -> None:
    """Check that new times differ from the window's, and are not in the past.

    Raises:
        EditError: if the times are the same, or if a new time is before that of this update.
    """
    start, end = new_times
    if new_times == (window.scheduled_for, window.scheduled_until):
        raise EditError(
            f"the window of {window.id} is already {format_utc_shortest(start)} to {format_utc_shortest(end)}",
            "give another time, or use `maintenance update` to add only a text",
        )
    if start != window.scheduled_for and start < session.at:
        raise EditError(
            f"the new start {format_utc_shortest(start)} is before the time of this update, {format_utc_shortest(session.at)}",
            "give a later time, or use `maintenance start`",
        )
    if end < session.at:
        raise EditError(
            f"the new end {format_utc_shortest(end)} is before the time of this update, {format_utc_shortest(session.at)}",
            "give a later time, or use `maintenance complete`",
        )


def _reschedule_update(
    session: EditSession,
    window: Maintenance,
    new_times: tuple[Instant, Instant],
    text: str | None,
    *,
    notify: bool,
) -> NewUpdate | None:
    """Return the update that announces a move.

    Returns:
        The update, or None if there is no text and the window is not announced yet.
    """
    if text is None and window.created_at > session.at:
        return None
    status = incident_status_at(window, session.at)
    return NewUpdate(
        at=session.at,
        status=next(planned for planned in STATUSES if planned == status),
        body=reschedule_update_text(window, new_times, session.catalogue.page.time_zone)
        if text is None
        else text,
        notify=notify,
        moved_from=window.scheduled_for if new_times[0] != window.scheduled_for else None,
    )


def _reschedule_text(
    session: EditSession,
    text: str,
    window: Maintenance,
    new_times: tuple[Instant, Instant],
    update: NewUpdate | None,
) -> str:
    pointer = record_pointer(window)
    text = reschedule_in_file(text, pointer, session.at, new_times)
    if update is None:
        return text
    return append_yaml_item(
        announce_in_file(text, window, session.at), (*pointer, "updates"), update.yaml_value
    )


@maintenance_command.command("list")
@content_option
@now_option
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also list completed maintenance. Default: only scheduled and running maintenance.",
)
@list_format_option
def list_maintenances(
    content: Path,
    now: Instant | None,
    everything: bool,
    output_format: str,
) -> None:
    """List scheduled and running maintenance, the next first.

    With --all, list completed maintenance, too.
    """
    instant = build_instant(now)
    scope = scope_of_command(content, Subject("maintenances"), {})
    rows = maintenance_rows(read_status_or_exit(content, instant, scope)[1], instant, everything=everything)
    columns = ("id", "status", "scheduled_for", "scheduled_until", "name")
    print_rows(rows, columns, output_format, "no upcoming maintenances")


def _find_maintenance(session: EditSession, typed_name: str | None, statuses: frozenset[str]) -> Incident:
    """Return the maintenance window that the user named, or ask for one.

    Args:
        statuses: the statuses that the prompt lists.
    """
    histories = session.timeline.maintenances
    return incident_or_ask(typed_name, histories, "maintenance", session.at, statuses.__contains__)


def _find_movable_window(session: EditSession, typed_name: str | None, *, moves_start: bool) -> Maintenance:
    """Return the maintenance window that the user named, or ask for one.

    Raises:
        EditError: if it is over, or if it has started and its start is to be moved.
    """
    window = _find_maintenance(session, typed_name, frozenset(STATUSES))
    current = incident_status_at(window, session.at)
    if not isinstance(window, Maintenance) or current in CLOSED_STATUSES:
        raise EditError(
            f"{window.id} is already {current}", "schedule another window with `maintenance schedule`"
        )
    if moves_start and current != "scheduled":
        raise EditError(f"{window.id} has already started", "use only --scheduled-until or --duration")
    return window


def _window_end(start: Instant, end: Instant | None, duration: timedelta | None) -> Instant:
    """Return the end of a window.

    Raises:
        click.UsageError: if it is given twice, or missing.
    """
    if end is not None and duration is not None:
        raise click.UsageError("give either --scheduled-until or --duration, not both")
    if duration is not None:
        return Instant(start + duration)
    question = "End of the window (an instant, or a length such as 1h)"
    return value_or_ask(end, "--scheduled-until", lambda: ask_end_time(question, start), "Or use --duration")
