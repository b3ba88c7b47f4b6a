"""The second stage: its files exist, and a change of a room makes the tests about it due."""

import subprocess

import pytest

from support.second_stage import PACKAGE, SECOND_STAGE, TESTS, belongs, changed_since, is_due


@pytest.mark.parametrize("name", SECOND_STAGE)
def test_its_files_and_rooms_exist(name):
    assert belongs(TESTS / name)
    assert (TESTS / name).is_file()
    assert all((TESTS.parent / PACKAGE / room).is_dir() for room in SECOND_STAGE[name])


@pytest.mark.parametrize(
    ("changed", "due"),
    [
        (["src/statuary/publishing/plan.py"], True),
        (["tests/pipeline/test_killed.py"], True),
        (["src/statuary/publishing_notes.py", "README.md", "src/statuary/domain/findings.py"], False),
        ([], False),
    ],
)
def test_what_changed_decides(changed, due):
    assert is_due(TESTS / "pipeline/test_killed.py", changed) is due


def test_a_commit_that_git_does_not_know_is_an_error():
    with pytest.raises(subprocess.CalledProcessError):
        changed_since("no-such-commit")


def test_other_tests_belong_to_the_first_stage():
    assert not belongs(TESTS / "pipeline/test_build.py")
    assert not belongs(TESTS.parent / "setup.py")
