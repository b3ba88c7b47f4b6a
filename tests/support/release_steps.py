"""The steps of the release workflow, run here: in a fresh clone, in the shell that GitHub uses, apart from what needs GitHub."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from statuary.version import VERSION
from support.requirements import CHECKOUT

INSTALLS = ".ci/make-environment "
"""What begins the one command with which a job installs."""

OFFLINE = CHECKOUT / ".ci/offline"


def fresh_clone(folder: Path) -> Path:
    """Clone the last commit of this checkout, and set what the owner sets before a release."""
    if not (CHECKOUT / ".git").exists():
        pytest.skip("the tests are in no clone: a release is made of a commit; to have it: git clone")
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", CHECKOUT, folder], check=True)
    _edit(
        folder / "pyproject.toml",
        r'(?m)^repository = ".*?"',
        'repository = "https://git.example/owner/statuary"',
    )
    _edit(folder / "CHANGELOG.md", r"(?m)^## Unreleased$", "## More")
    identity = ["-c", "user.name=Owner", "-c", "user.email=owner@git.example"]
    subprocess.run(["git", *identity, "commit", "--quiet", "--all", "-m", "Release"], cwd=folder, check=True)
    return folder


def _edit(file: Path, old: str, new: str) -> None:
    file.write_text(re.sub(old, new, file.read_text("utf-8"), count=1), "utf-8")


def steps(clone: Path, job: str) -> list[dict[str, Any]]:
    """Return the steps of a job that run a command."""
    workflow = yaml.safe_load((clone / ".github/workflows/release.yml").read_text("utf-8"))
    return [step for step in workflow["jobs"][job]["steps"] if "run" in step]


def run_job(clone: Path, job: str) -> list[str]:
    """Run the commands of a job, those after the last installation without a network, where the machine permits that.

    Returns:
        What each printed.

    Raises:
        subprocess.CalledProcessError: if one fails.
    """
    commands = steps(clone, job)
    last = max(number for number, step in enumerate(commands) if step["run"].startswith(INSTALLS))
    cut = _offline()
    return [
        _run(step, clone, cut if number > last and job == "build" else ())
        for number, step in enumerate(commands)
    ]


def _offline() -> tuple[str, ...]:
    permitted = subprocess.run([OFFLINE, "true"], capture_output=True, check=False).returncode == 0
    return (str(OFFLINE),) if permitted else ()


def _run(step: dict[str, Any], clone: Path, before: tuple[str, ...]) -> str:
    context = {"github.ref_name": f"v{VERSION}"}
    variables = {name: _filled(str(value), context) for name, value in step.get("env", {}).items()}
    # the Python of these tests stands for that of setup-python
    path = os.pathsep.join((str(Path(sys.base_prefix, "bin")), os.environ["PATH"]))
    command = [*before, "bash", "-e", "-o", "pipefail", "-c", step["run"]]
    environment = os.environ | variables | {"PATH": path}
    done = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{step['run']}\n{done.stdout}{done.stderr}"
    return done.stdout


def _filled(text: str, context: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda match: context[match[1]], text)
