"""`maintenances/<id>.yaml`: a scheduled maintenance as an author writes it.

An author writes a name, components, a window and the time of the announcement; the rest happens automatically.
"""

from datetime import timedelta
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from statuary.base.primitives import InvalidValueError, parse_instant
from statuary.source.source_model import (
    Body,
    Flag,
    InstantText,
    Name,
    SourceModel,
    Text,
    TimeZoneText,
    WholeNumber,
    convert_model,
)
from statuary.status.model.records import (
    Automation,
    IncidentUpdate,
    Maintenance,
    Occurrence,
    Page,
    Recurrence,
    derived_id,
)
from statuary.status.model.recurrence import validate_recurrence_rule
from statuary.status.model.vocabulary import DEFAULT_BODIES, MaintenanceStatus
from statuary.status.sources.incident_source import (
    RecordSource,
    UpdateSource,
    check_affected_component_count,
    named_components,
    updates_from_source,
)


class MaintenanceUpdateSource(UpdateSource):
    """An update of a maintenance."""

    status: MaintenanceStatus
    """The status of the maintenance from this update on."""
    moved_from: InstantText | None = None
    """If this update moved the maintenance: its earlier start. `statuary maintenance reschedule` writes this
    key."""


class OccurrenceSource(SourceModel):
    """Changes to one window of a recurring maintenance."""

    scheduled_for: InstantText | None = None
    """The new start, if you moved this window."""
    scheduled_until: InstantText | None = None
    """The new end, if you moved this window. Default: the window keeps its length."""
    name: Name | None = None
    """The title of this window, if it differs from the others."""
    body: Body | None = None
    """The announcement of this window, if it differs from the others."""
    cancelled_at: InstantText | None = None
    """The time at which this window was cancelled."""
    rescheduled_at: InstantText | None = None
    """The time at which you last moved this window. From then on, calendars and feeds show the new time."""
    updates: tuple[MaintenanceUpdateSource, ...] = ()
    """The updates of only this window, oldest first."""


MAX_ANNOUNCE_DAYS = 366
"""The largest number of days between a window's publication and its start."""


def _validate_announce_days(days: int) -> int:
    if not 0 <= days <= MAX_ANNOUNCE_DAYS:
        raise InvalidValueError(
            f"{days} is not between 0 and {MAX_ANNOUNCE_DAYS} days", "write a number such as 7"
        )
    return days


def _validate_instant_key(text: str) -> str:
    parse_instant(text)
    return text


def _validate_rule(text: str) -> str:
    validate_recurrence_rule(text)
    return text


class RecurrenceSource(SourceModel):
    """When a maintenance repeats, such as every Tuesday."""

    rule: Annotated[Text, AfterValidator(_validate_rule)]
    """The recurrence rule (RFC 5545), such as `FREQ=WEEKLY;BYDAY=TU;COUNT=10`."""
    time_zone: TimeZoneText | None = None
    """The IANA time zone of the rule. Default: the time zone of the page."""
    announce_days: Annotated[WholeNumber, AfterValidator(_validate_announce_days)] = 7
    """How many days before its start the page announces each window."""
    occurrences: dict[Annotated[Text, AfterValidator(_validate_instant_key)], OccurrenceSource] = Field(
        default_factory=dict
    )
    """The windows that you moved, cancelled or described differently. Name each by the start that the rule
    gives it."""


class AutomationSource(SourceModel):
    """Automatic changes of a maintenance."""

    scheduled_remind_prior: Flag = True
    """Whether statuary posts a reminder 60 minutes before the start."""
    scheduled_auto_in_progress: Flag = True
    """Whether the maintenance starts automatically at `scheduled_for`."""
    scheduled_auto_completed: Flag = True
    """Whether the maintenance completes automatically at `scheduled_until`."""
    auto_transition_to_maintenance_state: Flag = True
    """Whether the components become `under_maintenance` when the maintenance starts."""
    auto_transition_to_operational_state: Flag = True
    """Whether the components become `operational` when the maintenance is completed."""
    auto_transition_deliver_notifications_at_start: Flag = True
    """Whether subscribers get a notification when the maintenance starts automatically."""
    auto_transition_deliver_notifications_at_end: Flag = True
    """Whether subscribers get a notification when the maintenance is completed automatically."""
    remind_prior_deliver_notifications: Flag = True
    """Whether subscribers get a notification of the reminder."""


PER_WINDOW_KEYS = ("updates", "cancelled_at", "rescheduled_at")
"""Keys that a recurring maintenance has in `recurrence.occurrences` only."""

DERIVED_KEYS = ("created_at", "started_at", "updated_at", "monitoring_at", "resolved_at")
"""Keys that a recurring maintenance cannot have: they follow from each window."""


