"""The page about Python: its programs run as they stand there, and pass mypy as a user's own programs do."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from support.manual import MANUAL

PROGRAMS = re.findall(
    r"^```python\n(.*?)^```$", (MANUAL / "automation.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
)

PRINTED = (
    ("0 replaced, 0 kept\n", "build again by 2026-12-"),
    ("{}\n", "0 excluded\n"),
    ("All Systems Operational\n", "Public RPC: operational\n", "has no api/v2/missing.json\n"),
)
"""What each program prints, among other lines."""

NOW = "1795168800"
"""2026-11-20T10:00:00Z."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with new content and the site that the first program builds from it, and what that prints."""
    folder = tmp_path_factory.mktemp("project")
    options = ["--content", str(folder / "content"), "--now", "2026-11-20T10:00:00Z"]
    assert CliRunner().invoke(command, ["init", "--demo", *options]).exit_code == 0
    return folder, run(PROGRAMS[0], folder).stdout


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SOURCE_DATE_EPOCH": NOW}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("number", range(3))
def test_manual_python_program_prints_documented_output(number: int, project: tuple[Path, str]) -> None:
    folder, first = project
    printed = first if number == 0 else run(PROGRAMS[number], folder).stdout
    assert [text for text in PRINTED[number] if text not in printed] == [], printed


def test_python_manual_page_has_three_programs() -> None:
    assert len(PROGRAMS) == len(PRINTED) == 3


@pytest.mark.slow
def test_manual_python_programs_pass_mypy_strict(tmp_path: Path) -> None:
    for number, program in enumerate(PROGRAMS):
        (tmp_path / f"program_{number}.py").write_text(program, encoding="utf-8")
    options = ["--strict", "--no-error-summary", "--cache-dir", str(tmp_path / "cache")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *map(str, sorted(tmp_path.glob("*.py")))],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
