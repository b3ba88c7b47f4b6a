"""Programs get no variable of the environment that they do not need, and end within their limits."""

import sys
from pathlib import Path

import pytest

from statuary.source.edit_files import init_and_commit, is_in_repository
from statuary.source.git_state import GitQuery
from statuary.system.programs import GitProcess, ProgramError, RunLimits, git_output, run_git, run_program

SECRET = "hunter2"
SECRETS = (
    "GITHUB_TOKEN",
    "SLACK_URL",
    "AWS_SECRET_ACCESS_KEY",
    "STATUARY_LOG_KEY",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "GIT_CONFIG_PARAMETERS",
    "GIT_SSH_COMMAND",
    "NPM_TOKEN",
    "PIP_PASSWORD",
)
ENVIRONMENT = ("-c", "alias.environment=!env", "environment")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with one committed file."""
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(name, "a@example.org")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "site.yaml").write_text("title: A\n")
    init_and_commit(folder, [folder / "site.yaml"])
    return folder


def with_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SECRETS:
        monkeypatch.setenv(name, SECRET)


def test_git_process_inherits_no_secret(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_secrets(monkeypatch)
    outputs = [
        run_git(repository, *ENVIRONMENT).text,
        git_output(repository, *ENVIRONMENT),
        GitProcess(repository, *ENVIRONMENT).result().text,
    ]
    for output in outputs:
        assert "PATH=" in output
        assert SECRET not in output


def test_git_commit_hook_inherits_no_secret(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_secrets(monkeypatch)
    hook = repository / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nenv > environment.txt\n")
    hook.chmod(0o755)
    (repository / "new.yaml").write_text("")
    init_and_commit(repository, [repository / "new.yaml"])
    assert "GIT_AUTHOR_NAME=a@example.org" in (repository / "environment.txt").read_text()
    assert SECRET not in (repository / "environment.txt").read_text()


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"])
def test_git_environment_variables_are_ignored(
    name: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert is_in_repository(repository)
    state = GitQuery(repository).wait_for_state
    assert state is not None
    assert state.revision == git_output(repository, "rev-parse", "HEAD")


def test_started_program_inherits_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    with_secrets(monkeypatch)
    ended = run_program(RunLimits(), [sys.executable, "-c", "import os; print(os.environ)"])
    assert "PATH" in ended.text
    assert SECRET not in ended.text


@pytest.mark.parametrize(
    ("script", "limits", "reason"),
    [
        ("while True: pass", RunLimits(seconds=0.5), "did not finish"),
        ("print('x' * 9_000_000)", RunLimits(output_bytes=1 << 20), "more than"),
    ],
)
def test_program_exceeding_limits_is_stopped(script: str, limits: RunLimits, reason: str) -> None:
    with pytest.raises(ProgramError, match=reason):
        run_program(limits, [sys.executable, "-c", script])


def test_missing_program_is_reported(tmp_path: Path) -> None:
    ended = run_program(RunLimits(), [tmp_path / "none"])
    assert ended.exit_code != 0
    assert "none" in ended.stderr
