"""Runs of generated workflows, step by step: a repository that they push to, and GitHub's API on loopback."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml
from click.testing import CliRunner, Result

from statuary.cli.main import command as statuary
from support.local_server import LocalServer
from support.sites import write_files

REPOSITORY = "example/status"


def set_up(project: Path, host: str, *options: str) -> Result:
    """Run `statuary setup` in a project, which has its content in `content`."""
    command = ["setup", host, *options, "--content", str(project / "content"), "--out", str(project)]
    done = CliRunner().invoke(statuary, [*command, "--install", "statuary"])
    assert done.exit_code == 0, done.output
    return done


def write_program(path: Path) -> None:
    """Write a program that runs this statuary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m statuary "$@"\n', encoding="utf-8")
    path.chmod(stat.S_IRWXU)


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


class Repository:
    """A repository with a site, and runs of workflows on it, each in a new checkout.

    Attributes:
        bare: the repository that is pushed to.
    """

    def __init__(self, root: Path, files: dict[str, str]) -> None:
        self.root, self.bare, self.runs = root, root / "origin.git", 0
        programs = root / "programs"
        write_files(root / "site", {".gitignore": "/.venv/\n", **files})
        write_program(programs / "statuary")
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
        write_program(folder / ".venv/bin/statuary")
        return folder

    def run(
        self, api: GitHub, workflow: Any, folder: Path | None = None, code: int = 0, **variables: str
    ) -> str:
        """Run the steps of a workflow's job after those that install, as the runner does; return what they print.

        Args:
            workflow: the text of its file.
            variables: set by GitHub, or by the step's `env` where that has an expression.
        """
        folder = folder or self.checkout()
        [job] = yaml.safe_load(workflow)["jobs"].values()
        names = [step.get("name") for step in job["steps"]]
        steps = job["steps"][names.index("Install") + 1 :]
        given = {"GH_TOKEN": "t0ken", **variables}
        environment = {
            **self.environment,
            "GITHUB_API_URL": api.url,
            "GITHUB_ACTOR": "ada",
            "GITHUB_REF_NAME": "main",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_STEP_SUMMARY": str(folder.parent / "summary.md"),
            "RUNNER_TEMP": str(folder.parent),
            **given,
        }
        said = ""
        for step in filter(lambda step: "run" in step, steps):
            own = {**job.get("env", {}), **step.get("env", {})}
            filled = {
                name: given.get(name, "") if "${{" in str(text) else str(text) for name, text in own.items()
            }
            done = subprocess.run(
                ["bash", "-e", "-c", step["run"]],
                cwd=folder,
                env={**environment, **filled},
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
