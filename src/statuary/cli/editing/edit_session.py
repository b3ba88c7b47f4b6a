"""From a decision to what follows from it: judge the edit, write it, commit it, build."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from statuary.cli.command_error import CommandError, command_error_from
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.edit_options import EditOptions
from statuary.cli.output.edit_diff import diff
from statuary.cli.reports.text_report import text_report
from statuary.content.file_kinds import match_pattern
from statuary.content.source_files import SourceFile
from statuary.content.unreadable import UnreadableError
from statuary.domain.primitives import Instant
from statuary.editing.edit_error import EditError
from statuary.editing.file_edit import FileEdit
from statuary.editing.git_commit import CommitError, check_can_commit, commit_file
from statuary.editing.write_edit import EditWriteError, write_edit

if TYPE_CHECKING:  # reading content takes libraries that completion and help need not wait for
    from statuary.domain.status.timeline import Timeline
    from statuary.editing.check_edit import StatusContent


class EditSession:
    """One run of an editing command.

    Attributes:
        desk: the options.
        content: the status side as it is.
        line: the same over time.
    """

    def __init__(self, desk: EditOptions) -> None:
        """Read the content.

        Raises:
            SystemExit: after printing why it cannot be read.
        """
        self.desk = desk
        self.content, self.timeline = read_timeline_or_exit(desk.content, desk.now)

    def edit(self, path: str, change: Callable[[str], str]) -> FileEdit:
        """Return a change to an existing file.

        Raises:
            Refusal: if the file is JSON, cannot be read, or cannot be edited safely.
        """
        file = SourceFile(self.desk.content, path)
        shown = self.desk.content / path
        if path.endswith(".json"):
            raise CommandError(
                f"{shown} is JSON, which is not edited in place", "edit it by hand, or make it YAML"
            )
        place = match_pattern(file.pure)
        try:
            before = file.text(place.limit if place else 0)
            return FileEdit(path=path, before=before, after=change(before))
        except UnreadableError as unreadable:
            raise CommandError(f"{shown}: {unreadable}", unreadable.hint) from None
        except EditError as refused:
            raise command_error_from(refused, shown) from None

    def carry_out(self, edit: FileEdit, subject: str, details: str) -> None:
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
                check_can_commit(file)
            written = write_edit(self.desk.content, edit)
            click.echo(f"{subject}\n    {file}")
            if self.desk.commit:
                name = commit_file(written, f"{subject}\n\n{details}")
                click.echo(f"    commit {name}")
        except (CommitError, EditWriteError) as refused:
            raise CommandError(str(refused), refused.hint) from None
        if self.desk.build:
            build(self.desk)

    def _judge(self, edit: FileEdit) -> None:
        from statuary.editing.check_edit import check_edit

        findings, may_be_written = check_edit(self.desk.content, self.desk.now, self.content, edit)
        if findings:
            click.echo(text_report(findings, str(self.desk.content)), err=True)
        if not may_be_written:
            click.echo(
                "statuary: the content would have errors with this change; nothing was written", err=True
            )
            sys.exit(ExitCode.FINDINGS)


def read_timeline_or_exit(folder: Path, now: Instant) -> "tuple[StatusContent, Timeline]":
    """Return the status side of a content folder; print the findings and exit if it cannot be read."""
    from statuary.editing.check_edit import read_status_content

    content = read_status_content(folder, now)
    if content.timeline is None:
        click.echo(text_report(content.findings, str(folder)), err=True)
        sys.exit(ExitCode.FINDINGS)
    return content, content.timeline


def build(desk: EditOptions) -> None:
    """Build the site as `statuary build` does, which ends the program."""
    from statuary.cli.build import command

    click.get_current_context().invoke(command, content=desk.content, out=desk.out, now=desk.now)
