"""Real incidents and maintenances, replayed: at each instant, what the real page must have shown then."""

import json
from datetime import timedelta

import pytest

from statuary.base.primitives import Instant
from statuary.status.api.documents import StatusDocuments
from statuary.status.model.records import StatusSettings
from statuary.status.model.timeline import build_timeline
from support.status_site import catalogue_of
from support.statuspage_captures import (
    BY_HAND,
    capture,
    captured_lines,
    instant_of,
    read_status,
    write_content,
)

SECOND = timedelta(seconds=1)
MILLISECOND = timedelta(milliseconds=1)


def as_of(record, instant):
    """Return what a captured record must have said at an instant, by the rules alone; None before its first update."""
    updates = []
    for update in record["incident_updates"]:
        if max(instant_of(update["created_at"]), instant_of(update["display_at"])) <= instant:
            edited = instant_of(update["updated_at"]) <= instant
            updates.append(update | {"updated_at": update["updated_at" if edited else "created_at"]})
    if not updates:
        return None
    status = updates[0]["status"]
    closed = status in ("resolved", "completed")
    monitored = [one["display_at"] for one in updates if one["status"] in ("monitoring", "verifying")]
    newest = max((one["updated_at"] for one in updates), key=instant_of)
    return record | {
        "status": status,
        "updated_at": record["updated_at"] if instant_of(record["updated_at"]) <= instant else newest,
        "monitoring_at": monitored[-1] if monitored else None,
        "resolved_at": updates[0]["display_at"] if closed else None,
        "incident_updates": updates,
    }


def without_components(record):
    return None if record is None else {key: record[key] for key in record if key != "components"}


def listed(site, kind, instant):
    path, member = {
        "incident": ("api/v2/incidents.json", "incidents"),
        "maintenance": ("api/v2/scheduled-maintenances.json", "scheduled_maintenances"),
    }[kind]
    body = next(document.body for document in site.documents_at(instant) if document.path == path)
    return {record["id"]: record for record in json.loads(body)[member]}


def steps_of(record):
    """Return the instants at which something about a captured record happened, and a millisecond before each."""
    instants = {instant_of(record["updated_at"])}
    for update in record["incident_updates"]:
        instants |= {instant_of(update[key]) for key in ("created_at", "updated_at", "display_at")}
    return sorted(instants | {instant - MILLISECOND for instant in instants})


def site_of(catalogue, until):
    return StatusDocuments(
        build_timeline(catalogue, until), StatusSettings(cap=0, archives=False, uptime=False)
    )


def test_github_incidents_match_at_every_update(tmp_path):
    """Those with four updates or more on GitHub's page; most others were entered when they were over."""
    pages = captured_lines("github-incidents.first300.incident-pages.jsonl")
    longest = [page for page in pages if len(page["incident"]["incident_updates"]) > 3]
    assert len(longest) == 32
    components = {one["id"]: one for page in longest for one in page["incident"]["components"]}
    incidents = [page["incident"] for page in longest]
    write_content(tmp_path, longest[0]["page"], components.values(), incidents)
    site = site_of(read_status(tmp_path), instant_of("2030-01-01T00:00:00Z"))

    compared = 0
    for incident in incidents:
        for instant in steps_of(incident):
            shown = listed(site, "incident", instant).get(incident["id"])
            assert without_components(shown) == without_components(as_of(incident, instant))
            compared += 1
    assert compared > 300


def test_claude_maintenances_match_at_every_update(tmp_path):
    real = capture("junxit-claude.scheduled-maintenances.json")
    maintenances = real["scheduled_maintenances"]
    components = {one["id"]: one for record in maintenances for one in record["components"]}
    write_content(tmp_path, real["page"], components.values(), maintenances=maintenances)
    site = site_of(read_status(tmp_path), instant_of("2030-01-01T00:00:00Z"))

    for maintenance in maintenances:
        for instant in steps_of(maintenance):
            shown = listed(site, "maintenance", instant).get(maintenance["id"])
            assert without_components(shown) == without_components(as_of(maintenance, instant))
    # while the second one ran, both of its components were under maintenance, and so was the page
    running = instant_of("2024-12-15T01:10:00Z")
    shown = listed(site, "maintenance", running)["16z0qdmy3qv2"]
    assert [one["status"] for one in shown["components"]] == ["under_maintenance", "under_maintenance"]
    status = next(d.body for d in site.documents_at(running) if d.path == "api/v2/status.json")
    assert json.loads(status)["status"] == {
        "indicator": "maintenance",
        "description": "Service Under Maintenance",
    }


CLAUDE = """
    components:
      rwppv331jlwc: {name: claude.ai}
      0qbwn08sd68x: {name: console.anthropic.com}
"""


