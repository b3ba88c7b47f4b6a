"""The options of an update: its text, its components' statuses, and whether subscribers are notified."""

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import NamedTuple

import click

from statuary.cli.editing.completion import complete_component_status
from statuary.cli.editing.edit_session import EditSession
from statuary.cli.editing.prompts import ask_text, is_interactive, statuses_or_ask
from statuary.cli.options.common_options import with_options
from statuary.domain.findings import Pointer
from statuary.domain.status.incidents import Incident
from statuary.domain.status.vocabulary import DEFAULT_BODIES, UpdateStatus
from statuary.editing.find_component import parse_statuses
from statuary.editing.updates import NewUpdate, single_line, status_before
from statuary.editing.yaml.edit_yaml import append_item


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
    session.apply(edit, f"{subject}: {single_line(incident.name)}", update.details)
