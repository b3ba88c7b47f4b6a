"""Incidents that a build takes from the ledger instead of parsing their files again."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import get_origin

import pytest

from statuary.publish.ledger.ledger import Ledger
from statuary.status import known_incidents
from statuary.status.known_incidents import CONVERSIONS, KnownIncidents
from statuary.status.model.records import Incident, IncidentUpdate
from statuary.status.model.vocabulary import ComponentStatus, Impact, UpdateStatus
from support.status_site import at, incident_of

RICH = """
    name: "Slow \\"answers\\" \U0001f600"
    components: {rpc: partial_outage, archive: null}
    impact_override: critical
    impact_override_at: 2026-11-02T10:30:00.123Z
    monitoring_at: 2026-11-02T11:00:00Z
    component_order: [archive, rpc]
    postmortem: {published_at: 2026-11-09T10:00:00Z, body: Why.}
    updates:
      - {at: 2026-11-02T11:00:00+01:00, status: investigating, next_update_by: 2026-11-02T12:00:00Z}
      - at: 2026-11-02T10:10:00Z
        status: identified
        components: {rpc: major_outage}
        deliver_notifications: false
        tweet_id: 1234567890123456789
      - at: 2026-11-02T10:20:00Z
        status: monitoring
        affected_components: [{code: null, name: RPC, old_status: null, new_status: degraded_performance}]
      - {at: 2026-11-02T10:40:00Z, status: resolved, affected_components: null}
"""

SMALL = "{name: Trouble, updates: [{at: 2026-11-02T10:00:00Z, status: investigating}]}"


@pytest.fixture
def ledger():
    with Ledger() as opened:
        yield opened


def store(ledger, incident, body=b"text"):
    """Save an incident as the content of a file, as a build does that parses it."""
    table = ledger.table(KnownIncidents)
    assert table.find(incident.source, body) is None
    table.add(incident)
    table.save()


def next_build(ledger):
    """Return the table as the next build reads it."""
    return KnownIncidents(ledger, ledger.connection)


@pytest.mark.parametrize("text", [RICH, SMALL])
def test_cached_incident_equals_parsed_incident(ledger, text):
    incident = incident_of(text, "trouble")
    store(ledger, incident)

    known = next_build(ledger).find(incident.source, b"text")

    assert known == incident
    assert repr(known) == repr(incident)


def test_changed_incident_file_misses_cache(ledger):
    incident = incident_of(SMALL, "trouble")
    store(ledger, incident)
    assert next_build(ledger).find(incident.source, b"other text") is None
    assert next_build(ledger).find("incidents/other.yaml", b"text") is None


def test_other_statuary_version_misses_incident_cache(ledger, monkeypatch):
    incident = incident_of(SMALL, "trouble")
    store(ledger, incident)
    monkeypatch.setattr(known_incidents, "program_fingerprint", lambda: "another")
    assert next_build(ledger).find(incident.source, b"text") is None


@pytest.mark.parametrize("kind", ["TEXT", "BLOB"])
def test_damaged_cached_incident_is_ignored(ledger, kind):
    incident = incident_of(SMALL, "trouble")
    store(ledger, incident)
    ledger.connection.execute(
        f"UPDATE incidents SET value = CAST(replace(value, 'Trouble', 'Truoble') AS {kind})"
    )
    assert next_build(ledger).find(incident.source, b"text") is None


def test_removed_incident_is_deleted_from_cache(ledger):
    incident = incident_of(SMALL, "trouble")
    store(ledger, incident)
    next_build(ledger).save()
    assert ledger.connection.execute("SELECT COUNT(*) FROM incidents").fetchone() == (0,)


def test_translated_incident_is_not_cached(ledger):
    incident = replace(
        incident_of("{name: {en: A, de: B}, updates: [{at: 2026-11-02T10:00:00Z, status: investigating}]}"),
        source="incidents/trouble.yaml",
    )
    store(ledger, incident)
    assert next_build(ledger).find(incident.source, b"text") is None


def test_cached_incident_times_keep_microseconds(ledger):
    incident = replace(incident_of(SMALL, "trouble"), started_at=at("11-02 09:00").replace(microsecond=1_000))
    store(ledger, incident)
    assert next_build(ledger).find(incident.source, b"text") == incident


@pytest.mark.parametrize("kind", [Incident, IncidentUpdate])
def test_every_incident_field_is_cached(kind):
    as_in_json = {str, bool, int, ComponentStatus, Impact, UpdateStatus}
    for field in fields(kind):
        is_mapping = get_origin(field.type) is Mapping
        is_as_in_json = field.type in as_in_json or field.type in {option | None for option in as_in_json}
        assert field.type in CONVERSIONS or is_mapping or is_as_in_json, field.name
