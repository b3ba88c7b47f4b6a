"""The JSON objects in status documents, with members in Statuspage's order.

The order, and which member is null when, are measured on real pages. Members that the published specification
omits are included, because real clients fail without them.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from statuary.base.primitives import Instant, format_instant
from statuary.status.model.incident_history import IncidentState, last_edit_as_of
from statuary.status.model.records import REMINDER_INTERVALS_ABSENT, AffectedComponent, Maintenance, Page
from statuary.status.model.status_history import PublishedUpdate
from statuary.status.model.timeline import ComponentState
from statuary.status.model.vocabulary import OverallStatus
from statuary.status.urls import INCIDENT_PAGE


class TimestampFormatter:
    """Formats times for the API, in the page's time zone; results are cached."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone
        self._formatted: dict[Instant, str] = {}

    def __call__(self, instant: Instant) -> str:
        """Format an instant as Statuspage does."""
        text = self._formatted.get(instant)
        if text is None:
            text = self._formatted[instant] = format_instant(instant, self._zone)
        return text

    def format_or_none(self, instant: Instant | None) -> str | None:
        """Format a time for the API; None stays None."""
        return None if instant is None else self(instant)


EncodedJson = bytes
"""The verified bytes of a JSON value, as `encode_json` returns them."""

Members = dict[str, Any]
"""A JSON object."""


def page_json(page: Page, updated_at: Instant, timestamps: TimestampFormatter) -> Members:
    """Return the JSON object `page` with which each API document starts.

    Args:
        page: the settings of the status page.
        updated_at: the time of the last change to the page.
        timestamps: formats times in the page's time zone.
    """
    return {
        "id": page.id,
        "name": page.name,
        "url": page.published_url or page.url,
        "time_zone": page.time_zone.key,
        "updated_at": timestamps(updated_at),
    }


def status_json(overall_status: OverallStatus) -> Members:
    """Return the page's status as a JSON object: indicator and words.

    For example, `{"indicator": "none", "description": "All Systems Operational"}`.
    """
    return {"indicator": overall_status.indicator, "description": overall_status.description}


def component_json(state: ComponentState, page: Page, timestamps: TimestampFormatter) -> Members:
    """Return a component or group as a JSON object.

    Args:
        state: the component or group at a time.
        page: the page that it belongs to.
        timestamps: formats times.
    """
    component = state.component
    start_date = component.start_date
    members: Members = {
        "id": component.id,
        "name": component.name,
        "status": state.status,
        "created_at": timestamps(component.created_at),
        "updated_at": timestamps(state.updated_at),
        "position": component.position,
        "description": component.description,
        "showcase": component.showcase,
        # Statuspage's specification says that this is a date-time, but every real page serves a date.
        "start_date": None if start_date is None else start_date.isoformat(),
        "group_id": component.group_id,
        "page_id": page.id,
        "group": component.group,
        "only_show_if_degraded": component.only_show_if_degraded,
    }
    if component.group:
        members["components"] = list(component.children)
    return members


def incident_json(
    state: IncidentState, components: list[Members], page: Page, timestamps: TimestampFormatter
) -> Members:
    """Return an incident or maintenance window as a JSON object.

    The members are the keys and values of the object, as in Statuspage's API.

    Args:
        state: the incident or maintenance window at some time.
        components: the JSON objects of the components that it affects.
        page: the page that it belongs to.
        timestamps: formats times in the page's time zone.
    """
    incident = state.incident
    members: Members = {
        "id": incident.id,
        "name": incident.name,
        "status": state.status,
        "created_at": timestamps(incident.created_at),
        "updated_at": timestamps(state.updated_at),
        "monitoring_at": timestamps.format_or_none(state.monitoring_at),
        "resolved_at": timestamps.format_or_none(state.resolved_at),
        "impact": state.impact,
        "shortlink": incident.shortlink or f"{page.url}/{INCIDENT_PAGE.link(incident_id=incident.id)}",
        "started_at": timestamps(incident.started_at),
        "page_id": page.id,
        "incident_updates": [
            update_json(published_update, incident.id, state.since, timestamps)
            for published_update in state.published_updates
        ],
        "components": components,
    }
    if isinstance(incident, Maintenance):
        members["scheduled_for"] = timestamps(incident.scheduled_for)
        members["scheduled_until"] = timestamps(incident.scheduled_until)
    elif incident.reminder_intervals != REMINDER_INTERVALS_ABSENT:
        members["reminder_intervals"] = incident.reminder_intervals
    return members


def update_json(
    published_update: PublishedUpdate, incident_id: str, as_of: Instant, timestamps: TimestampFormatter
) -> Members:
    """Return an update of an incident as a JSON object.

    Args:
        published_update: the update.
        incident_id: the id of its incident or maintenance window.
        as_of: the time for which to return it; later edits of the update are ignored.
        timestamps: formats times in the page's time zone.
    """
    update = published_update.update
    return {
        "id": update.id,
        "status": update.status,
        "body": update.body,
        "incident_id": incident_id,
        "created_at": timestamps(update.created_at),
        "updated_at": timestamps(last_edit_as_of(published_update, as_of)),
        "display_at": timestamps(update.display_at),
        "affected_components": affected_components_json(published_update.affected_components),
        "deliver_notifications": update.deliver_notifications,
        "custom_tweet": update.custom_tweet,
        "tweet_id": update.tweet_id,
    }


def affected_components_json(affected: Iterable[AffectedComponent] | None) -> list[Members] | None:
    """Return the JSON list `affected_components` of an update.

    Args:
        affected: the components and their statuses; None if the update affects none.
    """
    if affected is None:
        return None
    return [
        {key: value for key, value in component._asdict().items() if value is not None}
        for component in affected
    ]


def affected_component_objects(
    state: IncidentState, component_objects: Mapping[str, EncodedJson], positions: Mapping[str, int]
) -> list[EncodedJson]:
    """Return the JSON objects of the components that an incident affects.

    They are sorted by `component_order` in the incident's file; without that key, as on the page.

    Args:
        state: the incident or maintenance window.
        component_objects: the JSON object of each component of the page, by component id.
        positions: the position of each component on the page, by component id.
    """
    known_components = [component for component in state.components if component in component_objects]
    if not state.incident.component_order:
        known_components.sort(key=positions.__getitem__)
    return [component_objects[component] for component in known_components]
