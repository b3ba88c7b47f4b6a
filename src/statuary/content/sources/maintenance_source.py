"""`maintenances/<id>.yaml`: a scheduled maintenance, as an author writes it.

An author writes a name, components, a window and when it is announced; the clock does the rest.
"""

from datetime import timedelta
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from statuary.content.source_model import Flag, InstantText, SourceModel, Text, TimeZoneText, WholeNumber
from statuary.content.sources.incident_source import UpdateSource, named_components, translate_updates
from statuary.content.sources.text_types import Body, Identifier, Name
from statuary.domain.primitives import InvalidValueError, parse_instant
from statuary.domain.status.derived_ids import derived_id
from statuary.domain.status.incidents import IncidentUpdate
from statuary.domain.status.maintenances import Automation, Maintenance, Occurrence, Recurrence
from statuary.domain.status.page import Page
from statuary.domain.status.recurrence import validate_rule
from statuary.domain.status.vocabulary import DEFAULT_BODIES, Impact, MaintenanceStatus


class MaintenanceUpdateSource(UpdateSource):
    """An update of a maintenance."""

    status: MaintenanceStatus
    """What the update moves the maintenance to."""


class OccurrenceSource(SourceModel):
    """What differs in one window of a recurring maintenance."""

    scheduled_for: InstantText | None = None
    """A moved start."""
    scheduled_until: InstantText | None = None
    """A moved end; follows from the start if left out."""
    name: Name | None = None
    """Another name."""
    body: Body | None = None
    """Another announcement."""
    cancelled_at: InstantText | None = None
    """When this window was called off."""
    updates: tuple[MaintenanceUpdateSource, ...] = ()
    """Updates of this window alone, oldest first."""


LONGEST_ANNOUNCEMENT = 366
"""Days before its start that a window may be published."""


def _announce_days(days: int) -> int:
    if not 0 <= days <= LONGEST_ANNOUNCEMENT:
        raise InvalidValueError(f"{days} is no number of days from 0 to {LONGEST_ANNOUNCEMENT}", "7 is usual")
    return days


def _instant_key(text: str) -> str:
    parse_instant(text)
    return text


def _rule(text: str) -> str:
    validate_rule(text)
    return text


class RecurrenceSource(SourceModel):
    """How a maintenance repeats."""

    rule: Annotated[Text, AfterValidator(_rule)]
    """An RFC 5545 recurrence rule, such as `FREQ=WEEKLY;BYDAY=TU;COUNT=10`."""
    time_zone: TimeZoneText | None = None
    """The zone whose clock the rule follows; the page's if left out."""
    announce_days: Annotated[WholeNumber, AfterValidator(_announce_days)] = 7
    """How many days before its start a window is published."""
    occurrences: dict[Annotated[Text, AfterValidator(_instant_key)], OccurrenceSource] = Field(
        default_factory=dict
    )
    """What differs in single windows, by the start that the rule gives them."""


class MaintenanceSource(SourceModel):
    """A scheduled maintenance."""

    name: Name
    """What readers see as its title."""
    components: tuple[Text, ...] = ()
    """The keys of the components that it is about."""
    scheduled_for: InstantText
    """The start of the window (of the first one, if it recurs)."""
    scheduled_until: InstantText
    """The end of the window."""
    created_at: InstantText | None = None
    """When it is announced; the first update's `created_at` if left out."""
    body: Body | None = None
    """The announcement; Statuspage's own text if left out."""
    updates: tuple[MaintenanceUpdateSource, ...] = ()
    """What was said when, oldest first; the clock writes what nobody does."""
    recurrence: RecurrenceSource | None = None
    """How it repeats."""
    cancelled_at: InstantText | None = None
    """When it was called off: it ends then, and the clock does nothing more."""
    scheduled_remind_prior: Flag = True
    """Write a reminder 60 minutes before the window."""
    scheduled_auto_in_progress: Flag = True
    """Begin at `scheduled_for`."""
    scheduled_auto_completed: Flag = True
    """Complete at `scheduled_until`."""
    auto_transition_to_maintenance_state: Flag = True
    """Beginning puts the components under maintenance."""
    auto_transition_to_operational_state: Flag = True
    """Completing makes them operational."""
    auto_transition_deliver_notifications_at_start: Flag = True
    """Beginning notifies subscribers."""
    auto_transition_deliver_notifications_at_end: Flag = True
    """Completing notifies subscribers."""
    id: Identifier | None = None
    """The published id; the file's name if left out."""
    impact_override: Impact | None = None
    """The impact, which is `maintenance` otherwise."""
    publish_at: InstantText | None = None
    """Nothing of the maintenance is published before this instant."""
    draft: Flag = False
    """Nothing of the maintenance is published at all."""
    backfilled: Flag = False
    """Entered after the fact: it changes no component's status."""
    started_at: InstantText | None = None
    """For imports: `created_at` if left out."""
    updated_at: InstantText | None = None
    """For imports: its last change, until a later one."""
    monitoring_at: InstantText | None = None
    """For imports: when it was first verified; follows from the updates if left out."""
    resolved_at: InstantText | None = None
    """For imports: when it was completed; follows from the updates if left out."""
    shortlink: Text | None = None
    """A short address; the page's URL and the maintenance's id if left out."""

    @model_validator(mode="after")
    def _is_announced(self) -> Self:
        if self.recurrence is None and self.created_at is None and not self.updates:
            raise InvalidValueError(
                "a maintenance does not say when it is announced", "add created_at, or a first update"
            )
        if self.recurrence is not None and (self.updates or self.cancelled_at is not None):
            raise InvalidValueError(
                "a recurring maintenance has updates of single windows only",
                "move updates and cancelled_at below recurrence.occurrences",
            )
        return self


