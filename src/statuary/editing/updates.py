"""Updates of incidents and maintenances as a source file holds them, and where in the file they belong."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from statuary.domain.findings import Pointer
from statuary.domain.primitives import Instant
from statuary.domain.status.incidents import Incident
from statuary.domain.status.recurrence import window_id, window_starts
from statuary.domain.status.status_transitions import ALLOWED_TRANSITIONS, may_follow
from statuary.domain.status.timeline import Timeline
from statuary.domain.status.vocabulary import ComponentStatus, UpdateStatus
from statuary.editing.errors import EditError
from statuary.editing.find_component import format_statuses
from statuary.editing.find_incident import current_update
from statuary.editing.yaml.edit_yaml import append_item, set_value
from statuary.editing.yaml.yaml_blocks import YamlValue

KEYS_BEFORE_CANCELLED_AT = ("name", "components", "created_at", "scheduled_for", "scheduled_until")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUpdate:
    """An update to write; a component with the status None is named without changing its status."""

    at: Instant
    status: UpdateStatus
    body: str
    components: Mapping[str, ComponentStatus | None] = field(default_factory=dict)
    notify: bool = True

    @property
    def value(self) -> dict[str, YamlValue]:
        """The update as a source file holds it."""
        value: dict[str, YamlValue] = {
            "at": format_for_source(self.at),
            "status": self.status,
            "body": self.body,
        }
        if self.components:
            value["components"] = dict(self.components)
        if not self.notify:
            value["deliver_notifications"] = False
        return value

    @property
    def details(self) -> str:
        """The update as the body of a commit message."""
        return self.details_with(self.components)

    def details_with(self, components: Mapping[str, ComponentStatus | None]) -> str:
        """Return the body of a commit message that names these components."""
        named = f"; {format_statuses(components)}" if components else ""
        return f"{self.status} at {format_for_source(self.at)}{named}\n\n{self.body}".strip() + "\n"


def postmortem_value(at: Instant, body: str, *, notify: bool) -> dict[str, YamlValue]:
    """Return a postmortem as a source file holds it."""
    value: dict[str, YamlValue] = {"published_at": format_for_source(at), "body": body}
    return {**value, "deliver_notifications": True} if notify else value


def status_before(incident: Incident, status: UpdateStatus, at: Instant) -> UpdateStatus | None:
    """Return the status that precedes a change to `status`; None if that is the first update.

    Raises:
        EditError: if `status` cannot follow the current one.
    """
    current = current_update(incident, at)
    if current is None:
        return None
    if not may_follow(current.status, status):
        possible = ", ".join(sorted(ALLOWED_TRANSITIONS[current.status] - {current.status}))
        raise EditError(
            f"{incident.id} has been {current.status} since {format_for_source(current.display_at)} "
            f"and cannot become {status}",
            f"it can become {possible}"
            if possible
            else "it is over; open a new one if there is more to report",
        )
    return current.status


def pointer_in_file(timeline: Timeline, incident: Incident) -> Pointer:
    """Return the mapping of the source file that holds the keys of a maintenance or one of its windows.

    Raises:
        EditError: if the recurrence rule no longer gives this window.
    """
    recurring = (one for one in timeline.catalogue.maintenances if one.recurrence)
    whole = next((one for one in recurring if one.source == incident.source), None)
    if whole is None or whole.recurrence is None:
        return ()
    for start in window_starts(whole, whole.recurrence, timeline.until):
        if window_id(whole, start) == incident.id:
            occurrence = whole.recurrence.occurrences.get(start)
            key = format_for_source(start)
            return ("recurrence", "occurrences", key) if occurrence is None else occurrence.pointer
    raise EditError(f"the recurrence rule of {whole.id} gives no window {incident.id}")


def with_cancellation(text: str, pointer: Pointer, at: Instant, body: str | None) -> str:
    """Return a file's text with a maintenance cancelled; `body` becomes its last update."""
    edited = set_value(text, (*pointer, "cancelled_at"), format_for_source(at), KEYS_BEFORE_CANCELLED_AT)
    if body is None:
        return edited
    update = NewUpdate(at=at, status="completed", body=body)
    return append_item(edited, (*pointer, "updates"), update.value)


def with_window(text: str, pointer: Pointer, at: Instant, window: tuple[Instant, Instant]) -> str:
    """Return a file's text with the window of a maintenance moved at an instant."""
    values = zip(("scheduled_for", "scheduled_until", "rescheduled_at"), (*window, at), strict=True)
    for key, instant in values:
        text = set_value(text, (*pointer, key), format_for_source(instant), KEYS_BEFORE_CANCELLED_AT)
    return text


def format_for_source(moment: Instant) -> str:
    """Return an instant as source files hold it: UTC, milliseconds only if there are any."""
    precision = "milliseconds" if moment.microsecond else "seconds"
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")


def format_if_given(moment: Instant | None) -> str | None:
    """Return an instant as source files hold it, or None."""
    return None if moment is None else format_for_source(moment)


def single_line(text: str) -> str:
    """Return a text on one line, with single spaces."""
    return " ".join(text.split())
