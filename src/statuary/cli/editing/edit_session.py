"""A run of an editing command: read, check, write, commit, build."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from difflib import unified_diff
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
from click.exceptions import Exit

from statuary.base.findings import Finding, Severity
from statuary.base.primitives import Instant, format_utc_shortest
from statuary.cli.editing.prompts import is_interactive
from statuary.cli.escape import escape_control_chars
from statuary.cli.exit_codes import ExitCode
from statuary.cli.findings_report import text_report
from statuary.cli.options import (
    INSTANT,
    Command,
    build_instant,
    content_option,
    now_option,
    option_group,
    out_option,
    refuse_overlapping_folders,
)
from statuary.source.edit_files import (
    EditError,
    FileEdit,
    check_can_commit,
    commit_file,
    content_lock,
    is_detached,
    write_edit,
)
from statuary.source.file_kinds import match_pattern
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError
from statuary.status.model.records import Incident, StatusCatalogue
from statuary.status.model.timeline import Timeline

if TYPE_CHECKING:  # reading content takes libraries that completion and help do not need
    from statuary.engine.check_edit import CheckedStatus, Scope

from statuary.base.primitives import one_line
from statuary.status.model.component_now import Layer, LayerKind
from statuary.status.model.records import Component
from statuary.status.model.timeline import component_state_at

DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


class EditOptions(NamedTuple):
    """The options of every command that edits content."""

    content: Path
    at: Instant | None
    now: Instant | None
    dry_run: bool
    commit: bool
    build: bool
    out: Path


with_edit_options = option_group(
    "edit_options",
    EditOptions,
    content_option,
    click.option(
        "--at",
        type=INSTANT,
        help="Record the change at this time, such as 2026-11-02T10:00:00Z. Default: the current time (or --now).",
    ),
    now_option,
    click.option("--dry-run", is_flag=True, help="Print the change, and write nothing."),
    click.option("--commit", is_flag=True, help="Commit the edited file to git, and no other file."),
    click.option("--build", is_flag=True, help="Run `statuary build` after the edit."),
    out_option,
)


publish_at_option = click.option(
    "--publish-at",
    type=INSTANT,
    help="Don't publish the update before this time, such as 2026-11-02T10:00:00Z. Default: publish it with the next build.",
)
draft_option = click.option(
    "--draft",
    is_flag=True,
    help="Save the new file as a draft, which builds don't publish.",
)
new_id_option = click.option(
    "--id",
    "new_record_id",
    metavar="ID",
    help="Use this id, which is also the file's name. Default: the date and the title, such as 2026-11-02-rpc-errors.",
)


class EditSession:
    """A running command that edits the status content, with its options."""

    def __init__(
        self,
        options: EditOptions,
        now: Instant,
        content: "CheckedStatus",
        timeline: Timeline,
        scope: "Scope | None" = None,
    ) -> None:
        self.scope = scope  # the records that were read; None for all
        self.options = options
        self.now = now
        self.at = options.at or now  # the instant of the edit
        self.content = content
        self.timeline = timeline

    @property
    def catalogue(self) -> StatusCatalogue:
        """The components, incidents and maintenance windows."""
        return self.timeline.catalogue

    def prepare_edit(self, path: str, change: Callable[[str], str]) -> FileEdit:
        """Prepare an edit of an existing file, without writing it.

        Args:
            path: the path of the file in the content folder.
            change: returns the new text, given the old one.

        Raises:
            EditError: if the file is JSON, cannot be read, or cannot be edited safely.
        """
        file = SourceFile(self.options.content, path)
        place = self.options.content / path
        if path.endswith(".json"):
            raise EditError(
                f"commands can edit only YAML, but {place} is JSON",
                "edit the file by hand, or convert it to YAML",
            )
        pattern = match_pattern(file.pure_path)
        try:
            text = file.load_text(pattern.limit if pattern else 0)
            return FileEdit(path=path, text_before=text, text_after=change(text))
        except UnreadableError as unreadable:
            raise EditError(f"{place}: {unreadable}", unreadable.hint) from None
        except EditError as error:
            raise error.with_file(place) from None

    def apply(self, edit: FileEdit, subject: str, details: str) -> None:
        """Check an edit, then write it; with --dry-run, only show it.

        With --commit, the edit is committed too.

        Args:
            subject: the first line of the commit message.
            details: the rest of the commit message.

        Raises:
            EditError: if the content or git does not allow the edit.
            PublishingError: if the file cannot be written.
            Exit: if the edit would add an error to the content; the findings are then printed.
        """
        with ExitStack() as stack:
            if is_interactive():
                stack.enter_context(content_lock(self.options.content))
                self._check_content_unchanged()
            self._check_edit(edit)
            file = self.options.content / edit.path
            if self.options.dry_run:
                click.echo("\n".join(diff_lines(edit, str(file))))
                return
            if self.options.commit:
                check_can_commit(file)
            written_file = write_edit(self.options.content, edit)
            click.echo(f"{escape_control_chars(subject)}\n    {escape_control_chars(str(file))}")
            if self.options.commit:
                commit = commit_file(written_file, f"{subject}\n\n{details}")
                click.echo(f"    commit {commit.summary_line}")
                if is_detached(written_file):
                    click.echo(
                        f"statuary: HEAD is detached, so no branch has this commit; run `git switch -c NAME {commit.name}`",
                        err=True,
                    )

    def set_time_after_newest_update(self, record: Incident) -> None:
        """Date the edit one second after the newest update, if necessary.

        It is necessary if another computer, whose clock is slightly ahead, made that update. If the user gave a
        time with --at, that time is kept.

        Args:
            record: the incident or maintenance window to which the edit adds an update.
        """
        newest = max((update.display_at for update in record.updates), default=self.at)
        if self.options.at is None and self.at < newest <= self.now + CLOCK_SKEW:
            self.at = Instant(newest.replace(microsecond=0) + timedelta(seconds=1))

    def set_publish_time(self, publish_at: Instant | None) -> None:
        """Date the edit at the time of --publish-at, if there is one.

        Raises:
            click.UsageError: if --at is given too, or the time has passed.
        """
        if publish_at is None:
            return
        if self.options.at is not None:
            raise click.UsageError(
                "give either --at or --publish-at, not both: readers see an update from its time on"
            )
        if publish_at <= self.now:
            raise click.UsageError(
                f"--publish-at {format_utc_shortest(publish_at)} has passed; leave it out, or use --at"
            )
        self.at = publish_at

    def print_impaired_components(self, record: Incident) -> None:
        """Print the components that are not operational although an incident ended.

        This reminds the user to set their status, too.

        Args:
            record: the incident or maintenance window that the edit has ended.
        """
        content = None if self.options.dry_run else _read_status(self.options.content, self.now, None)
        if content is not None and content.timeline is not None:
            for sentence in impaired_component_sentences(content.timeline, record, self.at):
                click.echo(f"    {escape_control_chars(sentence)}")

    def _check_content_unchanged(self) -> None:
        current_content = _read_status(self.options.content, self.now, self.scope)
        if current_content.timeline is None or current_content.timeline.catalogue != self.catalogue:
            raise EditError("the content has changed since this command read it", "run the command again")

    def _check_edit(self, edit: FileEdit) -> None:
        from statuary.engine.check_edit import EVERYTHING, check_edit

        scope = self.scope or EVERYTHING
        findings, may_be_written = check_edit(self.options.content, self.now, self.content, edit, scope)
        if findings:
            click.echo(
                text_report(findings, str(self.options.content), {edit.path: edit.text_after}), err=True
            )
        if not may_be_written:
            click.echo("statuary: this change would add errors to the content; nothing was written", err=True)
            raise Exit(ExitCode.FINDINGS)


class Subject(NamedTuple):
    """The incident or maintenance window that a command edits."""

    folder: str  # `incidents` or `maintenances`
    argument: str = ""  # the name of the argument with the id; empty for a new record


def with_edit_session(subject: Subject | None = None) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator for commands that edit content files.

    It adds the options that these commands share. The command's function receives an `EditSession`.

    Args:
        subject: the kind of record that the command edits. With None, the command reads all files of the
            status: components, incidents and maintenance windows.
    """

    def decorate(function: Callable[..., None]) -> Command:
        @with_edit_options
        @wraps(function)
        def run(edit_options: EditOptions, **values: object) -> object:
            if edit_options.build:
                refuse_overlapping_folders(edit_options.content, edit_options.out)
            instant = build_instant(edit_options.now)
            now = Instant(instant.replace(microsecond=0))  # the edit is written with whole seconds
            confirm_time_ahead(edit_options.at, now)
            with open_session(edit_options, now, subject, values) as session:
                function(session, **values)
            return (
                _build_after_edit(edit_options, instant)
                if edit_options.build and not edit_options.dry_run
                else ExitCode.OK
            )

        return run

    return decorate


