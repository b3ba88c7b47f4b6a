"""Mirror a served site (`statuary mirror`)."""

import sys
from pathlib import Path

import click

from statuary.base.primitives import count_text
from statuary.base.progress import report_stage
from statuary.cli.damaged_ledger import retry_with_new_ledger
from statuary.cli.escape import escape_control_chars
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import FOLDER
from statuary.cli.output import (
    case_insensitive_disk_warning,
    change_counts_line,
    changed_file_lines,
    format_size,
    show_progress,
)
from statuary.extensions.mirror.mirror_site import MirrorOptions, MirrorResult, mirror_site
from statuary.extensions.mirror.served_site import ServedSite
from statuary.extensions.snapshots.options import public_key_option, read_public_key


@click.command()
@click.argument("url")
@click.argument("folder", type=FOLDER)
@public_key_option
@click.option(
    "--allow-older",
    is_flag=True,
    help="Copy the site even if the mirror has a newer version of it. Default: fail.",
)
@click.option(
    "--verify",
    is_flag=True,
    help="Read every file of the mirror, and fetch changed or damaged files again.",
)
@click.option(
    "--with-host-files",
    is_flag=True,
    help="Also copy files that configure a host or that a host executes, such as netlify.toml and _worker.js.",
)
@click.option("--dry-run", is_flag=True, help="Print what would change, and write nothing.")
def mirror_command(
    url: str,
    folder: Path,
    public_key: str | None,
    allow_older: bool,
    verify: bool,
    with_host_files: bool,
    dry_run: bool,
) -> None:
    """Copy a served site into a folder, and keep it up to date.

    The command fetches only missing and changed files. Before it writes a file, it checks every byte against the
    site's manifest (a list of its files with their digests). It leaves out files that a host would execute, and never
    touches files of other programs.

    Run the command again at any time, or on a schedule. If a run is interrupted, the next run continues it.

    Exit codes: 0 up to date; 1 the server's files do not match the manifest, and the folder is unchanged; 3 the site
    cannot be reached, or has no valid manifest.
    """
    site = ServedSite(url)
    options = MirrorOptions(read_public_key(public_key), allow_older, verify, dry_run, with_host_files)
    with show_progress() as progress, report_stage(progress, "Files"):
        result = retry_with_new_ledger(folder, lambda: mirror_site(site, folder, options, progress.advance))
    _print_mirror_result(result, folder, dry_run=dry_run)
    requests, size = site.counts
    click.echo(f"{count_text(requests, 'request')}, {format_size(size)} received")
    sys.exit(ExitCode.FINDINGS if result.problems else ExitCode.OK)


def _print_mirror_result(result: MirrorResult, folder: Path, *, dry_run: bool) -> None:
    name = escape_control_chars(str(folder))
    for problem in result.problems:
        click.echo(escape_control_chars(problem), err=True)
    for path in result.skipped:
        click.echo(
            f"not copied: {escape_control_chars(path)} (a host would execute it; see --with-host-files)",
            err=True,
        )
    if result.is_other:
        click.echo(
            f"warning: {name}/ had another site with the same build time: its publisher built twice with the same --now, or somebody serves an old"
            " site again",
            err=True,
        )
    if result.problems:
        click.echo(f"{name}/ is unchanged; intact files are kept for the next run", err=True)
        return
    if dry_run:
        for line in changed_file_lines(result.changes):
            click.echo(line)
        click.echo(f"{count_text(len(result.changes), 'change')} would be made in {name}/")
        return
    click.echo(
        f"{count_text(result.plan.document_count, 'file')}, {format_size(result.plan.size)}, in {name}/"
    )
    click.echo(change_counts_line(result.plan, applied=True))
    if result.lacks_case_variants:
        click.echo(case_insensitive_disk_warning(name), err=True)
