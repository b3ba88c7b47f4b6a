"""Options that several commands share, and the only place that asks for the time."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click
from typing_extensions import override

from statuary.domain.primitives import Instant, InvalidValueError, instant, parse_instant

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class InstantType(click.ParamType[Instant]):
    """An instant on the command line."""

    name = "instant"

    @override
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Instant:
        try:
            return parse_instant(value) if isinstance(value, str) else value
        except InvalidValueError as malformed:
            self.fail(f"{malformed}; {malformed.hint}" if malformed.hint else str(malformed), param, ctx)


def content_option(function: Decorated) -> Decorated:
    """Add `--content`."""
    return click.option(
        "--content",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("content"),
        show_default=True,
        help="The content folder.",
    )(function)


def out_option(function: Decorated) -> Decorated:
    """Add `--out`."""
    return click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("build"),
        show_default=True,
        help="The folder that the site is published into.",
    )(function)


def now_option(function: Decorated) -> Decorated:
    """Add `--now`."""
    return click.option(
        "--now",
        type=InstantType(),
        default=None,
        help="The instant that the site tells, such as 2026-11-02T10:00:00Z. "
        "Default: SOURCE_DATE_EPOCH if it is set, else the clock.",
    )(function)


def format_option(function: Decorated) -> Decorated:
    """Add `--format`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json", "github", "sarif"]),
        default="text",
        show_default=True,
        help="How findings are reported.",
    )(function)


def utc_now() -> Instant:
    """Return the clock's instant."""
    return instant(datetime.now(UTC))


def build_instant(given: Instant | None) -> Instant:
    """Return the instant of the build: what was given, else SOURCE_DATE_EPOCH, else the clock.

    Raises:
        click.UsageError: if SOURCE_DATE_EPOCH is no number of seconds.
    """
    if given is not None:
        return given
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch:
        return utc_now()
    try:
        return instant(datetime.fromtimestamp(int(epoch), UTC))
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(
            f"SOURCE_DATE_EPOCH is {epoch!r}, which is no number of seconds since 1970"
        ) from None


def refuse_overlapping_folders(content: Path, out: Path) -> None:
    """Refuse an output folder that overlaps with the content folder.

    Raises:
        click.UsageError: if one lies inside the other.
    """
    inside, outside = out.resolve(), content.resolve()
    if inside == outside or inside.is_relative_to(outside):
        raise click.UsageError(f"the site ({out}) would be written into the content folder ({content})")
    if outside.is_relative_to(inside):
        raise click.UsageError(f"the content folder ({content}) lies inside the site ({out})")
