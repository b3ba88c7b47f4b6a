"""Import the status of another system into the content."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from statuary.base.findings import Finding, Severity
from statuary.base.json_values import as_object
from statuary.base.primitives import Instant, parse_instant
from statuary.engine.check_edit import CheckedStatus, added_findings, read_status_content
from statuary.extensions.importing.report import ImportReport, SkippedRecord
from statuary.extensions.importing.sources import WebSource
from statuary.extensions.importing.status.comparison import compare_with_content, format_comparisons
from statuary.extensions.importing.status.status_plan import ImportRequest, Source, StatusPlan
from statuary.source.edit_files import EditError, FileEdit, content_lock, write_edit
from statuary.source.edit_yaml import append_yaml_item, set_yaml_value
from statuary.source.parse_yaml import parse_yaml
from statuary.source.source_files import SourceFile
from statuary.source.source_model import IDENTIFIER, MAX_ID_LENGTH
from statuary.source.unreadable import UnreadableError
from statuary.source.yaml_nodes import YamlValue, yaml_file_text
from statuary.status.model.records import Component, Incident, StatusCatalogue, derived_id

FOLLOWING = (
    "updated_at",
    "monitoring_at",
    "resolved_at",
    "impact_override",
    "scheduled_remind_prior",
    "scheduled_auto_in_progress",
    "scheduled_auto_completed",
)
"""Keys of a record that are set to the source's values when it has a new update."""

EDITED = "was edited in the source after its import; delete its file to import it again"

SITE, COMPONENTS = "site.yaml", "components.yaml"

UNKNOWN_PAGE = {"name": "Status", "url": "https://status.example.org"}

LONG_AGO = parse_instant("0001-01-01T00:00:00Z")
MAX_TEXT = 64 << 20
"""Bytes of the largest file that is edited."""


def plan_status_edits(
    root: Path, status: StatusCatalogue | None, plan: StatusPlan, report: ImportReport
) -> list[FileEdit]:
    """Plan the edits of files that add an imported status page.

    Args:
        root: the content folder.
        status: the components and incidents that the content already has; None if it has none.
        plan: the imported page.
        report: receives notes, and which incidents are unchanged or cannot be imported.
    """
    merger = _StatusMerger(root, status, plan, report)
    return [
        edit
        for edit in (merger.plan_site_edit(), merger.edit_components(), *merger.edit_records())
        if edit is not None
    ]


class _StatusMerger:
    def __init__(
        self, root: Path, status: StatusCatalogue | None, plan: StatusPlan, report: ImportReport
    ) -> None:
        self.root = root
        self.status = status
        self.plan = plan
        self.report = report

    def plan_site_edit(self) -> FileEdit | None:
        """Return the edit that adds the imported page to site.yaml.

        If the content already has a page, only its `updated_at` changes.

        Returns:
            The edit, or None if the file does not change.
        """
        page = self.plan.page
        if self.status is None:
            if not page:
                self.report.notes.append(f"the source does not describe its page: correct it in {SITE}")
            pages = {"pages": {"language": self.plan.language}} if self.plan.language else {}
            return FileEdit(SITE, None, yaml_file_text({"page": page or UNKNOWN_PAGE, **pages}))
        if "id" in page and page["id"] != self.status.page.id:
            self.report.notes.append(
                f"{self.status.page_source} stays as it is; to keep the ids of the source, give it this page:\n"
                + yaml_file_text({"page": page}).rstrip()
            )
            return None
        updated_at = self.status.page.updated_at
        imported_text = page.get("updated_at")
        if not imported_text or (updated_at is not None and updated_at >= _parse_instant(imported_text)):
            return None
        return self._edit_or_report(
            self.status.page_source, lambda text: set_yaml_value(text, ("page", "updated_at"), imported_text)
        )

    def edit_components(self) -> FileEdit | None:
        """Add new components and statuses to components.yaml.

        Returns:
            The edit, or None if the file does not change.
        """
        if not self.plan.components:
            return None
        if self.status is None or not (self.root / self.status.components_source).exists():
            return FileEdit(COMPONENTS, None, yaml_file_text({"components": self.plan.components}))
        return self._edit_or_report(self.status.components_source, self._add_new_components)

    def _add_new_components(self, components_yaml: str) -> str:
        current_components = {} if self.status is None else self.status.components_by_name
        for key, source in self.plan.components.items():
            component = current_components.get(str(source.get("id", key)))
            if component is None:
                components_yaml = set_yaml_value(components_yaml, ("components", key), source)
                continue
            children = source.get("components")
            if not isinstance(children, Mapping):
                components_yaml = _append_component_status(components_yaml, component, source)
                continue
            for child_key, child_source in children.items():
                child = current_components.get(str(child_source.get("id", child_key)))
                if child is None:
                    components_yaml = set_yaml_value(
                        components_yaml, (*component.pointer, "components", child_key), child_source
                    )
                else:
                    components_yaml = _append_component_status(components_yaml, child, child_source)
        return components_yaml

    def edit_records(self) -> Iterator[FileEdit | None]:
        """Yield an edit for each new or updated incident or maintenance window.

        For one without changes, None is yielded.
        """
        records = () if self.status is None else (*self.status.incidents, *self.status.maintenances)
        current_records = {record.id: record for record in records}
        for folder, sources in (("incidents", self.plan.incidents), ("maintenances", self.plan.maintenances)):
            for record_id, source in sources.items():
                record = current_records.get(record_id)
                if len(record_id) > MAX_ID_LENGTH or not IDENTIFIER.fullmatch(record_id):
                    self.report.skipped.append(
                        SkippedRecord(record_id, "has an id that cannot be a file name")
                    )
                elif record is None:
                    yield FileEdit(f"{folder}/{record_id}.yaml", None, yaml_file_text(source))
                else:
                    yield self._edit_existing_record(record, source)

    def _edit_existing_record(self, record: Incident, source: Source) -> FileEdit | None:
        """Add new updates to the file of an incident or maintenance window.

        Returns:
            The edit; None if there is no new update, which the report counts.
        """
        current_updates = {update.id: update for update in record.updates}
        updates = dict(_updates_with_ids(record.id, source.get("updates", ())))
        imported = {key: update for key, update in updates.items() if key in current_updates}
        since = max((current_updates[key].created_at for key in imported), default=LONG_AGO)
        new = [
            update
            for key, update in updates.items()
            if key not in imported and _update_creation_time(update) > since
        ]
        if new:
            return self._edit_or_report(record.source, lambda text: _append_updates(text, new, source))
        self.report.skipped += _find_edited_record(record, imported)
        self.report.present_count += 1
        return None

    def _edit_or_report(self, path: str, change: Callable[[str], str]) -> FileEdit | None:
        """Edit a file, or report that it cannot be edited.

        Returns:
            The edit; None if the file does not change.
        """
        if path.endswith(".json"):
            self.report.skipped.append(
                SkippedRecord(path, "cannot be edited: it is JSON; convert it to YAML")
            )
            return None
        try:
            text_before = SourceFile(self.root, path).load_text(MAX_TEXT)
            text_after = change(text_before)
        except (EditError, UnreadableError) as error:
            self.report.skipped.append(SkippedRecord(path, f"cannot be edited: {error}"))
            return None
        if text_before == text_after:
            return None
        return FileEdit(path, text_before, text_after)


