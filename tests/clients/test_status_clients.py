"""Real clients of the status API show the status: before, during and after a maintenance, and in an outage.

What they must tell is written here by hand, from `world/` and from what Statuspage is known to do.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from clients.installed import installed

pytestmark = pytest.mark.slow

WORLD = Path(__file__).parent / "world"
COMPONENTS = ("Nodes", "Public RPC", "Archive", "Explorer “Lupe”", 'Bridge "Brücke"')
"""As a page shows them: a group, its two components, and two on their own."""


@dataclass(frozen=True, kw_only=True)
class Maintenance:
    """What a client may show of a maintenance."""

    id: str
    name: str
    begins: str
    ends: str
    components: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Incident:
    """What a client may show of an incident."""

    id: str
    name: str
    impact: str
    began: str
    components: tuple[str, ...]


# Clocks in New York go back while the window lasts: the same instant an hour later has another offset.
NEW_DISKS = Maintenance(
    id="2026-11-01-new-disks",
    name="New disks for the RPC nodes",
    begins="2026-11-01T01:00:00.000-04:00",
    ends="2026-11-01T02:00:00.000-05:00",
    components=("Public RPC",),
)
BRIDGE_KEYS = Maintenance(
    id="2026-11-15-bridge-keys",
    name="New keys for the bridge",
    begins="2026-11-15T09:00:00.000-05:00",
    ends="2026-11-15T10:30:00.000-05:00",
    components=("Archive", 'Bridge "Brücke"'),
)
DISK_NOT_MOUNTED = Incident(
    id="2026-11-01-disk-not-mounted",
    name="RPC <nodes> & archive do not answer",
    impact="major",
    began="2026-11-01T03:10:00.000-05:00",
    components=("Public RPC", "Archive"),
)
LATE_BLOCKS = "2026-10-12-late-blocks"


@dataclass(frozen=True, kw_only=True)
class Moment:
    """An instant, and what is true then.

    Attributes:
        name: what the tests call it.
        now: the instant.
        built: when the site was built, as far as its host keeps time by itself.
        indicator: the page's.
        description: the page's, as it goes with the indicator.
        impaired: the components that are not operational, and what they are.
        incidents: those that are unresolved, with their state and what was said last.
        maintenances: those that are not over, likewise.
        history: the ids of all incidents so far, newest first.
    """

    name: str
    now: str
    built: str = "2026-11-01T04:30:00Z"
    indicator: str = "none"
    description: str = "All Systems Operational"
    impaired: dict[str, str]
    incidents: tuple[tuple[Incident, str, str], ...] = ()
    maintenances: tuple[tuple[Maintenance, str, str], ...]
    history: tuple[str, ...] = (LATE_BLOCKS,)

    def components(self) -> list[tuple[str, str]]:
        """Return every component with its status, in the page's order."""
        return [(name, self.impaired.get(name, "operational")) for name in COMPONENTS]


ANNOUNCED = "We will be undergoing scheduled maintenance during this time."
LATER = (BRIDGE_KEYS, "scheduled", ANNOUNCED)

MOMENTS = (
    Moment(
        name="before",
        now="2026-11-01T04:30:00Z",
        impaired={},
        maintenances=(
            (NEW_DISKS, "scheduled", "Maintenance will begin as scheduled in 60 minutes."),
            LATER,
        ),
    ),
    Moment(
        name="within",
        now="2026-11-01T06:00:00Z",
        indicator="maintenance",
        description="Service Under Maintenance",
        impaired={"Nodes": "under_maintenance", "Public RPC": "under_maintenance"},
        maintenances=(
            LATER,
            (
                NEW_DISKS,
                "in_progress",
                "Scheduled maintenance is currently in progress. We will provide updates as necessary.",
            ),
        ),
    ),
    Moment(name="after", now="2026-11-01T07:30:00Z", impaired={}, maintenances=(LATER,)),
    Moment(
        name="in trouble",
        now="2026-11-01T08:30:00Z",
        built="2026-11-01T08:26:00Z",  # what was written after a build is in the next
        indicator="major",
        description="Partial System Outage",
        impaired={
            "Nodes": "major_outage",
            "Public RPC": "major_outage",
            "Archive": "degraded_performance",
        },
        incidents=(
            (DISK_NOT_MOUNTED, "identified", "One of the new disks was not mounted after a restart."),
        ),
        maintenances=(LATER,),
        history=(DISK_NOT_MOUNTED.id, LATE_BLOCKS),
    ),
)


