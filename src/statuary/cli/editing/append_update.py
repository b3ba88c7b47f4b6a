"""An update of an incident or a maintenance: its options, and how it is appended."""

import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

import click

from statuary.base.limits import LARGEST_SOURCE_FILE
from statuary.base.primitives import Instant, one_line
from statuary.cli.editing.edit_session import (
    EditSession,
    publish_at_option,
)
from statuary.cli.editing.prompts import (
    ask_text,
    complete_component_status,
    is_interactive,
    statuses_or_ask,
)
from statuary.cli.options import DURATION, INSTANT, option_group
from statuary.source.edit_yaml import append_yaml_item
from statuary.status.editing.updates import (
    STATUSES,
    NewUpdate,
    announce_in_file,
    check_next_status,
    incident_status_at,
    parse_statuses,
    record_pointer,
)
from statuary.status.model.records import Incident
from statuary.status.model.vocabulary import (
    CLOSED_STATUSES,
    DEFAULT_BODIES,
    UpdateStatus,
)
from statuary.system.files import read_named_file


def _read_body_file(_ctx: click.Context, _param: click.Parameter, file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else read_named_file(file, LARGEST_SOURCE_FILE)
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise click.UsageError(f"--body-file {file} is not UTF-8 text; save the file as UTF-8") from None
    except OSError as error:
        raise click.UsageError(f"--body-file {file} cannot be read: {error.strerror}") from None


body_option = click.option(
    "--body",
    help="Use this Markdown text for the update. Default: Statuspage's standard text for the status.",
)
body_file_option = click.option(
    "--body-file",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True, exists=True),
    callback=_read_body_file,
    help="Read the text of the update, in Markdown, from this file, or from standard input with -.",
)


class BodyOptions(NamedTuple):
    """The options for the text of an update: --body or --body-file."""

    body: str | None = None
    body_file: str | None = None

    @property
    def text(self) -> str | None:
        """The text from --body or --body-file, or None.

        Raises:
            click.UsageError: if both options are given.
        """
        if self.body is not None and self.body_file is not None:
            raise click.UsageError("give either --body or --body-file, not both")
        text = self.body if self.body_file is None else self.body_file
        return None if text is None else normalize_body(text)


with_body_options = option_group("body_options", BodyOptions, body_option, body_file_option)

notify_option = click.option(
    "--notify/--no-notify",
    default=True,
    help="Send the update to subscribers and notification channels (--notify), or only publish it (--no-notify). Default: --notify.",
)


class UpdateOptions(NamedTuple):
    """The options of all commands that add an update to an incident."""

    components: tuple[str, ...]
    body: str | None
    body_file: str | None
    next_update_in: timedelta | None
    next_update_by: Instant | None
    notify: bool
    publish_at: Instant | None

    @property
    def text(self) -> str | None:
        """The text from --body or --body-file, or None.

        Raises:
            click.UsageError: if both options are given.
        """
        return BodyOptions(self.body, self.body_file).text

    def next_update_time(self, session: EditSession) -> Instant | None:
        """Return the time that the options promise for the next update.

        Returns:
            The time, or None if the options promise none.

        Raises:
            click.UsageError: if both options for this time are given.
        """
        if self.next_update_in is None:
            return self.next_update_by
        if self.next_update_by is not None:
            raise click.UsageError("give either --next-update-in or --next-update-by, not both")
        return Instant(session.at + self.next_update_in)


with_update_options = option_group(
    "update_options",
    UpdateOptions,
    click.option(
        "--component",
        "components",
        multiple=True,
        metavar="KEY[=STATUS]",
        shell_complete=complete_component_status,
        help=f"Set the status of a component, such as rpc=partial_outage (repeatable). The statuses are {', '.join(STATUSES)}.",
    ),
    body_option,
    body_file_option,
    click.option(
        "--next-update-in",
        type=DURATION,
        help="Promise readers the next update within this time, such as 30m.",
    ),
    click.option(
        "--next-update-by",
        type=INSTANT,
        help="Promise readers the next update by this time, such as 2026-11-02T10:30:00Z.",
    ),
    notify_option,
    publish_at_option,
)


