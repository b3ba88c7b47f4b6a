"""`incidents/<id>.yaml`: an incident as an author writes it.

An author writes a name, the affected components with their statuses, and dated updates. Everything else that
Statuspage publishes can be given too, so that an import loses nothing.
"""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from statuary.base.findings import Pointer
from statuary.base.limits import MAX_AFFECTED
from statuary.base.primitives import Instant, InvalidValueError
from statuary.source.source_model import (
    Body,
    DurationText,
    Flag,
    Identifier,
    InstantText,
    Name,
    SourceModel,
    Text,
    TweetId,
    convert_model,
)
from statuary.status.model.records import (
    AffectedComponent,
    Incident,
    IncidentTemplate,
    IncidentUpdate,
    derived_id,
)
from statuary.status.model.vocabulary import (
    DEFAULT_BODIES,
    ComponentStatus,
    Impact,
    IncidentStatus,
    UpdateStatus,
)


class AffectedComponentSource(SourceModel):
    """The effect of an imported update on one component, as Statuspage served it."""

    code: Text | None = None
    """The component's id or key; documents of 2017 have the name alone."""
    name: Text
    """Its name at the time, `Group - Component` in a group."""
    old_status: ComponentStatus | None = None
    """Its status before the update."""
    new_status: ComponentStatus | None = None
    """Its status after the update."""


class UpdateSource(SourceModel):
    """An update of an incident or a maintenance."""

    at: InstantText
    """The time that readers see; Statuspage's `display_at`."""
    body: Body | None = None
    """The text; default: Statuspage's own text for this status."""
    components: dict[str, ComponentStatus | None] | None = None
    """New statuses of components, by key; a component without a status is only named."""
    affected_components: tuple[AffectedComponentSource, ...] | None = None
    """For imports: published as it is, null included; default: derived."""
    id: Identifier | None = None
    """The published id; default: derived from the incident's id and `created_at`."""
    created_at: InstantText | None = None
    """When it was posted; default: `at`."""
    updated_at: InstantText | None = None
    """When it was last edited; default: `created_at`."""
    deliver_notifications: Flag = True
    """Whether it notifies subscribers."""
    custom_tweet: Text | None = None
    """Text for social media."""
    tweet_id: TweetId | None = None
    """The number of the social media post about it."""
    reopens: Flag = False
    """Whether it reopens a resolved incident or a completed maintenance."""
    next_update_by: InstantText | None = None
    """When you promise the next update. Pages show the promise, and mark it as overdue afterwards."""

    @model_validator(mode="after")
    def _check_component_keys(self) -> Self:
        if self.components and self.affected_components:
            raise InvalidValueError(
                "an update has both components and affected_components",
                "use components for what you write, affected_components for what was imported",
            )
        return self


class IncidentUpdateSource(UpdateSource):
    """An update of an incident."""

    status: IncidentStatus
    """The incident's new status."""


class PostmortemSource(SourceModel):
    """A postmortem, published after the incident is resolved."""

    published_at: InstantText
    """When it was published."""
    body: Body
    """The text."""
    deliver_notifications: Flag = False
    """Whether it notifies subscribers."""


class RecordSource(SourceModel):
    """The keys that incidents and maintenances share."""

    name: Name
    """The title that readers see."""
    id: Identifier | None = None
    """The published id; default: the name of the file."""
    impact_override: Impact | None = None
    """Replaces the derived impact."""
    impact_override_at: InstantText | None = None
    """When `impact_override` begins to apply; default: always."""
    publish_at: InstantText | None = None
    """Nothing is published before this instant."""
    draft: Flag = False
    """Nothing is published."""
    backfilled: Flag = False
    """Entered after the fact: it changes no component's status."""
    created_at: InstantText | None = None
    """When it was opened or announced; default: the first update's `created_at`."""
    started_at: InstantText | None = None
    """When it began; default: the first update's `at`, for a maintenance `created_at`."""
    updated_at: InstantText | None = None
    """For imports: its last change, unless a later one follows."""
    monitoring_at: InstantText | None = None
    """For imports: when it was first monitored or verified; default: derived from the updates."""
    resolved_at: InstantText | None = None
    """For imports: when it was resolved or completed; default: derived from the updates."""
    shortlink: Text | None = None
    """A short URL; default: the URL of its page."""
    component_order: tuple[Text, ...] = ()
    """For imports: the order in which documents list its components; default: the order of the page."""


def check_affected_count(components: Iterable[str], updates: Sequence[UpdateSource]) -> None:
    """Check that a record does not list too many components.

    The limit is needed because the record's documents list the components again with each update.

    Args:
        components: the components that the record names.
        updates: the record's updates, which may name others.

    Raises:
        InvalidValueError: if the number of components times that of updates exceeds `MAX_AFFECTED`.
    """
    names = set(components)
    for update in updates:
        names |= (update.components or {}).keys()
    if len(names) * len(updates) > MAX_AFFECTED:
        raise InvalidValueError(
            f"{len(updates):,} updates with {len(names):,} components each are {len(names) * len(updates):,} entries;"
            f" the limit is {MAX_AFFECTED:,}",
            "name fewer components, such as the ones that matter most, or split the record",
        )


def _require_updates(updates: tuple[IncidentUpdateSource, ...]) -> tuple[IncidentUpdateSource, ...]:
    if not updates:
        raise InvalidValueError("the incident has no update", "add one with `at`, `status` and `body`")
    return updates


