"""The only place that reads the clock."""

import os
from datetime import UTC, datetime

from statuary.base.errors import StatuaryError
from statuary.base.primitives import Instant, to_instant


class ClockError(StatuaryError):
    """SOURCE_DATE_EPOCH is not a number of seconds."""


def utc_now() -> Instant:
    """Return the current time, truncated to milliseconds."""
    return to_instant(datetime.now(UTC))


def instant_of_build(now: datetime | None = None) -> Instant:
    """Return the build's time: `now`, else SOURCE_DATE_EPOCH, else the clock.

    Raises:
        ClockError: if SOURCE_DATE_EPOCH is not a number of seconds.
        ValueError: if `now` has no offset from UTC.
    """
    if now is not None:
        return to_instant(now)
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch:
        return utc_now()
    try:
        return to_instant(datetime.fromtimestamp(int(epoch), UTC))
    except (ValueError, OverflowError, OSError):
        raise ClockError(f"SOURCE_DATE_EPOCH must be a number of seconds since 1970, not {epoch!r}") from None
