"""Instants as the page tells them, each spelled once."""

from zoneinfo import ZoneInfo

from statuary.domain.primitives import Instant, format_instant


class TimestampFormatter:
    """Spells instants in the page's time zone and keeps what it spelled: most instants are shown often."""

    def __init__(self, zone: ZoneInfo) -> None:
        """Take the page's time zone."""
        self._zone = zone
        self._spelled: dict[Instant, str] = {}

    def __call__(self, moment: Instant) -> str:
        """Return an instant's text."""
        text = self._spelled.get(moment)
        if text is None:
            text = self._spelled[moment] = format_instant(moment, self._zone)
        return text

    def or_null(self, moment: Instant | None) -> str | None:
        """Return an instant's text, or None for none."""
        return None if moment is None else self(moment)
