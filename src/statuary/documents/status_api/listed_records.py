"""Which records each list holds, and in which order: as Statuspage's own lists, measured."""

from collections.abc import Sequence

from statuary.domain.primitives import Instant
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.vocabulary import ACTIVE_STATUSES, UNRESOLVED_STATUSES


def unresolved(incidents: Sequence[IncidentState]) -> list[IncidentState]:
    """Return the incidents that are not resolved, the latest created first."""
    return [state for state in incidents if state.status in UNRESOLVED_STATUSES]


def latest(records: Sequence[IncidentState], cap: int) -> list[IncidentState]:
    """Return the `cap` latest records (0: all), and older ones only while they are not closed."""
    if cap == 0:
        return list(records)
    return [state for place, state in enumerate(records) if place < cap or not state.closed]


def upcoming(maintenances: Sequence[IncidentState]) -> list[IncidentState]:
    """Return the maintenances that have not begun, the next one first."""
    return _by_window([state for state in maintenances if state.status == "scheduled"])


def active(maintenances: Sequence[IncidentState]) -> list[IncidentState]:
    """Return the maintenances that are running, the one with the earliest window first."""
    return _by_window([state for state in maintenances if state.status in ACTIVE_STATUSES])


def announced(maintenances: Sequence[IncidentState]) -> list[IncidentState]:
    """Return what a summary tells of maintenances: the upcoming ones, then the running ones (measured)."""
    return [*upcoming(maintenances), *active(maintenances)]


def _by_window(maintenances: list[IncidentState]) -> list[IncidentState]:
    return sorted(maintenances, key=_window)


def _window(state: IncidentState) -> tuple[Instant, Instant, str]:
    maintenance = state.incident
    if not isinstance(maintenance, Maintenance):
        raise TypeError(f"incident {maintenance.id} stands among the maintenances")
    return maintenance.scheduled_for, maintenance.created_at, maintenance.id
