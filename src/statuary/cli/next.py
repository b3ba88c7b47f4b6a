"""`statuary next`: print when a published site changes by itself."""

import sys
from pathlib import Path

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import build_instant, now_option, out_option
from statuary.cli.output.summary import format_instant
from statuary.cli.schedules import SCHEDULES
from statuary.domain.primitives import Instant
from statuary.publishing.errors import PublishingError
from statuary.publishing.tick import read_epoch_index


@click.command()
@out_option
@now_option
@click.option(
    "--as",
    "schedule",
    type=click.Choice(list(SCHEDULES)),
    default="text",
    show_default=True,
    help="As the instant, or as the line for a scheduler.",
)
def command(out: Path, now: Instant | None, schedule: str) -> None:
    """Print when a published site changes by itself, and `statuary tick` must run.

    Exit code 1 if nothing is known to change before the horizon; the horizon is printed on standard error.
    """
    instant = build_instant(now)
    try:
        index = read_epoch_index(out)
    except PublishingError as refused:
        click.echo(f"statuary: {refused}\n    {refused.hint}", err=True)
        sys.exit(ExitCode.FAILED)
    due = index.next_after(instant)
    if due is None:
        click.echo(
            f"no transition is known up to {format_instant(index.until)}; build again by then", err=True
        )
        sys.exit(ExitCode.FINDINGS)
    click.echo(SCHEDULES[schedule](due))
    sys.exit(ExitCode.OK)
