"""One value to one JSON object, members in the order in which Statuspage writes them.

The orders, and which member is null when, are measured on real pages; the superset of members is written,
also those that the published specification leaves out, because real clients fail without them.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from statuary.documents.status_api.timestamps import TimestampFormatter
from statuary.domain.primitives import Instant
from statuary.domain.status.components import Component
from statuary.domain.status.incident_history import IncidentState, last_edit_as_of
from statuary.domain.status.incidents import REMINDER_INTERVALS_ABSENT, AffectedComponent
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.overall_status import OverallStatus
from statuary.domain.status.page import Page
from statuary.domain.status.page_state import ComponentState
from statuary.domain.status.status_history import PublishedUpdate

EncodedJson = Any
"""A JSON value's proved bytes, as `proved_part` returns them."""

Members = dict[str, Any]
"""A JSON object in the order of its members."""


def page_members(page: Page, updated_at: Instant, stamps: TimestampFormatter) -> Members:
    """Return the `page` member that every document begins with."""
    return {
        "id": page.id,
        "name": page.name,
        "url": page.url,
        "time_zone": page.time_zone.key,
        "updated_at": stamps(updated_at),
    }


def status_members(overall_status: OverallStatus) -> Members:
    """Return the `status` member."""
    return {"indicator": overall_status.indicator, "description": overall_status.description}


def component_members(state: ComponentState, page: Page, stamps: TimestampFormatter) -> Members:
    """Return a component; a group has one member more, its components' ids."""
    component = state.component
    members: Members = {
        "id": component.id,
        "name": component.name,
        "status": state.status,
        "created_at": stamps(component.created_at),
        "updated_at": stamps(state.updated_at),
        "position": component.position,
        "description": component.description,
        "showcase": component.showcase,
        "start_date": _start_date(component),
        "group_id": component.group_id,
        "page_id": page.id,
        "group": component.group,
        "only_show_if_degraded": component.only_show_if_degraded,
    }
    if component.group:
        members["components"] = list(component.children)
    return members


def _start_date(component: Component) -> str | None:
    # a day, though the specification says date-time: that is what every real page serves
    return None if component.start_date is None else component.start_date.isoformat()


def incident_members(
    state: IncidentState, components: list[Members], page: Page, stamps: TimestampFormatter
) -> Members:
    """Return an incident, or a maintenance, with the objects of its components."""
    incident = state.incident
    members: Members = {
        "id": incident.id,
        "name": incident.name,
        "status": state.status,
        "created_at": stamps(incident.created_at),
        "updated_at": stamps(state.updated_at),
        "monitoring_at": stamps.or_null(state.monitoring_at),
        "resolved_at": stamps.or_null(state.resolved_at),
        "impact": state.impact,
        "shortlink": incident.shortlink or f"{page.url}/incidents/{incident.id}",
        "started_at": stamps(incident.started_at),
        "page_id": page.id,
        "incident_updates": [
            update_members(published, incident.id, state.since, stamps)
            for published in state.published_updates
        ],
        "components": components,
    }
    if isinstance(incident, Maintenance):
        members["scheduled_for"] = stamps(incident.scheduled_for)
        members["scheduled_until"] = stamps(incident.scheduled_until)
    elif incident.reminder_intervals != REMINDER_INTERVALS_ABSENT:
        members["reminder_intervals"] = incident.reminder_intervals
    return members


def update_members(
    published: PublishedUpdate, incident_id: str, as_of: Instant, stamps: TimestampFormatter
) -> Members:
    """Return an incident update as it reads at an instant."""
    update = published.update
    return {
        "id": update.id,
        "status": update.status,
        "body": update.body,
        "incident_id": incident_id,
        "created_at": stamps(update.created_at),
        "updated_at": stamps(last_edit_as_of(published, as_of)),
        "display_at": stamps(update.display_at),
        "affected_components": affected_members(published.affected_components),
        "deliver_notifications": update.deliver_notifications,
        "custom_tweet": update.custom_tweet,
        "tweet_id": update.tweet_id,
    }


def affected_members(affected: Iterable[AffectedComponent] | None) -> list[Members] | None:
    """Return what an update says of its components."""
    if affected is None:
        return None
    return [
        {"code": one.code, "name": one.name, "old_status": one.old_status, "new_status": one.new_status}
        for one in affected
    ]


def components_of(
    state: IncidentState, by_id: Mapping[str, Members], positions: Mapping[str, int]
) -> list[Members]:
    """Return the objects of an incident's components in order of position, those gone from the page left out."""
    present = [component for component in state.components if component in by_id]
    if len(present) > 1:
        present.sort(key=positions.__getitem__)
    return [by_id[component] for component in present]
