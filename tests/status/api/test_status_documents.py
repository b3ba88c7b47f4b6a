"""The documents beyond what captures show: caps, archives, uptime, pages that stand still."""

import json
from datetime import UTC, datetime, timedelta

import jsonschema
import pytest

from statuary.base.primitives import to_instant
from statuary.status.model.records import StatusSettings
from support.status_site import (
    COMPONENTS,
    DEFAULT_SETTINGS,
    PAGE,
    at,
    build_status_documents,
    catalogue_of,
    status_documents,
)


def bodies(catalogue, moment, **settings):
    return {
        document.path: json.loads(document.body)
        for document in status_documents(catalogue, moment, StatusSettings(**settings))
    }


def incident(day, status="resolved", component="rpc"):
    opened = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)
    return f"""
    name: Trouble {day}
    components: {{{component}: partial_outage}}
    updates:
      - {{at: {opened.isoformat()}, status: investigating}}
      - {{at: {(opened + timedelta(hours=1)).isoformat()}, status: {status}}}
"""


MANY = {f"trouble-{day:02}": incident(day, "monitoring" if day == 3 else "resolved") for day in range(60)}


def ids(records):
    return [record["id"] for record in records]


def test_incidents_json_keeps_fifty_latest():
    documents = bodies(catalogue_of(incidents=MANY), at("12-01 00:00"))

    listed = ids(documents["api/v2/incidents.json"]["incidents"])
    assert listed == [f"trouble-{day:02}" for day in range(59, 9, -1)] + ["trouble-03"]
    assert ids(documents["api/v2/incidents/unresolved.json"]["incidents"]) == ["trouble-03"]


@pytest.mark.parametrize(("cap", "count"), [(0, 60), (5, 6), (59, 59), (60, 60)])
def test_incident_list_limit_is_configurable(cap, count):
    documents = bodies(catalogue_of(incidents=MANY), at("12-01 00:00"), cap=cap)

    assert len(documents["api/v2/incidents.json"]["incidents"]) == count


def test_incident_list_limit_keeps_every_page():
    documents = bodies(catalogue_of(incidents=MANY), at("12-01 00:00"), cap=1)

    assert {path for path in documents if path.startswith("incidents/")} == {
        f"incidents/{name}.json" for name in MANY
    }


def maintenance(begins, status=None):
    updates = f"updates: [{{at: {begins}:05Z, status: {status}}}]" if status else ""
    return f"""
    name: Work
    components: [explorer]
    created_at: 2026-10-01T00:00:00Z
    scheduled_for: {begins}Z
    scheduled_until: 2026-11-30T00:00:00Z
    scheduled_remind_prior: false
    {updates}
"""


def test_maintenance_json_lists_filter_by_status():
    catalogue = catalogue_of(
        maintenances={
            "later": maintenance("2026-11-20T10:00"),
            "running": maintenance("2026-11-01T10:00"),
            "sooner": maintenance("2026-11-15T10:00"),
            "verified": maintenance("2026-10-31T10:00", "verifying"),
            "done": maintenance("2026-10-30T10:00", "completed"),
        }
    )
    documents = bodies(catalogue, at("11-10 00:00"))

    def listed(path):
        return ids(documents[path]["scheduled_maintenances"])

    assert listed("api/v2/scheduled-maintenances/upcoming.json") == ["sooner", "later"]
    assert listed("api/v2/scheduled-maintenances/active.json") == ["running", "verified"]
    # upcoming ones first, then active ones, the latest updated first: as on real pages
    assert listed("api/v2/summary.json") == ["sooner", "later", "running", "verified"]
    # all were created at one instant: then by id
    assert listed("api/v2/scheduled-maintenances.json") == ["done", "later", "running", "sooner", "verified"]


def test_status_documents_begin_with_page_object():
    documents = bodies(catalogue_of(incidents=MANY), at("12-01 00:00"))

    assert "api/v2/summary.json" in documents
    for path in set(documents) - {"api/v2/uptime.schema.json"}:
        assert next(iter(documents[path])) == "page", path


