"""A Better Stack status page: its public `index.json`, by URL or saved.

Shape: JSON:API, https://betterstack.com/docs/uptime/api/status-pages. Reports have updates as separate objects.
"""

from collections import defaultdict
from itertools import chain
from typing import Any

from statuary.domain.status.vocabulary import ComponentStatus, UpdateStatus
from statuary.extensions.importing.report import SourceError
from statuary.extensions.importing.status.status_builder import (
    ForeignUpdate,
    StatusBuilder,
    any_instant,
    required_date,
    word,
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

EFFECTS: dict[str, ComponentStatus] = {
    "downtime": "major_outage",
    "degraded": "degraded_performance",
    "maintenance": "under_maintenance",
}


def read_betterstack(request: ImportRequest) -> StatusPlan:
    """Return the content of a page; raise SourceError if the source is not one of Better Stack."""
    url = request.source.removesuffix("/index.json").rstrip("/") + "/index.json"
    documents = [request.web.json(url)] if request.is_url else list(request.json_files())
    built, by_type = StatusBuilder(request), defaultdict[str, list[Members]](list)
    for one in chain.from_iterable(map(_objects, documents)):
        by_type[text_of(one, "type")].append(one)
    for page in by_type["status_page"]:
        _page(built, page, request.source)
    if not built.plan.page:
        raise SourceError(f"{request.source} is not a Better Stack page", "save the index.json of the page")
    sections = {text_of(one, "id"): text_of(one, "name") for one in by_type["status_page_section"]}
    resources = sorted(by_type["status_page_resource"], key=lambda one: int(text_of(one, "position") or 0))
    built.convert(resources, lambda one: _component(built, one, sections), "a component")
    updates = {text_of(one, "id"): one for one in by_type["status_update"]}
    built.convert(by_type["status_report"], lambda one: _report(built, one, updates), "a report")
    return built.plan


def _objects(document: Any) -> list[Members]:
    data = as_members(document).get("data")
    return [
        *map(_flat, data if isinstance(data, list) else [data or {}]),
        *map(_flat, list_of(document, "included")),
    ]


def _flat(one: Any) -> Members:
    found = as_members(one)
    return {**as_members(found.get("attributes") or {}), **found}


def _page(built: StatusBuilder, page: Members, source: str) -> None:
    domain = text_of(page, "custom_domain")
    url = f"https://{domain}" if domain else source.removesuffix("/index.json")
    built.page(text_of(page, "company_name"), url, about=text_of(page, "announcement"), time_zone="")


def _component(built: StatusBuilder, one: Members, sections: dict[str, str]) -> None:
    built.component(
        text_of(one, "id"),
        required_text(one, "public_name"),
        group=sections.get(text_of(one, "status_page_section_id"), "") if len(sections) > 1 else "",
        description=text_of(one, "explanation"),
        status=EFFECTS.get(word(one.get("status")), "operational"),
    )


def _report(built: StatusBuilder, report: Members, updates: dict[str, Members]) -> None:
    related = as_members(as_members(report.get("relationships") or {}).get("status_updates") or {})
    posted = [
        updates[text_of(one, "id")] for one in list_of(related, "data") if text_of(one, "id") in updates
    ]
    began, ended = required_date(report, "starts_at"), any_instant(report, "ends_at")
    effects = _effects(built, report)
    ident = required_text(report, "id")
    if text_of(report, "report_type") != "maintenance":
        converted = [_update(one, "investigating") for one in posted] or [
            ForeignUpdate(began, "investigating", "")
        ]
        built.incident(ident, required_text(report, "title"), converted, effects, ended_at=ended)
    elif ended is None:
        raise SourceError("is a maintenance without an end")
    else:
        converted = [_update(one, "scheduled") for one in posted]
        built.maintenance(
            ident, required_text(report, "title"), (began, ended), components=effects, updates=converted
        )


def _effects(built: StatusBuilder, report: Members) -> dict[str, ComponentStatus | None]:
    return {
        built.named(text_of(one, "status_page_resource_id")): EFFECTS.get(word(one.get("status")))
        for one in list_of(report, "affected_resources")
    }


def _update(one: Members, status: UpdateStatus) -> ForeignUpdate:
    return ForeignUpdate(
        required_date(one, "published_at"), status, text_of(one, "message"), text_of(one, "id")
    )
