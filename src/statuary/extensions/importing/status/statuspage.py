"""The public documents of a Statuspage page, with ids, orders and timestamps.

Documents are recognized by their members, so a saved folder may name its files in any way. Incidents beyond the
50 latest are listed in `history.json` (measured: three months a page, each incident with its code).
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from typing import Any

from statuary.domain.primitives import Instant, parse_instant
from statuary.domain.status.vocabulary import CLOSED_STATUSES
from statuary.editing.files import slug
from statuary.extensions.importing.report import Lost, SourceError
from statuary.extensions.importing.status.status_plan import (
    ImportRequest,
    Members,
    Source,
    StatusPlan,
    as_members,
    convert_each,
    files_below,
    given,
    instant_of,
    list_of,
    parse_json,
    read_file,
    required_text,
    text_of,
)
from statuary.extensions.importing.status.statuspage_records import (
    PageOrder,
    incident_source,
    maintenance_source,
    page_source,
)


def component_sources(
    components: Iterable[Members], records: Collection[Members], known_keys: Mapping[str, str]
) -> dict[str, Source]:
    """Return components by key, in the order of the page: those that are on it, and those that records name."""
    by_id = {required_text(one, "id"): one for one in _with_ranks(list(components))}
    for record in records:
        for named in _named_components(record):
            by_id.setdefault(required_text(named, "id"), named)
    keys = component_keys(by_id, known_keys)
    # an open record may give them another status
    named_now = {text_of(one, "id") for record in open_records(records) for one in _named_components(record)}
    sources: dict[str, Source] = {}
    for component_id, one in by_id.items():
        if text_of(one, "group_id") not in by_id:
            sources[keys[component_id]] = _component(one, keys[component_id], len(sources) + 1, named_now)
    for component_id, one in by_id.items():
        group = text_of(one, "group_id")
        if group in by_id:
            children = sources[keys[group]].setdefault("components", {})
            children[keys[component_id]] = _component(one, keys[component_id], len(children) + 1, named_now)
    return sources


def _with_ranks(components: list[Members]) -> Iterator[Members]:
    """Yield components, with ranks where those of one position are not in the usual order, the oldest first."""
    tied: dict[Any, list[Members]] = {}
    for component in components:
        tied.setdefault(component.get("position"), []).append(component)
    for component in components:
        among = tied[component.get("position")]
        created = [instant_of(one, "created_at") or "" for one in among]
        is_usual = created == sorted(created)
        yield component if is_usual else {**component, "rank": among.index(component) + 1}


def component_keys(components: Mapping[str, Members], known_keys: Mapping[str, str]) -> dict[str, str]:
    """Return a key for each component by its id: the words of its name, those of its group before them if needed."""
    keys = dict(known_keys)
    for component_id, component in components.items():
        if component_id in keys:
            continue
        name = slug(text_of(component, "name"))
        group = slug(text_of(components.get(text_of(component, "group_id"), {}), "name"))
        taken = {*keys.values(), *components, ""}
        keys[component_id] = next(
            (key for key in (name, f"{group}-{name}" if group and name else "") if key not in taken),
            component_id,
        )
    return keys


def _named_components(record: Members) -> Iterator[Members]:
    """Yield the components that a record names; those that only its updates name were removed from the page."""
    yield from list_of(record, "components")
    for update in list_of(record, "incident_updates"):
        for affected in list_of(update, "affected_components"):
            if text_of(affected, "code"):
                yield {
                    "id": affected["code"],
                    "name": text_of(affected, "name") or affected["code"],
                    "removed": True,
                }


def open_records(records: Iterable[Members]) -> Iterator[Members]:
    """Yield the records that are not over."""
    return (record for record in records if text_of(record, "status") not in CLOSED_STATUSES)


def _component(component: Members, key: str, place: int, named_now: Container[str]) -> Source:
    is_group, position = bool(component.get("group")), component.get("position")
    shown, status = component.get("showcase"), text_of(component, "status") or "operational"
    updated_at = instant_of(component, "updated_at")
    source = given(
        name=required_text(component, "name"),
        id="" if component["id"] == key else component["id"],
        description=text_of(component, "description"),
        position=position if position != place else None,
        rank=component.get("rank"),
        showcase=shown if shown is is_group else None,
        start_date=text_of(component, "start_date"),
        only_show_if_degraded=component.get("only_show_if_degraded") or None,
        created_at=instant_of(component, "created_at"),
        updated_at=updated_at,
        removed=component.get("removed"),
    )
    stands_alone = status != "operational" or component["id"] in named_now
    if stands_alone and updated_at and not is_group:
        source["history"] = [{"at": updated_at, "status": status}]
    return source


LISTED = 50
"""The records of a full list; there may be more in the history."""

EMPTY_PAGES = 4
"""Pages of history without an incident after which reading ends: a year together."""

DOCUMENTS = ("summary", "incidents", "scheduled-maintenances")

AUTOMATION_NOTE = (
    "the automation of maintenances is not public: upcoming ones start and end automatically and remind an hour before, "
    "which is Statuspage's default; change it with `scheduled_auto_in_progress` and the other `scheduled_...` keys"
)


def read_statuspage(request: ImportRequest) -> StatusPlan:
    """Return the content of a page; raise SourceError if the source is not a Statuspage."""
    documents = _Documents()
    if request.is_url:
        _fetch(request, documents)
    else:
        for file in files_below(request.source, (".json", ".jsonl")):
            raw = read_file(file)
            lines = raw.splitlines() if file.suffix == ".jsonl" else [raw]
            for line in lines:
                documents.add(parse_json(line, str(file)), str(file))
    return documents.plan(request)


def _fetch(request: ImportRequest, documents: "_Documents") -> None:
    base = request.source.partition("/api/v2")[0].rstrip("/")
    for name in DOCUMENTS:
        url = f"{base}/api/v2/{name}.json"
        document = request.web.json(url)
        if document is None:
            raise SourceError(
                f"{url} does not exist", "give the URL of the page, such as https://status.example.org"
            )
        documents.add(document, url)
    try:
        if documents.may_have_more:
            for url in _older(base, request, documents):
                documents.add(request.web.json(url), url)
    except SourceError as error:
        # what was read is kept, so that the next run requests only the rest
        documents.incomplete = error


def _older(base: str, request: ImportRequest, documents: "_Documents") -> Iterator[str]:
    """Yield the URLs of the records that neither the lists nor the content have, from the pages of history."""
    empty = number = 0
    while empty < EMPTY_PAGES:
        number += 1
        history = request.web.json(f"{base}/history.json?page={number}")
        if not isinstance(history, dict) or "months" not in history:
            documents.lost.append(Lost("there is no history.json, so only the latest 50 are imported", base))
            return
        codes = [
            str(one["code"]) for month in list_of(history, "months") for one in list_of(month, "incidents")
        ]
        empty = 0 if codes else empty + 1
        for code in codes:
            if code in request.known:
                documents.known += code not in documents.records
            elif code not in documents.records:
                yield f"{base}/incidents/{code}.json"


class _Documents:
    """Page, components and records, each from the latest document that has it."""

    def __init__(self) -> None:
        self.page: Members = {}
        self.components: list[Any] = []
        self.records: dict[str, Members] = {}
        self.lost: list[Lost] = []
        self.known = 0
        self.may_have_more = False
        self.incomplete: SourceError | None = None

    def add(self, document: Any, source: str) -> None:
        """Add a document's objects, unless a newer document has them."""
        if isinstance(document, dict) and "months" in document:
            return
        try:
            page = as_members(as_members(document).get("page"))
        except SourceError:
            self.lost.append(Lost("is not a Statuspage document: it has no 'page'", source))
            return
        if _stamp(page) >= _stamp(self.page):
            self.page = page
            self.components = list_of(document, "components") or self.components
        self.components = self.components or list_of(document, "components")
        for name in ("incidents", "scheduled_maintenances"):
            found = list_of(document, name)
            self.may_have_more |= len(found) >= LISTED
            for record in found:
                self._take(record)
        if isinstance(document.get("incident"), dict):
            self._take(document["incident"])

    def _take(self, record: Members) -> None:
        known = self.records.get(str(record.get("id")), {})
        if not known or _stamp(record) >= _stamp(known):
            self.records[str(record.get("id"))] = record

    def plan(self, request: ImportRequest) -> StatusPlan:
        """Return all of it as content."""
        if not self.page:
            raise SourceError(
                "there are no Statuspage documents", "save summary.json and incidents.json of the page"
            )
        plan = StatusPlan(
            page=page_source(self.page), known=self.known, lost=self.lost, incomplete=self.incomplete
        )
        plan.components = component_sources(self.components, self.records.values(), request.keys)
        on = PageOrder(
            self.page,
            keys={str(source.get("id", key)): key for key, source in plan.leaves()},
            places={str(one.get("id")): place for place, one in enumerate(self.components)},
        )
        for record_id, record in self.records.items():
            if "scheduled_for" in record:
                made = convert_each(
                    [record],
                    lambda one: maintenance_source(one, on, request.now),
                    plan.lost,
                    "a maintenance",
                )
                plan.maintenances.update((record_id, source) for source in made)
            else:
                made = convert_each([record], lambda one: incident_source(one, on), plan.lost, "an incident")
                plan.incidents.update((record_id, source) for source in made)
        if any("scheduled_auto_completed" not in source for source in plan.maintenances.values()):
            plan.notes.append(AUTOMATION_NOTE)
        return plan


def _stamp(members: Members) -> Instant:
    """Return when an object was changed; the year 1 if it has no time."""
    return parse_instant(instant_of(members, "updated_at") or "0001-01-01T00:00:00Z")
