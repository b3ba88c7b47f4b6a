"""`incidents/<id>.yaml`: an incident, as an author writes it, and updates, which maintenances share.

An author writes a name, the affected components with the status they had, and dated updates. Everything
else that Statuspage publishes can be given, so that an import loses nothing.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from statuary.content.source_model import Flag, InstantText, SourceModel, Text
from statuary.content.sources.text_types import Body, Identifier, Name, TweetId
from statuary.domain.findings import Pointer
from statuary.domain.primitives import Instant, InvalidValueError
from statuary.domain.status.derived_ids import derived_id
from statuary.domain.status.incidents import AffectedComponent, Incident, IncidentUpdate
from statuary.domain.status.vocabulary import (
    DEFAULT_BODIES,
    ComponentStatus,
    Impact,
    IncidentStatus,
    UpdateStatus,
)


class AffectedComponentSource(SourceModel):
    """What an imported update says of one component, as Statuspage served it."""

    code: Text
    """The component's id or key."""
    name: Text
    """Its name as of then, `Group - Component` if it was in a group."""
    old_status: ComponentStatus
    """Its status before the update."""
    new_status: ComponentStatus
    """Its status after the update."""


class UpdateSource(SourceModel):
    """What the updates of incidents and of maintenances have in common."""

    at: InstantText
    """When readers are told this; Statuspage's `display_at`."""
    body: Body | None = None
    """The text; Statuspage's own for this status if left out."""
    components: dict[str, ComponentStatus | None] | None = None
    """New statuses of components, by key; a component without a status is only named."""
    affected_components: tuple[AffectedComponentSource, ...] | None = None
    """For imports: what was published, null included; derived if left out."""
    id: Identifier | None = None
    """The published id; derived from the incident's id and `created_at` if left out."""
    created_at: InstantText | None = None
    """When it was posted; `at` if left out."""
    updated_at: InstantText | None = None
    """When it was last edited; `created_at` if left out."""
    deliver_notifications: Flag = True
    """Whether subscribers are told."""
    custom_tweet: Text | None = None
    """Text for social media."""
    tweet_id: TweetId | None = None
    """The number of the post that was made of it."""

    @model_validator(mode="after")
    def _one_way_of_saying(self) -> Self:
        if self.components and self.affected_components:
            raise InvalidValueError(
                "an update has either components or affected_components",
                "keep components for what you write, affected_components for what was imported",
            )
        return self


class IncidentUpdateSource(UpdateSource):
    """An update of an incident."""

    status: IncidentStatus
    """What the update moves the incident to."""


class PostmortemSource(SourceModel):
    """What was learned, published after the incident is resolved."""

    published_at: InstantText
    """When it was published."""
    body: Body
    """The text."""
    deliver_notifications: Flag = False
    """Whether subscribers are told."""


def _not_empty(updates: tuple[IncidentUpdateSource, ...]) -> tuple[IncidentUpdateSource, ...]:
    if not updates:
        raise InvalidValueError("an incident has no update", "add one with `at`, `status` and what is known")
    return updates


class IncidentSource(SourceModel):
    """An incident."""

    name: Name
    """What readers see as its title."""
    components: dict[str, ComponentStatus | None] | None = None
    """The affected components by key, with the status that they took when the incident was opened."""
    updates: Annotated[
        tuple[IncidentUpdateSource, ...], AfterValidator(_not_empty), Field(json_schema_extra={"minItems": 1})
    ]
    """What was said when, oldest first."""
    postmortem: PostmortemSource | None = None
    """What was learned afterwards."""
    id: Identifier | None = None
    """The published id; the file's name if left out."""
    impact_override: Impact | None = None
    """The impact, whatever the components say."""
    publish_at: InstantText | None = None
    """Nothing of the incident is published before this instant."""
    draft: Flag = False
    """Nothing of the incident is published at all."""
    backfilled: Flag = False
    """Entered after the fact: it changes no component's status."""
    created_at: InstantText | None = None
    """When it was opened; the first update's `created_at` if left out."""
    started_at: InstantText | None = None
    """When the trouble began; the first update's `at` if left out."""
    updated_at: InstantText | None = None
    """For imports: its last change, until a later one."""
    monitoring_at: InstantText | None = None
    """For imports: when it was first monitored; follows from the updates if left out."""
    resolved_at: InstantText | None = None
    """For imports: when it was resolved; follows from the updates if left out."""
    shortlink: Text | None = None
    """A short address; the page's URL and the incident's id if left out."""
    reminder_intervals: Text | None = None
    """For imports: published as it is; `absent` leaves the member out, as in incidents from before late 2023."""


