"""Options of several commands."""

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import wraps
from inspect import get_annotations
from pathlib import Path
from typing import Annotated, NamedTuple, TypeGuard, get_args, get_origin

import click
from typing_extensions import override

from statuary.base.clock import ClockError, instant_of_build
from statuary.base.files import PublishingError, overlap_of_folders
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
    """Return a decorator that adds options in the order of the help."""

    def decorate(function: Command) -> Command:
        for decorator in reversed(options):
            function = decorator(function)
        return function

    return decorate


class Option(NamedTuple):
    """An option or argument of a command, declared with `Annotated`.

    Its name is that of the annotated parameter or field.
    """

    flags: tuple[str, ...]
    attributes: Mapping[str, object]
    is_argument: bool = False

    def decorator(self, name: str, hint: object) -> Decorator:
        """Return the decorator that adds it to a command.

        Args:
            hint: the type of its value.
        """
        add_argument: Callable[..., Decorator] = click.argument
        add_option: Callable[..., Decorator] = click.option
        if self.is_argument:
            return add_argument(name, **self.attributes)
        flags = self.flags or (f"--{name.replace('_', '-')}",)
        return add_option(*flags, name, **{**_attributes(hint, flags[0]), **self.attributes})


def option(*flags: str, **attributes: object) -> Option:
    """Return an option as `click.option` does, with flag and type inferred."""
    return Option(flags, attributes)


def argument(**attributes: object) -> Option:
    """Return an argument as `click.argument` does."""
    return Option((), attributes, is_argument=True)


def _attributes(hint: object, flag: str) -> dict[str, object]:
    if hint is bool:
        return {} if "/" in flag else {"is_flag": True}
    if get_origin(hint) is tuple:
        return {"multiple": True}
    kinds = {Instant: InstantType(), timedelta: DurationType()}
    return next(({"type": kinds[kind]} for kind in get_args(hint) if kind in kinds), {})


def options(function: Command, parameters: Mapping[str, object] | None = None) -> Command:
    """Add the options of a command's parameters, in that order.

    A parameter's type is `Annotated` with its option, or a NamedTuple whose fields are: a group, which it gets as a value.
    `parameters` are the types by name, if they are not those of the function.
    """
    types = get_annotations(function) if parameters is None else parameters
    groups = {name: group for name, group in types.items() if _is_group(group)}

    @wraps(function)
    def with_groups(*arguments: object, **values: object) -> object:
        chosen = {name: _chosen(group, values) for name, group in groups.items()}
        return function(*arguments, **values, **chosen)

    command: Command = with_groups
    for name, hint in reversed([*_fields(types)]):
        kind, *marks = get_args(hint)
        for mark in reversed(marks):
            command = (mark.decorator(name, kind) if isinstance(mark, Option) else mark)(command)
    return command


def _is_group(hint: object) -> TypeGuard[type[tuple[object, ...]]]:
    return isinstance(hint, type) and hasattr(hint, "_fields")


def _chosen(group: Command, values: dict[str, object]) -> object:
    """Take a group of options out of the command's values."""
    types = get_annotations(group).items()
    return group(
        **{name: _chosen(hint, values) if _is_group(hint) else values.pop(name) for name, hint in types}
    )


def _fields(types: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, hint in types.items():
        if _is_group(hint):
            yield from _fields(get_annotations(hint))
        elif get_origin(hint) is Annotated:
            yield name, hint


ExtensionValues = Mapping[str, Mapping[str, object]]
"""The values of extensions' options, by extension and name."""


def extension_options(command: str) -> Decorator:
    """Add the options of extensions to a command of the core.

    They take the place of a field `extension_options`.
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


def extension_option(row: CommandOption) -> Decorator:
    """Return the decorator that adds an extension's option to a command."""
    attributes: dict[type, dict[str, object]] = {
        os.PathLike: {"type": FILE},
        bool: {"is_flag": True},
        tuple: {"multiple": True},
        str: {},
    }
    mark = option(row.flag, help=row.help, metavar=row.metavar or None, **attributes[row.kind])
    return mark.decorator(row.name, row.kind)


class InstantType(click.ParamType[Instant]):
    """An instant on the command line."""

    name = "instant"

    @override
    def convert(
        self, value: str | Instant, param: click.Parameter | None, ctx: click.Context | None
    ) -> Instant:
        try:
            return parse_instant(value) if isinstance(value, str) else value
        except InvalidValueError as malformed:
            self.fail(f"{malformed}; {malformed.hint}" if malformed.hint else str(malformed), param, ctx)


class DurationType(click.ParamType[timedelta]):
    """A duration on the command line."""

    name = "duration"

    @override
    def convert(
        self, value: str | timedelta, param: click.Parameter | None, ctx: click.Context | None
    ) -> timedelta:
        duration = value if isinstance(value, timedelta) else parse_duration(value)
        if duration is None:
            self.fail(f"{value!r} is not a duration; write it like 90m, 2h or 1d12h", param, ctx)
        return duration


content_option = click.option(
    "--content", type=FOLDER, default=Path("content"), show_default=True, help="The content folder."
)
out_option = click.option(
    "--out",
    type=FOLDER,
    default=Path("build"),
    show_default=True,
    help="The folder that the site is published into.",
)
now_option = click.option(
    "--now",
    type=InstantType(),
    help="The current instant, such as 2026-11-02T10:00:00Z. Default: SOURCE_DATE_EPOCH, else the clock.",
)
text_or_json_option = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)

Content = Annotated[Path, content_option]
Out = Annotated[Path, out_option]
Now = Annotated[Instant | None, now_option]
FindingsFormat = Annotated[
    str,
    option(
        "--format",
        type=click.Choice(["text", "json", "github", "sarif"]),
        default="text",
        show_default=True,
        help="The format of findings.",
    ),
]


def read_key(file: Path, *, secret: bool = False) -> str:
    """Read a file with a key.

    A secret one that others can read causes a warning.

    Raises:
        PublishingError: if it cannot be read.
    """
    try:
        mode = file.stat().st_mode & 0o777
        if secret and mode & 0o077 and os.name != "nt":
            message = f"warning: other users of this machine may read the secret key {escape_control_chars(str(file))} (mode {mode:04o})"
            click.echo(f"{message}\n    chmod 600 {escape_control_chars(str(file))}", err=True)
        return read_named_file(file, LARGEST_SOURCE_FILE).decode("utf-8")
    except OSError as error:
        raise PublishingError(f"the key {file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PublishingError(f"the key {file} is not text") from None


def build_instant(now: Instant | None) -> Instant:
    """Return the instant of --now, else SOURCE_DATE_EPOCH, else the current one.

    Raises:
        click.UsageError: if SOURCE_DATE_EPOCH is not a number of seconds.
    """
    try:
        return instant_of_build(now)
    except ClockError as error:
        raise click.UsageError(str(error)) from None


def refuse_overlapping_folders(content: Path, out: Path) -> None:
    """Check that neither the site nor the content is inside the other.

    Raises:
        click.UsageError: if one is.
    """
    overlap = overlap_of_folders(content, out, "--out")
    if overlap:
        raise click.UsageError(overlap)
