"""The function and the workflow that the manual shows: from an alert at the edge to the repository, against an API on loopback."""

import json
import os
import stat
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from support.alert_payloads import alert, group
from support.edge_runtimes import HOSTS_INSTALL, OFFLINE, Served, deno, node, served
from support.local_server import LocalServer
from support.manual import MANUAL
from support.manual_blocks import file_in
from support.requirements import require_node_package
from support.sites import write_files

pytestmark = pytest.mark.slow

PAGE = MANUAL / "alerts.md"
REPOSITORY = "example/status"

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


class GitHub:
    """What the function and the workflow ask of GitHub's API.

    Attributes:
        events: the bodies that start workflows of `repository_dispatch`.
        pulls: the bodies that opened pull requests.
        builds: the branches that the workflow of the site was started on.
        failures: the statuses that the next requests get instead.
    """

    def __init__(self, branches: Path) -> None:
        self.url, self.branches = "", branches
        self.events: list[Any] = []
        self.pulls: list[Any] = []
        self.builds: list[str] = []
        self.failures: list[int] = []

    def answer(self, method: str, target: str, headers: Any, body: Any) -> tuple[int, Any]:
        """Answer as GitHub documents it."""
        if self.failures:
            return self.failures.pop(0), {}
        if headers["Authorization"] != "Bearer t0ken" or not headers["User-Agent"]:
            return 401, {"message": "Bad credentials"}
        parts = urlsplit(target)
        calls = {
            ("POST", "dispatches"): lambda: self._start(body),
            ("GET", "pulls"): lambda: self._listed(parse_qs(parts.query)["head"]),
            ("POST", "pulls"): lambda: self._open(body),
            ("POST", "actions/workflows/site.yml/dispatches"): lambda: self._build(body["ref"]),
        }
        return calls[method, parts.path.removeprefix(f"/repos/{REPOSITORY}/")]()

    def _start(self, body: Any) -> tuple[int, Any]:
        payload = body["client_payload"]
        if len(payload) > 10 or len(json.dumps(payload)) > 65_535:
            return 422, {}
        self.events.append(body)
        return 204, None

    def _listed(self, heads: list[str]) -> tuple[int, Any]:
        return 200, [{"number": 1} for pull in self.pulls if f"example:{pull['head']}" in heads]

    def _open(self, body: Any) -> tuple[int, Any]:
        if not (self.branches / "refs/heads" / body["head"]).is_file():
            return 422, {}
        self.pulls.append(body)
        return 201, {}

    def _build(self, branch: str) -> tuple[int, Any]:
        self.builds.append(branch)
        return 204, None


@contextmanager
def github(branches: Path) -> Iterator[GitHub]:
    """Serve on a free port of 127.0.0.1."""
    api = GitHub(branches)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"] or 0)
            body = json.loads(self.rfile.read(length) or b"null")
            status, value = api.answer(self.command, self.path, self.headers, body)
            sent = b"" if value is None else json.dumps(value).encode()
            self.send_response(status)
            if status != 204:
                self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    with LocalServer(("127.0.0.1", 0), Handler) as server:
        api.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield api
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def function(runtime: str, folder: Path, variables: dict[str, str]) -> Iterator[Served]:
    """Run the function of the manual under `deno serve`, or in Cloudflare's own runtime."""
    module = folder / "alert.js"
    module.write_text(file_in(PAGE, "alert.js"), encoding="utf-8")
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
def test_edge_function_starts_workflow(runtime: str, tmp_path: Path) -> None:
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
def test_edge_function_failure_answers_5xx(runtime: str, tmp_path: Path) -> None:
    with github(tmp_path) as api:
        variables = variables_for(api)
    with function(runtime, tmp_path, variables) as running:
        assert post(running, b"{}") == (502, "GitHub responds with nothing")
    with function(runtime, tmp_path, {**variables, "ALERT_KEY": ""}) as running:
        assert post(running, b"{}", key="Bearer ") == (500, "a variable of the function is not set")


