"""`statuary build`: check the content and publish the site into a folder."""

import os
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import click

from statuary.base.errors import StatuaryError
from statuary.base.files import OWN_FOLDER, PublishingError
from statuary.base.primitives import Instant
from statuary.base.progress import enable_garbage_collection
from statuary.cli.build_options import (
    CheckSelection,
    WorkerOptions,
    open_executor,
    read_check_options,
    with_check_selection,
    with_worker_options,
)
from statuary.cli.damaged_ledger import retry_with_new_ledger
from statuary.cli.escape import escape_control_chars, print_error
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import (
    ExtensionValues,
    build_instant,
    content_option,
    extension_options,
    findings_format_option,
    now_option,
    option_group,
    out_option,
    refuse_overlapping_folders,
)
from statuary.cli.outcome_report import exit_code_of, outcome_line
from statuary.cli.output import case_insensitive_disk_warning, changed_file_lines, show_progress
from statuary.cli.summary import build_summary, finding_counts_line
from statuary.engine.build import build_folder
from statuary.engine.report import BuildResult
from statuary.engine.sections import ExtensionOptions
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.outcome import NOTHING_PUBLISHED, Extent, Outcome
from statuary.source.git_state import GitQuery
from statuary.workers.executor import Executor
from statuary.workers.options import ExecutionOptions

FORMATS_FOR_PROGRAMS = ("json", "sarif")
"""The formats of `--format` that are one document on standard output, printed last."""

MANY_CONTRACTS = 500
"""The number of record files from which a first build starts its workers immediately."""


def has_many_contracts(content: Path) -> bool:
    """Return whether a content folder probably has many contracts.

    Each chain's folder is listed only up to `MANY_CONTRACTS` entries.
    """
    for chain in (content / "contracts").glob("*/"):
        with os.scandir(chain) as entries:
            if sum(1 for _ in islice(entries, MANY_CONTRACTS)) == MANY_CONTRACTS:
                return True
    return False


class BuildOptions(NamedTuple):
    """The options of a build, apart from its folders."""

    to: str | None
    now: Instant | None
    extension_options: ExtensionValues
    dry_run: bool
    allow_older: bool
    verify: bool
    worker_options: WorkerOptions
    selection: CheckSelection
    output_format: str


with_build_options = option_group(
    "build_options",
    BuildOptions,
    click.option(
        "--to",
        metavar="FOLDER|URL",
        help="Also publish the site to this folder or object store, such as s3://BUCKET, as `statuary publish` does.",
    ),
    now_option,
    extension_options("build"),
    click.option("--dry-run", is_flag=True, help="Print what would change, and write nothing."),
    click.option(
        "--allow-older",
        is_flag=True,
        help="Build even if the current time (or --now) is earlier than the time of the last build. Default: fail.",
    ),
    click.option(
        "--verify",
        is_flag=True,
        help="Read every file of the site, and rewrite those that were changed or damaged since the last build.",
    ),
    with_worker_options,
    with_check_selection,
    findings_format_option,
)


@click.command()
@content_option
@out_option
@with_build_options
def build_command(content: Path, out: Path, build_options: BuildOptions) -> ExitCode:
    """Check the content and publish the site into a folder.

    If a part of the content has an error, the command publishes the rest of the site, and exits with 4. A component,
    an incident or a key of site.yaml with an error stays as last published. A page or a theme file with an error is
    left out.

    Before the first build, the command publishes nothing if no component is usable. It also publishes nothing if a
    key of site.yaml without a safe default, such as page.url, chains or log, has an error and its last published
    value is unknown.

    The command excludes a contract record that fails a check. With `contracts: {publish: all}` in site.yaml, it
    publishes such a record too, and marks it as rejected.

    The command keeps unchanged files. It removes files that statuary wrote and that the site no longer has. It never
    touches other files.

    If publishing to --to fails, the build folder is still complete, and the exit code is 6. Run the command again.
    """
    refuse_overlapping_folders(content, out)
    if build_options.to is not None:
        from statuary.cli.publication import require_publishable_target

        require_publishable_target(build_options.to)
    # Start git and the workers now, so that they run while the modules of `run_build` are imported.
    git = GitQuery(content)
    with open_executor(build_options.worker_options) as executor:
        if not (out / OWN_FOLDER).exists() and has_many_contracts(content):
            executor.start_workers_early()
        return run_build(content, out, git, executor, build_options)


