"""`statuary maintenance`: schedule maintenances, and do by hand what the clock would not do."""

from datetime import timedelta
from pathlib import Path

import click

from statuary.cli.command_error import CommandError
from statuary.cli.editing.append_update import append_update, title
from statuary.cli.editing.completion import complete_component, complete_maintenance
from statuary.cli.editing.component_names import components_or_ask
from statuary.cli.editing.edit_session import EditSession, read_timeline_or_exit
from statuary.cli.editing.find_incident import find_incident, status_at
from statuary.cli.editing.maintenance_windows import pointer_in_file, with_cancellation
from statuary.cli.editing.new_file import new_file
from statuary.cli.editing.prompts import ask_choice, ask_text, value_or_ask
from statuary.cli.options.common_options import InstantType, build_instant, content_option, now_option
from statuary.cli.options.duration_type import DurationType
from statuary.cli.options.edit_options import (
    EditOptions,
    format_for_source,
    format_for_source_if_given,
    with_edit_options,
)
from statuary.cli.options.update_options import (
    UpdateOptions,
    update_body,
    with_body_options,
    with_update_options,
)
from statuary.cli.output.tables import list_format_option, print_rows
from statuary.domain.primitives import Instant
from statuary.domain.status.incidents import Incident
from statuary.domain.status.vocabulary import ACTIVE_STATUSES, CLOSED_STATUSES, MaintenanceStatus

STATUSES: tuple[MaintenanceStatus, ...] = ("scheduled", "in_progress", "verifying")
"""What an update can move a maintenance to; to complete it has a command of its own."""

id_argument = click.argument("maintenance", metavar="ID", required=False, shell_complete=complete_maintenance)


@click.group()
def command() -> None:
    """Schedule maintenances, and do by hand what the clock would not do.

    By itself a maintenance is announced, reminded of, begun and completed as it is written; these commands are for
    what differs. ID is a maintenance's id or the beginning of it; each window of a recurring one has an id.
    """


@command.command("schedule")
@click.option("--name", help="What readers see as its title.")
@click.option("--scheduled-for", type=InstantType(), help="The start of its window.")
@click.option("--scheduled-until", type=InstantType(), help="The end of its window.")
@click.option("--duration", type=DurationType(), help="The length of its window, such as 90m or 2h.")
@click.option(
    "--component",
    "components",
    multiple=True,
    metavar="KEY",
    shell_complete=complete_component,
    help="A component that it is about (repeatable).",
)
@with_body_options
@click.option("--rule", help="How it repeats: an RFC 5545 rule such as FREQ=WEEKLY;BYDAY=TU.")
@click.option("--no-remind", is_flag=True, help="Write no reminder an hour before.")
@click.option("--no-auto-begin", is_flag=True, help="Do not begin by the clock.")
@click.option("--no-auto-complete", is_flag=True, help="Do not complete by the clock.")
@click.option("--publish-at", type=InstantType(), help="Publish nothing of it before this instant.")
@click.option("--draft", is_flag=True, help="Publish nothing of it yet.")
@click.option("--id", "given_id", help="Its id. Default: the date and the words of the name.")
@with_edit_options
def schedule_maintenance(
    desk: EditOptions,
    name: str | None,
    scheduled_for: Instant | None,
    scheduled_until: Instant | None,
    duration: timedelta | None,
    components: tuple[str, ...],
    body: str | None,
    rule: str | None,
    no_remind: bool,
    no_auto_begin: bool,
    no_auto_complete: bool,
    publish_at: Instant | None,
    draft: bool,
    given_id: str | None,
) -> None:
    """Announce a maintenance in a file of its own, as of --at."""
    called = " ".join(value_or_ask(name, "--name", lambda: ask_text("Name")).split())
    start = value_or_ask(scheduled_for, "--scheduled-for", lambda: _asked_instant("Start of the window"))
    end = _end(start, scheduled_until, duration)
    control = EditSession(desk)
    value = {
        "name": called,
        "components": components_or_ask(components, control.timeline.catalogue),
        "created_at": None if rule else format_for_source(desk.at),
        "scheduled_for": format_for_source(start),
        "scheduled_until": format_for_source(end),
        "body": (announcement := update_body(body, "scheduled", None)),
        "publish_at": format_for_source_if_given(publish_at),
        "draft": draft or None,
        "scheduled_remind_prior": False if no_remind else None,
        "scheduled_auto_in_progress": False if no_auto_begin else None,
        "scheduled_auto_completed": False if no_auto_complete else None,
        "recurrence": {"rule": rule} if rule else None,
    }
    edit = new_file(control, "maintenances", called, start, given_id, value)
    window = f"{format_for_source(start)} to {format_for_source(end)}"
    control.carry_out(edit, f"Schedule maintenance: {called}", f"{window}\n\n{announcement}\n")


