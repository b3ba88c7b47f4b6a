"""Which tests run is decided by their markers, and by what the command line names."""

import subprocess
import sys
import tomllib

import pytest

from support.requirements import CHECKOUT
from support.run_records import OWN_OPTIONS
from support.tiers import few_by_default

TESTS = {
    "test_parts.py": """
import pytest

def test_quick(): ...

@pytest.mark.slow
def test_program(): ...

@pytest.mark.thorough
def test_kill(): ...
""",
    "test_kills.py": "import pytest\n\npytestmark = pytest.mark.thorough\n\ndef test_kills(): ...\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A checkout with the options and the conftest of this one, and tests of each tier."""
    folder = tmp_path_factory.mktemp("tiers")
    (folder / "tests").mkdir()
    for name in ("pyproject.toml", "tests/conftest.py"):
        (folder / name).write_bytes((CHECKOUT / name).read_bytes())
    (folder / "tests/support").symlink_to(CHECKOUT / "tests/support")
    for name, text in TESTS.items():
        (folder / "tests" / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("arguments", "tests"),
    few_by_default(
        [
            ([], ["quick"]),
            (["tests"], ["quick"]),
            (["-m", "slow"], ["program"]),
            (["-m", "thorough"], ["kill", "kills"]),
            (["-m", ""], ["kill", "kills", "program", "quick"]),
            (["tests/test_kills.py"], ["kills"]),
            (["tests/test_parts.py::test_program"], ["program"]),
            (["tests/test_parts.py", "-m", "thorough"], ["kill"]),
        ],
        2,
    ),
)
def test_marker_or_file_selects_tests(folder, arguments, tests):
    assert collected(folder, *arguments) == tests


def collected(folder, *arguments):
    """Return the names of the tests that would run, without "test_"."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *arguments], cwd=folder, env=OWN_OPTIONS, capture_output=True, text=True, check=True
    )
    return sorted(line.rpartition("::test_")[2] for line in done.stdout.splitlines() if "::" in line)


def test_every_marker_is_described():
    options = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    assert {line.partition(":")[0] for line in options["markers"]} == {"slow", "thorough"}
