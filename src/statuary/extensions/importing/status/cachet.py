"""Import a Cachet page of version 2 or 3.

Shapes: https://docs.cachethq.io/api-reference (version 3, JSON:API) and version 2's `/api/v1`. Times are
those of the server; they are read as UTC.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import MOST_PAGES, make_too_many_pages_error
from statuary.extensions.importing.status.fields import Fields
from statuary.extensions.importing.status.status_builder import (
    ForeignUpdate,
    StatusBuilder,
    add_minutes,
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
    for document in map(
        Fields.from_json_value,
        _fetch_page_lists(request) if request.is_url else request.read_json_documents(),
    ):
        included = {
            (related.get_text("type"), related.get_text("id")): related
            for related in document.get_objects("included")
        }
        records += [_flatten_record(record, included) for record in document.get_objects("data")]
    if not records:
        raise NotImportableError(
            f"{display_location(request.source)} has no Cachet page and no saved lists",
            "name the URL of the page, or a folder with saved responses of its API",
        )
    builder.set_page("", request.source if request.is_url else "")
    builder.plan.notes.append("the API does not give the name of the page: change it in site.yaml")
    groups = {record.get_text("id"): record.get_text("name") for record in records if "collapsed" in record}
    components = filter(_is_component, records)
    builder.convert_records(components, lambda record: _add_component(builder, record, groups), "a component")
    builder.convert_records(filter(_is_incident, records), partial(_add_incident, builder), "an incident")
    builder.convert_records(
        filter(_is_maintenance_window, records), partial(_add_maintenance_window, builder), "a maintenance"
    )
    return builder.plan


def _fetch_page_lists(request: ImportRequest) -> Iterator[Any]:
    """Request all lists of a Cachet server, page by page.

    Version 3 of the API is tried if version 2 has no components.
    """
    base = request.source.partition("/api")[0].rstrip("/")
    for path, names, include in VERSIONS:
        for name in names:
            url = f"{base}/{path}/{name}?per_page=100{include if name in INCLUDING else ''}"
            documents = list(_fetch_list_pages(request, url))
            yield from documents
            if not documents and name == "components":
                break
        else:
            return


def _fetch_list_pages(request: ImportRequest, first_url: str) -> Iterator[Any]:
    following = first_url
    for _ in range(MOST_PAGES):
        document = request.web.fetch_json(following)
        if document is None:
            return
        yield document
        fields = Fields.from_json_value(document)
        links = fields.get_object("meta").get_object("pagination").get_object("links") or fields.get_object(
            "links"
        )
        following = links.get_text("next_page", "next")
        if not following:
            return
    raise make_too_many_pages_error(first_url)


def _flatten_record(record: Fields, objects_by_id: dict[tuple[str, str], Fields]) -> Fields:
    """Convert an incident or component of Cachet 3 to version 2.

    The attributes of the record become members, and its related objects become lists.
    """
    attributes = record.get_object("attributes")
    flat = Fields(attributes | record)
    for name, value in attributes.items():
        if isinstance(value, dict):
            flat[f"{name}_at" if "string" in value else name] = value.get("string", value.get("value"))
    for name, related in record.get_object("relationships").items():
        flat[name] = list(_related_records(Fields.from_json_value(related).get("data"), objects_by_id))
    return flat


def _related_records(references: object, objects_by_id: dict[tuple[str, str], Fields]) -> Iterator[Fields]:
    for reference in map(Fields.from_json_value, references if isinstance(references, list) else []):
        related = objects_by_id.get((reference.get_text("type"), reference.get_text("id")))
        if related is not None:
            yield _flatten_record(related, {})


def _is_component(record: Fields) -> bool:
    return "link" in record and "order" in record and "collapsed" not in record


def _is_maintenance_window(record: Fields) -> bool:
    return "scheduled_at" in record


def _is_incident(record: Fields) -> bool:
    return "message" in record and not _is_maintenance_window(record) and "incident_id" not in record


def _add_component(builder: StatusBuilder, component: Fields, group_names: dict[str, str]) -> None:
    status = COMPONENT_STATUSES.get(component.get_text("status"), "operational")
    builder.add_component(
        component.get_text("id"),
        component.required_text("name"),
        group=group_names.get(component.get_text("group_id", "component_group_id"), ""),
        description=component.get_text("description"),
        status=status,
    )
    builder.note_shown_status(component.get_text("id"), status)


def _add_incident(builder: StatusBuilder, incident: Fields) -> None:
    if incident.get_text("visible") == "0":
        raise NotImportableError("is not public")
    builder.add_original_record(
        f"incident-{incident.get_text('id')}",
        incident.get_text("name"),
        incident.get_text("occurred_at", "created_at"),
        is_open=STATUSES.get(incident.get_text("status")) != "resolved",
    )
    began = incident.required_free_form_time("occurred_at", "created_at")
    updates = [
        ForeignUpdate(
            update.required_free_form_time("created_at"),
            STATUSES.get(update.get_text("status"), "investigating"),
            update.get_text("message"),
        )
        for update in incident.get_objects("updates")
    ]
    status = STATUSES.get(incident.get_text("status"), "investigating")
    # Cachet stores only the latest status of an incident. If the incident has updates or is resolved, its
    # first status was another one, so assume `investigating`.
    opened = "investigating" if updates or status == "resolved" else status
    posted = [ForeignUpdate(began, opened, incident.get_text("message")), *updates]
    ended_at = (incident.get_free_form_time("updated_at") or began) if status == "resolved" else None
    components = incident.get_objects("components")
    if incident.get_text("component_id") not in ("", "0"):
        components.append(Fields(id=incident.get_text("component_id")))
    affected = {
        builder.get_or_add_component_key(part.get_text("id"), part.get_text("name")): None
        for part in components
    }
    ident = f"incident-{incident.required_text('id')}"
    name = incident.required_text("name")
    builder.add_incident(ident, name, posted, affected, ended_at=ended_at)


def _add_maintenance_window(builder: StatusBuilder, schedule: Fields) -> None:
    created = schedule.get_text("created_at", "scheduled_at")
    builder.add_original_record(
        f"maintenance-{schedule.get_text('id')}", schedule.get_text("name"), created, is_open=False
    )
    ident = schedule.required_text("id")
    begins = schedule.required_free_form_time("scheduled_at")
    ends = schedule.get_free_form_time("completed_at")
    if ends is None:
        builder.add_skipped_record(ident, "is a maintenance that has no end time; one hour is assumed")
        ends = add_minutes(begins, 60)
    is_done = SCHEDULE_STATUSES.get(schedule.get_text("status")) == "completed"
    builder.add_maintenance(
        f"maintenance-{ident}",
        schedule.required_text("name"),
        (begins, ends),
        body=schedule.get_text("message"),
        created_at=schedule.get_free_form_time("created_at"),
        components=[
            builder.get_or_add_component_key(part.get_text("id", "component_id"))
            for part in schedule.get_objects("components")
        ],
        updates=[ForeignUpdate(ends, "completed", DEFAULT_BODIES["completed"])] if is_done else [],
    )