def run_build(
    content: Path, out: Path, git: GitQuery, executor: Executor, build_options: BuildOptions
) -> ExitCode:
    """Build a site, publish it with --to, and print the result.

    Args:
        content: the content folder.
        out: the folder of the site.
        git: runs git in the background, to find changed content files.
        executor: runs the build's tasks.
        build_options: the options of the command.

    Returns:
        The exit code.

    Raises:
        StatuaryError: if the site cannot be published.
    """
    enable_garbage_collection()
    try:
        result = retry_with_new_ledger(out, lambda: _build_once(content, out, git, executor, build_options))
        outcome = _publish_and_report(result, content, out, build_options)
    except OSError as error:
        raise PublishingError(
            f"{error.filename or out}: {error.strerror}; no published file is damaged: each is complete, in its old or in its new version",
            "fix the error and run the build again; it continues where this build stopped",
        ) from None
    if outcome.extent is Extent.ALL and build_options.selection.strict and result.checked.has_warnings:
        click.echo("published, with warnings, which --strict counts as faults (exit code 4)", err=True)
        return ExitCode.PUBLISHED_WITH_FAULTS
    return exit_code_of(outcome)


def _publish_and_report(
    result: BuildResult, content: Path, out: Path, build_options: BuildOptions
) -> Outcome:
    """Publish the folder to --to, if given; print the outcome."""
    output_format, outcome = build_options.output_format, NOTHING_PUBLISHED
    try:
        outcome = _publish_elsewhere(result, out, build_options)
    finally:
        if output_format in FORMATS_FOR_PROGRAMS:
            from statuary.cli.findings_report import format_findings

            click.echo(format_findings(result.checked.all_findings, str(content), output_format, outcome))
    if line := outcome_line(outcome, applied=result.applied):
        click.echo(line, err=output_format != "text")
    return outcome


def _build_once(
    content: Path, out: Path, git: GitQuery, executor: Executor, build_options: BuildOptions
) -> BuildResult:
    check_options = read_check_options(build_options.selection)
    instant = build_instant(build_options.now)
    with FolderTarget(out, dry_run=build_options.dry_run) as target:
        with show_progress() as progress:
            result = build_folder(
                content,
                target,
                instant,
                progress,
                check_options,
                execution=ExecutionOptions(executor=executor, git=git, verify=build_options.verify),
                extension_options=ExtensionOptions(build_options.extension_options, build_options.to),
                allow_older=build_options.allow_older,
            )
        _print_result(result, content, out, build_options.output_format, instant)
        if result.applied and target.lacks_case_variants and not target.plan().is_empty:
            click.echo(case_insensitive_disk_warning(escape_control_chars(str(out))), err=True)
    return result


def _print_result(result: BuildResult, content: Path, out: Path, output_format: str, now: Instant) -> None:
    findings = result.checked.all_findings
    if findings and output_format not in FORMATS_FOR_PROGRAMS:
        from statuary.cli.findings_report import format_findings

        click.echo(format_findings(findings, str(content), output_format), err=output_format == "text")
    if result.plan is None:
        click.echo(f"{finding_counts_line(result.checked)}; nothing was published", err=True)
        return
    to_error = output_format != "text"
    if not result.applied:
        for line in changed_file_lines(result.plan.changes()):
            click.echo(line, err=to_error)
    click.echo(build_summary(result, out, now), err=to_error)


def _publish_elsewhere(result: BuildResult, out: Path, build_options: BuildOptions) -> Outcome:
    if build_options.to is None or result.plan is None:
        return result.outcome
    if result.applied:
        return _publish_to_target(result.outcome, out, build_options.to, build_options.output_format)
    click.echo(
        f"{escape_control_chars(build_options.to)} was not compared, because a dry run does not build the folder\n"
        "    run `statuary build`, then `statuary publish --dry-run`",
        err=True,
    )
    return result.outcome


def _publish_to_target(built: Outcome, out: Path, to: str, output_format: str) -> Outcome:
    from statuary.cli.publication import publish_folder, target_name

    try:
        published = publish_folder(out, to, to_error=output_format != "text")
    except StatuaryError as error:
        print_error(error)
    except OSError as error:
        print_error(PublishingError(f"{error.filename or target_name(to)}: {error.strerror}"))
    else:
        return built.with_missing(published.missing)
    return built.with_failed_target(f"the site at {target_name(to)}")
