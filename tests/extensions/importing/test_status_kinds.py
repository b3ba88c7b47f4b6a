"""Status pages of other systems: what comes into content, and that it is content without errors."""

import json
from pathlib import Path

import pytest

from statuary.extensions.importing.report import SkippedRecord
from statuary.extensions.importing.sources import WebSource
from statuary.extensions.importing.status.betterstack import read_betterstack
from statuary.extensions.importing.status.cachet import read_cachet
from statuary.extensions.importing.status.cstate import read_cstate
from statuary.extensions.importing.status.gatus import read_gatus
from statuary.extensions.importing.status.import_status import import_status
from statuary.extensions.importing.status.instatus import read_instatus
from statuary.extensions.importing.status.status_builder import ForeignUpdate, StatusBuilder
from statuary.extensions.importing.status.status_plan import ImportRequest
from statuary.extensions.importing.status.upptime import read_upptime
from support.json_server import serve_json
from support.statuspage_captures import instant_of, read_status

NOW = instant_of("2026-11-20T00:00:00Z")


def run_import(read, source, content):
    done = import_status(read, str(source), content, NOW, web=WebSource(wait=lambda _: None))
    assert done.findings == ()
    return done.report


def imported(tmp_path, read, source):
    """Import a source twice, and return the status side of the content and the report of the first time."""
    content = tmp_path / "content"
    report = run_import(read, source, content)
    before = {path: path.read_bytes() for path in content.rglob("*.yaml")}
    again = run_import(read, source, content)
    assert (again.added_paths, again.changed_paths) == ([], [])
    assert {path: path.read_bytes() for path in content.rglob("*.yaml")} == before
    return read_status(content), report


def saved(folder, **documents):
    folder.mkdir()
    for name, document in documents.items():
        is_text = isinstance(document, str)
        (folder / name.replace("__", ".")).write_text(document if is_text else json.dumps(document))
    return folder


def updates_of(record):
    return [
        (update.status, update.display_at.strftime("%m-%d %H:%M"), update.body) for update in record.updates
    ]


CSTATE_CONFIGURATION = """
title: Plinth Status
baseURL: https://status.plinth.example/
params:
  description: How Plinth is doing.
  categories: [{name: Network}, {name: Uncategorized, untitled: true}]
  systems:
    - {name: RPC, category: Network, description: "JSON-RPC\\n"}
    - {name: Website, category: Uncategorized}
"""

TRACKED = """---
title: Slow answers
date: 2026-05-01 10:00:00
resolved: true
resolvedWhen: 2026-05-01 12:00:00
severity: disrupted
affected:
  - RPC
  - Archive
section: issue
---
*Resolved* - All good, see [why](https://plinth.example). ({{< track "2026-05-01 12:00:00" >}})

**Monitoring**: A fix is in.
{{< track "2026-05-01 11:00:00" >}}

We are *looking* into it.{{< gone >}}
"""

FREE = """+++
title = "Old outage"
date = 2019-05-10T08:17:31.000Z
severity = "major-outage"
affectedsystems = ["Website"]
resolved = true
+++
The disk was full.
"""


def test_cstate_issues_are_imported(tmp_path):
    issues = tmp_path / "repository" / "content" / "issues"
    issues.mkdir(parents=True)
    (tmp_path / "repository" / "config.yml").write_text(CSTATE_CONFIGURATION)
    (issues / "2026-05-01-slow.md").write_text(TRACKED)
    (issues / "2019 old.md").write_text(FREE)
    (issues / "broken.md").write_text("---\ntitle: [\n---\nText")
    (tmp_path / "private.md").write_text("---\ntitle: private\n---\nText")
    (issues / "linked.md").symlink_to(tmp_path / "private.md")  # it leads out of the repository: not read

    status, report = imported(tmp_path, read_cstate, tmp_path / "repository")

    assert (status.page.name, status.page.url, status.page.about) == (
        "Plinth Status",
        "https://status.plinth.example",
        "How Plinth is doing.",
    )
    assert [(one.key, one.group, one.removed) for one in status.components] == [
        ("network", True, False),
        ("rpc", False, False),
        ("website", False, False),
        ("archive", False, True),
    ]
    old, slow = status.incidents
    assert (slow.id, slow.name) == ("2026-05-01-slow", "Slow answers")
    assert slow.opened_with == {"rpc": "partial_outage", "archive": "partial_outage"}
    assert updates_of(slow) == [
        ("investigating", "05-01 10:00", "We are *looking* into it."),
        ("monitoring", "05-01 11:00", "A fix is in."),
        ("resolved", "05-01 12:00", "All good, see [why](https://plinth.example)."),
    ]
    assert (old.id, old.opened_with) == ("2019-old", {"website": "major_outage"})
    assert [one[0] for one in updates_of(old)] == ["investigating", "resolved"]
    assert sorted(skipped.record for skipped in report.skipped) == ["2026-05-01-slow.md", "broken.md"]


