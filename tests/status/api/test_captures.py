"""Documents made from real captures equal the captures: every member, in key order and array order."""

import json

import pytest

from statuary.status.model.records import StatusSettings
from support.status_site import status_documents
from support.statuspage_captures import NOW, capture, captured_lines, read_status, write_content

SUMMARIES = (
    "linuxfabrik-minor-cloudflare-with-maintenances.summary.json",
    "linuxfabrik-major-asana.summary.json",
    "linuxfabrik-minor-bexio.summary.json",
    "crazymax-github-data-summary.json",
    "crazymax-github-data-summary-2.json",
)
"""Whole captures, nothing trimmed."""

STITCHED = "crazymax-github-data-summary.json"
"""A fixture of another project, put together from two dates: all its components are operational, and its status
is of a time when they were not. Every one of 10,172 real summaries of the same page follows its components."""


def documents_of(folder, at=NOW):
    return {
        document.path: json.loads(document.body) for document in status_documents(read_status(folder), at)
    }


def with_today_s_members(summary):
    """Return a capture with the one member that today's components have and old ones may lack.

    In the GitHub capture of 2020 the component inside the incident has no `start_date`, and the same
    component at the top has it as null: Statuspage added the member while the capture was made.
    """
    for record in (*summary["incidents"], *summary["scheduled_maintenances"]):
        record["components"] = [
            {key: component.get(key) for key in summary["components"][0] if key != "components"}
            for component in record["components"]
        ]
    return summary


def written(tmp_path, summary):
    write_content(
        tmp_path,
        summary["page"],
        summary["components"],
        summary["incidents"],
        summary["scheduled_maintenances"],
    )
    return documents_of(tmp_path)


def ordered(value):
    """Return a JSON text, which shows the order of members and their values."""
    return json.dumps(value, indent=1, ensure_ascii=False)


@pytest.mark.parametrize("name", SUMMARIES)
def test_summary_and_components_match_statuspage_capture(tmp_path, name):
    summary = with_today_s_members(capture(name))
    documents = written(tmp_path, summary)

    if name == STITCHED:
        summary |= {"status": {"indicator": "none", "description": "All Systems Operational"}}
        summary["page"]["updated_at"] = "2020-09-17T16:30:28.895Z"
    assert ordered(documents["api/v2/summary.json"]) == ordered(summary)
    assert ordered(documents["api/v2/components.json"]) == ordered(
        {"page": summary["page"], "components": summary["components"]}
    )
    assert ordered(documents["api/v2/status.json"]) == ordered(
        {"page": summary["page"], "status": summary["status"]}
    )


@pytest.mark.parametrize(
    "name",
    ["linuxfabrik-minor-cloudflare-with-maintenances.summary.json", "linuxfabrik-minor-bexio.summary.json"],
)
def test_impact_follows_affected_components(tmp_path, name):
    summary = capture(name)
    write_content(tmp_path, summary["page"], summary["components"], summary["incidents"])
    for incident in (tmp_path / "incidents").iterdir():
        text = incident.read_text("utf-8")
        assert "impact_override: " in text
        incident.write_text("".join(line for line in text.splitlines(True) if "impact_override" not in line))

    incidents = documents_of(tmp_path)["api/v2/incidents/unresolved.json"]["incidents"]

    assert incidents
    assert [one["impact"] for one in incidents] == [one["impact"] for one in summary["incidents"]]


@pytest.mark.parametrize("name", ["discord-2022.summary.json", "huobi-spot.summary.json"])
def test_trimmed_statuspage_capture_has_same_status(tmp_path, name):
    """Captures cut short for a sample: a component that an incident names is put back beside the others.

    The HashiCorp capture is left out: a clone on another vendor's system, whose description (`Partial System
    Degradation`, all components operational) Statuspage never gives.
    """
    summary = capture(name)
    documents = written(tmp_path, summary)

    if name.startswith("huobi"):
        # an example of its documentation, whose incident is four days later than the page
        summary["page"]["updated_at"] = "2020-02-11T03:16:31.530Z"
    assert documents["api/v2/status.json"] == {"page": summary["page"], "status": summary["status"]}


@pytest.mark.slow
def test_incident_pages_match_github_status_captures(tmp_path):
    """All 300 of GitHub's, as an object of the list of incidents and as a separate page.

    The object in the list equals the real one in every member. The page differs in what it says of the
    present: a closed incident's page no longer changes, so `page.updated_at` and its components' `status` and
    `updated_at` are those of the incident's last change, where Statuspage serves those of the request.
    """
    pages = captured_lines("github-incidents.first300.incident-pages.jsonl")
    by_request = {}
    for page in pages:
        by_request.setdefault(page["page"]["updated_at"], []).append(page)
    compared = 0
    for number, (_, together) in enumerate(by_request.items()):
        folder = tmp_path / str(number)
        components = {
            component["id"]: component for page in together for component in page["incident"]["components"]
        }
        incidents = [page["incident"] for page in together]
        write_content(folder, together[0]["page"], components.values(), incidents)
        documents = {
            document.path: json.loads(document.body)
            for document in status_documents(read_status(folder), NOW, StatusSettings(cap=0))
        }
        listed = {one["id"]: one for one in documents["api/v2/incidents.json"]["incidents"]}
        assert documents["api/v2/incidents.json"]["page"] == together[0]["page"]
        for page in together:
            incident_id = page["incident"]["id"]
            assert ordered(listed[incident_id]) == ordered(page["incident"])
            own = documents[f"incidents/{incident_id}.json"]
            assert ordered(standing_still(own)) == ordered(standing_still(page))
            compared += 1
    assert compared == 300


def standing_still(page):
    """Return an incident page without what it says of the present."""
    incident = page["incident"]
    components = [
        {key: value for key, value in component.items() if key not in ("status", "updated_at")}
        for component in incident["components"]
    ]
    head = {key: value for key, value in page["page"].items() if key != "updated_at"}
    return {"page": head, "incident": incident | {"components": components}}
