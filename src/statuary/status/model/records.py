"""Incidents and their updates, as an author or an import states them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from hashlib import blake2b
from types import MappingProxyType
from typing import NamedTuple
from zoneinfo import ZoneInfo

from typing_extensions import override

from statuary.base.findings import Pointer
from statuary.base.primitives import Instant
from statuary.status.model.vocabulary import ComponentStatus, Impact, IncidentStatus, UpdateStatus

REMINDER_INTERVALS_ABSENT = "absent"
"""Value of `reminder_intervals` that omits the member, as in incidents from before September 2023."""


class AffectedComponent(NamedTuple):
    """The effect of an update on one component, for the API.

    Attributes:
        code: the component's id, or in content its key or id; None in documents of 2017, which have only the
            name.
    """

    code: str | None
    name: str  # the component's name at the time, `Group - Component` in a group
    old_status: ComponentStatus | None
    new_status: ComponentStatus | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentUpdate:
    """One dated update of an incident or a maintenance.

    Attributes:
        components: the new statuses by component key or id; None names a component without changing its
            status.
        affected_components: the imported effect on components; None if Statuspage served null.
    """

    id: str
    status: UpdateStatus
    body: str  # text with the small subset of HTML that Statuspage allows
    display_at: Instant  # the time that readers see
    created_at: Instant  # when it was posted; it is published neither before this nor before `display_at`
    updated_at: Instant
    components: Mapping[str, ComponentStatus | None] = field(default_factory=dict)
    recorded: bool = False  # whether `affected_components` is published as imported, instead of derived
    affected_components: tuple[AffectedComponent, ...] | None = None
    deliver_notifications: bool = True
    custom_tweet: str | None = None
    tweet_id: int | None = None  # the number of the social media post about the update
    reopens: bool = False  # opens a record again that was over
    moved_from: Instant | None = None  # the start of the window before this update moved it
    next_update_by: Instant | None = None  # the time by which the author promises another update
    automatic: bool = False  # whether statuary posts the update by itself, as Statuspage does
    pointer: Pointer = ()  # its place in the file; `()` for an update that is in no file


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """An incident from its opening to its end.

    Attributes:
        opened_with: the component statuses that take effect with the first update, by key or id.
        component_order: the keys or ids of components in the order of documents; all others follow in the
            order of the page.
    """

    id: str
    source: str  # the file of the record, relative to the content folder
    name: str
    updates: tuple[IncidentUpdate, ...]
    components: tuple[str, ...]  # the affected components by key or id, in the order of first mention
    created_at: Instant
    started_at: Instant
    opened_with: Mapping[str, ComponentStatus | None] = field(default_factory=dict)
    shortlink: str | None = None  # None if the link follows from the page's URL
    updated_at: Instant | None = None  # given by an import only; otherwise the last change of an update
    monitoring_at: Instant | None = None  # given by an import only; otherwise the first monitoring update's
    resolved_at: Instant | None = None  # given by an import only; otherwise the resolving update's
    impact_override: Impact | None = None  # replaces the impact that follows from the components
    impact_override_at: Instant | None = None  # the time from which the override applies; None for always
    publish_at: Instant | None = None  # nothing of the incident is published before this time
    draft: bool = False  # nothing of it is published
    backfilled: bool = False  # whether the incident was entered afterwards, and changes no component's status
    alert: str | None = None  # the key of the alert that opened it; None if a person did
    reminder_intervals: str | None = None  # published as it is; `absent` omits the member
    component_order: tuple[str, ...] = ()

    @property
    def changes_without_update(self) -> tuple[Instant, ...]:
        """The times at which the file changes the incident without an update.

        For example, the time from which it has another impact.
        """
        return tuple(at for at in (self.updated_at, self.impact_override_at) if at is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Automation:
    """The automatic steps of a maintenance, under Statuspage's names."""

    scheduled_remind_prior: bool = True  # post a reminder 60 minutes before the window
    scheduled_auto_in_progress: bool = True  # start at `scheduled_for`
    scheduled_auto_completed: bool = True  # complete at `scheduled_until`
    auto_transition_to_maintenance_state: bool = True  # the start puts the components under maintenance
    auto_transition_to_operational_state: bool = True  # the completion makes them operational
    auto_transition_deliver_notifications_at_start: bool = True  # the start notifies subscribers
    auto_transition_deliver_notifications_at_end: bool = True  # the completion notifies subscribers
    remind_prior_deliver_notifications: bool = True  # the reminder notifies subscribers


