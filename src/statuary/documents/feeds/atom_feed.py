"""Atom (RFC 4287), element for element as Statuspage's `history.atom` has it (measured)."""

from xml.etree import ElementTree as ET

from statuary.documents.feeds.feed import Feed, rfc3339
from statuary.documents.feeds.feed_entries import FeedEntry
from statuary.documents.feeds.xml_elements import child, xml_bytes

NAMESPACE = "http://www.w3.org/2005/Atom"
MEDIA_TYPE = "application/atom+xml"


def atom_feed(feed: Feed, own_url: str) -> bytes:
    """Return a feed as Atom; `own_url` is its own URL."""
    root = ET.Element("feed", {"xml:lang": "en-US", "xmlns": NAMESPACE})
    child(root, "id", feed.id)
    child(root, "link", rel="alternate", type="text/html", href=feed.home)
    child(root, "link", rel="self", type=MEDIA_TYPE, href=own_url)
    child(root, "title", feed.title)
    child(root, "updated", rfc3339(feed.updated, feed.zone))
    child(child(root, "author"), "name", feed.author)
    for entry in feed.entries:
        _add_entry(root, feed, entry)
    return xml_bytes(root)


def _add_entry(root: ET.Element, feed: Feed, entry: FeedEntry) -> None:
    element = child(root, "entry")
    child(element, "id", entry.id)
    child(element, "published", rfc3339(entry.published, feed.zone))
    child(element, "updated", rfc3339(entry.updated, feed.zone))
    child(element, "link", rel="alternate", type="text/html", href=entry.url)
    child(element, "title", entry.title)
    child(element, "content", entry.html, type="html")
