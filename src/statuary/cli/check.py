"""`statuary check`: check the content without publishing it."""

from pathlib import Path

import click

from statuary.base.findings import Severity
from statuary.base.primitives import Instant
from statuary.cli.build_options import (
    CheckSelection,
    WorkerOptions,
    list_option,
    open_executor,
    read_check_options,
    with_check_selection,
    with_worker_options,
)
from statuary.cli.exit_codes import ExitCode
from statuary.cli.findings_report import format_findings
from statuary.cli.options import (
    ExtensionValues,
    build_instant,
    content_option,
    extension_options,
    findings_format_option,
    now_option,
)
from statuary.cli.output import show_progress
from statuary.cli.summary import finding_counts_line
from statuary.engine.check_site import check_site
from statuary.engine.sections import ExtensionOptions
from statuary.section import CheckOptions
from statuary.workers.options import ExecutionOptions


@click.command()
@click.argument("record", type=click.Path(path_type=Path, exists=True, dir_okay=False), required=False)
@content_option
@now_option
@with_worker_options
@with_check_selection
@findings_format_option
@extension_options("check")
@list_option
def check_command(
    record: Path | None,
    content: Path,
    now: Instant | None,
    worker_options: WorkerOptions,
    selection: CheckSelection,
    output_format: str,
    extension_options: ExtensionValues,
) -> ExitCode:
    """Check the content and every contract record without publishing anything.

    RECORD is a file with one contract record, such as the response of Sourcify's API to `fields=all`. With RECORD,
    the command checks only this file, without network access. For each claim about the contract, it prints whether
    the checks verify it.

    With --recompile, the command also compiles each contract again, with the compiler version that its record names, and
    compares the output with the record. If a compiler is missing, you get a warning.
    """
    check_options = read_check_options(selection)
    if record is not None:
        return _check_single_record(record, check_options, output_format, extension_options)
    instant = build_instant(now)
    with open_executor(worker_options) as executor, show_progress() as progress:
        checked = check_site(
            content,
            instant,
            progress,
            check_options,
            execution=ExecutionOptions(executor=executor),
            extension_options=ExtensionOptions(extension_options),
        )
    if checked.all_findings or output_format in ("json", "sarif"):
        click.echo(format_findings(checked.all_findings, str(content), output_format))
    if output_format == "text":
        summary = f"{checked.line}\n" if checked.line else ""
        click.echo(f"{summary}{finding_counts_line(checked)}")
    is_strict_failure = selection.strict and checked.count(Severity.WARNING) > 0
    return ExitCode.OK if checked.is_clean and not is_strict_failure else ExitCode.FINDINGS


def _check_single_record(
    file: Path, check_options: CheckOptions, output_format: str, extension_options: ExtensionValues
) -> ExitCode:
    from statuary.cli.check_record import check_record, claim_lines

    if any(any(values.values()) for values in extension_options.values()):
        raise click.UsageError(
            "--recompile and --compiler can be used only with a content folder, not with one record"
        )
    checked = check_record(file, check_options.skipped)
    if checked.findings or output_format in {"json", "sarif"}:
        click.echo(format_findings(checked.findings, str(file.parent), output_format))
    if output_format == "text" and checked.with_proof is not None:
        click.echo("\n".join(claim_lines(checked.with_proof)))
    return ExitCode.OK if checked.is_clean(strict=check_options.strict) else ExitCode.FINDINGS
