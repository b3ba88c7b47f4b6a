"""`statuary tick`: make a published site tell the present, without content and without a build."""

import sys
from pathlib import Path

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import build_instant, now_option, out_option
from statuary.cli.output.summary import format_instant
from statuary.domain.primitives import Instant
from statuary.publishing.errors import PublishingError
from statuary.publishing.folder.site_folder import SiteFolder
from statuary.publishing.tick import read_epoch_index, tick


@click.command()
@out_option
@now_option
def command(out: Path, now: Instant | None) -> None:
    """Make a published site tell the present.

    The documents of every transition up to the horizon were written by the build; this puts those of now into
    place, and touches nothing else. Run it when `statuary next` says so; running it more often does no harm.
    """
    instant = build_instant(now)
    try:
        changed = tick(SiteFolder(out), instant)
        index = read_epoch_index(out)
    except PublishingError as refused:
        click.echo(f"statuary: {refused}" + (f"\n    {refused.hint}" if refused.hint else ""), err=True)
        sys.exit(ExitCode.FAILED)
    for path in changed:
        click.echo(f"~ {path}")
    due = index.next_after(instant)
    click.echo(
        f"{len(changed)} changed, as of {format_instant(instant)}; "
        + (
            f"next transition at {format_instant(due)}"
            if due
            else f"no transition is known up to {format_instant(index.until)}"
        )
    )
    if instant > index.until:
        click.echo(f"the epochs end at {format_instant(index.until)}: run `statuary build`", err=True)
        sys.exit(ExitCode.FINDINGS)
    sys.exit(ExitCode.OK)