def test_timestamps_use_page_timezone_offset():
    catalogue = catalogue_of(incidents={"one": incident(10)}, page=PAGE + "    time_zone: America/Tijuana\n")
    page = bodies(catalogue, at("12-01 00:00"))["incidents/one.json"]

    assert page["incident"]["created_at"] == "2026-01-10T16:00:00.000-08:00"
    assert page["page"]["time_zone"] == "America/Tijuana"


def test_closed_incident_json_ignores_later_incidents():
    earlier, later = incident(10), incident(20)
    alone = catalogue_of(incidents={"one": earlier})
    both = catalogue_of(incidents={"one": earlier, "two": later})

    def page(catalogue):
        return next(
            d for d in status_documents(catalogue, at("12-01 00:00")) if d.path == "incidents/one.json"
        )

    assert page(alone).body == page(both).body
    assert page(alone).sources == ("incidents/one.yaml",)
    assert json.loads(page(alone).body)["page"]["updated_at"] == "2026-01-11T01:00:00.000Z"


def test_open_incident_json_reflects_later_updates():
    catalogue = catalogue_of(incidents={"one": incident(10, "monitoring"), "two": incident(20)})

    page = bodies(catalogue, at("12-01 00:00"))["incidents/one.json"]

    assert page["page"]["updated_at"] == "2026-01-21T01:00:00.000Z"
    assert page["incident"]["components"][0]["status"] == "partial_outage"


def test_shortlink_defaults_to_page_url():
    catalogue = catalogue_of(
        incidents={"one": incident(10), "two": incident(20) + "    shortlink: https://stspg.io/abc\n"}
    )
    documents = bodies(catalogue, at("12-01 00:00"))

    assert documents["incidents/one.json"]["incident"]["shortlink"] == (
        "https://status.example.org/incidents/one"
    )
    assert documents["incidents/two.json"]["incident"]["shortlink"] == "https://stspg.io/abc"


def test_reminder_intervals_can_be_omitted():
    catalogue = catalogue_of(
        incidents={"new": incident(20), "old": incident(10) + "    reminder_intervals: absent\n"}
    )
    documents = bodies(catalogue, at("12-01 00:00"))

    assert list(documents["incidents/new.json"]["incident"])[-1] == "reminder_intervals"
    assert "reminder_intervals" not in documents["incidents/old.json"]["incident"]


def test_removed_component_is_missing_from_api():
    components = COMPONENTS.replace("{name: RPC}", "{name: RPC, removed: true}")
    documents = bodies(
        catalogue_of(components=components, incidents={"one": incident(10)}), at("12-01 00:00")
    )

    assert "rpc" not in ids(documents["api/v2/components.json"]["components"])
    page = documents["incidents/one.json"]["incident"]
    assert page["components"] == []
    assert page["incident_updates"][0]["affected_components"][0]["code"] == "rpc"


HISTORY = {
    "new-year": """
    name: Around midnight
    updates: [{at: 2025-12-31T23:30:00Z, status: resolved}]
""",
    "spring": incident(90),
    "open": incident(200, "monitoring"),
}


def test_incident_history_groups_months_by_timezone():
    catalogue = catalogue_of(
        incidents=HISTORY,
        maintenances={"work": maintenance("2026-11-01T10:00")},
        page=PAGE + "    time_zone: Europe/Zurich\n",
    )
    documents = bodies(catalogue, at("12-01 00:00"), cap=1)

    months = documents["api/v2/history.json"]["months"]
    assert months[-1] == {
        "month": "2026-01",
        "incidents": 1,
        "scheduled_maintenances": 0,
        "url": "https://status.example.org/api/v2/history/2026-01.json",
    }
    archives = [documents[f"api/v2/history/{one['month']}.json"] for one in months]
    assert list(archives[0]) == ["page", "incidents", "scheduled_maintenances"]
    incidents = [one for archive in archives for one in archive["incidents"]]
    assert ids(incidents) == ["open", "spring", "new-year"]
    assert [one["incidents"] for one in months] == [len(archive["incidents"]) for archive in archives]
    assert sum(one["scheduled_maintenances"] for one in months) == 1
    assert incidents[1] == documents["incidents/spring.json"]["incident"]
    in_utc = bodies(catalogue_of(incidents=HISTORY), at("12-01 00:00"))
    assert ids(in_utc["api/v2/history/2025-12.json"]["incidents"]) == ["new-year"]