def _append_updates(record_yaml: str, updates: Iterable[Source], source: Source) -> str:
    record = as_object(parse_yaml(record_yaml))
    for update in updates:
        record_yaml = append_yaml_item(record_yaml, ("updates",), update)
    for key in FOLLOWING:
        if key in record or key in source:
            record_yaml = set_yaml_value(
                record_yaml, (key,), source.get(key), [name for name in record if name != "updates"]
            )
    return record_yaml


def _append_component_status(components_yaml: str, component: Component, source: Source) -> str:
    """Add an imported status to a component, if newer than its last."""
    updated_text = source.get("updated_at")
    if not updated_text or _parse_instant(updated_text) <= (component.updated_at or component.created_at):
        return components_yaml
    components_yaml = set_yaml_value(components_yaml, (*component.pointer, "updated_at"), updated_text)
    history = source.get("history") or [{"at": updated_text, "status": "operational"}]
    last_status = component.history[-1].status if component.history else component.status
    if history[-1]["status"] == last_status:
        return components_yaml
    return append_yaml_item(components_yaml, (*component.pointer, "history"), history[-1])


def _update_creation_time(update: Mapping[str, Any]) -> Instant:
    return _parse_instant(update.get("created_at") or update["at"])


def _updates_with_ids(record_id: str, updates: Iterable[Source]) -> Iterator[tuple[str, Source]]:
    """Yield each update with its id; a missing id is derived."""
    places: Counter[Instant] = Counter()
    for update in updates:
        created_at = _update_creation_time(update)
        yield (
            update.get("id") or derived_id(record_id, created_at.isoformat(), str(places[created_at])),
            update,
        )
        places[created_at] += 1


def _find_edited_record(record: Incident, imported_updates: Mapping[str, Source]) -> Iterator[SkippedRecord]:
    """Yield a note if the page's owner has edited an incident's updates.

    The import does not overwrite an incident that the content already has.
    """
    for update in record.updates:
        edited_at = imported_updates.get(update.id, {}).get("updated_at")
        if edited_at is not None and _parse_instant(edited_at) > update.updated_at:
            yield SkippedRecord(record.id, EDITED)
            return


def _parse_instant(text: YamlValue) -> Instant:
    return parse_instant(str(text))


NO_CONTENT = frozenset({"missing-content-folder", "missing-file"})
"""The rules of findings about a folder without content."""


