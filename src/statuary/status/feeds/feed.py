"""Feeds: entries, bodies of updates, and three formats.

Atom (RFC 4287) and RSS 2.0 (https://www.rssboard.org/rss-specification) are element for element as
Statuspage's `history.atom` and `history.rss` have them (measured); the third is JSON Feed 1.1.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from email.utils import format_datetime
from functools import lru_cache
from html import unescape
from typing import NamedTuple
from xml.etree import ElementTree as ET
from zoneinfo import ZoneInfo

from statuary.base.primitives import Instant, is_utc
from statuary.site.document import encode_json
from statuary.site.markdown import MARKUP, markdown_html, split_paragraphs
from statuary.status.feeds.feed_words import ENGLISH, Words
from statuary.status.model.incident_history import IncidentState
from statuary.status.model.records import Maintenance, Page
from statuary.status.model.timeline import PageState
from statuary.status.urls import INCIDENT_PAGE

NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 does not allow: most control characters, lone surrogates."""

BLOCK_SPACING = re.compile(
    r"\s*(</?(?:ul|ol|li|blockquote|table|thead|tbody|tr|th|td)(?: start=\"\d+\")?>|<hr>)\s*"
)
"""Line breaks beside these tags are not part of the text."""

AFTER_BLOCK = re.compile(r"(</?(?:ul|ol|li|blockquote|table|pre)[^>]*>|<hr>)(?:<br />)+")
BEFORE_BLOCK = re.compile(r"(?:<br />)+(</?(?:ul|ol|li|blockquote|table|pre)|<hr>)")

EXTRA_BREAKS = re.compile(r"^(?:<br />)+|(?<=<br /><br />)(?:<br />)+|(?:<br />)+$")

TAG = re.compile(r'<(/?)(\w+)(?: href="([^"]*)")?(?: start="\d+")?(?: /)?>')
"""A tag in the form of `body_html`."""

CACHED_BODIES = 1_024
"""The number of cached bodies; one body is in several feeds and in every epoch."""


def remove_invalid_xml_characters(text: str) -> str:
    """Remove characters that XML forbids, such as most control characters."""
    return NOT_IN_XML.sub("", text)


def one_line(text: str) -> str:
    """Return a text on one line, without the characters that XML forbids.

    Each run of white space becomes one space.
    """
    spaced = " ".join(text.split())
    # Split the text again, because removing a character between two spaces leaves both spaces.
    return " ".join(remove_invalid_xml_characters(spaced).split())


@lru_cache(maxsize=CACHED_BODIES)
def body_html(body: str) -> str:
    """Render the Markdown of an update as safe, well-formed HTML.

    As in Statuspage's feeds, line breaks become `<br />`.
    """
    text = remove_invalid_xml_characters(body).replace("\r\n", "\n").replace("\r", "\n").rstrip()
    leading = "<br />" * (len(text) - len(text.lstrip("\n")))
    if MARKUP.search(text) is None:
        flat = "<br /><br />".join(split_paragraphs(text, "<br />")).strip()
        return leading + EXTRA_BREAKS.sub("", flat)
    pieces = re.split(r"(<pre>.*?</pre>)", markdown_html(text, None), flags=re.DOTALL)
    flat = "".join(piece if piece.startswith("<pre>") else _blocks_to_lines(piece) for piece in pieces)
    apart = BEFORE_BLOCK.sub(r"\1", AFTER_BLOCK.sub(r"\1", flat))
    return leading + EXTRA_BREAKS.sub("", apart).replace("<hr>", "<hr />")


def _blocks_to_lines(html: str) -> str:
    """Replace HTML's paragraphs and headings by lines, with an empty line between them."""
    html = re.sub(r"<(/?)h[1-6]>", lambda tag: "</strong></p>" if tag[1] else "<p><strong>", html)
    html = BLOCK_SPACING.sub(r"\1", html.replace("<br>\n", "<br />").replace("<br>", "<br />"))
    html = re.sub(r"</p>\s*<p>", "<br /><br />", html)
    return re.sub(r"\s*</?p>\s*", "<br /><br />", html).replace("\n", "<br />")


def body_plain_text(body: str) -> str:
    """Convert the Markdown of an update to plain text.

    List items and rows of tables are on separate lines, and links are followed by their URL.
    """
    pieces: list[str] = []
    addresses: list[str] = []
    end = 0
    markup = body_html(body)
    for tag in TAG.finditer(markup):
        pieces += (unescape(markup[end : tag.start()]), _plain_text_of_tag(tag, addresses))
        end = tag.end()
    text = "".join((*pieces, unescape(markup[end:])))
    text = text.replace(f"\n{CELL}", "\n").replace(CELL, " | ")
    return re.sub(r"\n{3,}", "\n\n", text).strip()


