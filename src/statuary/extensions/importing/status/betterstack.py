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
    documents = [request.web.json(url)] if request.is_url else request.json_documents()
    builder = StatusBuilder(request)
    by_type = defaultdict[str, list[Fields]](list)
    for resource in chain.from_iterable(map(_resources_of, documents)):
        by_type[resource.text("type")].append(resource)
    for page in by_type["status_page"]:
        domain = page.text("custom_domain")
        page_url = f"https://{domain}" if domain else request.source.removesuffix("/index.json")
        builder.set_page(page.text("company_name"), page_url, about=page.text("announcement"), time_zone="")
    if not builder.plan.page:
        raise NotImportableError(
            f"{display_location(request.source)} is not a Better Stack page",
            "save the index.json of the page",
        )
    sections = {section.text("id"): section.text("name") for section in by_type["status_page_section"]}
    components = sorted(by_type["status_page_resource"], key=_position_on_page)
    builder.convert_records(components, lambda part: _add_component(builder, part, sections), "a component")
    updates = {update.text("id"): update for update in by_type["status_update"]}
    builder.convert_records(
        by_type["status_report"], lambda report: _add_report(builder, report, updates), "a report"
    )
    return builder.plan


def _resources_of(document: Any) -> list[Fields]:
    fields = Fields.wrap(document)
    data = fields.get("data") or {}
    parts = (*(data if isinstance(data, list) else [data]), *fields.objects("included"))
    return [Fields(resource.object("attributes") | resource) for resource in map(Fields.wrap, parts)]


def _position_on_page(component: Fields) -> int:
    """Return a component's place on the page, which is 0 if it is unknown."""
    text = component.text("position")
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else 0


def _add_component(builder: StatusBuilder, component: Fields, sections: dict[str, str]) -> None:
    status = EFFECTS.get(component.word("status"), "operational")
    builder.add_component(
        component.text("id"),
        component.required_text("public_name"),
        group=sections.get(component.text("status_page_section_id"), "") if len(sections) > 1 else "",
        description=component.text("explanation"),
        status=status,
    )
    builder.note_status(component.text("id"), status)


def _add_report(builder: StatusBuilder, report: Fields, updates: dict[str, Fields]) -> None:
    references = report.object("relationships").object("status_updates").objects("data")
    posted = [updates[update.text("id")] for update in references if update.text("id") in updates]
    is_maintenance = report.text("report_type") == "maintenance"
    is_open = not (is_maintenance or report.text("ends_at"))
    builder.count_record(report.text("id"), report.text("title"), report.text("starts_at"), is_open=is_open)
    began = report.required_date("starts_at")
    ended = report.date("ends_at")
    effects: dict[str, ComponentStatus | None] = {
        builder.key_of_component(resource.text("status_page_resource_id")): EFFECTS.get(
            resource.word("status")
        )
        for resource in report.objects("affected_resources")
    }
    ident = report.required_text("id")
    title = report.required_text("title")
    if not is_maintenance:
        converted = [_convert_update(update, "investigating") for update in posted]
        opened = [] if converted else [ForeignUpdate(began, "investigating", "")]
        builder.add_incident(ident, title, converted + opened, effects, ended_at=ended)
    elif ended is None:
        raise NotImportableError("is a maintenance without an end")
    else:
        converted = [_convert_update(update, "scheduled") for update in posted]
        builder.add_maintenance(ident, title, (began, ended), components=effects, updates=converted)


def _convert_update(update: Fields, status: UpdateStatus) -> ForeignUpdate:
    at = update.required_date("published_at")
    return ForeignUpdate(at, status, update.text("message"), update.text("id"))