ANNOUNCED = """

---
title: Wartung
date: 2026-11-10 08:00:00
severity: down
affected: [RPC]
section: issue
---
We work.
"""


def cstate(folder, configuration=CSTATE_CONFIGURATION, **issues):
    """Write a repository of cState."""
    saved(folder, config__yml=configuration)
    (folder / "content").mkdir()
    saved(folder / "content/issues", **{f"{name}__md": text for name, text in issues.items()})
    return folder


def test_cstate_systems_may_have_same_name(tmp_path):
    systems = "".join(f"    - {{name: API, category: {place}}}\n" for place in ("America", "Asia", "Europe"))
    configuration = f"title: Example\nparams:\n  systems:\n{systems}"
    issue = TRACKED.replace("  - RPC\n  - Archive", "  - API")
    status, report = imported(
        tmp_path, read_cstate, cstate(tmp_path / "repository", configuration, slow=issue)
    )
    assert [one.key for one in status.components if not one.group] == ["api", "api-2", "api-3"]
    (slow,) = status.incidents
    assert slow.opened_with == dict.fromkeys(("api", "api-2", "api-3"), "partial_outage")
    assert [skipped.record for skipped in report.skipped] == ["slow.md"]  # its shortcode


def test_cstate_issue_defaults_to_resolved(tmp_path):
    issues = {
        "silent": ANNOUNCED,
        "open": ANNOUNCED.replace("severity: down", "severity: disrupted\nresolved: false"),
        "ended": ANNOUNCED.replace("---\nWe", "resolved: true\nresolvedWhen: 2026-13-26T00:00:00\n---\nWe"),
        "nothing": "no front matter",
    }
    status, report = imported(tmp_path, read_cstate, cstate(tmp_path / "repository", **issues))

    assert {one.id: updates_of(one)[-1][0] for one in status.incidents} == {
        "ended": "resolved",
        "open": "investigating",
        "silent": "resolved",
    }
    assert dict(report.skipped) == {
        "ended.md": "has a resolvedWhen that is not a date: it ends with its latest update",
        "nothing.md": "an issue has no front matter",
    }
    assert report.compared == [
        "compared with the source:",
        "    name: Plinth Status in both",
        "    open incidents: 1 in both",
        "    components with the same status: 2 in both",
        "    records of no date: 1 there, 0 here: not imported: nothing",
        "    records of 2026: 3 in both",
    ]


def test_cstate_language_and_names_are_imported(tmp_path):
    configuration = CSTATE_CONFIGURATION.replace(
        "https://status.plinth.example/", "http://localhost:63342/cstate/\nlanguageCode: de-DE"
    ).replace("{name: Website,", "{name: Website, displayName: Webseite,")
    status, report = imported(
        tmp_path, read_cstate, cstate(tmp_path / "repository", configuration, a=ANNOUNCED)
    )

    assert (tmp_path / "content/site.yaml").read_text().endswith("pages:\n  language: de\n")
    assert status.page.url == "https://status.example.org"
    assert (
        "the source has the URL http://localhost:63342/cstate, which readers cannot open" in report.notes[0]
    )
    assert "Webseite" in [component.name for component in status.components]
    assert "    language: de in both" in report.compared

    italian = configuration.replace("de-DE", "it")
    report = run_import(read_cstate, cstate(tmp_path / "italian", italian, a=ANNOUNCED), tmp_path / "other")
    (line,) = (line for line in report.compared if "language" in line)
    assert line.startswith("    language: it there, en here: pages have texts in de, en, es, fr, ja, pt, zh;")


