"""Incidents and maintenances as entries of feeds.

Measured on Statuspage's own feeds: one entry for each record, with its updates, newest first.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.documents.feeds.update_bodies import body_html, one_line
from statuary.documents.url_table import INCIDENT_PAGE
from statuary.domain.primitives import Instant
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.page import Page
from statuary.domain.status.page_state import PageState
from statuary.domain.status.vocabulary import UpdateStatus

LABELS: dict[UpdateStatus, str] = {
    "investigating": "Investigating",
    "identified": "Identified",
    "monitoring": "Monitoring",
    "resolved": "Resolved",
    "postmortem": "Postmortem",
    "scheduled": "Scheduled",
    "in_progress": "In progress",
    "verifying": "Verifying",
    "completed": "Completed",
}
"""Texts for statuses."""

CANCELLED = "Cancelled"

SAME_STATUS = "Update"
"""Text for an update with the status of the previous one."""

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

ENTRIES = 25
"""How many entries a feed has, as in Statuspage; records that are not closed are added."""


class FeedEntry(NamedTuple):
    """An incident or maintenance in a feed."""

    # a tag URI (RFC 4151) of the ids of page and record, which stays after edits and when the page moves
    id: str
    title: str  # plain text in one line
    url: str
    published: Instant  # the time of its latest update; for a maintenance the start of its window (measured)
    updated: Instant
    html: str  # its updates, newest first
    components: tuple[str, ...]  # names


def tag_uri(page: Page, specific: str) -> str:
    """Return a tag URI of the page in Statuspage's form; the page's id replaces the host, which may change."""
    return f"tag:{page.feed_host or page.id.replace('_', '-')},2005:{specific}"


def incident_url(page: Page, incident_id: str) -> str:
    """Return the URL of an incident's page."""
    return f"{page.url}/{INCIDENT_PAGE.link(incident_id=incident_id)}"


def feed_entry(record: IncidentState, page_state: PageState) -> FeedEntry:
    """Return the feed entry of an incident or maintenance."""
    page = page_state.page
    states = (page_state.components.get(component) for component in record.components)
    present = (state.component for state in states if state is not None)
    return FeedEntry(
        id=tag_uri(page, f"Incident/{record.incident.id}"),
        title=one_line(record.incident.name),
        url=incident_url(page, record.incident.id),
        published=published_at(record),
        updated=record.updated_at,
        html=" ".join(_paragraphs(record, page.time_zone)),
        components=tuple(one_line(component.name) for component in present if not component.removed),
    )


def published_at(record: IncidentState) -> Instant:
    """Return the instant by which feeds sort a record."""
    incident = record.incident
    return (
        incident.scheduled_for
        if isinstance(incident, Maintenance)
        else record.published_updates[0].update.display_at
    )


def newest_first(records: Sequence[IncidentState]) -> list[IncidentState]:
    """Return records in the order of feeds."""
    return sorted(records, key=lambda record: (published_at(record), record.incident.id), reverse=True)


def latest_records(records: Sequence[IncidentState], count: int = ENTRIES) -> tuple[IncidentState, ...]:
    """Return the first records, and the others that are not closed."""
    return tuple(record for position, record in enumerate(records) if position < count or not record.closed)


def status_label(record: IncidentState, position: int) -> str:
    """Return the text for the status of an update, given its position among the record's updates, newest first."""
    status, earlier = (
        record.published_updates[position].update.status,
        record.published_updates[position + 1 :],
    )
    if record.cancelled and status == "completed":
        return CANCELLED
    return SAME_STATUS if earlier and earlier[0].update.status == status else LABELS[status]


def _paragraphs(record: IncidentState, zone: ZoneInfo) -> Iterator[str]:
    incident = record.incident
    if isinstance(incident, Maintenance):
        window = _window(incident.scheduled_for, incident.scheduled_until, zone)
        event = "THIS SCHEDULED EVENT WAS CANCELLED" if record.cancelled else "THIS IS A SCHEDULED EVENT"
        yield f"<p><strong>{event} {window}</strong></p>"
    for position, published in enumerate(record.published_updates):
        at, body = published.update.display_at, body_html(published.update.body)
        time = f"<small>{_day(at, zone)}, {_time(at, zone)} {_zone_name(at, zone)}</small>"
        yield f"<p>{time}<br><strong>{status_label(record, position)}</strong> - {body}</p>"


def _window(start: Instant, end: Instant, zone: ZoneInfo) -> str:
    """Return a window in Statuspage's form, with two days if it ends on another one."""
    began = f"{_day(start, zone, pad=False)}, {_time(start, zone)}"
    if start.astimezone(zone).date() == end.astimezone(zone).date():
        return f"{began} - {_time(end, zone)} {_zone_name(end, zone)}"
    ended = f"{_day(end, zone, pad=False)}, {_time(end, zone)} {_zone_name(end, zone)}"
    return f"{began} {_zone_name(start, zone)} &nbsp;-&nbsp; {ended}"


def _day(moment: Instant, zone: ZoneInfo, *, pad: bool = True) -> str:
    # days of one digit are padded in the times of updates, but not in those of windows (measured)
    local = moment.astimezone(zone)
    return f"{MONTHS[local.month - 1]} <var data-var='date'>{local.day:>{2 if pad else 1}}</var>"


def _time(moment: Instant, zone: ZoneInfo) -> str:
    return f"<var data-var='time'>{moment.astimezone(zone):%H:%M}</var>"


def _zone_name(moment: Instant, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).tzname() or ""
