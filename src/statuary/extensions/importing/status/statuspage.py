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
from statuary.extensions.importing.sources import MOST_PAGES, too_many_pages
from statuary.extensions.importing.status.fields import Fields, json_documents
from statuary.extensions.importing.status.status_plan import (
    ImportRequest,
    ShownStatus,
    Source,
    StatusPlan,
    convert_each,
    without_empty,
)
from statuary.extensions.importing.status.statuspage_records import (
    PageOrder,
    incident_source,
    maintenance_source,
    page_source,
)
from statuary.status.editing.new_record import slug
from statuary.status.model.vocabulary import CLOSED_STATUSES, COMPONENT_SEVERITY, ComponentStatus
from statuary.system.network.client import UnreachableError, display_location


def component_sources(
    components: Iterable[Fields], records: Collection[Fields], known_keys: Mapping[str, str]
) -> dict[str, Source]:
    """Convert the components of a Statuspage to content, by key.

    Args:
        components: the components of the page, in its order.
        records: the incidents and maintenance windows, which may name further components.
        known_keys: the keys of components that are already in the content, by id.
    """
    by_id = {component.required_text("id"): component for component in _with_ranks(list(components))}
    for record in records:
        for component in _named_components(record):
            by_id.setdefault(component.required_text("id"), component)
    keys = component_keys(by_id, known_keys)
    # an open incident may imply a different status from the component's, so record the current status
    named_now = {
        component.text("id") for record in open_records(records) for component in _named_components(record)
    }
    sources: dict[str, Source] = {}
    for component_id, component in by_id.items():
        if component.text("group_id") not in by_id:
            key, place = keys[component_id], len(sources) + 1
            sources[key] = _component_source(component, key, place, named_now)
    for component_id, component in by_id.items():
        group = component.text("group_id")
        if group in by_id:
            children = sources[keys[group]].setdefault("components", {})
            key, place = keys[component_id], len(children) + 1
            children[key] = _component_source(component, key, place, named_now)
    return sources


def _with_ranks(components: list[Fields]) -> Iterator[Fields]:
    """Add ranks to components with equal positions in unusual order.

    In the usual order, the oldest is first.
    """
    tied: dict[int | None, list[Fields]] = {}
    for component in components:
        tied.setdefault(component.number("position"), []).append(component)
    for component in components:
        among = tied[component.number("position")]
        created = [other_component.instant("created_at") or "" for other_component in among]
        is_usual = created == sorted(created)
        yield component if is_usual else Fields(component, rank=among.index(component) + 1)


def component_keys(components: Mapping[str, Fields], known_keys: Mapping[str, str]) -> dict[str, str]:
    """Make a unique key for each component from its name.

    If the name is not unique, the key is the name with its group's name in front, or else the id.

    Args:
        components: the components by id.
        known_keys: the keys of components that are already in the content, by id.

    Returns:
        The known and the new keys, by id.
    """
    keys = dict(known_keys)
    for component_id, component in components.items():
        if component_id in keys:
            continue
        name = slug(component.text("name"))
        group = slug(components.get(component.text("group_id"), Fields()).text("name"))
        used = {*keys.values(), *components, ""}
        keys[component_id] = next(
            (key for key in (name, f"{group}-{name}" if group and name else "") if key not in used),
            component_id,
        )
    return keys


def _named_components(record: Fields) -> Iterator[Fields]:
    """Yield the components that a record affects.

    Components that only the record's updates name were removed from the page.
    """
    yield from record.objects("components")
    for update in record.objects("incident_updates"):
        for affected in update.objects("affected_components"):
            if affected.text("code"):
                code = affected.text("code")
                yield Fields(id=code, name=affected.text("name") or code, removed=True)


def open_records(records: Iterable[Fields]) -> Iterator[Fields]:
    """Yield the incidents and maintenance windows that have not ended.

    Args:
        records: the incidents and windows as Statuspage's API returns them.
    """
    return (record for record in records if record.text("status") not in CLOSED_STATUSES)


def _component_source(component: Fields, key: str, place: int, named_now: Container[str]) -> Source:
    is_group = bool(component.get("group"))
    component_id = component.text("id")
    position = component.number("position")
    showcase = component.flag("showcase")
    status = component.text("status") or "operational"
    updated_at = component.instant("updated_at")
    source = without_empty(
        name=component.required_text("name"),
        id="" if component_id == key else component_id,
        description=component.text("description"),
        position=position if position != place else None,
        rank=component.number("rank"),
        showcase=showcase if showcase is is_group else None,
        start_date=component.text("start_date"),
        only_show_if_degraded=component.flag("only_show_if_degraded") or None,
        created_at=component.instant("created_at"),
        updated_at=updated_at,
        removed=component.flag("removed"),
    )
    stands_alone = status != "operational" or component_id in named_now
    if stands_alone and updated_at and not is_group:
        source["history"] = [{"at": updated_at, "status": status}]
    return source


LISTED = 50
"""The records of a full list; the history may have more."""

EMPTY_PAGES = 4
"""Pages of history in a row without an incident, which are a year, before reading ends."""

DOCUMENTS = ("summary", "incidents", "scheduled-maintenances")

AUTOMATION_NOTE = (
    "the automation of maintenances is not public: upcoming ones start and end automatically and remind an hour before, "
    "which is Statuspage's default; change it with `scheduled_auto_in_progress` and the other `scheduled_...` keys"
)


