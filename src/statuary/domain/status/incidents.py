"""Incidents and their updates, as an author or an import states them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from statuary.domain.findings import Pointer
from statuary.domain.primitives import Instant
from statuary.domain.status.vocabulary import ComponentStatus, Impact, UpdateStatus

REMINDER_INTERVALS_ABSENT = "absent"
"""As `reminder_intervals`: the member is left out, as in incidents from before September 2023."""


class AffectedComponent(NamedTuple):
    """What an update says of one component, in the shape that Statuspage serves.

    Attributes:
        code: the component's id (in content: its key or its id).
        name: its name as of then, `Group - Component` if it is in a group.
        old_status: its status before the update.
        new_status: its status after the update.
    """

    code: str
    name: str
    old_status: ComponentStatus
    new_status: ComponentStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentUpdate:
    """One dated update of an incident or a maintenance.

    Attributes:
        id: the published id.
        status: what it moves the incident to.
        body: its text; Statuspage allows a small subset of HTML in it.
        display_at: the instant readers are told.
        created_at: the instant it was posted; nobody sees it before (nor before `display_at`).
        updated_at: the instant of its last edit.
        components: the statuses that it gives to components, by key or id.
        recorded: whether `affected_components` is a record to publish as it is, not to be derived.
        affected_components: that record; None where Statuspage served null.
        deliver_notifications: whether subscribers are told.
        custom_tweet: text for social media, or None.
        tweet_id: the number of the post that was made of it, or None.
        automatic: whether nobody wrote it: the clock did, as Statuspage's job does.
        pointer: where in the incident's file it is written; `()` if nowhere.
    """

    id: str
    status: UpdateStatus
    body: str
    display_at: Instant
    created_at: Instant
    updated_at: Instant
    components: Mapping[str, ComponentStatus | None] = field(default_factory=dict)
    recorded: bool = False
    affected_components: tuple[AffectedComponent, ...] | None = None
    deliver_notifications: bool = True
    custom_tweet: str | None = None
    tweet_id: int | None = None
    automatic: bool = False
    pointer: Pointer = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """An incident over its whole life.

    Attributes:
        id: the published id, from the file name unless given.
        source: its file, relative to the content folder.
        name: the published name.
        updates: what was and will be said, in the author's order.
        components: the components it is about, by key or id, in the order they were named.
        opened_with: the statuses that it gave to components when it was opened, by key or id.
        created_at: when it was opened.
        started_at: when the trouble began.
        shortlink: the published link; None for the one that follows from the page's URL.
        updated_at: given only by an import; otherwise the last update's.
        monitoring_at: given only by an import; otherwise the first monitoring update's instant.
        resolved_at: given only by an import; otherwise the resolving update's instant.
        impact_override: the impact, whatever the components say.
        publish_at: before this instant nothing of it is published.
        draft: whether nothing of it is ever published.
        backfilled: whether it was entered after the fact: it moves no component.
        reminder_intervals: published as it is; `absent` leaves the member out.
    """

    id: str
    source: str
    name: str
    updates: tuple[IncidentUpdate, ...]
    components: tuple[str, ...]
    created_at: Instant
    started_at: Instant
    opened_with: Mapping[str, ComponentStatus | None] = field(default_factory=dict)
    shortlink: str | None = None
    updated_at: Instant | None = None
    monitoring_at: Instant | None = None
    resolved_at: Instant | None = None
    impact_override: Impact | None = None
    publish_at: Instant | None = None
    draft: bool = False
    backfilled: bool = False
    reminder_intervals: str | None = None
