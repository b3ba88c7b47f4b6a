"""The workflows of the manual that send notifications, with a real store of S3 and a receiver on loopback."""

import os
import re
import subprocess
import sys

import pytest
import yaml

from support.manual import MANUAL
from support.manual_blocks import blocks_of, file_in
from support.receivers import receiver
from support.requirements import CHECKOUT, require_module
from support.sites import SITE, small_site, write_files

PAGE = MANUAL / "automation.md"
ACTION = CHECKOUT / ".github/actions/statuary/action.yml"
CHANNEL = "notify:\n  channels:\n    - {name: operations, kind: slack, url_variable: SLACK_WEBHOOK_URL}\n"
LATER = "content/incidents/later.yaml"
WRITTEN = "name: Later\ncomponents: {rpc: major_outage}\nupdates:\n  - {at: 2026-11-02T11:50:00Z, status: investigating}\n"


@pytest.fixture
def bucket(moto_server, bucket_name):
    require_module("obstore", install='pip install "statuary[s3]"')
    return moto_server, moto_server.make_bucket(bucket_name)


class Job:
    """A job of a workflow on a site whose store is the test's."""

    def __init__(self, folder, bucket, served) -> None:
        self.folder = folder
        server, self.url = bucket
        write_files(small_site(folder), {"site.yaml": SITE + CHANNEL})
        programs = folder / "temp/statuary/bin"
        write_files(programs, {"statuary": f'#!/bin/sh\nexec "{sys.executable}" -m statuary "$@"\n'})
        (programs / "statuary").chmod(0o755)
        self.environment = {
            **os.environ,
            **server.environment(),
            "PATH": f"{programs}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(folder / "temp"),
            "GITHUB_OUTPUT": str(folder / "output"),
            "SLACK_WEBHOOK_URL": served.url,
        }

    def is_due(self, condition):
        """Say whether a step runs: `publish`, `to` and `notify` are given, so the code of the build decides."""
        rest = re.sub(r"inputs\.\w+ != '[^']*'|inputs\.publish == 'true'|&&|\s", "", condition)
        if not rest:
            return "!= 'true'" not in condition
        assert rest == "steps.build.outputs.code=='4'"
        return "code=4" in (self.folder / "output").read_text().splitlines()

    def run(self, script, now, **variables):
        """Run a step as the runner does."""
        written = script.replace("s3://bucket", self.url)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", written],
            cwd=self.folder,
            env={**self.environment, **variables, "SOURCE_DATE_EPOCH": now},
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


BEFORE, AFTER = "1793620000", "1793621400"  # 2026-11-02T11:46:40Z and 12:10:00Z


def steps_by_hand(job, now):
    block = next(block.text for block in blocks_of(PAGE) if block.text.startswith("steps:"))
    checkout, install, *steps = yaml.safe_load(block)["steps"]
    assert checkout == {"uses": "actions/checkout@v4"}
    assert install["run"].startswith("pipx install")
    said = ""
    for step in steps:
        if job.is_due(step.get("if", "")):
            said += job.run(step["run"], now)
    return said


def steps_of_the_action(job, now):
    """Run the steps of the action with the inputs of the manual, as the runner resolves them."""
    workflow = yaml.safe_load(file_in(PAGE, ".github/workflows/site.yml"))
    (site,) = workflow["jobs"].values()
    assert set(site["env"]) >= {"SLACK_WEBHOOK_URL"}
    checkout, call = site["steps"]
    assert checkout == {"uses": "actions/checkout@v4"}
    action = yaml.safe_load(ACTION.read_text("utf-8"))
    assert set(call["with"]) <= set(action["inputs"])
    inputs = {name: given["default"] for name, given in action["inputs"].items()} | call["with"]
    resolved = {
        f"${{{{ inputs.{name} }}}}": text.replace("s3://bucket", job.url) for name, text in inputs.items()
    }
    said = ""
    for step in action["runs"]["steps"]:
        if "run" in step and step["name"] != "Install" and job.is_due(step.get("if", "")):
            variables = {name: resolved[text] for name, text in step.get("env", {}).items()}
            said += job.run(step["run"], now, **variables)
    return said


@pytest.mark.slow
@pytest.mark.parametrize("steps", [steps_by_hand, steps_of_the_action])
def test_notify_workflow_sends_published_update_once(tmp_path, bucket, steps):
    with receiver() as served:
        job = Job(tmp_path, bucket, served)
        assert "is new: it receives events after" in steps(job, BEFORE)
        write_files(tmp_path, {LATER: WRITTEN})
        assert "1 message sent, 0 not sent" in steps(job, AFTER)
        assert "0 messages sent, 0 not sent" in steps(job, AFTER)
    assert [request.value["text"] for request in served.requests] == ["Investigating: Later"]


def test_manual_table_lists_every_action_input():
    text = PAGE.read_text("utf-8")
    table = re.findall(r"^\| `(\w+)` \| (?:`([^`]*)`)?", text, re.MULTILINE)
    inputs = yaml.safe_load(ACTION.read_text("utf-8"))["inputs"]
    assert [name for name, _ in table] == sorted(inputs, key=[name for name, _ in table].index)
    assert {name: default for name, default in table if default} == {
        name: given["default"] for name, given in inputs.items() if given["default"] and name != "install"
    }
