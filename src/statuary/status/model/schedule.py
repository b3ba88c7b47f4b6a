"""When the documents of a status change, up to the horizon of a build."""

from bisect import bisect_right
from datetime import timedelta

from statuary.base.primitives import ONE_DAY, Instant, midnights
from statuary.status.model.records import StatusCatalogue, StatusSettings
from statuary.status.model.timeline import Timeline, build_timeline, transitions
from statuary.status.model.uptime import has_ongoing_outage, hours_of_outage

RESOLUTION = timedelta(microseconds=1)
"""Of instants."""


def timeline_from(catalogue: StatusCatalogue, at: Instant, settings: StatusSettings) -> Timeline:
    """Return the timeline of a catalogue for a build at an instant: up to the horizon of its documents."""
    return build_timeline(catalogue, horizon_after(at, catalogue, settings))


def horizon_after(at: Instant, catalogue: StatusCatalogue, settings: StatusSettings) -> Instant:
    """Return up to when documents are written: the midnight after the horizon, so that builds of a day agree."""
    if not settings.horizon:
        return at
    least = at + settings.horizon
    following = midnights(catalogue.page.time_zone, Instant(least - RESOLUTION), Instant(least + 2 * ONE_DAY))
    return next(following)


def document_transitions(
    timeline: Timeline, settings: StatusSettings, at: Instant, *, days: bool = False
) -> list[Instant]:
    """Return the instants after `at`, up to the horizon, at which a document may change; `days`: pages show days."""
    horizon = horizon_after(at, timeline.catalogue, settings)
    instants = transitions(timeline, at, horizon, days=days or settings.uptime)
    hours = hours_of_outage(timeline, at, horizon) if settings.uptime else []
    return sorted({*instants, *hours})


def unchanged_since(
    timeline: Timeline, settings: StatusSettings, at: Instant, *, days: bool = False
) -> Instant:
    """Return since when every document reads as it does at an instant, as far as that is known; `days` as above."""
    turns = (timeline.changes, timeline.deadlines)
    instants = {turn for series in turns for turn in series[: bisect_right(series, at)][-1:]}
    if days or settings.uptime:
        if has_ongoing_outage(timeline, at):
            return at
        instants.update(midnights(timeline.catalogue.page.time_zone, Instant(at - 2 * ONE_DAY), at))
    return max(instants, default=at)
