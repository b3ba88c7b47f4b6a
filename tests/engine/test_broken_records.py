"""Incidents and windows that break a rule: each is left out alone, or stays as last published."""

import json
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from statuary.base.findings import Severity
from statuary.cli.main import command
from statuary.status.checks.status_checks import STATUS_CHECKS
from support.sites import SMALL_SITE, write_files
from support.status_breaches import BREACHES, TROUBLE, UPGRADE
from support.status_site import COMPONENTS
from support.tiers import few_by_default

NOW = "2026-11-10T12:00:00Z"
OUTAGE = """name: Outage
components: {north: major_outage}
updates:
  - {at: 2026-11-10T11:00:00Z, status: investigating}
"""


def write_content(folder: Path, incidents: dict[str, str], maintenances: dict[str, str]) -> Path:
    files = {f"incidents/{name}.yaml": dedent(text) for name, text in incidents.items()}
    files |= {f"maintenances/{name}.yaml": dedent(text) for name, text in maintenances.items()}
    site = {"site.yaml": SMALL_SITE["site.yaml"], "components.yaml": dedent(COMPONENTS)}
    return write_files(folder / "content", {**site, "incidents/outage.yaml": OUTAGE, **files})


def build(content: Path, *options: str, code: int = 0) -> str:
    arguments = [
        "build",
        "--content",
        str(content),
        "--out",
        str(content.parent / "out"),
        "--now",
        NOW,
        *options,
    ]
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == code, done.output
    return done.output


def published_ids(content: Path) -> set[str]:
    out = content.parent / "out" / "api" / "v2"
    incidents = json.loads((out / "incidents.json").read_bytes())["incidents"]
    windows = json.loads((out / "scheduled-maintenances.json").read_bytes())["scheduled_maintenances"]
    return {record["id"] for record in (*incidents, *windows)}


ERRORS = {check.name for check in STATUS_CHECKS if check.severity is Severity.ERROR}

BROKEN = [
    name
    for name, (texts, (rule, *_)) in BREACHES.items()
    if rule in ERRORS and {*texts} <= {"incidents", "maintenances"}
]


@pytest.mark.parametrize("name", few_by_default(BROKEN, 3))
def test_incident_error_still_publishes_other_records(tmp_path, name):
    texts, (rule, *_) = BREACHES[name]
    content = write_content(tmp_path, texts.get("incidents", {}), texts.get("maintenances", {}))
    output = build(content, code=4)
    assert f"the file is left out [{rule}]" in output
    assert "outage" in published_ids(content)


def test_every_record_rule_has_failing_example():
    of_components = {"duplicate-component", "empty-group", "history-out-of-order"}
    assert {BREACHES[name][1][0] for name in BROKEN} == ERRORS - of_components


def test_broken_incident_keeps_published_version(tmp_path):
    content = write_content(tmp_path, {"trouble": TROUBLE}, {})
    build(content)
    document = (tmp_path / "out/incidents/trouble.json").read_bytes()
    write_files(content, {"incidents/trouble.yaml": dedent(TROUBLE).replace("rpc", "nothing")})
    assert "the file stays as last published" in build(content, code=4)
    assert (tmp_path / "out/incidents/trouble.json").read_bytes() == document
    assert published_ids(content) == {"outage", "trouble"}


def test_new_incident_never_replaces_published_id(tmp_path):
    content = write_content(tmp_path, {"trouble": TROUBLE}, {})
    build(content)
    document = (tmp_path / "out/incidents/trouble.json").read_bytes()
    newcomer = "id: trouble\n" + dedent(TROUBLE).strip().replace("Trouble", "Other") + "\n"
    write_files(content, {"incidents/earlier.yaml": newcomer})
    assert "[duplicate-record-id]" in build(content, code=4)
    assert (tmp_path / "out/incidents/trouble.json").read_bytes() == document


def test_strict_build_rejects_broken_incident(tmp_path):
    content = write_content(tmp_path, {}, {"upgrade": UPGRADE.replace("20T12:00", "20T10:00")})
    assert "nothing was published" in build(content, "--strict", code=1)
    assert not (tmp_path / "out/api").exists()
