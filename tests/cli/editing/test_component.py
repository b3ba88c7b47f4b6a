"""`statuary component`: recorded changes of status, and the list."""

import json

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from support.content_repository import FILES, GROUPED, make_content_repository
from support.sites import SMALL_SITE, write_files

FILE = "content/components.yaml"


@pytest.fixture
def repository(tmp_path, monkeypatch):
    return make_content_repository(tmp_path, monkeypatch)


def test_component_set_appends_history_entry(repository):
    repository.run("component", "set", "rpc", "major_outage")
    repository.run("component", "set", "rpc", "operational", now="2026-11-02T11:00:00Z")
    below = "    start_date: 2026-01-12\n"
    history = """\
    history:
      - at: 2026-11-02T10:00:00Z
        status: major_outage
      - at: 2026-11-02T11:00:00Z
        status: operational
"""
    assert repository.read(FILE) == FILES[FILE].replace(below, below + history)


def test_component_set_updates_component_inside_group(tmp_path, monkeypatch):
    repository = make_content_repository(tmp_path, monkeypatch, FILES | {FILE: GROUPED})
    repository.run("component", "set", "rpc", "partial_outage", "--commit")
    history = "        history:\n          - at: 2026-11-02T10:00:00Z\n            status: partial_outage\n"
    assert repository.read(FILE) == GROUPED + history
    assert repository.git("log", "-1", "--format=%B") == (
        "Set Public RPC to partial_outage\n\noperational before, partial_outage from 2026-11-02T10:00:00Z"
    )
    assert "is a group" in repository.run("component", "set", "network", "operational", code=3)


def test_component_set_rejects_unchanged_status(repository):
    assert "rpc has been operational since" in repository.run(
        "component", "set", "rpc", "operational", code=3
    )


def test_component_change_before_latest_is_rejected(repository):
    repository.run("component", "set", "rpc", "major_outage")
    before = repository.files()
    output = repository.run(
        "component", "set", "rpc", "partial_outage", "--at", "2026-11-02T09:00:00Z", code=1
    )
    assert "[history-out-of-order]" in output
    assert repository.files() == before


def test_component_set_rejects_unknown_argument(repository):
    assert "Missing argument 'KEY'. Use one of rpc, bridge" in repository.run("component", "set", code=2)
    assert "Missing argument 'STATUS'" in repository.run("component", "set", "rpc", code=2)
    assert "is not one of" in repository.run("component", "set", "rpc", "down", code=2)
    assert "did you mean 'bridge'?" in repository.run("component", "set", "bride", "operational", code=3)


def test_component_list_shows_groups_and_components(tmp_path, monkeypatch):
    repository = make_content_repository(tmp_path, monkeypatch, FILES | {FILE: GROUPED})
    repository.run("component", "set", "rpc", "partial_outage")
    assert [line.split()[:3] for line in repository.run("component", "list").splitlines()] == [
        ["network", "-", "partial_outage"],
        ["rpc", "network", "partial_outage"],
    ]
    listed = json.loads(repository.run("component", "list", "--format", "json"))
    assert listed[1] == {
        "key": "rpc",
        "id": "rpc",
        "name": "Public RPC",
        "group": "network",
        "status": "partial_outage",
        "updated_at": "2026-11-02T10:00:00Z",
    }


def test_unreadable_components_file_is_reported(tmp_path):
    write_files(
        tmp_path, {"content/site.yaml": SMALL_SITE["site.yaml"], "content/components.yaml": "components: ["}
    )
    arguments = ["incident", "open", "--name", "Out", "--component", "rpc=major_outage", "--body", "x"]
    done = CliRunner().invoke(command, [*arguments, "--content", str(tmp_path / "content")])
    assert (done.exit_code, "components.yaml:2:1: error: not YAML" in done.output) == (1, True)
