"""The workflow that notifies channels: a test message by hand, then each update once, with the state of the last run."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from support.receivers import receiver
from support.sites import SITE, small_site, write_files
from support.workflow_runs import set_up, write_program

pytestmark = pytest.mark.slow

CHANNEL = "notify:\n  channels:\n    - {name: team, kind: slack, url_variable: TEAM_URL}\n"
BEFORE, AFTER = "1793620000", "1793621400"  # 2026-11-02T11:46:40Z and 12:10:00Z
LATER = "name: Later\ncomponents: {rpc: major_outage}\nupdates:\n  - {at: 2026-11-02T11:50:00Z, status: investigating}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_files(small_site(tmp_path), {"site.yaml": SITE + CHANNEL})
    write_program(tmp_path / ".venv/bin/statuary")
    set_up(tmp_path, "netlify")
    return tmp_path


def run(project: Path, name: str, now: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the workflow; the published site is a folder here."""
    workflow = yaml.safe_load((project / ".github/workflows/notify.yml").read_text("utf-8"))
    (job,) = workflow["jobs"].values()
    (step,) = [step for step in job["steps"] if step.get("name") == name]
    assert step["env"] == {"TEAM_URL": "${{ secrets.TEAM_URL }}"}
    script = step["run"].replace("https://status.plinth.example", str(project / "build"))
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=project,
        env={**os.environ, "SOURCE_DATE_EPOCH": now, **variables},
        check=False,
        capture_output=True,
        text=True,
    )


def build(project: Path, now: str) -> None:
    command = [project / ".venv/bin/statuary", "build"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": now}
    subprocess.run(command, cwd=project, env=environment, check=True, capture_output=True)


def test_notify_workflow_sends_each_update_once(project):
    with receiver() as served:
        tested = run(project, "Send a test message", BEFORE, TEAM_URL=served.url)
        assert tested.returncode == 0, tested.stderr
        build(project, BEFORE)
        assert "is new" in run(project, "Send", BEFORE, TEAM_URL=served.url).stdout
        write_files(project / "content", {"incidents/later.yaml": LATER})
        build(project, AFTER)
        assert "1 message sent" in run(project, "Send", AFTER, TEAM_URL=served.url).stdout
        assert "0 messages sent" in run(project, "Send", AFTER, TEAM_URL=served.url).stdout
        texts = [request.value["text"] for request in served.requests]
    assert texts == ["Test message of Plinth", "Investigating: Later"]


def test_notify_workflow_without_secret_fails(project):
    failed = run(project, "Send a test message", BEFORE, TEAM_URL="")
    assert failed.returncode == 1
    assert "the variable TEAM_URL is not set" in failed.stderr
