"""Incidents and their updates, as an author or an import states them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from statuary.domain.findings import Pointer
from statuary.domain.primitives import Instant
from statuary.domain.status.vocabulary import ComponentStatus, Impact, UpdateStatus

REMINDER_INTERVALS_ABSENT = "absent"
"""Value of `reminder_intervals` that omits the member, as in incidents from before September 2023."""


class AffectedComponent(NamedTuple):
    """The effect of an update on one component, in the shape that Statuspage serves."""

    # the component's id (in content: its key or its id); documents of 2017 have the name alone
    code: str | None
    name: str  # its name at the time, `Group - Component` in a group
    old_status: ComponentStatus | None
    new_status: ComponentStatus | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentUpdate:
    """One dated update of an incident or a maintenance."""

    id: str
    status: UpdateStatus
    body: str  # text with the small subset of HTML that Statuspage allows
    display_at: Instant  # the time that readers see
    created_at: Instant  # when it was posted; it is published neither before this nor before `display_at`
    updated_at: Instant
    # new statuses by component key or id; None only names the component
    components: Mapping[str, ComponentStatus | None] = field(default_factory=dict)
    recorded: bool = False  # `affected_components` is imported and published as it is instead of derived
    # the imported value; None where Statuspage served null
    affected_components: tuple[AffectedComponent, ...] | None = None
    deliver_notifications: bool = True
    custom_tweet: str | None = None
    tweet_id: int | None = None  # number of the social media post about it
    reopens: bool = False  # opens a record again that was over
    automatic: bool = False  # posted automatically, like those of Statuspage's job
    pointer: Pointer = ()  # where the file defines it; `()` for an update that is in no file


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """An incident from its opening to its end."""

    id: str
    source: str  # its file, relative to the content folder
    name: str
    updates: tuple[IncidentUpdate, ...]
    components: tuple[str, ...]  # the affected components by key or id, in the order of first mention
    created_at: Instant
    started_at: Instant
    # component statuses that take effect with the first update, by key or id
    opened_with: Mapping[str, ComponentStatus | None] = field(default_factory=dict)
    shortlink: str | None = None  # None for the one that follows from the page's URL
    updated_at: Instant | None = None  # given by an import only; otherwise the last change of an update
    monitoring_at: Instant | None = None  # given by an import only; otherwise the first monitoring update's
    resolved_at: Instant | None = None  # given by an import only; otherwise the resolving update's
    impact_override: Impact | None = None  # replaces the impact that follows from the components
    impact_override_at: Instant | None = None  # from when on; None for always
    publish_at: Instant | None = None  # nothing of it is published before this instant
    draft: bool = False  # nothing of it is published
    backfilled: bool = False  # entered after the fact; it changes no component's status
    reminder_intervals: str | None = None  # published as it is; `absent` omits the member
    # keys or ids in the order of documents; the others follow in the order of the page
    component_order: tuple[str, ...] = ()

    @property
    def stated_changes(self) -> tuple[Instant, ...]:
        """Instants at which the record itself changed, not one of its updates."""
        return tuple(at for at in (self.updated_at, self.impact_override_at) if at is not None)
