"""Where a site comes from: its instant, its content and the program."""

from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.domain.primitives import Instant, format_instant

UTC = ZoneInfo("UTC")


class SiteOrigin(NamedTuple):
    """The origin of a site."""

    instant: Instant  # the instant that the site shows
    revision: str  # of the content, such as a git commit; empty if unknown
    statuary: str
    only: tuple[str, ...] = ()  # the part of the site, as given to `--only`; empty for the whole


def build_notes(origin: SiteOrigin) -> dict[str, str]:
    """Return the notes about a site for the ledger of its folder."""
    return {
        "instant": format_instant(origin.instant, UTC),
        "revision": origin.revision,
        "statuary": origin.statuary,
    }
