"""From what a person typed to the one incident or maintenance that is meant."""

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import PurePosixPath

from statuary.cli.command_error import CommandError
from statuary.cli.editing.prompts import ask_line, value_or_ask
from statuary.domain.primitives import Instant
from statuary.domain.status.automatic_updates import with_automatic_updates
from statuary.domain.status.incident_history import IncidentHistory
from statuary.domain.status.incidents import Incident, IncidentUpdate
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.vocabulary import CLOSED_STATUSES

MAX_SUGGESTIONS = 5
"""Candidates that a refusal names."""


def find_incident(
    typed: str | None,
    histories: Sequence[IncidentHistory],
    noun: str,
    at: Instant,
    wanted: Callable[[str], bool],
) -> Incident:
    """Return the record that is meant: by its id, its file's name, or the beginning of either.

    Args:
        typed: what was typed; None lets a person choose.
        lives: all records of the kind.
        noun: the kind.
        at: the instant that the choice is made for.
        wanted: which statuses a person may choose from.

    Raises:
        Refusal: if none is meant, or several could be.
        click.UsageError: if nothing was typed and nobody is there.
    """
    offered = [history.incident for history in histories if wanted(status_at(history.incident, at))]
    name = value_or_ask(typed, "ID", lambda: _asked(offered, noun, at), _open(offered))
    records = [history.incident for history in histories]
    found = [record for record in records if name in incident_names(record)]
    found = found or [
        record for record in records if any(one.startswith(name) for one in incident_names(record))
    ]
    if not found:
        raise CommandError(f"there is no {noun} {name!r}", _nearest(name, records, noun))
    if len(found) > 1:
        raise _ambiguous(name, found, noun, at)
    return found[0]


def incident_names(record: Incident) -> tuple[str, str]:
    """Return what a record can be called by: its id and the name of its file."""
    return record.id, PurePosixPath(record.source).stem


def status_at(record: Incident, at: Instant) -> str:
    """Return a record's status at an instant; nothing before its first update."""
    update = current_update(record, at)
    return "" if update is None else update.status


def current_update(record: Incident, at: Instant) -> IncidentUpdate | None:
    """Return the newest update of a record at an instant, the clock's too; None before the first.

    Drafts and embargoed records have one as well: they are edited before anybody reads them.
    """
    updates = with_automatic_updates(record) if isinstance(record, Maintenance) else record.updates
    passed = sorted((one for one in updates if one.display_at <= at), key=lambda one: one.display_at)
    return passed[-1] if passed else None


def _asked(offered: Sequence[Incident], noun: str, at: Instant) -> str:
    if not offered:
        raise CommandError(f"there is no {noun} to choose from")
    lines = [(record.id, f"{record.name} ({status_at(record, at)})") for record in offered]
    return ask_line(f"Which {noun}", lines)


def _open(offered: Iterable[Incident]) -> str:
    found = [record.id for record in offered]
    return f"It is one of: {_some(found)}" if found else ""


def _some(ids: Sequence[str]) -> str:
    more = len(ids) - MAX_SUGGESTIONS
    return ", ".join(ids[:MAX_SUGGESTIONS]) + (f" and {more} more" if more > 0 else "")


def _nearest(name: str, records: Sequence[Incident], noun: str) -> str:
    known = list(dict.fromkeys(one for record in records for one in incident_names(record)))
    near = [one for one in known if name.lower() in one.lower()] or get_close_matches(name, known, 3)
    return f"did you mean {_some(near)}?" if near else f"see `statuary {noun} list --all`"


def _ambiguous(name: str, found: Sequence[Incident], noun: str, at: Instant) -> CommandError:
    ids = list(dict.fromkeys(record.id for record in found))
    if len(ids) == 1:
        files = ", ".join(record.source for record in found)
        return CommandError(f"several files have the id {ids[0]!r}: {files}", "give one of them another id")
    still_open = [
        one for one in ids if one in {r.id for r in found if status_at(r, at) not in CLOSED_STATUSES}
    ]
    return CommandError(
        f"{name!r} is the beginning of several {noun}s: {_some(still_open or ids)}", "write more of it"
    )