class Occurrence(NamedTuple):
    """Changes to one window of a recurring maintenance.

    A field that is None keeps the value of the recurring maintenance.
    """

    scheduled_for: Instant | None = None
    scheduled_until: Instant | None = None
    name: str | None = None
    body: str | None = None  # an announcement for this window only
    cancelled_at: Instant | None = None
    rescheduled_at: Instant | None = None  # when this window was last moved
    updates: tuple[IncidentUpdate, ...] = ()
    pointer: Pointer = ()  # its place in the file


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """The rule by which a maintenance window repeats.

    Attributes:
        occurrences: the changes to single windows, by the start that the rule gives the window.
    """

    rule: str  # an RFC 5545 recurrence rule without its name, such as `FREQ=WEEKLY;BYDAY=TU;COUNT=10`
    time_zone: ZoneInfo  # the zone whose clock the rule follows, so that 02:00 stays 02:00 in summer
    announce: timedelta  # the time before its start at which a window is published
    occurrences: Mapping[Instant, Occurrence] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance(Incident):
    """A scheduled maintenance from its announcement to its end."""

    scheduled_for: Instant  # the start of its window (of the first one, if it recurs)
    scheduled_until: Instant  # the end of its window
    automation: Automation = Automation()
    cancelled_at: Instant | None = None
    recurrence: Recurrence | None = None
    body: str = ""  # the announcement that each window of a recurring maintenance begins with
    rescheduled_at: Instant | None = None  # when its window was last moved
    pointer: Pointer = ()  # the place of its keys in the file; for a recurring window, of its changes

    @property
    @override
    def changes_without_update(self) -> tuple[Instant, ...]:
        """The times at which the file changes the window without an update.

        For example, the time at which it was rescheduled.
        """
        stated_instants = (self.updated_at, self.impact_override_at, self.rescheduled_at)
        return tuple(at for at in stated_instants if at is not None)


class IncidentTemplate(NamedTuple):
    """The prepared content of an incident's first update."""

    name: str = ""  # the name of its file, by which commands choose the template
    source: str = ""  # the file of the template, relative to the content folder
    title: str | None = None  # the incident's name
    status: IncidentStatus | None = None
    body: str | None = None
    components: Mapping[str, ComponentStatus | None] = MappingProxyType({})
    impact_override: Impact | None = None
    next_update_in: timedelta | None = None
    deliver_notifications: bool = True


def began_at(record: Incident) -> Instant:
    """Return the start of an incident or maintenance window, for sorting."""
    return record.scheduled_for if isinstance(record, Maintenance) else record.started_at


class StatusChange(NamedTuple):
    """A change of a component's status, recorded by a person."""

    at: Instant
    status: ComponentStatus
    is_upstream: bool = False  # whether it comes from another status page; subscribers are not notified of it


class Component(NamedTuple):
    """A part of the network that the page lists, or a group of them."""

    key: str  # the author's name for it in content; the id is accepted there too
    id: str
    name: str
    created_at: Instant
    position: int  # counted from 1, separately in each group
    description: str | None = None
    group: bool = False
    group_id: str | None = None
    children: tuple[str, ...] = ()  # for a group, the ids of its components by position
    rank: int | None = None  # the order among components of the same position; None for the usual one
    showcase: bool = True  # whether its uptime is published
    start_date: date | None = None  # the first day that its uptime counts
    only_show_if_degraded: bool = False  # whether pages hide it while it is operational
    updated_at: Instant | None = None  # given by an import only; otherwise the last change of status
    status: ComponentStatus = "operational"  # its status before the first recorded change
    history: tuple[StatusChange, ...] = ()  # recorded changes, oldest first
    removed: bool = False  # whether it is off the page, and kept only because past incidents name it
    is_dated: bool = False  # `created_at` is given, not the default
    pointer: Pointer = ()  # its place in `components.yaml`


UNKNOWN_CREATION = Instant(datetime(1970, 1, 1, tzinfo=UTC))
"""The creation of a page without `created_at`, in content without any date."""


