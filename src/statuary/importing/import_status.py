"""Import the status of another system into the content folder: read, merge, check, write."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from statuary.domain.findings import Finding, Severity
from statuary.domain.primitives import Instant
from statuary.editing.check_edit import StatusContent, added_findings, read_status_content
from statuary.editing.content_lock import content_lock
from statuary.editing.errors import EditError
from statuary.editing.file_edit import FileEdit, write_edit
from statuary.importing.import_report import ImportReport, Lost
from statuary.importing.merge_status import merge_status
from statuary.importing.status_plan import ImportRequest, StatusPlan
from statuary.importing.web_source import WebSource

NO_CONTENT = frozenset({"content-folder", "required-file"})
"""Findings of a folder that has no content yet."""


class StatusImport(NamedTuple):
    """What an import of status did, or would do; if there are findings, nothing was written."""

    report: ImportReport
    findings: tuple[Finding, ...] = ()


def import_status(
    read: Callable[[ImportRequest], StatusPlan],
    source: str,
    root: Path,
    now: Instant,
    *,
    web: WebSource,
    dry_run: bool = False,
) -> StatusImport:
    """Read another system and import what is new into a content folder.

    Args:
        source: a URL, a folder or a file.
        root: the content folder, which is created if it does not exist.

    Raises:
        SourceError: if the source cannot be read at all.
        EditError: if a file changes during the import.
        PublishingError: if a file cannot be written.
    """
    known = read_status_content(root, now)
    if known.timeline is None and not {one.rule for one in known.findings} <= NO_CONTENT:
        return StatusImport(ImportReport(), known.findings)
    plan = read(_request(known, source, web, now))
    if not dry_run:
        root.mkdir(parents=True, exist_ok=True)
        with content_lock(root):
            return _bring(plan, read_status_content(root, now), root, now, dry_run=False)
    return _bring(plan, known, root, now, dry_run=True)


def _request(known: StatusContent, source: str, web: WebSource, now: Instant) -> ImportRequest:
    status = None if known.timeline is None else known.timeline.catalogue
    records = () if status is None else (*status.incidents, *status.maintenances)
    components = () if status is None else status.components
    return ImportRequest(
        source,
        web,
        known=frozenset(record.id for record in records),
        keys={component.id: component.key for component in components},
        now=now,
    )


def _bring(
    plan: StatusPlan, known: StatusContent, root: Path, now: Instant, *, dry_run: bool
) -> StatusImport:
    report = ImportReport(kept=plan.known, lost=[*plan.lost], notes=[*plan.notes])
    if plan.incomplete is not None:
        report.incomplete = f"{plan.incomplete}; {plan.incomplete.hint}"
    status = None if known.timeline is None else known.timeline.catalogue
    edits, findings = _without_errors(root, now, known, merge_status(root, status, plan, report), report)
    if findings:
        return StatusImport(report, findings)
    _check_free(root, edits)
    report.added = [edit.path for edit in edits if edit.before is None]
    report.changed = [edit.path for edit in edits if edit.before is not None]
    for edit in () if dry_run else edits:
        write_edit(root, edit)
    return StatusImport(report)


def _check_free(root: Path, edits: list[FileEdit]) -> None:
    for edit in edits:
        if edit.before is None and (root / edit.path).exists():
            raise EditError(
                f"{root / edit.path} is in the way: it is not part of the content", "move it away"
            )


def _without_errors(
    root: Path, now: Instant, known: StatusContent, edits: list[FileEdit], report: ImportReport
) -> tuple[list[FileEdit], tuple[Finding, ...]]:
    """Return the edits without those of incidents and maintenances that would add an error, which are lost.

    If errors remain, they are returned and nothing may be written.
    """
    while edits:
        added = added_findings(root, now, known, edits)
        errors = {finding.path: finding for finding in reversed(added) if finding.severity is Severity.ERROR}
        broken = [edit for edit in edits if edit.path in errors and "/" in edit.path]
        if not broken:
            _note_warnings(added, report)
            return edits, tuple(errors.values())
        for edit in broken:
            report.lost.append(Lost(f"{errors[edit.path].message} ({errors[edit.path].rule})", edit.path))
            edits.remove(edit)
    return [], ()


def _note_warnings(added: list[Finding], report: ImportReport) -> None:
    warnings = sum(finding.severity is Severity.WARNING for finding in added)
    if warnings:
        report.notes.append(f"new warnings of `statuary check`: {warnings:,}")
