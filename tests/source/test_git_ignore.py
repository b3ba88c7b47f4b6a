"""Private keys and built files stay out of git."""

import subprocess

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.source.git_ignore import add_ignore_lines, ignore_file


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "/build/\n/keys/\n"),
        ("", "/build/\n/keys/\n"),
        ("build", "build\n/keys/\n"),
        ("# mine\n/keys\n", "# mine\n/keys\n/build/\n"),
        ("build/\nkeys/\n", "build/\nkeys/\n"),
    ],
)
def test_missing_gitignore_lines_are_added(tmp_path, before, after):
    file = tmp_path / ".gitignore"
    if before is not None:
        file.write_text(before)
    added = add_ignore_lines(tmp_path, ["/build/", "/keys/"])
    assert file.read_text() == after
    assert bool(added) == (before != after)


def test_new_key_file_is_gitignored(tmp_path, monkeypatch):
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    run = ["log", "init", "status.example.org/log", "--out"]
    made = CliRunner().invoke(command, [*run, "secrets/log.key"])
    assert (made.exit_code, "added /secrets/log.key to .gitignore" in made.stdout) == (0, True), made.output
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    listed = subprocess.run(
        ["git", "ls-files"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout
    assert listed.split() == [".gitignore"]
    (tmp_path / ".gitignore").write_text("/keys/\n")
    again = CliRunner().invoke(command, [*run, "keys/log.key"])
    assert (again.exit_code, "to .gitignore" in again.stdout) == (0, False)


def test_key_outside_project_is_not_gitignored(tmp_path, monkeypatch):
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    assert ignore_file(tmp_path / "log.key") is None
    assert list(project.iterdir()) == []
    (project / "log.key").touch()
    assert ignore_file(project / "log.key") == "/log.key"
