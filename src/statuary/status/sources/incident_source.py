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
    """For imported pages: how an update changed one component, as the old page published it."""

    code: Text | None = None
    """The id or the key of the component. Very old pages (2017) give only its name."""
    name: Text
    """The name of the component at that time. For a component in a group, write `Group - Component`."""
    old_status: ComponentStatus | None = None
    """The status of the component before the update."""
    new_status: ComponentStatus | None = None
    """The status of the component after the update."""


class UpdateSource(SourceModel):
    """An update of an incident or a maintenance."""

    at: InstantText
    """The time of the update, as readers see it (`display_at` in Statuspage's API)."""
    body: Body | None = None
    """The text of the update, in Markdown. Default: Statuspage's standard text for the status."""
    components: dict[str, ComponentStatus | None] | None = None
    """The components whose status the update changes, by key, and their new statuses. `null` names a
    component without changing its status."""
    affected_components: tuple[AffectedComponentSource, ...] | None = None
    """For imported pages: the affected components exactly as the old page published them. Default: computed
    from `components`."""
    id: Identifier | None = None
    """The id of the update in the API and in links. Default: computed from the id of the incident and
    `created_at`."""
    created_at: InstantText | None = None
    """The time at which the update was posted. Default: `at`."""
    updated_at: InstantText | None = None
    """The time of the last edit of the update. Default: `created_at`."""
    deliver_notifications: Flag = True
    """Whether subscribers get a notification of this update."""
    custom_tweet: Text | None = None
    """A text for social media, which the API returns. statuary doesn't post it anywhere."""
    tweet_id: TweetId | None = None
    """The id of a post about the update on X (Twitter), which the API returns."""
    reopens: Flag = False
    """Whether the update opens a resolved incident, or a completed maintenance window, again."""
    next_update_by: InstantText | None = None
    """The time by which you promise the next update. Readers see "Next update by …". After that time, they
    see that the update is overdue."""

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
    """The status of the incident from this update on."""


class PostmortemSource(SourceModel):
    """A report about what happened, which you publish after the incident is resolved."""

    published_at: InstantText
    """The time at which the postmortem was published."""
    body: Body
    """The text of the postmortem, in Markdown."""
    deliver_notifications: Flag = False
    """Whether subscribers get a notification of the postmortem."""


class RecordSource(SourceModel):
    """The keys that incidents and maintenances share."""

    name: Name
    """The title that readers see."""
    id: Identifier | None = None
    """The id in the API and in links. Default: the name of the file without its ending."""
    impact_override: Impact | None = None
    """How severe readers see the incident (its impact). Default: computed from the statuses of the affected
    components."""
    impact_override_at: InstantText | None = None
    """The time from which `impact_override` applies. Default: from the beginning."""
    publish_at: InstantText | None = None
    """The time from which readers see this incident or maintenance. Builds before this time leave it out."""
    draft: Flag = False
    """Whether this incident or maintenance is a draft. Readers don't see drafts."""
    backfilled: Flag = False
    """Whether you entered the incident after it was over. It then doesn't change the status of its
    components."""
    created_at: InstantText | None = None
    """The time at which the incident was opened or the maintenance announced. Default: `created_at` of the
    first update."""
    started_at: InstantText | None = None
    """The time at which the incident began. Default: `at` of the first update. For maintenance, the default
    is `created_at`."""
    updated_at: InstantText | None = None
    """For imported pages: the time of the last change on the old page. After a later change, statuary uses
    the later time."""
    monitoring_at: InstantText | None = None
    """For imported pages: the time of the first update with the status `monitoring` or `verifying`. Default:
    computed from the updates."""
    resolved_at: InstantText | None = None
    """For imported pages: the time at which the incident was resolved or the maintenance completed. Default:
    computed from the updates."""
    shortlink: Text | None = None
    """A short URL of the incident or maintenance, which the API returns. Default: the URL of its page."""
    component_order: tuple[Text, ...] = ()
    """For imported pages: the order of the components in the API. Default: the order on the page."""


def check_affected_component_count(components: Iterable[str], updates: Sequence[UpdateSource]) -> None:
    """Check that an incident does not list too many components.

    The limit is needed because the incident's documents list the components again with each update.

    Args:
        components: the components that the incident names.
        updates: the incident's updates, which may name others.

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
    """The affected components by key, and the status that the first update gives them."""
    updates: Annotated[
        tuple[IncidentUpdateSource, ...],
        AfterValidator(_require_updates),
        Field(json_schema_extra={"minItems": 1}),
    ]
    """The updates of the incident, in any order. Readers see them ordered by time."""
    postmortem: PostmortemSource | None = None
    """The postmortem, which explains what happened."""
    alert: Text | None = None
    """The key of the monitoring alert that opened the incident. `statuary incident from-alert` writes this
    key. When the alert ends, the command finds the incident by it."""
    reminder_intervals: Text | None = None
    """For imported pages: the value of `reminder_intervals` in the API. Write `absent` to omit the member, as
    Statuspage does for incidents from before late 2023."""

    @model_validator(mode="after")
    def _check_size(self) -> Self:
        check_affected_component_count(self.components or (), self.updates)
        return self


class TemplateSource(SourceModel):
    """The beginning of `statuary incident open --template`; its options replace it."""

    name: Name | None = None
    """The title that readers see."""
    components: dict[str, ComponentStatus | None] | None = None
    """The affected components by key, and their statuses."""
    status: IncidentStatus | None = None
    """The first status of the incident. Default: `investigating`."""
    body: Body | None = None
    """The text of the first update, in Markdown. Default: Statuspage's standard text for the status."""
    impact_override: Impact | None = None
    """How severe readers see the incident (its impact). Default: computed from the statuses of the affected
    components."""
    next_update_in: DurationText | None = None
    """How soon you promise the next update, such as `30m`."""
    deliver_notifications: Flag = True
    """Whether subscribers get a notification of the first update."""


def template_from_source(source: TemplateSource, file_name: str, path: str) -> IncidentTemplate:
    """Convert the parsed file of an incident template.

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


def incident_from_source(source: IncidentSource, file_name: str, path: str) -> Incident:
    """Convert the parsed file of an incident.

    Args:
        source: the parsed file.
        file_name: the name of the file without suffix; it is the id unless the file states one.
        path: the path of the file.
    """
    incident_id = source.id or file_name
    updates = updates_from_source(source.updates, incident_id)
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


def updates_from_source(
    sources: Sequence[UpdateSource], record_id: str, prefix: Pointer = ()
) -> tuple[IncidentUpdate, ...]:
    """Convert the updates in a file to objects, sorted by time.

    If an update was imported from Statuspage, the updates keep the order of the file instead. An update without
    an id gets one made from the record's id and its own `created_at`, so that the id survives edits of the
    text.

    Args:
        sources: the updates as in the file.
        record_id: the id of the incident or maintenance.
        prefix: the keys that lead to `updates` in the file, such as `("occurrences", 2)`; empty at the top
            level.
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
    # Sort the updates by time, because a merge in git can leave those of two people in any order.
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
    """Return the keys and ids of components that an incident names.

    Each name is returned once.

    Args:
        first_names: the names to return first.
        updates: the updates of the incident; the components that they name follow.
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
    """Insert the postmortem of an incident before updates that reopen it later."""
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
