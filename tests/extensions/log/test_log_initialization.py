"""No log is forked by accident: what starts one, what continues one, and who signs."""

import json
import shutil
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.base.primitives import Instant
from statuary.cli.main import command
from statuary.extensions.log.merkle import LogError
from statuary.extensions.log.notes import PrivateKey
from statuary.extensions.log.options import explain_preview
from statuary.extensions.log.published_log import LogContext, LogSettings, open_log, read_log_settings
from statuary.publish.folder.reader import FolderReader
from support.file_server import served
from support.logs import KEY, LOGGED_SITE, ORIGIN, entries_of, log_of, problems_of
from support.sites import INCIDENT, path_of, record_of, write_files

FLOOR = f"{ORIGIN}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"


class Runs:
    """Builds from fresh checkouts, as CI runs them; each with a new outage."""

    def __init__(self, root: Path, content: Path) -> None:
        self.root, self.content, self.number = root, content, 0

    def build(self, *options: object, code: int = 0, **variables: str) -> tuple[Path, str]:
        """Build into a new folder; return it, and what was printed."""
        self.number += 1
        write_files(self.content, {"incidents/slow.yaml": INCIDENT.replace("Slow", f"Outage {self.number}")})
        out = self.root / f"out{self.number}"
        named = [
            "build",
            "--content",
            self.content,
            "--out",
            out,
            "--now",
            f"2026-11-2{self.number}T12:00:00Z",
        ]
        variables = {"STATUARY_LOG_KEY": KEY.text} | variables
        done = CliRunner().invoke(command, [str(one) for one in (*named, *options)], env=variables)
        assert done.exit_code == code, done.output
        assert f"Outage {self.number}" in (out / "incidents/slow.json").read_text("utf-8")
        return out, done.output


@pytest.fixture
def runs(tmp_path: Path, content: Path) -> Runs:
    return Runs(tmp_path, content)


@pytest.mark.parametrize(
    ("is_example", "options", "starts"),
    [
        (False, {}, False),
        (False, {"allow_init": True}, True),
        (False, {"allow_rollback": True}, True),
        (False, {"allow_clock_rollback": True}, False),
        (True, {}, True),
    ],
)
def test_new_log_requires_explicit_option(is_example, options, starts):
    """The manual names everything that starts a log: `--init-log`, `--allow-log-rollback` and the example key."""
    settings = LogSettings(origin=ORIGIN, example_key=is_example)
    context = LogContext(settings, KEY, Instant(datetime(2026, 11, 2, tzinfo=UTC)), **options)
    with nullcontext() if starts else pytest.raises(LogError, match="no log was found"):
        context.refuse_second_log(0)


@pytest.mark.slow
def test_fresh_checkout_never_starts_second_log(runs):
    first, printed = runs.build("--init-log")
    assert "cannot continue it [log-not-extended]" in printed
    second, printed = runs.build(code=4)
    assert "no log was found to continue" in printed
    assert [path.name for path in (second / "log").iterdir()] == ["fault.json"]
    third, _ = runs.build("--log-from", first)
    log_of(third).verify_extends(log_of(first).head, "the first")
    assert "already" in runs.build("--log-from", first, "--init-log", code=4)[1]


@pytest.mark.slow
@pytest.mark.parametrize("answers", ["no server", "404"])
def test_unreachable_host_starts_no_new_log(tmp_path, runs, content, answers):
    """The host is unreachable, or answers 404, during one build; the next finds the host without the log."""
    host = tmp_path / "host"
    first, _ = runs.build("--init-log")
    shutil.copytree(first, host)
    with served(host) as (url, _):
        settings = LOGGED_SITE["site.yaml"]
        write_files(content, {"site.yaml": f"{settings}  url: {url}\n"})
        if answers == "404":
            shutil.rmtree(host / "log")
            out, printed = runs.build(code=4)
            assert "no log was found" in printed
    if answers == "no server":
        out, printed = runs.build(code=4)
        assert "the published log cannot be read" in printed
        assert "a host that replaces the whole site loses its own" in printed
    shutil.rmtree(host)
    shutil.copytree(out, host)
    with served(host) as (url, _):
        write_files(content, {"site.yaml": f"{settings}  url: {url}\n"})
        out, printed = runs.build(code=4)
        assert "no log was found" in printed
        out, _ = runs.build("--log-from", first)
    log_of(out).verify_extends(log_of(first).head, "the first")


