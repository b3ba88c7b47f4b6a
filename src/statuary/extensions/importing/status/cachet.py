"""Import a Cachet page of version 2 or 3.

Shapes: https://docs.cachethq.io/api-reference (version 3, JSON:API) and version 2's `/api/v1`. Times are
those of the server; they are read as UTC.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import MOST_PAGES, too_many_pages
from statuary.extensions.importing.status.fields import Fields
from statuary.extensions.importing.status.status_builder import (
    ForeignUpdate,
    StatusBuilder,
    end_after_minutes,
)
from statuary.extensions.importing.status.status_plan import ImportRequest, StatusPlan
from statuary.status.model.vocabulary import DEFAULT_BODIES, ComponentStatus, UpdateStatus
from statuary.system.network.client import display_location

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
"""The APIs of versions 2 and 3: their path, lists, and the parameter for related objects."""


def read_cachet(request: ImportRequest) -> StatusPlan:
    """Read a Cachet status page, from its URL or from saved JSON.

    Raises:
        NotImportableError: if the source is not a Cachet page.
    """
    builder, records = StatusBuilder(request), list[Fields]()
    for document in map(Fields.wrap, _fetch_all(request) if request.is_url else request.json_documents()):
        included = {
            (related.text("type"), related.text("id")): related for related in document.objects("included")
        }
        records += [_flatten_record(record, included) for record in document.objects("data")]
    if not records:
        raise NotImportableError(
            f"{display_location(request.source)} has no Cachet page and no saved lists",
            "name the URL of the page, or a folder with saved responses of its API",
        )
    builder.set_page("", request.source if request.is_url else "")
    builder.plan.notes.append("the API does not give the name of the page: change it in site.yaml")
    groups = {record.text("id"): record.text("name") for record in records if "collapsed" in record}
    components = filter(_is_component, records)
    builder.convert_records(components, lambda record: _add_component(builder, record, groups), "a component")
    builder.convert_records(filter(_is_incident, records), partial(_add_incident, builder), "an incident")
    builder.convert_records(filter(_is_schedule, records), partial(_add_schedule, builder), "a maintenance")
    return builder.plan


def _fetch_all(request: ImportRequest) -> Iterator[Any]:
    """Request all lists of a server, page by page.

    The API of version 3 is asked if that of version 2 has no components.
    """
    base = request.source.partition("/api")[0].rstrip("/")
    for path, names, include in VERSIONS:
        for name in names:
            url = f"{base}/{path}/{name}?per_page=100{include if name in INCLUDING else ''}"
            documents = list(_fetch_pages(request, url))
            yield from documents
            if not documents and name == "components":
                break
        else:
            return


def _fetch_pages(request: ImportRequest, url: str) -> Iterator[Any]:
    """Yield the pages of a list, each of which names the next."""
    following = url
    for _ in range(MOST_PAGES):
        document = request.web.json(following)
        if document is None:
            return
        yield document
        fields = Fields.wrap(document)
        links = fields.object("meta").object("pagination").object("links") or fields.object("links")
        following = links.text("next_page", "next")
        if not following:
            return
    raise too_many_pages(url)


def _flatten_record(record: Fields, included: dict[tuple[str, str], Fields]) -> Fields:
    """Convert a record to the form of version 2.

    The attributes of the record become members, and its related objects become lists.
    """
    attributes = record.object("attributes")
    flat = Fields(attributes | record)
    for name, value in attributes.items():
        if isinstance(value, dict):
            flat[f"{name}_at" if "string" in value else name] = value.get("string", value.get("value"))
    for name, related in record.object("relationships").items():
        flat[name] = list(_related_records(Fields.wrap(related).get("data"), included))
    return flat


def _related_records(data: object, included: dict[tuple[str, str], Fields]) -> Iterator[Fields]:
    for reference in map(Fields.wrap, data if isinstance(data, list) else []):
        related = included.get((reference.text("type"), reference.text("id")))
        if related is not None:
            yield _flatten_record(related, {})


def _is_component(record: Fields) -> bool:
    return "link" in record and "order" in record and "collapsed" not in record


def _is_schedule(record: Fields) -> bool:
    return "scheduled_at" in record


def _is_incident(record: Fields) -> bool:
    return "message" in record and not _is_schedule(record) and "incident_id" not in record


def _add_component(builder: StatusBuilder, component: Fields, groups: dict[str, str]) -> None:
    status = COMPONENT_STATUSES.get(component.text("status"), "operational")
    builder.add_component(
        component.text("id"),
        component.required_text("name"),
        group=groups.get(component.text("group_id", "component_group_id"), ""),
        description=component.text("description"),
        status=status,
    )
    builder.note_status(component.text("id"), status)


def _add_incident(builder: StatusBuilder, incident: Fields) -> None:
    if incident.text("visible") == "0":
        raise NotImportableError("is not public")
    builder.count_record(
        f"incident-{incident.text('id')}",
        incident.text("name"),
        incident.text("occurred_at", "created_at"),
        is_open=STATUSES.get(incident.text("status")) != "resolved",
    )
    began = incident.required_date("occurred_at", "created_at")
    updates = [
        ForeignUpdate(
            update.required_date("created_at"),
            STATUSES.get(update.text("status"), "investigating"),
            update.text("message"),
        )
        for update in incident.objects("updates")
    ]
    status = STATUSES.get(incident.text("status"), "investigating")
    # `status` is that of the latest update; an incident with updates began as `investigating`
    opened = "investigating" if updates or status == "resolved" else status
    posted = [ForeignUpdate(began, opened, incident.text("message")), *updates]
    ended_at = (incident.date("updated_at") or began) if status == "resolved" else None
    components = incident.objects("components")
    if incident.text("component_id") not in ("", "0"):
        components.append(Fields(id=incident.text("component_id")))
    affected = {builder.key_of_component(part.text("id"), part.text("name")): None for part in components}
    ident = f"incident-{incident.required_text('id')}"
    name = incident.required_text("name")
    builder.add_incident(ident, name, posted, affected, ended_at=ended_at)


def _add_schedule(builder: StatusBuilder, schedule: Fields) -> None:
    created = schedule.text("created_at", "scheduled_at")
    builder.count_record(f"maintenance-{schedule.text('id')}", schedule.text("name"), created, is_open=False)
    ident = schedule.required_text("id")
    begins = schedule.required_date("scheduled_at")
    ends = schedule.date("completed_at")
    if ends is None:
        builder.skip(ident, "is a maintenance without an end; one hour is assumed")
        ends = end_after_minutes(begins, 60)
    is_done = SCHEDULE_STATUSES.get(schedule.text("status")) == "completed"
    builder.add_maintenance(
        f"maintenance-{ident}",
        schedule.required_text("name"),
        (begins, ends),
        body=schedule.text("message"),
        created_at=schedule.date("created_at"),
        components=[
            builder.key_of_component(part.text("id", "component_id"))
            for part in schedule.objects("components")
        ],
        updates=[ForeignUpdate(ends, "completed", DEFAULT_BODIES["completed"])] if is_done else [],
    )
