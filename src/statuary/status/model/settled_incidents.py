"""Settled incidents: those that ended before anything else of the status began.

A build takes them from the last one: it neither parses, replays nor checks them again while their files and
the components stay the same. Their texts are decoded when something asks for them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from statuary.base.primitives import Instant
from statuary.publish.fingerprint import digest_of
from statuary.status.model.incident_history import IncidentHistory, IncidentState
from statuary.status.model.records import AffectedComponent, Incident, StatusCatalogue
from statuary.status.model.recurrence import with_automatic_updates
from statuary.status.model.status_history import (
    PublishedUpdate,
    ReplayState,
    update_publication_time,
)
from statuary.status.model.vocabulary import Impact, UpdateStatus

_INCIDENT_FIELDS = frozenset(field.name for field in fields(Incident))


class SettledFacts(NamedTuple):
    """What a build needs of a settled incident without decoding its texts.

    Attributes:
        checksum: that of the stored incident, as hexadecimal digits.
        names: the components by key or id, as `Incident.components`.
        components: the ids of the components.
        affected: the effect of each update on components, in the order of publication; as members of
            `AffectedComponent`, which are made when they are read.
        digest: the digest of the incident and its effect; empty if it is unknown.
    """

    source: str
    checksum: str
    id: str
    created_at: Instant
    started_at: Instant
    names: tuple[str, ...]
    update_ids: tuple[str, ...]
    components: tuple[str, ...]
    change_instants: tuple[Instant, ...]
    deadlines: tuple[Instant, ...]
    status: UpdateStatus
    impact: Impact
    updated_at: Instant
    monitoring_at: Instant | None
    resolved_at: Instant | None
    latest_display_at: Instant
    affected: tuple[Any, ...]
    digest: str


class SettledIncident(Incident):
    """A settled incident, whose texts and updates are decoded when they are read.

    Attributes:
        past: all settled incidents; not set for a changed copy of the incident.
    """

    __slots__ = ("_decode", "_decoded", "past")

    past: "SettledPast"

    def __getattr__(self, name: str) -> Any:
        if name == "_decoded":
            decoded = self._decode()
            object.__setattr__(self, "_decoded", decoded)
            return decoded
        if name in _INCIDENT_FIELDS:
            return getattr(self._decoded, name)
        raise AttributeError(name)

    @property
    def decoded(self) -> Incident:
        """The incident as its file has it."""
        decoded: Incident = self._decoded
        return decoded


def settled_incident(
    facts: SettledFacts, past: "SettledPast", decode: Callable[[], Incident]
) -> SettledIncident:
    """Return an incident that has only the fields that most builds need.

    Args:
        decode: returns the whole incident.
    """
    incident: SettledIncident = _with_values(
        SettledIncident,
        id=facts.id,
        source=facts.source,
        components=facts.names,
        created_at=facts.created_at,
        started_at=facts.started_at,
        impact_override_at=None,
        publish_at=None,
        draft=False,
        past=past,
        _decode=decode,
    )
    return incident


def _with_values(kind: type[Any], **values: object) -> Any:
    """Return an object of a frozen class, of which only some fields have values."""
    made = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


class SettledState(IncidentState):
    """The last state of a settled incident, whose updates are decoded when they are read."""

    __slots__ = ("_history", "digest", "latest_display_at")

    digest: str

    @classmethod
    def of_history(cls, history: "SettledHistory") -> "SettledState":
        """Return the last state of an incident."""
        facts = history.facts
        state: SettledState = _with_values(
            cls,
            incident=history.incident,
            since=facts.change_instants[-1],
            status=facts.status,
            impact=facts.impact,
            updated_at=facts.updated_at,
            monitoring_at=facts.monitoring_at,
            resolved_at=facts.resolved_at,
            components=facts.components,
            next_update_by=None,
            latest_display_at=facts.latest_display_at,
            digest=facts.digest,
            _history=history,
        )
        return state

    def __getattr__(self, name: str) -> Any:
        if name != "published_updates":
            raise AttributeError(name)
        updates = self._history.newest_updates
        object.__setattr__(self, name, updates)
        return updates


class SettledHistory(IncidentHistory):
    """All states of a settled incident; only the last one is made in advance."""

    def __init__(self, incident: SettledIncident, facts: SettledFacts) -> None:
        self.incident = incident
        self.facts = facts
        self.components = facts.components
        self.change_instants = facts.change_instants
        self.deadlines = facts.deadlines
        self.final_state = SettledState.of_history(self)
        self._states = {len(self._change_times): self.final_state}

    def __getattr__(self, name: str) -> Any:
        if name != "published_updates":
            raise AttributeError(name)
        self.published_updates = self._make_published_updates()
        return self.published_updates

    def _make_published_updates(self) -> tuple[PublishedUpdate, ...]:
        incident = self.incident
        events = sorted(
            ((update_publication_time(incident, update), update) for update in incident.updates),
            key=lambda event: event[0],
        )
        return tuple(
            PublishedUpdate(update, at, None if affected is None else _decode_affected(affected))
            for (at, update), affected in zip(events, self.facts.affected, strict=True)
        )

    @property
    def newest_updates(self) -> tuple[PublishedUpdate, ...]:
        """The published updates, newest first."""
        return self._compute_state(self.change_instants[-1]).published_updates


def _decode_affected(affected: Iterable[Iterable[Any]]) -> tuple[AffectedComponent, ...]:
    return tuple(map(AffectedComponent._make, affected))


@dataclass(frozen=True, slots=True)
class SettledPast:
    """All settled incidents, and the statuses of components after them.

    Attributes:
        components: the digest of the components, on which the effects of updates depend.
    """

    components: str
    facts: Mapping[str, SettledFacts]  # by file
    state: ReplayState

    @property
    def until(self) -> Instant:
        """The time of the last change of a settled incident."""
        return self.state.until

    def holds_before(self, catalogue: StatusCatalogue, others: Iterable[Incident]) -> bool:
        """Return whether the components are the same, and all other records began later."""
        starts = (at for record in others for at in _publication_times(record))
        return self.components == components_digest(catalogue) and all(at > self.until for at in starts)


def past_of(record: Incident) -> SettledPast | None:
    """Return the settled incidents if an incident is one of them."""
    return getattr(record, "past", None) if isinstance(record, SettledIncident) else None


def is_settled_by(record: Incident, now: Instant) -> bool:
    """Return whether an incident is settled, and so were all others before a time."""
    past = past_of(record)
    return past is not None and past.until <= now


def update_count(record: Incident) -> int:
    """Return the number of an incident's updates."""
    past = past_of(record)
    return len(record.updates if past is None else past.facts[record.source].update_ids)


