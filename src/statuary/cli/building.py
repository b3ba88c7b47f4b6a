"""One build from the command line: who does it, what it says, and the code it ends with."""

import sys
from pathlib import Path
from typing import NamedTuple

import click

from statuary import __version__
from statuary.cli.effort import hands_of
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import instant_of_build
from statuary.cli.progress import progress
from statuary.cli.reports.report import report
from statuary.cli.rigour import rigour_of
from statuary.cli.settle import settle
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


class Wishes(NamedTuple):
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


def build(content: Path, out: Path, git: GitQuestion, wishes: Wishes) -> None:
    """Build a site, say what came of it, and end the program.

    Args:
        content: the content folder.
        out: the folder that the site is published into.
        git: git, which has been asked about the content.
        wishes: what else the command line says.
    """
    settle()
    rigour = rigour_of(wishes.skip, wishes.only, strict=wishes.strict)
    instant = instant_of_build(wishes.now)
    try:
        with (
            hands_of(wishes.workers, wishes.engine, wishes.scheduler) as hands,
            Publication(Folder(out), dry_run=wishes.dry_run) as publication,
        ):
            effort = Effort(hands=hands, git=git, verify=wishes.verify)
            revision = "" if git.answer is None else git.answer.revision
            publication.note(notes_for(Origin(instant=instant, revision=revision, statuary=__version__)))
            with progress() as announcer:
                outcome = build_site(content, publication, instant, announcer, rigour, effort=effort)
            _say(outcome, content, out, wishes.form, instant)
        if wishes.to is not None and outcome.applied:
            from statuary.cli.store import StoreOptions, publish_folder

            publish_folder(out, wishes.to, StoreOptions(), to_error=wishes.form != "text")
        elif wishes.to is not None and outcome.plan is not None:
            told = "was not asked: what goes there follows from the folder as it will be"
            click.echo(f"{wishes.to} {told}; `statuary publish --dry-run` plans it then", err=True)
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
