"""The settled incidents of the last build (`model/settled_incidents.py`), in the ledger."""

import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

from statuary.base.findings import Finding
from statuary.base.primitives import Instant
from statuary.publish.fingerprint import program_fingerprint
from statuary.publish.ledger.known_files import KnownFiles
from statuary.publish.ledger.ledger import Ledger, LedgerTable
from statuary.publish.ledger.stored_values import converter_of, decode_value, encode_value
from statuary.source.content_files import Load
from statuary.source.source_files import ReadFile, SourceFile
from statuary.source.unreadable import UnreadableError
from statuary.status.model.component_now import ComponentNow, Layer, LayerHistory, LayerKind, OpenLayers
from statuary.status.model.incident_history import IncidentHistory
from statuary.status.model.records import Incident
from statuary.status.model.settled_incidents import (
    SettledFacts,
    SettledHistory,
    SettledPast,
    settled_incident,
    without_settling,
)
from statuary.status.model.status_history import ReplayState, StatusHistory
from statuary.status.model.vocabulary import ComponentStatus

SETTLED = "settled incidents"
"""The ledger's note of the settled incidents, after its checksum."""


class KnownSettled(LedgerTable):
    """The settled incidents of the last build, and the incidents that this build has read."""

    def __init__(self, ledger: Ledger, connection: sqlite3.Connection) -> None:
        super().__init__(ledger, connection)
        self._files = ledger.table(KnownFiles)
        self._incidents: dict[str, Incident] = {}
        self._past = _parse_note(ledger.get_meta(SETTLED))

    def only_unsettled(self, load: Load[Incident]) -> Load[Incident]:
        """Return a function that calls another one only for files that are not those of settled incidents."""

        def load_unsettled(file: SourceFile, *, limit: int, findings: list[Finding]) -> Incident | None:
            try:
                body = file.load_bytes(limit)
            except UnreadableError as error:
                findings.append(error.to_finding(file.path))
                return None
            incident = self._find(file.path, body)
            if incident is None:
                incident = load(ReadFile(file.root, file.path, body), limit=limit, findings=findings)
            if incident is not None:
                self._incidents[file.path] = incident
            return incident

        return load_unsettled

    def _find(self, path: str, body: bytes) -> Incident | None:
        past = self._past
        facts = None if past is None else past.facts.get(path)
        if past is None or facts is None:
            return None
        stored = self._files.stored_value(path, body)
        if stored is None or stored.checksum.hex() != facts.checksum:
            return None
        return settled_incident(facts, past, partial(decode_value, Incident, stored.value))

    def facts_of(self, history: IncidentHistory) -> SettledFacts | None:
        """Return the facts of an ended incident, from which later builds make it.

        Returns:
            The facts; None for an incident that is not as its file has it, for one that is held back, and for a
            maintenance window.
        """
        if isinstance(history, SettledHistory):
            return history.facts
        record, final = history.incident, history.final_state
        checksum = self._files.checksum_of(record.source)
        if final is None or not checksum or not self._is_unchanged(record):
            return None
        return SettledFacts(
            source=record.source,
            checksum=checksum.hex(),
            id=record.id,
            created_at=record.created_at,
            started_at=record.started_at,
            names=record.components,
            update_ids=tuple(update.id for update in record.updates),
            components=history.components,
            change_instants=history.change_instants,
            deadlines=history.deadlines,
            status=final.status,
            impact=final.impact,
            updated_at=final.updated_at,
            monitoring_at=final.monitoring_at,
            resolved_at=final.resolved_at,
            latest_display_at=final.latest_display_at,
            affected=tuple(published.affected_components for published in history.published_updates),
            digest="",
        )

    def _is_unchanged(self, record: Incident) -> bool:
        """Return whether an incident is as its file has it, and no part of it is held back."""
        incident = self._incidents.get(record.source)
        held_back = record.draft or record.publish_at is not None or record.impact_override_at is not None
        return incident is not None and without_settling(incident) is record and not held_back

    def store(self, past: SettledPast | None) -> None:
        """Store the settled incidents for the next build."""
        value = "" if past is None else encode_value(_StoredPast.of_past(past)).decode()
        if past is not None or self._past is not None:
            self.ledger.set_meta({SETTLED: _checksum(value) + value})


class _Changes(NamedTuple):
    """A component's status over time, as the API shows it."""

    base: ComponentStatus
    instants: tuple[Instant, ...]
    statuses: tuple[ComponentStatus, ...]


class _StoredPast(NamedTuple):
    """A `SettledPast` as the ledger stores it.

    There are many facts and shown statuses, so their times are converted by functions of their own.
    """

    components: str
    until: Instant
    statuses: Mapping[str, _Changes]
    shown: Mapping[str, Any]  # the changes of each component as pages show them
    layers: Mapping[str, tuple[Layer, ...]]
    facts: tuple[Any, ...]

    @classmethod
    def of_past(cls, past: SettledPast) -> "_StoredPast":
        state = past.state
        statuses = {
            key: _Changes(history.base, tuple(history.instants), tuple(history.statuses))
            for key, history in state.status_histories.items()
        }
        shown = {key: history.changes for key, history in state.layer_histories.items()}
        layers = {key: tuple(opened.layers) for key, opened in state.layers.items()}
        return cls(past.components, past.until, statuses, shown, layers, (*past.facts.values(),))

    def to_past(self) -> SettledPast:
        state = ReplayState(
            until=self.until,
            status_histories={
                key: StatusHistory(changes.base, [*changes.instants], [*changes.statuses])
                for key, changes in self.statuses.items()
            },
            layer_histories={
                key: LayerHistory.from_changes([*map(_time, instants)], [*map(_decode_shown, shown)])
                for key, (instants, shown) in self.shown.items()
            },
            layers={key: OpenLayers.from_layers(layers) for key, layers in self.layers.items()},
        )
        facts = map(_decode_facts, self.facts)
        return SettledPast(self.components, {incident.source: incident for incident in facts}, state)


_time: Callable[[str], Instant] = datetime.fromisoformat  # type: ignore[assignment]
_KINDS = {kind.value: kind for kind in LayerKind}


def _decode_shown(row: list[Any]) -> ComponentNow:
    status, since, (kind, status_of_cause, since_of_cause, record_id) = row
    cause = Layer(_KINDS[kind], status_of_cause, since_of_cause and _time(since_of_cause), record_id)
    return ComponentNow(status, since and _time(since), cause)


def _decode_facts(row: list[Any]) -> SettledFacts:
    for place, convert in _CONVERSIONS:
        value = row[place]
        row[place] = None if value is None else convert(value)
    return SettledFacts._make(row)


_CONVERSIONS = [
    (place, convert)
    for place, kind in enumerate(SettledFacts.__annotations__.values())
    if (convert := converter_of(kind)) is not None
]


def _parse_note(note: str) -> SettledPast | None:
    value = note[64:]
    if not value or note[:64] != _checksum(value):
        return None
    return decode_value(_StoredPast, value.encode()).to_past()


def _checksum(value: str) -> str:
    return sha256(program_fingerprint().encode() + value.encode()).hexdigest()
