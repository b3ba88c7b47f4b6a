"""A feed, and its three formats.

Atom (RFC 4287) and RSS 2.0 (https://www.rssboard.org/rss-specification) are element for element as Statuspage's
`history.atom` and `history.rss` have them (measured); the third is JSON Feed 1.1.
"""

from collections.abc import Iterable
from email.utils import format_datetime
from functools import lru_cache
from typing import NamedTuple
from xml.etree import ElementTree as ET
from zoneinfo import ZoneInfo

from statuary.documents.encode import encode_json
from statuary.documents.feeds.feed_entries import FeedEntry
from statuary.documents.feeds.update_bodies import xml_text
from statuary.domain.primitives import Instant, is_utc

DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'
ATOM_NAMESPACE = "http://www.w3.org/2005/Atom"
ATOM_TYPE, RSS_TYPE = "application/atom+xml", "application/rss+xml"
JSON_FEED_VERSION = "https://jsonfeed.org/version/1.1"

CACHED_ENTRIES = 1_024
"""How many entries are kept in each format: the same ones stand in several feeds, and in every epoch."""


class Feed(NamedTuple):
    """A feed, whichever its format."""

    id: str  # a permanent tag URI
    title: str  # plain text in one line
    description: str
    home: str  # the URL of the page
    author: str
    updated: Instant
    zone: ZoneInfo  # the time zone of its timestamps
    entries: tuple[FeedEntry, ...]  # newest first


def rfc3339(moment: Instant, zone: ZoneInfo) -> str:
    """Return an instant in whole seconds in a time zone, with `Z` for UTC, as in Statuspage's feeds (measured)."""
    text = moment.astimezone(zone).isoformat(timespec="seconds")
    return text[:-6] + "Z" if text.endswith("+00:00") and is_utc(zone) else text


def atom_feed(feed: Feed, own_url: str) -> bytes:
    """Return a feed as Atom; `own_url` is its own URL."""
    root = ET.Element("feed", {"xml:lang": "en-US", "xmlns": ATOM_NAMESPACE})
    _child(root, "id", feed.id)
    _child(root, "link", rel="alternate", type="text/html", href=feed.home)
    _child(root, "link", rel="self", type=ATOM_TYPE, href=own_url)
    _child(root, "title", feed.title)
    _child(root, "updated", rfc3339(feed.updated, feed.zone))
    _child(_child(root, "author"), "name", feed.author)
    return _xml_feed(root, b"</feed>", (_atom_entry(entry, feed.zone) for entry in feed.entries))


@lru_cache(maxsize=CACHED_ENTRIES)
def _atom_entry(entry: FeedEntry, zone: ZoneInfo) -> bytes:
    element = ET.Element("entry")
    _child(element, "id", entry.id)
    _child(element, "published", rfc3339(entry.published, zone))
    _child(element, "updated", rfc3339(entry.updated, zone))
    _child(element, "link", rel="alternate", type="text/html", href=entry.url)
    _child(element, "title", entry.title)
    _child(element, "content", entry.html, type="html")
    return _xml_bytes(element, 1)


def rss_feed(feed: Feed, own_url: str) -> bytes:
    """Return a feed as RSS; `own_url` is its own URL."""
    root = ET.Element("rss", {"version": "2.0", "xmlns:atom": ATOM_NAMESPACE})
    channel = _child(root, "channel")
    _child(channel, "title", feed.title)
    _child(channel, "link", feed.home)
    _child(channel, "description", feed.description)
    _child(channel, "pubDate", _rfc822(feed.updated, feed.zone))
    # recommended by the RSS Advisory Board
    _child(channel, "atom:link", rel="self", type=RSS_TYPE, href=own_url)
    return _xml_feed(root, b"  </channel>", (_rss_item(entry, feed.zone) for entry in feed.entries))


def _rfc822(moment: Instant, zone: ZoneInfo) -> str:
    """Return a text such as `Thu, 23 Dec 2021 10:30:37 +0100`."""
    return format_datetime(moment.astimezone(zone).replace(microsecond=0))


@lru_cache(maxsize=CACHED_ENTRIES)
def _rss_item(entry: FeedEntry, zone: ZoneInfo) -> bytes:
    item = ET.Element("item")
    _child(item, "title", entry.title)
    _child(item, "description", entry.html)
    _child(item, "pubDate", _rfc822(entry.published, zone))
    _child(item, "link", entry.url)
    _child(item, "guid", entry.id, isPermaLink="false")
    return _xml_bytes(item, 2)


def json_feed(feed: Feed, own_url: str) -> bytes:
    """Return a feed as JSON Feed; `own_url` is its own URL."""
    head = encode_json(
        {
            "version": JSON_FEED_VERSION,
            "title": feed.title,
            "home_page_url": feed.home,
            "feed_url": own_url,
            "description": feed.description,
            "authors": [{"name": feed.author, "url": feed.home}],
            "language": "en-US",
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
            "date_published": rfc3339(entry.published, zone),
            "date_modified": rfc3339(entry.updated, zone),
            "tags": list(entry.components),
        }
    )


def _child(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    """Append an element to another one and return it; characters that XML does not allow are removed."""
    element = ET.SubElement(parent, tag, {name: xml_text(value) for name, value in attributes.items()})
    if text is not None:
        element.text = xml_text(text)
    return element


def _xml_feed(root: ET.Element, end: bytes, entries: Iterable[bytes]) -> bytes:
    """Return a feed as a document, with its entries before the last occurrence of an end tag."""
    before, tag, after = _xml_bytes(root, 0).rpartition(end)
    return b"".join((DECLARATION, before, *entries, tag, after))


def _xml_bytes(element: ET.Element, level: int) -> bytes:
    """Return an element on separate lines, indented by two spaces for each level."""
    ET.indent(element, level=level)
    body: bytes = ET.tostring(element, encoding="utf-8", xml_declaration=False)
    return b"  " * level + body + b"\n"
