"""What a build of a small site loads of this package, and what a build of any site can reach."""

import subprocess
import sys
from pathlib import Path

import pytest

from architecture.code import modules
from architecture.figures import reachable

LOADED = """
import atexit, sys
atexit.register(lambda: print(*(name for name in sys.modules if name.partition(".")[0] == "statuary"), sep="\\n"))
from statuary.__main__ import main
main()
"""

MOST_LINES = {"first": 21_250, "incident": 19_150, "unchanged": 13_800}
"""Lines of the modules that a build of the site of `statuary init` loads: its first one, one after a change of an
incident, and one of the same content an hour later."""

MOST_REACHED = 32_150
"""Lines of the modules that a build can reach, imports inside functions and for types alone included."""

NOON, LATER = "2026-11-22T12:00:00Z", "2026-11-22T13:00:00Z"


def loaded(folder: Path, *arguments: str) -> set[str]:
    """Return the modules of this package that a command loads."""
    run = [sys.executable, "-c", LOADED, *arguments]
    done = subprocess.run(run, cwd=folder, check=True, capture_output=True, text=True)
    return {
        name for name in done.stdout.splitlines() if name.partition(".")[0] == "statuary"
    } & modules().keys()


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Return the modules that each build of a new site loads."""
    folder = tmp_path_factory.mktemp("site")
    loaded(folder, "init", "--demo", "--now", NOON)
    first = loaded(folder, "build", "--now", NOON)
    (incident,) = (folder / "content/incidents").iterdir()
    incident.write_text(incident.read_text("utf-8").replace("name: ", "name: Very ", 1), "utf-8")
    changed = loaded(folder, "build", "--now", NOON)
    return {"first": first, "incident": changed, "unchanged": loaded(folder, "build", "--now", LATER)}


@pytest.mark.parametrize("build", MOST_LINES)
def test_a_build_loads_little(builds: dict[str, set[str]], build: str) -> None:
    lines = {name: modules()[name].text.count("\n") for name in builds[build]}
    assert "statuary.pipeline.build" in lines
    assert sum(lines.values()) <= MOST_LINES[build], sorted(lines)


@pytest.mark.parametrize("build", MOST_LINES)
def test_a_build_loads_no_extension(builds: dict[str, set[str]], build: str) -> None:
    assert not {name for name in builds[build] if name.startswith("statuary.extensions.")}


def test_a_build_reaches_little() -> None:
    names = reachable(modules(), "statuary.pipeline.build")
    assert sum(modules()[name].text.count("\n") for name in names) <= MOST_REACHED
