"""A site without a push for forty days is fresh: the schedule that `statuary setup` wrote starts the host's own build."""

import json
import os
import re
import subprocess
import tomllib
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from statuary.cli.main import command as statuary
from statuary.extensions.hosting.host_files import HostOptions
from statuary.extensions.hosting.hosts import HOSTS
from statuary.publish.locations import open_location
from support.receivers import receiver
from support.requirements import require_module
from support.sites import SITE, small_site, write_files
from support.workflow_runs import set_up, write_program

pytestmark = pytest.mark.slow

LAST_PUSH = datetime(2026, 11, 20, 12, tzinfo=UTC)
NOW = LAST_PUSH + timedelta(days=40)
STALE_NOTICE = re.compile(r'<p id="stale"[^>]*?class="notice"( hidden)?')
"""The notice that a page may be out of date, and whether it is hidden."""


def cron_values(field: str, least: int, greatest: int) -> set[int]:
    """Return the values of a field of cron: `*`, `*/15`, or a list of numbers."""
    if field.startswith("*"):
        return set(range(least, greatest + 1, int(field.partition("/")[2] or 1)))
    return {int(value) for value in field.split(",")}


def last_cron_run(cron: str, before: datetime) -> datetime:
    """Return the last minute before an instant at which cron runs a line, by the rules that GitHub documents."""
    minutes, hours, days, months, weekdays = cron.split()
    assert "*" in (days, weekdays), "both limit the day: either is enough then"
    allowed = (
        cron_values(minutes, 0, 59),
        cron_values(hours, 0, 23),
        cron_values(days, 1, 31),
        cron_values(months, 1, 12),
        cron_values(weekdays, 0, 6),
    )
    at = before.replace(second=0, microsecond=0)
    while True:
        at -= timedelta(minutes=1)
        fields = (at.minute, at.hour, at.day, at.month, at.isoweekday() % 7)
        if all(value in values for value, values in zip(fields, allowed, strict=True)):
            return at


