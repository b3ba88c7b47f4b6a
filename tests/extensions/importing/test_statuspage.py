"""Real captures of Statuspage, imported and built: the documents equal the captures, member by member and in order."""

import json

import pytest

from statuary.extensions.importing.sources import WebSource
from statuary.extensions.importing.status.import_status import import_status
from statuary.extensions.importing.status.statuspage import read_statuspage
from statuary.status.model.records import StatusSettings
from support.status_site import status_documents
from support.statuspage_captures import NOW, capture, captured_lines, instant_of, read_status

SUMMARIES = {
    "linuxfabrik-minor-cloudflare-with-maintenances.summary.json": "2026-04-21T11:05:00Z",
    "linuxfabrik-major-asana.summary.json": "2026-04-21T12:00:00Z",
    "linuxfabrik-minor-bexio.summary.json": "2026-04-21T11:00:00Z",
    "crazymax-github-data-summary-2.json": "2020-12-17T01:00:00Z",
}
"""Whole captures and instants soon after them."""


def imported(tmp_path, documents, now):
    """Import documents from a folder, and return the report and the content folder."""
    saved = tmp_path / "saved"
    saved.mkdir(exist_ok=True)
    for number, document in enumerate(documents):
        (saved / f"{number}.json").write_text(json.dumps(document))
    done = import_status(read_statuspage, str(saved), tmp_path / "content", now, web=WebSource())
    assert done.findings == ()
    return done.report, tmp_path / "content"


def built(content, now, cap=50):
    return {
        document.path: json.loads(document.body)
        for document in status_documents(read_status(content), now, StatusSettings(cap=cap))
    }


def text(value):
    """Return JSON as text, which shows the order of members and their values."""
    return json.dumps(value, indent=1, ensure_ascii=False)


@pytest.mark.parametrize("name", SUMMARIES)
def test_imported_statuspage_summary_is_rebuilt_unchanged(tmp_path, name):
    summary, now = capture(name), instant_of(SUMMARIES[name])

    report, content = imported(tmp_path, [summary], now)
    documents = built(content, now)

    assert report.skipped == []
    assert text(documents["api/v2/summary.json"]) == text(summary)
    assert documents["api/v2/status.json"]["status"] == summary["status"]


@pytest.mark.slow
def test_imported_github_incidents_are_rebuilt_unchanged(tmp_path):
    pages = captured_lines("github-incidents.first300.incident-pages.jsonl")

    report, content = imported(tmp_path, pages, NOW)
    listed = {one["id"]: one for one in built(content, NOW, cap=0)["api/v2/incidents.json"]["incidents"]}

    assert report.skipped == []
    assert len(listed) == 300
    # what a component is at present is that of the latest page, and not of each incident's own
    without_components = [one["incident"] | {"components": None} for one in pages]
    assert text([listed[one["id"]] | {"components": None} for one in without_components]) == text(
        without_components
    )


def test_second_statuspage_import_changes_no_file(tmp_path):
    summary, now = capture("linuxfabrik-minor-bexio.summary.json"), instant_of("2026-04-21T11:00:00Z")
    _, content = imported(tmp_path, [summary], now)
    before = {path: path.read_bytes() for path in content.rglob("*.yaml")}

    report, _ = imported(tmp_path, [summary], now)

    assert (report.added_paths, report.changed_paths) == ([], [])
    assert {path: path.read_bytes() for path in content.rglob("*.yaml")} == before


PAGE = {
    "id": "p1",
    "name": "Plinth",
    "url": "https://status.plinth.example/",
    "time_zone": "Etc/UTC",
    "updated_at": "2017-05-03T00:00:00.000Z",
}


def component(ident, position, created_at, **members):
    stamps = {"created_at": created_at, "updated_at": created_at}
    return {"id": ident, "name": ident.upper(), "status": "operational", **stamps, "position": position} | {
        "description": None,
        "showcase": True,
        "start_date": None,
        "group_id": None,
        "page_id": "p1",
        "group": False,
        "only_show_if_degraded": False,
        **members,
    }


def test_unusual_statuspage_data_is_rebuilt_unchanged(tmp_path):
    """Ties out of order, an incident's own order, names alone (2017), a reopened incident, a URL that ends with a slash."""
    components = [
        component("b", 1, "2016-01-02T00:00:00.000Z"),
        component("a", 1, "2016-01-01T00:00:00.000Z"),
        component("c", 2, "2016-01-03T00:00:00.000Z"),
    ]

    def update(number, status, **members):
        at = f"2017-05-0{number}T00:00:00.000Z"
        return {"id": f"u{number}", "status": status, "body": status, "incident_id": "i1"} | {
            **dict.fromkeys(("created_at", "updated_at", "display_at"), at),
            "affected_components": [{"name": "B"}],
            "deliver_notifications": True,
            "custom_tweet": None,
            "tweet_id": None,
            **members,
        }

    incident = {
        "id": "i1",
        "name": "Twice",
        "status": "investigating",
        "created_at": "2017-05-01T00:00:00.000Z",
        "updated_at": "2017-05-03T00:00:00.000Z",
        "monitoring_at": None,
        "resolved_at": None,
        "impact": "none",
        "shortlink": "http://stspg.io/abc",
        "started_at": "2017-05-01T00:00:00.000Z",
        "page_id": "p1",
        "incident_updates": [update(3, "investigating"), update(2, "resolved"), update(1, "investigating")],
        "components": [components[2], components[0]],
    }
    summary = {
        "page": PAGE,
        "components": components,
        "incidents": [incident],
        "scheduled_maintenances": [],
        "status": {"indicator": "none", "description": "All Systems Operational"},
    }

    report, content = imported(tmp_path, [summary], NOW)

    assert report.skipped == []
    assert text(built(content, NOW)["api/v2/summary.json"]) == text(summary)
    assert "reopens: true" in (content / "incidents" / "i1.yaml").read_text()