def test_new_update_keeps_past_history_month():
    def archive(incidents):
        documents = status_documents(catalogue_of(incidents=incidents), at("12-01 00:00"))
        return next(d.body for d in documents if d.path == "api/v2/history/2025-12.json")

    assert archive(HISTORY) == archive({"new-year": HISTORY["new-year"]})


def test_settings_disable_archives_and_uptime():
    paths = set(bodies(catalogue_of(incidents=MANY), at("12-01 00:00"), archives=False, uptime=False))

    assert not {path for path in paths if "history" in path or "uptime" in path}


def test_uptime_matches_schema_and_names_incidents():
    catalogue = catalogue_of(incidents={"one": incident(10), "north": incident(12, component="north")})
    documents = bodies(catalogue, at("02-01 12:00"))
    uptime, schema = documents["api/v2/uptime.json"], documents["api/v2/uptime.schema.json"]

    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(uptime, schema, cls=jsonschema.Draft202012Validator)
    assert (uptime["first_day"], uptime["last_day"]) == ("2025-11-04", "2026-02-01")
    by_id = {component["id"]: component for component in uptime["components"]}
    assert by_id["rpc"] == {
        "id": "rpc",
        "name": "RPC",
        "group_id": None,
        "start_date": None,
        "uptime": 99.98,  # 1,080 weighted seconds of 7,776,000
        "window_seconds": 7_776_000,
        "days": [
            {
                "date": "2026-01-11",
                "outages": {"p": 3600, "m": 0},
                "related_events": [{"name": "Trouble 10", "code": "one"}],
            }
        ],
    }
    assert by_id["explorer"]["uptime"] == 100.0
    assert uptime["groups"] == [{"id": "bridges", "name": "Bridges", "uptime": 99.99}]
    assert uptime["uptime"] == 99.99


def test_uptime_schema_rejects_invalid_document():
    documents = bodies(catalogue_of(), at("02-01 12:00"))
    uptime, schema = documents["api/v2/uptime.json"], documents["api/v2/uptime.schema.json"]

    for wrong in ({"uptime": 100.01}, {"days": 91}, {"more": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(uptime | wrong, schema, cls=jsonschema.Draft202012Validator)


def test_repeated_status_documents_are_identical():
    site = build_status_documents(catalogue_of(incidents=MANY), at("12-01 00:00"), DEFAULT_SETTINGS)

    assert site.documents_at(at("12-01 00:00")) == site.documents_at(at("12-01 00:00"))


def test_later_status_documents_equal_fresh_builds():
    """What an earlier instant made of the archives does not stay."""
    catalogue = catalogue_of(incidents=MANY)
    site = build_status_documents(catalogue, at("03-10 00:00"), DEFAULT_SETTINGS)
    for moment in (at("01-20 00:00"), at("02-20 00:00"), at("03-10 00:00")):
        fresh = build_status_documents(catalogue, at("03-10 00:00"), DEFAULT_SETTINGS)
        assert site.documents_at(moment) == fresh.documents_at(moment)


def test_page_without_components_has_valid_summary():
    documents = bodies(catalogue_of("components: {}"), to_instant(datetime(2026, 1, 1, tzinfo=UTC)))

    summary = documents["api/v2/summary.json"]
    assert list(summary) == ["page", "components", "incidents", "scheduled_maintenances", "status"]
    assert summary["status"] == {"indicator": "none", "description": "All Systems Operational"}
    assert documents["api/v2/uptime.json"]["uptime"] is None
    assert documents["api/v2/history.json"]["months"] == []