def test_cstate_future_issue_is_reported_unpublished(tmp_path):
    later = ANNOUNCED.replace("2026-11-10", "2026-11-21").replace("severity", "resolved: false\nseverity")
    _, report = imported(tmp_path, read_cstate, cstate(tmp_path / "repository", later=later))
    assert report.compared[2:5] == [
        "    open incidents: 1 there, 0 here: only there: Wartung (published here at 2026-11-21T08:00:00Z)",
        "    components with the same status: 2 there, 1 here: the next lines say which",
        "    status of rpc: major_outage there, operational here: no open incident here says so; `statuary component set` does",
    ]


def test_cstate_resolved_issue_restores_systems(tmp_path):
    over = ANNOUNCED.replace("We work.", "*Resolved* - It was the disk.").replace(
        "section", "resolved: true\nsection"
    )
    _, report = imported(tmp_path, read_cstate, cstate(tmp_path / "repository", over=over))
    assert "    components with the same status: 2 in both" in report.compared


def test_cstate_reopening_and_postmortem_are_imported(tmp_path):
    front = "---\ntitle: Again\ndate: 2026-05-01 09:00:00\nresolved: true\nresolvedWhen: 2026-05-01 10:00:00\n---\n"
    reopened = """
**Disks & racks**: Back. {{< track "2026-05-01 12:00:00" >}}

**Reopened**: No. {{< track "2026-05-01 11:00:00" >}}

**Resolved**: Fine. {{< track "2026-05-01 10:00:00" >}}
"""
    explained = """
*Post-mortem*

A disk.

---

*Update* - Looks fixed. {{< track "2026-05-01 10:00:00" >}}

*Investigating* - We look. {{< track "2026-05-01 09:00:00" >}}
"""
    folder = saved(tmp_path / "issues", a__md=front + reopened)
    (folder / "b.md").write_text(front + explained)
    (folder / "config.yml").write_text("title: Plinth\n")

    status, report = imported(tmp_path, read_cstate, folder)

    first, second = status.incidents
    assert [(one.status, one.reopens) for one in first.updates] == [
        ("resolved", False),
        ("investigating", True),
        ("investigating", False),
        ("resolved", False),
    ]
    assert updates_of(second) == [
        ("investigating", "05-01 09:00", "We look."),
        ("resolved", "05-01 10:00", "Looks fixed."),
        ("postmortem", "05-01 10:00", "A disk."),
    ]
    assert report.skipped == []


UPPTIME = """
owner: plinth
repo: status
sites:
  - name: Block Explorer
    url: https://explorer.plinth.example
status-website:
  cname: status.plinth.example
  name: Plinth
"""
ISSUES = [
    {
        "number": 12,
        "title": "🛑 Block Explorer is down",
        "body": "In `abc`, Block Explorer was **down**:\n- HTTP code: 0",
        "created_at": "2026-03-01T10:00:00Z",
        "closed_at": "2026-03-01T10:31:00Z",
        "labels": [{"name": "status"}, {"name": "block-explorer"}],
        "comments": 1,
    },
    {
        "number": 13,
        "title": "New disks",
        "body": "<!--\nstart: 2026-04-02T10:00:00Z\nend: 2026-04-02T11:00:00Z\nexpectedDown: block-explorer\n-->\nWe add disks.",
        "created_at": "2026-04-01T10:00:00Z",
        "labels": [{"name": "maintenance"}],
    },
    {"number": 14, "title": "A question", "created_at": "2026-04-01T10:00:00Z", "labels": []},
    {
        "number": 15,
        "title": "No window",
        "created_at": "2026-04-01T10:00:00Z",
        "labels": [{"name": "maintenance"}],
    },
]
COMMENTS = [
    {
        "id": 7,
        "issue_url": "https://api.github.com/repos/plinth/status/issues/12",
        "created_at": "2026-03-01T10:30:00Z",
        "body": "**Resolved:** Block Explorer is back up.",
    }
]


