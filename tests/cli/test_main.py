"""The command line itself: how commands are found, and how one ends that is interrupted."""

import gc
import sqlite3
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from statuary.cli import main
from statuary.cli.exit_codes import ExitCode


def interrupted() -> None:
    raise KeyboardInterrupt


def interrupted_while_cleaning_up() -> None:
    try:
        raise KeyboardInterrupt
    finally:
        raise sqlite3.OperationalError("database is locked")


def interrupted_and_told_so() -> None:
    try:
        interrupted()
    except KeyboardInterrupt as error:
        raise RuntimeError("a worker is gone") from error


@pytest.mark.parametrize("work", [interrupted, interrupted_while_cleaning_up, interrupted_and_told_so])
def test_ctrl_c_is_ctrl_c_whatever_comes_of_it(monkeypatch, work):
    monkeypatch.setattr(main.LazyGroup, "get_command", lambda *_: click.Command("build", callback=work))
    done = CliRunner().invoke(main.command, ["build"])
    assert done.exit_code == ExitCode.INTERRUPTED
    assert done.stderr.strip() == f"statuary: interrupted; {main.AFTER_INTERRUPTION['build']}"


def test_a_command_that_leaves_nothing_half_done_promises_nothing(monkeypatch):
    monkeypatch.setattr(
        main.LazyGroup, "get_command", lambda *_: click.Command("check", callback=interrupted)
    )
    done = CliRunner().invoke(main.command, ["check"])
    assert (done.exit_code, done.stderr.strip()) == (ExitCode.INTERRUPTED, "statuary: interrupted")


def test_a_defect_is_not_hidden(monkeypatch):
    def broken() -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(main.LazyGroup, "get_command", lambda *_: click.Command("build", callback=broken))
    assert isinstance(CliRunner().invoke(main.command, ["build"]).exception, RuntimeError)


def test_a_misspelled_command_is_guessed():
    done = CliRunner().invoke(main.command, ["biuld"])
    assert (done.exit_code, "Did you mean 'build'?" in done.stderr) == (2, True)


def test_what_was_imported_is_never_looked_through_for_garbage():
    code = """
import gc
from click.testing import CliRunner
from statuary.cli.main import command
gc.disable()
assert CliRunner().invoke(command, ["next", "--help"]).exit_code == 0
assert gc.isenabled() and gc.get_freeze_count() > 10_000
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_looking_for_garbage_is_left_alone_where_nobody_put_it_off():
    frozen = gc.get_freeze_count()
    assert CliRunner().invoke(main.command, ["next", "--help"]).exit_code == 0
    assert gc.get_freeze_count() == frozen
