"""Find the incident or maintenance that a person names."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import PurePosixPath

from statuary.domain.primitives import Instant
from statuary.domain.status.automatic_updates import with_automatic_updates
from statuary.domain.status.incident_history import IncidentHistory
from statuary.domain.status.incidents import Incident, IncidentUpdate
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.vocabulary import CLOSED_STATUSES
from statuary.editing.errors import EditError

MAX_SUGGESTIONS = 5


def find_incident(typed: str, histories: Sequence[IncidentHistory], noun: str, at: Instant) -> Incident:
    """Return the incident or maintenance with an id or a file name, or with the beginning of either.

    Raises:
        EditError: if there is none, or several match.
    """
    incidents = [history.incident for history in histories]
    found = [one for one in incidents if typed in incident_names(one)]
    found = found or [one for one in incidents if any(name.startswith(typed) for name in incident_names(one))]
    if not found:
        raise EditError(f"unknown {noun} {typed!r}", _suggestion(typed, incidents, noun))
    if len(found) > 1:
        raise _ambiguous(typed, found, noun, at)
    return found[0]


def incidents_with_status(
    histories: Sequence[IncidentHistory], at: Instant, is_wanted: Callable[[str], bool]
) -> list[Incident]:
    """Return the incidents with one of some statuses at an instant."""
    return [history.incident for history in histories if is_wanted(status_at(history.incident, at))]


def incident_names(incident: Incident) -> tuple[str, str]:
    """Return the id and the name of the file without its suffix."""
    return incident.id, PurePosixPath(incident.source).stem


def status_at(incident: Incident, at: Instant) -> str:
    """Return the status at an instant; empty before the first update."""
    update = current_update(incident, at)
    return "" if update is None else update.status


def current_update(incident: Incident, at: Instant) -> IncidentUpdate | None:
    """Return the newest update at an instant, automatic ones included; None before the first.

    Drafts and embargoed incidents have one too: they are edited before they are published.
    """
    updates = with_automatic_updates(incident) if isinstance(incident, Maintenance) else incident.updates
    passed = sorted((one for one in updates if one.display_at <= at), key=lambda one: one.display_at)
    return passed[-1] if passed else None


def shortened(ids: Sequence[str]) -> str:
    """Return the first few ids, and how many more there are."""
    more = len(ids) - MAX_SUGGESTIONS
    return ", ".join(ids[:MAX_SUGGESTIONS]) + (f" and {more} more" if more > 0 else "")


def _suggestion(typed: str, incidents: Sequence[Incident], noun: str) -> str:
    known = list(dict.fromkeys(name for one in incidents for name in incident_names(one)))
    near = [name for name in known if typed.lower() in name.lower()] or get_close_matches(typed, known, 3)
    return f"did you mean {shortened(near)}?" if near else f"run `statuary {noun} list --all`"


def _ambiguous(typed: str, found: Sequence[Incident], noun: str, at: Instant) -> EditError:
    ids = list(dict.fromkeys(one.id for one in found))
    if len(ids) == 1:
        files = ", ".join(one.source for one in found)
        return EditError(f"several files have the id {ids[0]!r}: {files}", "change the id in one of them")
    still_open = list(dict.fromkeys(one.id for one in found if status_at(one, at) not in CLOSED_STATUSES))
    return EditError(
        f"several {noun}s begin with {typed!r}: {shortened(still_open or ids)}", "type more of the id"
    )