@pytest.fixture(params=MOMENTS, ids=lambda moment: moment.name)
def moment(request: pytest.FixtureRequest) -> Moment:
    return request.param


# --- statuscheck: strict; it fails on any word that it does not know --------------------------------------------

STATUS_NAMES = {
    "none": "No issues",
    "maintenance": "Maintenance",
    "minor": "Minor incident",
    "major": "Major outage",
    "critical": "Critical incident",
}
COMPONENT_NAMES = {
    "operational": "Operational",
    "under_maintenance": "Under maintenance",
    "degraded_performance": "Degraded performance",
    "partial_outage": "Partial outage",
    "major_outage": "Major outage",
}


def test_statuscheck_client_reads_served_status(host, moment, tmp_path):
    client = installed("statuscheck")
    with host(WORLD, moment.built, moment.now) as url:
        read = client.ask({"url": url}, tmp_path)

    assert read["status"] == {
        "code": moment.indicator,
        "name": STATUS_NAMES[moment.indicator],
        "description": moment.description,
        "is_ok": moment.indicator == "none",
    }
    shown = [(component["name"], component["status"]) for component in read["components"]]
    assert shown == [(name, COMPONENT_NAMES[status]) for name, status in moment.components()]
    assert [fields_of(item) for item in read["incidents"]] == list(expected_of_statuscheck(moment))


def fields_of(item: dict[str, Any]) -> tuple[str, str, str, str, list[tuple[str, str]]]:
    components = [(component["name"], component["status"]) for component in item["components"]]
    newest = item["extra_data"]["incident_updates"][0]["body"]
    return item["id"], item["name"], item["status"], newest, components


def expected_of_statuscheck(moment: Moment) -> Iterator[tuple[str, str, str, str, list[tuple[str, str]]]]:
    statuses = dict(moment.components())
    for event, status, newest in (*moment.incidents, *moment.maintenances):
        components = [(name, COMPONENT_NAMES[statuses[name]]) for name in event.components]
        yield event.id, event.name, status, newest, components


# --- statuspage-prometheus-exporter: what Prometheus and its alerts see -----------------------------------------


def test_statuspage_prometheus_exporter_reads_served_status(host, moment, tmp_path):
    client = installed("statuspage-prometheus-exporter")
    with host(WORLD, moment.built, moment.now) as url:
        samples = client.ask({"url": url}, tmp_path)

    assert values(samples, "statuspage_probe_check") == [1]
    assert values(samples, "statuspage_service_status") == [int(moment.indicator == "none")]
    shown = {
        sample["labels"]["component_name"]: sample["value"] for sample in samples_of(samples, "component")
    }
    assert shown == {name: int(status == "operational") for name, status in moment.components()}
    assert active(samples, "incident") == [incident_labels(event) for event, _, _ in moment.incidents]
    assert active(samples, "maintenance") == [
        maintenance_labels(event) for event, _, _ in moment.maintenances
    ]


def test_statuspage_prometheus_exporter_clears_finished_maintenances(host, tmp_path):
    """One exporter that remembers: it recognises what it has seen, and clears what is over."""
    client = installed("statuspage-prometheus-exporter")
    over: dict[str, list[dict[str, str]]] = {}
    for moment in MOMENTS:
        with host(WORLD, moment.built, moment.now) as url:
            samples = client.ask({"url": url}, tmp_path)
        assert active(samples, "maintenance") == [
            maintenance_labels(event) for event, _, _ in moment.maintenances
        ]
        over[moment.name] = [
            sample["labels"]
            for sample in samples_of(samples, "maintenance")
            if sample["value"] == 0 and sample["labels"]["maintenance_id"] != "none"
        ]
    named = maintenance_labels(NEW_DISKS) | {"service_name": "page"}
    assert over == {"before": [], "within": [], "after": [named], "in trouble": []}


def test_published_metrics_match_statuspage_prometheus_exporter(host, moment, tmp_path):
    """What the site publishes, as Prometheus's own parser reads it, beside what the exporter makes of the API."""
    client = installed("statuspage-prometheus-exporter")
    with host(WORLD, moment.built, moment.now) as url:
        exported = client.ask({"url": url}, tmp_path)
        published = client.ask({"url": url, "metrics": "metrics.txt"}, tmp_path)

    assert values(published, "statuspage_service_status") == values(exported, "statuspage_service_status")
    assert shown_values(published) == shown_values(exported)
    for kind in ("incident", "maintenance"):
        labels = [without_zone(one) for one in active(exported, kind)]
        shared = (
            [{name: one[name] for name in labels[0]} for one in active(published, kind)]
            if labels
            else active(published, kind)
        )
        assert [without_zone(one) for one in shared] == labels