CLOCK_SKEW = timedelta(minutes=5)
"""How far the clocks of people who edit may differ."""


def confirm_time_ahead(at: Instant | None, now: Instant) -> None:
    """Ask the user whether a time in the future is meant.

    Args:
        at: the time that the user gave, or None.
        now: the current time.

    Raises:
        click.Abort: if the user answers no.
    """
    if at is not None and at - now > CLOCK_SKEW and is_interactive():
        from statuary.site.pages.page_texts import page_texts
        from statuary.site.pages.site_context import format_length

        length = format_length(at - now, page_texts("en"))
        question = (
            f"{format_utc_shortest(at)} is {length} ahead of now; readers see nothing before. Is that meant?"
        )
        click.confirm(question, abort=True)


def _build_after_edit(edit_options: EditOptions, now: Instant) -> object:
    from statuary.cli.build import build_command

    return click.get_current_context().invoke(
        build_command, content=edit_options.content, out=edit_options.out, now=now
    )


def scope_of_command(content: Path, subject: Subject | None, values: Mapping[str, object]) -> "Scope":
    """Return the content files that an editing command must read.

    A command that lets the user choose an incident from a list must read all of them.

    Args:
        content: the content folder.
        subject: the kind of record that the command edits; None to read all files of the status.
        values: the values of the command's arguments and options, by name.
    """
    from statuary.engine.check_edit import EVERYTHING, scope_of_edit

    typed = values[subject.argument] if subject is not None and subject.argument else None
    if subject is None or (subject.argument and typed is None):
        return EVERYTHING
    return scope_of_edit(content, subject.folder, None if typed is None else str(typed))


