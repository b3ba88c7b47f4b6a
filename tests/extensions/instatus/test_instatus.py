"""Instatus's API: members and words at every instant, and a round trip through the import of an Instatus page."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.base.primitives import parse_instant
from statuary.cli.main import command
from statuary.engine.tick import tick
from support.sites import SITE, build, built_files, small_site, write_files


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return write_files(small_site(tmp_path), {"site.yaml": SITE + "instatus: true\n"})


def documents(files: dict[str, bytes]) -> tuple[dict, dict]:
    return json.loads(files["summary.json"]), json.loads(files["v2/components.json"])


def test_operational_instatus_summary_has_no_incidents(content, tmp_path):
    write_files(content, {"maintenances/upgrade.yaml": None})
    summary, components = documents(built_files(content, tmp_path / "site"))
    assert summary == {"page": {"name": "Plinth", "url": "https://status.plinth.example", "status": "UP"}}
    rows = {row["id"]: row for row in components["components"]}
    assert set(rows) == {"network", "rpc", "blocks", "explorer"}
    assert rows["rpc"] == {
        "id": "rpc",
        "name": "Public RPC",
        "description": "",
        "status": "OPERATIONAL",
        "isParent": False,
        "group": {"id": "network", "name": "Network", "description": "", "status": "OPERATIONAL"},
    }
    assert (rows["network"]["isParent"], rows["explorer"]["group"]) == (True, None)


def test_instatus_summary_lists_active_incident(content, tmp_path):
    summary, components = documents(built_files(content, tmp_path / "site", "2026-11-02T10:30:00Z"))
    assert summary["page"]["status"] == "HASISSUES"
    assert summary["activeIncidents"] == [
        {
            "id": "slow",
            "name": "Slow answers",
            "status": "INVESTIGATING",
            "url": "https://status.plinth.example/incidents/slow",
            "updatedAt": "2026-11-02T10:00:00.000Z",
            "started": "2026-11-02T10:00:00.000Z",
            "impact": "DEGRADEDPERFORMANCE",
        }
    ]
    statuses = {row["id"]: row["status"] for row in components["components"]}
    assert statuses["rpc"] == statuses["network"] == "DEGRADEDPERFORMANCE"
    assert statuses["explorer"] == "OPERATIONAL"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("now", "status", "page"),
    [
        ("2026-11-21T00:00:00Z", "NOTSTARTEDYET", "UP"),
        ("2026-11-21T22:30:00Z", "INPROGRESS", "UNDERMAINTENANCE"),
    ],
)
def test_instatus_maintenance_after_tick_matches_build(content, tmp_path, now, status, page):
    built = documents(built_files(content, tmp_path / "built", now))
    assert built[0]["page"]["status"] == page
    (window,) = built[0]["activeMaintenances"]
    assert (window["status"], window["start"], window["duration"]) == (status, "2026-11-21T22:00:00.000Z", 60)
    build(content, tmp_path / "ticked", "2026-11-20T12:00:00Z")
    tick(tmp_path / "ticked", parse_instant(now))
    paths = {
        name: (tmp_path / "ticked" / name).read_bytes() for name in ("summary.json", "v2/components.json")
    }
    assert documents(paths) == built


@pytest.mark.slow
def test_component_statuses_map_to_instatus(content, tmp_path):
    words = {
        "operational": "OPERATIONAL",
        "under_maintenance": "UNDERMAINTENANCE",
        "degraded_performance": "DEGRADEDPERFORMANCE",
        "partial_outage": "PARTIALOUTAGE",
        "major_outage": "MAJOROUTAGE",
    }
    write_files(content, {"incidents/slow.yaml": None, "maintenances/upgrade.yaml": None})
    for status, word in words.items():
        write_files(
            content,
            {
                "components.yaml": f"components:\n  rpc: {{name: RPC, status: {status}}}\n  explorer: {{name: E}}\n"
            },
        )
        _, components = documents(built_files(content, tmp_path / "site"))
        assert components["components"][0]["status"] == word


def test_instatus_export_and_import_round_trip(content, tmp_path):
    """Components come back with their names, groups and statuses, and the open incident with its name."""
    files = built_files(content, tmp_path / "site", "2026-11-02T10:30:00Z")
    saved = tmp_path / "saved"
    write_files(
        saved, {"summary.json": files["summary.json"], "components.json": files["v2/components.json"]}
    )
    arguments = [
        "import",
        "instatus",
        str(saved),
        "--content",
        str(tmp_path / "copy"),
        "--now",
        "2026-11-02T10:30:00Z",
    ]
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    components = (tmp_path / "copy/components.yaml").read_text()
    assert "Public RPC" in components
    assert "degraded_performance" in components
    (incident,) = (tmp_path / "copy/incidents").iterdir()
    assert "name: Slow answers" in incident.read_text()


@pytest.mark.slow
def test_disabled_instatus_removes_documents(content, tmp_path):
    built_files(content, tmp_path / "site")
    write_files(content, {"site.yaml": SITE})
    assert built_files(content, tmp_path / "site") == built_files(content, tmp_path / "fresh")
    assert not (tmp_path / "site/summary.json").exists()
    assert not (tmp_path / "site/v2/components.json").exists()
