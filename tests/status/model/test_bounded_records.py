"""What all records list together is bounded: the least important are left out, each with a finding."""

import pytest

from statuary.status.model import bounded_records
from statuary.status.model.bounded_records import limit_records
from statuary.status.model.records import StatusCatalogue, StatusSettings
from support.status_site import at, catalogue_of

NOW = at("11-20 12:00")
OPEN = """
    name: Open
    components: {{{names}}}
    updates: [{{at: "{day}T10:00:00Z", status: investigating, body: x}}]
"""
RESOLVED = """
    name: Over
    components: {{{names}}}
    updates:
      - {{at: "{day}T10:00:00Z", status: investigating, body: x}}
      - {{at: "{day}T11:00:00Z", status: resolved, body: x}}
"""
WINDOW = """
    name: Works
    components: [rpc, explorer]
{more}
    scheduled_for: {day}T10:00:00Z
    scheduled_until: {day}T11:00:00Z
"""
DATED, DAILY = "    created_at: 2026-01-01T00:00:00Z", "    recurrence: {rule: FREQ=DAILY}"
BOTH = "rpc: major_outage, explorer: major_outage"


def sources_of(catalogue: StatusCatalogue) -> list[str]:
    return [record.source.rpartition("/")[2] for record in (*catalogue.incidents, *catalogue.maintenances)]


@pytest.mark.parametrize(
    ("most", "kept"),
    [
        (100, ["new.yaml", "old.yaml", "past.yaml", "soon.yaml", "late.yaml", "gone.yaml"]),
        (41, ["new.yaml", "old.yaml", "past.yaml", "soon.yaml", "late.yaml"]),  # a window that is over, first
        (33, ["new.yaml", "old.yaml", "soon.yaml", "late.yaml"]),
        (20, ["new.yaml", "old.yaml", "soon.yaml"]),
        (8, ["new.yaml", "old.yaml"]),
        (4, ["new.yaml"]),
        (3, []),
    ],
)
def test_oversized_status_keeps_open_incidents_longest(monkeypatch, most, kept):
    monkeypatch.setattr(bounded_records, "MAX_ALL_AFFECTED", most)
    catalogue = catalogue_of(
        incidents={
            "new": OPEN.format(names=BOTH, day="2026-11-19"),
            "old": OPEN.format(names=BOTH, day="2026-02-01"),
            "past": RESOLVED.format(names=BOTH, day="2026-11-18"),
        },
        maintenances={
            "soon": WINDOW.format(day="2026-11-21", more=DATED),
            "late": WINDOW.format(day="2026-12-30", more=DATED),
            "gone": WINDOW.format(day="2026-11-01", more=DATED),
        },
    )
    bounded, findings = limit_records(catalogue, NOW, StatusSettings())
    assert sources_of(bounded) == kept
    assert len(findings) == 6 - len(kept)
    assert all(finding.pointer == ("components",) for finding in findings)
    assert all(f"may name them {most}" in finding.message for finding in findings)


def test_recurring_maintenance_counts_every_window(monkeypatch):
    monkeypatch.setattr(bounded_records, "MAX_ALL_AFFECTED", 100)
    catalogue = catalogue_of(maintenances={"daily": WINDOW.format(day="2026-11-21", more=DAILY)})
    bounded, findings = limit_records(catalogue, NOW, StatusSettings())
    assert sources_of(bounded) == []
    (finding,) = findings
    assert finding.path == "maintenances/daily.yaml"
    assert "delete records that are long over" in finding.hint
