"""The two documents of Instatus's public API.

Members and words are those that programs read there (https://instatus.com/help/api): statuses in one
upper-case word, instants in UTC with milliseconds, the length of a maintenance in minutes.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from typing_extensions import override

from statuary.base.primitives import Instant, format_utc_milliseconds
from statuary.section import Section
from statuary.site.document import Document, encode_json
from statuary.site.urls import SHORT_LIVED, PutStep, Url
from statuary.status.api.documents import announced_windows, unresolved_records
from statuary.status.feeds.feed import incident_url
from statuary.status.hooks import FollowsStatus
from statuary.status.model.incident_history import IncidentState
from statuary.status.model.records import Maintenance
from statuary.status.model.timeline import ComponentState, PageState, Timeline, page_states_from
from statuary.status.model.vocabulary import Impact, UpdateStatus

if TYPE_CHECKING:
    from statuary.engine.extension_settings import ExtensionSource

SUMMARY = Url(
    "instatus-summary",
    "summary.json",
    "the status of the page and what is going on, as Instatus serves it",
    cache=SHORT_LIVED,
    put=PutStep.STATUS,
)
COMPONENTS = Url(
    "instatus-components",
    "v2/components.json",
    "the status of every component, as Instatus serves it",
    cache=SHORT_LIVED,
    put=PutStep.STATUS,
    own_rule=True,
)
URLS = (SUMMARY, COMPONENTS)

PAGE_STATUSES: dict[Impact, str] = {"none": "UP", "maintenance": "UNDERMAINTENANCE"}
"""The page's status by its indicator; for all others it is `HASISSUES`."""

IMPACTS: dict[Impact, str] = {
    "none": "OPERATIONAL",
    "maintenance": "UNDERMAINTENANCE",
    "minor": "DEGRADEDPERFORMANCE",
    "major": "PARTIALOUTAGE",
    "critical": "MAJOROUTAGE",
}

MAINTENANCE_STATUSES: dict[UpdateStatus, str] = {"scheduled": "NOTSTARTEDYET", "in_progress": "INPROGRESS"}
"""The words that differ from the status in capitals."""


class InstatusSection(Section, FollowsStatus):
    """The section that adds the documents of Instatus's API."""

    urls = URLS
    feeds = URLS

    @override
    @classmethod
    def source(cls) -> "type[ExtensionSource]":
        from statuary.extensions.instatus.settings import SiteInstatusSource

        return SiteInstatusSource

    @override
    def documents_at(
        self, timeline: Timeline, start: Instant, pages: object = None
    ) -> Callable[[Instant], Iterable[Document]]:
        states = page_states_from(timeline, start, ())
        return lambda at: instatus_documents(states(at))


def instatus_documents(state: PageState) -> Iterable[Document]:
    """Yield the summary and the components in the format of Instatus's API.

    Args:
        state: the status of the page at one time.
    """
    page = state.page
    summary: dict[str, object] = {
        "page": {
            "name": page.name,
            "url": page.url,
            "status": PAGE_STATUSES.get(state.overall_now.indicator, "HASISSUES"),
        }
    }
    # like Instatus, omit these members if no incident or maintenance is active
    incidents = [_incident_object(record, state) for record in unresolved_records(state.incidents)]
    maintenances = [_maintenance_object(record, state) for record in announced_windows(state.maintenances)]
    if incidents:
        summary["activeIncidents"] = incidents
    if maintenances:
        summary["activeMaintenances"] = maintenances
    yield Document(path=SUMMARY.path(), body=encode_json(summary), cache=SUMMARY.cache)
    current_components = [row for row in state.components.values() if not row.component.removed]
    components = {"components": [_component_object(row, state) for row in current_components]}
    yield Document(path=COMPONENTS.path(), body=encode_json(components), cache=COMPONENTS.cache)


def _record_object(record: IncidentState, state: PageState) -> dict[str, object]:
    return {
        "id": record.incident.id,
        "name": record.incident.name,
        "status": MAINTENANCE_STATUSES.get(record.status, record.status.upper()),
        "url": incident_url(state.page, record.incident.id),
        "updatedAt": format_utc_milliseconds(record.updated_at),
    }


def _incident_object(record: IncidentState, state: PageState) -> dict[str, object]:
    started = format_utc_milliseconds(record.incident.started_at)
    return _record_object(record, state) | {"started": started, "impact": IMPACTS[record.impact]}


def _maintenance_object(record: IncidentState, state: PageState) -> dict[str, object]:
    incident = record.incident
    if not isinstance(incident, Maintenance):
        raise TypeError("an incident has no start and end, unlike a maintenance")
    minutes = (incident.scheduled_until - incident.scheduled_for).total_seconds() // 60
    start = format_utc_milliseconds(incident.scheduled_for)
    return _record_object(record, state) | {"start": start, "duration": int(minutes)}


def _component_object(row: ComponentState, state: PageState) -> dict[str, object]:
    component = row.component
    group = state.components.get(component.group_id or "")
    members = _component_members(row) | {"isParent": component.group}
    return members | {"group": None if group is None else _component_members(group)}


def _component_members(row: ComponentState) -> dict[str, object]:
    component = row.component
    return {
        "id": component.id,
        "name": component.name,
        "description": component.description or "",
        "status": row.now.status.replace("_", "").upper(),
    }
