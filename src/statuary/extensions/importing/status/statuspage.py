"""Import a Statuspage page from its public documents.

Documents are recognized by their members, so a saved folder may name its files in any way. Incidents beyond
the 50 latest are listed in `history.json` (measured: three months a page, each incident with its code).
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

from statuary.base.primitives import Instant, parse_instant
from statuary.extensions.importing.report import NotImportableError, SkippedRecord
from statuary.extensions.importing.sources import MOST_PAGES, make_too_many_pages_error
from statuary.extensions.importing.status.fields import Fields, read_json_documents
from statuary.extensions.importing.status.status_plan import (
    ImportRequest,
    ShownStatus,
    Source,
    StatusPlan,
    convert_records_or_skip,
    drop_empty_values,
)
from statuary.extensions.importing.status.statuspage_records import (
    PageOrder,
    convert_incident,
    convert_maintenance,
    convert_page,
)
from statuary.status.editing.new_record import slug
from statuary.status.model.vocabulary import CLOSED_STATUSES, COMPONENT_SEVERITY, ComponentStatus
from statuary.system.network.client import UnreachableError, display_location


def convert_components(
    components: Iterable[Fields], records: Collection[Fields], known_keys: Mapping[str, str]
) -> dict[str, Source]:
    """Convert the components of a Statuspage to those of components.yaml.

    Args:
        components: the components of the page, in its order.
        records: the incidents and maintenance windows, which may name components that the page no longer has.
        known_keys: the key of each component that the content already has, by its id on the Statuspage.

    Returns:
        The settings of each component by its key.
    """
    by_id = {
        component.required_text("id"): component for component in _rank_tied_components(list(components))
    }
    for record in records:
        for component in _named_components(record):
            by_id.setdefault(component.required_text("id"), component)
    keys = make_component_keys(by_id, known_keys)
    # The page may show another status of a component than its open incidents give. So write the current
    # status of these components into the content.
    named_now = {
        component.get_text("id")
        for record in select_open_records(records)
        for component in _named_components(record)
    }
    sources: dict[str, Source] = {}
    for component_id, component in by_id.items():
        if component.get_text("group_id") not in by_id:
            key, place = keys[component_id], len(sources) + 1
            sources[key] = _convert_component(component, key, place, named_now)
    for component_id, component in by_id.items():
        group = component.get_text("group_id")
        if group in by_id:
            children = sources[keys[group]].setdefault("components", {})
            key, place = keys[component_id], len(children) + 1
            children[key] = _convert_component(component, key, place, named_now)
    return sources


def _rank_tied_components(components: list[Fields]) -> Iterator[Fields]:
    """Yield the components, with a rank for those that share a position.

    Statuspage sorts components by position. If several have the same one, the rank keeps their order. No rank is
    added if they are sorted by creation, which is the default order.
    """
    tied: dict[int | None, list[Fields]] = {}
    for component in components:
        tied.setdefault(component.get_integer("position"), []).append(component)
    for component in components:
        among = tied[component.get_integer("position")]
        created = [other_component.get_timestamp("created_at") or "" for other_component in among]
        is_usual = created == sorted(created)
        yield component if is_usual else Fields(component, rank=among.index(component) + 1)


def make_component_keys(components: Mapping[str, Fields], known_keys: Mapping[str, str]) -> dict[str, str]:
    """Make a unique key for each component, such as `public-rpc`.

    The key comes from the component's name. If two components have the same name, the key begins with the
    name of the group. If the keys are still equal, the component's id is used.

    Args:
        components: the components by id.
        known_keys: the key of each component that the content already has, by id.

    Returns:
        All keys, old and new, by the id on the Statuspage.
    """
    keys = dict(known_keys)
    for component_id, component in components.items():
        if component_id in keys:
            continue
        name = slug(component.get_text("name"))
        group = slug(components.get(component.get_text("group_id"), Fields()).get_text("name"))
        used = {*keys.values(), *components, ""}
        keys[component_id] = next(
            (key for key in (name, f"{group}-{name}" if group and name else "") if key not in used),
            component_id,
        )
    return keys


def _named_components(record: Fields) -> Iterator[Fields]:
    """Yield the components that an incident affects.

    Components that only its updates name were removed from the page. They are yielded with `removed`.
    """
    yield from record.get_objects("components")
    for update in record.get_objects("incident_updates"):
        for affected in update.get_objects("affected_components"):
            if affected.get_text("code"):
                code = affected.get_text("code")
                yield Fields(id=code, name=affected.get_text("name") or code, removed=True)


def select_open_records(records: Iterable[Fields]) -> Iterator[Fields]:
    """Yield the incidents and maintenance windows that have not ended yet.

    Args:
        records: the incidents and windows as Statuspage's API returns them.
    """
    return (record for record in records if record.get_text("status") not in CLOSED_STATUSES)


def _convert_component(
    component: Fields, key: str, position_in_list: int, ids_in_open_records: Container[str]
) -> Source:
    is_group = bool(component.get("group"))
    component_id = component.get_text("id")
    position = component.get_integer("position")
    showcase = component.get_boolean("showcase")
    status = component.get_text("status") or "operational"
    updated_at = component.get_timestamp("updated_at")
    source = drop_empty_values(
        name=component.required_text("name"),
        id="" if component_id == key else component_id,
        description=component.get_text("description"),
        position=position if position != position_in_list else None,
        rank=component.get_integer("rank"),
        showcase=showcase if showcase is is_group else None,
        start_date=component.get_text("start_date"),
        only_show_if_degraded=component.get_boolean("only_show_if_degraded") or None,
        created_at=component.get_timestamp("created_at"),
        updated_at=updated_at,
        removed=component.get_boolean("removed"),
    )
    stands_alone = status != "operational" or component_id in ids_in_open_records
    if stands_alone and updated_at and not is_group:
        source["history"] = [{"at": updated_at, "status": status}]
    return source


LISTED = 50
"""The records of a full list; the history may have more."""

EMPTY_PAGES = 4
"""Pages of history in a row without an incident, which are a year, before reading ends."""

DOCUMENTS = ("summary", "incidents", "scheduled-maintenances")

AUTOMATION_NOTE = (
    "Statuspage does not publish whether maintenance starts and ends automatically; imported maintenance does, and has a "
    "reminder an hour before, unless you change `scheduled_auto_in_progress` and the other `scheduled_...` keys in its file"
)


def read_statuspage(request: ImportRequest) -> StatusPlan:
    """Read an Atlassian Statuspage from a URL or saved JSON.

    Raises:
        NotImportableError: if the source is not a Statuspage.
    """
    documents = _PageDocuments()
    if request.is_url:
        _fetch_documents(request, documents)
    else:
        for file, document in read_json_documents(request.source):
            documents.collect_objects(document, str(file))
    return documents.make_status_plan(request)


def _fetch_documents(request: ImportRequest, documents: "_PageDocuments") -> None:
    base = request.source.partition("/api/v2")[0].rstrip("/")
    for name in DOCUMENTS:
        url = f"{base}/api/v2/{name}.json"
        document = request.web.fetch_json(url)
        if document is None:
            raise NotImportableError(
                f"{display_location(url)} has no api/v2/{name}.json at this path",
                "give the URL of the page, such as https://status.example.org",
            )
        documents.collect_objects(document, url)
    try:
        if documents.may_have_more:
            for url in _older_incident_urls(base, request, documents):
                documents.collect_objects(request.web.fetch_json(url), url)
    except (NotImportableError, UnreachableError) as error:
        # Keep the documents that were read before the error. The next run skips their incidents, and requests
        # the rest.
        documents.incomplete = error


def _older_incident_urls(base: str, request: ImportRequest, documents: "_PageDocuments") -> Iterator[str]:
    """Yield the URLs of incidents that are only in the page's history.

    An incident that the content already has is added to `documents.present_count` instead.

    Args:
        base: the URL of the page.
        request: what to import.
        documents: the documents that have been read.
    """
    for code in _history_incident_ids(base, request, documents):
        if code in request.known_ids:
            documents.present_count += code not in documents.records
        elif code not in documents.records:
            yield f"{base}/incidents/{code}.json"


def _history_incident_ids(base: str, request: ImportRequest, documents: "_PageDocuments") -> Iterator[str]:
    """Yield the ids of incidents in the page's history, newest first.

    Reading ends after a year without incidents.

    Args:
        base: the URL of the page.
        request: what to import.
        documents: the documents that have been read; gets a note if there is no history.
    """
    empty = 0
    for number in range(1, MOST_PAGES + 1):
        history = request.web.fetch_json(f"{base}/history.json?page={number}")
        if not isinstance(history, dict) or "months" not in history:
            reason = "there is no history.json, so only the latest 50 are imported"
            documents.skipped.append(SkippedRecord(base, reason))
            return
        months = Fields(history).get_objects("months")
        incidents = chain.from_iterable(month.get_objects("incidents") for month in months)
        codes = [incident.required_text("code") for incident in incidents]
        yield from codes
        empty = 0 if codes else empty + 1
        if empty == EMPTY_PAGES:
            return
    raise make_too_many_pages_error(f"{base}/history.json")


class _PageDocuments:
    """The newest version of each object in the page's documents."""

    def __init__(self) -> None:
        self.page = Fields()
        self.components: list[Fields] = []
        self.records: dict[str, Fields] = {}
        self.skipped: list[SkippedRecord] = []
        self.present_count = 0
        self.may_have_more = False
        self.incomplete: NotImportableError | UnreachableError | None = None

    def collect_objects(self, value: Any, source: str) -> None:
        """Collect the objects in a JSON document of the page.

        Older versions of objects that were already collected are ignored.

        Args:
            value: the parsed document.
            source: the URL or file of the document, for the report.
        """
        document = Fields(value if isinstance(value, dict) else ())
        if "months" in document:
            return
        if not isinstance(document.get("page"), dict):
            self.skipped.append(SkippedRecord(source, "is not a Statuspage document: it has no 'page'"))
            return
        page = document.get_object("page")
        components = document.get_objects("components")
        if _last_change_time(page) >= _last_change_time(self.page):
            self.page = page
            self.components = components or self.components
        self.components = self.components or components
        for name in ("incidents", "scheduled_maintenances"):
            records = document.get_objects(name)
            self.may_have_more |= len(records) >= LISTED
            for record in records:
                self._add_record(record)
        if isinstance(document.get("incident"), dict):
            self._add_record(document.get_object("incident"))

    def _add_record(self, record: Fields) -> None:
        other_record = self.records.get(str(record.get("id")))
        if other_record is None or _last_change_time(record) >= _last_change_time(other_record):
            self.records[str(record.get("id"))] = record

    def _shown_status(self, plan: StatusPlan) -> ShownStatus:
        keys = {str(source.get("id", key)): key for key, source in plan.iter_components()}
        incidents = (
            record for record in select_open_records(self.records.values()) if "scheduled_for" not in record
        )
        return ShownStatus(
            name=self.page.get_text("name"),
            unresolved={incident.get_text("id"): incident.get_text("name") for incident in incidents},
            statuses={
                keys[component.get_text("id")]: _component_status(component)
                for component in self.components
                if component.get_text("id") in keys and not component.get("group")
            },
            records={
                ident: int(year) if (year := record.get_text("created_at")[:4]).isdecimal() else None
                for ident, record in self.records.items()
            },
        )

    def make_status_plan(self, request: ImportRequest) -> StatusPlan:
        """Convert the collected objects to content.

        Raises:
            NotImportableError: if no document describes the page.
        """
        if not self.page:
            raise NotImportableError(
                "the source has no documents of a Statuspage page",
                "save summary.json and incidents.json of the page",
            )
        plan = StatusPlan(
            page=convert_page(self.page),
            present_count=self.present_count,
            skipped=self.skipped,
            incomplete=self.incomplete,
        )
        plan.components = convert_components(self.components, self.records.values(), request.component_keys)
        order = PageOrder(
            self.page,
            component_keys={str(source.get("id", key)): key for key, source in plan.iter_components()},
            positions={str(component.get("id")): place for place, component in enumerate(self.components)},
        )
        plan.original = self._shown_status(plan)
        for record_id, record in self.records.items():
            if "scheduled_for" in record:
                convert = partial(convert_maintenance, order, request.now)
                noun = "a maintenance"
                sources = plan.maintenances
            else:
                convert = partial(convert_incident, order)
                noun = "an incident"
                sources = plan.incidents
            for source in convert_records_or_skip([record], convert, plan.skipped, noun):
                sources[record_id] = source
        if any("scheduled_auto_completed" not in source for source in plan.maintenances.values()):
            plan.notes.append(AUTOMATION_NOTE)
        return plan


def _component_status(component: Fields) -> ComponentStatus:
    return next(
        (status for status in COMPONENT_SEVERITY if status == component.get_text("status")), "operational"
    )


def _last_change_time(json_object: Fields) -> Instant:
    """Return the time of the last change; the year 1 if unknown."""
    return parse_instant(json_object.get_timestamp("updated_at") or "0001-01-01T00:00:00Z")
