"""One run of `statuary import` on a status page: read, write, report."""

from collections.abc import Callable
from pathlib import Path

import click

from statuary.build.progress import stage
from statuary.cli.exit_codes import ExitCode
from statuary.cli.output.findings_report import text_report
from statuary.cli.output.import_report import import_lines
from statuary.cli.output.printable import printable
from statuary.cli.output.progress import progress
from statuary.domain.primitives import Instant
from statuary.importing.import_status import import_status
from statuary.importing.status_plan import ImportRequest, StatusPlan
from statuary.importing.web_source import WebSource


def run_status_import(
    read: Callable[[ImportRequest], StatusPlan],
    source: str,
    content: Path,
    now: Instant,
    key: str,
    *,
    dry_run: bool,
) -> ExitCode:
    """Import a status page, print the report and return the exit code.

    Args:
        read: the reader of its system.
        key: what the system's API needs, or nothing.
    """
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with progress() as shown, stage(shown, "reading"):
        done = import_status(
            read,
            source,
            content,
            now,
            web=WebSource(headers, announce=lambda: shown.advance(1)),
            dry_run=dry_run,
        )
    if done.findings:
        click.echo(text_report(done.findings, str(content)), err=True)
        click.echo("statuary: nothing was written", err=True)
        return ExitCode.FINDINGS
    click.echo("\n".join(import_lines(done.report, content, dry_run=dry_run)))
    if done.report.incomplete:
        click.echo(f"statuary: the import is not complete: {printable(done.report.incomplete)}", err=True)
        return ExitCode.FAILED
    return ExitCode.FINDINGS if done.report.lost else ExitCode.OK
