"""The command that makes generated files again knows all of their generators."""

import re

import pytest

from support.regenerate import STEPS, main
from support.requirements import CHECKOUT

GENERATORS = sorted(
    path.relative_to(CHECKOUT).as_posix()
    for path in (CHECKOUT / "tests").rglob("*.py")
    if re.match(r'"""[^"]*\bwrites? [^"\n]* (again|into src/ARCHITECTURE.md)\b', path.read_text("utf-8"))
)
"""Scripts whose docstring says that they write a file again."""

ACCEPTING = sorted(
    path.relative_to(CHECKOUT).as_posix()
    for path in (CHECKOUT / "tests").rglob("test_*.py")
    if '"BLESS" in os.environ' in path.read_text("utf-8") and path.name != "test_regenerate.py"
)
"""Tests that write what they expect."""


def test_generator_scripts_are_found() -> None:
    assert len(GENERATORS) >= 6
    assert len(ACCEPTING) >= 4


@pytest.mark.parametrize("path", [*GENERATORS, *ACCEPTING])
def test_regenerate_command_runs_every_generator(path: str) -> None:
    arguments = [argument for step in STEPS for argument in step.arguments]
    assert any(path == argument or path.startswith(f"{argument}/") for argument in arguments)


def test_regenerate_list_prints_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [step.name for step in STEPS]


def test_regenerate_with_unknown_name_exits_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gold"]) == 2
    assert "unknown: gold" in capsys.readouterr().err
