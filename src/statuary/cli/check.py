"""`statuary check`: check the content and publish nothing."""

import sys
from dataclasses import replace
from pathlib import Path

import click

from statuary.cli.effort import effort_options, hands_of
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import content_option, format_option, instant_of_build, now_option
from statuary.cli.progress import progress
from statuary.cli.recompiling import compiler_option, compilers_of, hands
from statuary.cli.reports.report import report
from statuary.cli.rigour import list_rules, rigour_of, rigour_options
from statuary.cli.summary import findings_line
from statuary.domain.findings import Severity, in_order
from statuary.domain.primitives import Instant
from statuary.pipeline.announcements import Announcer
from statuary.pipeline.build import check_site
from statuary.pipeline.checked import Checked
from statuary.pipeline.contracts import nowhere
from statuary.pipeline.effort import Effort
from statuary.pipeline.recompile import Workshop, recompile_contracts
from statuary.pipeline.workers import WorkersLost


@click.command()
@content_option
@now_option
@effort_options
@rigour_options
@format_option
@click.option("--recompile", is_flag=True, help="Compile every contract again and compare.")
@compiler_option
@click.option("--list", "listing", is_flag=True, help="Print every rule and check nothing.")
def command(
    content: Path,
    now: Instant | None,
    workers: int | None,
    engine: str,
    scheduler: str | None,
    skip: tuple[str, ...],
    only: tuple[str, ...],
    strict: bool,
    form: str,
    recompile: bool,
    compiler: tuple[str, ...],
    listing: bool,
) -> None:
    """Check the content, prove every record, and publish nothing.

    With --recompile, each record's standard JSON input is given to a compiler of the very version that the record
    names, and everything that comes out is held against the record. Versions that are not at hand are warnings.
    """
    if listing:
        list_rules()
        sys.exit(ExitCode.DONE)
    if compiler and not recompile:
        raise click.UsageError("--compiler is for --recompile")
    rigour = rigour_of(skip, only, strict=strict)
    told = ""
    workshop = Workshop(compilers=compilers_of(compiler), hands=hands()) if recompile else None
    instant = instant_of_build(now)
    try:
        with hands_of(workers, engine, scheduler) as found, progress() as announcer:
            checked, _ = check_site(content, instant, announcer, nowhere, rigour, effort=Effort(hands=found))
            if workshop is not None:
                checked, told = _recompiled(checked, content, workshop, announcer)
    except WorkersLost as lost:
        click.echo(f"statuary: {lost}\n    {lost.remedy}", err=True)
        sys.exit(ExitCode.REFUSED)
    if checked.all_findings or form in ("json", "sarif"):
        click.echo(report(checked.all_findings, str(content), form))
    if form == "text":
        click.echo(f"{told}{findings_line(checked)}")
    failed = not checked.is_clean or (strict and checked.count(Severity.WARNING) > 0)
    sys.exit(ExitCode.FINDINGS if failed else ExitCode.DONE)


def _recompiled(
    checked: Checked, content: Path, workshop: Workshop, announcer: Announcer
) -> tuple[Checked, str]:
    """Compile every contract again; return what is found by now, and how it went in words."""
    if checked.catalogue is None:
        return checked, ""
    again = recompile_contracts(content, checked.catalogue, workshop, announcer)
    told = (
        f"{again.tried:,} of {again.records:,} records compiled again, {again.alike:,} of them to the same\n"
    )
    return replace(checked, findings=tuple(in_order((*checked.findings, *again.findings)))), told