CELL = "\x1f"
"""A mark at the start of a table cell; no body has this character, since XML does not allow it."""


def _plain_text_of_tag(tag: re.Match[str], open_link_urls: list[str]) -> str:
    """Return the plain text that replaces an HTML tag.

    Args:
        open_link_urls: the stack of the open links' URLs.
    """
    closing, name, address = tag.groups()
    if name == "a":
        if not closing:
            open_link_urls.append(unescape(address or ""))
            return ""
        opened = open_link_urls.pop()
        return f" ({opened})" if opened else ""
    if name in BEGINNINGS:
        return "" if closing else BEGINNINGS[name]
    return "\n" if name in LINES else ""


BEGINNINGS = {"li": "\n- ", "tr": "\n", "th": CELL, "td": CELL}
"""The plain text at the start of a list item, a table row or a cell."""

LINES = frozenset({"br", "hr", "ul", "ol", "blockquote", "table", "pre"})
"""Tags that end a line of plain text."""


ENTRIES = 25
"""The number of entries in a feed, as in Statuspage, in addition to open records."""


class FeedEntry(NamedTuple):
    """An incident or maintenance as a feed lists it.

    Attributes:
        id: a tag URI (RFC 4151) made from the ids of page and incident. It stays the same when the page moves
            or the incident is edited.
    """

    id: str
    title: str  # plain text in one line
    url: str
    published: Instant  # the time of its latest update; for a maintenance the start of its window (measured)
    updated: Instant
    html: str  # the updates of the entry, newest first
    components: tuple[str, ...]  # the names of its components


def tag_uri(page: Page, specific: str) -> str:
    """Return a feed entry's id: a tag URI such as `tag:HOST,2005:Incident/ID`.

    Args:
        page: the page, which gives the host.
        specific: the part after the year, such as `Incident/ID`.
    """
    return f"tag:{page.feed_host or page.id.replace('_', '-')},2005:{specific}"


def incident_url(page: Page, incident_id: str) -> str:
    """Return the URL of an incident's page."""
    return f"{page.url}/{INCIDENT_PAGE.link(incident_id=incident_id)}"


def feed_entry(record: IncidentState, page_state: PageState, words: Words) -> FeedEntry:
    """Return the feed entry about an incident or maintenance window.

    Args:
        record: the incident or window as it is at the time of the feed.
        page_state: the page and its components at that time.
        words: the words of feeds in the language of the site.
    """
    page = page_state.page
    states = (page_state.components.get(component) for component in record.components)
    existing_components = (state.component for state in states if state is not None)
    return FeedEntry(
        id=tag_uri(page, f"Incident/{record.incident.id}"),
        title=one_line(record.incident.name),
        url=incident_url(page, record.incident.id),
        published=feed_sorting_time(record),
        updated=record.updated_at,
        html=" ".join(_update_paragraphs(record, page.time_zone, words)),
        components=tuple(
            one_line(component.name) for component in existing_components if not component.removed
        ),
    )


def feed_sorting_time(record: IncidentState) -> Instant:
    """Return the time by which feeds sort an incident or window.

    It is the start of a maintenance window, or the time of an incident's latest update.
    """
    incident = record.incident
    return (
        incident.scheduled_for
        if isinstance(incident, Maintenance)
        else record.published_updates[0].update.display_at
    )


def newest_published_first(records: Sequence[IncidentState]) -> list[IncidentState]:
    """Sort incidents and maintenance windows by publication, newest first.

    If two were published at the same time, they are sorted by id, in descending order.
    """
    return sorted(records, key=lambda record: (feed_sorting_time(record), record.incident.id), reverse=True)


def latest_records(records: Sequence[IncidentState], count: int = ENTRIES) -> tuple[IncidentState, ...]:
    """Return the newest incidents or windows, and all that are still open.

    For example, with a count of 50, an open incident in place 60 is included.

    Args:
        records: the incidents or windows, newest first.
        count: how many to return whether they are open or not.
    """
    return tuple(record for position, record in enumerate(records) if position < count or not record.closed)


