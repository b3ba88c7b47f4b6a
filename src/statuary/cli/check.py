"""`statuary check`: check the content and publish nothing."""

import sys
from pathlib import Path

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import content_option, format_option, instant_of_build, now_option
from statuary.cli.progress import progress
from statuary.cli.reports.report import report
from statuary.cli.rigour import list_rules, rigour_of, rigour_options
from statuary.cli.summary import findings_line
from statuary.domain.findings import Severity
from statuary.domain.primitives import Instant
from statuary.pipeline.build import check_site


@click.command()
@content_option
@now_option
@rigour_options
@format_option
@click.option("--list", "listing", is_flag=True, help="Print every rule and check nothing.")
def command(
    content: Path,
    now: Instant | None,
    skip: tuple[str, ...],
    only: tuple[str, ...],
    strict: bool,
    form: str,
    listing: bool,
) -> None:
    """Check the content, prove every record, and publish nothing."""
    if listing:
        list_rules()
        sys.exit(ExitCode.DONE)
    rigour = rigour_of(skip, only, strict=strict)
    with progress() as announcer:
        checked, _ = check_site(content, instant_of_build(now), announcer, lambda _: None, rigour)
    if checked.all_findings or form in ("json", "sarif"):
        click.echo(report(checked.all_findings, str(content), form))
    if form == "text":
        click.echo(findings_line(checked))
    failed = not checked.is_clean or (strict and checked.count(Severity.WARNING) > 0)
    sys.exit(ExitCode.FINDINGS if failed else ExitCode.DONE)
