"""The status page as a whole."""

from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.domain.primitives import Instant
from statuary.domain.status.vocabulary import Impact

UNKNOWN_CREATION = Instant(datetime(1970, 1, 1, tzinfo=UTC))
"""The creation of a page without `created_at`."""


class Page(NamedTuple):
    """The page that everything else belongs to.

    Attributes:
        id: what `page_id` says everywhere.
        name: the page's name.
        url: its address, absolute, without a slash at the end (clients append to it).
        time_zone: the zone that every published instant is told in.
        created_at: the instant that stands in where nothing has happened yet.
        updated_at: given only by an import; published from that instant on, whatever happens later.
        indicator: overrides the indicator that follows from components and incidents.
        description: overrides the description likewise.
    """

    id: str
    name: str
    url: str
    time_zone: ZoneInfo
    created_at: Instant
    updated_at: Instant | None = None
    indicator: Impact | None = None
    description: str | None = None
