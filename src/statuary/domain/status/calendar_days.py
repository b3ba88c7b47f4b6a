"""Days of a time zone as stretches between instants: 23 or 25 hours long where clocks change."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from statuary.domain.primitives import Instant, instant

ONE_DAY = timedelta(days=1)


def day_of(moment: Instant, zone: ZoneInfo) -> date:
    """Return the day that it is in a zone at an instant."""
    return moment.astimezone(zone).date()


@lru_cache(maxsize=4096)
def day_start(day: date, zone: ZoneInfo) -> Instant:
    """Return the first instant of a day in a zone; where clocks skip midnight, the instant they skip at."""
    return instant(datetime.combine(day, time(), zone))


def midnights(zone: ZoneInfo, after: Instant, until: Instant) -> Iterator[Instant]:
    """Yield the first instant of each day of a zone, after `after` and up to `until`."""
    day = day_of(after, zone) + ONE_DAY
    while (midnight := day_start(day, zone)) <= until:
        yield midnight
        day += ONE_DAY
