"""A feed before it is written in one format or another."""

from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.documents.feeds.feed_entries import FeedEntry
from statuary.domain.primitives import Instant, is_utc


class Feed(NamedTuple):
    """What Atom, RSS and JSON Feed have in common.

    Attributes:
        id: a tag URI that lasts.
        title: its title, plain text in one line.
        description: what it tells, in one sentence.
        home: the address of the page that it is about.
        author: who speaks.
        updated: its last change, from content.
        zone: the time zone that instants are told in.
        entries: the newest first.
    """

    id: str
    title: str
    description: str
    home: str
    author: str
    updated: Instant
    zone: ZoneInfo
    entries: tuple[FeedEntry, ...]


def rfc3339(moment: Instant, zone: ZoneInfo) -> str:
    """Spell an instant as feeds do: whole seconds in the page's time zone, `Z` for UTC (measured)."""
    text = moment.astimezone(zone).isoformat(timespec="seconds")
    return text[:-6] + "Z" if text.endswith("+00:00") and is_utc(zone) else text