def assert_upptime(status, report):
    assert status.page.url == "https://status.plinth.example"
    assert [one.name for one in status.components] == ["Block Explorer"]
    [incident], [maintenance] = status.incidents, status.maintenances
    assert (incident.id, incident.name) == ("issue-12", "Block Explorer is down")
    assert incident.opened_with == {"block-explorer": "major_outage"}
    assert [one[:2] for one in updates_of(incident)] == [
        ("investigating", "03-01 10:00"),
        ("resolved", "03-01 10:30"),
    ]
    assert (maintenance.components, maintenance.body) == (("block-explorer",), "We add disks.")
    assert [skipped.record for skipped in report.skipped] == ["15"]


def test_upptime_checkout_is_imported(tmp_path):
    folder = saved(
        tmp_path / "checkout", issues__json=ISSUES, comments__json=COMMENTS, __upptimerc__yml=UPPTIME
    )

    assert_upptime(*imported(tmp_path, read_upptime, folder))


def test_upptime_api_is_imported(tmp_path):
    from base64 import b64encode

    base = "/repos/plinth/status"
    many = [*ISSUES, *({"number": 100 + number, "title": "x", "labels": []} for number in range(96))]
    documents = {
        f"{base}/contents/.upptimerc.yml": {"content": b64encode(UPPTIME.encode()).decode()},
        f"{base}/issues?state=all&per_page=100&page=1": many,
        f"{base}/issues?state=all&per_page=100&page=2": [],
        f"{base}/issues/comments?per_page=100&page=1": COMMENTS,
    }
    with serve_json(documents) as server:
        assert_upptime(*imported(tmp_path, read_upptime, server.url + base))


def test_upptime_slugs_match_component_names(tmp_path):
    names = ["MySQL docs", "GitHub", "Q&A", "API2 HTTPServer", "Café"]
    slugs = ["my-sql-docs", "git-hub", "q-and-a", "api-2-http-server", "cafe"]
    root = saved(
        tmp_path / "source", __upptimerc__yml="sites:\n" + "".join(f"- name: {name}\n" for name in names)
    )
    measured = [{"slug": slug, "status": "up", "uptime": "100%"} for slug in slugs]
    measured[1]["status"] = "down"
    saved(root / "history", summary__json=measured)
    status, report = imported(tmp_path, read_upptime, root)
    assert [component.name for component in status.components] == names
    assert report.compared[2:] == [
        "    components with the same status: 5 there, 4 here: the next lines say which",
        "    status of github: major_outage there, operational here: no open incident here says so; `statuary component set` does",
    ]


def test_gatus_endpoints_and_suites_are_imported(tmp_path):
    configuration = """
    external-endpoints: [{name: backup, group: nightly, token: secret}]
    suites: [{name: order, group: shop, endpoints: [{name: pay}]}]
    """
    source = saved(tmp_path / "source", config__yaml=configuration)
    status, _ = imported(tmp_path, read_gatus, source)
    assert [(one.key, one.group) for one in status.components] == [
        ("nightly", True),
        ("backup", False),
        ("shop", True),
        ("order", False),
    ]


def test_gatus_configuration_is_imported(tmp_path):
    configuration = """
ui: {header: Plinth, link: "https://status.plinth.example"}
endpoints:
  - {name: rpc, group: network, url: "https://rpc.plinth.example"}
  - {name: site, url: "https://plinth.example"}
announcements:
  - {timestamp: 2026-05-01T10:00:00Z, type: outage, message: "RPC is down. We look into it."}
  - {timestamp: 2026-05-01T12:00:00Z, type: operational, message: "RPC is back"}
  - {timestamp: 2026-04-01T12:00:00Z, type: warning, message: "**Slow** blocks", archived: true}
  - {type: warning, message: "When?"}
maintenance: {start: "23:00", duration: 1h}
"""
    status, report = imported(tmp_path, read_gatus, saved(tmp_path / "gatus", config__yaml=configuration))

    assert [(one.name, one.group) for one in status.components] == [
        ("network", True),
        ("rpc", False),
        ("site", False),
    ]
    assert {(one.name, one.updates[0].status) for one in status.incidents} == {
        ("RPC is down", "investigating"),
        ("RPC is back", "resolved"),
        ("**Slow** blocks", "resolved"),
    }
    assert len(report.skipped) == 2


