"""Where in its file a maintenance, or one window of a recurring one, is written."""

from statuary.cli.control.desk import spelled_in_source
from statuary.cli.control.refusal import Refusal
from statuary.cli.control.updates import Update
from statuary.content.editing.edit import append_item, set_value
from statuary.domain.findings import Pointer
from statuary.domain.primitives import Instant
from statuary.domain.status.incidents import Incident
from statuary.domain.status.recurrence import starts, window_id
from statuary.domain.status.timeline import Timeline

AFTER = ("name", "components", "created_at", "scheduled_for", "scheduled_until")
"""The keys that `cancelled_at` is written after."""


def written_within(line: Timeline, record: Incident) -> Pointer:
    """Return the mapping of a file that a record's own keys belong to.

    Raises:
        Refusal: if the record is a window that the rule does not give any more.
    """
    whole = next(
        (one for one in line.catalogue.maintenances if one.source == record.source and one.recurrence), None
    )
    if whole is None or whole.recurrence is None:
        return ()
    for start in starts(whole, whole.recurrence, line.until):
        if window_id(whole, start) == record.id:
            differs = whole.recurrence.occurrences.get(start)
            key = spelled_in_source(start)
            return ("recurrence", "occurrences", key) if differs is None else differs.pointer
    raise Refusal(f"the rule of {whole.id} gives no window {record.id}")


def cancelled(text: str, within: Pointer, at: Instant, body: str | None) -> str:
    """Return a file in which a maintenance is called off; a text of its own is written as its last update."""
    edited = set_value(text, (*within, "cancelled_at"), spelled_in_source(at), AFTER)
    if body is None:
        return edited
    update = Update(at=at, status="completed", body=body)
    return append_item(edited, (*within, "updates"), update.value)