def update_body(text: str | None, status: UpdateStatus, previous_status: UpdateStatus | None) -> str:
    """Return the text of an update, or ask the user for it.

    Without a terminal, the update gets Statuspage's default text for its status.

    Args:
        text: the text from the options, or None.
        status: the status that the update sets.
        previous_status: the status before the update; None if it is the first one.

    Raises:
        click.UsageError: if there is no text and no terminal, and the status stays the same, so that there is
            no default.
    """
    if text is not None:
        return text
    default = None if status == previous_status else DEFAULT_BODIES[status]
    if is_interactive():
        return normalize_body(ask_text("Text", default))
    if default is None:
        raise click.UsageError(
            f"Missing option '--body'. The status stays {status}, so there is no default text."
        )
    return default


def normalize_body(text: str) -> str:
    """Remove empty lines around a text and spaces at its end.

    Line breaks are converted to LF.
    """
    return text.replace("\r\n", "\n").lstrip("\n").rstrip()


def append_update(
    session: EditSession,
    incident: Incident,
    status: UpdateStatus,
    update_options: UpdateOptions,
    subject: str,
    *,
    ask_components: bool = False,
    reopens: bool = False,
) -> None:
    """Add an update to an incident's or maintenance window's file.

    Args:
        status: the status that the update sets.
        update_options: the options with the update's text and components.
        subject: the beginning of the commit message, such as `Resolve incident`.
        ask_components: whether to ask for the affected components on a terminal.
        reopens: whether the update reopens a closed incident; then any status is allowed.

    Raises:
        EditError: if the status cannot follow the current one, or a component is unknown.
    """
    session.set_time_after_newest_update(incident)
    session.set_publish_time(update_options.publish_at)
    previous_status = None if reopens else check_next_status(incident, status, session.at)
    components = statuses_or_ask if ask_components else parse_statuses
    update = NewUpdate(
        at=session.at,
        status=status,
        body=update_body(update_options.text, status, previous_status),
        components=components(update_options.components, session.catalogue),
        notify=update_options.notify,
        reopens=reopens,
        next_update_by=check_next_update_time(session, update_options.next_update_time(session), status),
    )
    apply_update(session, incident, update, subject)


def apply_update(session: EditSession, incident: Incident, update: NewUpdate, subject: str) -> None:
    """Write an update to its incident's file, and commit it with --commit.

    Args:
        subject: the beginning of the commit message, such as `Resolve incident`.
    """
    pointer = (*record_pointer(incident), "updates")
    edit = session.prepare_edit(
        incident.source,
        lambda text: append_yaml_item(
            announce_in_file(text, incident, session.at), pointer, update.yaml_value
        ),
    )
    session.apply(edit, f"{subject}: {one_line(incident.name)}", update.commit_message_body)


def check_next_update_time(
    session: EditSession, promised: Instant | None, status: UpdateStatus
) -> Instant | None:
    """Check that the promised time of the next update is possible, and return it.

    Args:
        session: gives the time of this update.
        promised: the promised time, or None.
        status: the status that this update sets; after `resolved`, nothing more can be promised.

    Raises:
        click.UsageError: if the time is not later, or the incident has ended.
    """
    if promised is None:
        return None
    if status in CLOSED_STATUSES:
        raise click.UsageError(
            f"a {status} incident has no next update: leave out --next-update-in and --next-update-by"
        )
    if promised <= session.at:
        raise click.UsageError("the time of the next update must be later than this update")
    return promised


Status = TypeVar("Status", bound=str)


def choose_status(
    session: EditSession,
    incident: Incident,
    status: Status | None,
    update_options: UpdateOptions,
    ask: Callable[[str], Status],
) -> Status:
    """Return the status that the user gave, or ask for it.

    If the options have only a text, the incident keeps its current status.

    Args:
        session: gives the time of the update.
        status: the status from an option, or None.
        update_options: the options, with the update's text.
        ask: shows the current status, and asks the user for the new one.

    Raises:
        click.UsageError: if the options have neither a status nor a text, and there is no terminal to ask in.
    """
    current = incident_status_at(incident, session.at)
    if status is not None or is_interactive():
        return ask(current) if status is None else status
    current_text = current or "not set yet"
    if update_options.text is None:
        raise click.UsageError(
            f"Missing option '--status'. To keep the status ({current_text}), give --body alone."
        )
    if not current or current == "postmortem":
        raise click.UsageError(f"Missing option '--status'. The status of {incident.id} is {current_text}.")
    return cast("Status", current)
