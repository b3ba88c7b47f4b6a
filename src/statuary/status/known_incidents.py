"""The incidents of the last build, so that a build parses only the files that changed."""

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from datetime import datetime
from hashlib import sha256
from typing import Any

import orjson
from typing_extensions import override

from statuary.base.findings import Pointer
from statuary.base.primitives import Instant
from statuary.publish.fingerprint import program_fingerprint
from statuary.publish.ledger.ledger import Ledger, LedgerTable
from statuary.status.model.records import AffectedComponent, Incident, IncidentUpdate


class KnownIncidents(LedgerTable):
    """A table of incidents that earlier builds have parsed, by file.

    A stored incident is used again only if its file has the same bytes, and the program is the same. The table
    is in the build's database.
    """

    def __init__(self, ledger: Ledger, connection: sqlite3.Connection) -> None:
        super().__init__(ledger, connection)
        connection.execute(
            "CREATE TABLE IF NOT EXISTS main.incidents"
            " (path TEXT PRIMARY KEY, checksum BLOB NOT NULL, value BLOB NOT NULL) WITHOUT ROWID"
        )
        rows = connection.execute(
            "SELECT path, checksum, value FROM main.incidents"
            " WHERE typeof(checksum) = 'blob' AND typeof(value) = 'blob'"  # else the ledger is damaged
        )
        self._known = {path: (checksum, value) for path, checksum, value in rows}
        self._program = program_fingerprint().encode()
        self._digests: dict[str, bytes] = {}  # the digest of each file of this build, by path
        self._changed: list[tuple[str, bytes, bytes]] = []

    def find(self, path: str, body: bytes) -> Incident | None:
        """Return the stored incident of a file, unless the file has changed.

        Args:
            path: the path of the file.
            body: the bytes of the file now.

        Returns:
            The incident, or None if it is not stored, or the file or the program has changed since.
        """
        digest = self._digests[path] = sha256(body).digest()
        checksum, value = self._known.get(path, (b"", b""))
        return _decode_incident(path, value) if checksum == self._checksum(digest, value) else None

    def add(self, incident: Incident) -> None:
        """Store the incident that was parsed from a changed file.

        An incident with translated texts is not stored, so every build parses its file again.
        """
        path = incident.source
        try:
            value = _encode_incident(incident)
        except TypeError:
            del self._digests[path]
        else:
            self._changed.append((path, self._checksum(self._digests[path], value), value))

    def _checksum(self, digest: bytes, value: bytes) -> bytes:
        return sha256(self._program + digest + value).digest()

    @override
    def save(self) -> None:
        gone = self._known.keys() - self._digests.keys()
        self.connection.executemany("DELETE FROM main.incidents WHERE path = ?", ((path,) for path in gone))
        self.connection.executemany("INSERT OR REPLACE INTO main.incidents VALUES (?,?,?)", self._changed)


def _encode_incident(incident: Incident) -> bytes:
    """Encode an incident as JSON, without its path and default values.

    Raises:
        TypeError: if it has a text of several languages.
    """
    options = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_SUBCLASS
    return orjson.dumps(_non_default_fields(incident, excluded_names=("source",)), _to_json_value, options)


def _to_json_value(value: object) -> object:
    if isinstance(value, IncidentUpdate):
        return _non_default_fields(value)
    if isinstance(value, AffectedComponent):
        return [*value]
    raise TypeError(f"a value of type {type(value).__name__} cannot be stored as part of an incident")


def _non_default_fields(
    value: Incident | IncidentUpdate, excluded_names: tuple[str, ...] = ()
) -> dict[str, object]:
    members = (
        (field, getattr(value, field.name)) for field in fields(value) if field.name not in excluded_names
    )
    return {field.name: member for field, member in members if member != _default_of_field(field)}


def _default_of_field(field: "Field[Any]") -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _decode_incident(path: str, encoded_incident: bytes) -> Incident:
    return Incident(source=path, **_decode_stored_values(orjson.loads(encoded_incident), OF_INCIDENT))


def _decode_update(members: dict[str, Any]) -> IncidentUpdate:
    return IncidentUpdate(**_decode_stored_values(members, OF_UPDATE))


def _decode_stored_values(
    members: dict[str, Any], conversions: Mapping[str, Callable[[Any], object]]
) -> dict[str, Any]:
    """Convert values that were stored as JSON back to Python, such as times."""
    for name, convert in conversions.items():
        if name in members:
            members[name] = convert(members[name])
    return members


CONVERSIONS: dict[object, Callable[[Any], object]] = {
    Instant: datetime.fromisoformat,
    Instant | None: datetime.fromisoformat,
    Pointer: tuple,
    tuple[str, ...]: tuple,
    tuple[IncidentUpdate, ...]: lambda updates: tuple(map(_decode_update, updates)),
    tuple[AffectedComponent, ...] | None: lambda components: tuple(map(AffectedComponent._make, components)),
}
"""The conversions from JSON, by the annotation of a field."""

OF_INCIDENT, OF_UPDATE = (
    {field.name: CONVERSIONS[field.type] for field in fields(kind) if field.type in CONVERSIONS}
    for kind in (Incident, IncidentUpdate)
)
