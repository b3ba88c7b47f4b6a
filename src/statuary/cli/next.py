"""`statuary next`: print when the published status changes next, for people and schedulers."""

import sys
from pathlib import Path

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import build_instant, now_option, out_option
from statuary.cli.output.plain_text import format_instant
from statuary.cli.schedules import FORMATS, current_job
from statuary.domain.primitives import Instant
from statuary.publishing.epoch_index import read_epoch_index


@click.command()
@out_option
@now_option
@click.option(
    "--as",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="The instant, or the complete configuration of a scheduler.",
)
def next_command(out: Path, now: Instant | None, form: str) -> None:
    """Print when the published status changes next, and `statuary tick` must run.

    The configuration of a scheduler runs the current program in the current folder, and replaces itself after each
    run. Exits with 1 if no change is known; standard error states until when that holds.
    """
    index = read_epoch_index(out)
    due = index.next_after(build_instant(now))
    if due is None:
        until = format_instant(index.end)
        click.echo(f"no transition until {until}; run `statuary build` again by then", err=True)
        sys.exit(ExitCode.FINDINGS)
    click.echo(FORMATS[form](due, current_job(out)))
    sys.exit(ExitCode.OK)
