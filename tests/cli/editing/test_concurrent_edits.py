"""Commands that run at the same time: every edit that is reported as done is in the content."""

import multiprocessing

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.source.edit_files import database_lock
from support.content_repository import NOW, make_content_repository
from support.random_runs import times

pytestmark = pytest.mark.thorough

ROUNDS = times(3)
"""Rounds of each test; the manual reports 100."""

AT_ONCE = 8


@pytest.fixture(params=["folder", "database"])
def repository(tmp_path, monkeypatch, request):
    """Content whose folder is locked, or the lock database in its place, as on Windows."""
    if request.param == "database":
        monkeypatch.setattr("statuary.cli.editing.edit_session.content_lock", database_lock)
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return make_content_repository(tmp_path, monkeypatch)


def run_at_once(*commands: tuple[str, ...]) -> list[tuple[int, str]]:
    """Run each command in a process of its own, all started together; return exit codes and outputs."""
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(len(commands))
    results = context.Queue()

    def run(arguments: tuple[str, ...]) -> None:
        barrier.wait()
        done = CliRunner().invoke(command, (*arguments, "--now", NOW))
        results.put((done.exit_code, done.output))

    processes = [context.Process(target=run, args=(arguments,), daemon=True) for arguments in commands]
    for process in processes:
        process.start()
    found = [results.get(timeout=120) for _ in processes]
    for process in processes:
        process.join(60)
    return found


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_concurrent_incident_updates_are_all_kept(repository, _round):
    repository.run("incident", "open", "--name", "Slow answers", "--id", "slow")
    update = ("incident", "update", "slow", "--status", "identified", "--body")
    done = run_at_once(*((*update, f"Text {number}.") for number in range(AT_ONCE)))
    assert [code for code, _ in done] == [0] * AT_ONCE, done
    text = repository.read("content/incidents/slow.yaml")
    assert all(f"body: Text {number}.\n" in text for number in range(AT_ONCE))


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_concurrent_incidents_get_separate_files(repository, _round):
    done = run_at_once(*[("incident", "open", "--name", "Slow answers", "--separate")] * AT_ONCE)
    assert [code for code, _ in done] == [0] * AT_ONCE, done
    reported = {output.splitlines()[1].strip() for _, output in done}
    written = {f"content/{path}" for path in repository.files() if path.startswith("incidents/")}
    assert len(written) == AT_ONCE
    assert reported == written


def test_concurrent_identical_opens_create_one_incident(repository):
    done = run_at_once(*[("incident", "open", "--name", "Slow answers")] * AT_ONCE)
    assert sorted(code for code, _ in done) == [0, *[3] * (AT_ONCE - 1)]
    assert [path for path in repository.files() if path.startswith("incidents/")] == [
        "incidents/2026-11-02-slow-answers.yaml"
    ]


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_concurrent_incident_resolutions_apply_once(repository, _round):
    repository.run("incident", "open", "--name", "Slow answers", "--id", "slow")
    done = run_at_once(*[("incident", "resolve", "slow")] * AT_ONCE)
    assert sorted(code for code, _ in done) == [0] + [3] * (AT_ONCE - 1), done
    assert repository.read("content/incidents/slow.yaml").count("status: resolved") == 1


def test_edit_after_concurrent_change_is_rejected(repository, monkeypatch):
    repository.run("incident", "open", "--name", "Slow answers", "--id", "slow")
    person = {"interactive": True}
    for module in ("append_update", "edit_session", "prompts", "incident"):
        monkeypatch.setattr(f"statuary.cli.editing.{module}.is_interactive", lambda: person["interactive"])

    def answer_late(*_arguments, **_options):
        person["interactive"] = False
        repository.run("incident", "update", "slow", "--status", "identified", "--body", "Meanwhile.")
        person["interactive"] = True
        return "Too late."

    monkeypatch.setattr("statuary.cli.editing.append_update.ask_text", answer_late)
    output = repository.run("incident", "resolve", "slow", code=3)
    assert "the content has changed since this command read it" in output
    assert "status: resolved" not in repository.read("content/incidents/slow.yaml")
