"""Examples of help pages: each runs as it is printed, in a project that has what it names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from statuary.cli.examples import read_examples

pytestmark = pytest.mark.slow

DAY = (
    "init",
    "build",
    "check",
    "tick",
    "next",
    "incident open",
    "incident list",
    "incident update",
    "$ git commit -qam Update",
    "incident resolve",
    "incident reopen",
    "$ statuary incident resolve slow",
    "incident postmortem",
    "$ git commit -qam Postmortem",
    "component set",
    "component list",
    "incident",
    "maintenance schedule",
    "maintenance list",
    "maintenance reschedule",
    "maintenance start",
    "maintenance update",
    "maintenance complete",
    '$ statuary maintenance schedule --name "RPC upgrade" --scheduled-for 2030-12-03T22:00:00Z --duration 1h --component rpc',
    "$ rm content/maintenances/2030-12-01-rpc-upgrade.yaml",
    "maintenance cancel",
    "maintenance",
    "merge-records",
    "explain",
    "schema",
    "theme preview",
    "$ rm -r theme-preview",
    "theme",
    "report",
    "notify",
    "pack reader",
    "pack make",
    "pack verify",
    "pack",
    "$ touch new.jsonl",
    "pack update",
    "pack merge",
    "log init",
    "$ statuary build --log-key ../status.log-key --init-log",
    "log rotate",
    "snapshot create",
    "$ cp site.zip yesterday.zip",
    "snapshot diff",
    "snapshot verify",
    "snapshot",
    "extract",
    "hosting",
    "$ rm netlify.toml",
    "setup",
)
"""Commands with examples, in an order in which each has what it needs; `$` begins another command."""

NOT_RUN = {
    "statuary build --to s3://bucket/status": "needs an object store",
    "statuary check record.json": "needs a record",
}
"""Examples of these commands that do not run here, and why."""

OTHER_TESTS = {
    "import": "extensions/importing",
    "contract": "manual/test_contract_tutorial.py",
    "signing": "extensions/clear_signing",
    "pack read": "extensions/packs",
    "log check": "extensions/log",
    "log history": "extensions/log",
    "log verify": "extensions/log",
    "log witness": "extensions/log",
    "log": "extensions/log",
    "mirror": "extensions/mirror",
    "publish": "extensions/object_stores",
    "conform": "extensions/conform",
    "component": "the same as that of component set",
    "snapshot sign": "extensions/snapshots",
    "incident from-alert": "extensions/alerts",
    "serve": "extensions/serving",
    "probe": "extensions/metrics",
    "upstream": "extensions/upstream",
}
"""Commands that need a server, a chain, a key or settings, and the tests that run them."""


def lines_of_day() -> list[str]:
    """Return the command lines in order, each example as its help page prints it."""
    lines: list[str] = []
    for entry in DAY:
        examples = [entry.removeprefix("$ ")] if entry.startswith("$ ") else read_examples()[entry]
        lines += [line for line in examples if line not in NOT_RUN]
    return lines


def test_every_help_example_is_run() -> None:
    elsewhere = [words for words in read_examples() if words not in DAY]
    unknown = [
        words for words in elsewhere if words not in OTHER_TESTS and words.split()[0] not in OTHER_TESTS
    ]
    assert unknown == []


def test_help_examples_run_as_printed(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (tmp_path / "home").mkdir()
    project.mkdir()
    (project / "postmortem.md").write_text("A disk was full.\n", "utf-8")
    environment = {
        "HOME": str(tmp_path / "home"),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        **{
            f"GIT_{role}_{part}": "ops@example.org"
            for role in ("AUTHOR", "COMMITTER")
            for part in ("NAME", "EMAIL")
        },
    }
    failed = []
    for line in lines_of_day():
        done = subprocess.run(
            ["/bin/sh", "-c", line], cwd=project, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            failed.append(f"$ {line}\n{done.stdout}{done.stderr}-> {done.returncode}")
        if line.startswith("statuary init"):
            with (project / "content/site.yaml").open("a", encoding="utf-8") as settings:
                settings.write("packs: true\n")
        if line.startswith("statuary log init"):
            with (project / "content/site.yaml").open("a", encoding="utf-8") as settings:
                settings.write("log:\n  origin: status.example.org/log\n")
    assert failed == [], "\n".join(failed)
