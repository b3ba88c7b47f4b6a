"""The instants at which documents change, up to the horizon."""

from bisect import bisect_right
from datetime import timedelta

from statuary.base.primitives import ONE_DAY, Instant, midnights
from statuary.status.model.records import StatusCatalogue, StatusSettings
from statuary.status.model.timeline import Timeline, build_timeline, transitions_between
from statuary.status.model.uptime import full_hours_of_outage, has_ongoing_outage

RESOLUTION = timedelta(microseconds=1)
"""The smallest difference between two instants."""


def build_timeline_to_horizon(catalogue: StatusCatalogue, at: Instant, settings: StatusSettings) -> Timeline:
    """Compute the status over time, up to the horizon.

    The horizon is the last time for which a build writes documents ahead.

    Args:
        catalogue: the components, incidents and maintenance windows.
        at: the time of the build.
        settings: the settings, which say how many days ahead the horizon is.
    """
    return build_timeline(catalogue, horizon_after(at, catalogue, settings))


def horizon_after(at: Instant, catalogue: StatusCatalogue, settings: StatusSettings) -> Instant:
    """Return the time up to which a build writes documents ahead.

    It is the first midnight in the page's time zone after the number of days in the settings. If that number
    is 0, it is `at`.

    Args:
        at: the time of the build.
        catalogue: the status, with the page's time zone.
        settings: the settings, with the number of days.
    """
    if not settings.horizon:
        return at
    least = at + settings.horizon
    following = midnights(catalogue.page.time_zone, Instant(least - RESOLUTION), Instant(least + 2 * ONE_DAY))
    return next(following)


def document_transitions(
    timeline: Timeline, settings: StatusSettings, at: Instant, *, days: bool = False
) -> list[Instant]:
    """Return the times ahead at which a document may change.

    A build makes the documents for these times, up to a limit in the settings.

    Args:
        timeline: the status over time.
        settings: the settings, which say whether uptime is published, and how far ahead to look.
        at: the time of the build.
        days: whether to include the midnights at which pages that show days change.
    """
    horizon = horizon_after(at, timeline.catalogue, settings)
    instants = transitions_between(timeline, at, horizon, days=days or settings.uptime)
    hours = full_hours_of_outage(timeline, at, horizon) if settings.uptime else []
    return sorted({*instants, *hours})


def unchanged_since(
    timeline: Timeline, settings: StatusSettings, at: Instant, *, days: bool = False
) -> Instant:
    """Return the time since which the status documents have not changed.

    Documents with uptime or days also change at midnight, and all the time during an outage. With such documents, the
    result is the last midnight or later; during an outage, it is `at`. It is also `at` if nothing has changed before.

    Args:
        timeline: the status over time.
        settings: the settings, which say whether uptime is published.
        at: the time of the build.
        days: whether pages that show days are among the documents.
    """
    turns = (timeline.change_times, timeline.deadlines)
    instants = {turn for series in turns for turn in series[: bisect_right(series, at)][-1:]}
    if days or settings.uptime:
        if has_ongoing_outage(timeline, at):
            return at
        instants.update(midnights(timeline.catalogue.page.time_zone, Instant(at - 2 * ONE_DAY), at))
    return max(instants, default=at)