class Repository:
    """A repository with a site, and runs of the workflow on it, each in a new checkout.

    Attributes:
        bare: the repository that is pushed to.
    """

    def __init__(self, root: Path) -> None:
        self.root, self.bare, self.runs = root, root / "origin.git", 0
        programs = root / "programs"
        write_files(
            root,
            {
                "site/content/site.yaml": SITE,
                "site/content/components.yaml": COMPONENTS,
                "programs/statuary": f'#!/bin/sh\nexec {sys.executable} -m statuary "$@"\n',
            },
        )
        (programs / "statuary").chmod(stat.S_IRWXU)
        self.environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(root),
            "GIT_CONFIG_NOSYSTEM": "1",
            "SOURCE_DATE_EPOCH": "1793613600",  # 2026-11-02T10:00:00Z
        }
        self.git("init", "--quiet", "--bare", "--initial-branch=main", str(self.bare), at=root)
        site = root / "site"
        self.git("init", "--quiet", "--initial-branch=main", at=site)
        self.commit(site, "The site")
        self.git("push", "--quiet", str(self.bare), "main", at=site)

    def git(self, *words: str, at: Path) -> str:
        command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words]
        return subprocess.run(
            command, cwd=at, env=self.environment, check=True, capture_output=True, text=True
        ).stdout

    def commit(self, at: Path, subject: str) -> None:
        self.git("add", ".", at=at)
        self.git("commit", "--quiet", "--message", subject, at=at)

    def incidents(self, branch: str = "main") -> dict[str, Any]:
        """Return the incidents of a branch, by the name of their file."""
        names = self.git("ls-tree", "-r", "--name-only", branch, "content/incidents/", at=self.bare).split()
        return {
            Path(name).stem: yaml.safe_load(self.git("show", f"{branch}:{name}", at=self.bare))
            for name in names
        }

    def checkout(self) -> Path:
        """Return a new checkout as the action makes it: one commit deep, on the branch."""
        self.runs += 1
        folder = self.root / f"run-{self.runs}" / "checkout"
        folder.parent.mkdir()
        self.git(
            "clone",
            "--quiet",
            "--depth=1",
            "--no-single-branch",
            f"file://{self.bare}",
            str(folder),
            at=self.root,
        )
        return folder

    def run(self, api: GitHub, event: Any, folder: Path | None = None, code: int = 0) -> str:
        """Run the steps of the workflow after those that install; return what they print."""
        folder = folder or self.checkout()
        event_file = folder.parent / "event.json"
        event_file.write_text(json.dumps({"action": event["event_type"], **event}), encoding="utf-8")
        workflow = yaml.safe_load(file_in(PAGE, ".github/workflows/alert.yml"))
        job = workflow["jobs"]["alert"]
        assert job["env"].pop("GH_TOKEN") == "${{ github.token }}"
        environment = {
            **self.environment,
            **job["env"],
            "GH_TOKEN": "t0ken",
            "GITHUB_API_URL": api.url,
            "GITHUB_EVENT_PATH": str(event_file),
            "GITHUB_REF_NAME": "main",
            "GITHUB_REPOSITORY": REPOSITORY,
            "RUNNER_TEMP": str(folder.parent),
        }
        checkout, install, *steps = job["steps"]
        assert checkout == {"uses": "actions/checkout@v4"}
        assert install["name"] == "Install"
        said = ""
        for step in steps:
            done = subprocess.run(
                ["bash", "-e", "-c", step["run"]],
                cwd=folder,
                env=environment,
                check=False,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            said += done.stdout
            if done.returncode != 0:
                break
        assert done.returncode == code, said
        return said


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def event_of(*alerts: Any) -> dict[str, Any]:
    return {"event_type": "alert", "client_payload": {"alert": group(*alerts)}}


RPC = "2026-11-02-the-rpc-does-not-answer"
EXPLORER = "2026-11-02-no-answer"


def test_draft_opens_publishing_pull_request(repository: Repository) -> None:
    with github(repository.bare) as api:
        repository.run(api, event_of())
        (incident,) = repository.incidents().values()
        assert incident["draft"] is True
        assert [pull["head"] for pull in api.pulls] == [f"publish/{RPC}"]
        assert "draft" not in repository.incidents(f"publish/{RPC}")[RPC]
        before = repository.git("rev-parse", "--branches", at=repository.bare)
        assert "is open already" in repository.run(api, event_of())
        assert repository.git("rev-parse", "--branches", at=repository.bare) == before
        assert len(api.pulls) == 1
        repository.run(api, event_of(alert("resolved")))
        assert [update["status"] for update in repository.incidents()[RPC]["updates"]][-1] == "resolved"
    merged = repository.checkout()
    repository.git("fetch", "--quiet", "--unshallow", at=merged)
    repository.git("merge", "--quiet", "--no-edit", f"origin/publish/{RPC}", at=merged)
    late = yaml.safe_load((merged / f"content/incidents/{RPC}.yaml").read_text("utf-8"))
    assert "draft" not in late
    assert [update["status"] for update in late["updates"]] == ["investigating", "resolved"]


def test_published_incident_is_committed_and_built(repository: Repository) -> None:
    with github(repository.bare) as api:
        repository.run(api, event_of(alert(), alert(service="explorer")))
    incidents = repository.incidents()
    assert set(incidents) == {RPC, EXPLORER}
    assert "draft" not in incidents[EXPLORER]
    assert [pull["head"] for pull in api.pulls] == [f"publish/{RPC}"]
    assert api.builds == ["main"]


def test_concurrent_runs_keep_both_incidents(repository: Repository) -> None:
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
        repository.run(api, event_of(alert(service="explorer")), second)
    assert not hook.exists()
    assert set(repository.incidents()) == {"2026-11-02-by-hand", EXPLORER}
    assert repository.git("rev-list", "--count", f"{commit}..main", at=repository.bare).strip() == "2"


@pytest.mark.slow
def test_next_run_completes_failed_run(repository: Repository) -> None:
    with github(repository.bare) as api:
        api.failures = [500]
        repository.run(api, event_of(), code=22)
        assert (len(repository.incidents()), api.pulls) == (1, [])
        repository.run(api, event_of())
        assert [pull["head"] for pull in api.pulls] == [f"publish/{RPC}"]
        repository.run(api, {"event_type": "alert", "client_payload": {"alert": {"labels": 1}}}, code=3)
    assert len(repository.incidents()) == 1


@pytest.mark.slow
def test_alert_reaches_repository(repository: Repository, tmp_path: Path) -> None:
    with (
        github(repository.bare) as api,
        function("Deno", tmp_path, variables_for(api)) as running,
    ):
        assert post(running, json.dumps(group(**GRAFANA)).encode())[0] == 202
        (event,) = api.events
        repository.run(api, event)
    assert set(repository.incidents()) == {RPC}