class SplitRecords(NamedTuple):
    """Incidents and windows, divided into those that are settled and all others.

    Attributes:
        past: the settled incidents; None if all records count as others.
    """

    past: SettledPast | None
    others: Sequence[Incident]


def split_settled(catalogue: StatusCatalogue, records: Sequence[Incident]) -> SplitRecords:
    """Find the incidents that are settled.

    None is if one of them was edited or deleted, the components changed, or something else began before their end.

    Args:
        catalogue: the page with its components.
        records: the incidents and maintenance windows.
    """
    pasts = [past_of(record) for record in records]
    others = [record for record, past in zip(records, pasts, strict=True) if past is None]
    past = next(filter(None, pasts), None)
    if (
        past is not None
        and len(records) - len(others) == len(past.facts)
        and past.holds_before(catalogue, others)
    ):
        return SplitRecords(past, others)
    return SplitRecords(None, [*map(without_settling, records)])


def without_settling(record: Incident) -> Incident:
    """Return a settled incident as its file has it, and any other as it is."""
    return record if past_of(record) is None or not isinstance(record, SettledIncident) else record.decoded


def components_digest(catalogue: StatusCatalogue) -> str:
    """Return the digest of the components, on which the effects of updates depend."""
    return digest_of(catalogue.components)


def _publication_times(record: Incident) -> Iterator[Instant]:
    if not record.draft:
        yield from (update_publication_time(record, update) for update in with_automatic_updates(record))
