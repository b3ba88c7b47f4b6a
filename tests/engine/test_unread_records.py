"""Incidents, windows and pages that cannot be read: each is left out alone, or stays as last published."""

import json
import shutil
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
        ("[" * 100_000, "nested opening brackets"),
        ("x" * (2 << 20), "the limit is"),
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


def replace_by_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


MISNAMED = {
    "folder": (replace_by_folder, "a folder has the name of a file"),
    "parent is a file": (
        lambda file: (shutil.rmtree(file.parent), file.parent.write_text("../away")),
        "incidents is a file and not a folder",
    ),
    "suffix": (lambda file: file.rename(file.with_suffix(".YAML")), "the case of the name is wrong"),
    "parent": (
        lambda file: file.parent.rename(file.parents[1] / "Incidents"),
        "the case of the name is wrong",
    ),
}


@pytest.mark.parametrize("fault", MISNAMED)
def test_misnamed_incident_stays_as_published(content, fault):
    build(content)
    document = (content.parent / "out/incidents/slow.json").read_bytes()
    misname, message = MISNAMED[fault]
    misname(content / "incidents/slow.yaml")
    for _ in range(2):
        output = build(content, code=4)
        assert message in output
        assert "as last published" in output
        assert (content.parent / "out/incidents/slow.json").read_bytes() == document


@pytest.mark.parametrize(
    "harm", [Path.unlink, replace_by_folder, lambda file: file.rename(file.with_suffix(".YAML"))]
)
def test_missing_site_yaml_keeps_published_settings(content, harm):
    build(content)
    harm(content / "site.yaml")
    write_files(content, {"incidents/new.yaml": OPEN})
    for _ in range(2):
        output = build(content, code=4)
        assert "all settings stay as last published" in output
        assert {row["id"] for row in published(content, "api/v2/incidents.json")["incidents"]} == {
            "slow",
            "new",
        }


def test_missing_settings_and_components_publish_nothing(content):
    """As in a folder that is not the content folder."""
    build(content)
    for name in ("site.yaml", "components.yaml"):
        (content / name).unlink()
    assert "nothing was published" in build(content, code=1)


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


def test_incident_commands_name_unreadable_incident(content):
    write_files(content, {"incidents/slow.yaml": CONFLICT.format(OPEN, OPEN)})
    for arguments, code in ((["list"], 0), (["update", "slow", "--status", "resolved", "--body", "Over"], 3)):
        done = CliRunner().invoke(command, ["incident", *arguments, "--content", str(content)])
        assert done.exit_code == code
        assert "incidents/slow.yaml:1:1: error: an unresolved git conflict" in done.stderr