def status_label(record: IncidentState, position: int, words: Words = ENGLISH) -> str:
    """Return the label of an update in a feed, such as `Investigating`.

    If the status is the same as before, the label is the word for an update.

    Args:
        record: the incident or maintenance window.
        position: the index of the update; 0 is the newest one.
        words: the words of feeds in the language of the site.
    """
    status = record.published_updates[position].update.status
    earlier_statuses = record.published_updates[position + 1 :]
    if record.cancelled and status == "completed":
        return words("cancelled")
    return words("same" if earlier_statuses and earlier_statuses[0].update.status == status else status)


def _update_paragraphs(record: IncidentState, zone: ZoneInfo, words: Words) -> Iterator[str]:
    incident = record.incident
    if isinstance(incident, Maintenance):
        window = _format_window(incident.scheduled_for, incident.scheduled_until, zone, words)
        event = words("cancelled_event" if record.cancelled else "event")
        yield f"<p><strong>{event} {window}</strong></p>"
    for position, published_update in enumerate(record.published_updates):
        at = published_update.update.display_at
        body = body_html(words.translate_body(published_update.update.body))
        time = (
            f"<small>{_format_day(at, zone, words)}, {_format_time(at, zone)} {_zone_name(at, zone)}</small>"
        )
        yield f"<p>{time}<br><strong>{status_label(record, position, words)}</strong> - {body}</p>"


def _format_window(start: Instant, end: Instant, zone: ZoneInfo, words: Words) -> str:
    """Format the start and end of a maintenance window, as Statuspage does."""
    began = f"{_format_day(start, zone, words, pad=False)}, {_format_time(start, zone)}"
    if start.astimezone(zone).date() == end.astimezone(zone).date():
        return f"{began} - {_format_time(end, zone)} {_zone_name(end, zone)}"
    ended = f"{_format_day(end, zone, words, pad=False)}, {_format_time(end, zone)} {_zone_name(end, zone)}"
    return f"{began} {_zone_name(start, zone)} &nbsp;-&nbsp; {ended}"


def _format_day(instant: Instant, zone: ZoneInfo, words: Words, *, pad: bool = True) -> str:
    # Like Statuspage, put a space before a day of one digit in the time of an update, but not in the time of
    # a maintenance window.
    local = instant.astimezone(zone)
    day = f"<var data-var='date'>{local.day:>{2 if pad else 1}}</var>"
    return words("date.brief", month=words(f"month.{local.month}.short"), day=day)


def _format_time(instant: Instant, zone: ZoneInfo) -> str:
    return f"<var data-var='time'>{instant.astimezone(zone):%H:%M}</var>"


def _zone_name(instant: Instant, zone: ZoneInfo) -> str:
    return instant.astimezone(zone).tzname() or ""


DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'
ATOM_NAMESPACE = "http://www.w3.org/2005/Atom"
ATOM_TYPE, RSS_TYPE = "application/atom+xml", "application/rss+xml"
JSON_FEED_VERSION = "https://jsonfeed.org/version/1.1"

CACHED_ENTRIES = 1_024
"""The number of cached entries per format; one entry is in several feeds and in every epoch."""


class Feed(NamedTuple):
    """The content of a feed in any format."""

    id: str  # a permanent tag URI
    title: str  # plain text in one line
    description: str
    home: str  # the URL of the page
    author: str
    updated: Instant
    zone: ZoneInfo  # the time zone of its timestamps
    entries: tuple[FeedEntry, ...]  # newest first
    language: str  # BCP 47


def format_rfc3339(instant: Instant, zone: ZoneInfo) -> str:
    """Format a time in a time zone, such as `2026-11-20T13:00:00+01:00`.

    As in Statuspage's feeds, times are in whole seconds, and `Z` is the offset of UTC.
    """
    text = instant.astimezone(zone).isoformat(timespec="seconds")
    return text[:-6] + "Z" if text.endswith("+00:00") and is_utc(zone) else text


def atom_feed(feed: Feed, own_url: str) -> bytes:
    """Encode a feed as Atom.

    Args:
        feed: the content.
        own_url: the URL of the Atom feed.
    """
    root = ET.Element("feed", {"xml:lang": feed.language, "xmlns": ATOM_NAMESPACE})
    _append_child(root, "id", feed.id)
    _append_child(root, "link", rel="alternate", type="text/html", href=feed.home)
    _append_child(root, "link", rel="self", type=ATOM_TYPE, href=own_url)
    _append_child(root, "title", feed.title)
    _append_child(root, "updated", format_rfc3339(feed.updated, feed.zone))
    _append_child(_append_child(root, "author"), "name", feed.author)
    return _insert_xml_entries(root, b"</feed>", (_atom_entry(entry, feed.zone) for entry in feed.entries))


