"""The function and the workflow of `statuary setup --alerts`: from an alert at the edge to the repository, against an API on loopback."""

import json
import stat
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import HTTPError

import pytest
import yaml

from support.alert_payloads import alert, group
from support.edge_runtimes import HOSTS_INSTALL, OFFLINE, Served, deno, node, served
from support.requirements import require_node_package
from support.sites import write_files
from support.workflow_runs import REPOSITORY, GitHub, Repository, github, set_up

pytestmark = pytest.mark.slow

SITE = """\
page:
  name: Demo
  url: https://status.example.org
  created_at: 2020-01-01T00:00:00Z
alerts:
  rules:
    - {labels: {service: rpc}, component: rpc, status: partial_outage}
    - {labels: {service: explorer}, component: explorer, name: No answer, publish: automatically}
"""

COMPONENTS = "components:\n  rpc: {name: Public RPC}\n  explorer: {name: Explorer}\n"

GRAFANA = {
    "orgId": 1,
    "truncatedAlerts": 0,
    "title": "[FIRING:1]",
    "state": "alerting",
    "message": "It fires",
}
"""What Grafana's body has beside Alertmanager's: together more members than GitHub accepts."""


@contextmanager
def function(runtime: str, folder: Path, variables: dict[str, str]) -> Iterator[Served]:
    """Run the function under `deno serve`, or in Cloudflare's own runtime."""
    module = folder / "alert.js"
    module.write_text(alert_file("alert.js"), encoding="utf-8")
    if runtime == "Deno":
        flags = [*OFFLINE[:-1], "--allow-env", "--allow-net=127.0.0.1", "--host=127.0.0.1", "--port=0"]
        command, ready = [deno(), "serve", *flags, str(module)], r"http://127\.0\.0\.1:(\d+)"
    else:
        server = Path(__file__).parent / "worker_server.mjs"
        modules = require_node_package("miniflare", install=HOSTS_INSTALL)
        command = [node(), str(server), str(modules), str(module), json.dumps(variables)]
        ready = r"^(\d+)$"
    with served(command, ready, NO_COLOR="1", **variables) as running:
        yield running


def post(running: Served, body: bytes, key: str = "Bearer s3cret", method: str = "POST") -> tuple[int, str]:
    headers = {"Authorization": key, "Content-Type": "application/json"}
    request = urllib.request.Request(
        f"http://127.0.0.1:{running.port}/", body if method == "POST" else None, headers, method=method
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, response.read().decode().strip()
    except HTTPError as error:
        return error.code, error.read().decode().strip()


def variables_for(api: GitHub) -> dict[str, str]:
    return {
        "ALERT_KEY": "s3cret",
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_TOKEN": "t0ken",
        "GITHUB_API_URL": api.url,
    }


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["Deno", "Cloudflare"])
def test_alert_webhook_starts_github_workflow(runtime: str, tmp_path: Path) -> None:
    body = group(**GRAFANA)
    assert len(body) > 10
    with (
        github(tmp_path) as api,
        function(runtime, tmp_path, variables_for(api)) as running,
    ):
        said = post(running, json.dumps(body).encode())
        events = list(api.events)
        wrong = [
            post(running, b"{}", key="Bearer s3cre"),
            post(running, b"{}", key=""),
            post(running, b"{"),
            post(running, json.dumps({"text": "x" * 65_536}).encode()),
            post(running, b"", method="GET"),
        ]
        after = list(api.events)
        api.failures = [401, 500, 302]
        failed = [post(running, b"{}") for _ in range(3)]
    assert said == (202, "started")
    assert events == [{"event_type": "alert", "client_payload": {"alert": body}}]
    assert [status for status, _ in wrong] == [401, 401, 400, 413, 405]
    assert after == events
    assert failed == [(502, f"GitHub responds with {status}") for status in (401, 500, 302)]


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["Deno", "Cloudflare"])
def test_alert_webhook_failure_returns_5xx(runtime: str, tmp_path: Path) -> None:
    with github(tmp_path) as api:
        variables = variables_for(api)
    with function(runtime, tmp_path, variables) as running:
        assert post(running, b"{}") == (502, "GitHub responds with nothing")
    with function(runtime, tmp_path, {**variables, "ALERT_KEY": ""}) as running:
        assert post(running, b"{}", key="Bearer ") == (500, "a variable of the function is not set")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    files = {"content/site.yaml": SITE, "content/components.yaml": COMPONENTS}
    return Repository(tmp_path, files)


