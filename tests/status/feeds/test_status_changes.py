"""What a build changed, in the form of Statuspage's webhooks."""

import json

import pytest

from statuary.status.feeds.status_changes import COMPARED_PATHS, PREVIOUS_PATHS, changes_document
from support.status_site import at, catalogue, incident, maintenance, status_documents

COMPONENT_MEMBERS = {
    "status",
    "name",
    "created_at",
    "updated_at",
    "position",
    "description",
    "showcase",
    "id",
    "page_id",
    "group_id",
}
INCIDENT_MEMBERS = {
    "name",
    "status",
    "created_at",
    "updated_at",
    "monitoring_at",
    "resolved_at",
    "impact",
    "shortlink",
    "id",
    "scheduled_for",
    "scheduled_until",
    "page_id",
    "incident_updates",
    "components",
    "postmortem_body",
    "postmortem_body_last_updated_at",
    "postmortem_published_at",
}
UPDATE_MEMBERS = {
    "status",
    "body",
    "created_at",
    "updated_at",
    "display_at",
    "affected_components",
    "custom_tweet",
    "deliver_notifications",
    "id",
    "incident_id",
}
"""Members of captured webhooks, less those that only the owner of a page sees (flags, tweets)."""


class Site:
    """A published site: what a path holds."""

    def __init__(self):
        self.bodies = {}
        self.asked = set()

    def published(self, path):
        self.asked.add(path)
        return self.bodies.get(path)

    def build(self, status, moment):
        """Publish a catalogue's state at an instant, and return the changes."""
        documents = status_documents(status, at(moment))
        changes = changes_document(self.published, documents)
        self.bodies |= {document.path: document.body for document in (*documents, changes)}
        return json.loads(changes.body)


def kinds(changes):
    return [
        (payload["component"]["id"], payload["component_update"]["new_status"])
        if "component" in payload
        else (payload["incident"]["id"], payload["incident"]["incident_updates"][0]["status"])
        for payload in changes["changes"]
    ]


@pytest.fixture
def site():
    return Site()


STATUS = catalogue({"slow": incident()}, {"upgrade": maintenance()})


def test_first_build_has_empty_changes_json(site):
    assert site.build(STATUS, "2026-12-31T00:00")["changes"] == []
    assert site.build(STATUS, "2026-12-31T00:00")["since"] is None
    assert site.asked == set(PREVIOUS_PATHS)


def test_changes_json_lists_each_incident_update(site):
    site.build(STATUS, "2026-11-02T09:59")
    output = [
        kinds(site.build(STATUS, moment))
        for moment in ("2026-11-02T10:00", "2026-11-02T10:30", "2026-11-02T12:00", "2026-12-01T21:00")
    ]
    assert output == [
        [("rpc", "partial_outage"), ("slow", "investigating")],
        [("slow", "investigating")],
        [("rpc", "operational"), ("slow", "resolved")],
        [("upgrade", "scheduled")],
    ]
    assert kinds(site.build(STATUS, "2026-12-02T00:00")) == [("upgrade", "completed")]


def test_changes_json_is_sorted_by_time(site):
    status = catalogue(
        {"b": incident(), "a": incident(components={"blocks": "major_outage"}, updates=[
            {"at": "2026-11-02T10:10:00Z", "status": "investigating"}])}
    )  # fmt: skip
    site.build(status, "2026-11-01T00:00")
    assert kinds(site.build(status, "2026-11-02T10:15")) == [
        ("b", "investigating"),
        ("rpc", "partial_outage"),
        ("a", "investigating"),
        ("blocks", "major_outage"),
    ]


def test_changes_json_payloads_have_webhook_fields(site):
    site.build(STATUS, "2026-11-02T09:00")
    changes = site.build(STATUS, "2026-11-02T10:00")
    component, record = changes["changes"]
    assert list(component) == ["meta", "page", "component", "component_update"]
    assert list(record) == ["meta", "page", "incident"]
    for payload in (component, record):
        assert payload["page"] == {
            "id": "plinthpage01",
            "status_indicator": "minor",
            "status_description": "Minor Service Outage",
        }
        assert set(payload["meta"]) == {"unsubscribe", "documentation", "generated_at"}
        # content's own last change
        assert payload["meta"]["generated_at"] == "2026-11-02T11:00:00.000+01:00"
    assert set(component["component"]) >= COMPONENT_MEMBERS
    update = component["component_update"]
    assert (update["old_status"], update["new_status"]) == ("operational", "partial_outage")
    assert (update["component_id"], update["component_type"]) == ("rpc", "Component")
    assert set(update) == {"old_status", "new_status", "created_at", "component_type", "id", "component_id"}
    assert set(record["incident"]) >= INCIDENT_MEMBERS
    assert all(set(update) >= UPDATE_MEMBERS for update in record["incident"]["incident_updates"])
    assert record["incident"]["scheduled_for"] is None