class Page(NamedTuple):
    """The page that all components, incidents and maintenances belong to.

    Attributes:
        updated_at: the imported time of the last change, published until something changes later.
    """

    id: str  # the `page_id` of every document
    name: str
    url: str  # absolute, without a slash at the end: paths are appended to it
    time_zone: ZoneInfo  # the zone of every published timestamp
    created_at: Instant  # used wherever nothing has happened yet
    updated_at: Instant | None = None
    indicator: Impact | None = None  # replaces the indicator that follows from the components
    description: str | None = None  # replaces the description that follows from the components
    published_url: str = ""  # the URL as documents give it, which may end with a slash
    about: str | None = None  # the purpose of the site, in Markdown
    demo: bool = False  # whether everything is invented; every page says so
    feed_host: str | None = None  # the host in the ids of feeds; None derives these ids from the page's id


class StatusSettings(NamedTuple):
    """The settings of the status documents.

    Attributes:
        cap: the number of latest incidents (and maintenances) in a list, which also has all open ones; 0 for
            all.
        horizon: the time ahead for which documents of future instants are written.
    """

    cap: int = 50
    archives: bool = True  # whether the complete history is published by month
    uptime: bool = True  # whether uptime is published
    horizon: timedelta = timedelta(days=35)
    max_epochs: int = 500  # the maximum number of future instants that are written


class FaultyPart(NamedTuple):
    """A part of components.yaml that has an error."""

    pointer: Pointer  # its place in the file; `()` for the whole file
    names: frozenset[str] = frozenset()  # the keys and ids of its components; unknown for the whole file


@dataclass(frozen=True, kw_only=True)
class StatusCatalogue:
    """The page, its components, its incidents and its maintenances.

    Attributes:
        faulty_parts: the faulty parts of components.yaml; their components keep their last published state,
            or are left out.
    """

    page: Page
    components: tuple[Component, ...] = ()  # in the author's order, each group before its components
    incidents: tuple[Incident, ...] = ()
    maintenances: tuple[Maintenance, ...] = ()  # a recurring one appears once, with its rule
    components_source: str = "components.yaml"
    page_source: str = "site.yaml"
    templates: tuple[IncidentTemplate, ...] = ()
    faulty_parts: tuple[FaultyPart, ...] = ()

    def may_be_faulty_component(self, name: str) -> bool:
        """Return whether a name may be that of a component with an error.

        If components.yaml cannot be read, any key or id may be.
        """
        return name in self._faulty_names or any(not part.pointer for part in self.faulty_parts)

    @cached_property
    def _faulty_names(self) -> frozenset[str]:
        return frozenset(name for part in self.faulty_parts for name in part.names)

    @cached_property
    def components_by_name(self) -> dict[str, Component]:
        """The components by key and by id; a key takes precedence."""
        by_id = {component.id: component for component in self.components}
        return by_id | {component.key: component for component in self.components}


class StatusContent(NamedTuple):
    """The components and incidents of a site's content, and their settings."""

    catalogue: StatusCatalogue
    settings: StatusSettings


def with_creation_dates(catalogue: StatusCatalogue) -> StatusCatalogue:
    """Date a page without a creation date by its oldest content.

    The components without a date get the same one.
    """
    if catalogue.page.created_at != UNKNOWN_CREATION:
        return catalogue
    first_instant = min(_published_instants(catalogue), default=UNKNOWN_CREATION)
    return replace(
        catalogue,
        page=catalogue.page._replace(created_at=first_instant),
        components=tuple(
            component
            if component.created_at != UNKNOWN_CREATION
            else component._replace(created_at=first_instant)
            for component in catalogue.components
        ),
    )


def _published_instants(catalogue: StatusCatalogue) -> Iterator[Instant]:
    for record in (*catalogue.incidents, *catalogue.maintenances):
        if not record.draft and record.publish_at is None:
            yield record.created_at
    for component in catalogue.components:
        yield from (change.at for change in component.history)
        if component.created_at != UNKNOWN_CREATION:
            yield component.created_at


ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
"""The base 32 alphabet of RFC 4648 in lower case."""

PAIRS = tuple(first + second for first in ALPHABET for second in ALPHABET)
"""Two characters for every ten bits; an id has six pairs, sixty bits."""


def derived_id(*parts: str) -> str:
    """Make an id from strings, such as the id of an update.

    The same strings always give the same id.
    """
    digest = blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    bits = int.from_bytes(digest, "big") >> 4
    return "".join([PAIRS[bits >> shift & 1023] for shift in (50, 40, 30, 20, 10, 0)])
