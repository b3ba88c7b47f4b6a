"""Keys that imports need, and that authors may use: an impact from an instant on, a silent reminder, a text about the page."""

import json

from statuary.status.model.timeline import build_timeline, page_state_at
from support.status_site import PAGE, at, catalogue_of, status_documents

TROUBLE = """
    name: Trouble
    components: {north: partial_outage}
    impact_override: critical
    impact_override_at: 2026-11-02T11:00:00Z
    updates:
      - {at: 2026-11-02T10:00:00Z, status: investigating}
      - {at: 2026-11-02T12:00:00Z, status: resolved}
      - {at: 2026-11-02T13:00:00Z, status: investigating, reopens: true, components: {north: partial_outage}}
"""

UPGRADE = """
    name: Upgrade
    created_at: 2026-11-01T09:00:00Z
    scheduled_for: 2026-11-03T10:00:00Z
    scheduled_until: 2026-11-03T12:00:00Z
    remind_prior_deliver_notifications: false
"""


def incident_at(moment):
    timeline = build_timeline(catalogue_of(incidents={"trouble": TROUBLE}), at("12-31 00:00"))
    return page_state_at(timeline, at(moment)).incidents[0]


def test_impact_override_applies_from_its_timestamp():
    assert [incident_at(moment).impact for moment in ("11-02 10:59", "11-02 11:00", "11-02 12:30")] == [
        "major",
        "critical",
        "critical",
    ]
    assert incident_at("11-02 11:30").updated_at == at("11-02 11:00")


def test_reopened_imported_incident_affects_components_again():
    states = [incident_at(moment) for moment in ("11-02 12:30", "11-02 13:30")]

    assert [(one.status, one.resolved_at is None, one.closed) for one in states] == [
        ("resolved", False, True),
        ("investigating", True, False),
    ]
    timeline = build_timeline(catalogue_of(incidents={"trouble": TROUBLE}), at("12-31 00:00"))
    history = timeline.status_histories["north"]
    assert [history.at(at(moment))[0] for moment in ("11-02 12:30", "11-02 13:30")] == [
        "operational",
        "partial_outage",
    ]


def test_maintenance_reminder_can_skip_notification():
    timeline = build_timeline(catalogue_of(maintenances={"upgrade": UPGRADE}), at("12-31 00:00"))
    [maintenance] = page_state_at(timeline, at("11-03 09:30")).maintenances
    reminder, announcement = (one.update for one in maintenance.published_updates)

    assert (reminder.automatic, reminder.deliver_notifications) == (True, False)
    assert announcement.deliver_notifications


def test_page_url_keeps_trailing_slash():
    page = PAGE.replace("https://status.example.org", "https://status.example.org/")
    catalogue = catalogue_of(incidents={"trouble": TROUBLE}, page=page)

    [summary] = [
        one for one in status_documents(catalogue, at("11-02 10:30")) if one.path == "api/v2/summary.json"
    ]

    found = json.loads(summary.body)
    assert found["page"]["url"] == "https://status.example.org/"
    assert found["incidents"][0]["shortlink"] == "https://status.example.org/incidents/trouble"
