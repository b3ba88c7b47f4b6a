"""The origin of a site: its instant, its content and the program."""

from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.base.files import PublishingError
from statuary.base.primitives import Instant, format_instant, format_utc, parse_instant

UTC = ZoneInfo("UTC")


class SiteOrigin(NamedTuple):
    """Facts about the build of a site: its time, revision and version."""

    instant: Instant  # the instant that the site shows
    revision: str  # the content's revision, such as a git commit; empty if unknown
    statuary: str
    only: tuple[str, ...] = ()  # the part of the site, as given to `--only`; empty for the whole


def refuse_earlier_build(last_build_time: str, instant: Instant) -> None:
    """Raise an error if a build is earlier than the last one.

    Args:
        last_build_time: the time of the last build, as ISO 8601; empty if there was no build.
        instant: the time of this build.

    Raises:
        PublishingError: if this build is for an earlier time.
    """
    if last_build_time and instant < parse_instant(last_build_time):
        raise PublishingError(
            f"the site was built for {format_utc(parse_instant(last_build_time))}, and this build is for an earlier time, {format_utc(instant)}",
            "set the clock or --now, or use --allow-older",
        )


def origin_meta_values(origin: SiteOrigin) -> dict[str, str]:
    """Return the facts about a build as strings to store.

    Returns:
        The time of the build, the git revision of the content, and the version of statuary, by name.
    """
    return {
        "instant": format_instant(origin.instant, UTC),
        "revision": origin.revision,
        "statuary": origin.statuary,
    }
