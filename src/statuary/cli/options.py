"""Options of several commands."""

import re
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from typing_extensions import override

from statuary.clock import ClockError, instant_of_build
from statuary.domain.primitives import Instant, InvalidValueError, parse_instant
from statuary.extension_table import EXTENSIONS, load
from statuary.publishing.files import PublishingError, overlap_of_folders

FILE = click.Path(path_type=Path, dir_okay=False)

Command = TypeVar("Command", bound=Callable[..., Any])


def with_options(
    *options: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> Callable[[Command], Command]:
    """Return a decorator that adds options to a command, in the order of its help."""

    def decorate(function: Command) -> Command:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def extension_options(command: str) -> Callable[[Command], Command]:
    """Add to a command of the core the options of extensions; it gets their values by extension, as `extension_options`."""

    def decorate(function: Command) -> Command:
        names: dict[str, tuple[str, ...]] = {}

        @wraps(function)
        def with_values(**values: Any) -> Any:
            chosen = {name: {key: values.pop(key) for key in keys} for name, keys in names.items()}
            return function(**values, extension_options=chosen)

        decorated: Any = with_values
        for extension in reversed(EXTENSIONS):
            if command in extension.options:
                before = {parameter.name for parameter in _parameters(decorated)}
                decorated = load(extension.options[command], f"statuary {command}")(decorated)
                added = [parameter.name or "" for parameter in _parameters(decorated)]
                names[extension.name] = tuple(name for name in added if name not in before)
        return cast("Command", decorated)

    return decorate


def _parameters(function: object) -> list[click.Parameter]:
    """Return the parameters that decorators of click have added to a function."""
    return list(getattr(function, "__click_params__", ()))


class InstantType(click.ParamType[Instant]):
    """An instant on the command line."""

    name = "instant"

    @override
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Instant:
        try:
            return parse_instant(value) if isinstance(value, str) else value
        except InvalidValueError as malformed:
            self.fail(f"{malformed}; {malformed.hint}" if malformed.hint else str(malformed), param, ctx)


DURATION = re.compile(r"(?:(\d{1,3})d)?(?:(\d{1,4})h)?(?:(\d{1,5})m)?")


def parse_duration(text: str) -> timedelta | None:
    """Return a duration such as `90m`, `2h` or `1d12h`; None if the text is not one, or is zero."""
    match = DURATION.fullmatch(text)
    days, hours, minutes = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    return timedelta(days=days, hours=hours, minutes=minutes) or None


class DurationType(click.ParamType[timedelta]):
    """A duration on the command line."""

    name = "duration"

    @override
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        duration = value if isinstance(value, timedelta) else parse_duration(str(value))
        if duration is None:
            self.fail(f"{value!r} is not a duration; write it like 90m, 2h or 1d12h", param, ctx)
        return duration


content_option = click.option(
    "--content",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("content"),
    show_default=True,
    help="The content folder.",
)
out_option = click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("build"),
    show_default=True,
    help="The folder that the site is published into.",
)
now_option = click.option(
    "--now",
    type=InstantType(),
    default=None,
    help="The current instant, such as 2026-11-02T10:00:00Z. Default: SOURCE_DATE_EPOCH, else the clock.",
)
text_or_json_option = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    show_default=True,
    help="The format of findings.",
)


def read_key(file: Path) -> str:
    """Return the text of a file with a key; raise PublishingError if it cannot be read."""
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PublishingError(f"the key {file} cannot be read: {error}") from None


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
    """Raise click.UsageError if the site is inside the content, or the content inside the site."""
    overlap = overlap_of_folders(content, out, "--out")
    if overlap:
        raise click.UsageError(overlap)
