"""`statuary tick` and `statuary next`: update a site without a build."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import click

from statuary.base.primitives import Instant, format_utc
from statuary.cli.damaged_ledger import retry_with_new_ledger
from statuary.cli.escape import escape_control_chars
from statuary.cli.exit_codes import ExitCode
from statuary.cli.findings_report import format_findings
from statuary.cli.options import (
    FOLDER,
    ExtensionValues,
    build_instant,
    extension_options,
    now_option,
    out_option,
)
from statuary.cli.outcome_report import exit_code_of, outcome_line
from statuary.cli.schedules import CHAINS, FORMATS, REPEATED, scheduled_job
from statuary.engine.sections import ExtensionOptions
from statuary.engine.tick import tick
from statuary.publish.outcome import outcome_with_faults
from statuary.status.api.epoch_index import EpochIndex, read_epoch_index

HOUR = timedelta(hours=1)


@click.command()
@out_option
@now_option
@click.option("--dry-run", is_flag=True, help="Print what would change, and write nothing.")
@extension_options("tick")
def tick_command(
    out: Path,
    now: Instant | None,
    dry_run: bool,
    extension_options: ExtensionValues,
) -> ExitCode:
    """Update a published site to the current time, without a build.

    Each build also writes the status documents for changes in the coming weeks, such as the start of maintenance. This
    command publishes the documents that are due. Run it at the time that `statuary next` prints; you can also run it
    more often.

    Exit codes: 0 up to date; 3 failed, nothing changed; 4 published with faults; 5 up to date, but the time that the last
    build covers has ended, so run `statuary build`.
    """
    instant = build_instant(now)
    changed_paths, line, findings, index = retry_with_new_ledger(
        out, lambda: tick(out, instant, ExtensionOptions(extension_options), dry_run=dry_run)
    )
    for path in changed_paths:
        click.echo(f"~ {escape_control_chars(path)}")
    did = "would change" if dry_run else "changed"
    summary = f"{len(changed_paths)} {did}, as of {format_utc(instant)}"
    click.echo("; ".join((summary, *_upcoming_change_texts(index, instant))))
    if line:
        click.echo(line)
    if findings:
        click.echo(format_findings(findings, str(out), "text"), err=True)
    is_build_due = instant >= index.build_due
    if is_build_due:
        click.echo(
            f"the last build covers the time until {format_utc(index.build_due)} (exit code 5): run `statuary build`",
            err=True,
        )
    outcome = outcome_with_faults(findings)
    if outcome_text := outcome_line(outcome, applied=not dry_run):
        click.echo(outcome_text, err=True)
    code = exit_code_of(outcome)
    return ExitCode.BUILD_DUE if is_build_due and code is ExitCode.OK else code


def _upcoming_change_texts(index: EpochIndex, instant: Instant) -> Iterator[str]:
    next_change = index.next_change_after(instant)
    if next_change is not None:
        yield f"next transition at {format_utc(next_change)}"
    elif instant < index.end:
        yield f"no transition until {format_utc(index.end)}"
    if index.next_build is not None and index.next_build > instant:
        yield f"a build is due at {format_utc(index.next_build)}"


@click.command()
@out_option
@now_option
@click.option(
    "--as",
    "output_format",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="Print the time of the next change as text or JSON, or print a configuration for cron, systemd, at or GitHub Actions that publishes it on time.",
)
@click.option(
    "--program",
    metavar="PATH",
    help="With --as: run the program statuary at this path. Set it if the schedule runs on another machine. Default: the path here.",
)
@click.option(
    "--folder",
    type=FOLDER,
    help="With --as: run statuary in this folder. Set it if the schedule runs on another machine. Default: the current folder.",
)
@click.option(
    "--site",
    type=FOLDER,
    help="With --as: publish the built site in this folder. Set it if the schedule runs on another machine. Default: --out.",
)
def next_change_command(
    out: Path,
    now: Instant | None,
    output_format: str,
    program: str | None,
    folder: Path | None,
    site: Path | None,
) -> ExitCode:
    """Print when to run `statuary tick` next: the time of the next change.

    With --as, the command prints the configuration of a scheduler, which runs `statuary tick` on time. If the
    scheduler is on another machine, give the paths there with --program, --folder and --site.

    systemd and `at` run `statuary tick` when the next change is due, try again five minutes after a failure, and then
    schedule the next run. cron runs it every five minutes. GitHub runs the workflow of your site when the next change
    is due. After that change, write the configuration for GitHub again.

    If no further change is scheduled, the command prints the time by which you must build again, and exits with 1.
    With --as systemd or --as at, it prints a configuration that runs at that time, and every hour after it.
    """
    index = read_epoch_index(out)
    instant = build_instant(now)
    next_change = index.next_change_after(instant)
    if index.build_due < index.end:
        click.echo(f"run `statuary build` at {format_utc(index.build_due)}", err=True)
    if next_change is None and output_format in CHAINS | REPEATED:
        next_change = max(index.end, Instant(instant + HOUR))
    if next_change is None:
        until = format_utc(index.end)
        click.echo(f"nothing changes until {until}; run `statuary build` again by then", err=True)
        return ExitCode.FINDINGS
    click.echo(FORMATS[output_format](next_change, scheduled_job(out, program, folder, site)))
    return ExitCode.OK
