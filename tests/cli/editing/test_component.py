"""`statuary component`: recorded changes of status, and the list."""

import json

import pytest

from support.content_repository import FILES, GROUPED, make_control_room

FILE = "content/components.yaml"


@pytest.fixture
def room(tmp_path, monkeypatch):
    return make_control_room(tmp_path, monkeypatch)


def test_set_records_a_change_and_keeps_the_rest(room):
    room.run("component", "set", "rpc", "major_outage")
    room.run("component", "set", "rpc", "operational", now="2026-11-02T11:00:00Z")
    below = "    start_date: 2026-01-12\n"
    history = """\
    history:
      - at: 2026-11-02T10:00:00Z
        status: major_outage
      - at: 2026-11-02T11:00:00Z
        status: operational
"""
    assert room.read(FILE) == FILES[FILE].replace(below, below + history)


def test_set_finds_a_component_in_a_group(tmp_path, monkeypatch):
    room = make_control_room(tmp_path, monkeypatch, FILES | {FILE: GROUPED})
    room.run("component", "set", "rpc", "partial_outage", "--commit")
    history = "        history:\n          - at: 2026-11-02T10:00:00Z\n            status: partial_outage\n"
    assert room.read(FILE) == GROUPED + history
    assert room.git("log", "-1", "--format=%B") == (
        "Set Public RPC to partial_outage\n\noperational before, partial_outage from 2026-11-02T10:00:00Z"
    )
    assert "is a group" in room.run("component", "set", "network", "operational", code=3)


def test_what_is_so_already_is_not_recorded(room):
    assert "rpc has been operational since" in room.run("component", "set", "rpc", "operational", code=3)


def test_a_change_before_the_last_one_is_refused(room):
    room.run("component", "set", "rpc", "major_outage")
    before = room.files()
    said = room.run("component", "set", "rpc", "partial_outage", "--at", "2026-11-02T09:00:00Z", code=1)
    assert "[history-in-order]" in said
    assert room.files() == before


def test_missing_and_unknown_words_are_usage_errors(room):
    assert "Missing argument 'KEY'. Use one of rpc, bridge" in room.run("component", "set", code=2)
    assert "Missing argument 'STATUS'" in room.run("component", "set", "rpc", code=2)
    assert "is not one of" in room.run("component", "set", "rpc", "down", code=2)
    assert "did you mean 'bridge'?" in room.run("component", "set", "bride", "operational", code=3)


def test_list_shows_groups_and_components(tmp_path, monkeypatch):
    room = make_control_room(tmp_path, monkeypatch, FILES | {FILE: GROUPED})
    room.run("component", "set", "rpc", "partial_outage")
    assert [line.split()[:3] for line in room.run("component", "list").splitlines()] == [
        ["network", "-", "partial_outage"],
        ["rpc", "network", "partial_outage"],
    ]
    listed = json.loads(room.run("component", "list", "--format", "json"))
    assert listed[1] == {
        "key": "rpc",
        "id": "rpc",
        "name": "Public RPC",
        "group": "network",
        "status": "partial_outage",
        "updated_at": "2026-11-02T10:00:00Z",
    }
