"""`statuary check`: check the content without publishing it."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click

from statuary.cli.build_options import (
    CheckSelection,
    WorkerOptions,
    list_option,
    open_executor,
    read_check_options,
)
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import Content, FindingsFormat, Now, build_instant, option, options
from statuary.cli.output import format_findings, show_progress
from statuary.cli.summary import findings_line
from statuary.cores import usable_cores
from statuary.domain.findings import Severity, sorted_findings
from statuary.extensions.compilers.options import compiler_option, parse_compilers
from statuary.extensions.compilers.recompile import RecompileOptions, recompile_contracts
from statuary.pipeline.build import CheckedSite, check_site
from statuary.pipeline.options import ExecutionOptions
from statuary.pipeline.progress import Progress


@click.command()
@options
@list_option
def check_command(
    content: Content,
    now: Now,
    worker_options: WorkerOptions,
    selection: CheckSelection,
    form: FindingsFormat,
    recompile: Annotated[bool, option(help="Compile every contract again and compare the result.")],
    compiler: Annotated[tuple[str, ...], compiler_option],
) -> ExitCode:
    """Check the content and every contract record without publishing anything.

    With --recompile, a compiler of the recorded version compiles each record's standard JSON input again, and every
    member that it decides is compared with the record. Missing compilers are warnings.
    """
    if compiler and not recompile:
        raise click.UsageError("--compiler requires --recompile")
    check_options = read_check_options(selection)
    summary = ""
    compilers = parse_compilers(compiler) if recompile else None
    instant = build_instant(now)
    with open_executor(worker_options) as executor, show_progress() as progress:
        execution = ExecutionOptions(executor=executor)
        checked = check_site(content, instant, progress, check_options, execution=execution)
        if compilers is not None:
            recompile_options = RecompileOptions(compilers=compilers, workers=usable_cores())
            checked, summary = _recompiled(checked, content, recompile_options, progress)
    if checked.all_findings or form in ("json", "sarif"):
        click.echo(format_findings(checked.all_findings, str(content), form))
    if form == "text":
        click.echo(f"{summary}{findings_line(checked)}")
    return _exit_code(checked, strict=selection.strict)


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
