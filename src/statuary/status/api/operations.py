"""The OpenAPI operations of the status API, feeds and badges."""

from functools import partial

from statuary.site.operations import ApiDescription, Operation
from statuary.status import urls as status_urls
from statuary.status.api import shapes
from statuary.status.model.records import StatusSettings

STATUS_TAG, FEEDS_TAG = "status", "feeds and badges"
"""The parts of the API, as tags."""

_status = partial(Operation, tag=STATUS_TAG)

STATUS_API = ApiDescription(
    STATUS_TAG,
    "Statuspage's API v2, plus the whole history by month.",
    (
        _status(status_urls.SUMMARY, shapes.SummaryDocument),
        _status(status_urls.STATUS, shapes.StatusDocument),
        _status(status_urls.COMPONENTS, shapes.ComponentsDocument),
        _status(status_urls.INCIDENTS, shapes.IncidentsDocument),
        _status(status_urls.INCIDENTS_UNRESOLVED, shapes.IncidentsDocument),
        _status(status_urls.MAINTENANCES, shapes.ScheduledMaintenancesDocument),
        _status(status_urls.MAINTENANCES_UPCOMING, shapes.ScheduledMaintenancesDocument),
        _status(status_urls.MAINTENANCES_ACTIVE, shapes.ScheduledMaintenancesDocument),
        _status(status_urls.INCIDENT, shapes.IncidentDocument, may_be_missing=True),
        _status(status_urls.ARCHIVES, shapes.ArchivesDocument, may_be_missing=True),
        _status(status_urls.ARCHIVE, shapes.ArchiveDocument, may_be_missing=True),
        _status(status_urls.UPTIME, schema=status_urls.UPTIME_SCHEMA, may_be_missing=True),
        _status(status_urls.EPOCHS, shapes.EpochsDocument),
    ),
)
"""Statuspage's API v2, and what statuary adds to it."""

FEEDS = ApiDescription(
    FEEDS_TAG,
    "The same status for feed readers, calendars and other pages.",
    (
        Operation(url=status_urls.HISTORY_ATOM, tag=FEEDS_TAG),
        Operation(url=status_urls.HISTORY_RSS, tag=FEEDS_TAG),
        Operation(url=status_urls.FEED, tag=FEEDS_TAG),
        Operation(url=status_urls.COMPONENT_ATOM, tag=FEEDS_TAG, may_be_missing=True),
        Operation(url=status_urls.CALENDAR, tag=FEEDS_TAG),
        Operation(url=status_urls.BADGE, tag=FEEDS_TAG),
        Operation(url=status_urls.BADGE_ENDPOINT, tag=FEEDS_TAG),
        Operation(url=status_urls.COMPONENT_BADGE, tag=FEEDS_TAG, may_be_missing=True),
        Operation(url=status_urls.COMPONENT_BADGE_ENDPOINT, tag=FEEDS_TAG, may_be_missing=True),
        Operation(url=status_urls.CHANGES, tag=FEEDS_TAG),
    ),
)
"""The same status in other forms."""


def is_served(operation: Operation, settings: StatusSettings) -> bool:
    """Return whether a site publishes the documents of an API call.

    Args:
        operation: the API call.
        settings: the settings of the status, which can turn documents off.
    """
    if operation.url.name in ("archives", "archive"):
        return settings.archives
    return settings.uptime if operation.url is status_urls.UPTIME else True


STATUS_ENDPOINTS = (
    status_urls.SUMMARY,
    status_urls.STATUS,
    status_urls.COMPONENTS,
    status_urls.INCIDENTS_UNRESOLVED,
    status_urls.INCIDENTS,
    status_urls.INCIDENT,
    status_urls.MAINTENANCES_UPCOMING,
    status_urls.MAINTENANCES_ACTIVE,
    status_urls.MAINTENANCES,
    status_urls.ARCHIVES,
    status_urls.ARCHIVE,
    status_urls.UPTIME,
    status_urls.UPTIME_SCHEMA,
    status_urls.EPOCHS,
)
"""Statuspage's API v2, and what statuary adds to it."""

FEED_ENDPOINTS = (
    status_urls.HISTORY_ATOM,
    status_urls.HISTORY_RSS,
    status_urls.FEED,
    status_urls.COMPONENT_ATOM,
    status_urls.CALENDAR,
    status_urls.BADGE,
    status_urls.BADGE_ENDPOINT,
    status_urls.COMPONENT_BADGE,
    status_urls.COMPONENT_BADGE_ENDPOINT,
    status_urls.CHANGES,
)
"""Feeds, badges and the last change."""
