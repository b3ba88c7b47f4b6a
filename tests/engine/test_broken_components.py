"""Builds, ticks, notifications and reports while components.yaml has an error."""

import json
from contextlib import chdir

import pytest
from click.testing import CliRunner

from statuary.base.findings import Severity
from statuary.cli.main import command
from statuary.status.checks.status_checks import STATUS_CHECKS
from support.receivers import receiver
from support.sites import write_files
from support.status_breaches import BREACHES, IN_COMPONENTS
from support.tiers import few_by_default

NOW = "2026-11-10T12:00:00Z"
SITE = """\
page: {name: Demo, url: https://status.example.org, created_at: 2020-01-01T00:00:00Z}
notify:
  channels:
    - {name: all, kind: webhook, url_variable: HOOK_URL}
    - {name: rpc, kind: webhook, url_variable: RPC_URL, components: [r-1]}
"""
COMPONENTS = """\
components:
  rpc: {name: RPC, id: r-1}
  explorer: {name: Explorer}
  bridges:
    name: Bridges
    components:
      north: {name: North}
      south: {name: South}
"""
OUTAGE = """\
name: Outage
components: {rpc: major_outage, south: partial_outage}
updates: [{at: 2026-11-10T11:00:00Z, status: investigating, next_update_by: 2026-11-10T12:30:00Z}]
"""
UNREADABLE = {
    "no YAML": "components: [",
    "a conflict of git": f"<<<<<<< HEAD\n{COMPONENTS}=======\n>>>>>>> b\n",
    "an empty file": "",
    "a list": "- rpc\n",
    "no file": None,
}
FAULTY = {
    "a missing key": COMPONENTS.replace("name: RPC", "nam: RPC"),
    "an unknown key of the file": f"{COMPONENTS}more: 1\n",
    "a group with a status": COMPONENTS.replace("name: Bridges", "name: Bridges\n    status: operational"),
    "an empty group": COMPONENTS.replace("explorer: {name: Explorer}", "explorer: {name: E, components: {}}"),
    "a duplicate id": COMPONENTS.replace("name: Explorer", "name: Explorer, id: r-1"),
    "a key that is no id": COMPONENTS.replace("  explorer:", "  block explorer:"),
    "a history out of order": COMPONENTS.replace(
        "{name: Explorer}",
        "{name: Explorer, history: [{at: 2026-11-02T10:00:00Z, status: operational},"
        " {at: 2026-11-01T10:00:00Z, status: operational}]}",
    ),
}
RULES = {
    "an empty group": "empty-group",
    "a duplicate id": "duplicate-component",
    "a key that is no id": "invalid-id",
    "a history out of order": "history-out-of-order",
}
"""The rule of the status that each breaks; the others break those of files."""


def write(folder, components=COMPONENTS):
    files = {"site.yaml": SITE, "incidents/outage.yaml": OUTAGE, "components.yaml": components or ""}
    content = write_files(folder / "content", files)
    if components is None:
        (content / "components.yaml").unlink()


def run(folder, *arguments, code=0, now=NOW, **environment):
    with chdir(folder):
        done = CliRunner(env=environment).invoke(command, [*arguments, "--now", now])
    assert done.exit_code == code, done.output
    return done.output


def summary(folder):
    return json.loads((folder / "build/api/v2/summary.json").read_bytes())


def affected(folder):
    (incident,) = summary(folder)["incidents"]
    return [component["id"] for component in incident["components"]]


def test_every_component_rule_has_failing_example():
    errors = {check.name for check in STATUS_CHECKS if check.severity is Severity.ERROR}
    of_components = {rule for _, (rule, path, *_) in BREACHES.values() if path == IN_COMPONENTS}
    assert {*RULES.values()} == errors & of_components


