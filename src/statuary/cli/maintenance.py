"""`statuary maintenance`: schedule maintenances, and do by hand what the clock would not do."""

from datetime import timedelta
from pathlib import Path

import click

from statuary.cli.control.carry_out import Control, read_or_exit
from statuary.cli.control.completion import complete_component, complete_maintenance
from statuary.cli.control.components import asked_components
from statuary.cli.control.desk import Desk, at_desk, spelled_if_given, spelled_in_source
from statuary.cli.control.durations import DurationType
from statuary.cli.control.find import find_record, status_of
from statuary.cli.control.new_file import new_file
from statuary.cli.control.prompts import ask_choice, ask_text, needed
from statuary.cli.control.refusal import Refusal
from statuary.cli.control.said import Said, body_of_update, with_body, with_update
from statuary.cli.control.tables import list_format_option, show_rows
from statuary.cli.control.updates import append_update, title
from statuary.cli.control.windows import cancelled, written_within
from statuary.cli.options import InstantType, content_option, instant_of_build, now_option
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
@with_body
@click.option("--rule", help="How it repeats: an RFC 5545 rule such as FREQ=WEEKLY;BYDAY=TU.")
@click.option("--no-remind", is_flag=True, help="Write no reminder an hour before.")
@click.option("--no-auto-begin", is_flag=True, help="Do not begin by the clock.")
@click.option("--no-auto-complete", is_flag=True, help="Do not complete by the clock.")
@click.option("--publish-at", type=InstantType(), help="Publish nothing of it before this instant.")
@click.option("--draft", is_flag=True, help="Publish nothing of it yet.")
@click.option("--id", "given_id", help="Its id. Default: the date and the words of the name.")
@at_desk
def schedule_maintenance(
    desk: Desk,
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
    called = " ".join(needed(name, "--name", lambda: ask_text("Name")).split())
    start = needed(scheduled_for, "--scheduled-for", lambda: _asked_instant("Start of the window"))
    end = _end(start, scheduled_until, duration)
    control = Control(desk)
    value = {
        "name": called,
        "components": asked_components(components, control.line.catalogue),
        "created_at": None if rule else spelled_in_source(desk.at),
        "scheduled_for": spelled_in_source(start),
        "scheduled_until": spelled_in_source(end),
        "body": (announcement := body_of_update(body, "scheduled", None)),
        "publish_at": spelled_if_given(publish_at),
        "draft": draft or None,
        "scheduled_remind_prior": False if no_remind else None,
        "scheduled_auto_in_progress": False if no_auto_begin else None,
        "scheduled_auto_completed": False if no_auto_complete else None,
        "recurrence": {"rule": rule} if rule else None,
    }
    edit = new_file(control, "maintenances", called, start, given_id, value)
    window = f"{spelled_in_source(start)} to {spelled_in_source(end)}"
    control.carry_out(edit, f"Schedule maintenance: {called}", f"{window}\n\n{announcement}\n")


@command.command("start")
@id_argument
@with_update
@at_desk
def start_maintenance(desk: Desk, said: Said, maintenance: str | None) -> None:
    """Begin a maintenance by hand: early, or because the clock does not."""
    control = Control(desk)
    record = _find(control, maintenance, frozenset({"scheduled"}))
    current = status_of(record, desk.at)
    if current in ACTIVE_STATUSES:
        raise Refusal(f"{record.id} is {current} already", "use `update`, or `complete`")
    within = written_within(control.line, record)
    append_update(control, record, "in_progress", said, "Start maintenance", within=within)


@command.command("update")
@id_argument
@click.option("--status", type=click.Choice(STATUSES), help="What it moves to.")
@with_update
@at_desk
def update_maintenance(
    desk: Desk, said: Said, maintenance: str | None, status: MaintenanceStatus | None
) -> None:
    """Say what is known by now, and move the maintenance on."""
    control = Control(desk)
    record = _find(control, maintenance, frozenset(STATUSES))
    current = status_of(record, desk.at)
    words = f"It is one of: {', '.join(STATUSES)}"
    moved_to: MaintenanceStatus = needed(status, "--status", lambda: _asked_status(current), words)
    within = written_within(control.line, record)
    append_update(control, record, moved_to, said, f"Update maintenance ({moved_to})", within=within)


@command.command("complete")
@id_argument
@with_update
@at_desk
def complete_by_hand(desk: Desk, said: Said, maintenance: str | None) -> None:
    """Complete a maintenance by hand: early, or because the clock does not."""
    control = Control(desk)
    record = _find(control, maintenance, ACTIVE_STATUSES)
    current = status_of(record, desk.at)
    if current in CLOSED_STATUSES:
        raise Refusal(f"{record.id} is {current} already", "it is over; schedule a new one")
    if current not in ACTIVE_STATUSES:
        raise Refusal(f"{record.id} has not begun", "use `start` first, or `cancel`")
    within = written_within(control.line, record)
    append_update(control, record, "completed", said, "Complete maintenance", within=within)


@command.command("cancel")
@id_argument
@with_body
@at_desk
def cancel_maintenance(desk: Desk, maintenance: str | None, body: str | None) -> None:
    """Call a maintenance off. It is published as completed, since Statuspage has no word for it."""
    control = Control(desk)
    record = _find(control, maintenance, frozenset(STATUSES))
    current = status_of(record, desk.at)
    if current in CLOSED_STATUSES:
        raise Refusal(f"{record.id} is {current} already", "what is over cannot be cancelled")
    within = written_within(control.line, record)
    edit = control.edit(record.source, lambda text: cancelled(text, within, desk.at, body))
    control.carry_out(edit, f"Cancel maintenance: {title(record)}", f"{body}\n" if body else "")


@command.command("list")
@content_option
@now_option
@click.option("--all", "everything", is_flag=True, help="Those that are over, too.")
@list_format_option
def list_maintenances(content: Path, now: Instant | None, everything: bool, form: str) -> None:
    """List the windows that are ahead or open, the next to begin first."""
    from statuary.cli.control.listing import maintenance_rows

    instant = instant_of_build(now)
    rows = maintenance_rows(read_or_exit(content, instant)[1], instant, everything=everything)
    columns = ("id", "status", "scheduled_for", "scheduled_until", "name")
    show_rows(rows, columns, form, "no maintenance is ahead")


def _find(control: Control, typed: str | None, statuses: frozenset[str]) -> Incident:
    """Return the maintenance, or the window of one, that is meant."""
    lives = control.line.maintenances
    return find_record(typed, lives, "maintenance", control.desk.at, statuses.__contains__)


def _end(start: Instant, end: Instant | None, duration: timedelta | None) -> Instant:
    """Return the end of a window.

    Raises:
        click.UsageError: if it is given twice, or not at all and nobody is there.
    """
    if end is not None and duration is not None:
        raise click.UsageError("--scheduled-until and --duration say the same thing: give one of them")
    if duration is not None:
        return Instant(start + duration)
    return needed(
        end, "--scheduled-until", lambda: _asked_instant("End of the window"), "Or give --duration."
    )


def _asked_instant(question: str) -> Instant:
    instant: Instant = click.prompt(question, type=InstantType())
    return instant


def _asked_status(default: str) -> MaintenanceStatus:
    return ask_choice("Status", STATUSES, default)