INSTATUS_COMPONENTS = [
    {"id": "c1", "name": "RPC", "status": "OPERATIONAL", "order": 0, "group": {"id": "g", "name": "Network"}},
    {"id": "c2", "name": "Site", "status": "DEGRADEDPERFORMANCE", "order": 1, "group": None},
]
INSTATUS_INCIDENTS = [
    {
        "id": "i1",
        "name": "RPC is going down",
        "started": "2026-05-01T10:00:00.000Z",
        "status": "RESOLVED",
        "components": [{"id": "c1", "name": "RPC"}],
        "updates": [
            {"id": "u2", "message": "Done.", "status": "RESOLVED", "started": "2026-05-01T11:00:00.000Z"},
            {
                "id": "u1",
                "message": "We look.",
                "status": "INVESTIGATING",
                "started": "2026-05-01T10:00:00.000Z",
            },
        ],
    }
]
INSTATUS_MAINTENANCES = [
    {
        "id": "m1",
        "name": "Database",
        "start": "Sat Jun 13 2026 18:55:54 GMT+0000 (Coordinated Universal Time)",
        "status": "NOTSTARTEDYET",
        "duration": "60",
        "url": "https://plinth.instatus.com/maintenance/m1",
    },
    {"id": "m2", "name": "Endless", "start": "2026-06-11T18:00:00Z", "duration": "long"},
]


def assert_instatus(status, report):
    assert [(one.name, one.group_id) for one in status.components if not one.group] == [
        ("RPC", "network"),
        ("Site", None),
    ]
    assert updates_of(status.incidents[0]) == [
        ("investigating", "05-01 10:00", "We look."),
        ("resolved", "05-01 11:00", "Done."),
    ]
    assert [update.id for update in status.incidents[0].updates] == ["u1", "u2"]
    [maintenance] = status.maintenances
    window = maintenance.scheduled_until - maintenance.scheduled_for
    assert (maintenance.id, window.total_seconds()) == ("m1", 3600)
    assert [skipped.record for skipped in report.skipped] == ["m2"]


def test_instatus_api_with_key_is_imported(tmp_path):
    documents = {
        "/v1/p1/components": INSTATUS_COMPONENTS,
        "/v1/p1/incidents": INSTATUS_INCIDENTS,
        "/v1/p1/maintenances": INSTATUS_MAINTENANCES,
    }
    with serve_json(documents) as server:
        assert_instatus(*imported(tmp_path, read_instatus, f"{server.url}/v1/p1"))


def test_instatus_saved_files_are_imported(tmp_path):
    folder = saved(
        tmp_path / "saved",
        a__json=INSTATUS_COMPONENTS,
        b__json=INSTATUS_INCIDENTS,
        c__json=INSTATUS_MAINTENANCES,
    )

    assert_instatus(*imported(tmp_path, read_instatus, folder))


def test_instatus_public_summary_is_imported(tmp_path):
    active = {
        "page": {"name": "Plinth", "url": "https://status.plinth.example", "status": "HASISSUES"},
        "activeIncidents": [
            {
                "name": "API errors",
                "started": "Sat Jun 11 2022 18:55:50 GMT+0000 (Coordinated Universal Time)",
                "status": "INVESTIGATING",
                "impact": "MAJOROUTAGE",
                "url": "https://status.plinth.example/incident/cl4a8n3",
            }
        ],
    }
    with serve_json({"/summary.json": active}) as server:
        status, report = imported(tmp_path, read_instatus, server.url)

    assert [(one.id, one.name) for one in status.incidents] == [("cl4a8n3", "API errors")]
    assert "public only while it is active" in report.skipped[0].reason


