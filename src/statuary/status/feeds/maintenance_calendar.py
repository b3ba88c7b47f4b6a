"""Scheduled maintenances as an iCalendar subscription (RFC 5545 and RFC 7986).

Each announced window is an event, those of a recurring maintenance too, because each may be moved or cancelled.
Times are in UTC, which needs no time zone definition. The lines are written here because importing the library
for it (`icalendar`) takes longer than building a small site; the tests read them with two libraries.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from statuary.base.primitives import Instant
from statuary.status.feeds.feed import (
    body_plain_text,
    incident_url,
    one_line,
    remove_invalid_xml_characters,
    status_label,
)
from statuary.status.feeds.feed_words import Words
from statuary.status.model.incident_history import IncidentState
from statuary.status.model.records import Maintenance, Page
from statuary.status.model.timeline import PageState

PRODUCT = "-//statuary//scheduled maintenances//EN"
"""The `PRODID`, without a version: a new version alone changes no published byte."""

MAX_LINE_LENGTH = 75
"""Octets of a content line without its line break (RFC 5545, 3.1)."""

ALARM_LEAD = "-PT60M"
"""The alarm rings an hour before the window, when Statuspage posts its reminder."""

REFRESH = "PT15M"
"""The interval at which subscribers should reload the calendar."""

LINE_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
"""Every line break of Unicode: some readers cut content lines at each of them."""

UTC_DEFINITION = (
    "BEGIN:VTIMEZONE",
    "TZID:Etc/UTC",
    "BEGIN:STANDARD",
    "DTSTART:19700101T000000",
    "TZOFFSETFROM:+0000",
    "TZOFFSETTO:+0000",
    "TZNAME:UTC",
    "END:STANDARD",
    "END:VTIMEZONE",
)
"""Content of a calendar without events, because RFC 5545 (3.6) does not allow an empty one."""


def maintenance_calendar(
    page_state: PageState, own_url: str, maintenances: Sequence[IncidentState], words: Words
) -> bytes:
    """Encode maintenance windows as an iCalendar file.

    Args:
        page_state: the page, which gives the calendar its name and time zone.
        own_url: the URL of the file.
        maintenances: the windows.
        words: the words of the calendar's language.
    """
    name = _escape_text(words("maintenances", page=one_line(page_state.page.name)))
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:{PRODUCT}",
        "CALSCALE:GREGORIAN",
        f"NAME:{name}",
        f"X-WR-CALNAME:{name}",
        f"X-WR-TIMEZONE:{page_state.page.time_zone.key}",
        f"SOURCE;VALUE=URI:{_escape_uri(own_url)}",
        f"REFRESH-INTERVAL;VALUE=DURATION:{REFRESH}",
        f"X-PUBLISHED-TTL:{REFRESH}",
    ]
    if not maintenances:
        lines += UTC_DEFINITION
    events = (
        _encode_event(record, page_state.page, _component_names(record, page_state), words)
        for record in sorted(
            maintenances, key=lambda record: (_maintenance_of(record).scheduled_for, record.incident.id)
        )
    )
    return b"".join((*map(_fold_line, lines), *events, _fold_line("END:VCALENDAR")))


def revision_number(record: IncidentState) -> int:
    """Return the revision number of a maintenance window in the calendar.

    It is the number of seconds between the window's announcement and its last update, so it grows with each
    update.
    """
    return max(0, int((record.updated_at - record.incident.created_at).total_seconds()))


def _maintenance_of(record: IncidentState) -> Maintenance:
    if not isinstance(record.incident, Maintenance):
        raise TypeError(f"incident {record.incident.id} is not a maintenance, so it has no calendar entry")
    return record.incident


@lru_cache(maxsize=1_024)
def _encode_event(record: IncidentState, page: Page, component_names: tuple[str, ...], words: Words) -> bytes:
    return b"".join(map(_fold_line, _event_lines(record, page, component_names, words)))


def _event_lines(
    record: IncidentState, page: Page, component_names: tuple[str, ...], words: Words
) -> Iterator[str]:
    maintenance = _maintenance_of(record)
    summary = _escape_text(one_line(maintenance.name))
    yield "BEGIN:VEVENT"
    yield f"UID:{_escape_text(f'{maintenance.id}@{page.id}')}"
    # In a calendar without METHOD, DTSTAMP is the time of the last revision, like LAST-MODIFIED (RFC 5545,
    # 3.8.7.2).
    yield f"DTSTAMP:{_format_utc(record.updated_at)}"
    yield f"LAST-MODIFIED:{_format_utc(record.updated_at)}"
    yield f"CREATED:{_format_utc(maintenance.created_at)}"
    yield f"SEQUENCE:{revision_number(record)}"
    yield f"DTSTART:{_format_utc(maintenance.scheduled_for)}"
    yield f"DTEND:{_format_utc(maintenance.scheduled_until)}"
    yield f"SUMMARY:{summary}"
    yield f"DESCRIPTION:{_escape_text(_event_description(record, component_names, words))}"
    yield f"URL:{_escape_uri(incident_url(page, maintenance.id))}"
    yield f"STATUS:{'CANCELLED' if record.cancelled else 'CONFIRMED'}"
    # With TRANSPARENT, subscribers' calendars do not show the time of the maintenance as busy (RFC 5545,
    # 3.8.2.7).
    yield "TRANSP:TRANSPARENT"
    yield "CATEGORIES:Maintenance"
    if record.status == "scheduled":
        yield from (
            "BEGIN:VALARM",
            "ACTION:DISPLAY",
            f"TRIGGER:{ALARM_LEAD}",
            f"DESCRIPTION:{summary}",
            "END:VALARM",
        )
    yield "END:VEVENT"


def _component_names(record: IncidentState, page_state: PageState) -> tuple[str, ...]:
    states = (page_state.components.get(component) for component in record.components)
    return tuple(one_line(state.component.name) for state in states if state and not state.component.removed)


def _event_description(record: IncidentState, component_names: tuple[str, ...], words: Words) -> str:
    """Return an event's text: affected components, then updates, newest first."""
    updates = [
        f"{status_label(record, position, words)} - {body_plain_text(words.translate_body(published_update.update.body))}"
        for position, published_update in enumerate(record.published_updates)
    ]
    return "\n\n".join(
        [*([words("affects", names=", ".join(component_names))] if component_names else ()), *updates]
    )


