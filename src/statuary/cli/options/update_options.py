"""What an update says: its text, its components' statuses, and whether subscribers are told."""

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click

from statuary.cli.editing.completion import complete_component_status
from statuary.cli.editing.prompts import ask_text, is_interactive
from statuary.domain.status.vocabulary import DEFAULT_BODIES, UpdateStatus


class UpdateOptions(NamedTuple):
    """What a person gave for an update.

    Attributes:
        body: its text; None if none was given.
        components: affected components, as `key` or `key=status`.
        notify: whether subscribers are told.
    """

    body: str | None
    components: tuple[str, ...] = ()
    notify: bool = True


BODY_OPTIONS = (
    click.option("--body", help="The text. Default: Statuspage's own for the status."),
    click.option(
        "--body-file",
        type=click.Path(path_type=Path, dir_okay=False, allow_dash=True, exists=True),
        help="The text, from a file; `-` reads standard input.",
    ),
)
UPDATE_OPTIONS = (
    click.option(
        "--component",
        "components",
        multiple=True,
        metavar="KEY[=STATUS]",
        shell_complete=complete_component_status,
        help="An affected component and the status it has now (repeatable).",
    ),
    *BODY_OPTIONS,
    click.option(
        "--notify/--no-notify", default=True, help="Whether subscribers are told. Default: they are."
    ),
)


def with_body_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a text; the function gets it as `body`, None if none was given."""

    @wraps(function)
    def told(*arguments: Any, body: str | None, body_file: Path | None, **values: Any) -> None:
        function(*arguments, body=read_body(body, body_file), **values)

    for option in reversed(BODY_OPTIONS):
        told = option(told)
    return told


def with_update_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of an update; the function gets them as `said`."""

    @wraps(function)
    def told(
        *arguments: Any,
        body: str | None,
        body_file: Path | None,
        components: tuple[str, ...],
        notify: bool,
        **values: Any,
    ) -> None:
        said = UpdateOptions(body=read_body(body, body_file), components=components, notify=notify)
        function(*arguments, said=said, **values)

    for option in reversed(UPDATE_OPTIONS):
        told = option(told)
    return told


def read_body(body: str | None, body_file: Path | None) -> str | None:
    """Return the text that the options give; None if they give none.

    Raises:
        click.UsageError: if both are given, or the file cannot be read as UTF-8.
    """
    if body is not None and body_file is not None:
        raise click.UsageError("--body and --body-file say the same thing: give one of them")
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
    """Return the text of an update: what was given, what a person answers, or Statuspage's own.

    Args:
        given: the text of the options.
        status: what the update moves its record to.
        before: the status before it.

    Raises:
        click.UsageError: if the update moves nothing and says nothing, and nobody is there to be asked.
    """
    if given is not None:
        return given
    default = None if status == before else DEFAULT_BODIES[status]
    if is_interactive():
        return normalize_body(ask_text("Text", default))
    if default is None:
        raise click.UsageError(f"Missing option '--body'. An update that stays {status} says something new.")
    return default


def normalize_body(text: str) -> str:
    """Return a text with line feeds alone, without empty lines around it and spaces behind it."""
    return text.replace("\r\n", "\n").lstrip("\n").rstrip()
