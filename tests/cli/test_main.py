"""The command line itself: how commands are found, fail and are interrupted."""

import gc
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from statuary.base.errors import StatuaryError
from statuary.cli import main
from statuary.cli.exit_codes import ExitCode
from support.sites import NOW, small_site


def interrupted() -> None:
    raise KeyboardInterrupt


def interrupted_while_cleaning_up() -> None:
    try:
        raise KeyboardInterrupt
    finally:
        raise sqlite3.OperationalError("database is locked")


def interrupted_and_reported_otherwise() -> None:
    try:
        interrupted()
    except KeyboardInterrupt as error:
        raise RuntimeError("a worker died") from error


@pytest.mark.parametrize(
    "work", [interrupted, interrupted_while_cleaning_up, interrupted_and_reported_otherwise]
)
def test_ctrl_c_during_error_reports_interruption(monkeypatch, work):
    monkeypatch.setattr(main.LazyGroup, "get_command", lambda *_: click.Command("build", callback=work))
    done = CliRunner().invoke(main.command, ["build"])
    assert done.exit_code == ExitCode.INTERRUPTED
    assert done.stderr.strip() == f"statuary: interrupted; {main.COMMANDS['build'].interrupted}"


def test_ctrl_c_during_import_exits_quietly():
    script = (
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'statuary.cli.main': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from statuary.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-X", "utf8", "-c", script], check=False, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_ctrl_c_in_finalizer_interrupts_command():
    """Python raises nothing out of a finalizer, nor out of some calls of Pydantic."""
    script = (
        "import time, click\n"
        "from statuary.__main__ import main\n"
        "from statuary.cli.main import LazyGroup\n"
        "class Lost:\n"
        "    def __del__(self): raise KeyboardInterrupt\n"
        "def work():\n"
        "    Lost()\n"
        "    for _ in range(2000): time.sleep(0.01)\n"
        "LazyGroup.get_command = lambda *_: click.Command('check', callback=work)\n"
        "main()\n"
    )
    arguments = [sys.executable, "-X", "utf8", "-c", script, "check"]
    done = subprocess.run(arguments, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "\nstatuary: interrupted\n")


def test_interrupted_readonly_command_prints_short_message(monkeypatch):
    monkeypatch.setattr(
        main.LazyGroup, "get_command", lambda *_: click.Command("check", callback=interrupted)
    )
    done = CliRunner().invoke(main.command, ["check"])
    assert (done.exit_code, done.stderr.strip()) == (ExitCode.INTERRUPTED, "statuary: interrupted")


def test_error_message_and_hint_are_escaped(monkeypatch):
    def failing() -> None:
        raise StatuaryError("no\x1b[31m\n::stop-commands::x", "do\nthat")

    monkeypatch.setattr(main.LazyGroup, "get_command", lambda *_: click.Command("build", callback=failing))
    done = CliRunner().invoke(main.command, ["build"])
    assert done.exit_code == ExitCode.FAILED
    assert done.stderr == "statuary: no\\x1b[31m\n    | ::stop-commands::x\n    do\\nthat\n"


def test_unexpected_error_prints_short_message(monkeypatch):
    def broken() -> None:
        raise RuntimeError("no idea")

    monkeypatch.setattr(main.LazyGroup, "get_command", lambda *_: click.Command("build", callback=broken))
    done = CliRunner().invoke(main.command, ["build"])
    assert done.exit_code == ExitCode.FAILED
    assert done.stderr.startswith("statuary: unexpected RuntimeError: 'no idea' in cli/main.py:")
    assert "a defect of statuary" in done.stderr


def test_development_mode_shows_traceback():
    code = "from statuary.cli import main; main.LazyGroup.get_command = None; main.command(['build'])"
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", code], check=False, capture_output=True, text=True
    )
    assert "Traceback" in done.stderr


def test_misspelled_command_gets_suggestion():
    done = CliRunner().invoke(main.command, ["biuld"])
    assert (done.exit_code, "Did you mean 'build'?" in done.stderr) == (2, True)


def test_startup_modules_skip_garbage_collection():
    code = """
import gc
from click.testing import CliRunner
from statuary.cli.main import command
gc.disable()
assert CliRunner().invoke(command, ["next", "--help"]).exit_code == 0
assert gc.isenabled() and gc.get_freeze_count() > 10_000
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_enabled_garbage_collector_is_left_unchanged():
    frozen = gc.get_freeze_count()
    assert CliRunner().invoke(main.command, ["next", "--help"]).exit_code == 0
    assert gc.get_freeze_count() == frozen


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("unbuffered", ["1", ""])
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--help"], "statuary: writing the output: No space left on device\n"),
        (["schema", "incident"], "statuary: writing the output: No space left on device\n"),
        (["nope"], None),
    ],
)
def test_full_stdout_exits_3_with_error(arguments, sentence, unbuffered):
    run = [sys.executable, "-m", "statuary", *arguments]
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            run, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=environment
        )
        silent = subprocess.run(run, stdout=full, stderr=full, check=False, env=environment)
    assert silent.returncode == 3
    if sentence is None:  # all that it says is an error
        assert done.returncode == 2
    else:
        assert (done.returncode, done.stderr) == (3, sentence)


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", ["1", ""])
@pytest.mark.parametrize("arguments", [["--help"], ["schema", "incident"]])
def test_closed_stdout_pipe_exits_without_message(arguments, unbuffered):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "statuary", *arguments],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(os.name != "posix", reason="names of files are Unicode on Windows")
def test_file_names_are_always_utf8(tmp_path):
    content = os.fsencode(small_site(tmp_path))
    wrong = Path(os.fsdecode(content + "/incidents/größe.yaml".encode()))
    wrong.write_text("name: [\n")
    known = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))}
    ascii_alone = known | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    check = [sys.executable, "-m", "statuary", "check", "--now", NOW]
    done = subprocess.run(check, cwd=tmp_path, env=ascii_alone, capture_output=True, check=False)
    assert "content/incidents/größe.yaml:2:1: error:".encode() in done.stdout
