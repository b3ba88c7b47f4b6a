"""The second stage of the tests: those that kill, interrupt, damage or wait by the clock, and the rooms that they are about.

They take a third of the time of all tests. `pytest` leaves them out, unless a file is named or STATUARY_THOROUGH is
"true"; `pytest --second-stage REV` adds those whose rooms have changed since a commit.
"""

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

TESTS = Path(__file__).parents[1]
PACKAGE = "src/statuary"

SECOND_STAGE = {
    "cli/editing/test_concurrent_edits.py": ("cli/editing", "editing"),
    "documents/pages/test_theme_sandbox.py": ("documents/pages",),
    "extensions/cluster/test_cluster.py": ("extensions/cluster", "pipeline"),
    "extensions/log/test_ci_histories.py": ("extensions/log", "publishing"),
    "extensions/log/test_log_killed.py": ("extensions/log", "publishing"),
    "extensions/log/test_two_publishers.py": ("extensions/log", "extensions/object_stores"),
    "extensions/snapshots/test_damage.py": ("extensions/snapshots", "publishing"),
    "extensions/snapshots/test_minisign.py": ("extensions/snapshots",),
    "pipeline/test_damage_at_rest.py": ("pipeline", "publishing"),
    "pipeline/test_defects.py": ("checks", "documents", "pipeline"),
    "pipeline/test_hostile_records.py": ("checks", "documents", "domain", "pipeline"),
    "pipeline/test_killed.py": ("pipeline", "publishing"),
    "pipeline/test_workers.py": ("pipeline",),
    "publishing/test_interrupted.py": ("publishing",),
    "publishing/test_ledger_damage.py": ("publishing",),
    "test_hostile_servers.py": (
        "extensions/conform",
        "extensions/http",
        "extensions/importing",
        "extensions/snapshots",
    ),
}
"""Files of tests, with the rooms of the package that they are about; a change of the file itself counts too."""


def belongs(path: Path) -> bool:
    """Whether a file of tests belongs to the second stage."""
    return path.is_relative_to(TESTS) and path.relative_to(TESTS).as_posix() in SECOND_STAGE


def is_due(path: Path, changed: Iterable[str]) -> bool:
    """Whether a file of the second stage is about a room in which one of the changed paths stands."""
    name = path.relative_to(TESTS).as_posix()
    rooms = (f"tests/{name}", *(f"{PACKAGE}/{room}/" for room in SECOND_STAGE[name]))
    return any(file.startswith(rooms) for file in changed)


def changed_since(revision: str) -> Sequence[str]:
    """Return the paths that differ between a commit and the work tree.

    Raises:
        subprocess.CalledProcessError: if git does not know the commit.
    """
    command = ["git", "diff", "--name-only", "-z", revision]
    output = subprocess.run(command, cwd=TESTS.parent, check=True, capture_output=True, text=True).stdout
    return [path for path in output.split("\0") if path]
