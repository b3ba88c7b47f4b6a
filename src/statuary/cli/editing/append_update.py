"""Updates of incidents and maintenances: what is written, and where."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from statuary.cli.command_error import CommandError
from statuary.cli.editing.component_names import format_statuses, parse_statuses, statuses_or_ask
from statuary.cli.editing.edit_session import EditSession
from statuary.cli.editing.find_incident import current_update
from statuary.cli.options.edit_options import format_for_source
from statuary.cli.options.update_options import UpdateOptions, update_body
from statuary.domain.findings import Pointer
from statuary.domain.primitives import Instant
from statuary.domain.status.incidents import Incident
from statuary.domain.status.status_transitions import ALLOWED_TRANSITIONS, may_follow
from statuary.domain.status.vocabulary import ComponentStatus, UpdateStatus
from statuary.editing.yaml.edit_yaml import append_item
from statuary.editing.yaml.yaml_blocks import YamlValue


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUpdate:
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

    def with_components(self, components: Mapping[str, ComponentStatus | None]) -> "NewUpdate":
        """Return the same update with other components."""
        return replace(self, components=components)

    @property
    def details(self) -> str:
        """The update in words, for a commit's message."""
        named = f"; {format_statuses(self.components)}" if self.components else ""
        return f"{self.status} at {format_for_source(self.at)}{named}\n\n{self.body}".strip() + "\n"


def postmortem_value(at: Instant, body: str, *, notify: bool) -> dict[str, YamlValue]:
    """Return a postmortem as a source file holds it."""
    value: dict[str, YamlValue] = {"published_at": format_for_source(at), "body": body}
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
        possible = ", ".join(sorted(ALLOWED_TRANSITIONS[current.status] - {current.status}))
        raise CommandError(
            f"{record.id} is {current.status} since {format_for_source(current.display_at)}, "
            f"and {status} cannot follow",
            f"what can: {possible}" if possible else "it is over; open a new one if there is more to tell",
        )
    return current.status


def append_update(
    control: EditSession,
    record: Incident,
    status: UpdateStatus,
    said: UpdateOptions,
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
    at, catalogue = control.desk.at, control.timeline.catalogue
    before = status_before(record, status, at)
    affected = statuses_or_ask if ask_components else parse_statuses
    update = NewUpdate(
        at=at,
        status=status,
        body=update_body(said.body, status, before),
        components=affected(said.components, catalogue),
        notify=said.notify,
    )
    edit = control.edit(record.source, lambda text: append_item(text, (*within, "updates"), update.value))
    control.carry_out(edit, f"{subject}: {title(record)}", update.details)


def title(record: Incident) -> str:
    """Return a record's name on one line."""
    return " ".join(record.name.split())
