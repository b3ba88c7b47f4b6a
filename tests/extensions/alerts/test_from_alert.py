"""`statuary incident from-alert`: what alerts write into the content."""

import json
from contextlib import chdir

import pytest
import yaml
from click.testing import CliRunner

from statuary.cli.main import command
from support.alert_payloads import HOSTILE, alert, group, pagerduty
from support.sites import write_files

SITE = """\
page:
  name: Demo
  url: https://status.example.org
  created_at: 2020-01-01T00:00:00Z
alerts:
  rules:
    - labels: {service: rpc}
      component: rpc
      status: partial_outage
"""

COMPONENTS = "components:\n  rpc: {name: Public RPC}\n  explorer: {name: Explorer}\n"


@pytest.fixture
def folder(tmp_path):
    return write_files(tmp_path, {"content/site.yaml": SITE, "content/components.yaml": COMPONENTS})


def run(folder, value, *options, code=0, now="2026-11-02T10:00:00Z"):
    payload = value if isinstance(value, bytes) else json.dumps(value).encode()
    with chdir(folder):
        done = CliRunner().invoke(command, ["incident", "from-alert", "--now", now, *options], input=payload)
    said = done.stdout + done.stderr
    assert done.exit_code == code, said
    assert "Traceback" not in said
    return said


def incidents(folder):
    return {
        file.stem: yaml.safe_load(file.read_text("utf-8"))
        for file in sorted((folder / "content").glob("incidents/*"), key=lambda file: file.stem)
    }


def test_alert_opens_draft_incident(folder):
    said = run(folder, group())
    assert "Open incident as a draft: The RPC does not answer" in said
    ((name, incident),) = incidents(folder).items()
    assert name == "2026-11-02-the-rpc-does-not-answer"
    assert incident["draft"] is True
    assert incident["components"] == {"rpc": "partial_outage"}
    assert [update["status"] for update in incident["updates"]] == ["investigating"]
    assert str(incident["started_at"]).startswith("2026-11-02 09:58:12")


def test_alert_rules_are_read_from_json(folder):
    for name in ("site", "components"):
        file = folder / f"content/{name}.yaml"
        settings = yaml.load(file.read_text("utf-8"), yaml.BaseLoader)
        file.with_suffix(".json").write_text(json.dumps(settings), "utf-8")
        file.unlink()
    run(folder, group())
    ((_, incident),) = incidents(folder).items()
    assert incident["components"] == {"rpc": "partial_outage"}


def test_repeated_alert_changes_nothing(folder):
    run(folder, group())
    before = incidents(folder)
    assert "is open already" in run(folder, group(alert(), alert(host="b")), now="2026-11-02T10:05:00Z")
    assert incidents(folder) == before


def test_resolved_alert_resolves_incident_once(folder):
    run(folder, group())
    run(folder, group(alert("resolved")), now="2026-11-02T10:30:00Z")
    (incident,) = incidents(folder).values()
    assert [update["status"] for update in incident["updates"]] == ["investigating", "resolved"]
    assert "the alert has ended, and it has no open incident" in run(folder, group(alert("resolved")))
    assert list(incidents(folder).values()) == [incident]


def test_partly_resolved_group_keeps_incident_open(folder):
    run(folder, group(alert(), alert(host="b")))
    said = run(folder, group(alert("resolved"), alert(host="b")), now="2026-11-02T10:30:00Z")
    assert "is open already" in said


def test_truncated_firing_group_keeps_incident_open(folder):
    run(folder, group(truncatedAlerts=19_999))
    before = incidents(folder)
    said = run(folder, group(alert("resolved"), truncatedAlerts=3), now="2026-11-02T10:30:00Z")
    assert "the payload has only some of the alerts, and the group still fires" in said
    assert incidents(folder) == before
    run(folder, group(alert("resolved"), status="resolved", truncatedAlerts=3), now="2026-11-02T10:40:00Z")
    (incident,) = incidents(folder).values()
    assert incident["updates"][-1]["status"] == "resolved"


def test_alert_firing_again_opens_new_incident(folder):
    run(folder, group())
    run(folder, group(alert("resolved")), now="2026-11-02T10:30:00Z")
    run(folder, group(), now="2026-11-02T11:00:00Z")
    assert list(incidents(folder)) == [
        "2026-11-02-the-rpc-does-not-answer",
        "2026-11-02-the-rpc-does-not-answer-2",
    ]


def test_incident_with_future_resolution_is_open(folder):
    run(folder, group())
    run(folder, group(alert("resolved")), now="2026-11-02T12:00:00Z")
    before = incidents(folder)
    assert "is open already" in run(folder, group(), now="2026-11-02T11:00:00Z")
    assert incidents(folder) == before


def test_resolved_alert_keeps_handwritten_incident_open(folder):
    written = "name: RPC down\ncomponents: {rpc: major_outage}\nupdates:\n  - {at: 2026-11-02T09:00:00Z, status: investigating}\n"
    write_files(folder, {"content/incidents/rpc.yaml": written})
    run(folder, group(alert("resolved")))
    assert (folder / "content/incidents/rpc.yaml").read_text() == written


