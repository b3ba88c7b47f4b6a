"""`statuary build`: check the content and publish the site into a folder."""

import sys
from pathlib import Path

import click

from statuary import __version__
from statuary.cli.effort import effort_options, hands_of
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import (
    checked_folders,
    content_option,
    format_option,
    instant_of_build,
    now_option,
    out_option,
)
from statuary.cli.progress import progress
from statuary.cli.reports.report import report
from statuary.cli.rigour import rigour_of, rigour_options
from statuary.cli.summary import build_summary, findings_line
from statuary.content.git_tree import GitQuestion
from statuary.domain.primitives import Instant
from statuary.pipeline.build import build_site
from statuary.pipeline.checked import Outcome
from statuary.pipeline.effort import Effort
from statuary.pipeline.workers import WorkersLost
from statuary.publishing.folder import Folder
from statuary.publishing.publication import Publication
from statuary.publishing.refused import PublishingRefused
from statuary.publishing.snapshots.from_folder import notes_for
from statuary.publishing.snapshots.manifest import Origin


@click.command()
@content_option
@out_option
@click.option(
    "--to",
    metavar="FOLDER|URL",
    help="Publish the folder further, as `statuary publish` does, such as to s3://BUCKET.",
)
@now_option
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option(
    "--verify",
    is_flag=True,
    help="Read every published file, and write anew what is not as it was published.",
)
@effort_options
@rigour_options
@format_option
def command(
    content: Path,
    out: Path,
    to: str | None,
    now: Instant | None,
    dry_run: bool,
    verify: bool,
    workers: int | None,
    engine: str,
    scheduler: str | None,
    skip: tuple[str, ...],
    only: tuple[str, ...],
    strict: bool,
    form: str,
) -> None:
    """Check the content and publish the site into a folder.

    Nothing is published if the content has errors. A record whose claim is not proved is kept back, and the rest
    is published (`contracts: {publish: all}` in site.yaml publishes it, marked as refused). What is unchanged is left as it is; what is stale and was
    written by statuary is removed; what others wrote is never touched.
    """
    checked_folders(content, out)
    rigour = rigour_of(skip, only, strict=strict)
    instant = instant_of_build(now)
    try:
        with (
            hands_of(workers, engine, scheduler) as hands,
            Publication(Folder(out), dry_run=dry_run) as publication,
        ):
            git = GitQuestion(content)
            effort = Effort(hands=hands, git=git, verify=verify)
            revision = "" if git.answer is None else git.answer.revision
            publication.note(notes_for(Origin(instant=instant, revision=revision, statuary=__version__)))
            with progress() as announcer:
                outcome = build_site(content, publication, instant, announcer, rigour, effort=effort)
            _say(outcome, content, out, form, instant)
        if to is not None and outcome.applied:
            from statuary.cli.store import StoreOptions, publish_folder

            publish_folder(out, to, StoreOptions(), to_error=form != "text")
    except PublishingRefused as refused:
        click.echo(f"statuary: {refused}" + (f"\n    {refused.remedy}" if refused.remedy else ""), err=True)
        sys.exit(ExitCode.REFUSED)
    except WorkersLost as lost:
        click.echo(f"statuary: {lost}\n    {lost.remedy}", err=True)
        sys.exit(ExitCode.REFUSED)
    except OSError as error:
        message = f"statuary: {error.filename or out}: {error.strerror}; each published file is old or new"
        click.echo(
            f"{message}\n    mend the cause and build again: the next build finishes the work", err=True
        )
        sys.exit(ExitCode.REFUSED)
    sys.exit(ExitCode.DONE if outcome.plan is not None else ExitCode.FINDINGS)


def _say(outcome: Outcome, content: Path, out: Path, form: str, now: Instant) -> None:
    """Print findings, the plan of a dry run, and the summary."""
    findings = outcome.checked.all_findings
    if findings or form in ("json", "sarif"):
        click.echo(report(findings, str(content), form), err=form == "text")
    if outcome.plan is None:
        click.echo(f"{findings_line(outcome.checked)}; nothing was published.", err=True)
        return
    to_error = form != "text"
    if not outcome.applied:
        for change in outcome.plan.changes():
            click.echo(str(change), err=to_error)
    click.echo(build_summary(outcome, out, now), err=to_error)
