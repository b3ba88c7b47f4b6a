"""The status page as a whole, and what of it is published."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.domain.primitives import Instant
from statuary.domain.status.vocabulary import Impact

UNKNOWN_CREATION = Instant(datetime(1970, 1, 1, tzinfo=UTC))
"""The creation of a page without `created_at`, in content that dates nothing."""


class Page(NamedTuple):
    """The page that all components, incidents and maintenances belong to.

    Attributes:
        id: the `page_id` of every document.
        url: absolute, without a slash at the end: paths are appended to it.
        time_zone: the zone of every published timestamp.
        created_at: used wherever nothing has happened yet.
        updated_at: given by an import only; published from that instant on, until something changes later.
        indicator: replaces the indicator that follows from the components.
        description: replaces the description that follows from the components.
        published_url: the URL as documents give it, which may end with a slash.
        about: what the site is about, in Markdown.
        feed_host: the host in the ids of feeds; None derives these ids from the page's id.
    """

    id: str
    name: str
    url: str
    time_zone: ZoneInfo
    created_at: Instant
    updated_at: Instant | None = None
    indicator: Impact | None = None
    description: str | None = None
    published_url: str = ""
    about: str | None = None
    feed_host: str | None = None


class StatusSettings(NamedTuple):
    """How the status documents are published.

    Attributes:
        cap: how many incidents (and maintenances) the lists hold; 0 for all. Open ones are always listed.
        archives: whether the complete history is published by year.
        uptime: whether uptime is published.
        horizon: how far ahead the documents of future instants are written.
        max_epochs: how many future instants are written at most.
    """

    cap: int = 50
    archives: bool = True
    uptime: bool = True
    horizon: timedelta = timedelta(days=35)
    max_epochs: int = 500
