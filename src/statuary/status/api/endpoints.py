"""The endpoints of the status that the API page lists, by subject."""

from statuary.site import url_table

STATUS_ENDPOINTS = (
    url_table.SUMMARY,
    url_table.STATUS,
    url_table.COMPONENTS,
    url_table.INCIDENTS_UNRESOLVED,
    url_table.INCIDENTS,
    url_table.INCIDENT,
    url_table.MAINTENANCES_UPCOMING,
    url_table.MAINTENANCES_ACTIVE,
    url_table.MAINTENANCES,
    url_table.ARCHIVES,
    url_table.ARCHIVE,
    url_table.UPTIME,
    url_table.UPTIME_SCHEMA,
    url_table.EPOCHS,
)
"""Statuspage's API v2, and what statuary adds to it."""

FEED_ENDPOINTS = (
    url_table.HISTORY_ATOM,
    url_table.HISTORY_RSS,
    url_table.FEED,
    url_table.COMPONENT_ATOM,
    url_table.CALENDAR,
    url_table.BADGE,
    url_table.BADGE_ENDPOINT,
    url_table.COMPONENT_BADGE,
    url_table.COMPONENT_BADGE_ENDPOINT,
    url_table.CHANGES,
)
"""Feeds, badges and the last change."""