def read_statuspage(request: ImportRequest) -> StatusPlan:
    """Read an Atlassian Statuspage from a URL or saved JSON.

    Raises:
        NotImportableError: if the source is not a Statuspage.
    """
    documents = _Documents()
    if request.is_url:
        _fetch_documents(request, documents)
    else:
        for file, document in json_documents(request.source):
            documents.add(document, str(file))
    return documents.plan(request)


def _fetch_documents(request: ImportRequest, documents: "_Documents") -> None:
    base = request.source.partition("/api/v2")[0].rstrip("/")
    for name in DOCUMENTS:
        url = f"{base}/api/v2/{name}.json"
        document = request.web.json(url)
        if document is None:
            raise NotImportableError(
                f"{display_location(url)} has no api/v2/{name}.json at this path",
                "give the URL of the page, such as https://status.example.org",
            )
        documents.add(document, url)
    try:
        if documents.may_have_more:
            for url in _urls_of_older_incidents(base, request, documents):
                documents.add(request.web.json(url), url)
    except (NotImportableError, UnreachableError) as error:
        # keep what was read; the next run requests only the remaining documents
        documents.incomplete = error


def _urls_of_older_incidents(base: str, request: ImportRequest, documents: "_Documents") -> Iterator[str]:
    """Yield the URLs of incidents that only the history lists.

    Incidents in the content are counted, and not read again.
    """
    for code in _codes_of_history(base, request, documents):
        if code in request.known_ids:
            documents.present_count += code not in documents.records
        elif code not in documents.records:
            yield f"{base}/incidents/{code}.json"


def _codes_of_history(base: str, request: ImportRequest, documents: "_Documents") -> Iterator[str]:
    """Yield the id of each incident in the history, until a year has none."""
    empty = 0
    for number in range(1, MOST_PAGES + 1):
        history = request.web.json(f"{base}/history.json?page={number}")
        if not isinstance(history, dict) or "months" not in history:
            reason = "there is no history.json, so only the latest 50 are imported"
            documents.skipped.append(SkippedRecord(base, reason))
            return
        months = Fields(history).objects("months")
        incidents = chain.from_iterable(month.objects("incidents") for month in months)
        codes = [incident.required_text("code") for incident in incidents]
        yield from codes
        empty = 0 if codes else empty + 1
        if empty == EMPTY_PAGES:
            return
    raise too_many_pages(f"{base}/history.json")


class _Documents:
    """The newest version of each object in the page's documents."""

    def __init__(self) -> None:
        self.page = Fields()
        self.components: list[Fields] = []
        self.records: dict[str, Fields] = {}
        self.skipped: list[SkippedRecord] = []
        self.present_count = 0
        self.may_have_more = False
        self.incomplete: NotImportableError | UnreachableError | None = None

    def add(self, value: Any, source: str) -> None:
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
        page = document.object("page")
        components = document.objects("components")
        if _time_of_last_change(page) >= _time_of_last_change(self.page):
            self.page = page
            self.components = components or self.components
        self.components = self.components or components
        for name in ("incidents", "scheduled_maintenances"):
            records = document.objects(name)
            self.may_have_more |= len(records) >= LISTED
            for record in records:
                self._add_record(record)
        if isinstance(document.get("incident"), dict):
            self._add_record(document.object("incident"))

    def _add_record(self, record: Fields) -> None:
        other_record = self.records.get(str(record.get("id")))
        if other_record is None or _time_of_last_change(record) >= _time_of_last_change(other_record):
            self.records[str(record.get("id"))] = record

    def _shown_status(self, plan: StatusPlan) -> ShownStatus:
        """Return the status that the page shows."""
        keys = {str(source.get("id", key)): key for key, source in plan.leaves()}
        incidents = (
            record for record in open_records(self.records.values()) if "scheduled_for" not in record
        )
        return ShownStatus(
            name=self.page.text("name"),
            unresolved={incident.text("id"): incident.text("name") for incident in incidents},
            statuses={
                keys[component.text("id")]: _status_of_component(component)
                for component in self.components
                if component.text("id") in keys and not component.get("group")
            },
            records={
                ident: int(year) if (year := record.text("created_at")[:4]).isdecimal() else None
                for ident, record in self.records.items()
            },
        )

    def plan(self, request: ImportRequest) -> StatusPlan:
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
            page=page_source(self.page),
            present_count=self.present_count,
            skipped=self.skipped,
            incomplete=self.incomplete,
        )
        plan.components = component_sources(self.components, self.records.values(), request.keys)
        order = PageOrder(
            self.page,
            keys={str(source.get("id", key)): key for key, source in plan.leaves()},
            places={str(component.get("id")): place for place, component in enumerate(self.components)},
        )
        plan.original = self._shown_status(plan)
        for record_id, record in self.records.items():
            if "scheduled_for" in record:
                convert = partial(maintenance_source, order, request.now)
                noun = "a maintenance"
                sources = plan.maintenances
            else:
                convert = partial(incident_source, order)
                noun = "an incident"
                sources = plan.incidents
            for source in convert_each([record], convert, plan.skipped, noun):
                sources[record_id] = source
        if any("scheduled_auto_completed" not in source for source in plan.maintenances.values()):
            plan.notes.append(AUTOMATION_NOTE)
        return plan


def _status_of_component(component: Fields) -> ComponentStatus:
    return next(
        (status for status in COMPONENT_SEVERITY if status == component.text("status")), "operational"
    )


def _time_of_last_change(members: Fields) -> Instant:
    """Return the instant of an object's last change.

    The instant is in the year 1 if it is unknown.
    """
    return parse_instant(members.instant("updated_at") or "0001-01-01T00:00:00Z")