def authored(real):
    """Return what an author would have written of a real maintenance: the clock is to do the rest."""
    announcement = real["incident_updates"][-1]
    return f"""
    name: {json.dumps(real["name"])}
    components: {json.dumps([one["code"] for one in announcement["affected_components"]])}
    created_at: {announcement["created_at"]}
    scheduled_for: {real["scheduled_for"]}
    scheduled_until: {real["scheduled_until"]}
    body: {json.dumps(announcement["body"])}
"""


def visible_updates(updates):
    """Return what readers see: status, text, components; not ids, nor the seconds of a job's delay."""
    return [(one["status"], one["body"], one["affected_components"]) for one in updates]


def test_automatic_maintenance_updates_match_statuspage():
    """The second maintenance ran by the clock all the way: reminder, beginning, completion (3 minutes early, by hand)."""
    real = capture("junxit-claude.scheduled-maintenances.json")["scheduled_maintenances"][1]
    end = instant_of(real["resolved_at"])
    assert end < instant_of(real["scheduled_until"])
    catalogue = catalogue_of(CLAUDE, maintenances={"real": authored(real)})
    site = site_of(catalogue, instant_of("2030-01-01T00:00:00Z"))

    for update in real["incident_updates"]:
        # Statuspage's job ran up to 22 seconds after the instant; the last one was somebody's click
        planned = (
            instant_of(update["display_at"])
            if update["status"] != "completed"
            else instant_of(real["scheduled_until"])
        )
        shown = listed(site, "maintenance", planned)["real"]
        by_then = [one for one in real["incident_updates"] if one["display_at"] <= update["display_at"]]
        assert visible_updates(shown["incident_updates"]) == visible_updates(by_then)
        assert shown["status"] == update["status"]
        assert shown["impact"] == "maintenance"


def test_maintenance_without_component_transitions_matches_capture():
    """The first one: announced a minute before, so without reminder; verified and completed by hand."""
    real = capture("junxit-claude.scheduled-maintenances.json")["scheduled_maintenances"][0]
    completed, verifying = real["incident_updates"][:2]
    text = (
        authored(real)
        + f"""
    auto_transition_to_maintenance_state: false
    auto_transition_to_operational_state: false
    auto_transition_deliver_notifications_at_start: false
    auto_transition_deliver_notifications_at_end: false
    updates:
      - {{at: {verifying["display_at"]}, status: verifying}}
"""
    )
    catalogue = catalogue_of(CLAUDE, maintenances={"real": text})
    site = site_of(catalogue, instant_of("2030-01-01T00:00:00Z"))

    shown = listed(site, "maintenance", instant_of(completed["display_at"]))["real"]

    assert visible_updates(shown["incident_updates"]) == visible_updates(real["incident_updates"])
    assert shown["monitoring_at"] == verifying["display_at"]
    # the clock is exact where the job was 21 seconds late
    assert instant_of(shown["resolved_at"]) == instant_of(real["scheduled_until"])


def test_maintenance_status_switches_at_exact_second():
    real = capture("junxit-claude.scheduled-maintenances.json")["scheduled_maintenances"][1]
    catalogue = catalogue_of(CLAUDE, maintenances={"real": authored(real)})
    site = site_of(catalogue, instant_of("2030-01-01T00:00:00Z"))
    begin, end = instant_of(real["scheduled_for"]), instant_of(real["scheduled_until"])

    def status(instant):
        return listed(site, "maintenance", instant)["real"]["status"]

    for second in range(-30, 31):
        assert status(Instant(begin + second * SECOND)) == ("scheduled" if second < 0 else "in_progress")
        assert status(Instant(end + second * SECOND)) == ("in_progress" if second < 0 else "completed")


@pytest.mark.slow
@pytest.mark.parametrize("flag", BY_HAND)
def test_imported_maintenance_keeps_captured_status(tmp_path, flag):
    """A capture whose window has not begun stays as it was captured: its flags are not public."""
    summary = capture("linuxfabrik-minor-cloudflare-with-maintenances.summary.json")
    planned = [one for one in summary["scheduled_maintenances"] if one["status"] == "scheduled"][:1]
    write_content(tmp_path, summary["page"], summary["components"], maintenances=planned)
    file = tmp_path / "maintenances" / f"{planned[0]['id']}.json"
    after = instant_of("2030-01-01T00:00:00Z")

    untouched = listed(site_of(read_status(tmp_path), after), "maintenance", after)[planned[0]["id"]]
    source = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(source | {flag: True}), "utf-8")
    touched = listed(site_of(read_status(tmp_path), after), "maintenance", after)[planned[0]["id"]]

    assert untouched == planned[0]
    assert (touched != untouched) == (flag != "scheduled_auto_completed")