class IncidentSource(RecordSource):
    """An incident."""

    components: dict[str, ComponentStatus | None] | None = None
    """The affected components by key, with their statuses from the first update on."""
    updates: Annotated[
        tuple[IncidentUpdateSource, ...],
        AfterValidator(_require_updates),
        Field(json_schema_extra={"minItems": 1}),
    ]
    """The updates, in any order; readers see them by time."""
    postmortem: PostmortemSource | None = None
    """The postmortem."""
    alert: Text | None = None
    """The key of the alert that opened the incident, written by `statuary incident from-alert`. When the alert ends, the incident is resolved."""
    reminder_intervals: Text | None = None
    """For imports: published as it is; `absent` omits the member, as in incidents from before late 2023."""

    @model_validator(mode="after")
    def _check_size(self) -> Self:
        check_affected_count(self.components or (), self.updates)
        return self


class TemplateSource(SourceModel):
    """The beginning of `statuary incident open --template`; its options replace it."""

    name: Name | None = None
    """The title that readers see."""
    components: dict[str, ComponentStatus | None] | None = None
    """The affected components by key, with their statuses."""
    status: IncidentStatus | None = None
    """The first status; default: `investigating`."""
    body: Body | None = None
    """The text of the first update; default: Statuspage's own text for this status."""
    impact_override: Impact | None = None
    """Replaces the derived impact."""
    next_update_in: DurationText | None = None
    """The time within which the next update is promised, such as `30m`."""
    deliver_notifications: Flag = True
    """Whether the first update notifies subscribers."""


def translate_template(source: TemplateSource, file_name: str, path: str) -> IncidentTemplate:
    """Convert the content of an incident template.

    Args:
        source: the parsed file.
        file_name: the name of the file without suffix.
        path: the path of the file.
    """
    return convert_model(
        IncidentTemplate,
        source,
        name=file_name,
        source=path,
        title=source.name,
        components=source.components or {},
    )


def translate_incident(source: IncidentSource, file_name: str, path: str) -> Incident:
    """Convert the content of an incident's file.

    Args:
        source: the parsed file.
        file_name: the name of the file without suffix; it is the id unless the file states one.
        path: the path of the file.
    """
    incident_id = source.id or file_name
    updates = translate_updates(source.updates, incident_id)
    if source.postmortem is not None:
        updates = _with_postmortem(updates, _translate_postmortem(source.postmortem, incident_id))
    return convert_model(
        Incident,
        source,
        id=incident_id,
        source=path,
        updates=updates,
        components=named_components(source.components or (), updates),
        created_at=source.created_at or min(update.created_at for update in updates),
        started_at=source.started_at or min(update.display_at for update in updates),
        opened_with=source.components or {},
    )


def translate_updates(
    sources: Sequence[UpdateSource], record_id: str, prefix: Pointer = ()
) -> tuple[IncidentUpdate, ...]:
    """Convert the updates in a file, sorted from old to new.

    If an update is imported, all updates keep the order of the file. An update without an id gets one made
    from the record's id and its own `created_at`, so that the id survives edits of the text.

    Args:
        sources: the updates as in the file.
        record_id: the id of the incident or maintenance.
        prefix: the pointer of the mapping with the key `updates` in the file.
    """
    count: dict[Instant, int] = {}
    updates = []
    for index, source in enumerate(sources):
        created_at = source.created_at or source.at
        ordinal = count[created_at] = count.get(created_at, -1) + 1
        default_id = derived_id(record_id, created_at.isoformat(), str(ordinal))
        updates.append(
            _translate_update(source, source.id or default_id, created_at, (*prefix, "updates", index))
        )
    # sort the updates, because a merge in git can put the updates of several people in any order
    is_imported = any(update.recorded for update in updates)
    return tuple(updates if is_imported else sorted(updates, key=attrgetter("display_at")))


def _translate_update(
    source: UpdateSource, update_id: str, created_at: Instant, pointer: Pointer
) -> IncidentUpdate:
    status: UpdateStatus = source.status  # type: ignore[attr-defined]
    affected = source.affected_components
    return convert_model(
        IncidentUpdate,
        source,
        id=update_id,
        body=DEFAULT_BODIES[status] if source.body is None else source.body,
        display_at=source.at,
        created_at=created_at,
        updated_at=source.updated_at or created_at,
        components=source.components or {},
        recorded="affected_components" in source.model_fields_set,
        affected_components=None
        if affected is None
        else tuple(convert_model(AffectedComponent, component) for component in affected),
        pointer=pointer,
    )


def named_components(first_names: Iterable[str], updates: Iterable[IncidentUpdate]) -> tuple[str, ...]:
    """Return the components that a record names, by key or id, once.

    Args:
        first_names: the components that come first.
        updates: the updates of the record, whose components follow.
    """
    names = dict.fromkeys(first_names)
    for update in updates:
        names.update(dict.fromkeys(update.components))
        codes = (affected.code for affected in update.affected_components or ())
        names.update(dict.fromkeys(code for code in codes if code is not None))
    return tuple(names)


def _with_postmortem(
    updates: tuple[IncidentUpdate, ...], postmortem: IncidentUpdate
) -> tuple[IncidentUpdate, ...]:
    """Return updates with the postmortem before later reopening ones."""
    later_updates = (
        place
        for place, update in enumerate(updates)
        if update.reopens and update.display_at >= postmortem.display_at
    )
    place = next(later_updates, len(updates))
    return (*updates[:place], postmortem, *updates[place:])


def _translate_postmortem(source: PostmortemSource, incident_id: str) -> IncidentUpdate:
    return convert_model(
        IncidentUpdate,
        source,
        id=derived_id(incident_id, "postmortem"),
        status="postmortem",
        display_at=source.published_at,
        created_at=source.published_at,
        updated_at=source.published_at,
        recorded=True,
        pointer=("postmortem",),
    )