@pytest.mark.slow
def test_log_copy_replaces_unreachable_host(tmp_path, runs, content):
    """With the site down and no cache, a copy of the log is published as it is; the next build adds what is missing."""
    first, _ = runs.build("--init-log")
    write_files(content, {"site.yaml": f"{LOGGED_SITE['site.yaml']}  url: http://127.0.0.1:1\n"})
    out, printed = runs.build("--log-from", first, code=4)
    assert "the site has the log of --log-from" in printed
    assert "published with faults in site.yaml: log" in printed
    assert log_of(out).head == log_of(first).head
    assert list(log_of(out).iter_entries()) == list(log_of(first).iter_entries())
    fault = json.loads((out / "log/fault.json").read_text("utf-8"))
    assert fault["cause"] == "unreadable"
    with served(out) as (url, _):
        write_files(content, {"site.yaml": f"{LOGGED_SITE['site.yaml']}  url: {url}\n"})
        again, _ = runs.build("--log-from", first)
    log_of(again).verify_extends(log_of(first).head, "the first")
    assert problems_of(again) == []
    assert not (again / "log/fault.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("copy", "reason"),
    [("empty", "cannot be read"), ("forged", "not signed"), ("older", "fewer than the 99")],
)
def test_unusable_log_copy_is_not_published(copy, reason, tmp_path, runs, content):
    """Neither a copy without a log, nor one of another key, nor one that is older than the content states."""
    settings = f"{LOGGED_SITE['site.yaml']}  url: http://127.0.0.1:1\n"
    key = PrivateKey(ORIGIN, bytes(32)) if copy == "forged" else KEY
    first = tmp_path / "empty"
    if copy != "empty":
        first, _ = runs.build("--init-log", STATUARY_LOG_KEY=key.text)
    if copy == "older":
        write_files(content, {"log-floor.txt": FLOOR.replace("\n0\n", "\n99\n")})
    write_files(content, {"site.yaml": settings})
    out, printed = runs.build("--log-from", first, code=4)
    assert reason in printed
    assert [path.name for path in (out / "log").iterdir()] == ["fault.json"]


@pytest.mark.slow
def test_ci_build_raises_minimum_log_size(tmp_path, runs, content):
    floor, target = content / "log-floor.txt", tmp_path / "target"
    write_files(content, {"log-floor.txt": FLOOR})
    runs.build("--to", target, "--init-log", CI="true")
    assert floor.read_text("utf-8") == FLOOR  # what this build has signed is not published yet
    shutil.copytree(target, tmp_path / "old")
    write_files(content, {path_of(2): record_of(2)})
    runs.build("--to", target, CI="true")
    head = log_of(tmp_path / "old").head
    assert floor.read_text("utf-8").split("\n")[1] == str(head.size)
    runs.build("--to", target, CI="true")
    assert "fewer than" in runs.build("--to", tmp_path / "old", code=4)[1]
    assert "the log is missing" in runs.build("--to", tmp_path / "none", "--init-log", code=4)[1]
    runs.build("--to", tmp_path / "old", "--allow-log-rollback")
    assert floor.read_text("utf-8").split("\n")[1] == str(head.size)
    write_files(content, {"log-floor.txt": "nothing"})
    assert "log-floor.txt does not have the name" in runs.build("--to", target, code=4)[1]