def test_changes_json_maintenance_has_window(site):
    site.build(STATUS, "2026-11-30T00:00")
    changes = site.build(STATUS, "2026-12-01T22:00")["changes"]
    assert kinds({"changes": changes}) == [("rpc", "under_maintenance"), ("upgrade", "in_progress")]
    assert changes[1]["incident"]["scheduled_for"] == "2026-12-01T23:00:00.000+01:00"


def test_changes_json_lists_postmortem_with_text(site):
    written = catalogue({"slow": incident(postmortem={
        "published_at": "2026-11-05T00:00:00Z", "body": "Why.", "deliver_notifications": True})})  # fmt: skip
    site.build(written, "2026-11-04T00:00")
    (payload,) = site.build(written, "2026-11-05T00:00")["changes"]
    assert payload["incident"]["postmortem_body"] == "Why."
    assert payload["incident"]["postmortem_published_at"] == "2026-11-05T01:00:00.000+01:00"


def test_unchanged_site_keeps_changes_json(site):
    site.build(STATUS, "2026-11-02T09:00")
    first = site.build(STATUS, "2026-11-02T10:00")
    body = site.bodies["changes.json"]
    assert first["changes"]
    for moment in ("2026-11-02T10:00", "2026-11-02T10:29"):
        site.build(STATUS, moment)
        assert site.bodies["changes.json"] == body


def test_changes_json_omits_silent_updates(site):
    site.build(STATUS, "2026-11-20T00:00")
    edited = incident(name="Another name")
    edited["updates"][2]["body"] = "Another text."
    edited["updates"].append(
        {"at": "2026-11-19T00:00:00Z", "status": "resolved", "body": "Hush.", "deliver_notifications": False}
    )
    changed = catalogue({"slow": edited}, {"upgrade": maintenance()})
    assert site.build(changed, "2026-11-20T00:00")["changes"] == []


def test_changes_json_lists_new_backdated_incident(site):
    site.build(STATUS, "2026-11-20T00:00")
    late = incident(updates=[{"at": "2026-10-01T00:00:00Z", "status": "identified"}], components={})
    grown = catalogue({"slow": incident(), "late": late}, {"upgrade": maintenance()})
    assert kinds(site.build(grown, "2026-11-20T00:00")) == [("late", "identified")]


def test_changes_json_omits_old_incident(site):
    def closed(hour):
        return incident(
            components={},
            updates=[{"at": f"2026-11-{hour // 24 + 1:02}T{hour % 24:02}:00:00Z", "status": "resolved"}],
        )

    incidents = {f"i{hour}": closed(hour) for hour in range(52)}
    site.build(catalogue(incidents), "2026-11-20T00:00")
    listed = json.loads(site.bodies["api/v2/incidents.json"])["incidents"]
    assert "i1" not in {record["id"] for record in listed}
    del incidents["i30"]
    assert site.build(catalogue(incidents), "2026-11-20T00:00")["changes"] == []
    assert "i1" in {record["id"] for record in json.loads(site.bodies["api/v2/incidents.json"])["incidents"]}


@pytest.mark.parametrize("path", COMPARED_PATHS)
@pytest.mark.parametrize("body", [None, b"", b"{", b"[]", b"{}", b'{"page":{}}', b"\xff"])
def test_damaged_previous_build_empties_changes_json(site, path, body):
    site.build(STATUS, "2026-11-02T09:00")
    site.bodies[path] = body
    del site.bodies["changes.json"]
    output = site.build(STATUS, "2026-11-02T10:00")
    assert output["changes"] == []
    assert output["since"] is None
    assert kinds(site.build(STATUS, "2026-11-02T10:30")) == [("slow", "investigating")]
