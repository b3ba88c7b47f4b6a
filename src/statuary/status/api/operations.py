"""The operations of the status, its feeds and its badges, for openapi.json."""

from functools import partial

from statuary.site import url_table
from statuary.site.operations import ApiDescription, Operation
from statuary.status.api import shapes
from statuary.status.model.records import StatusSettings

STATUS_TAG, FEEDS_TAG = "status", "feeds and badges"
"""The parts of the API, as tags."""

_status = partial(Operation, tag=STATUS_TAG)

STATUS_API = ApiDescription(
    STATUS_TAG,
    "Statuspage's API v2, plus the whole history by month.",
    (
        _status(url_table.SUMMARY, shapes.SummaryDocument),
        _status(url_table.STATUS, shapes.StatusDocument),
        _status(url_table.COMPONENTS, shapes.ComponentsDocument),
        _status(url_table.INCIDENTS, shapes.IncidentsDocument),
        _status(url_table.INCIDENTS_UNRESOLVED, shapes.IncidentsDocument),
        _status(url_table.MAINTENANCES, shapes.ScheduledMaintenancesDocument),
        _status(url_table.MAINTENANCES_UPCOMING, shapes.ScheduledMaintenancesDocument),
        _status(url_table.MAINTENANCES_ACTIVE, shapes.ScheduledMaintenancesDocument),
        _status(url_table.INCIDENT, shapes.IncidentDocument, may_be_missing=True),
        _status(url_table.ARCHIVES, shapes.ArchivesDocument, may_be_missing=True),
        _status(url_table.ARCHIVE, shapes.ArchiveDocument, may_be_missing=True),
        _status(url_table.UPTIME, None, may_be_missing=True),
        _status(url_table.EPOCHS, shapes.EpochsDocument),
    ),
)
"""Statuspage's API v2, and what statuary adds to it."""

FEEDS = ApiDescription(
    FEEDS_TAG,
    "The same status for feed readers, calendars and other pages.",
    (
        Operation(url=url_table.HISTORY_ATOM, tag=FEEDS_TAG),
        Operation(url=url_table.HISTORY_RSS, tag=FEEDS_TAG),
        Operation(url=url_table.FEED, tag=FEEDS_TAG),
        Operation(url=url_table.COMPONENT_ATOM, tag=FEEDS_TAG, may_be_missing=True),
        Operation(url=url_table.CALENDAR, tag=FEEDS_TAG),
        Operation(url=url_table.BADGE, tag=FEEDS_TAG),
        Operation(url=url_table.BADGE_ENDPOINT, tag=FEEDS_TAG),
        Operation(url=url_table.COMPONENT_BADGE, tag=FEEDS_TAG, may_be_missing=True),
        Operation(url=url_table.COMPONENT_BADGE_ENDPOINT, tag=FEEDS_TAG, may_be_missing=True),
        Operation(url=url_table.CHANGES, tag=FEEDS_TAG),
    ),
)
"""The same status in other forms."""


def is_served(operation: Operation, settings: StatusSettings) -> bool:
    """Return whether a site with these settings has an operation."""
    if operation.url.name in ("archives", "archive"):
        return settings.archives
    return settings.uptime if operation.url is url_table.UPTIME else True
