"""`statuary check`: check the content without publishing it."""

import sys
from dataclasses import replace
from pathlib import Path

import click

from statuary.cli.build_options import (
    check_options,
    execution_options,
    list_option,
    open_executor,
    read_check_options,
)
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import build_instant, content_option, format_option, now_option
from statuary.cli.output import format_findings, show_progress
from statuary.cli.summary import findings_line
from statuary.cores import usable_cores
from statuary.domain.findings import Severity, sorted_findings
from statuary.domain.primitives import Instant
from statuary.extensions.compilers.options import compiler_option, parse_compilers
from statuary.extensions.compilers.recompile import RecompileOptions, recompile_contracts
from statuary.pipeline.build import CheckedSite, check_site
from statuary.pipeline.options import ExecutionOptions
from statuary.pipeline.progress import Progress


@click.command()
@content_option
@now_option
@execution_options
@check_options
@format_option
@click.option("--recompile", is_flag=True, help="Compile every contract again and compare the result.")
@compiler_option
@list_option
def check_command(
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
) -> None:
    """Check the content and every contract record without publishing anything.

    With --recompile, a compiler of the recorded version compiles each record's standard JSON input again, and every
    member that it decides is compared with the record. Missing compilers are warnings.
    """
    if compiler and not recompile:
        raise click.UsageError("--compiler requires --recompile")
    check_options = read_check_options(skip, only, strict=strict)
    summary = ""
    compilers = parse_compilers(compiler) if recompile else None
    instant = build_instant(now)
    with open_executor(workers, engine, scheduler) as found, show_progress() as progress:
        execution = ExecutionOptions(executor=found)
        checked = check_site(content, instant, progress, check_options, execution=execution)
        if compilers is not None:
            recompile_options = RecompileOptions(compilers=compilers, workers=usable_cores())
            checked, summary = _recompiled(checked, content, recompile_options, progress)
    if checked.all_findings or form in ("json", "sarif"):
        click.echo(format_findings(checked.all_findings, str(content), form))
    if form == "text":
        click.echo(f"{summary}{findings_line(checked)}")
    sys.exit(_exit_code(checked, strict=strict))


def _exit_code(checked: CheckedSite, *, strict: bool) -> ExitCode:
    has_warnings = checked.count(Severity.WARNING) > 0
    return ExitCode.OK if checked.is_clean and not (strict and has_warnings) else ExitCode.FINDINGS


def _recompiled(
    checked: CheckedSite, content: Path, recompile_options: RecompileOptions, progress: Progress
) -> tuple[CheckedSite, str]:
    """Compile every contract again; return the result with all findings, and a line of summary."""
    if checked.catalogue is None:
        return checked, ""
    again = recompile_contracts(content, checked.catalogue, recompile_options, progress)
    summary = f"{again.compiled:,} of {again.records:,} records compiled again, {again.identical:,} of them identical\n"
    return replace(checked, findings=tuple(sorted_findings((*checked.findings, *again.findings)))), summary
