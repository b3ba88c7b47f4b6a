"""Where in its file a maintenance, or one window of a recurring one, is written."""

from statuary.cli.command_error import CommandError
from statuary.cli.editing.append_update import NewUpdate
from statuary.cli.options.edit_options import format_for_source
from statuary.domain.findings import Pointer
from statuary.domain.primitives import Instant
from statuary.domain.status.incidents import Incident
from statuary.domain.status.recurrence import window_id, window_starts
from statuary.domain.status.timeline import Timeline
from statuary.editing.yaml.edit_yaml import append_item, set_value

KEYS_BEFORE_CANCELLED_AT = ("name", "components", "created_at", "scheduled_for", "scheduled_until")
"""The keys that `cancelled_at` is written after."""


def pointer_in_file(timeline: Timeline, record: Incident) -> Pointer:
    """Return the mapping of a file that a record's own keys belong to.

    Raises:
        Refusal: if the record is a window that the rule does not give any more.
    """
    whole = next(
        (one for one in timeline.catalogue.maintenances if one.source == record.source and one.recurrence),
        None,
    )
    if whole is None or whole.recurrence is None:
        return ()
    for start in window_starts(whole, whole.recurrence, timeline.until):
        if window_id(whole, start) == record.id:
            differs = whole.recurrence.occurrences.get(start)
            key = format_for_source(start)
            return ("recurrence", "occurrences", key) if differs is None else differs.pointer
    raise CommandError(f"the rule of {whole.id} gives no window {record.id}")


def with_cancellation(text: str, within: Pointer, at: Instant, body: str | None) -> str:
    """Return a file in which a maintenance is called off; a text of its own is written as its last update."""
    edited = set_value(text, (*within, "cancelled_at"), format_for_source(at), KEYS_BEFORE_CANCELLED_AT)
    if body is None:
        return edited
    update = NewUpdate(at=at, status="completed", body=body)
    return append_item(edited, (*within, "updates"), update.value)
