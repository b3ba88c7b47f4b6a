"""A Cachet page, version 2 or 3: its public API, by URL or saved.

Shapes: https://docs.cachethq.io/api-reference (version 3, JSON:API) and version 2's `/api/v1`. Times are those of the
server; they are read as UTC.
"""

from collections.abc import Iterator
from typing import Any

from statuary.domain.status.vocabulary import DEFAULT_BODIES, ComponentStatus, UpdateStatus
from statuary.extensions.importing.report import Lost, SourceError
from statuary.extensions.importing.status.status_builder import (
    ForeignUpdate,
    StatusBuilder,
    any_instant,
    end_of,
    required_date,
)
from statuary.extensions.importing.status.status_plan import (
    ImportRequest,
    Members,
    StatusPlan,
    as_members,
    list_of,
    required_text,
    text_of,
)

COMPONENT_STATUSES: dict[str, ComponentStatus] = {
    "2": "degraded_performance",
    "3": "partial_outage",
    "4": "major_outage",
    "6": "under_maintenance",
}
STATUSES: dict[str, UpdateStatus] = {
    "1": "investigating",
    "2": "identified",
    "3": "monitoring",
    "4": "resolved",
}
SCHEDULE_STATUSES: dict[str, UpdateStatus] = {"0": "scheduled", "1": "in_progress", "2": "completed"}

INCLUDING = frozenset({"incidents", "schedules"})

VERSIONS = (
    ("api/v1", ("components/groups", "components", "incidents", "schedules"), ""),
    (
        "api",
        ("component-groups", "components", "incidents", "schedules"),
        "&include=components,updates",
    ),
)
"""The path of version 2's API and of version 3's, their lists, and what their records include."""


def read_cachet(request: ImportRequest) -> StatusPlan:
    """Return the content of a page; raise SourceError if the source is not one of Cachet."""
    built, records = StatusBuilder(request), list[Members]()
    for document in _fetched(request) if request.is_url else request.json_files():
        included = {
            (text_of(one, "type"), text_of(one, "id")): one
            for one in list_of(as_members(document), "included")
        }
        records += [_flat(one, included) for one in list_of(document, "data")]
    if not records:
        raise SourceError(
            f"{request.source} has no Cachet page and no saved lists",
            "give the URL of the page, or saved lists of its API",
        )
    built.page("Status", request.source if request.is_url else "")
    built.plan.notes.append("the API does not give the name of the page: change it in site.yaml")
    groups = {text_of(one, "id"): text_of(one, "name") for one in records if "collapsed" in one}
    for noun, is_one, convert in (
        ("a component", _is_component, lambda one: _component(built, one, groups)),
        ("an incident", _is_incident, lambda one: _incident(built, one)),
        ("a maintenance", _is_schedule, lambda one: _schedule(built, one)),
    ):
        built.convert(filter(is_one, records), convert, noun)
    return built.plan


def _fetched(request: ImportRequest) -> Iterator[Any]:
    """Yield all pages of all lists, of the version that the server has."""
    base = request.source.partition("/api")[0].rstrip("/")
    for path, names, include in VERSIONS:
        for name in names:
            url = f"{base}/{path}/{name}?per_page=100{include if name in INCLUDING else ''}"
            while url and (document := request.web.json(url)) is not None:
                yield document
                url = _next(as_members(document))
            if document is None and name == "components":
                break
        else:
            return


def _next(document: Members) -> str:
    pagination = as_members(as_members(document.get("meta") or {}).get("pagination") or {})
    links = as_members(pagination.get("links") or document.get("links") or {})
    return text_of(links, "next_page", "next")


def _flat(one: Members, included: dict[tuple[str, str], Members]) -> Members:
    """Return a record as version 2 has it: attributes as members, related objects in lists."""
    attributes = as_members(one.get("attributes") or {})
    made = {**attributes, **one}
    for name, value in attributes.items():
        if isinstance(value, dict):
            made[f"{name}_at" if "string" in value else name] = value.get("string", value.get("value"))
    for name, related in as_members(one.get("relationships") or {}).items():
        made[name] = list(_related(as_members(related).get("data"), included))
    return made


def _related(data: object, included: dict[tuple[str, str], Members]) -> Iterator[Members]:
    for reference in data if isinstance(data, list) else []:
        found = included.get((text_of(reference, "type"), text_of(reference, "id")))
        if found is not None:
            yield _flat(found, {})


def _is_component(one: Members) -> bool:
    return "link" in one and "order" in one and "collapsed" not in one


def _is_schedule(one: Members) -> bool:
    return "scheduled_at" in one


def _is_incident(one: Members) -> bool:
    return "message" in one and not _is_schedule(one) and "incident_id" not in one


def _component(built: StatusBuilder, one: Members, groups: dict[str, str]) -> None:
    built.component(
        text_of(one, "id"),
        required_text(one, "name"),
        group=groups.get(text_of(one, "group_id", "component_group_id"), ""),
        description=text_of(one, "description"),
        status=COMPONENT_STATUSES.get(text_of(one, "status"), "operational"),
    )


def _incident(built: StatusBuilder, one: Members) -> None:
    if text_of(one, "visible") == "0":
        raise SourceError("is not public")
    began = required_date(one, "occurred_at", "created_at")
    updates = [_update(update) for update in list_of(one, "updates")]
    status = STATUSES.get(text_of(one, "status"), "investigating")
    # the record has the status of its latest update
    opened = "investigating" if updates or status == "resolved" else status
    posted = [ForeignUpdate(began, opened, text_of(one, "message")), *updates]
    ended_at = (any_instant(one, "updated_at") or began) if status == "resolved" else None
    named = list_of(one, "components") + [
        {"id": found} for found in [text_of(one, "component_id")] if found not in ("", "0")
    ]
    affected = {built.named(text_of(part, "id"), text_of(part, "name")): None for part in named}
    ident, name = f"incident-{required_text(one, 'id')}", required_text(one, "name")
    built.incident(ident, name, posted, affected, ended_at=ended_at)


def _update(one: Members) -> ForeignUpdate:
    status = STATUSES.get(text_of(one, "status"), "investigating")
    return ForeignUpdate(required_date(one, "created_at"), status, text_of(one, "message"))


def _schedule(built: StatusBuilder, one: Members) -> None:
    begins = required_date(one, "scheduled_at")
    ends = any_instant(one, "completed_at")
    if ends is None:
        built.lost.append(
            Lost("is a maintenance without an end; one hour is assumed", required_text(one, "id"))
        )
        ends = end_of(begins, 60)
    done = SCHEDULE_STATUSES.get(text_of(one, "status")) == "completed"
    built.maintenance(
        f"maintenance-{required_text(one, 'id')}",
        required_text(one, "name"),
        (begins, ends),
        body=text_of(one, "message"),
        created_at=any_instant(one, "created_at"),
        components=[built.named(text_of(part, "id", "component_id")) for part in list_of(one, "components")],
        updates=[ForeignUpdate(ends, "completed", DEFAULT_BODIES["completed"])] if done else [],
    )
