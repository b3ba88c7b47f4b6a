"""The input of status checks, and their findings."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from statuary.base.findings import Pointer
from statuary.base.primitives import Instant
from statuary.status.model.incident_history import IncidentHistory
from statuary.status.model.records import Incident, Maintenance, StatusCatalogue
from statuary.status.model.recurrence import is_withdrawn
from statuary.status.model.settled_incidents import SettledFacts
from statuary.status.model.timeline import Timeline


class StatusViolation(NamedTuple):
    """A violation of a rule: its place in the content, and the message."""

    path: str  # the file
    pointer: Pointer
    message: str  # the fault, with the value
    hint: str = ""  # the remedy
    on_key: bool = False  # whether it is about the key and not its value


class StatusContext(NamedTuple):
    """The input of status checks: the status over time, and the records to check.

    Attributes:
        records: all incidents and maintenance windows, as the content has them, except settled incidents; these
            broke no rule when they were settled.
        histories: the incidents and windows over time, except settled incidents.
        settled_update_ids: the ids of the updates of settled incidents.
        histories_by_component: the incidents and maintenance windows that affect each component, by its id.
    """

    timeline: Timeline
    now: Instant  # the build's time
    catalogue: StatusCatalogue
    records: tuple[Incident, ...]
    edited_records: tuple[
        Incident, ...
    ]  # the incidents in `records`, and the windows with updates of their own
    histories: Sequence[IncidentHistory]
    settled_update_ids: frozenset[str]
    histories_by_component: Mapping[str, Sequence[IncidentHistory]]


def status_context(timeline: Timeline, now: Instant) -> StatusContext:
    """Collect the status for the checks, with each component's incidents.

    Args:
        timeline: the components, incidents and maintenance windows over time.
        now: the time of the build.
    """
    catalogue = timeline.catalogue
    settled = _settled_before(timeline, now)
    incidents = [record for record in catalogue.incidents if record.source not in settled]
    return StatusContext(
        timeline,
        now,
        catalogue,
        records=(*incidents, *catalogue.maintenances),
        edited_records=(*incidents, *_edited_windows(timeline)),
        histories=[history for history in timeline.histories if history.incident.source not in settled],
        settled_update_ids=frozenset(
            update_id for facts in settled.values() for update_id in facts.update_ids
        ),
        histories_by_component=_histories_by_component(timeline),
    )


def _edited_windows(timeline: Timeline) -> list[Maintenance]:
    windows = (history.incident for history in timeline.maintenances)
    return [window for window in windows if isinstance(window, Maintenance) and _has_own_updates(window)]


def _settled_before(timeline: Timeline, now: Instant) -> Mapping[str, SettledFacts]:
    """Return the settled incidents by file, if all ended before a time."""
    past = timeline.past
    return past.facts if past is not None and past.until <= now else {}


def _histories_by_component(timeline: Timeline) -> Mapping[str, Sequence[IncidentHistory]]:
    histories: dict[str, list[IncidentHistory]] = {}
    for history in timeline.histories:
        for component in history.components:
            histories.setdefault(component, []).append(history)
    return histories


def _has_own_updates(window: Maintenance) -> bool:
    """Return whether a window has updates of its own, and was not withdrawn.

    A recurring window that nobody edited has only the announcement of its maintenance, so it has none.
    """
    return not is_withdrawn(window) and (not window.pointer or len(window.updates) > 1)
