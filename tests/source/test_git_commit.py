"""One file, one commit."""

import getpass
import subprocess

import pytest

from statuary.source.edit_files import EditError, check_can_commit, commit_file
from support.content_repository import make_content_repository


@pytest.fixture
def repository(tmp_path, monkeypatch):
    return make_content_repository(tmp_path, monkeypatch)


def forget_identity(monkeypatch):
    for name in ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"):
        monkeypatch.delenv(f"GIT_{name}")
    monkeypatch.delenv("EMAIL", raising=False)


def git_guesses_identity(repository):
    return (
        subprocess.run(
            ["git", "var", "GIT_AUTHOR_IDENT"], cwd=repository.root, capture_output=True, check=False
        ).returncode
        == 0
    )


def test_changed_and_new_files_are_committed(repository):
    for path, text in (("content/site.yaml", "changed"), ("content/incidents/2026/new.yaml", "new")):
        check_can_commit(repository.root / path)
        repository.write(path, text)
        name = commit_file(repository.root / path, "Write it").name
        assert repository.git("show", "--format=%h", "--name-only", "HEAD").split() == [name, path]
        assert repository.git("show", f"HEAD:{path}") == text


def test_commit_outside_git_repository_is_rejected(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "alone").mkdir()
    with pytest.raises(EditError, match="not in a git repository"):
        check_can_commit(tmp_path / "alone/file.yaml")


@pytest.mark.parametrize("staged", [False, True])
def test_commit_over_uncommitted_changes_is_rejected(repository, staged):
    repository.write("content/site.yaml", "changed")
    if staged:
        repository.git("add", "content/site.yaml")
    with pytest.raises(EditError, match="uncommitted changes"):
        check_can_commit(repository.root / "content/site.yaml")


def test_commit_of_gitignored_file_is_rejected(repository):
    with pytest.raises(EditError, match="git ignores"):
        check_can_commit(repository.root / "build/file.yaml")


def test_commit_during_merge_is_rejected(repository):
    (repository.root / ".git/MERGE_HEAD").write_text(repository.git("rev-parse", "HEAD"))
    with pytest.raises(EditError, match="a merge is in progress"):
        check_can_commit(repository.root / "content/site.yaml")


def test_missing_git_program_is_reported(repository, monkeypatch):
    monkeypatch.setenv("PATH", str(repository.root))
    with pytest.raises(EditError, match="git is not installed"):
        check_can_commit(repository.root / "content/site.yaml")


def test_commit_message_is_kept_verbatim(repository):
    repository.write("content/-a.yaml", "x")
    name = commit_file(repository.root / "content/-a.yaml", "Öpen: x\n\n# not a comment\n-- no option\n").name
    assert repository.git("log", "-1", "--format=%h %B") == f"{name} Öpen: x\n\n# not a comment\n-- no option"


def test_failing_commit_hook_output_is_shown(repository):
    hook = repository.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'not on a Sunday' >&2\nexit 1\n")
    hook.chmod(0o755)
    repository.write("content/site.yaml", "changed")
    with pytest.raises(EditError, match="not on a Sunday"):
        commit_file(repository.root / "content/site.yaml", "x")
    assert repository.read("content/site.yaml") == "changed"


def test_commit_without_identity_prints_author(repository, monkeypatch):
    forget_identity(monkeypatch)
    repository.git("config", "user.name", "Ada Plinth")
    repository.write("content/site.yaml", "changed")
    commit = commit_file(repository.root / "content/site.yaml", "x")
    author = repository.git("log", "-1", "--format=%an <%ae>, %cn <%ce>")
    if git_guesses_identity(repository):  # where the machine has a domain name
        assert (commit.stated_author, author.count("Ada Plinth")) == ("", 2)
        return
    assert commit.stated_author == f"Ada Plinth <{getpass.getuser()}@localhost>"
    assert author == f"{commit.stated_author}, {commit.stated_author}"
    assert f"{commit.name} by {commit.stated_author}" in commit.summary_line


def test_commit_with_identity_prints_no_author(repository):
    repository.write("content/site.yaml", "changed")
    commit = commit_file(repository.root / "content/site.yaml", "x")
    assert commit.summary_line == commit.name


def test_required_git_identity_rejects_commit(repository, monkeypatch):
    forget_identity(monkeypatch)
    repository.git("config", "user.useConfigOnly", "true")
    repository.write("content/site.yaml", "changed")
    with pytest.raises(EditError, match="git does not know your name"):
        commit_file(repository.root / "content/site.yaml", "x")