def json_api(kind, ident, **attributes):
    return {"id": ident, "type": kind, "attributes": attributes}


BETTERSTACK = {
    "data": json_api("status_page", "1", company_name="Plinth", custom_domain="status.plinth.example"),
    "included": [
        json_api("status_page_resource", "10", public_name="RPC", position=0, status="degraded"),
        json_api("status_page_resource", "11", public_name="Site", position=1, status="operational"),
        json_api(
            "status_report",
            "20",
            title="Slow RPC",
            report_type="manual",
            starts_at="2026-05-01T10:00:00Z",
            ends_at="2026-05-01T12:00:00Z",
            affected_resources=[{"status_page_resource_id": "10", "status": "degraded"}],
        )
        | {"relationships": {"status_updates": {"data": [{"id": "30", "type": "status_update"}]}}},
        json_api("status_update", "30", message="We look.", published_at="2026-05-01T10:05:00Z"),
        json_api(
            "status_report",
            "21",
            title="Disks",
            report_type="maintenance",
            starts_at="2026-12-01T10:00:00Z",
            ends_at="2026-12-01T12:00:00Z",
            affected_resources=[{"status_page_resource_id": "11", "status": "maintenance"}],
        ),
        json_api("status_report", "22", report_type="manual", starts_at="2026-05-01T10:00:00Z"),
    ],
}


def test_betterstack_page_is_imported(tmp_path):
    with serve_json({"/index.json": BETTERSTACK}) as server:
        status, report = imported(tmp_path, read_betterstack, server.url)

    assert status.page.url == "https://status.plinth.example"
    [incident], [maintenance] = status.incidents, status.maintenances
    assert incident.opened_with == {"rpc": "degraded_performance"}
    assert updates_of(incident) == [
        ("investigating", "05-01 10:05", "We look."),
        ("resolved", "05-01 12:00", "This incident has been resolved."),
    ]
    assert (maintenance.id, maintenance.components) == ("21", ("site",))
    assert [skipped.record for skipped in report.skipped] == ["22"]


def test_cachet_2_api_is_imported(tmp_path):
    def listed(data, following=None):
        return {"meta": {"pagination": {"links": {"next_page": following}}}, "data": data}

    stamps = {"created_at": "2026-05-01 10:00:00", "updated_at": "2026-05-01 12:00:00"}
    incident = {
        "component_id": 1,
        "status": 4,
        "visible": 1,
        "message": "Slow.",
        "occurred_at": "2026-05-01 10:00:00",
    } | stamps
    update = {
        "id": 1,
        "incident_id": 1,
        "status": 2,
        "message": "A disk.",
        "created_at": "2026-05-01 11:00:00",
    }
    schedule = {
        "id": 1,
        "name": "Disks",
        "message": "New ones.",
        "status": 0,
        "scheduled_at": "2026-12-01 10:00:00",
    }
    with serve_json({}) as server:
        following = f"{server.url}/api/v1/incidents?page=2"
        component = {
            "id": 1,
            "name": "RPC",
            "link": "",
            "status": 2,
            "order": 0,
            "group_id": 1,
            "enabled": True,
        }
        server.documents.update({
            "/api/v1/components/groups?per_page=100": listed([{"id": 1, "name": "Network", "order": 0, "collapsed": 0}]),
            "/api/v1/components?per_page=100": listed([component]),
            "/api/v1/incidents?per_page=100&include=components,updates": listed(
                [{"id": 1, "name": "Slow RPC", "updates": [update]} | incident], following
            ),
            "/api/v1/incidents?per_page=100": listed([{"id": 1, "name": "Slow RPC", "updates": [update]} | incident], following),
            "/api/v1/incidents?page=2": listed([{"id": 2, "name": "Hidden"} | incident | {"visible": 0}]),
            "/api/v1/schedules?per_page=100": listed([schedule]),
        })  # fmt: skip
        status, report = imported(tmp_path, read_cachet, server.url)

    assert [(one.name, one.group_id) for one in status.components] == [("Network", None), ("RPC", "network")]
    [incident], [maintenance] = status.incidents, status.maintenances
    assert updates_of(incident) == [
        ("investigating", "05-01 10:00", "Slow."),
        ("identified", "05-01 11:00", "A disk."),
        ("resolved", "05-01 12:00", "This incident has been resolved."),
    ]
    assert (incident.components, maintenance.body) == (("rpc",), "New ones.")
    assert sorted(skipped.reason for skipped in report.skipped) == [
        "an incident is not public",
        "is a maintenance that has no end time; one hour is assumed",
    ]


