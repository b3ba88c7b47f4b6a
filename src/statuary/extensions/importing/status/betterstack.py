"""Import a Better Stack page from its `index.json`.

Shape: JSON:API, https://betterstack.com/docs/uptime/api/status-pages. Reports have updates as separate
objects.
"""

import re
from collections import defaultdict
from itertools import chain
from typing import Any

from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.status.fields import Fields
from statuary.extensions.importing.status.status_builder import ForeignUpdate, StatusBuilder
from statuary.extensions.importing.status.status_plan import ImportRequest, StatusPlan
from statuary.status.model.vocabulary import ComponentStatus, UpdateStatus
from statuary.system.network.client import display_location

EFFECTS: dict[str, ComponentStatus] = {
    "downtime": "major_outage",
    "degraded": "degraded_performance",
    "maintenance": "under_maintenance",
}


def read_betterstack(request: ImportRequest) -> StatusPlan:
    """Read a Better Stack status page from a URL or saved JSON.

    Raises:
        NotImportableError: if the source is not a Better Stack page.
    """
    url = request.source.removesuffix("/index.json").rstrip("/") + "/index.json"
    documents = [request.web.fetch_json(url)] if request.is_url else request.read_json_documents()
    builder = StatusBuilder(request)
    by_type = defaultdict[str, list[Fields]](list)
    for resource in chain.from_iterable(map(_page_resources, documents)):
        by_type[resource.get_text("type")].append(resource)
    for page in by_type["status_page"]:
        domain = page.get_text("custom_domain")
        page_url = f"https://{domain}" if domain else request.source.removesuffix("/index.json")
        builder.set_page(
            page.get_text("company_name"), page_url, about=page.get_text("announcement"), time_zone=""
        )
    if not builder.plan.page:
        raise NotImportableError(
            f"{display_location(request.source)} is not a Better Stack page",
            "save the index.json of the page",
        )
    sections = {
        section.get_text("id"): section.get_text("name") for section in by_type["status_page_section"]
    }
    components = sorted(by_type["status_page_resource"], key=_position_on_page)
    builder.convert_records(components, lambda part: _add_component(builder, part, sections), "a component")
    updates = {update.get_text("id"): update for update in by_type["status_update"]}
    builder.convert_records(
        by_type["status_report"], lambda report: _add_status_report(builder, report, updates), "a report"
    )
    return builder.plan


def _page_resources(document: Any) -> list[Fields]:
    fields = Fields.from_json_value(document)
    data = fields.get("data") or {}
    parts = (*(data if isinstance(data, list) else [data]), *fields.get_objects("included"))
    return [
        Fields(resource.get_object("attributes") | resource)
        for resource in map(Fields.from_json_value, parts)
    ]


def _position_on_page(component: Fields) -> int:
    text = component.get_text("position")
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else 0


def _add_component(builder: StatusBuilder, component: Fields, section_names: dict[str, str]) -> None:
    status = EFFECTS.get(component.get_normalized_word("status"), "operational")
    builder.add_component(
        component.get_text("id"),
        component.required_text("public_name"),
        group=section_names.get(component.get_text("status_page_section_id"), "")
        if len(section_names) > 1
        else "",
        description=component.get_text("explanation"),
        status=status,
    )
    builder.note_shown_status(component.get_text("id"), status)


def _add_status_report(builder: StatusBuilder, report: Fields, updates_by_id: dict[str, Fields]) -> None:
    references = report.get_object("relationships").get_object("status_updates").get_objects("data")
    posted = [
        updates_by_id[update.get_text("id")]
        for update in references
        if update.get_text("id") in updates_by_id
    ]
    is_maintenance = report.get_text("report_type") == "maintenance"
    is_open = not (is_maintenance or report.get_text("ends_at"))
    builder.add_original_record(
        report.get_text("id"), report.get_text("title"), report.get_text("starts_at"), is_open=is_open
    )
    began = report.required_free_form_time("starts_at")
    ended = report.get_free_form_time("ends_at")
    effects: dict[str, ComponentStatus | None] = {
        builder.get_or_add_component_key(resource.get_text("status_page_resource_id")): EFFECTS.get(
            resource.get_normalized_word("status")
        )
        for resource in report.get_objects("affected_resources")
    }
    ident = report.required_text("id")
    title = report.required_text("title")
    if not is_maintenance:
        converted = [_convert_update(update, "investigating") for update in posted]
        opened = [] if converted else [ForeignUpdate(began, "investigating", "")]
        builder.add_incident(ident, title, converted + opened, effects, ended_at=ended)
    elif ended is None:
        raise NotImportableError("is a maintenance that has no end time")
    else:
        converted = [_convert_update(update, "scheduled") for update in posted]
        builder.add_maintenance(ident, title, (began, ended), components=effects, updates=converted)


def _convert_update(update: Fields, status: UpdateStatus) -> ForeignUpdate:
    at = update.required_free_form_time("published_at")
    return ForeignUpdate(at, status, update.get_text("message"), update.get_text("id"))
