"""The settings of the status page, and of its documents."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.domain.primitives import Instant
from statuary.domain.status.vocabulary import Impact

UNKNOWN_CREATION = Instant(datetime(1970, 1, 1, tzinfo=UTC))
"""The creation of a page without `created_at`, in content without any date."""


class Page(NamedTuple):
    """The page that all components, incidents and maintenances belong to."""

    id: str  # the `page_id` of every document
    name: str
    url: str  # absolute, without a slash at the end: paths are appended to it
    time_zone: ZoneInfo  # the zone of every published timestamp
    created_at: Instant  # used wherever nothing has happened yet
    # given by an import only; published from that instant on, until something changes later
    updated_at: Instant | None = None
    indicator: Impact | None = None  # replaces the indicator that follows from the components
    description: str | None = None  # replaces the description that follows from the components
    published_url: str = ""  # the URL as documents give it, which may end with a slash
    about: str | None = None  # what the site is about, in Markdown
    feed_host: str | None = None  # the host in the ids of feeds; None derives these ids from the page's id


class StatusSettings(NamedTuple):
    """How the status documents are published."""

    # how many incidents (and maintenances) the lists hold; 0 for all. Open ones are always listed.
    cap: int = 50
    archives: bool = True  # whether the complete history is published by year
    uptime: bool = True  # whether uptime is published
    horizon: timedelta = timedelta(days=35)  # how far ahead the documents of future instants are written
    max_epochs: int = 500  # how many future instants are written at most
