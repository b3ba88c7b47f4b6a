"""`statuary init`: what it writes, what it leaves alone, and that the result builds."""

import json

import pytest
from click.testing import CliRunner

from statuary.cli.main import command

NOW = ("--now", "2026-11-02T10:00:00Z")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command in an empty folder and returns its result."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_the_starter_builds_without_findings_and_each_step_names_the_next(run, tmp_path):
    written = run("init", *NOW)
    assert written.exit_code == 0
    assert written.stdout.endswith("Now run: statuary build\n")
    built = run("build", *NOW)
    assert (built.exit_code, "no errors or warnings" in built.stdout) == (0, True)
    assert "Now run: statuary serve build" in built.stdout
    again = run("build", *NOW)
    assert "Now run" not in again.stdout
    summary = json.loads((tmp_path / "build/api/v2/summary.json").read_text())
    assert summary["page"]["updated_at"].startswith("2026-11-")


def test_a_page_of_unknown_age_is_as_old_as_its_first_date(run, tmp_path):
    run("init", *NOW)
    site = tmp_path / "content/site.yaml"
    lines = [line for line in site.read_text().splitlines() if "created_at" not in line]
    site.write_text("\n".join(lines) + "\n")
    (incident,) = (tmp_path / "content/incidents").iterdir()
    assert run("build", *NOW).exit_code == 0
    summary = json.loads((tmp_path / "build/api/v2/summary.json").read_text())
    assert {one["created_at"][:10] for one in summary["components"]} == {incident.name[:10]}
    written = [*(tmp_path / "build/api").rglob("*.json"), *(tmp_path / "build").glob("*.atom")]
    assert [file for file in written if "1970" in file.read_text()] == []
    incident.unlink()
    (maintenance,) = (tmp_path / "content/maintenances").iterdir()
    maintenance.unlink()
    undated = run("build", *NOW)
    assert "warning: nothing in the content has a date" in undated.output
    assert "1970" not in (tmp_path / "build/index.html").read_text()


@pytest.mark.parametrize("name", ['Say "yes": a \\ network', "1337", "- #", "Ünïcode", "null"])
def test_a_name_is_written_so_that_it_reads_back(run, tmp_path, name):
    assert run("init", "--name", name, *NOW).exit_code == 0
    assert run("build", *NOW).exit_code == 0
    assert json.loads((tmp_path / "build/api/v2/status.json").read_bytes())["page"]["name"] == name


def test_the_build_folder_is_ignored_by_git_unless_the_author_decides(run, tmp_path):
    run("init", *NOW)
    assert (tmp_path / ".gitignore").read_text() == "/build/\n/.venv/\n"
    (tmp_path / ".gitignore").write_text("mine\n")
    assert run("init", "--content", "other", *NOW).exit_code == 0
    assert (tmp_path / ".gitignore").read_text() == "mine\n"


def test_a_folder_that_is_not_empty_is_left_alone(run, tmp_path):
    (tmp_path / "content").mkdir()
    (tmp_path / "content/note.txt").write_text("mine")
    refused = run("init", *NOW)
    assert (refused.exit_code, "content is not empty; nothing was written" in refused.stderr) == (3, True)
    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == ["note.txt"]


def test_a_chain_id_that_is_not_a_number_is_wrong_usage(run, tmp_path):
    refused = run("init", "--chain-id", "mainnet", *NOW)
    assert (refused.exit_code, "--chain-id" in refused.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