def test_incident_updated_by_person_stays_open(folder):
    run(folder, group())
    (file,) = (folder / "content/incidents").iterdir()
    update = ["incident", "update", file.stem, "--status", "identified", "--now", "2026-11-02T10:10:00Z"]
    with chdir(folder):
        assert CliRunner().invoke(command, update).exit_code == 0
    before = file.read_bytes()
    assert "a person has updated" in run(folder, group(alert("resolved")), now="2026-11-02T10:30:00Z")
    assert file.read_bytes() == before


def test_alert_rule_can_publish_without_draft(folder):
    rule = (
        SITE
        + "      name: Public RPC does not answer\n      body: We are on it.\n      publish: automatically\n"
    )
    write_files(folder, {"content/site.yaml": rule})
    run(folder, group())
    ((name, incident),) = incidents(folder).items()
    assert name == "2026-11-02-public-rpc-does-not-answer"
    assert "draft" not in incident
    assert incident["updates"][0]["body"] == "We are on it."


def test_automatic_alert_rule_requires_name(folder):
    write_files(folder, {"content/site.yaml": SITE + "      publish: automatically\n"})
    said = run(folder, group(), code=1)
    assert "site.yaml:7" in said
    assert "has no name" in said


def test_alert_component_label_needs_no_rule(folder):
    run(folder, {"key": "x", "status": "firing", "name": "Explorer is down", "component": "explorer"})
    (incident,) = incidents(folder).values()
    assert incident["components"] == {"explorer": "major_outage"}


def test_pagerduty_alert_opens_and_resolves_incident(folder):
    run(folder, pagerduty("incident.triggered"))
    said = run(folder, pagerduty("incident.acknowledged"), now="2026-11-02T10:10:00Z")
    assert said == "nothing to do: the event neither opens nor resolves an alert\n"
    run(folder, pagerduty("incident.resolved"), now="2026-11-02T10:30:00Z")
    (incident,) = incidents(folder).values()
    assert [update["status"] for update in incident["updates"]] == ["investigating", "resolved"]


@pytest.mark.parametrize("service", ["explorer", "unknown"])
def test_pagerduty_resolves_incident_of_moved_service(folder, service):
    write_files(
        folder, {"content/site.yaml": SITE + "    - {labels: {service: explorer}, component: explorer}\n"}
    )
    run(folder, pagerduty("incident.triggered"))
    moved = {"service": {"summary": service}}
    run(folder, pagerduty("incident.service_updated", **moved), now="2026-11-02T10:10:00Z")
    run(folder, pagerduty("incident.resolved", **moved), now="2026-11-02T10:30:00Z")
    (incident,) = incidents(folder).values()
    assert [update["status"] for update in incident["updates"]] == ["investigating", "resolved"]


def test_alert_without_matching_rule_changes_nothing(folder):
    said = run(folder, group(alert(service="database")))
    assert "no rule fits the alert 'The RPC does not answer': alertname=RpcDown" in said
    assert incidents(folder) == {}


def test_alert_group_opens_incident_per_component(folder):
    rules = SITE + "    - {labels: {service: web}, component: explorer}\n"
    write_files(folder, {"content/site.yaml": rules})
    run(folder, group(alert(), alert(service="web")))
    assert [list(incident["components"]) for incident in incidents(folder).values()] == [
        ["rpc"],
        ["explorer"],
    ]


def test_alert_rule_with_unknown_component_fails(folder):
    write_files(folder, {"content/site.yaml": SITE.replace("component: rpc", "component: rpd")})
    said = run(folder, group(), code=3)
    assert "names the unknown component 'rpd'" in said
    assert incidents(folder) == {}


@pytest.mark.parametrize("payload", [b"[" * 100_000, b"", *HOSTILE[11::16]])
def test_invalid_alert_payload_is_reported(folder, payload):
    said = run(folder, payload, code=3)
    assert said.startswith("statuary: the alert")
    assert incidents(folder) == {}


def test_invalid_alert_payload_changes_nothing(folder):
    """Bytes, times and names of all files, and of what is beside them."""
    run(folder, group())
    run(folder, {"key": "x", "status": "firing", "name": "Explorer is down", "component": "explorer"})
    before = state_of(folder)
    assert len(HOSTILE) >= 40
    for payload in HOSTILE:
        done = CliRunner().invoke(command, ["incident", "from-alert", *at(folder)], input=payload)
        assert (done.exit_code, done.stdout) == (3, ""), payload
        assert done.stderr.startswith("statuary: the alert"), payload
        assert "Traceback" not in done.stderr
        assert state_of(folder) == before, payload


def at(folder):
    return "--content", str(folder / "content"), "--now", "2026-11-02T10:05:00Z"


def state_of(folder):
    return {
        path.relative_to(folder): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
        for path in folder.rglob("*")
    }


def test_alert_name_with_markup_is_escaped(folder):
    value = group()
    value["commonAnnotations"] = {"summary": "../../x: [y]\n# z 'a' \"b\" <script>"}
    run(folder, value)
    ((name, incident),) = incidents(folder).items()
    assert "/" not in name
    assert incident["name"] == "../../x: [y] # z 'a' \"b\" <script>"


def test_alert_dry_run_prints_new_incident(folder):
    said = run(folder, group(), "--dry-run")
    assert "+name: The RPC does not answer" in said
    assert incidents(folder) == {}