@lru_cache(maxsize=CACHED_ENTRIES)
def _atom_entry(entry: FeedEntry, zone: ZoneInfo) -> bytes:
    element = ET.Element("entry")
    _append_child(element, "id", entry.id)
    _append_child(element, "published", format_rfc3339(entry.published, zone))
    _append_child(element, "updated", format_rfc3339(entry.updated, zone))
    _append_child(element, "link", rel="alternate", type="text/html", href=entry.url)
    _append_child(element, "title", entry.title)
    _append_child(element, "content", entry.html, type="html")
    return _xml_bytes(element, 1)


def rss_feed(feed: Feed, own_url: str) -> bytes:
    """Encode a feed as RSS 2.0.

    Args:
        feed: the content.
        own_url: the URL of the RSS feed.
    """
    root = ET.Element("rss", {"version": "2.0", "xmlns:atom": ATOM_NAMESPACE})
    channel = _append_child(root, "channel")
    _append_child(channel, "title", feed.title)
    _append_child(channel, "link", feed.home)
    _append_child(channel, "description", feed.description)
    _append_child(channel, "pubDate", _format_rfc822(feed.updated, feed.zone))
    # The RSS Advisory Board recommends that a feed has a link to itself.
    _append_child(channel, "atom:link", rel="self", type=RSS_TYPE, href=own_url)
    return _insert_xml_entries(root, b"  </channel>", (_rss_item(entry, feed.zone) for entry in feed.entries))


def _format_rfc822(instant: Instant, zone: ZoneInfo) -> str:
    """Format an instant such as `Thu, 23 Dec 2021 10:30:37 +0100`."""
    return format_datetime(instant.astimezone(zone).replace(microsecond=0))


@lru_cache(maxsize=CACHED_ENTRIES)
def _rss_item(entry: FeedEntry, zone: ZoneInfo) -> bytes:
    item = ET.Element("item")
    _append_child(item, "title", entry.title)
    _append_child(item, "description", entry.html)
    _append_child(item, "pubDate", _format_rfc822(entry.published, zone))
    _append_child(item, "link", entry.url)
    _append_child(item, "guid", entry.id, isPermaLink="false")
    return _xml_bytes(item, 2)


def json_feed(feed: Feed, own_url: str) -> bytes:
    """Encode a feed as JSON Feed 1.1.

    Args:
        feed: the content.
        own_url: the URL of the JSON feed.
    """
    head = encode_json(
        {
            "version": JSON_FEED_VERSION,
            "title": feed.title,
            "home_page_url": feed.home,
            "feed_url": own_url,
            "description": feed.description,
            "authors": [{"name": feed.author, "url": feed.home}],
            "language": feed.language,
        }
    )
    items = b",".join(_json_item(entry, feed.zone) for entry in feed.entries)
    return b'%b,"items":[%b]}' % (head.removesuffix(b"}"), items)


@lru_cache(maxsize=CACHED_ENTRIES)
def _json_item(entry: FeedEntry, zone: ZoneInfo) -> bytes:
    return encode_json(
        {
            "id": entry.id,
            "url": entry.url,
            "title": entry.title,
            "content_html": entry.html,
            "date_published": format_rfc3339(entry.published, zone),
            "date_modified": format_rfc3339(entry.updated, zone),
            "tags": list(entry.components),
        }
    )


def _append_child(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    """Append an XML element to a parent, and return it.

    Characters that XML does not allow are removed.
    """
    element = ET.SubElement(
        parent, tag, {name: remove_invalid_xml_characters(value) for name, value in attributes.items()}
    )
    if text is not None:
        element.text = remove_invalid_xml_characters(text)
    return element


def _insert_xml_entries(root: ET.Element, end: bytes, entries: Iterable[bytes]) -> bytes:
    """Insert encoded entries before the end of a feed's XML.

    Args:
        end: the closing tag before which they go.
    """
    xml_before, tag, xml_after = _xml_bytes(root, 0).rpartition(end)
    return b"".join((DECLARATION, xml_before, *entries, tag, xml_after))


def _xml_bytes(element: ET.Element, level: int) -> bytes:
    ET.indent(element, level=level)
    body: bytes = ET.tostring(element, encoding="utf-8", xml_declaration=False)
    return b"  " * level + body + b"\n"
