"""Which tests are due follows from what changed since a branch left its target, or since the last tag, and from imports."""

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from support.due_tests import (
    Base,
    base_of_change,
    changed_since,
    due_tests,
    expected_seconds,
    nearest_first,
    shares,
)
from support.requirements import CHECKOUT
from support.run_records import OWN_OPTIONS

LONG_AGO = datetime.now(UTC) - timedelta(hours=36)
"""When every commit here was made: when something changed has no part in what is due."""

FILES = {
    "src/statuary/__init__.py": "",
    "src/statuary/domain/values.py": "ZERO = 0\n",
    "src/statuary/publishing/__init__.py": "",
    "src/statuary/publishing/plan.py": "from statuary.domain.values import ZERO\n",
    "src/statuary/publishing/notes.txt": "Read by plan.py.\n",
    "src/statuary/engine/build.py": "def build():\n    from statuary.publishing import plan\n",
    "src/statuary/engine/registry.py": 'EVERY = ("statuary.extensions.log.stage:open", "statuary.extensions.embed.page:made")\n',
    "src/statuary/extensions/log/stage.py": "from statuary.engine import registry\n",
    "src/statuary/extensions/embed/page.py": 'LATER = "statuary.domain.values:ZERO"\n',
    "tests/support/__init__.py": "",
    "tests/support/kills.py": "import statuary.engine.build\n",
    "tests/engine/test_killed.py": "import pytest\nfrom support import kills\npytestmark = pytest.mark.thorough\n"
    "def test_kill(): ...\n",
    "tests/publishing/test_interrupted.py": "import pytest\n@pytest.mark.thorough\ndef test_interrupt(): ...\n",
    "tests/publishing/test_plan.py": "def test_plan(): ...\n",
    "tests/extensions/log/test_log.py": "import pytest\npytestmark = pytest.mark.slow\ndef test_log(): ...\n",
    "tests/extensions/embed/test_page.py": "import pytest\npytestmark = pytest.mark.slow\ndef test_page(): ...\n",
    "README.md": "# A program\n",
}


