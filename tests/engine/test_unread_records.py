"""Incidents, windows and pages that cannot be read: each is left out alone, or stays as last published."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from support.sites import INCIDENT, small_site, write_files

OPEN = INCIDENT.partition("  - at: 2026-11-02T11:00:00Z")[0]
WINDOW = """name: Upgrade
components: [explorer]
created_at: 2026-11-01T09:00:00Z
scheduled_for: 2026-11-20T10:00:00Z
scheduled_until: 2026-11-20T12:00:00Z
"""
PAGE = "---\ntitle: Terms\n---\nOurs.\n"
BEFORE, DURING, AFTER = "2026-11-19T12:00:00Z", "2026-11-20T11:00:00Z", "2026-11-20T13:00:00Z"
CONFLICT = "<<<<<<< HEAD\n{}=======\n{}>>>>>>> theirs\n"


@pytest.fixture
def content(tmp_path: Path) -> Path:
    files = {"incidents/slow.yaml": OPEN, "maintenances/upgrade.yaml": WINDOW, "pages/terms.md": PAGE}
    return write_files(small_site(tmp_path), files)


def build(content: Path, now: str = BEFORE, code: int = 0) -> str:
    arguments = ["build", "--content", str(content), "--out", str(content.parent / "out"), "--now", now]
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == code, done.output
    return done.output


def published(content: Path, path: str) -> dict:
    return json.loads((content.parent / "out" / path).read_bytes())


def component_statuses(content: Path) -> dict[str, str]:
    rows = published(content, "api/v2/components.json")["components"]
    return {row["id"]: row["status"] for row in rows}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OPEN + "  - {at: [", "not YAML"),
        (OPEN + "unknown: 1\n", "unknown key 'unknown'"),
        (OPEN.replace("updates:", "updates: 7\nother:"), "updates"),
        (CONFLICT.format(OPEN, OPEN), "an unresolved git conflict: <<<<<<< HEAD"),
    ],
)
def test_unreadable_incident_file_keeps_published_version(content, text, message):
    build(content)
    document = (content.parent / "out/incidents/slow.json").read_bytes()
    statuses = component_statuses(content)
    assert set(statuses.values()) != {"operational"}

    write_files(content, {"incidents/slow.yaml": text})
    output = build(content, code=4)
    assert message in output
    assert "the file stays as last published" in output
    assert (content.parent / "out/incidents/slow.json").read_bytes() == document
    assert component_statuses(content) == statuses

    write_files(content, {"incidents/slow.yaml": OPEN})
    build(content)
    assert (content.parent / "out/incidents/slow.json").read_bytes() == document


def test_unreadable_maintenance_still_starts_and_ends(content):
    build(content)
    write_files(content, {"maintenances/upgrade.yaml": WINDOW + "unknown: 1\n"})
    build(content, DURING, code=4)
    assert component_statuses(content)["explorer"] == "under_maintenance"
    build(content, AFTER, code=4)
    assert component_statuses(content)["explorer"] == "operational"


def test_unreadable_new_incident_is_excluded(content):
    build(content)
    write_files(content, {"incidents/new.yaml": "name: [\n", "incidents/other.yaml": OPEN})
    output = build(content, code=4)
    assert "the file is left out" in output
    assert {row["id"] for row in published(content, "api/v2/incidents.json")["incidents"]} == {
        "slow",
        "other",
    }


@pytest.mark.parametrize(
    "text", [PAGE.replace("title", "tittle"), PAGE + CONFLICT.format("Ours\n", "Theirs\n")]
)
def test_unreadable_markdown_page_is_excluded(content, text):
    build(content)
    write_files(content, {"pages/terms.md": text, "incidents/other.yaml": OPEN})
    assert "pages/terms.md" in build(content, code=4)
    assert len(published(content, "api/v2/incidents.json")["incidents"]) == 2


def test_git_conflict_markers_keep_published_settings(content):
    site = (content / "site.yaml").read_text()
    conflict = CONFLICT.format(site, site)
    write_files(content, {"site.yaml": conflict})
    assert "no safe default" in build(content, code=1)
    write_files(content, {"site.yaml": site})
    build(content)
    write_files(content, {"site.yaml": conflict})
    output = build(content, code=4)
    assert "site.yaml:1:1" in output
    assert "an unresolved git conflict: <<<<<<< HEAD; all settings stay as last published" in output


def test_incident_updates_in_any_order_are_sorted(content):
    first, second = (
        f"  - {{at: 2026-11-02T{hour}:00:00Z, status: {status}, body: {status}}}\n"
        for hour, status in ((12, "identified"), (13, "monitoring"))
    )
    written = []
    for updates in (first + second, second + first):
        write_files(content, {"incidents/slow.yaml": OPEN + updates})
        build(content)
        written.append(published(content, "incidents/slow.json"))
    assert written[0] == written[1]
    assert written[0]["incident"]["status"] == "monitoring"