def shown_values(samples: list[dict[str, Any]]) -> dict[str, float]:
    return {
        sample["labels"]["component_name"]: sample["value"] for sample in samples_of(samples, "component")
    }


def without_zone(labels: dict[str, str]) -> dict[str, str]:
    """Return labels whose times are in UTC; the exporter has those of the page's zone."""
    times = {"started_at", "scheduled_start", "scheduled_end"}
    return {
        name: datetime.fromisoformat(value).astimezone(UTC).isoformat() if name in times else value
        for name, value in labels.items()
    }


SAMPLES = {
    "component": "statuspage_component_status",
    "incident": "statuspage_incident_info",
    "maintenance": "statuspage_maintenance_info",
}


def samples_of(samples: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [sample for sample in samples if sample["name"] == SAMPLES[kind]]


def values(samples: list[dict[str, Any]], name: str) -> list[float]:
    return [sample["value"] for sample in samples if sample["name"] == name]


def active(samples: list[dict[str, Any]], kind: str) -> list[dict[str, str]]:
    """Return the labels of what is going on: those with the value 1."""
    going_on = [sample["labels"] for sample in samples_of(samples, kind) if sample["value"] == 1]
    return [{name: text for name, text in labels.items() if name != "service_name"} for labels in going_on]


def incident_labels(incident: Incident) -> dict[str, str]:
    return {
        "incident_id": incident.id,
        "incident_name": incident.name,
        "impact": incident.impact,
        "shortlink": shortlink(incident.id),
        "started_at": incident.began.replace(".000", ""),
        "affected_components": ", ".join(incident.components),
    }


def maintenance_labels(maintenance: Maintenance) -> dict[str, str]:
    return {
        "maintenance_id": maintenance.id,
        "maintenance_name": maintenance.name,
        "scheduled_start": maintenance.begins.replace(".000", ""),
        "scheduled_end": maintenance.ends.replace(".000", ""),
        "shortlink": shortlink(maintenance.id),
        "affected_components": ", ".join(maintenance.components),
    }


def shortlink(event_id: str) -> str:
    return f"https://status.meridian.example/incidents/{event_id}"


# --- npm's statuspage.io: a call for every document -------------------------------------------------------------


def test_statuspage_io_reads_status(host, moment, tmp_path):
    client = installed("statuspage.io")
    with host(WORLD, moment.built, moment.now) as url:
        read = client.ask({"url": url}, tmp_path)

    status = {"indicator": moment.indicator, "description": moment.description}
    assert read["status"]["status"] == read["summary"]["status"] == status
    for document in (read["summary"], read["components"]):
        shown = [(component["name"], component["status"]) for component in document["components"]]
        assert shown == moment.components()
    unresolved = [event_of(incident) for incident in read["unresolved"]["incidents"]]
    assert unresolved == [expected_event(*one) for one in moment.incidents]
    assert unresolved == [event_of(incident) for incident in read["summary"]["incidents"]]
    assert [incident["id"] for incident in read["incidents"]["incidents"]] == list(moment.history)
    upcoming = [event_of(one) for one in read["upcoming"]["scheduled_maintenances"]]
    assert upcoming == [expected_event(*one) for one in moment.maintenances if one[1] == "scheduled"]
    summarised = [event_of(one) for one in read["summary"]["scheduled_maintenances"]]
    assert summarised == [expected_event(*one) for one in moment.maintenances]
    assert {document["page"]["name"] for document in read.values()} == {"Meridian"}


def event_of(item: dict[str, Any]) -> tuple[str, ...]:
    when = (item.get("scheduled_for") or item["started_at"], item.get("scheduled_until") or item["impact"])
    return item["id"], item["name"], item["status"], item["incident_updates"][0]["body"], *when


def expected_event(event: Incident | Maintenance, status: str, newest: str) -> tuple[str, ...]:
    when = (event.began, event.impact) if isinstance(event, Incident) else (event.begins, event.ends)
    return event.id, event.name, status, newest, *when