def translate_incident(source: IncidentSource, file_name: str, path: str) -> Incident:
    """Return the incident that a source describes.

    Args:
        source: what was read.
        file_name: the file's name without its suffix: the id, unless one is given.
        path: the file, relative to the content folder.
    """
    incident_id = source.id or file_name
    updates = translate_updates(source.updates, incident_id)
    if source.postmortem is not None:
        updates = (*updates, _postmortem(source.postmortem, incident_id))
    return Incident(
        id=incident_id,
        source=path,
        name=source.name,
        updates=updates,
        components=named_components(source.components or (), updates),
        created_at=source.created_at or min(update.created_at for update in updates),
        started_at=source.started_at or min(update.display_at for update in updates),
        opened_with=source.components or {},
        shortlink=source.shortlink,
        updated_at=source.updated_at,
        monitoring_at=source.monitoring_at,
        resolved_at=source.resolved_at,
        impact_override=source.impact_override,
        publish_at=source.publish_at,
        draft=source.draft,
        backfilled=source.backfilled,
        reminder_intervals=source.reminder_intervals,
    )


def translate_updates(
    sources: Sequence[UpdateSource], incident_id: str, prefix: Pointer = ()
) -> tuple[IncidentUpdate, ...]:
    """Return the updates of a record.

    An update's id follows from the record's id, the instant it was posted and how many before it were
    posted at that instant: it outlives every edit of its text.
    """
    posted: dict[Instant, int] = {}
    updates = []
    for index, source in enumerate(sources):
        created_at = source.created_at or source.at
        ordinal = posted[created_at] = posted.get(created_at, -1) + 1
        updates.append(
            IncidentUpdate(
                id=source.id or derived_id(incident_id, created_at.isoformat(), str(ordinal)),
                status=_status(source),
                body=DEFAULT_BODIES[_status(source)] if source.body is None else source.body,
                display_at=source.at,
                created_at=created_at,
                updated_at=source.updated_at or created_at,
                components=source.components or {},
                recorded="affected_components" in source.model_fields_set,
                affected_components=_affected(source.affected_components),
                deliver_notifications=source.deliver_notifications,
                custom_tweet=source.custom_tweet,
                tweet_id=source.tweet_id,
                pointer=(*prefix, "updates", index),
            )
        )
    return tuple(updates)


def _status(source: UpdateSource) -> UpdateStatus:
    status: UpdateStatus = source.status  # type: ignore[attr-defined]
    return status


def _affected(
    sources: Sequence[AffectedComponentSource] | None,
) -> tuple[AffectedComponent, ...] | None:
    if sources is None:
        return None
    return tuple(AffectedComponent(a.code, a.name, a.old_status, a.new_status) for a in sources)


def named_components(first: Iterable[str], updates: Iterable[IncidentUpdate]) -> tuple[str, ...]:
    """Return the components that a record names, each once, in the order of naming."""
    named = dict.fromkeys(first)
    for update in updates:
        named.update(dict.fromkeys(update.components))
        named.update(dict.fromkeys(affected.code for affected in update.affected_components or ()))
    return tuple(named)


def _postmortem(source: PostmortemSource, incident_id: str) -> IncidentUpdate:
    return IncidentUpdate(
        id=derived_id(incident_id, "postmortem"),
        status="postmortem",
        body=source.body,
        display_at=source.published_at,
        created_at=source.published_at,
        updated_at=source.published_at,
        recorded=True,
        deliver_notifications=source.deliver_notifications,
        pointer=("postmortem",),
    )
