"""Updates of incidents and maintenances: what is written, and where."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from statuary.cli.control.carry_out import Control
from statuary.cli.control.components import asked_statuses, named_statuses, shown_statuses
from statuary.cli.control.desk import spelled_in_source
from statuary.cli.control.find import current_update
from statuary.cli.control.refusal import Refusal
from statuary.cli.control.said import Said, body_of_update
from statuary.content.editing.blocks import Value
from statuary.content.editing.edit import append_item
from statuary.domain.findings import Pointer
from statuary.domain.primitives import Instant
from statuary.domain.status.incidents import Incident
from statuary.domain.status.lifecycle import MOVES, may_follow
from statuary.domain.status.vocabulary import ComponentStatus, UpdateStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """An update to be written.

    Attributes:
        at: when readers are told.
        status: what it moves the record to.
        body: its text.
        components: new statuses of components, by key.
        notify: whether subscribers are told.
    """

    at: Instant
    status: UpdateStatus
    body: str
    components: Mapping[str, ComponentStatus | None] = field(default_factory=dict)
    notify: bool = True

    @property
    def value(self) -> dict[str, Value]:
        """The update as a source file holds it."""
        value: dict[str, Value] = {
            "at": spelled_in_source(self.at),
            "status": self.status,
            "body": self.body,
        }
        if self.components:
            value["components"] = dict(self.components)
        if not self.notify:
            value["deliver_notifications"] = False
        return value

    def with_components(self, components: Mapping[str, ComponentStatus | None]) -> "Update":
        """Return the same update with other components."""
        return replace(self, components=components)

    @property
    def details(self) -> str:
        """The update in words, for a commit's message."""
        named = f"; {shown_statuses(self.components)}" if self.components else ""
        return f"{self.status} at {spelled_in_source(self.at)}{named}\n\n{self.body}".strip() + "\n"


def postmortem_value(at: Instant, body: str, *, notify: bool) -> dict[str, Value]:
    """Return a postmortem as a source file holds it."""
    value: dict[str, Value] = {"published_at": spelled_in_source(at), "body": body}
    return {**value, "deliver_notifications": True} if notify else value


def status_before(record: Incident, status: UpdateStatus, at: Instant) -> UpdateStatus | None:
    """Return the status that a record has before a move to another one; None before its first update.

    Raises:
        Refusal: if the move is not possible from there.
    """
    current = current_update(record, at)
    if current is None:
        return None
    if not may_follow(current.status, status):
        possible = ", ".join(sorted(MOVES[current.status] - {current.status}))
        raise Refusal(
            f"{record.id} is {current.status} since {spelled_in_source(current.display_at)}, "
            f"and {status} cannot follow",
            f"what can: {possible}" if possible else "it is over; open a new one if there is more to tell",
        )
    return current.status


def append_update(
    control: Control,
    record: Incident,
    status: UpdateStatus,
    said: Said,
    subject: str,
    *,
    ask_components: bool = False,
    within: Pointer = (),
) -> None:
    """Append an update to a record's file, and carry that out.

    Args:
        control: the command's run.
        record: the incident, the maintenance or the window.
        status: what the update moves it to.
        said: what else the update says.
        subject: what happens, in a few words.
        ask_components: whether a person is asked for components if none were given.
        within: where in the file the record is written.

    Raises:
        Refusal: if the move is not possible, or a component is not known.
    """
    at, catalogue = control.desk.at, control.line.catalogue
    before = status_before(record, status, at)
    affected = asked_statuses if ask_components else named_statuses
    update = Update(
        at=at,
        status=status,
        body=body_of_update(said.body, status, before),
        components=affected(said.components, catalogue),
        notify=said.notify,
    )
    edit = control.edit(record.source, lambda text: append_item(text, (*within, "updates"), update.value))
    control.carry_out(edit, f"{subject}: {title(record)}", update.details)


def title(record: Incident) -> str:
    """Return a record's name on one line."""
    return " ".join(record.name.split())
