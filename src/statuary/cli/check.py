"""`statuary check`: check the content and publish nothing."""

import sys
from pathlib import Path

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import content_option, format_option, instant_of_build, now_option, strict_option
from statuary.cli.progress import progress
from statuary.cli.reports.report import report
from statuary.cli.summary import findings_line
from statuary.domain.findings import Severity
from statuary.domain.primitives import Instant
from statuary.pipeline.build import check_site


@click.command()
@content_option
@now_option
@strict_option
@format_option
def command(content: Path, now: Instant | None, strict: bool, form: str) -> None:
    """Check the content and publish nothing."""
    with progress() as announcer:
        checked = check_site(content, instant_of_build(now), announcer, lambda _: None)
    if checked.findings or form in ("json", "sarif"):
        click.echo(report(checked.findings, str(content), form))
    if form == "text":
        click.echo(findings_line(checked))
    failed = not checked.may_publish or (strict and checked.count(Severity.WARNING) > 0)
    sys.exit(ExitCode.FINDINGS if failed else ExitCode.DONE)
