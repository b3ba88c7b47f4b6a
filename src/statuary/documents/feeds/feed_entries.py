"""Incidents and maintenances as entries of feeds.

What an entry says, and when, is measured on Statuspage's own feeds: one entry for each incident, its updates
inside, the newest first.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from statuary.documents.feeds.update_bodies import body_html, one_line
from statuary.domain.primitives import Instant
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.page import Page
from statuary.domain.status.page_state import PageState
from statuary.domain.status.status_history import PublishedUpdate
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
"""What readers see in place of a status."""

SAME_STATUS = "Update"
"""What readers see where an update keeps the status of the one before it."""

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

ENTRIES = 25
"""How many entries a feed holds, as Statuspage's do; what is not closed stays beyond that."""


class FeedEntry(NamedTuple):
    """An incident or maintenance as feeds tell it.

    Attributes:
        id: a tag URI (RFC 4151) that outlives every edit: it follows from the incident's id alone.
        title: its name, plain text in one line.
        url: the address of its page.
        published: the instant of its latest update; of a maintenance, the start of its window (measured).
        updated: its last edit.
        html: its updates, the newest first.
        components: the names of its components.
    """

    id: str
    title: str
    url: str
    published: Instant
    updated: Instant
    html: str
    components: tuple[str, ...]


def tag_uri(page: Page, specific: str) -> str:
    """Return a tag URI of the page, in the form that Statuspage gives them."""
    host = urlsplit(page.url).hostname or ""
    return f"tag:{host.encode('idna').decode('ascii')},2005:{specific}"


def incident_url(page: Page, incident_id: str) -> str:
    """Return the address of an incident's page."""
    return f"{page.url}/incidents/{incident_id}"


def feed_entry(record: IncidentState, page_state: PageState) -> FeedEntry:
    """Return the entry of an incident or maintenance."""
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
    """Return the instant that feeds sort a record by."""
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
    """Return the first records, and of the others those that are not closed."""
    return tuple(record for place, record in enumerate(records) if place < count or not record.closed)


def status_label(published_updates: Sequence[PublishedUpdate], place: int) -> str:
    """Return what readers see for the status of an update; `published_updates` stand newest first."""
    status = published_updates[place].update.status
    repeats = place + 1 < len(published_updates) and published_updates[place + 1].update.status == status
    return SAME_STATUS if repeats else LABELS[status]


def _paragraphs(record: IncidentState, zone: ZoneInfo) -> Iterator[str]:
    incident = record.incident
    if isinstance(incident, Maintenance):
        window = _window(incident.scheduled_for, incident.scheduled_until, zone)
        yield f"<p><strong>THIS IS A SCHEDULED EVENT {window}</strong></p>"
    for place, published in enumerate(record.published_updates):
        when = f"<small>{_day(published.update.display_at, zone)}, {_time(published.update.display_at, zone)}"
        told = f"<strong>{status_label(record.published_updates, place)}</strong> - {body_html(published.update.body)}"
        yield f"<p>{when} {_zone_name(published.update.display_at, zone)}</small><br>{told}</p>"


def _window(start: Instant, end: Instant, zone: ZoneInfo) -> str:
    """Spell a window as Statuspage does: with two days where it ends on another one."""
    began = f"{_day(start, zone, pad=False)}, {_time(start, zone)}"
    if start.astimezone(zone).date() == end.astimezone(zone).date():
        return f"{began} - {_time(end, zone)} {_zone_name(end, zone)}"
    ended = f"{_day(end, zone, pad=False)}, {_time(end, zone)} {_zone_name(end, zone)}"
    return f"{began} {_zone_name(start, zone)} &nbsp;-&nbsp; {ended}"


def _day(moment: Instant, zone: ZoneInfo, *, pad: bool = True) -> str:
    # one digit is padded in the dates of updates, and not in those of windows (measured)
    local = moment.astimezone(zone)
    return f"{MONTHS[local.month - 1]} <var data-var='date'>{local.day:>{2 if pad else 1}}</var>"


def _time(moment: Instant, zone: ZoneInfo) -> str:
    return f"<var data-var='time'>{moment.astimezone(zone):%H:%M}</var>"


def _zone_name(moment: Instant, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).tzname() or ""
