"""One build from the command line: who does it, what it says, and the code it ends with."""

import sys
from pathlib import Path
from typing import NamedTuple

import click

from statuary.build.build import build_site
from statuary.build.execution.options import ExecutionOptions
from statuary.build.execution.worker_pool import WorkersLostError
from statuary.build.results import BuildResult
from statuary.cli.exit_codes import ExitCode
from statuary.cli.garbage_collection import enable_garbage_collection
from statuary.cli.options.check_options import read_check_options
from statuary.cli.options.common_options import build_instant
from statuary.cli.options.execution_options import open_executor
from statuary.cli.output.progress import progress
from statuary.cli.output.summary import build_summary, findings_line
from statuary.cli.reports.format_findings import format_findings
from statuary.content.git_state import GitQuery
from statuary.domain.primitives import Instant
from statuary.publishing.errors import PublishingError
from statuary.publishing.folder.folder_target import FolderTarget
from statuary.publishing.folder.site_folder import SiteFolder
from statuary.snapshots.from_folder import build_notes
from statuary.snapshots.manifest import SiteOrigin
from statuary.version import VERSION


class BuildOptions(NamedTuple):
    """The options of a build, as its command line has them.

    Attributes:
        to: where the site is published further; None leaves it in its folder.
        now: the instant that the site tells; None takes the clock's.
        dry_run: whether the plan is shown only.
        verify: whether every published file is read.
        workers: how many processes; None is one for each core.
        engine: who presses contracts.
        scheduler: the address of a cluster's.
        skip: checks that do not run.
        only: the checks that run; none are all.
        strict: whether warnings forbid publishing.
        form: how findings are told.
    """

    to: str | None
    now: Instant | None
    dry_run: bool
    verify: bool
    workers: int | None
    engine: str
    scheduler: str | None
    skip: tuple[str, ...]
    only: tuple[str, ...]
    strict: bool
    form: str


def run_build(content: Path, out: Path, git: GitQuery, build_options: BuildOptions) -> None:
    """Build a site, say what came of it, and end the program.

    Args:
        content: the content folder.
        out: the folder that the site is published into.
        git: git, which has been asked about the content.
        wishes: what else the command line says.
    """
    enable_garbage_collection()
    check_options = read_check_options(build_options.skip, build_options.only, strict=build_options.strict)
    instant = build_instant(build_options.now)
    try:
        with (
            open_executor(build_options.workers, build_options.engine, build_options.scheduler) as executor,
            FolderTarget(SiteFolder(out), dry_run=build_options.dry_run) as publication,
        ):
            execution = ExecutionOptions(executor=executor, git=git, verify=build_options.verify)
            revision = "" if git.answer is None else git.answer.revision
            publication.note(build_notes(SiteOrigin(instant=instant, revision=revision, statuary=VERSION)))
            with progress() as progress_listener:
                outcome = build_site(
                    content, publication, instant, progress_listener, check_options, execution=execution
                )
            _print_outcome(outcome, content, out, build_options.form, instant)
        if build_options.to is not None and outcome.applied:
            from statuary.cli.publish_site import StoreOptions, publish_folder

            publish_folder(out, build_options.to, StoreOptions(), to_error=build_options.form != "text")
        elif build_options.to is not None and outcome.plan is not None:
            told = "was not asked: what goes there follows from the folder as it will be"
            click.echo(f"{build_options.to} {told}; `statuary publish --dry-run` plans it then", err=True)
    except PublishingError as refused:
        click.echo(f"statuary: {refused}" + (f"\n    {refused.hint}" if refused.hint else ""), err=True)
        sys.exit(ExitCode.FAILED)
    except WorkersLostError as lost:
        click.echo(f"statuary: {lost}\n    {lost.hint}", err=True)
        sys.exit(ExitCode.FAILED)
    except OSError as error:
        message = f"statuary: {error.filename or out}: {error.strerror}; each published file is old or new"
        click.echo(
            f"{message}\n    mend the cause and build again: the next build finishes the work", err=True
        )
        sys.exit(ExitCode.FAILED)
    sys.exit(ExitCode.OK if outcome.plan is not None else ExitCode.FINDINGS)


def _print_outcome(outcome: BuildResult, content: Path, out: Path, form: str, now: Instant) -> None:
    """Print findings, the plan of a dry run, and the summary."""
    findings = outcome.checked.all_findings
    if findings or form in ("json", "sarif"):
        click.echo(format_findings(findings, str(content), form), err=form == "text")
    if outcome.plan is None:
        click.echo(f"{findings_line(outcome.checked)}; nothing was published.", err=True)
        return
    to_error = form != "text"
    if not outcome.applied:
        for change in outcome.plan.changes():
            click.echo(str(change), err=to_error)
    click.echo(build_summary(outcome, out, now), err=to_error)
