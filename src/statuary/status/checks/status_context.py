"""The input of status checks, and their findings."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from statuary.base.findings import Pointer
from statuary.base.primitives import Instant
from statuary.status.model.incident_history import IncidentHistory
from statuary.status.model.records import Incident, Maintenance, StatusCatalogue
from statuary.status.model.recurrence import is_withdrawn
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
        histories_by_component: the incidents and maintenance windows that affect each component, by its id.
    """

    timeline: Timeline
    now: Instant  # the build's time
    catalogue: StatusCatalogue
    records: tuple[Incident, ...]  # all incidents and maintenance windows, as the content has them
    edited_records: tuple[Incident, ...]  # all incidents, and the windows with updates of their own
    histories_by_component: Mapping[str, Sequence[IncidentHistory]]


def status_context(timeline: Timeline, now: Instant) -> StatusContext:
    """Collect the status for the checks, with each component's incidents.

    Args:
        timeline: the components, incidents and maintenance windows over time.
        now: the time of the build.
    """
    catalogue = timeline.catalogue
    windows = (history.incident for history in timeline.maintenances)
    edited_windows = [
        window for window in windows if isinstance(window, Maintenance) and _has_own_updates(window)
    ]
    histories: dict[str, list[IncidentHistory]] = {}
    for history in timeline.histories:
        for component in history.components:
            histories.setdefault(component, []).append(history)
    return StatusContext(
        timeline,
        now,
        catalogue,
        records=(*catalogue.incidents, *catalogue.maintenances),
        edited_records=(*catalogue.incidents, *edited_windows),
        histories_by_component=histories,
    )


def _has_own_updates(window: Maintenance) -> bool:
    """Return whether a window has updates of its own, and was not withdrawn.

    A recurring window that nobody edited has only the announcement of its maintenance, so it has none.
    """
    return not is_withdrawn(window) and (not window.pointer or len(window.updates) > 1)