def test_cachet_3_api_is_imported(tmp_path):
    at = {"human": "ago", "string": "2026-05-01 10:00:00"}
    attributes = {
        "id": 1,
        "name": "DNS",
        "message": "We look.",
        "visible": 1,
        "status": {"human": "Investigating", "value": 1},
        "occurred": at,
        "created": at,
        "updated": at,
    }
    incident = {"id": "1", "type": "incidents", "attributes": attributes} | {
        "relationships": {"components": {"data": [{"type": "components", "id": "5"}]}}
    }
    component = json_api(
        "components", "5", id=5, name="DNS", link=None, order=0, status={"human": "Up", "value": 1}
    )
    documents = {
        "/api/components?per_page=100": {"data": [component], "links": {}},
        "/api/component-groups?per_page=100": {"data": []},
        "/api/incidents?per_page=100&include=components,updates": {
            "data": [incident],
            "included": [component],
        },
    }
    with serve_json(documents) as server:
        status, report = imported(tmp_path, read_cachet, server.url)

    assert report.skipped == []
    assert updates_of(status.incidents[0]) == [("investigating", "05-01 10:00", "We look.")]
    assert status.incidents[0].components == ("dns",)


def test_status_import_keeps_author_edits(tmp_path):
    issue = Path(tmp_path / "issue.md")
    issue.write_text(TRACKED)
    run_import(read_cstate, issue, tmp_path / "content")
    file = tmp_path / "content" / "incidents" / "issue.yaml"
    file.write_text("# ours\n" + file.read_text())
    postmortem = '*Postmortem* - What we learned. {{< track "2026-05-02 09:00:00" >}}\n\n*Resolved*'
    issue.write_text(TRACKED.replace("*Resolved*", postmortem))

    report = run_import(read_cstate, issue, tmp_path / "content")

    assert report.changed_paths == ["incidents/issue.yaml"]
    assert file.read_text().startswith("# ours\n")
    assert "status: postmortem\n    body: What we learned." in file.read_text()


@pytest.mark.parametrize(
    "read", [read_cstate, read_upptime, read_gatus, read_instatus, read_betterstack, read_cachet]
)
def test_status_import_from_empty_source_fails(tmp_path, read):
    from statuary.extensions.importing.report import NotImportableError

    with pytest.raises(NotImportableError):
        run_import(read, tmp_path / "nothing", tmp_path / "content")
    assert not (tmp_path / "content").exists()


def test_imported_duplicate_ids_are_reported():
    """The first one is imported; a record that a source lists again is no other."""
    builder = StatusBuilder(ImportRequest("", WebSource(), (), {}, NOW))
    update = ForeignUpdate("2026-11-02T10:00:00Z", "investigating", "x")
    window = ("2026-11-02T10:00:00Z", "2026-11-02T11:00:00Z")

    def add(record):
        name = record.required_text("name")
        if name == "Works":
            builder.add_maintenance("7", name, window)
        else:
            builder.add_incident("7", name, [update], {})

    builder.convert_records(
        [{"name": name} for name in ("First", "Second", "First", "Works")], add, "an incident"
    )
    assert [record["name"] for record in builder.plan.incidents.values()] == ["First"]
    assert not builder.plan.maintenances
    reason = "an incident named {!r} has the id '7' of another record, 'First', which was imported"
    assert builder.plan.skipped == [SkippedRecord(name, reason.format(name)) for name in ("Second", "Works")]