def translate_maintenance(source: MaintenanceSource, file_name: str, path: str, page: Page) -> Maintenance:
    """Return the maintenance that a source describes.

    Args:
        source: what was read.
        file_name: the file's name without its suffix: the id, unless one is given.
        path: the file, relative to the content folder.
        page: the page, whose time zone a recurrence follows unless it names one.
    """
    maintenance_id = source.id or file_name
    named = dict.fromkeys(source.components)
    updates = translate_updates(source.updates, maintenance_id)
    if source.recurrence is None and (not updates or updates[0].status != "scheduled"):
        updates = (_announcement(source, maintenance_id, updates), *updates)
    created_at = source.created_at or min((u.created_at for u in updates), default=source.scheduled_for)
    return Maintenance(
        id=maintenance_id,
        source=path,
        name=source.name,
        updates=updates,
        components=named_components(named, updates),
        created_at=created_at,
        started_at=source.started_at or created_at,
        scheduled_for=source.scheduled_for,
        scheduled_until=source.scheduled_until,
        automation=_automation(source),
        cancelled_at=source.cancelled_at,
        recurrence=_recurrence(source.recurrence, maintenance_id, page),
        body=DEFAULT_BODIES["scheduled"] if source.body is None else source.body,
        shortlink=source.shortlink,
        updated_at=source.updated_at,
        monitoring_at=source.monitoring_at,
        resolved_at=source.resolved_at,
        impact_override=source.impact_override,
        publish_at=source.publish_at,
        draft=source.draft,
        backfilled=source.backfilled,
    )


def _announcement(
    source: MaintenanceSource, maintenance_id: str, updates: tuple[IncidentUpdate, ...]
) -> IncidentUpdate:
    at = source.created_at or min(update.created_at for update in updates)
    return IncidentUpdate(
        id=derived_id(maintenance_id, "announcement"),
        status="scheduled",
        body=DEFAULT_BODIES["scheduled"] if source.body is None else source.body,
        display_at=at,
        created_at=at,
        updated_at=at,
        pointer=("created_at",),
    )


def _automation(source: MaintenanceSource) -> Automation:
    return Automation(
        scheduled_remind_prior=source.scheduled_remind_prior,
        scheduled_auto_in_progress=source.scheduled_auto_in_progress,
        scheduled_auto_completed=source.scheduled_auto_completed,
        auto_transition_to_maintenance_state=source.auto_transition_to_maintenance_state,
        auto_transition_to_operational_state=source.auto_transition_to_operational_state,
        auto_transition_deliver_notifications_at_start=source.auto_transition_deliver_notifications_at_start,
        auto_transition_deliver_notifications_at_end=source.auto_transition_deliver_notifications_at_end,
    )


def _recurrence(source: RecurrenceSource | None, maintenance_id: str, page: Page) -> Recurrence | None:
    if source is None:
        return None
    return Recurrence(
        rule=source.rule,
        time_zone=source.time_zone or page.time_zone,
        announce=timedelta(days=source.announce_days),
        occurrences={
            parse_instant(start): _occurrence(occurrence, maintenance_id, start)
            for start, occurrence in source.occurrences.items()
        },
    )


def _occurrence(source: OccurrenceSource, maintenance_id: str, start: str) -> Occurrence:
    pointer = ("recurrence", "occurrences", start)
    return Occurrence(
        scheduled_for=source.scheduled_for,
        scheduled_until=source.scheduled_until,
        name=source.name,
        body=source.body,
        cancelled_at=source.cancelled_at,
        updates=translate_updates(
            source.updates, f"{maintenance_id}/{parse_instant(start).isoformat()}", pointer
        ),
        pointer=pointer,
    )