class MaintenanceSource(RecordSource, AutomationSource):
    """A scheduled maintenance."""

    components: tuple[Text, ...] = ()
    """The keys of the affected components."""
    scheduled_for: InstantText
    """The planned start. If the maintenance repeats, the start of its first window."""
    scheduled_until: InstantText
    """The planned end. If the maintenance repeats, the end of its first window."""
    body: Body | None = None
    """The text of the announcement, in Markdown. Readers see it from `created_at` on. Default: Statuspage's
    standard text."""
    updates: tuple[MaintenanceUpdateSource, ...] = ()
    """The updates of the maintenance, oldest first. statuary posts the updates for an automatic start or
    completion itself."""
    recurrence: RecurrenceSource | None = None
    """When the maintenance repeats, such as every Tuesday."""
    cancelled_at: InstantText | None = None
    """The time at which you cancelled the maintenance. After this time, it no longer changes the status of
    components."""
    rescheduled_at: InstantText | None = None
    """The time at which you last moved the maintenance. From then on, calendars and feeds show the new
    time."""

    @model_validator(mode="after")
    def _check_size(self) -> Self:
        check_affected_component_count(self.components, self.updates)
        return self

    @model_validator(mode="after")
    def _check_announcement(self) -> Self:
        if self.recurrence is None and self.created_at is None and not self.updates:
            raise InvalidValueError(
                "the maintenance has no announcement time", "add created_at, or a first update"
            )
        return self

    @model_validator(mode="after")
    def _check_recurring_updates(self) -> Self:
        keys = self.model_fields_set if self.recurrence is not None else set()
        for key in PER_WINDOW_KEYS:
            if key in keys and getattr(self, key):
                raise InvalidValueError(
                    f"`{key}` is a key of a single window, but this maintenance is recurring",
                    f"move {key} into recurrence.occurrences",
                )
        for key in DERIVED_KEYS:
            if key in keys and getattr(self, key) is not None:
                raise InvalidValueError(
                    f"`{key}` has no effect on a recurring maintenance: statuary derives it for each window",
                    f"remove {key}",
                )
        return self


def maintenance_from_source(source: MaintenanceSource, file_name: str, path: str, page: Page) -> Maintenance:
    """Convert the parsed file of a maintenance window.

    Args:
        source: the parsed file.
        file_name: the name of the file without suffix; it is the id unless the file states one.
        path: the path of the file.
        page: gives the time zone of a recurrence without one.
    """
    maintenance_id = source.id or file_name
    updates = updates_from_source(source.updates, maintenance_id)
    # If the first update has the status `scheduled`, and there is no key `body`, that update announces the
    # maintenance. Otherwise, make an announcement.
    is_announced = source.body is None and bool(source.updates) and source.updates[0].status == "scheduled"
    if source.recurrence is None and not is_announced:
        updates = (_make_announcement(source, maintenance_id, updates), *updates)
    created_at = source.created_at or min((u.created_at for u in updates), default=source.scheduled_for)
    return convert_model(
        Maintenance,
        source,
        id=maintenance_id,
        source=path,
        updates=updates,
        components=named_components(dict.fromkeys(source.components), updates),
        created_at=created_at,
        started_at=source.started_at or created_at,
        automation=convert_model(Automation, source),
        recurrence=_translate_recurrence(source.recurrence, maintenance_id, page),
        body=_announcement_body(source),
    )


def _announcement_body(source: MaintenanceSource) -> str:
    return DEFAULT_BODIES["scheduled"] if source.body is None else source.body


def _make_announcement(
    source: MaintenanceSource, maintenance_id: str, updates: tuple[IncidentUpdate, ...]
) -> IncidentUpdate:
    at = source.created_at or min(update.created_at for update in updates)
    return IncidentUpdate(
        id=derived_id(maintenance_id, "announcement"),
        status="scheduled",
        body=_announcement_body(source),
        display_at=at,
        created_at=at,
        updated_at=at,
        pointer=("created_at",),
    )


def _translate_recurrence(
    source: RecurrenceSource | None, maintenance_id: str, page: Page
) -> Recurrence | None:
    if source is None:
        return None
    return convert_model(
        Recurrence,
        source,
        time_zone=source.time_zone or page.time_zone,
        announce=timedelta(days=source.announce_days),
        occurrences={
            parse_instant(start): _translate_occurrence(occurrence, maintenance_id, start)
            for start, occurrence in source.occurrences.items()
        },
    )


def _translate_occurrence(source: OccurrenceSource, maintenance_id: str, start: str) -> Occurrence:
    pointer = ("recurrence", "occurrences", start)
    updates_id = f"{maintenance_id}/{parse_instant(start).isoformat()}"
    updates = updates_from_source(source.updates, updates_id, pointer)
    return convert_model(Occurrence, source, updates=updates, pointer=pointer)