def run(repository: Repository, api: GitHub, event: Any, folder: Path | None = None, code: int = 0) -> str:
    """Run the workflow on an event; return what its steps print."""
    folder = folder or repository.checkout()
    event_file = folder.parent / "event.json"
    event_file.write_text(json.dumps({"action": event["event_type"], **event}), encoding="utf-8")
    workflow = alert_file(".github/workflows/alert.yml")
    return repository.run(api, workflow, folder, code, GITHUB_EVENT_PATH=str(event_file))


@cache
def alert_file(path: str) -> str:
    """Return a file that `statuary setup` writes for alerts."""
    with TemporaryDirectory() as folder:
        write_files(Path(folder), {"content/site.yaml": SITE, "content/components.yaml": COMPONENTS})
        set_up(Path(folder), "github-pages", "--alerts")
        return Path(folder, path).read_text("utf-8")


def event_of(*alerts: Any) -> dict[str, Any]:
    return {"event_type": "alert", "client_payload": {"alert": group(*alerts)}}


RPC = "2026-11-02-the-rpc-does-not-answer"
EXPLORER = "2026-11-02-no-answer"


def test_draft_incident_opens_pull_request(repository: Repository) -> None:
    with github(repository.bare) as api:
        run(repository, api, event_of())
        (incident,) = repository.incidents().values()
        assert incident["draft"] is True
        assert [pull["head"] for pull in api.pulls] == [f"publish/{RPC}"]
        assert "draft" not in repository.incidents(f"publish/{RPC}")[RPC]
        before = repository.git("rev-parse", "--branches", at=repository.bare)
        assert "is open already" in run(repository, api, event_of())
        assert repository.git("rev-parse", "--branches", at=repository.bare) == before
        assert len(api.pulls) == 1
        run(repository, api, event_of(alert("resolved")))
        assert [update["status"] for update in repository.incidents()[RPC]["updates"]][-1] == "resolved"
    merged = repository.checkout()
    repository.git("fetch", "--quiet", "--unshallow", at=merged)
    repository.git("merge", "--quiet", "--no-edit", f"origin/publish/{RPC}", at=merged)
    late = yaml.safe_load((merged / f"content/incidents/{RPC}.yaml").read_text("utf-8"))
    assert "draft" not in late
    assert [update["status"] for update in late["updates"]] == ["investigating", "resolved"]


def test_alert_workflow_commits_and_builds_incident(repository: Repository) -> None:
    with github(repository.bare) as api:
        run(repository, api, event_of(alert(), alert(service="explorer")))
    incidents = repository.incidents()
    assert set(incidents) == {RPC, EXPLORER}
    assert "draft" not in incidents[EXPLORER]
    assert [pull["head"] for pull in api.pulls] == [f"publish/{RPC}"]
    assert api.builds == ["main"]


def test_concurrent_alert_workflows_keep_both_incidents(repository: Repository) -> None:
    first, second = repository.checkout(), repository.checkout()
    hook = second / ".git/hooks/pre-push"
    with github(repository.bare) as api:
        # while the second run pushes, the first one is the faster
        commit = repository.git("rev-parse", "main", at=repository.bare).strip()
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(
            f"#!/bin/sh\nrm .git/hooks/pre-push\nunset GIT_DIR GIT_PREFIX\ncd {first} && git pull --quiet\n"
            "statuary incident open --name 'By hand' --component rpc=major_outage --body 'We look.' --commit\n"
            "git push --quiet origin main\n",
            encoding="utf-8",
        )
        hook.chmod(stat.S_IRWXU)
        repository.git("config", "--global", "user.email", "person@example.org", at=first)
        repository.git("config", "--global", "user.name", "A person", at=first)
        run(repository, api, event_of(alert(service="explorer")), second)
    assert not hook.exists()
    assert set(repository.incidents()) == {"2026-11-02-by-hand", EXPLORER}
    assert repository.git("rev-list", "--count", f"{commit}..main", at=repository.bare).strip() == "2"


@pytest.mark.slow
def test_next_workflow_run_completes_failed_run(repository: Repository) -> None:
    with github(repository.bare) as api:
        api.failures = [500]
        run(repository, api, event_of(), code=22)
        assert (len(repository.incidents()), api.pulls) == (1, [])
        run(repository, api, event_of())
        assert [pull["head"] for pull in api.pulls] == [f"publish/{RPC}"]
        run(repository, api, {"event_type": "alert", "client_payload": {"alert": {"labels": 1}}}, code=3)
    assert len(repository.incidents()) == 1


@pytest.mark.slow
def test_alert_webhook_opens_incident_in_repository(repository: Repository, tmp_path: Path) -> None:
    with (
        github(repository.bare) as api,
        function("Deno", tmp_path, variables_for(api)) as running,
    ):
        assert post(running, json.dumps(group(**GRAFANA)).encode())[0] == 202
        (event,) = api.events
        run(repository, api, event)
    assert set(repository.incidents()) == {RPC}
