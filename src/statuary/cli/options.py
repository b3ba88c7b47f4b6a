"""Options of several commands."""

import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import wraps
from inspect import get_annotations
from pathlib import Path

import click
from typing_extensions import override

from statuary.base.clock import ClockError, instant_of_build
from statuary.base.files import PublishingError, describe_folder_overlap
from statuary.base.limits import LARGEST_SOURCE_FILE
from statuary.base.primitives import Instant, InvalidValueError, parse_duration, parse_instant
from statuary.cli.escape import escape_control_chars
from statuary.registry import EXTENSIONS, CommandOption
from statuary.system.files import read_named_file

FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)

Command = Callable[..., object]
Decorator = Callable[[Command], Command]


def with_options(*options: Decorator) -> Decorator:
    """Return a decorator that adds several options to a command.

    The command's help lists the options in this order.
    """

    def decorate(function: Command) -> Command:
        for decorator in reversed(options):
            function = decorator(function)
        return function

    return decorate


def option_group(name: str, group: type[tuple[object, ...]], *options: Decorator) -> Decorator:
    """Return a decorator that passes several options as one named tuple.

    For example, the options --body and --body-file can become one parameter `body_options`.

    Args:
        name: the parameter of the command's function.
        group: the class of the named tuple, with a field for each option.
        options: the decorators that add the options.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_group(*arguments: object, **values: object) -> object:
            chosen = {field: values.pop(field) for field in get_annotations(group)}
            return command(*arguments, **values, **{name: group(**chosen)})

        return with_options(*options)(with_group)

    return decorate


ExtensionValues = Mapping[str, Mapping[str, object]]
"""The values of extensions' options, by extension and name."""


def extension_options(command: str) -> Decorator:
    """Return a decorator that adds the extensions' options to a core command.

    The command's function receives the values as `extension_options`.

    Args:
        command: the name of the command, such as `build`.
    """
    rows = {row.name: row.options[command] for row in EXTENSIONS if command in row.options}

    def decorate(function: Command) -> Command:
        @wraps(function)
        def with_values(**values: object) -> object:
            chosen = {
                name: {row.name: values.pop(row.name) for row in rows_of_extension}
                for name, rows_of_extension in rows.items()
            }
            return function(**values, extension_options=chosen)

        rows_of_extension = (
            extension_option(row) for rows_of_extension in rows.values() for row in rows_of_extension
        )
        return with_options(*rows_of_extension)(with_values)

    return decorate


def extension_option(option: CommandOption) -> Decorator:
    """Return the decorator that adds one option of an extension.

    Args:
        option: the flag, help text and type of the option.
    """
    attributes: dict[type, dict[str, object]] = {
        os.PathLike: {"type": FILE},
        bool: {"is_flag": True},
        tuple: {"multiple": True},
        str: {},
    }
    add_option: Callable[..., Decorator] = click.option
    return add_option(
        option.flag, option.name, help=option.help, metavar=option.metavar or None, **attributes[option.kind]
    )


class InstantType(click.ParamType[Instant]):
    """Parses a time on the command line, such as `2026-11-02T10:00:00Z`."""

    name = "time"

    @override
    def convert(
        self, value: str | Instant, param: click.Parameter | None, ctx: click.Context | None
    ) -> Instant:
        try:
            return parse_instant(value) if isinstance(value, str) else value
        except InvalidValueError as malformed:
            self.fail(f"{malformed}; {malformed.hint}" if malformed.hint else str(malformed), param, ctx)


class DurationType(click.ParamType[timedelta]):
    """Parses a duration on the command line, such as `90m`, `2h` or `1d12h`."""

    name = "duration"

    @override
    def convert(
        self, value: str | timedelta, param: click.Parameter | None, ctx: click.Context | None
    ) -> timedelta:
        duration = value if isinstance(value, timedelta) else parse_duration(value)
        if duration is None:
            self.fail(f"{value!r} is not a duration; write it like 90m, 2h or 1d12h", param, ctx)
        return duration


INSTANT = InstantType()
DURATION = DurationType()

content_option = click.option(
    "--content",
    type=FOLDER,
    default=Path("content"),
    show_default=True,
    help="Use the content in this folder, which contains site.yaml (or site.json).",
)
out_option = click.option(
    "--out",
    type=FOLDER,
    default=Path("build"),
    show_default=True,
    help="Use this folder as the build folder, which contains the built site.",
)
now_option = click.option(
    "--now",
    type=INSTANT,
    help="Use this time as the current time, such as 2026-11-02T10:00:00Z. Default: the environment variable SOURCE_DATE_EPOCH if set, else the clock.",
)
text_or_json_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Print the result as text or as JSON.",
)

findings_format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    show_default=True,
    help="Print errors and warnings as text, JSON, GitHub Actions annotations (github), or SARIF for code scanning.",
)


def read_key_file(file: Path, *, secret: bool = False) -> str:
    """Read the text of a key from a file.

    Args:
        secret: whether the key is secret; if other users can read the file, a warning is then printed.

    Raises:
        PublishingError: if the file cannot be read.
    """
    try:
        mode = file.stat().st_mode & 0o777
        if secret and mode & 0o077 and os.name != "nt":
            message = f"warning: other users of this machine may read the secret key {escape_control_chars(str(file))} (mode {mode:04o})"
            click.echo(f"{message}\n    run: chmod 600 {escape_control_chars(str(file))}", err=True)
        return read_named_file(file, LARGEST_SOURCE_FILE).decode("utf-8")
    except OSError as error:
        raise PublishingError(f"the key file {file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PublishingError(
            f"the key file {file} is not a text file; name the file that contains the key"
        ) from None


def build_instant(now: Instant | None) -> Instant:
    """Return the build's time: --now, else SOURCE_DATE_EPOCH, else the clock.

    Raises:
        click.UsageError: if SOURCE_DATE_EPOCH is not a number of seconds.
    """
    try:
        return instant_of_build(now)
    except ClockError as error:
        raise click.UsageError(str(error)) from None


def refuse_overlapping_folders(content: Path, out: Path) -> None:
    """Raise an error if the content folder and the site's folder overlap.

    Args:
        content: the content folder.
        out: the folder of the site.

    Raises:
        click.UsageError: if one folder is inside the other.
    """
    overlap = describe_folder_overlap(content, out, "--out")
    if overlap:
        raise click.UsageError(f"{overlap}; name another folder with --out")
