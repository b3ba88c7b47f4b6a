"""What every command that edits content is told: where, when, and what to do afterwards."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click

from statuary.cli.options.common_options import (
    InstantType,
    build_instant,
    content_option,
    now_option,
    out_option,
    refuse_overlapping_folders,
)
from statuary.domain.primitives import Instant


class EditOptions(NamedTuple):
    """The options of one command.

    Attributes:
        content: the content folder.
        out: the folder that the site is published into.
        now: the instant that it is.
        at: the instant that the edit is dated with.
        dry_run: whether the edit is only shown.
        commit: whether the edited file is committed to git.
        build: whether the site is built afterwards.
    """

    content: Path
    out: Path
    now: Instant
    at: Instant
    dry_run: bool
    commit: bool
    build: bool


OPTIONS = (
    content_option,
    click.option(
        "--at",
        type=InstantType(),
        help="When it happened, such as 2026-11-02T10:00:00Z. Default: --now.",
    ),
    now_option,
    click.option("--dry-run", is_flag=True, help="Show the change, and write nothing."),
    click.option("--commit", is_flag=True, help="Commit the edited file, and only it, to git."),
    click.option("--build", is_flag=True, help="Build the site afterwards."),
    out_option,
)


def with_edit_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of every editing command; the function gets them as a `EditOptions`, its first argument."""

    @wraps(function)
    def with_desk(
        content: Path,
        out: Path,
        now: Instant | None,
        at: Instant | None,
        dry_run: bool,
        commit: bool,
        build: bool,
        **values: Any,
    ) -> None:
        if build:
            refuse_overlapping_folders(content, out)
        present = truncate_to_second(build_instant(now))
        desk = EditOptions(
            content=content,
            out=out,
            now=present,
            at=at or present,
            dry_run=dry_run,
            commit=commit,
            build=build,
        )
        function(desk, **values)

    for option in reversed(OPTIONS):
        with_desk = option(with_desk)
    return with_desk


def truncate_to_second(moment: Instant) -> Instant:
    """Return an instant without the part of a second, which nobody means by 'now'."""
    return Instant(moment.replace(microsecond=0))


def format_for_source(moment: Instant) -> str:
    """Return an instant as it is written into source files: UTC, milliseconds only if there are any."""
    precision = "milliseconds" if moment.microsecond else "seconds"
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")


def format_for_source_if_given(moment: Instant | None) -> str | None:
    """Return an instant as it is written into source files; None of nothing."""
    return None if moment is None else format_for_source(moment)