def _format_utc(instant: Instant) -> str:
    return f"{instant:%Y%m%dT%H%M%SZ}"


def _escape_uri(address: str) -> str:
    # Remove line breaks from the URL. The text after a line break would be read as another property of the
    # calendar.
    return "".join(remove_invalid_xml_characters(address).split())


def _escape_text(text: str) -> str:
    """Escape a text for iCalendar (RFC 5545, 3.3.11)."""
    escaped = (
        remove_invalid_xml_characters(text)
        .replace("\x7f", "")
        .replace("\\", "\\\\")
        .replace(";", "\\;")
        .replace(",", "\\,")
    )
    return LINE_BREAK.sub("\\\\n", escaped)


def _fold_line(line: str) -> bytes:
    """Break a calendar line after at most 75 bytes, as iCalendar requires."""
    return b"\r\n ".join(_split_octets(line.encode("utf-8"))) + b"\r\n"


def _split_octets(octets: bytes) -> Iterable[bytes]:
    octets_left = MAX_LINE_LENGTH
    while len(octets) > octets_left:
        cut = octets_left
        while octets[cut] & 0b1100_0000 == 0b1000_0000:
            cut -= 1
        yield octets[:cut]
        octets = octets[cut:]
        # Each further line begins with a space, which counts as one of its 75 bytes (RFC 5545, 3.1).
        octets_left = MAX_LINE_LENGTH - 1
    yield octets
