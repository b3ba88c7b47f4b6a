"""Two clones edit the same records; git merges them with statuary's help, and without it."""

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.source.edit_files import EditError
from statuary.source.git_merge import install_merge_driver, stage_merged_text
from statuary.source.parse_yaml import parse_yaml
from support.content_repository import FILES, make_content_repository
from support.sites import git

pytestmark = pytest.mark.slow

INCIDENT = """\
name: Slow answers
components:
  rpc: partial_outage
updates:
  - at: 2026-11-02T10:00:00Z
    status: investigating
    body: We look.
"""
WINDOW = """\
name: Upgrade
components: [rpc]
created_at: 2026-11-02T09:00:00Z
scheduled_for: 2026-11-02T10:00:00Z
scheduled_until: 2026-11-02T12:00:00Z
"""
SLOW, UPGRADE = "content/incidents/slow.yaml", "content/maintenances/upgrade.yaml"

OF_INCIDENT = {
    "update": "incident update slow --status identified --body Disks.",
    "note": "incident update slow --body More.",
    "components": "incident update slow --body Bridge. --component bridge=major_outage",
    "resolve": "incident resolve slow",
}
OF_WINDOW = {
    "update": "maintenance update upgrade --body Going.",
    "move": "maintenance reschedule upgrade --duration 3h",
    "complete": "maintenance complete upgrade",
    "cancel": "maintenance cancel upgrade",
}
OF_COMPONENTS = {
    "rpc": "component set rpc major_outage",
    "bridge": "component set bridge partial_outage",
}
NEW = {"open": "incident open --name New --component bridge=partial_outage --id new"}
PAIRS = [
    *(((SLOW, first), (SLOW, second)) for first, second in combinations(OF_INCIDENT.values(), 2)),
    *(((UPGRADE, first), (UPGRADE, second)) for first, second in combinations(OF_WINDOW.values(), 2)),
    (("content/components.yaml", OF_COMPONENTS["rpc"]), ("content/components.yaml", OF_COMPONENTS["bridge"])),
    (("content/components.yaml", OF_COMPONENTS["rpc"]), ("content/components.yaml", OF_COMPONENTS["rpc"])),
    (("content/incidents/new.yaml", NEW["open"]), ("content/incidents/new.yaml", NEW["open"])),
    ((SLOW, OF_INCIDENT["update"]), (UPGRADE, OF_WINDOW["update"])),
]


@pytest.fixture
def clones(tmp_path, monkeypatch) -> tuple[Path, Path]:
    files = FILES | {SLOW: INCIDENT, UPGRADE: WINDOW}
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/statuary"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m statuary "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    (tmp_path / "first").mkdir()
    make_content_repository(tmp_path / "first", monkeypatch, files)
    git(tmp_path, "clone", "--quiet", "first", "second")
    for key, value in (("user.name", "B"), ("user.email", "b@example.org")):
        git(tmp_path / "second", "config", key, value)
    return tmp_path / "first", tmp_path / "second"


def edit(clone: Path, words: str, now: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone)
    done = CliRunner().invoke(command, [*words.split(), "--commit", "--now", now])
    assert done.exit_code == 0, done.output


def merge(clone: Path) -> int:
    pull = ["git", "pull", "--quiet", "--no-rebase", "--no-edit", "../first", "HEAD"]
    return subprocess.run(pull, cwd=clone, check=False, capture_output=True).returncode


def updates_in(clone: Path, path: str) -> list[object]:
    tree = parse_yaml((clone / path).read_text())
    if path.endswith("components.yaml"):
        return [
            change for component in tree["components"].values() for change in component.get("history", [])
        ]
    return tree.get("updates", [])


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_updates_from_two_clones_are_merged(clones, monkeypatch, first, second):
    (mine, theirs), paths = clones, {first[0], second[0]}
    edit(mine, first[1], "2026-11-02T10:05:00Z", monkeypatch)
    edit(theirs, second[1], "2026-11-02T10:06:00Z", monkeypatch)
    expected = {path: [*updates_in(mine, path), *updates_in(theirs, path)] for path in paths}
    git(theirs, "branch", "before")
    install_merge_driver(theirs / "content")
    assert merge(theirs) == 0
    merged = {path: updates_in(theirs, path) for path in paths}
    for path, updates in expected.items():
        assert sorted(map(str, merged[path])) == sorted({*map(str, updates)}), path
    git(theirs, "config", "--remove-section", "merge.statuary")
    git(theirs, "reset", "--quiet", "--hard", "before")
    if merge(theirs):  # git alone left a conflict
        done = CliRunner().invoke(command, ["merge-records"])
        assert done.exit_code == 0, done.output
        git(theirs, "commit", "--quiet", "--no-edit")
    assert {path: sorted(map(str, updates_in(theirs, path))) for path in paths} == {
        path: sorted(map(str, updates)) for path, updates in merged.items()
    }
    assert git(theirs, "status", "--porcelain", "--untracked-files=no") == ""


def test_conflicting_edits_keep_conflict_markers(clones, monkeypatch):
    mine, theirs = clones
    edit(mine, "maintenance reschedule upgrade --duration 3h", "2026-11-02T10:05:00Z", monkeypatch)
    edit(theirs, "maintenance reschedule upgrade --duration 4h", "2026-11-02T10:06:00Z", monkeypatch)
    install_merge_driver(theirs / "content")
    assert merge(theirs) == 1
    assert "<<<<<<< ours" in (theirs / UPGRADE).read_text()
    done = CliRunner().invoke(command, ["merge-records"])
    assert done.exit_code == 1
    assert (
        "both sides changed scheduled_until: '2026-11-02T14:00:00Z' and '2026-11-02T13:00:00Z'" in done.output
    )
    assert "edit the file, then run `git add` on it" in done.output


def test_missing_merge_program_leaves_conflict_markers(clones, monkeypatch):
    mine, theirs = clones
    edit(mine, OF_INCIDENT["update"], "2026-11-02T10:05:00Z", monkeypatch)
    edit(theirs, OF_INCIDENT["note"], "2026-11-02T10:06:00Z", monkeypatch)
    install_merge_driver(theirs / "content")
    (mine.parent / "bin/statuary").unlink()
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert merge(theirs) == 1
    assert "<<<<<<< ours" in (theirs / SLOW).read_text()


def test_merge_outside_git_repository_is_reported(tmp_path):
    file = tmp_path / "a.yaml"
    with pytest.raises(EditError, match="was merged, but `git add` failed") as caught:
        stage_merged_text(file, "name: A\n")
    assert caught.value.hint == f"run `git add {file}`"
    assert file.read_text() == "name: A\n"