@pytest.mark.slow
def test_first_publication_continues_locally_built_log(tmp_path, content):
    """A log that was begun locally goes to a new place; one that a place had is not begun again there."""
    out, new, key_file = tmp_path / "out", tmp_path / "new", tmp_path / "key"
    key_file.write_text(KEY.text, "utf-8")

    def build(hour: int, *options: object, code: int) -> str:
        named = ["build", "--content", content, "--out", out, "--now", f"2026-11-21T{hour}:00:00Z"]
        arguments = [str(one) for one in (*named, "--log-key", key_file, *options)]
        done = CliRunner().invoke(command, arguments)
        assert done.exit_code == code, done.output
        return done.output

    build(12, "--init-log", code=0)
    begun = log_of(out).head
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Slower")})
    refused = build(13, "--to", new, code=4)
    assert f"the log is missing at {new}: {begun.size} of its entries were signed before" in refused
    assert f"for the first time, add --log-from {out}, which has all entries" in refused

    build(14, "--to", tmp_path / "newer", "--log-from", out, code=0)
    published = log_of(tmp_path / "newer")
    published.verify_extends(begun, "the first build")
    assert published.head.size > begun.size
    assert problems_of(tmp_path / "newer") == []


@pytest.mark.slow
def test_lost_log_key_allows_renamed_log(tmp_path, runs, content):
    target, other = tmp_path / "target", PrivateKey("status.plinth.example/log2", bytes(32))
    runs.build("--to", target, "--init-log")
    write_files(content, {"site.yaml": LOGGED_SITE["site.yaml"].replace(ORIGIN, other.name)})
    _, printed = runs.build("--to", target, "--init-log", code=4, STATUARY_LOG_KEY=other.text)
    assert "belongs to the log status.plinth.example/log, not to" in printed
    (target / "log/checkpoint").unlink()
    runs.build("--to", target, "--init-log", STATUARY_LOG_KEY=other.text)
    log = open_log("target", FolderReader(target).read, other.public)
    assert log.checkpoint.origin == other.name
    assert list(log.iter_entries())
    runs.build("--to", target, STATUARY_LOG_KEY=other.text)


@pytest.mark.parametrize(
    ("variables", "is_preview"),
    [
        ({"CONTEXT": "deploy-preview", "NETLIFY": "true"}, True),
        ({"CONTEXT": "branch-deploy"}, True),
        ({"CONTEXT": "production"}, False),
        ({"VERCEL_ENV": "preview"}, True),
        ({"VERCEL_ENV": "production"}, False),
        ({"CF_PAGES_BRANCH": "topic"}, True),
        ({"CF_PAGES_BRANCH": "main"}, False),
        ({"WORKERS_CI_BRANCH": "topic"}, True),
        ({"GITHUB_EVENT_NAME": "pull_request"}, True),
        ({"GITHUB_EVENT_NAME": "pull_request_target"}, True),
        ({"GITHUB_EVENT_NAME": "schedule"}, False),
        ({"CI_PIPELINE_SOURCE": "merge_request_event"}, True),
        ({"CI_MERGE_REQUEST_IID": "7"}, True),
        ({"BUILD_REASON": "PullRequest"}, True),
        ({"IS_PULL_REQUEST": "true"}, True),
        ({"IS_PULL_REQUEST": "false"}, False),
        ({"AWS_PULL_REQUEST_ID": "7"}, True),
        ({}, False),
    ],
)
def test_environment_variables_identify_preview_deployments(variables, is_preview):
    assert bool(explain_preview(variables, "main")) == is_preview


@pytest.mark.slow
def test_preview_deployment_publishes_log_without_signing(tmp_path, runs, content):
    first, _ = runs.build("--init-log", "--to", tmp_path / "host")
    with served(tmp_path / "host") as (url, _):
        write_files(content, {"site.yaml": f"{LOGGED_SITE['site.yaml']}  url: {url}\n"})
        out, printed = runs.build(CONTEXT="deploy-preview")
    assert "a preview does not sign (CONTEXT is deploy-preview)" in printed
    assert (out / "log/checkpoint").read_bytes() == (first / "log/checkpoint").read_bytes()
    assert len(entries_of(out)) == len(entries_of(first))
    assert read_log_settings(FolderReader(out).read).origin == ORIGIN
