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
from statuary.status.api.documents import unresolved_records, upcoming_and_active_windows
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
    """The section that also serves the status in Instatus's API.

    Instatus is a hosted status page; programs that poll one can then read this site.
    """

    urls = URLS
    feeds = URLS

    @override
    @classmethod
    def settings_model(cls) -> "type[ExtensionSource]":
        """Return the model that validates `instatus` in site.yaml."""
        from statuary.extensions.instatus.settings import SiteInstatusSource

        return SiteInstatusSource

    @override
    def documents_at(
        self, timeline: Timeline, start: Instant, pages: object = None
    ) -> Callable[[Instant], Iterable[Document]]:
        """Return a function from a time to the documents of Instatus's API."""
        states = page_states_from(timeline, start, ())
        return lambda at: iter_instatus_documents(states(at))


def iter_instatus_documents(state: PageState) -> Iterable[Document]:
    """Make the two documents of Instatus's API: summary and components.

    Args:
        state: the status of the components and incidents.
    """
    page = state.page
    summary: dict[str, object] = {
        "page": {
            "name": page.name,
            "url": page.url,
            "status": PAGE_STATUSES.get(state.overall_now.indicator, "HASISSUES"),
        }
    }
    # Instatus omits these members if no incident or maintenance is active, so this document does too.
    incidents = [_make_incident_object(record, state) for record in unresolved_records(state.incidents)]
    maintenances = [
        _make_maintenance_object(record, state) for record in upcoming_and_active_windows(state.maintenances)
    ]
    if incidents:
        summary["activeIncidents"] = incidents
    if maintenances:
        summary["activeMaintenances"] = maintenances
    yield Document(path=SUMMARY.path(), body=encode_json(summary), cache=SUMMARY.cache)
    current_components = [row for row in state.components.values() if not row.component.removed]
    components = {"components": [_make_component_object(row, state) for row in current_components]}
    yield Document(path=COMPONENTS.path(), body=encode_json(components), cache=COMPONENTS.cache)


def _make_record_object(record_state: IncidentState, state: PageState) -> dict[str, object]:
    return {
        "id": record_state.incident.id,
        "name": record_state.incident.name,
        "status": MAINTENANCE_STATUSES.get(record_state.status, record_state.status.upper()),
        "url": incident_url(state.page, record_state.incident.id),
        "updatedAt": format_utc_milliseconds(record_state.updated_at),
    }


def _make_incident_object(incident_state: IncidentState, state: PageState) -> dict[str, object]:
    started = format_utc_milliseconds(incident_state.incident.started_at)
    return _make_record_object(incident_state, state) | {
        "started": started,
        "impact": IMPACTS[incident_state.impact],
    }


def _make_maintenance_object(window_state: IncidentState, state: PageState) -> dict[str, object]:
    incident = window_state.incident
    if not isinstance(incident, Maintenance):
        raise TypeError("an incident has no start and end, unlike a maintenance")
    minutes = (incident.scheduled_until - incident.scheduled_for).total_seconds() // 60
    start = format_utc_milliseconds(incident.scheduled_for)
    return _make_record_object(window_state, state) | {"start": start, "duration": int(minutes)}


def _make_component_object(component_state: ComponentState, state: PageState) -> dict[str, object]:
    component = component_state.component
    group = state.components.get(component.group_id or "")
    members = _make_component_members(component_state) | {"isParent": component.group}
    return members | {"group": None if group is None else _make_component_members(group)}


def _make_component_members(component_state: ComponentState) -> dict[str, object]:
    component = component_state.component
    return {
        "id": component.id,
        "name": component.name,
        "description": component.description or "",
        "status": component_state.now.status.replace("_", "").upper(),
    }
