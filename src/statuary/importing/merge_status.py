"""The edits that add a status plan to the present content; they add what is new and change nothing else.

Components, records and updates are known by their ids. What an author wrote stays: only new ones are added, and with a
new update the keys that only an import writes follow the source.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from statuary.content.parse_yaml import parse_yaml
from statuary.content.source_files import SourceFile
from statuary.content.sources.text_types import IDENTIFIER, MAX_ID_LENGTH
from statuary.content.unreadable import UnreadableError
from statuary.domain.primitives import Instant, parse_instant
from statuary.domain.status.components import Component
from statuary.domain.status.derived_ids import derived_id
from statuary.domain.status.incidents import Incident
from statuary.domain.status.status_catalogue import StatusCatalogue
from statuary.editing.errors import EditError
from statuary.editing.file_edit import FileEdit
from statuary.editing.yaml.edit_yaml import append_item, set_value
from statuary.editing.yaml.yaml_blocks import YamlValue, block_text
from statuary.importing.import_report import ImportReport, Lost
from statuary.importing.status_plan import Source, StatusPlan

FOLLOWING = (
    *("updated_at", "monitoring_at", "resolved_at", "impact_override"),
    *("scheduled_remind_prior", "scheduled_auto_in_progress", "scheduled_auto_completed"),
)
"""Keys of a record that follow the source when it has a new update."""

EDITED = "was edited in the source after its import; delete its file to import it again"

SITE, COMPONENTS = "site.yaml", "components.yaml"

UNKNOWN_PAGE = {"name": "Status", "url": "https://status.example.org"}

LONG_AGO = parse_instant("0001-01-01T00:00:00Z")
MAX_TEXT = 64 << 20
"""Bytes of a file that is edited."""


def merge_status(
    root: Path, status: StatusCatalogue | None, plan: StatusPlan, report: ImportReport
) -> list[FileEdit]:
    """Return the edits that import a plan into a content folder, ordered by what they depend on.

    Args:
        status: what it has; None if it has nothing yet.
        report: gets what stays and what cannot be imported.
    """
    merger = _Merger(root, status, plan, report)
    return [edit for edit in (merger.site(), merger.components(), *merger.records()) if edit is not None]


class _Merger:
    def __init__(
        self, root: Path, status: StatusCatalogue | None, plan: StatusPlan, report: ImportReport
    ) -> None:
        self.root = root
        self.status = status
        self.plan = plan
        self.report = report

    def site(self) -> FileEdit | None:
        """Return site.yaml with the page, or with its new `updated_at`."""
        page = self.plan.page
        if self.status is None:
            if not page:
                self.report.notes.append(f"the source does not describe its page: correct it in {SITE}")
            return FileEdit(SITE, None, block_text({"page": page or UNKNOWN_PAGE}))
        if "id" in page and page["id"] != self.status.page.id:
            self.report.notes.append(
                f"{self.status.page_source} stays as it is; to keep the ids of the source, give it this page:\n"
                + block_text({"page": page}).rstrip()
            )
            return None
        known, stated = self.status.page.updated_at, page.get("updated_at")
        if not stated or (known is not None and known >= _instant(stated)):
            return None
        return self._edit(
            self.status.page_source, lambda text: set_value(text, ("page", "updated_at"), stated)
        )

    def components(self) -> FileEdit | None:
        """Return components.yaml with the new components, and with new statuses of the others."""
        if not self.plan.components:
            return None
        if self.status is None or not (self.root / self.status.components_source).exists():
            return FileEdit(COMPONENTS, None, block_text({"components": self.plan.components}))
        return self._edit(self.status.components_source, self._with_components)

    def _with_components(self, text: str) -> str:
        known = {} if self.status is None else self.status.components_by_name
        for key, source in self.plan.components.items():
            component = known.get(str(source.get("id", key)))
            if component is None:
                text = set_value(text, ("components", key), source)
                continue
            children = source.get("components")
            if not isinstance(children, Mapping):
                text = _with_status(text, component, source)
                continue
            for child_key, child in children.items():
                found = known.get(str(child.get("id", child_key)))
                if found is None:
                    text = set_value(text, (*component.pointer, "components", child_key), child)
                else:
                    text = _with_status(text, found, child)
        return text

    def records(self) -> Iterator[FileEdit | None]:
        """Yield each incident and maintenance that is new, or has a new update."""
        records = () if self.status is None else (*self.status.incidents, *self.status.maintenances)
        known = {record.id: record for record in records}
        for folder, sources in (("incidents", self.plan.incidents), ("maintenances", self.plan.maintenances)):
            for record_id, source in sources.items():
                record = known.get(record_id)
                if len(record_id) > MAX_ID_LENGTH or not IDENTIFIER.fullmatch(record_id):
                    self.report.lost.append(Lost("has an id that cannot be a file name", record_id))
                elif record is None:
                    yield FileEdit(f"{folder}/{record_id}.yaml", None, block_text(source))
                else:
                    yield self._with_news(record, source)

    def _with_news(self, record: Incident, source: Source) -> FileEdit | None:
        """Return the edit that adds the updates of a record that are later than those imported before."""
        known = {update.id: update for update in record.updates}
        updates = dict(_by_id(record.id, source.get("updates", ())))
        imported = {key: one for key, one in updates.items() if key in known}
        since = max((known[one].created_at for one in imported), default=LONG_AGO)
        new = [one for key, one in updates.items() if key not in imported and _created(one) > since]
        if new:
            return self._edit(record.source, lambda text: _with_updates(text, new, source))
        self.report.lost += _edited_since(record, imported)
        self.report.kept += 1
        return None

    def _edit(self, path: str, change: Callable[[str], str]) -> FileEdit | None:
        """Return the edit of a file; None, and a line in the report, if it cannot be edited."""
        if path.endswith(".json"):
            self.report.lost.append(Lost("cannot be edited: it is JSON; convert it to YAML", path))
            return None
        try:
            before = SourceFile(self.root, path).text(MAX_TEXT)
            after = change(before)
        except (EditError, UnreadableError) as error:
            self.report.lost.append(Lost(f"cannot be edited: {error}", path))
            return None
        if before == after:
            return None
        return FileEdit(path, before, after)


def _with_updates(text: str, updates: Iterable[Source], source: Source) -> str:
    """Return the file of a record with new updates, and with the keys that follow the source."""
    before = parse_yaml(text)
    for update in updates:
        text = append_item(text, ("updates",), update)
    for key in FOLLOWING:
        if key in before or key in source:
            text = set_value(text, (key,), source.get(key), [name for name in before if name != "updates"])
    return text


def _with_status(text: str, component: Component, source: Source) -> str:
    """Return components.yaml with the status of a component since a later change in the source."""
    stated = source.get("updated_at")
    known = component.updated_at or component.created_at
    if not stated or _instant(stated) <= known:
        return text
    text = set_value(text, (*component.pointer, "updated_at"), stated)
    history = source.get("history") or [{"at": stated, "status": "operational"}]
    last = component.history[-1].status if component.history else component.status
    if history[-1]["status"] == last:
        return text
    return append_item(text, (*component.pointer, "history"), history[-1])


def _created(update: Mapping[str, Any]) -> Instant:
    return _instant(update.get("created_at") or update["at"])


def _by_id(record_id: str, updates: Iterable[Source]) -> Iterator[tuple[str, Source]]:
    """Yield updates by their ids, given or derived as in `read_content`."""
    places: Counter[Instant] = Counter()
    for update in updates:
        created_at = _created(update)
        yield (
            update.get("id") or derived_id(record_id, created_at.isoformat(), str(places[created_at])),
            update,
        )
        places[created_at] += 1


def _edited_since(record: Incident, imported: Mapping[str, Source]) -> Iterator[Lost]:
    """Yield a record some of whose updates were edited at the source."""
    for update in record.updates:
        edited_at = imported.get(update.id, {}).get("updated_at")
        if edited_at is not None and _instant(edited_at) > update.updated_at:
            yield Lost(EDITED, record.id)
            return


def _instant(text: YamlValue) -> Instant:
    return parse_instant(str(text))
