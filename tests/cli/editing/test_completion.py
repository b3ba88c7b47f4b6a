"""What the shell completes."""

import pytest
from click.shell_completion import ShellComplete

from statuary.cli.main import command
from support.content_repository import FILES, GROUPED, make_content_repository


@pytest.fixture
def repository(tmp_path, monkeypatch):
    components = GROUPED + "  bridge:\n    name: Bridge\n"
    made = make_content_repository(tmp_path, monkeypatch, FILES | {"content/components.yaml": components})
    for name in ("Slow answers", "Slow blocks"):
        made.run("incident", "open", "--name", name)
    return made


def completed(*words):
    complete = ShellComplete(command, {}, "statuary", "_STATUARY_COMPLETE")
    return [item.value for item in complete.get_completions(list(words[:-1]), words[-1])]


def test_shell_completes_record_ids(repository):
    repository.write("content/maintenances/2026/disks.yml", "")
    repository.write("content/maintenances/.draft.yaml", "")
    assert completed("incident", "update", "2026-11") == ["2026-11-02-slow-blocks", "2026-11-02-slow-answers"]
    assert completed("maintenance", "start", "") == ["disks"]


def test_shell_completes_component_statuses(repository):
    assert completed("component", "set", "") == ["rpc", "bridge"]
    assert completed("incident", "open", "--component", "r") == ["rpc"]
    assert completed("incident", "open", "--component", "rpc=ma") == ["rpc=major_outage"]
    assert completed("maintenance", "schedule", "--component", "b") == ["bridge"]


def test_shell_completes_commands_and_choices(repository):
    assert completed("inc") == ["incident"]
    assert completed("maintenance", "c") == ["cancel", "complete"]
    assert completed("incident", "update", "x", "--status", "mon") == ["monitoring"]


def test_shell_completion_reads_content_option(repository):
    repository.write("other/incidents/elsewhere.yaml", "")
    assert completed("incident", "resolve", "--content", "other", "e") == ["elsewhere"]


@pytest.mark.parametrize("text", ["components: [\n", "- x\n", "components:\n", "", "components: {rpc: x}\n"])
def test_shell_completion_ignores_broken_files(repository, text):
    repository.write("content/components.yaml", text)
    assert completed("component", "set", "") in ([], ["rpc"])


def test_shell_completes_nothing_without_content(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert completed("incident", "update", "") == []
    assert completed("component", "set", "") == []
