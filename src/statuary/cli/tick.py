"""`statuary tick`: make a published site tell the present, without content and without a build."""

import sys
from pathlib import Path

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import instant_of_build, now_option, out_option
from statuary.cli.summary import spelled
from statuary.domain.primitives import Instant
from statuary.publishing.epochs import read_epoch_index, tick
from statuary.publishing.folder import Folder
from statuary.publishing.refused import PublishingRefused


@click.command()
@out_option
@now_option
def command(out: Path, now: Instant | None) -> None:
    """Make a published site tell the present.

    The documents of every transition up to the horizon were written by the build; this puts those of now into
    place, and touches nothing else. Run it when `statuary next` says so; running it more often does no harm.
    """
    instant = instant_of_build(now)
    try:
        changed = tick(Folder(out), instant)
        index = read_epoch_index(out)
    except PublishingRefused as refused:
        click.echo(f"statuary: {refused}" + (f"\n    {refused.remedy}" if refused.remedy else ""), err=True)
        sys.exit(ExitCode.REFUSED)
    for path in changed:
        click.echo(f"~ {path}")
    due = index.next_after(instant)
    click.echo(
        f"{len(changed)} changed, as of {spelled(instant)}; "
        + (
            f"next transition at {spelled(due)}"
            if due
            else f"no transition is known up to {spelled(index.until)}"
        )
    )
    if instant > index.until:
        click.echo(f"the epochs end at {spelled(index.until)}: run `statuary build`", err=True)
        sys.exit(ExitCode.FINDINGS)
    sys.exit(ExitCode.DONE)
