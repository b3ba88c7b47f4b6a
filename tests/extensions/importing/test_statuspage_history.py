"""A page with more incidents than lists have: imported from a server, again, with news, and through failures."""

import json
from copy import deepcopy

import pytest

from statuary.extensions.importing.sources import WebSource
from statuary.extensions.importing.status.import_status import import_status
from statuary.extensions.importing.status.statuspage import read_statuspage
from statuary.status.model.records import StatusSettings
from statuary.status.urls import INCIDENT
from support.json_server import serve_json
from support.status_site import status_documents
from support.statuspage_captures import NOW, captured_lines, read_status

PAGES = 6
LISTED = 50
"""The incidents that a list of Statuspage has."""


@pytest.fixture(params=[60, pytest.param(300, marks=pytest.mark.slow)])
def count(request):
    """How many incidents the page has."""
    return request.param


@pytest.fixture
def documents(count):
    """The documents of a page with real incidents, by path, as Statuspage serves them."""
    lines = captured_lines("github-incidents.first300.incident-pages.jsonl")[:count]
    page = max((line["page"] for line in lines), key=lambda one: one["updated_at"])
    components = {}
    for line in sorted(lines, key=lambda one: one["page"]["updated_at"]):
        components |= {one["id"]: one for one in line["incident"]["components"]}
    components = sorted(components.values(), key=lambda one: (one["position"], one["created_at"]))
    for position, component in enumerate(components, 1):
        component["position"] = position
    incidents = sorted((line["incident"] for line in lines), key=lambda one: one["created_at"], reverse=True)
    for incident in incidents:
        named = {one["id"] for one in incident["components"]}
        incident["components"] = [one for one in components if one["id"] in named]
    return documents_of(page, components, incidents)


def documents_of(page, components, incidents):
    status = {"indicator": "none", "description": "All Systems Operational"}
    documents = {
        "/api/v2/summary.json": {
            "page": page,
            "components": components,
            "incidents": [],
            "scheduled_maintenances": [],
            "status": status,
        },
        "/api/v2/incidents.json": {"page": page, "incidents": incidents[:LISTED]},
        "/api/v2/scheduled-maintenances.json": {"page": page, "scheduled_maintenances": []},
    }
    size = len(incidents) // PAGES
    for number in range(PAGES + 4):
        part = incidents[number * size : (number + 1) * size]
        listed = [{"code": one["id"], "name": one["name"], "impact": one["impact"]} for one in part]
        documents[f"/history.json?page={number + 1}"] = {"months": [{"name": "May", "incidents": listed}]}
    return documents | {f"/incidents/{one['id']}.json": {"page": page, "incident": one} for one in incidents}


def run_import(server, content):
    pauses = []
    done = import_status(read_statuspage, server.url, content, NOW, web=WebSource(wait=pauses.append))
    assert done.findings == ()
    return done.report, pauses


def assert_equal(content, documents, count):
    """Assert that the built documents equal those of the page."""
    catalogue = read_status(content)
    made = {one.path: json.loads(one.body) for one in status_documents(catalogue, NOW, StatusSettings())}
    for path in ("/api/v2/summary.json", "/api/v2/incidents.json", "/api/v2/scheduled-maintenances.json"):
        assert json.dumps(made[path[1:]]) == json.dumps(documents[path])
    compared = 0
    for path, document in documents.items():
        if path.startswith("/incidents/"):
            own = made[INCIDENT.path(incident_id=document["incident"]["id"])]
            # a closed incident's document no longer changes: its page and components are of its last change
            assert json.dumps(own["incident"] | {"components": []}) == json.dumps(
                document["incident"] | {"components": []}
            )
            assert [one["id"] for one in own["incident"]["components"]] == [
                one["id"] for one in document["incident"]["components"]
            ]
            compared += 1
    assert compared == count


def files(content):
    return {path.relative_to(content).as_posix(): path.read_text() for path in content.rglob("*.yaml")}


def test_second_statuspage_import_requests_new_records(tmp_path, documents, count):
    content = tmp_path / "content"
    with serve_json(documents) as server:
        report, _ = run_import(server, content)
        assert (len(report.added_paths), report.skipped, report.incomplete) == (count + 2, [], "")
        assert_equal(content, documents, count)
        assert len(server.requested) == len(set(server.requested)) == 3 + PAGES + 4 + count - LISTED

        before = files(content)
        server.requested.clear()
        report, _ = run_import(server, content)
        assert (report.added_paths, report.changed_paths, report.present_count, files(content)) == (
            [],
            [],
            count,
            before,
        )
        assert len(server.requested) == 3 + PAGES + 4

        newest = deepcopy(documents["/api/v2/incidents.json"]["incidents"][0])
        stamp = "2029-01-02T03:04:05.678Z"
        update = newest["incident_updates"][0] | {
            "id": "new",
            "body": "We publish what we learned.",
            "status": "postmortem",
        }
        newest["incident_updates"].insert(
            0, update | dict.fromkeys(("created_at", "updated_at", "display_at"), stamp)
        )
        newest |= {"status": "postmortem", "updated_at": stamp}
        for path in ("/api/v2/incidents.json", f"/incidents/{newest['id']}.json"):
            document = documents[path]
            document["page"]["updated_at"] = stamp
            documents[path] = document | {
                name: newest if name == "incident" else [newest, *document["incidents"][1:]]
                for name in ("incident", "incidents")
                if name in document
            }
        report, _ = run_import(server, content)
        assert sorted(report.changed_paths) == [f"incidents/{newest['id']}.yaml", "site.yaml"]
        after = files(content)
        assert {path for path in after if after[path] != before[path]} == set(report.changed_paths)
        assert_equal(content, documents, count)


def test_statuspage_import_keeps_author_edits(tmp_path, documents):
    content = tmp_path / "content"
    with serve_json(documents) as server:
        run_import(server, content)
        newest = documents["/api/v2/incidents.json"]["incidents"][0]
        file = content / f"incidents/{newest['id']}.yaml"
        text = "# see the runbook\n" + file.read_text().replace(f"name: {newest['name']}", "name: Our words")
        file.write_text(text)
        report, _ = run_import(server, content)

    assert (report.added_paths, report.changed_paths, file.read_text()) == ([], [], text)


@pytest.mark.parametrize(
    ("failure", "reason"),
    [(500, "returns 500"), ("cut", "bytes are missing"), ("html", "does not send JSON")],
)
def test_next_import_completes_interrupted_statuspage_import(tmp_path, documents, count, failure, reason):
    content = tmp_path / "content"
    last = documents[f"/history.json?page={PAGES}"]["months"][0]["incidents"]
    path, complete = f"/incidents/{last[7]['code']}.json", count - len(last) + 7
    with serve_json(documents) as server:
        server.failures[path] = [failure] * 4
        server.failures["/history.json?page=2"] = [429, 503, "cut"]
        report, pauses = run_import(server, content)
        assert reason in report.incomplete
        assert pauses[:3] == [1.0, 2.0, 4.0]
        assert len(files(content)) == 2 + complete
        server.requested.clear()
        server.failures.clear()
        report, _ = run_import(server, content)
        assert report.incomplete == ""
        assert len(server.requested) == 3 + PAGES + 4 + count - complete
        assert_equal(content, documents, count)
