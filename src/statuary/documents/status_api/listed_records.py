"""The records of each list, and their order, as measured on Statuspage's lists."""

from collections.abc import Sequence
from operator import attrgetter

from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.vocabulary import ACTIVE_STATUSES, UNRESOLVED_STATUSES


def unresolved(incidents: Sequence[IncidentState]) -> list[IncidentState]:
    """Return the unresolved incidents, the latest updated first."""
    return _latest_updated([state for state in incidents if state.status in UNRESOLVED_STATUSES])


def latest(records: Sequence[IncidentState], cap: int) -> list[IncidentState]:
    """Return the first `cap` records (0: all), and the others that are not closed."""
    if cap == 0:
        return list(records)
    return [state for position, state in enumerate(records) if position < cap or not state.closed]


def upcoming(maintenances: Sequence[IncidentState]) -> list[IncidentState]:
    """Return the maintenances that have not started, the earliest window first; ties the latest updated first."""
    scheduled = [state for state in maintenances if state.status == "scheduled"]
    return sorted(_latest_updated(scheduled), key=attrgetter("incident.scheduled_for"))


def active(maintenances: Sequence[IncidentState]) -> list[IncidentState]:
    """Return the maintenances in progress, the latest updated first."""
    return _latest_updated([state for state in maintenances if state.status in ACTIVE_STATUSES])


def announced(maintenances: Sequence[IncidentState]) -> list[IncidentState]:
    """Return the maintenances of a summary: upcoming ones, then active ones."""
    return [*upcoming(maintenances), *active(maintenances)]


def _latest_updated(records: list[IncidentState]) -> list[IncidentState]:
    return sorted(records, key=attrgetter("updated_at"), reverse=True)