class StatusImport(NamedTuple):
    """The result of importing a status page.

    If there are errors or warnings, nothing was written.
    """

    report: ImportReport
    findings: tuple[Finding, ...] = ()


def import_status(
    read_page: Callable[[ImportRequest], StatusPlan],
    source: str,
    root: Path,
    now: Instant,
    *,
    web: WebSource,
    dry_run: bool = False,
) -> StatusImport:
    """Import a status page of another system into a content folder.

    Args:
        read_page: the function that reads pages of this system, such as `read_cachet`.
        source: the URL, folder or file to import from.
        root: the content folder, which is created if it does not exist.
        now: the time of the import.
        web: the HTTP client.
        dry_run: whether to report the result without writing files.

    Raises:
        NotImportableError: if the source cannot be read.
        EditError: if a file changes during the import, or blocks the path of a new file.
        PublishingError: if a file cannot be written.
    """
    content = read_status_content(root, now)
    if _has_unreadable_records(content, root):
        return StatusImport(ImportReport(), content.findings)
    plan = read_page(_import_request(content, source, web, now))
    if not dry_run:
        root.mkdir(parents=True, exist_ok=True)
        with content_lock(root):
            return _write_imported_status(plan, read_status_content(root, now), root, now, dry_run=False)
    return _write_imported_status(plan, content, root, now, dry_run=True)


def _has_unreadable_records(content: CheckedStatus, root: Path) -> bool:
    """Return whether errors in files hide incidents that the content has."""
    if content.timeline is None:
        return not {finding.rule for finding in content.findings} <= NO_CONTENT
    catalogue = content.timeline.catalogue
    return bool(catalogue.faulty_parts) and (root / catalogue.components_source).exists()


def _import_request(content: CheckedStatus, source: str, web: WebSource, now: Instant) -> ImportRequest:
    status = None if content.timeline is None else content.timeline.catalogue
    records = () if status is None else (*status.incidents, *status.maintenances)
    components = () if status is None else status.components
    return ImportRequest(
        source,
        web,
        known_ids=frozenset(record.id for record in records),
        component_keys={component.id: component.key for component in components},
        now=now,
    )


def _write_imported_status(
    plan: StatusPlan, content: CheckedStatus, root: Path, now: Instant, *, dry_run: bool
) -> StatusImport:
    report = ImportReport(present_count=plan.present_count, skipped=[*plan.skipped], notes=[*plan.notes])
    if plan.incomplete is not None:
        report.incomplete = f"{plan.incomplete}; {plan.incomplete.hint}"
    status = None if content.timeline is None else content.timeline.catalogue
    edits, findings = _drop_faulty_edits(
        root, now, content, plan_status_edits(root, status, plan, report), report
    )
    if findings:
        return StatusImport(report, findings)
    _require_free_paths(root, edits)
    report.added_paths = [edit.path for edit in edits if edit.text_before is None]
    report.changed_paths = [edit.path for edit in edits if edit.text_before is not None]
    report.compared = _lines_of_comparison(plan, read_status_content(root, now, edits), now)
    for edit in () if dry_run else edits:
        write_edit(root, edit)
    return StatusImport(report)


def _lines_of_comparison(plan: StatusPlan, new_content: CheckedStatus, now: Instant) -> list[str]:
    if new_content.timeline is None:
        return []
    return [*format_comparisons(compare_with_content(plan, new_content.timeline, new_content.language, now))]


def _require_free_paths(root: Path, edits: list[FileEdit]) -> None:
    for edit in edits:
        if edit.text_before is None and (root / edit.path).exists():
            raise EditError(
                f"{root / edit.path} already exists, but is not a file of the content, so it is not replaced",
                "move or delete it, and import again",
            )


class _CheckedEdits(NamedTuple):
    edits: list[FileEdit]
    errors: tuple[Finding, ...] = ()  # the errors that the edits would cause


def _drop_faulty_edits(
    root: Path, now: Instant, content: CheckedStatus, edits: list[FileEdit], report: ImportReport
) -> _CheckedEdits:
    """Leave out incidents that would add an error, and report them.

    If errors remain, nothing may be written.
    """
    while edits:
        added = added_findings(root, now, content, edits)
        errors = {finding.path: finding for finding in reversed(added) if finding.severity is Severity.ERROR}
        broken = [edit for edit in edits if edit.path in errors and "/" in edit.path]
        if not broken:
            _report_new_warnings(added, report)
            return _CheckedEdits(edits, tuple(errors.values()))
        for edit in broken:
            error = errors[edit.path]
            report.skipped.append(SkippedRecord(edit.path, f"{error.message} ({error.rule})"))
            edits.remove(edit)
    return _CheckedEdits([])


def _report_new_warnings(new_findings: list[Finding], report: ImportReport) -> None:
    warnings = sum(finding.severity is Severity.WARNING for finding in new_findings)
    if warnings:
        report.notes.append(f"new warnings of `statuary check`: {warnings:,}")
