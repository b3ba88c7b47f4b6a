"""From a decision to what follows from it: judge the edit, write it, commit it, build."""

import sys
from collections.abc import Callable, Iterator
from difflib import unified_diff
from pathlib import Path

import click

from statuary.cli.control.desk import Desk
from statuary.cli.control.refusal import Refusal, refusal_of_edit
from statuary.cli.exit_codes import ExitCode
from statuary.cli.reports.text import text_report
from statuary.content.editing.refused import EditRefused
from statuary.content.files import SourceFile
from statuary.content.layout import place_of
from statuary.content.unreadable import Unreadable
from statuary.domain.primitives import Instant
from statuary.domain.status.timeline import Timeline
from statuary.pipeline.commit import CommitRefused, commit_file, refuse_unless_ready
from statuary.pipeline.edit import Edit, EditNotWritten, StatusContent, judge, read_status, write_edit


class Control:
    """One run of an editing command.

    Attributes:
        desk: the options.
        content: the status side as it is.
        line: the same over time.
    """

    def __init__(self, desk: Desk) -> None:
        """Read the content.

        Raises:
            SystemExit: after printing why it cannot be read.
        """
        self.desk = desk
        self.content, self.line = read_or_exit(desk.content, desk.now)

    def edit(self, path: str, change: Callable[[str], str]) -> Edit:
        """Return a change to an existing file.

        Raises:
            Refusal: if the file is JSON, cannot be read, or cannot be edited safely.
        """
        file = SourceFile(self.desk.content, path)
        shown = self.desk.content / path
        if path.endswith(".json"):
            raise Refusal(
                f"{shown} is JSON, which is not edited in place", "edit it by hand, or make it YAML"
            )
        place = place_of(file.pure)
        try:
            before = file.text(place.limit if place else 0)
            return Edit(path=path, before=before, after=change(before))
        except Unreadable as unreadable:
            raise Refusal(f"{shown}: {unreadable}", unreadable.remedy) from None
        except EditRefused as refused:
            raise refusal_of_edit(refused, shown) from None

    def carry_out(self, edit: Edit, subject: str, details: str) -> None:
        """Judge an edit, then write it, and commit and build if that was asked for.

        Args:
            edit: the change.
            subject: what it is, for people and as the first line of a commit's message.
            details: the rest of that message.

        Raises:
            Refusal: if git or the disk stands in the way.
            SystemExit: if the edit would add an error to the content, after printing it.
        """
        file = self.desk.content / edit.path
        self._judge(edit)
        if self.desk.dry_run:
            click.echo("\n".join(diff(edit, str(file))))
            return
        try:
            if self.desk.commit:
                refuse_unless_ready(file)
            written = write_edit(self.desk.content, edit)
            click.echo(f"{subject}\n    {file}")
            if self.desk.commit:
                name = commit_file(written, f"{subject}\n\n{details}")
                click.echo(f"    commit {name}")
        except (CommitRefused, EditNotWritten) as refused:
            raise Refusal(str(refused), refused.remedy) from None
        if self.desk.build:
            build(self.desk)

    def _judge(self, edit: Edit) -> None:
        findings, may_be_written = judge(self.desk.content, self.desk.now, self.content, edit)
        if findings:
            click.echo(text_report(findings, str(self.desk.content)), err=True)
        if not may_be_written:
            click.echo(
                "statuary: the content would have errors with this change; nothing was written", err=True
            )
            sys.exit(ExitCode.FINDINGS)


def read_or_exit(folder: Path, now: Instant) -> tuple[StatusContent, Timeline]:
    """Return the status side of a content folder; print the findings and exit if it cannot be read."""
    content = read_status(folder, now)
    if content.line is None:
        click.echo(text_report(content.findings, str(folder)), err=True)
        sys.exit(ExitCode.FINDINGS)
    return content, content.line


def build(desk: Desk) -> None:
    """Build the site as `statuary build` does, which ends the program."""
    from statuary.cli.build import command

    click.get_current_context().invoke(command, content=desk.content, out=desk.out, now=desk.now)


COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def diff(edit: Edit, name: str) -> Iterator[str]:
    """Yield the lines of an edit as a unified diff, coloured where somebody sees it."""
    before = [] if edit.before is None else _lines(edit.before)
    old = "/dev/null" if edit.before is None else f"a/{name}"
    for line in unified_diff(before, _lines(edit.after), old, f"b/{name}"):
        colour = None if line.startswith(("+++", "---")) else COLOURS.get(line[:1])
        shown = line.removesuffix("\n")
        yield click.style(shown, fg=colour) if colour else shown
        if line == shown and line[:1] in ("+", "-", " "):
            yield "\\ No newline at end of file"


def _lines(text: str) -> list[str]:
    """Return a text's lines as git counts them, line feeds included."""
    return [line + "\n" for line in text.split("\n")[:-1]] + (
        [text.rpartition("\n")[2]] if text[-1:] != "\n" else []
    )