@pytest.mark.parametrize("name", few_by_default([*UNREADABLE, *FAULTY], 1))
def test_faulty_components_keep_published_version(tmp_path, name):
    write(tmp_path)
    run(tmp_path, "build")
    before = summary(tmp_path)
    write(tmp_path, (UNREADABLE | FAULTY)[name])
    output = run(tmp_path, "build", code=4)
    assert "published with faults in components.yaml" in output
    assert RULES.get(name, "") in output
    after = summary(tmp_path)
    ids = {component["id"] for component in after["components"]}
    renamed = {"explorer"} if name == "a key that is no id" else set()  # its old key is gone
    assert ids == {component["id"] for component in before["components"]} - renamed
    assert (after["status"], after["incidents"]) == (before["status"], before["incidents"])
    write_files(tmp_path / "content", {"incidents/later.yaml": OUTAGE.replace("Outage", "Later")})
    run(tmp_path, "build", code=4)
    assert len(summary(tmp_path)["incidents"]) == 2, "news appear meanwhile"


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTY)
def test_first_build_excludes_faulty_components(tmp_path, name):
    write(tmp_path, FAULTY[name])
    assert "published with faults in components.yaml" in run(tmp_path, "build", code=4)
    left_out = {"a missing key": {"r-1"}, "a group with a status": {"bridges", "north", "south"}}
    everything = {"r-1", "explorer", "bridges", "north", "south"}
    of_explorer = set() if name in left_out or name not in RULES else {"explorer"}
    expected = everything - left_out.get(name, of_explorer)
    assert {component["id"] for component in summary(tmp_path)["components"]} == expected
    assert affected(tmp_path) == [ident for ident in ("r-1", "south") if ident in expected]


@pytest.mark.slow
@pytest.mark.parametrize("name", UNREADABLE)
def test_first_build_with_unreadable_components_fails(tmp_path, name):
    write(tmp_path, UNREADABLE[name])
    assert "nothing was published" in run(tmp_path, "build", code=1)
    assert not (tmp_path / "build/api").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", [*UNREADABLE, *FAULTY])
def test_strict_build_rejects_faulty_components_file(tmp_path, name):
    write(tmp_path)
    run(tmp_path, "build")
    before = summary(tmp_path)
    write(tmp_path, (UNREADABLE | FAULTY)[name])
    assert "nothing was published" in run(tmp_path, "build", "--strict", code=1)
    assert summary(tmp_path) == before
    assert "components.yaml" in run(tmp_path, "check", code=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*UNREADABLE, *FAULTY])
def test_tick_with_faulty_components_updates_status(tmp_path, name):
    write(tmp_path)
    run(tmp_path, "build")
    write(tmp_path, (UNREADABLE | FAULTY)[name])
    run(tmp_path, "build", code=4)
    run(tmp_path, "tick", now="2026-11-10T12:45:00Z")
    assert "12:30" in (tmp_path / "build/index.html").read_text()
    assert affected(tmp_path) == ["r-1", "south"]


@pytest.mark.parametrize("name", few_by_default([*UNREADABLE, *FAULTY], 2))
def test_faulty_components_still_publish_incident(tmp_path, name):
    write(tmp_path, (UNREADABLE | FAULTY)[name])
    with receiver() as served:
        urls = {"HOOK_URL": f"{served.url}/all", "RPC_URL": f"{served.url}/rpc"}
        since = ("notify", "--state", "state.json", "--since", "2026-11-10T00:00:00Z")
        output = run(tmp_path, *since, code=1, **urls)
        first = [(request.path, [*request.value][-1]) for request in served.requests]
        write(tmp_path)
        run(tmp_path, *since, now="2026-11-10T12:10:00Z", **urls)
        sent = [request.path for request in served.requests]
    assert "changes of components are not sent until you fix the errors in these files" in output
    assert ("/all", "incident") in first
    assert (sent.count("/all"), sent.count("/rpc")) == (3, 2), "an incident, and the changes of components"


@pytest.mark.parametrize("name", few_by_default([*UNREADABLE, *FAULTY], 2))
def test_uptime_report_states_faulty_components_file(tmp_path, name):
    write(tmp_path, (UNREADABLE | FAULTY)[name])
    output = run(tmp_path, "report", "2026-q4", code=1)
    assert (
        "the report does not include the parts of the content that have errors, in components.yaml" in output
    )
    assert "Left out because of errors: components.yaml." in (tmp_path / "reports/2026-q4.html").read_text()
    rows = (tmp_path / "reports/2026-q4.csv").read_text()
    assert ("south" in rows) == (name not in UNREADABLE and name != "a group with a status")
