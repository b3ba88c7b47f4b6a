"""Values of content files that a build takes from the ledger instead of reading the files again."""

from dataclasses import replace
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pytest

from statuary.base.findings import Finding
from statuary.contracts.model.known_contradiction import KnownContradiction
from statuary.contracts.settings import Chain, ContractKeys, ContractSettings, PublishPolicy
from statuary.publish.ledger import known_files
from statuary.publish.ledger.known_files import KnownFiles
from statuary.publish.ledger.ledger import Ledger
from statuary.publish.ledger.stored_values import converter_of, decode_value, encode_value
from statuary.site.settings import HostingPlatform, HostingSettings, PageSettings, PathLayout, SiteKeys
from statuary.source.source_files import ReadFile
from statuary.status.model.records import (
    FaultyPart,
    Incident,
    IncidentTemplate,
    Maintenance,
    StatusSettings,
)
from statuary.status.sources.read_values import ReadComponents, StatusKeys
from support.status_site import at, catalogue_of, incident_of, maintenance_of, page_of

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

RECURRING = """
    name: Restart
    components: [rpc]
    scheduled_for: 2026-11-02T03:00:00Z
    scheduled_until: 2026-11-02T03:10:00Z
    scheduled_remind_prior: false
    recurrence:
      rule: FREQ=DAILY
      time_zone: Europe/Zurich
      announce_days: 3
      occurrences:
        2026-11-05T03:00:00Z:
          scheduled_for: 2026-11-05T04:00:00Z
          updates: [{at: 2026-11-05T04:01:00Z, status: in_progress}]
"""

CHAIN = Chain(
    "1",
    "One",
    "Chain one",
    rpc=("https://node.example",),
    checkpoints=((7, "0x" + "ab" * 32),),
    gone=(KnownContradiction("0x" + "00" * 20, date(2026, 11, 2), "It destroyed itself."),),
)

VALUES = {
    "rich incident": incident_of(RICH, "trouble"),
    "small incident": incident_of(SMALL, "trouble"),
    "moved incident": replace(
        incident_of(SMALL, "trouble"), started_at=at("11-02 09:00").replace(microsecond=1_000)
    ),
    "recurring maintenance": maintenance_of(RECURRING),
    "template": IncidentTemplate(
        "slow", "templates/slow.yaml", components={"rpc": None}, next_update_in=timedelta(minutes=30)
    ),
    "template without members": IncidentTemplate(),
    "components": ReadComponents(catalogue_of().components, (FaultyPart(("a", 1), frozenset({"b"})),)),
    "keys of the status": StatusKeys(page_of(), StatusSettings(horizon=timedelta(days=3))),
    "keys of contracts": ContractKeys((CHAIN,), ContractSettings(PublishPolicy.ALL), ("more",)),
    "keys of the site": SiteKeys(
        PageSettings(contracts=0), HostingSettings((HostingPlatform.NETLIFY,), PathLayout.SHARDED)
    ),
    "tree": {"page": {"name": "A", "nothing": None}, "chains": [{"chain_id": "1"}]},
}


@pytest.fixture
def ledger():
    with Ledger() as opened:
        yield opened


def store(ledger, value, body=b"text", *inputs):
    """Save a value as the content of a file, as a build does that reads it."""
    table = ledger.table(KnownFiles)
    assert table.find("file.yaml", body, type(value), *inputs) is None
    table.add("file.yaml", value)
    table.save()


def next_build(ledger):
    """Return the table as the next build reads it."""
    return KnownFiles(ledger, ledger.connection)


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_known_value_equals_read_value(ledger, value):
    store(ledger, value)

    known = next_build(ledger).find("file.yaml", b"text", type(value))

    assert known == value
    assert repr(known).replace("mappingproxy({})", "{}") == repr(value).replace("mappingproxy({})", "{}")


@pytest.mark.parametrize("kind", [Incident, Maintenance])
def test_default_values_are_not_stored(kind):
    value = VALUES["small incident"] if kind is Incident else VALUES["recurring maintenance"]
    assert b"backfilled" not in encode_value(value)


def test_changed_file_is_read_again(ledger):
    store(ledger, VALUES["small incident"])
    assert next_build(ledger).find("file.yaml", b"other text", Incident) is None
    assert next_build(ledger).find("other.yaml", b"text", Incident) is None


def test_changed_input_reads_file_again(ledger):
    store(ledger, VALUES["recurring maintenance"], b"text", page_of())
    other = page_of()._replace(time_zone=ZoneInfo("Asia/Tokyo"))
    assert next_build(ledger).find("file.yaml", b"text", Maintenance, other) is None
    assert next_build(ledger).find("file.yaml", b"text", Maintenance, page_of()) is not None


def test_other_statuary_version_reads_file_again(ledger, monkeypatch):
    store(ledger, VALUES["small incident"])
    monkeypatch.setattr(known_files, "program_fingerprint", lambda: "another")
    assert next_build(ledger).find("file.yaml", b"text", Incident) is None


@pytest.mark.parametrize("kind", ["TEXT", "BLOB"])
def test_damaged_known_value_is_ignored(ledger, kind):
    store(ledger, VALUES["small incident"])
    ledger.connection.execute(
        f"UPDATE known_files SET value = CAST(replace(value, 'Trouble', 'Truoble') AS {kind})"
    )
    assert next_build(ledger).find("file.yaml", b"text", Incident) is None


def test_removed_file_is_forgotten(ledger):
    store(ledger, VALUES["small incident"])
    next_build(ledger).save()
    assert ledger.connection.execute("SELECT COUNT(*) FROM known_files").fetchone() == (0,)


def test_translated_value_is_not_stored(ledger):
    translated = "{name: {en: A, de: B}, updates: [{at: 2026-11-02T10:00:00Z, status: investigating}]}"
    store(ledger, incident_of(translated))
    assert next_build(ledger).find("file.yaml", b"text", Incident) is None


def test_missing_time_zone_reads_file_again(ledger, monkeypatch):
    store(ledger, VALUES["recurring maintenance"])

    def lack_zone(*_):
        raise LookupError("No time zone found")

    monkeypatch.setattr(known_files, "decode_value", lack_zone)
    assert next_build(ledger).find("file.yaml", b"text", Maintenance) is None


@pytest.mark.parametrize("kind", [object, tuple[int | date, ...]])
def test_unknown_types_are_refused(kind):
    with pytest.raises(TypeError, match="not stored"):
        converter_of(kind)


def test_bytes_keep_their_value():
    assert decode_value(tuple[bytes, ...], encode_value((b"\0\xff",))) == (b"\0\xff",)


class Reader:
    """Reads a file as an incident, and counts how often."""

    def __init__(self, *faults):
        self.faults, self.calls = faults, 0

    def __call__(self, file, *, limit, findings):
        self.calls += 1
        findings += self.faults
        return VALUES["small incident"]


@pytest.mark.parametrize(("faults", "reads"), [((), 0), ((Finding(rule="unknown-key", message="no"),), 1)])
def test_only_faultless_files_are_known(ledger, tmp_path, faults, reads):
    file = ReadFile(tmp_path, "incidents/trouble.yaml", b"text")
    first, second, findings = Reader(*faults), Reader(*faults), []
    table = ledger.table(KnownFiles)
    assert table.only_changed(first, Incident)(file, limit=100, findings=findings)
    table.save()

    known = next_build(ledger).only_changed(second, Incident)(file, limit=100, findings=findings)

    assert known == VALUES["small incident"]
    assert (first.calls, second.calls) == (1, reads)
    assert findings == [*faults] * (1 + reads)
