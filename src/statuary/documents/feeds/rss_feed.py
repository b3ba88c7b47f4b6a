"""RSS 2.0 (https://www.rssboard.org/rss-specification), as Statuspage's `history.rss` has it (measured)."""

from email.utils import format_datetime
from xml.etree import ElementTree as ET
from zoneinfo import ZoneInfo

from statuary.documents.feeds.atom_feed import NAMESPACE as ATOM_NAMESPACE
from statuary.documents.feeds.feed import Feed
from statuary.documents.feeds.feed_entries import FeedEntry
from statuary.documents.feeds.xml_elements import child, xml_bytes
from statuary.domain.primitives import Instant

MEDIA_TYPE = "application/rss+xml"


def rss_feed(feed: Feed, own_url: str) -> bytes:
    """Return a feed as RSS; `own_url` is its own URL."""
    root = ET.Element("rss", {"version": "2.0", "xmlns:atom": ATOM_NAMESPACE})
    channel = child(root, "channel")
    child(channel, "title", feed.title)
    child(channel, "link", feed.home)
    child(channel, "description", feed.description)
    child(channel, "pubDate", rfc822(feed.updated, feed.zone))
    # recommended by the RSS Advisory Board
    child(channel, "atom:link", rel="self", type=MEDIA_TYPE, href=own_url)
    for entry in feed.entries:
        _add_item(channel, feed, entry)
    return xml_bytes(root)


def rfc822(moment: Instant, zone: ZoneInfo) -> str:
    """Return an instant in a time zone, such as `Thu, 23 Dec 2021 10:30:37 +0100`."""
    return format_datetime(moment.astimezone(zone).replace(microsecond=0))


def _add_item(channel: ET.Element, feed: Feed, entry: FeedEntry) -> None:
    item = child(channel, "item")
    child(item, "title", entry.title)
    child(item, "description", entry.html)
    child(item, "pubDate", rfc822(entry.published, feed.zone))
    child(item, "link", entry.url)
    child(item, "guid", entry.id, isPermaLink="false")