class Project:
    """A project of an owner who pushed once, and whose host keeps nothing but the site."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.site = folder, folder / "build"
        write_program(folder / ".venv/bin/statuary")
        npx = folder / "programs/npx"
        write_files(folder, {"programs/npx": f"#!/bin/sh\necho \"$@\" >> '{folder}/deployed'\n"})
        npx.chmod(0o755)

    def run(self, script: str, now: datetime, **variables: str) -> None:
        """Run a script as a host does."""
        environment = {
            **os.environ,
            "PATH": f"{self.folder}/programs:{os.environ['PATH']}",
            "SOURCE_DATE_EPOCH": str(int(now.timestamp())),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            **variables,
        }
        done = subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=self.folder,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def workflow(self, name: str) -> Any:
        return yaml.safe_load((self.folder / ".github/workflows" / name).read_text("utf-8"))


def without_installation(command: str) -> str:
    """Return a command of a host without the part that installs statuary, which is here already."""
    install = HostOptions(install="'statuary[chain]'").install_command
    assert command.startswith(f"{install} && ")
    return command.removeprefix(f"{install} && ")


def run_by_hook(project: Project, build_command: str) -> datetime:
    """Let the schedule post to a hook, which builds; return when."""
    workflow = project.workflow("rebuild.yml")
    [schedule] = workflow[True]["schedule"]  # YAML 1.1 reads `on` as true
    at = last_cron_run(schedule["cron"], NOW)
    [start] = [step for step in workflow["jobs"]["rebuild"]["steps"] if step["name"] == "Start a build"]
    with receiver() as hook:
        project.run(start["run"], at, BUILD_HOOK=hook.url)
        posted = len(hook.taken)
    assert posted == 1
    project.run(without_installation(build_command), at)
    return at


def run_netlify(project: Project) -> datetime:
    settings = tomllib.loads((project.folder / "netlify.toml").read_text("utf-8"))
    return run_by_hook(project, settings["build"]["command"])


def run_vercel(project: Project) -> datetime:
    settings = json.loads((project.folder / "vercel.json").read_text("utf-8"))
    return run_by_hook(project, settings["buildCommand"])


def run_workflow(project: Project, **variables: str) -> datetime:
    """Run the steps of the workflow of the site that build and deploy; return when."""
    workflow = project.workflow("site.yml")
    [schedule] = workflow[True]["schedule"]
    at = last_cron_run(schedule["cron"], NOW)
    for step in workflow["jobs"]["site"]["steps"]:
        if step.get("id") == "build" or step.get("name") == "Deploy":
            project.run(step["run"], at, **variables)
    return at


def run_timer(project: Project) -> datetime:
    """Run the commands of the service at the last time of its timer; return when."""
    timer, service = (
        (project.folder / f"systemd/statuary-site.{kind}").read_text("utf-8") for kind in ("timer", "service")
    )
    [every] = re.findall(r"^OnCalendar=\*:0/(\d+)$", timer, re.MULTILINE)
    assert "Persistent=true\n" in timer
    at = last_cron_run(f"*/{every} * * * *", NOW)
    [command] = re.findall(r"^ExecStart=(.*)$", service, re.MULTILINE)
    program = str(project.folder / ".venv/bin/statuary")
    project.run(command.replace("/opt/statuary/bin/statuary", program), at)
    return at


RUNS: dict[str, Callable[[Project], datetime]] = {
    "netlify": run_netlify,
    "vercel": run_vercel,
    "cloudflare": run_workflow,
    "cloudflare-pages": run_workflow,
    "github-pages": run_workflow,
    "nginx": run_timer,
    "caddy": run_timer,
    "deno": run_timer,
}


def shows_stale_notice(page: str) -> bool:
    [hidden] = STALE_NOTICE.findall(page)
    return not hidden


def stale_pages(site: Path, now: datetime) -> bool:
    """Return whether a site says at an instant, to who reads it then, that it may be out of date."""
    ticked = CliRunner().invoke(statuary, ["tick", "--out", str(site), "--now", f"{now:%Y-%m-%dT%H:%M:%SZ}"])
    is_stale = shows_stale_notice((site / "index.html").read_text("utf-8"))
    assert ticked.exit_code == (5 if is_stale else 0), ticked.output
    return is_stale


@pytest.fixture(params=[35, 12], ids=["a build covers 35 days", "a build covers 12 days"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    small_site(tmp_path)
    site = SITE.replace("horizon_days: 2", f"horizon_days: {request.param}")
    write_files(tmp_path / "content", {"site.yaml": site})
    return Project(tmp_path)


def test_site_without_scheduled_builds_becomes_stale(project):
    project.run(".venv/bin/statuary build", LAST_PUSH)
    assert stale_pages(project.site, NOW)


@pytest.mark.parametrize("host", RUNS)
def test_scheduled_builds_keep_unchanged_site_fresh(host, project):
    set_up(project.folder, host, "--root", str(project.site))
    project.run(".venv/bin/statuary build", LAST_PUSH)
    at = RUNS[host](project)
    assert LAST_PUSH < at < NOW
    assert not stale_pages(project.site, NOW)
    if host.startswith("cloudflare"):
        assert "wrangler@4" in (project.folder / "deployed").read_text()


def test_scheduled_builds_keep_object_store_fresh(project, moto_server, bucket_name, monkeypatch):
    require_module("obstore", install='pip install "statuary[s3]"')
    url = moto_server.make_bucket(bucket_name)
    set_up(project.folder, "s3", "--to", url)
    variables = moto_server.environment()
    project.run(f".venv/bin/statuary build --to {url}", LAST_PUSH, **variables)
    run_workflow(project, **variables)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with closing(open_location(url)) as location:
        assert location.read("index.html") == (project.site / "index.html").read_bytes()
    assert not stale_pages(project.site, NOW)


def test_every_host_has_scheduled_build_test():
    assert {*RUNS, "s3"} == {*HOSTS}
