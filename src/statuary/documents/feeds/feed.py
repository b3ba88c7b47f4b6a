"""A feed before it is written in one format or another."""

from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.documents.feeds.feed_entries import FeedEntry
from statuary.domain.primitives import Instant, is_utc


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
