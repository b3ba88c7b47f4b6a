"""One build from the command line: run it, print the result, and exit."""

import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from statuary.build.build import BuildResult, build_site
from statuary.build.execution.executor import Executor
from statuary.build.execution.options import ExecutionOptions
from statuary.build.garbage_collection import enable_garbage_collection
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.check_options import read_check_options
from statuary.cli.options.common_options import build_instant
from statuary.cli.options.log_options import note_signed, open_log
from statuary.cli.output.findings_report import format_findings
from statuary.cli.output.plain_text import changes_lines
from statuary.cli.output.printable import printable
from statuary.cli.output.progress import progress
from statuary.cli.output.summary import build_summary, findings_line
from statuary.content.git_state import GitQuery
from statuary.domain.primitives import Instant
from statuary.publishing.errors import PublishingError
from statuary.publishing.folder.folder_target import FolderTarget
from statuary.publishing.ledger.damage import DamagedLedgerError
from statuary.snapshots.build_notes import build_notes
from statuary.snapshots.manifest import SiteOrigin
from statuary.version import VERSION


class BuildOptions(NamedTuple):
    """The options of a build, named as on the command line."""

    to: str | None
    now: Instant | None
    log_key: Path | None
    dry_run: bool
    verify: bool
    skip: tuple[str, ...]
    only: tuple[str, ...]
    strict: bool
    form: str


def run_build(content: Path, out: Path, git: GitQuery, executor: Executor, options: BuildOptions) -> None:
    """Build a site, print the result, and exit; raise StatuaryError if the site cannot be published."""
    enable_garbage_collection()
    try:
        try:
            result = _build(content, out, git, executor, options)
        except DamagedLedgerError as error:
            click.echo(f"statuary: {printable(str(error))}", err=True)
            result = _build(content, out, git, executor, options)
        _publish_elsewhere(result, out, options)
    except OSError as error:
        raise PublishingError(
            f"{error.filename or out}: {error.strerror}; each published file is old or new",
            "fix the error and run the build again; the next build resumes this one",
        ) from None
    is_strict_fault = options.strict and result.checked.has_warnings
    sys.exit(ExitCode.OK if result.plan is not None and not is_strict_fault else ExitCode.FINDINGS)


def _build(content: Path, out: Path, git: GitQuery, executor: Executor, options: BuildOptions) -> BuildResult:
    check_options = read_check_options(options.skip, options.only, strict=options.strict)
    instant = build_instant(options.now)
    with FolderTarget(out, dry_run=options.dry_run) as target:
        execution = ExecutionOptions(executor=executor, git=git, verify=options.verify)
        revision = "" if git.answer is None else git.answer.revision
        target.ledger.add_notes(build_notes(SiteOrigin(instant=instant, revision=revision, statuary=VERSION)))
        with progress() as listener:
            result = build_site(
                content,
                target,
                instant,
                listener,
                check_options,
                execution=execution,
                open_log=partial(open_log, target, instant, options.log_key, options.to),
            )
        if result.applied and result.log is not None and not result.log.obstacle:
            note_signed(options.log_key, result.log.head)
        _print_result(result, content, out, options.form, instant)
    return result


def _print_result(result: BuildResult, content: Path, out: Path, form: str, now: Instant) -> None:
    findings = result.checked.all_findings
    if findings or form in ("json", "sarif"):
        click.echo(format_findings(findings, str(content), form), err=form == "text")
    if result.plan is None:
        click.echo(f"{findings_line(result.checked)}; nothing was published", err=True)
        return
    to_error = form != "text"
    if not result.applied:
        for line in changes_lines(result.plan.changes()):
            click.echo(line, err=to_error)
    click.echo(build_summary(result, out, now), err=to_error)


def _publish_elsewhere(result: BuildResult, out: Path, options: BuildOptions) -> None:
    """Also publish the folder to --to, unless this is a dry run or nothing was built."""
    if options.to is None or result.plan is None:
        return
    if result.applied:
        from statuary.cli.publish_site import StoreOptions, publish_folder

        publish_folder(out, options.to, StoreOptions(), to_error=options.form != "text")
        return
    click.echo(
        f"{printable(options.to)} was not compared: the dry run has not written the folder\n"
        "    run the build, then `statuary publish --dry-run`",
        err=True,
    )
