"""The status endpoints on the API page, by subject."""

from statuary.status import urls as status_urls

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
