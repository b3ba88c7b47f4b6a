"""Check an edit of the status before it is written.

The edited text goes through the readers and checks of a build, together with all other status sources.
Contracts are not read: they do not affect the status documents.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from typing_extensions import override

from statuary.base.findings import Finding, has_errors, sorted_findings
from statuary.base.primitives import Instant
from statuary.engine.faulty_settings import SettingsFallback
from statuary.engine.read_content import read_content
from statuary.source.edit_files import FileEdit
from statuary.source.file_kinds import CONTRACTS
from statuary.source.locate import locate_findings
from statuary.source.source_files import SourceFile, walk_folder, walk_path
from statuary.source.unreadable import BeyondLimitError
from statuary.status.checks.status_checks import status_findings
from statuary.status.editing.new_record import record_files_by_name
from statuary.status.editing.open_incidents import files_with_open_incidents
from statuary.status.model.records import StatusContent
from statuary.status.model.schedule import build_timeline_to_horizon
from statuary.status.model.timeline import Timeline

INCIDENTS, MAINTENANCES = "incidents", "maintenances"
RECORD_FOLDERS = frozenset({INCIDENTS, MAINTENANCES})


class CheckedStatus(NamedTuple):
    """The status content at one time, with its findings (errors and warnings).

    The timeline is None if the content cannot be read.
    """

    findings: tuple[Finding, ...]
    timeline: Timeline | None
    language: str = ""  # the language of the pages


class Scope(NamedTuple):
    """The files to read when a command checks an edit."""

    folders: frozenset[str] = RECORD_FOLDERS  # folders whose files are all read
    paths: tuple[str, ...] = ()  # files to read in other folders


EVERYTHING = Scope()


def scope_of_edit(root: Path, folder: str, typed_id: str | None) -> Scope:
    """Return the files that a command must read to check an edit.

    For example, to edit a maintenance window it must read all windows, because they are compared with each
    other.

    Args:
        root: the content folder.
        folder: `incidents` or `maintenances`.
        typed_id: the id of an incident, or the beginning of an id. If no file name matches, all files are
            read. None for a new incident: then the files of unresolved incidents are read.
    """
    if folder == MAINTENANCES:
        # A check compares all maintenance windows with each other, so an edit of one window needs the files
        # of all.
        return Scope(frozenset({MAINTENANCES}))
    if typed_id is None:
        return Scope(frozenset(), tuple(sorted(files_with_open_incidents(root))))
    stems = record_files_by_name(root, folder)
    paths = stems.get(typed_id) or [
        path for stem, paths in stems.items() if stem.startswith(typed_id) for path in paths
    ]
    return Scope(frozenset(), tuple(sorted(paths))) if paths else EVERYTHING


def read_status_content(
    root: Path, now: Instant, edits: Iterable[FileEdit] = (), scope: Scope = EVERYTHING
) -> CheckedStatus:
    """Read and check the status content, as if edits were already saved.

    Args:
        root: the content folder.
        now: the time of the status.
        scope: the files to read.
    """
    edited = {edit.path: edit.text_after for edit in edits}
    files = edited_files(root, edited, scope) if root.is_dir() or edited else None
    site, findings = read_content(root, files, fallback=SettingsFallback.of_command())
    timeline, language = None, ""
    if site is not None:
        language = site.pages.language
        content = site.content_of(StatusContent)
        timeline = build_timeline_to_horizon(content.catalogue, now, content.settings)
        findings = [*findings, *status_findings(timeline, now)]
    return CheckedStatus(tuple(sorted_findings(locate_findings(root, findings, edited))), timeline, language)


class CheckedEdit(NamedTuple):
    """The findings that an edit would add to the content."""

    findings: list[Finding]
    may_be_written: bool  # False if the edit would add an error


def check_edit(
    root: Path, now: Instant, previous_content: CheckedStatus, edit: FileEdit, scope: Scope = EVERYTHING
) -> CheckedEdit:
    """Check whether an edit of the content may be saved.

    Args:
        root: the content folder.
        now: the time of the status.
        previous_content: the content before the edit, which was read with the same scope.
        scope: the files to read.
    """
    added = added_findings(root, now, previous_content, [edit], scope)
    return CheckedEdit(added, not has_errors(added))


def added_findings(
    root: Path,
    now: Instant,
    previous_content: CheckedStatus,
    edits: Iterable[FileEdit],
    scope: Scope = EVERYTHING,
) -> list[Finding]:
    """Return the errors and warnings that edits would add to the content.

    Args:
        root: the content folder.
        now: the time of the status.
        previous_content: the content before the edits, which was read with the same scope.
        scope: the files to read.
    """
    counts = Counter(map(_finding_identity, previous_content.findings))
    added = []
    for finding in read_status_content(root, now, edits, scope).findings:
        if counts[_finding_identity(finding)]:
            counts[_finding_identity(finding)] -= 1
        else:
            added.append(finding)
    return added


class _FindingIdentity(NamedTuple):
    """The fields by which two findings are the same, even if lines moved."""

    rule: str
    path: str
    message: str


def _finding_identity(finding: Finding) -> _FindingIdentity:
    return _FindingIdentity(finding.rule, finding.path, finding.message)


@dataclass(frozen=True, slots=True)
class EditedFile(SourceFile):
    """A content file with new text that is not on disk yet."""

    edited: str

    @override
    def load_bytes(self, limit: int) -> bytes:
        raw = self.edited.encode("utf-8")
        if len(raw) > limit:
            raise BeyondLimitError(
                f"the file would have {len(raw):,} bytes, more than {limit:,}",
                "shorten the text",
            )
        return raw


def edited_files(
    root: Path, edits: Mapping[str, str], scope: Scope = EVERYTHING
) -> Iterator[SourceFile | Finding]:
    """Yield the content files as if edits were already saved.

    Files that the edits create come last.

    Args:
        root: the content folder.
        edits: the new text of each edited file, by path.
        scope: the files to read.
    """
    new = dict(edits)
    without = RECORD_FOLDERS - scope.folders | {CONTRACTS}
    walked = [walk_folder(root, without)] if root.is_dir() else []
    for item in chain(*walked, *(walk_path(root, path) for path in scope.paths)):
        if isinstance(item, SourceFile) and item.path in new:
            yield EditedFile(root, item.path, new.pop(item.path))
        else:
            yield item
    for path, text in sorted(new.items()):
        yield EditedFile(root, path, text)