@command.command("start")
@id_argument
@with_update_options
@with_edit_options
def start_maintenance(desk: EditOptions, said: UpdateOptions, maintenance: str | None) -> None:
    """Begin a maintenance by hand: early, or because the clock does not."""
    control = EditSession(desk)
    record = _find(control, maintenance, frozenset({"scheduled"}))
    current = status_at(record, desk.at)
    if current in ACTIVE_STATUSES:
        raise CommandError(f"{record.id} is {current} already", "use `update`, or `complete`")
    within = pointer_in_file(control.timeline, record)
    append_update(control, record, "in_progress", said, "Start maintenance", within=within)


@command.command("update")
@id_argument
@click.option("--status", type=click.Choice(STATUSES), help="What it moves to.")
@with_update_options
@with_edit_options
def update_maintenance(
    desk: EditOptions, said: UpdateOptions, maintenance: str | None, status: MaintenanceStatus | None
) -> None:
    """Say what is known by now, and move the maintenance on."""
    control = EditSession(desk)
    record = _find(control, maintenance, frozenset(STATUSES))
    current = status_at(record, desk.at)
    words = f"It is one of: {', '.join(STATUSES)}"
    moved_to: MaintenanceStatus = value_or_ask(status, "--status", lambda: _asked_status(current), words)
    within = pointer_in_file(control.timeline, record)
    append_update(control, record, moved_to, said, f"Update maintenance ({moved_to})", within=within)


@command.command("complete")
@id_argument
@with_update_options
@with_edit_options
def complete_by_hand(desk: EditOptions, said: UpdateOptions, maintenance: str | None) -> None:
    """Complete a maintenance by hand: early, or because the clock does not."""
    control = EditSession(desk)
    record = _find(control, maintenance, ACTIVE_STATUSES)
    current = status_at(record, desk.at)
    if current in CLOSED_STATUSES:
        raise CommandError(f"{record.id} is {current} already", "it is over; schedule a new one")
    if current not in ACTIVE_STATUSES:
        raise CommandError(f"{record.id} has not begun", "use `start` first, or `cancel`")
    within = pointer_in_file(control.timeline, record)
    append_update(control, record, "completed", said, "Complete maintenance", within=within)


@command.command("cancel")
@id_argument
@with_body_options
@with_edit_options
def cancel_maintenance(desk: EditOptions, maintenance: str | None, body: str | None) -> None:
    """Call a maintenance off. It is published as completed, since Statuspage has no word for it."""
    control = EditSession(desk)
    record = _find(control, maintenance, frozenset(STATUSES))
    current = status_at(record, desk.at)
    if current in CLOSED_STATUSES:
        raise CommandError(f"{record.id} is {current} already", "what is over cannot be cancelled")
    within = pointer_in_file(control.timeline, record)
    edit = control.edit(record.source, lambda text: with_cancellation(text, within, desk.at, body))
    control.carry_out(edit, f"Cancel maintenance: {title(record)}", f"{body}\n" if body else "")


@command.command("list")
@content_option
@now_option
@click.option("--all", "everything", is_flag=True, help="Those that are over, too.")
@list_format_option
def list_maintenances(content: Path, now: Instant | None, everything: bool, form: str) -> None:
    """List the windows that are ahead or open, the next to begin first."""
    from statuary.cli.editing.list_rows import maintenance_rows

    instant = build_instant(now)
    rows = maintenance_rows(read_timeline_or_exit(content, instant)[1], instant, everything=everything)
    columns = ("id", "status", "scheduled_for", "scheduled_until", "name")
    print_rows(rows, columns, form, "no maintenance is ahead")


def _find(control: EditSession, typed: str | None, statuses: frozenset[str]) -> Incident:
    """Return the maintenance, or the window of one, that is meant."""
    histories = control.timeline.maintenances
    return find_incident(typed, histories, "maintenance", control.desk.at, statuses.__contains__)


def _end(start: Instant, end: Instant | None, duration: timedelta | None) -> Instant:
    """Return the end of a window.

    Raises:
        click.UsageError: if it is given twice, or not at all and nobody is there.
    """
    if end is not None and duration is not None:
        raise click.UsageError("--scheduled-until and --duration say the same thing: give one of them")
    if duration is not None:
        return Instant(start + duration)
    return value_or_ask(
        end, "--scheduled-until", lambda: _asked_instant("End of the window"), "Or give --duration."
    )


def _asked_instant(question: str) -> Instant:
    instant: Instant = click.prompt(question, type=InstantType())
    return instant


def _asked_status(default: str) -> MaintenanceStatus:
    return ask_choice("Status", STATUSES, default)
