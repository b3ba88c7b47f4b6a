"""Timestamps in the page's time zone."""

from zoneinfo import ZoneInfo

from statuary.domain.primitives import Instant, format_instant


class TimestampFormatter:
    """Formats instants in a time zone and caches the result: most instants occur often."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone
        self._formatted: dict[Instant, str] = {}

    def __call__(self, moment: Instant) -> str:
        """Return the timestamp of an instant."""
        text = self._formatted.get(moment)
        if text is None:
            text = self._formatted[moment] = format_instant(moment, self._zone)
        return text

    def or_null(self, moment: Instant | None) -> str | None:
        """Return the timestamp of an instant, or None for None."""
        return None if moment is None else self(moment)
