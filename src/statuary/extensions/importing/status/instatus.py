"""An Instatus page: its API with a key, its public `summary.json`, or saved documents of either.

Shapes: https://instatus.com/help/api. Records are recognized by their members.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from statuary.domain.status.vocabulary import ComponentStatus, UpdateStatus
from statuary.extensions.importing.report import Lost, SourceError
from statuary.extensions.importing.status.status_builder import (
    ForeignUpdate,
    StatusBuilder,
    end_of,
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
    """Return the content of a page; raise SourceError if the source is not one of Instatus."""
    built = StatusBuilder(request)
    records = [one for document in _documents(request, built) for one in _records(built, document)]
    if not records and not built.plan.page:
        raise SourceError(f"{request.source} has no Instatus documents", "see the manual for what to save")
    for noun, convert in ((COMPONENT, _component), (INCIDENT, _incident), (MAINTENANCE, _maintenance)):
        built.convert([one for one in records if _noun(one) == noun], partial(convert, built), noun)
    return built.plan


COMPONENT, INCIDENT, MAINTENANCE = "a component", "an incident", "a maintenance"


def _documents(request: ImportRequest, built: StatusBuilder) -> Iterator[Any]:
    if not request.is_url:
        yield from request.json_files()
        return
    base = request.source.rstrip("/")
    if urlsplit(base).path.startswith("/v1/"):
        yield from (request.web.json(f"{base}/{name}") for name in WITH_KEY)
        return
    built.lost.append(Lost("is public only while it is active; the rest needs the API with a key", base))
    yield request.web.json(f"{base}/summary.json")


def _records(built: StatusBuilder, document: Any) -> Iterator[Members]:
    """Yield the records of a document: a list of the API, or what a public one names."""
    if isinstance(document, list):
        yield from (as_members(one) for one in document)
        return
    page = as_members(as_members(document).get("page") or {})
    if page:
        built.page(text_of(page, "name"), text_of(page, "url"))
    for name in ("components", "incidents", "activeIncidents", "maintenances", "activeMaintenances"):
        yield from list_of(document, name)


def _noun(record: Members) -> str:
    if "duration" in record and "start" in record:
        return MAINTENANCE
    return INCIDENT if "started" in record else COMPONENT


def _component(built: StatusBuilder, one: Members) -> None:
    group = one.get("group")
    built.component(
        text_of(one, "id", "name"),
        required_text(one, "name"),
        group=text_of(group, "name") if isinstance(group, dict) else "",
        description=text_of(one, "description"),
        status=COMPONENT_STATUSES.get(word(one.get("status")), "operational"),
    )


def _updates(record: Members, *began: str) -> list[ForeignUpdate]:
    """Return the updates of a record; a public document has only its status."""
    found = list_of(record, "updates") or [record]
    return [
        ForeignUpdate(
            required_date(one, "started", "createdAt", *began),
            STATUSES.get(word(one.get("status")), "investigating"),
            text_of(one, "message"),
            text_of(one, "id") if one is not record else "",
        )
        for one in found
    ]


def _ident(record: Members) -> str:
    return text_of(record, "id") or required_text(record, "url").rpartition("/")[2]


def _incident(built: StatusBuilder, record: Members) -> None:
    impact = COMPONENT_STATUSES.get(word(record.get("impact")))
    affected = {
        built.named(text_of(one, "id", "name"), text_of(one, "name")): impact
        for one in list_of(record, "components")
    }
    built.incident(_ident(record), required_text(record, "name"), _updates(record, "start"), affected)


def _maintenance(built: StatusBuilder, record: Members) -> None:
    begins = required_date(record, "start")
    built.maintenance(
        _ident(record),
        required_text(record, "name"),
        (begins, end_of(begins, record.get("duration"))),
        components=[
            built.named(text_of(one, "id", "name"), text_of(one, "name"))
            for one in list_of(record, "components")
        ],
        updates=[one for one in _updates(record, "start") if list_of(record, "updates")],
    )
