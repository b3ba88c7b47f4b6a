"""Import an Instatus page.

Shapes: https://instatus.com/help/api. Records are recognized by their members.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.status.fields import Fields
from statuary.extensions.importing.status.status_builder import (
    ForeignUpdate,
    StatusBuilder,
    add_minutes,
)
from statuary.extensions.importing.status.status_plan import ImportRequest, StatusPlan
from statuary.status.model.vocabulary import ComponentStatus, UpdateStatus
from statuary.system.network.client import display_location

STATUSES: dict[str, UpdateStatus] = {
    "investigating": "investigating",
    "identified": "identified",
    "monitoring": "monitoring",
    "resolved": "resolved",
    **dict.fromkeys(("notstartedyet", "planned", "scheduled"), "scheduled"),
    "inprogress": "in_progress",
    "verifying": "verifying",
    "completed": "completed",
}
COMPONENT_STATUSES: dict[str, ComponentStatus] = {
    "undermaintenance": "under_maintenance",
    "degradedperformance": "degraded_performance",
    "partialoutage": "partial_outage",
    "minoroutage": "partial_outage",
    "majoroutage": "major_outage",
}

WITH_KEY = ("components", "incidents", "maintenances")
"""Lists of the API below `https://api.instatus.com/v1/PAGE-ID`."""


def read_instatus(request: ImportRequest) -> StatusPlan:
    """Read an Instatus status page, from its URL or from saved JSON.

    Raises:
        NotImportableError: if the source is not an Instatus page.
    """
    builder = StatusBuilder(request)
    records = [
        record
        for document in _read_documents(request, builder)
        for record in _records_of_document(builder, document)
    ]
    if not records and not builder.plan.page:
        raise NotImportableError(
            f"{display_location(request.source)} has no saved documents of an Instatus page",
            "save the documents into this folder; the manual lists them under Instatus",
        )
    for noun, convert in (
        (COMPONENT, _add_component),
        (INCIDENT, _add_incident),
        (MAINTENANCE, _add_maintenance),
    ):
        builder.convert_records(
            [record for record in records if _record_noun(record) == noun], partial(convert, builder), noun
        )
    return builder.plan


COMPONENT, INCIDENT, MAINTENANCE = "a component", "an incident", "a maintenance"


def _read_documents(request: ImportRequest, builder: StatusBuilder) -> Iterator[Any]:
    if not request.is_url:
        yield from request.read_json_documents()
        return
    base = request.source.rstrip("/")
    if urlsplit(base).path.startswith("/v1/"):
        yield from (request.web.fetch_json(f"{base}/{name}") for name in WITH_KEY)
        return
    builder.add_skipped_record(base, "is public only while it is active; the rest needs the API with a key")
    yield request.web.fetch_json(f"{base}/summary.json")


def _records_of_document(builder: StatusBuilder, document: Any) -> Iterator[Fields]:
    if isinstance(document, list):
        yield from map(Fields.from_json_value, document)
        return
    fields = Fields.from_json_value(document)
    page = fields.get_object("page")
    if page:
        builder.set_page(page.get_text("name"), page.get_text("url"))
    for name in ("components", "incidents", "activeIncidents", "maintenances", "activeMaintenances"):
        yield from fields.get_objects(name)


def _record_noun(record: Fields) -> str:
    if "duration" in record and "start" in record:
        return MAINTENANCE
    return INCIDENT if "started" in record else COMPONENT


def _add_component(builder: StatusBuilder, component: Fields) -> None:
    group = component.get("group")
    status = COMPONENT_STATUSES.get(component.get_normalized_word("status"), "operational")
    builder.add_component(
        component.get_text("id", "name"),
        component.required_text("name"),
        group=Fields(group).get_text("name") if isinstance(group, dict) else "",
        description=component.get_text("description"),
        status=status,
    )
    builder.note_shown_status(component.get_text("id", "name"), status)


def _convert_updates(record: Fields) -> list[ForeignUpdate]:
    """Convert the updates of an incident.

    If there are none, as in a public document, the incident's status is its only update.
    """
    return [
        ForeignUpdate(
            update.required_free_form_time("started", "createdAt", "start"),
            STATUSES.get(update.get_normalized_word("status"), "investigating"),
            update.get_text("message"),
            update.get_text("id") if update is not record else "",
        )
        for update in record.get_objects("updates") or [record]
    ]


def _record_id(record: Fields) -> str:
    return record.get_text("id") or record.required_text("url").rpartition("/")[2]


def _component_keys(builder: StatusBuilder, record: Fields) -> list[str]:
    return [
        builder.get_or_add_component_key(part.get_text("id", "name"), part.get_text("name"))
        for part in record.get_objects("components")
    ]


def _count_instatus_record(
    builder: StatusBuilder, record: Fields, start_member: str, *, is_open: bool
) -> None:
    builder.add_original_record(
        _record_id(record), record.get_text("name"), record.get_text(start_member), is_open=is_open
    )


def _add_incident(builder: StatusBuilder, incident: Fields) -> None:
    _count_instatus_record(
        builder,
        incident,
        "started",
        is_open=incident.get_normalized_word("status") not in ("resolved", "completed"),
    )
    impact = COMPONENT_STATUSES.get(incident.get_normalized_word("impact"))
    affected = dict.fromkeys(_component_keys(builder, incident), impact)
    builder.add_incident(
        _record_id(incident), incident.required_text("name"), _convert_updates(incident), affected
    )


def _add_maintenance(builder: StatusBuilder, maintenance: Fields) -> None:
    _count_instatus_record(builder, maintenance, "start", is_open=False)
    begins = maintenance.required_free_form_time("start")
    builder.add_maintenance(
        _record_id(maintenance),
        maintenance.required_text("name"),
        (begins, add_minutes(begins, maintenance.get("duration"))),
        components=_component_keys(builder, maintenance),
        updates=_convert_updates(maintenance) if maintenance.get_objects("updates") else (),
    )
