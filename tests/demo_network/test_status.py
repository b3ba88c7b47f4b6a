"""The site's own status page: what a reader of the demo network finds on it one evening."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache

from statuary.base.primitives import Instant, to_instant
from statuary.engine.read_content import read_content
from statuary.status.model.records import StatusContent
from support.requirements import CHECKOUT
from support.status_site import status_documents

CONTENT = CHECKOUT / "content"
EVENING = to_instant(datetime(2026, 11, 20, 23, tzinfo=UTC))


@cache
def reading():
    return read_content(CONTENT)


def documents(at=EVENING):
    return {
        document.path: json.loads(document.body)
        for document in status_documents(reading().site.content_of(StatusContent).catalogue, at)
        if document.path.endswith(".json")
    }


def test_demo_status_content_has_no_findings():
    assert reading().findings == []


def test_demo_has_two_component_groups():
    components = documents()["api/v2/components.json"]["components"]
    groups = {component["id"]: component["name"] for component in components if component["group"]}
    children = Counter(groups[component["group_id"]] for component in components if not component["group"])
    assert children == {"Network": 5, "Services": 5}


def test_demo_incidents_cover_every_status():
    incidents = documents()["api/v2/incidents.json"]["incidents"]
    assert len(incidents) == 12
    assert {incident["status"] for incident in incidents} == {
        "investigating",
        "identified",
        "monitoring",
        "resolved",
        "postmortem",
    }
    earliest = min(datetime.fromisoformat(incident["started_at"]) for incident in incidents)
    assert EVENING - timedelta(days=90) < earliest < EVENING - timedelta(days=80)
    assert {incident["impact"] for incident in incidents} == {"none", "minor", "major", "critical"}


def test_demo_open_incidents_cover_every_status():
    unresolved = documents()["api/v2/incidents/unresolved.json"]["incidents"]
    assert [incident["status"] for incident in unresolved] == ["investigating", "identified", "monitoring"]


def test_demo_maintenances_cover_every_status():
    site = documents()
    maintenances = site["api/v2/scheduled-maintenances.json"]["scheduled_maintenances"]
    states = Counter(maintenance["status"] for maintenance in maintenances)
    assert states == {"completed": 4, "in_progress": 1, "scheduled": 4}
    [running] = site["api/v2/scheduled-maintenances/active.json"]["scheduled_maintenances"]
    assert running["id"] == "2026-11-20-relayer-keys"


def test_demo_page_status_reflects_component_statuses():
    summary = documents()["api/v2/summary.json"]
    status = {component["id"]: component["status"] for component in summary["components"]}
    assert status["bridge"] == "under_maintenance"
    assert status["archive-rpc"] == status["indexer"] == "degraded_performance"
    assert status["faucet"] == "operational"  # watched, but mended
    assert summary["status"] == {"indicator": "minor", "description": "Partially Degraded Service"}


def test_resolved_demo_incidents_restore_components():
    """Between the incidents every component is well, so that each of them ends what it began."""
    for day in (
        "2026-08-30",
        "2026-09-08",
        "2026-09-20",
        "2026-10-10",
        "2026-10-30",
        "2026-11-15",
        "2026-11-19",
    ):
        noon: Instant = to_instant(datetime.fromisoformat(f"{day}T12:00:00+00:00"))
        assert documents(noon)["api/v2/status.json"]["status"]["indicator"] == "none", day


def test_demo_postmortem_block_numbers_match_chain():
    genesis, seconds = datetime(2026, 1, 12, 9, tzinfo=UTC), 4
    [output] = [
        update["body"]
        for update in documents()["incidents/2026-09-03-empty-blocks.json"]["incident"]["incident_updates"]
        if update["status"] == "postmortem"
    ]
    for clock in ("13:07:20", "13:30:40"):
        moment = datetime.fromisoformat(f"2026-09-03T{clock}+00:00")
        assert f"block {int((moment - genesis).total_seconds()) // seconds:,} ({clock} UTC)" in output
