"""The URLs of the status: Statuspage's API, feeds, and the pages."""

from datetime import datetime

from statuary.site.url_table import match_url
from statuary.site.urls import (
    ATOM,
    HTML,
    ICALENDAR,
    JSON_FEED,
    RSS,
    SHORT_LIVED,
    STATUS_PAGE,
    SVG,
    FrameLinks,
    PutStep,
    Url,
    UrlRows,
)

_rows = UrlRows()

# The status API

SUMMARY = _rows.add_status_url(
    "summary",
    "api/v2/summary.json",
    "the whole status, with components, unresolved incidents, and upcoming and active maintenances",
)
STATUS = _rows.add_status_url("status", "api/v2/status.json", "the status of the page")
COMPONENTS = _rows.add_status_url("components", "api/v2/components.json", "the status of every component")
INCIDENTS = _rows.add_status_url("incidents", "api/v2/incidents.json", "the latest incidents")
INCIDENTS_UNRESOLVED = _rows.add_status_url(
    "incidents-unresolved", "api/v2/incidents/unresolved.json", "the unresolved incidents"
)
INCIDENT = _rows.add_status_url(
    "incident", "incidents/{incident_id}.json", "an incident or maintenance", put=PutStep.BODY
)
MAINTENANCES = _rows.add_status_url(
    "scheduled-maintenances", "api/v2/scheduled-maintenances.json", "the latest scheduled maintenances"
)
MAINTENANCES_UPCOMING = _rows.add_status_url(
    "scheduled-maintenances-upcoming",
    "api/v2/scheduled-maintenances/upcoming.json",
    "the upcoming maintenances",
)
MAINTENANCES_ACTIVE = _rows.add_status_url(
    "scheduled-maintenances-active", "api/v2/scheduled-maintenances/active.json", "the active maintenances"
)
ARCHIVES = _rows.add_status_url("archives", "api/v2/history.json", "the months of the history")
ARCHIVE = _rows.add_status_url(
    "archive",
    "api/v2/history/{month}.json",
    "the incidents and maintenances created in a month",
    put=PutStep.BODY,
)
UPTIME = _rows.add_status_url(
    "uptime", "api/v2/uptime.json", "the uptime over 90 days, of the page, its groups and components"
)
UPTIME_SCHEMA = _rows.add_status_url(
    "uptime-schema", "api/v2/uptime.schema.json", "the JSON Schema of the uptime document", put=PutStep.BODY
)
EPOCHS = _rows.add_status_url(
    "epochs", "api/v2/_epochs/index.json", "the instants at which documents change without a new build"
)
EPOCH_PATCH = _rows.add_status_url(
    "epoch-patch",
    "api/v2/_epochs/{epoch}/{path}.patch.json",
    "a document from a later instant on, as a patch of an earlier one",
    put=PutStep.BODY,
)
EPOCH_DOCUMENT = Url(
    "epoch-document",
    "api/v2/_epochs/{epoch}/{path}",
    "a document from a later instant on",
    cache=SHORT_LIVED,
    put=PutStep.BODY,
    is_version=True,
)
_rows.append(EPOCH_DOCUMENT)


def epoch_name(since: datetime) -> str:
    """Format a time for the URLs of later document versions.

    Args:
        since: the time when the versions begin; the name is this time in UTC with milliseconds, such as
            `20261201T220000000Z`.
    """
    return f"{since:%Y%m%dT%H%M%S}{since.microsecond // 1000:03}Z"


# URLs of the feeds, the calendar and the badges

HISTORY_ATOM = _rows.add_status_url(
    "history-atom", "history.atom", "an Atom feed, with the latest incidents and maintenances", ATOM
)
HISTORY_RSS = _rows.add_status_url(
    "history-rss", "history.rss", "an RSS feed, with the latest incidents and maintenances", RSS
)
# The path cannot be `history.json`, because Statuspage serves another document there: the months of the
# history.
FEED = _rows.add_status_url(
    "feed", "feed.json", "a JSON Feed, with the latest incidents and maintenances", JSON_FEED
)
COMPONENT_ATOM = _rows.add_status_url(
    "component-atom",
    "components/{component_id}/history.atom",
    "an Atom feed of a component or group, with its latest incidents and maintenances",
    ATOM,
)
CALENDAR = _rows.add_status_url(
    "calendar", "maintenances.ics", "the scheduled maintenances as a calendar", ICALENDAR
)
BADGE = _rows.add_status_url("badge", "badge.svg", "the status of the page as a picture", SVG)
BADGE_ENDPOINT = _rows.add_status_url("badge-endpoint", "badge.json", "the status of the page for shields.io")
COMPONENT_BADGE = _rows.add_status_url(
    "component-badge",
    "components/{component_id}/badge.svg",
    "the status of a component or group as a picture",
    SVG,
)
COMPONENT_BADGE_ENDPOINT = _rows.add_status_url(
    "component-badge-endpoint",
    "components/{component_id}/badge.json",
    "the status of a component or group for shields.io",
)
CHANGES = _rows.add_status_url(
    "changes", "changes.json", "the last change of the page, in the form of Statuspage's webhooks"
)
_rows.append(STATUS_PAGE)
INCIDENT_PAGE = _rows.add_status_url(
    "incident-page",
    "incidents/{incident_id}.html",
    "the page of an incident or maintenance",
    HTML,
    put=PutStep.PAGE,
)
HISTORY_PAGE = _rows.add_status_url(
    "history-page", "history.html", "the incidents and maintenances of the latest months", HTML
)
HISTORY_QUARTER_PAGE = _rows.add_status_url(
    "history-quarter-page",
    "history/{quarter}.html",
    "the incidents and maintenances of a quarter",
    HTML,
    put=PutStep.PAGE,
)
UPTIME_PAGE = _rows.add_status_url("uptime-page", "uptime.html", "the uptime of each component by day", HTML)

URLS = tuple(_rows)
"""All URLs of the status section."""

LINKS = FrameLinks(
    home=STATUS_PAGE,
    tabs={"status": STATUS_PAGE, "uptime": UPTIME_PAGE, "history": HISTORY_PAGE},
    feeds=((HISTORY_ATOM, "Atom"), (HISTORY_RSS, "RSS"), (FEED, "JSON Feed")),
    calendar=CALENDAR,
)


def incident_id_of_path(path: str) -> str:
    """Return the id of the incident that an API document shows.

    Args:
        path: the path of the document.

    Returns:
        The id; empty for the path of any other document.
    """
    match = match_url(path)
    return match.parameters["incident_id"] if match is not None and match.url is INCIDENT else ""