@contextmanager
def open_session(
    edit_options: EditOptions, now: Instant, subject: Subject | None, values: Mapping[str, object]
) -> Iterator[EditSession]:
    """Read the content, and lock it until the edit is made.

    On a terminal, where the user answers questions meanwhile, only `EditSession.apply` locks the content. It
    stops if the content has changed since.

    Args:
        edit_options: the options of the command.
        now: the time of the command.
        subject: the kind of record that the command edits; None to read all files of the status.
        values: the values of the command's arguments and options, by name.

    Yields:
        The session with the content.
    """
    with ExitStack() as stack:
        if not is_interactive() and edit_options.content.is_dir():
            stack.enter_context(content_lock(edit_options.content))
        scope = scope_of_command(edit_options.content, subject, values)
        content, timeline = read_status_or_exit(edit_options.content, now, scope)
        yield EditSession(edit_options, now, content, timeline, scope)


def read_status_or_exit(
    folder: Path, now: Instant, scope: "Scope | None" = None
) -> "tuple[CheckedStatus, Timeline]":
    """Read the status content; if it has errors, print them and exit.

    Errors in files of incidents or maintenance windows are printed, and these files are left out.

    Args:
        folder: the content folder.
        now: the time of the status.
        scope: the records to read; None for all.

    Raises:
        Exit: if the content cannot be read, or no component is known because of an error.
    """
    content = _read_status(folder, now, scope)
    timeline = content.timeline
    if timeline is None or _has_unreadable_components(folder, timeline.catalogue):
        click.echo(text_report(content.findings, str(folder)), err=True)
        raise Exit(ExitCode.FINDINGS)
    if unread := _errors_in_unread_records(content.findings, timeline.catalogue):
        click.echo(text_report(unread, str(folder)), err=True)
    return content, timeline