def git(root: Path, *arguments: str) -> str:
    made = LONG_AGO.isoformat()
    environment = os.environ | {"GIT_AUTHOR_DATE": made, "GIT_COMMITTER_DATE": made}
    identity = ("-c", "user.name=Owner", "-c", "user.email=owner@git.example")
    command = ["git", *identity, *arguments]
    return subprocess.run(
        command, cwd=root, env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(root: Path, **files: str) -> None:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "Change something")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a repository with a program and its tests, on its main branch."""
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    commit(tmp_path, **FILES)
    return tmp_path


def due_since(root: Path, target: str = "") -> dict[str, int]:
    return due_tests(root, changed_since(root, base_of_change(root, target).commit))


def test_branch_behind_main_runs_own_tests(root: Path) -> None:
    git(root, "switch", "--quiet", "--create", "faster-plans")
    commit(root, **{"src/statuary/publishing/plan.py": "from statuary.domain import values\n"})
    commit(root, **{"README.md": "# A fast program\n"})
    git(root, "switch", "--quiet", "main")
    commit(root, **{"src/statuary/extensions/log/stage.py": "\n"})
    git(root, "switch", "--quiet", "faster-plans")
    due = due_since(root, "main")
    assert due == {"tests/publishing/test_interrupted.py": 1, "tests/engine/test_killed.py": 2}


REACHED = {
    "src/statuary/publishing/plan.py": {"interrupted", "killed"},
    "src/statuary/publishing/new.py": {"interrupted"},
    "src/statuary/publishing/notes.txt": {"interrupted", "killed"},
    "src/statuary/engine/build.py": {"killed"},
    "src/statuary/domain/values.py": {"interrupted", "killed", "page"},
    "src/statuary/extensions/log/stage.py": {"log"},
    "tests/support/kills.py": {"killed"},
    "tests/extensions/embed/data/page.html": {"page"},
    "tests/publishing/test_plan.py": set(),
    "README.md": set(),
    "pyproject.toml": {"interrupted", "killed", "log", "page"},
}


@pytest.mark.parametrize("path", REACHED)
def test_changed_file_selects_dependent_tests(root: Path, path: str) -> None:
    git(root, "switch", "--quiet", "--create", "change")
    commit(root, **{path: FILES.get(path, "") + "\n"})
    assert {Path(name).stem.removeprefix("test_") for name in due_since(root)} == REACHED[path]


def test_main_branch_compares_with_last_tag(root: Path) -> None:
    git(root, "tag", "v1.0.0")
    tagged = git(root, "rev-parse", "HEAD")
    commit(root, **{"src/statuary/extensions/log/stage.py": "\n"})
    assert base_of_change(root) == Base(tagged, "the tag v1.0.0")
    assert set(due_since(root)) == {"tests/extensions/log/test_log.py"}


def test_tagged_commit_compares_with_previous_tag(root: Path) -> None:
    git(root, "tag", "v1.0.0")
    commit(root, **{"src/statuary/extensions/log/stage.py": "\n"})
    git(root, "tag", "v1.1.0")
    assert set(due_since(root)) == {"tests/extensions/log/test_log.py"}


def test_untagged_main_selects_all_tests(root: Path) -> None:
    base = base_of_change(root)
    assert base.commit == ""
    assert "no tag" in base.why
    assert len(due_since(root)) == 4


def test_untagged_main_can_compare_latest_commits(root: Path) -> None:
    commit(root, **{"README.md": "# A faster program\n"})
    commit(root, **{"src/statuary/extensions/log/stage.py": "\n"})
    base = base_of_change(root, commits=2)
    assert base.commit == git(root, "rev-parse", "HEAD~2")
    assert set(due_tests(root, changed_since(root, base.commit))) == {"tests/extensions/log/test_log.py"}
    assert base_of_change(root, commits=99).commit == ""


def test_clone_compares_with_remote_main(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    clone = tmp_path_factory.mktemp("clone")
    git(root, "clone", "--quiet", str(root), str(clone))
    git(clone, "switch", "--quiet", "--create", "change")
    commit(clone, **{"tests/support/kills.py": "\n"})
    assert base_of_change(clone).commit == git(root, "rev-parse", "HEAD")
    assert set(due_since(clone)) == {"tests/engine/test_killed.py"}


def test_nearest_and_fastest_tests_run_first() -> None:
    due = {"far": 3, "near": 1, "near and quick": 1, "farther": 2}
    seconds = {"far": 1, "near": 30, "near and quick": 2, "farther": 9}
    assert nearest_first(due, seconds) == ["near and quick", "near", "farther", "far"]


def test_unrecorded_tests_count_average_time(tmp_path: Path) -> None:
    tests = {
        "known": "@pytest.mark.slow\n",
        "slow": "pytestmark = pytest.mark.slow\n",
        "both": "@pytest.mark.slow\n@pytest.mark.thorough\n",
        "new": "@pytest.mark.slow\n",
    }
    durations = {"known": {"": 1, "slow": 20}, "slow": {"slow": 40}, "both": {"": 3}}
    (tmp_path / "tests").mkdir()
    for name, text in tests.items():
        (tmp_path / f"tests/test_{name}.py").write_text(text)
    recorded = {f"tests/test_{name}.py": seconds for name, seconds in durations.items()}
    (tmp_path / "tests/durations.json").write_text(json.dumps(recorded))

    def expected(*tiers: str) -> dict[str, float]:
        return {
            path[len("tests/test_") : -len(".py")]: seconds
            for path, seconds in expected_seconds(tmp_path, tiers).items()
        }

    assert expected("") == {"both": 3, "known": 1, "new": 2}
    assert expected("slow") == {"both": 30, "known": 20, "new": 30, "slow": 40}
    assert expected("", "slow", "thorough") == {"both": 34, "known": 21, "new": 32, "slow": 40}


def test_ci_shares_take_equal_time() -> None:
    seconds = {"a": 8, "b": 5, "c": 4, "d": 3, "e": 3, "f": 1}
    parts = shares("abcdef", seconds, 3)
    assert sorted(sum(map(seconds.get, part)) for part in parts) == [8, 8, 8]
    assert [sorted(part) for part in parts] == parts


@pytest.mark.slow
def test_publishing_change_runs_crash_tests(tmp_path: Path) -> None:
    """Its one commit changes how a folder is written, a day and a half ago; the steps are those of the workflow."""
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(CHECKOUT), str(clone))
    git(clone, "update-ref", "refs/remotes/origin/target", "HEAD")
    git(clone, "switch", "--quiet", "--create", "faster-folder")
    (changed,) = clone.glob("src/statuary/*/folder/folder_target.py")
    commit(clone, **{changed.relative_to(clone).as_posix(): changed.read_text("utf-8") + "\n"})
    (clone / ".venv").symlink_to(sys.prefix)
    job = yaml.safe_load((clone / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]["due"]
    (step,) = (step for step in job["steps"] if "SHARE" in step.get("env", {}))
    choose, run = step["run"].splitlines()

    def in_clone(line: str, **variables: str) -> str:
        environment = {**OWN_OPTIONS, **variables, "GITHUB_BASE_REF": "target"}
        command = ["bash", "-eo", "pipefail", "-c", line]
        done = subprocess.run(
            command, cwd=clone, env=environment, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    due = []
    for share in job["strategy"]["matrix"]["share"]:
        in_clone(choose, SHARE=share)
        due += (clone / "files").read_text("utf-8").splitlines()
    assert len(due) == len(set(due))
    crashes = ["test_interrupted_builds.py", "test_interrupted_publication.py", "test_ledger_damage.py"]
    assert {Path(name).name for name in due} >= {*crashes}
    [interrupted] = [name for name in due if name.endswith(crashes[1])]
    (clone / "files").write_text(interrupted, "utf-8")
    assert re.search(r"\d+ passed", in_clone(run))
