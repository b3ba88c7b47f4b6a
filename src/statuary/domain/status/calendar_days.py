"""Days of a time zone: 23 or 25 hours long where clocks change."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from statuary.domain.primitives import Instant, instant

ONE_DAY = timedelta(days=1)


def day_of(moment: Instant, zone: ZoneInfo) -> date:
    """Return the local date at an instant."""
    return moment.astimezone(zone).date()


@lru_cache(maxsize=4096)
def day_start(day: date, zone: ZoneInfo) -> Instant:
    """Return the first instant of a day; if clocks skip midnight, the instant of the skip."""
    return instant(datetime.combine(day, time(), zone))


def midnights(zone: ZoneInfo, after: Instant, until: Instant) -> Iterator[Instant]:
    """Yield the first instant of each day that begins after `after` and not after `until`."""
    day = day_of(after, zone) + ONE_DAY
    while (midnight := day_start(day, zone)) <= until:
        yield midnight
        day += ONE_DAY
