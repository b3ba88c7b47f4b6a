"""JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/)."""

from statuary.documents.encode import encode_json
from statuary.documents.feeds.feed import Feed, rfc3339
from statuary.documents.feeds.feed_entries import FeedEntry
from statuary.domain.json_values import Json

VERSION = "https://jsonfeed.org/version/1.1"


def json_feed(feed: Feed, own_url: str) -> bytes:
    """Return a feed as JSON Feed; `own_url` is its own URL."""
    return encode_json(
        {
            "version": VERSION,
            "title": feed.title,
            "home_page_url": feed.home,
            "feed_url": own_url,
            "description": feed.description,
            "authors": [{"name": feed.author, "url": feed.home}],
            "language": "en-US",
            "items": [_item(feed, entry) for entry in feed.entries],
        }
    )


def _item(feed: Feed, entry: FeedEntry) -> Json:
    return {
        "id": entry.id,
        "url": entry.url,
        "title": entry.title,
        "content_html": entry.html,
        "date_published": rfc3339(entry.published, feed.zone),
        "date_modified": rfc3339(entry.updated, feed.zone),
        "tags": list(entry.components),
    }
