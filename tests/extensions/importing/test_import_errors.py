"""Broken inputs of `statuary import`: each gets a message that says what is wrong, and the content stays as it is."""

import json

import pytest
from click.testing import CliRunner

from statuary.cli.main import command as statuary

PAGE = {"id": "p1", "name": "Plinth", "url": "https://status.plinth.example", "time_zone": "Etc/UTC"}
COMPONENT = {
    "id": "c1",
    "name": "RPC",
    "status": "operational",
    "position": 1,
    "group_id": None,
    "group": False,
}
UPDATE = {"id": "u1", "status": "investigating", "body": "We look.", "display_at": "2026-05-01T10:00:00Z"}
INCIDENT = {
    "id": "i1",
    "name": "Slow",
    "status": "investigating",
    "incident_updates": [UPDATE],
    "components": [],
}
MAINTENANCE = INCIDENT | {"id": "m1", "status": "scheduled", "scheduled_for": "2026-12-01T10:00:00Z"}


def page(**members):
    return json.dumps({"page": PAGE, **members})


def incident(**members):
    return page(incidents=[INCIDENT | members])


def update(**members):
    return incident(incident_updates=[UPDATE | members])


ISSUE = "---\ntitle: Slow\ndate: {date}\nseverity: down\n---\nText"

CASES = {
    "a file that is missing": ("statuspage", "missing", None, "there is no "),
    "a file that is cut off": ("statuspage", "a.json", page()[:-3], "is not JSON"),
    "a web page in place of JSON": ("statuspage", "a.json", "<!DOCTYPE html>", "is not JSON"),
    "a list": ("statuspage", "a.json", "[1]", "has no documents of a Statuspage page"),
    "a document without a page": (
        "statuspage",
        "a.json",
        '{"incidents": []}',
        "has no documents of a Statuspage page",
    ),
    "incidents that are no list": (
        "statuspage",
        "a.json",
        page(incidents={"a": 1}),
        "'incidents' is not a list",
    ),
    "a component without an id": ("statuspage", "a.json", page(components=[{"name": "RPC"}]), "has no 'id'"),
    "a component without a name": (
        "statuspage",
        "a.json",
        page(components=[COMPONENT | {"name": ""}]),
        "has no 'name'",
    ),
    "a component with an unknown status": (
        "statuspage",
        "a.json",
        page(components=[COMPONENT | {"id": "c9", "status": "sleepy", "updated_at": "2026-05-01T10:00:00Z"}]),
        "sleepy",
    ),
    "an incident without updates": (
        "statuspage",
        "a.json",
        incident(incident_updates=[]),
        "an incident has no update",
    ),
    "an incident whose id is a path": (
        "statuspage",
        "a.json",
        incident(id="../../etc/passwd"),
        "an id that cannot be a file name",
    ),
    "an update with an unknown status": ("statuspage", "a.json", update(status="sleeping"), "'sleeping'"),
    "an update without a date": (
        "statuspage",
        "a.json",
        update(display_at=None),
        "has no 'display_at' or 'created_at'",
    ),
    "an update with a wrong date": (
        "statuspage",
        "a.json",
        update(display_at="2026-13-01"),
        "'display_at' is not a date and time",
    ),
    "an update that is too long": ("statuspage", "a.json", update(body="x" * 25_001), "25,001 characters"),
    "a maintenance without an end": (
        "statuspage",
        "a.json",
        page(scheduled_maintenances=[MAINTENANCE]),
        "a maintenance has no 'scheduled_until'",
    ),
    "a folder that is no repository of cState": ("cstate", "", None, "has no config.yml"),
    "an issue without front matter": ("cstate", "a.md", "Just text", "an issue has no front matter"),
    "an issue with a wrong date": (
        "cstate",
        "a.md",
        ISSUE.format(date="soon"),
        "'date' is not a date: 'soon'",
    ),
    "an issue with broken YAML": ("cstate", "a.md", "---\ntitle: [\n---\n", "line 2: not YAML: "),
    "an issue that is not UTF-8": ("cstate", "a.md", b"---\ntitle: \xff\n---\n", "is not UTF-8"),
    "settings of Upptime with a tab": (
        "upptime",
        ".upptimerc.yml",
        "sites:\n\t- name: x",
        ".upptimerc.yml, line 2: not YAML",
    ),
    "an endpoint without a name": (
        "gatus",
        "config.yaml",
        "endpoints: [{url: x}]\n",
        "an endpoint has no 'name'",
    ),
    "a configuration of something else": (
        "gatus",
        "config.yaml",
        "services: []\n",
        "is neither a configuration nor a page of Gatus",
    ),
    "a window without a length": (
        "instatus",
        "a.json",
        '[{"id": "m", "name": "Disks", "start": "2026-12-01T10:00:00Z", "duration": "long"}]',
        "duration that is not a number of minutes",
    ),
    "a page of another system": ("betterstack", "a.json", page(), "is not a Better Stack page"),
    "an empty list": ("cachet", "a.json", '{"data": []}', "has no Cachet page and no saved lists"),
}


def test_status_import_error_cases_exceed_twenty():
    assert len(CASES) >= 20


@pytest.mark.parametrize("case", CASES)
def test_status_import_error_leaves_content_unchanged(tmp_path, case):
    kind, name, text, message = CASES[case]
    content, source = tmp_path / "content", tmp_path / "source"
    content.mkdir()
    (content / "site.yaml").write_text(f"page: {{name: Plinth, id: p1, url: '{PAGE['url']}'}} # ours\n")
    (content / "components.yaml").write_text("components:\n  rpc: {name: RPC, id: c1}\n")
    before = {path: path.read_bytes() for path in content.rglob("*")}
    source.mkdir()
    if text is not None:
        (source / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    # a folder, or what looks like one: an issue by itself, and a file that does not exist
    where = source / name if text is None or name.endswith(".md") else source
    command = ["import", kind, str(where), "--content", str(content), "--now", "2026-11-20T00:00:00Z"]
    result = CliRunner().invoke(statuary, command)

    assert result.exit_code in (1, 3)
    assert message in result.output
    assert "Traceback" not in result.output
    files = [path for path in tmp_path.rglob("*") if path.is_file() and source not in path.parents]
    assert {path: path.read_bytes() for path in files} == before