def _errors_in_unread_records(findings: Iterable[Finding], catalogue: StatusCatalogue) -> list[Finding]:
    sources = {record.source for record in (*catalogue.incidents, *catalogue.maintenances)}
    return [
        finding
        for finding in findings
        if finding.severity is Severity.ERROR
        and finding.path.startswith(("incidents", "maintenances"))
        and finding.path not in sources
    ]


def _has_unreadable_components(folder: Path, catalogue: StatusCatalogue) -> bool:
    is_unread = any(not part.pointer for part in catalogue.faulty_parts)
    return is_unread and (folder / catalogue.components_source).exists()


def _read_status(folder: Path, now: Instant, scope: "Scope | None") -> "CheckedStatus":
    from statuary.engine.check_edit import EVERYTHING, read_status_content

    return read_status_content(folder, now, (), scope or EVERYTHING)


def diff_lines(edit: FileEdit, name: str) -> Iterator[str]:
    """Yield the lines of an edit's unified diff, coloured for a terminal.

    Args:
        name: the name of the file in the diff.
    """
    lines_before = [] if edit.text_before is None else _split_lines_like_git(edit.text_before)
    old = "/dev/null" if edit.text_before is None else f"a/{name}"
    for line in unified_diff(lines_before, _split_lines_like_git(edit.text_after), old, f"b/{name}"):
        colour = None if line.startswith(("+++", "---")) else DIFF_COLOURS.get(line[:1])
        text = line.removesuffix("\n")
        yield click.style(text, fg=colour) if colour else text
        if line == text and line[:1] in ("+", "-", " "):
            yield "\\ No newline at end of file"


def _split_lines_like_git(text: str) -> list[str]:
    """Return the lines as git counts them, line feeds included."""
    *lines, last_line = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last_line] if last_line else [])


def impaired_component_sentences(timeline: Timeline, record: Incident, at: Instant) -> Iterator[str]:
    """Yield a sentence for each affected component that is not operational.

    Args:
        timeline: the status of all components over time.
        record: the incident or maintenance window that names the components.
        at: the time of the status.
    """
    by_name = timeline.catalogue.components_by_name
    for component in dict.fromkeys(by_name[name] for name in record.components if name in by_name):
        if not (component.group or component.removed):
            yield from _impaired_component_sentence(timeline, component, at)


def _impaired_component_sentence(timeline: Timeline, component: Component, at: Instant) -> Iterator[str]:
    now = component_state_at(timeline, component, at).now
    if now.status != "operational" and now.cause is not None:
        status = now.status.replace("_", " ")
        yield f"{one_line(component.name)} stays at {status}, {_reason_of_status(now.cause)}"


def _reason_of_status(layer: Layer) -> str:
    if layer.kind is LayerKind.INCIDENT:
        return f"because of the open incident {layer.record_id}"
    if layer.kind is LayerKind.MAINTENANCE:
        return f"because of the window {layer.record_id}"
    since = "" if layer.since is None else f" since {format_utc_shortest(layer.since)}"
    if layer.kind is LayerKind.UPSTREAM:
        return f"as the page that it follows says{since}"
    if layer.record_id is not None:
        return f"as {layer.record_id} left it{since}"
    return (
        "set in components.yaml"
        if layer.since is None
        else f"set by hand on {format_utc_shortest(layer.since)}"
    )
