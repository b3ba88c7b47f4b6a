"""Types of the status documents, for OpenAPI and conformance checks.

Measured on current pages of Statuspage; older captures lack members (`start_date` before 2020, `page_id`),
and imitations of the API lack more.
"""

from typing import Annotated, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from statuary.status.model.vocabulary import (
    ComponentStatus,
    Impact,
    IncidentStatus,
    MaintenanceStatus,
    UpdateStatus,
)

OPEN = ConfigDict(extra="allow", strict=True, defer_build=True)
"""A page may send additional members, which clients ignore."""

TIMESTAMP = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}(Z|[+-][0-9]{2}:[0-9]{2})$"

Timestamp = Annotated[str, Field(pattern=TIMESTAMP, json_schema_extra={"format": "date-time"})]
"""An instant in the page's time zone, with milliseconds."""

Day = Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$", json_schema_extra={"format": "date"})]
"""A date; the specification says date-time, but every real page serves a date."""


@with_config(OPEN)
class PageMembers(TypedDict):
    """The page that every document begins with."""

    id: str
    name: str
    url: Annotated[str, Field(json_schema_extra={"format": "uri"})]
    time_zone: str
    updated_at: Timestamp


@with_config(OPEN)
class StatusMembers(TypedDict):
    """The status of the page: an indicator and one of six descriptions."""

    indicator: Impact
    description: str


@with_config(OPEN)
class ComponentMembers(TypedDict):
    """A component or a group; a group has the ids of its components."""

    id: str
    name: str
    status: ComponentStatus
    created_at: Timestamp
    updated_at: Timestamp
    position: int
    description: str | None
    showcase: bool
    start_date: Day | None
    group_id: str | None
    page_id: str
    group: bool
    only_show_if_degraded: bool
    components: NotRequired[list[str]]


@with_config(OPEN)
class AffectedMembers(TypedDict):
    """The effect of an update on a component, with its name at the time; documents of 2017 have only the name."""

    code: NotRequired[str]
    name: str
    old_status: NotRequired[ComponentStatus]
    new_status: NotRequired[ComponentStatus]


@with_config(OPEN)
class UpdateMembers(TypedDict):
    """An update of an incident or maintenance."""

    id: str
    status: UpdateStatus
    body: str
    incident_id: str
    created_at: Timestamp
    updated_at: Timestamp
    display_at: Timestamp
    affected_components: list[AffectedMembers] | None
    deliver_notifications: bool
    custom_tweet: str | None
    tweet_id: int | None


@with_config(OPEN)
class IncidentMembers(TypedDict):
    """An incident."""

    id: str
    name: str
    status: IncidentStatus
    created_at: Timestamp
    updated_at: Timestamp
    monitoring_at: Timestamp | None
    resolved_at: Timestamp | None
    impact: Impact
    shortlink: str
    started_at: Timestamp
    page_id: str
    incident_updates: list[UpdateMembers]
    components: list[ComponentMembers]
    reminder_intervals: NotRequired[str | None]


@with_config(OPEN)
class MaintenanceMembers(TypedDict):
    """A scheduled maintenance."""

    id: str
    name: str
    status: MaintenanceStatus
    created_at: Timestamp
    updated_at: Timestamp
    monitoring_at: Timestamp | None
    resolved_at: Timestamp | None
    impact: Impact
    shortlink: str
    started_at: Timestamp
    page_id: str
    incident_updates: list[UpdateMembers]
    components: list[ComponentMembers]
    scheduled_for: Timestamp
    scheduled_until: Timestamp


@with_config(OPEN)
class SummaryDocument(TypedDict):
    """Status, components, unresolved incidents, upcoming and active maintenances."""

    page: PageMembers
    components: list[ComponentMembers]
    incidents: list[IncidentMembers]
    scheduled_maintenances: list[MaintenanceMembers]
    status: StatusMembers


@with_config(OPEN)
class StatusDocument(TypedDict):
    """The page's status."""

    page: PageMembers
    status: StatusMembers


@with_config(OPEN)
class ComponentsDocument(TypedDict):
    """Every component."""

    page: PageMembers
    components: list[ComponentMembers]


@with_config(OPEN)
class IncidentsDocument(TypedDict):
    """Incidents, newest first."""

    page: PageMembers
    incidents: list[IncidentMembers]


@with_config(OPEN)
class ScheduledMaintenancesDocument(TypedDict):
    """Scheduled maintenances."""

    page: PageMembers
    scheduled_maintenances: list[MaintenanceMembers]


@with_config(OPEN)
class IncidentDocument(TypedDict):
    """One incident or maintenance."""

    page: PageMembers
    incident: IncidentMembers | MaintenanceMembers


@with_config(OPEN)
class MonthMembers(TypedDict):
    """Numbers of records of a month, and the URL of its archive."""

    month: Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}$")]
    incidents: int
    scheduled_maintenances: int
    url: Annotated[str, Field(json_schema_extra={"format": "uri"})]


@with_config(OPEN)
class ArchivesDocument(TypedDict):
    """The months of the history, the latest first."""

    page: PageMembers
    months: list[MonthMembers]


@with_config(OPEN)
class ArchiveDocument(TypedDict):
    """Every incident and maintenance created in one month, each as of its last change."""

    page: PageMembers
    incidents: list[IncidentMembers]
    scheduled_maintenances: list[MaintenanceMembers]


EpochInstant = Annotated[
    str,
    Field(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$",
        json_schema_extra={"format": "date-time"},
    ),
]
"""An instant in UTC."""

EpochNumber = Annotated[int, Field(ge=0)]
"""The number of an instant of the index, from 0."""


class DocumentVersionsMembers(TypedDict):
    """The instants at which a document changes: to a whole file, to a patch of the last one, or to an earlier state."""

    whole: list[EpochNumber]
    patched: NotRequired[list[EpochNumber]]
    again: NotRequired[dict[str, EpochNumber]]


class EpochsDocument(TypedDict):
    """The instants of the build and of later changes, and the documents that change, by path; valid up to `until`."""

    until: EpochInstant
    complete: bool
    instants: Annotated[list[EpochInstant], Field(min_length=1)]
    documents: dict[str, DocumentVersionsMembers]
