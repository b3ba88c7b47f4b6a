"""`statuary setup`: what it writes and prints for each host, the questions that it asks, and what it leaves alone."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from statuary.base.errors import StatuaryError
from statuary.cli.main import command as statuary
from statuary.extensions.hosting.host_files import HostFile, HostOptions
from statuary.extensions.hosting.hosts import HOSTS, Host, is_edge_file
from statuary.extensions.hosting.installation import Installation, add_extras
from statuary.extensions.hosting.project_commands import add_digest_comment, refuse_edited_files
from statuary.extensions.setup import commands
from statuary.extensions.setup.files import SERVERS
from support.requirements import require_program
from support.sites import COMPONENTS, SITE, small_site, write_files
from support.tiers import few_by_default
from support.workflow_runs import set_up

CHANNELS = """\
notify:
  channels:
    - {name: operations, kind: slack, url_variable: SLACK_URL}
    - {name: partners, kind: webhook, url_variable: PARTNER_URL, secret_variable: PARTNER_KEY}
    - {name: phones, kind: apprise, url_variable: NTFY_URL}
"""
SECRETS = ["SLACK_URL", "PARTNER_URL", "PARTNER_KEY", "NTFY_URL"]
STORE = {"s3": ["--to", "s3://bucket/status"]}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    small_site(tmp_path)
    return tmp_path


def options_for(host: str) -> list[str]:
    return STORE.get(host, [])


def workflows(project: Path) -> dict[str, str]:
    return {file.name: file.read_text("utf-8") for file in project.glob(".github/workflows/*.yml")}


@pytest.mark.parametrize("host", HOSTS)
def test_setup_writes_one_build_schedule(host, project):
    set_up(project, host, *options_for(host))
    schedules = [text for text in workflows(project).values() if "schedule:" in text]
    timers = list(project.glob("systemd/*.timer"))
    assert bool(timers) == (host in SERVERS)
    assert len(schedules) + len(timers) == 1
    for text in schedules:
        assert "actions/workflows/" in text, "the schedule is kept beyond 60 days without a commit"


@pytest.mark.parametrize("host", HOSTS)
def test_setup_passes_channel_secrets_to_host(host, project):
    write_files(project / "content", {"site.yaml": SITE + CHANNELS})
    printed = set_up(project, host, *options_for(host)).stdout
    if host in SERVERS:
        service = (project / "systemd/statuary-site.service").read_text()
        assert "EnvironmentFile=-/etc/statuary.env\n" in service
        assert "ExecStartPost=/opt/statuary/bin/statuary notify --state /var/lib/statuary/" in service
    else:
        [job] = yaml.safe_load(workflows(project)["notify.yml"])["jobs"].values()
        sending = [step for step in job["steps"] if "statuary notify" in step.get("run", "")]
        assert ["notify --test" in step["run"] for step in sending] == [True, False]
        for step in sending:
            assert step["env"] == {name: f"${{{{ secrets.{name} }}}}" for name in SECRETS}
    assert all(name in printed for name in SECRETS)
    assert "Send a test message to every channel" in printed
    assert "[chain,notify" in printed + "".join(workflows(project).values())


@pytest.mark.parametrize("host", HOSTS)
def test_setup_commits_installed_wheel(host, project, tmp_path_factory, monkeypatch):
    wheel = tmp_path_factory.mktemp("downloads") / "statuary-1-py3-none-any.whl"
    wheel.write_bytes(b"PK")
    monkeypatch.setattr(
        commands, "detect_installation", lambda _: Installation(f"./wheels/{wheel.name}", wheel)
    )
    command = ["setup", host, "--yes", "--no-form", *options_for(host), "--content", str(project / "content")]
    done = CliRunner().invoke(statuary, [*command, "--out", str(project)])
    assert (done.exit_code, (project / "wheels" / wheel.name).read_bytes()) == (0, b"PK"), done.output
    assert f"wheels/{wheel.name}" in done.stdout.partition("git commit")[0]


@pytest.mark.parametrize("is_known", [True, False])
def test_setup_requests_unknown_git_author(is_known, project, monkeypatch):
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    settings = (
        {"user.name": "Ada", "user.email": "ada@example.org"} if is_known else {"user.useConfigOnly": "true"}
    )
    for key, value in settings.items():
        subprocess.run(["git", "config", key, value], cwd=project, check=True)
    assert ("Tell git who you are" in set_up(project, "s3", *STORE["s3"]).stdout) != is_known


@pytest.mark.slow
@pytest.mark.parametrize("host", HOSTS)
def test_setup_workflows_match_github_schema(host, project):
    program = require_program("check-jsonschema", install="pip install -e '.[test]'")
    write_files(project / "content", {"site.yaml": SITE + CHANNELS})
    set_up(project, host, "--alerts", *options_for(host))
    files = [str(file) for file in project.glob(".github/workflows/*.yml")]
    assert files
    done = subprocess.run(
        [program, "--builtin-schema", "vendor.github-workflows", *files],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("host", "words"),
    [
        (
            "netlify",
            ["create an empty repository", "git push", "Add new project", "build hook", "BUILD_HOOK"],
        ),
        ("vercel", ["create an empty repository", "git push", "Add New", "deploy hook", "BUILD_HOOK"]),
        ("cloudflare", ["create an empty repository", "add the secrets CLOUDFLARE_API", "git push"]),
        ("nginx", ["create an empty repository", "git push", "On the server"]),
    ],
)
def test_setup_steps_are_listed_in_order(host, words, project):
    printed = set_up(project, host).stdout.partition("What is left to do:")[2]
    positions = [printed.index(word) for word in words]
    assert positions == sorted(positions)


@pytest.mark.parametrize(("host", "where"), [("netlify", "In Netlify"), ("github-pages", "On GitHub")])
def test_setup_passes_log_key_to_builder(host, where, project):
    write_files(project / "content", {"site.yaml": SITE + "log: {origin: status.example.org/log}\n"})
    [step] = [line for line in set_up(project, host).stdout.splitlines() if "STATUARY_LOG_KEY" in line]
    assert where in step


def test_setup_for_deno_lists_deno_installation(project):
    assert "Install Deno where all users find it" in set_up(project, "deno").stdout
    assert "Install Deno" not in set_up(project, "caddy", "--force").stdout


@pytest.mark.slow
def test_systemd_accepts_generated_units(project):
    require_program("systemd-analyze", install=".ci/install-hosts")
    write_files(project / "content", {"site.yaml": SITE + CHANNELS})
    set_up(project, "deno", "--clone", str(project))
    units = sorted(project.glob("systemd/*"))
    for unit in units:  # the program must be there
        unit.write_text(unit.read_text().replace("/opt/statuary/bin/statuary", sys.executable))
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    assert len(units) == 3
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("branch", ["master", "trunk"])
def test_setup_publishes_current_git_branch(branch, project):
    subprocess.run(["git", "init", "--quiet", f"--initial-branch={branch}"], cwd=project, check=True)
    printed = set_up(project, "github-pages").stdout
    workflow = yaml.safe_load(workflows(project)["site.yml"])
    assert workflow[True]["push"] == {"branches": [branch]}  # YAML 1.1 reads `on` as true
    assert f"git push -u origin {branch}`" in printed
    set_up(project, "github-pages", "--branch", "release", "--force")
    assert yaml.safe_load(workflows(project)["site.yml"])[True]["push"] == {"branches": ["release"]}


def test_setup_adds_private_files_to_gitignore(project):
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    write_files(project, {".gitignore": "/build\nmine"})
    set_up(project, "netlify")
    assert (project / ".gitignore").read_text().startswith("/build\nmine\n/.venv/\n")
    write_files(project, {"keys/status.log-key": "secret", "build/index.html": "", "notified.json": "{}"})
    shown = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all"],
        cwd=project,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert "netlify.toml" in shown
    assert not [name for name in ("keys/", "build/", ".edge/", "notified.json") if f"?? {name}" in shown]


def test_setup_edits_url_and_hosting_settings(project):
    site = project / "content/site.yaml"
    write_files(project / "content", {"site.yaml": SITE.replace("page:", "# Mine\npage:")})
    printed = set_up(project, "cloudflare", "--url", "https://status.example.net/")
    text = site.read_text()
    assert text.startswith("# Mine\n")
    assert "  url: https://status.example.net\n" in text
    assert yaml.safe_load(text)["hosting"] == {"files": ["cloudflare"]}
    assert "statuary conform https://status.example.net`" in printed.stdout
    set_up(project, "cloudflare")
    assert site.read_text() == text


def with_longer_files(host: str, paths: list[str]) -> Host:
    """Return a host whose files another version of statuary writes, with a line more; note their paths."""
    make_files = HOSTS[host].files

    def make_longer_files(options: HostOptions) -> list[HostFile]:
        files = make_files(options)
        paths[:] = [file.path for file in files if not is_edge_file(file)]
        return [file._replace(text="\n" + file.text) for file in files]

    return HOSTS[host]._replace(files=make_longer_files)


@pytest.mark.parametrize("host", few_by_default(HOSTS, 4))
def test_second_setup_updates_unedited_host_files(host, project, monkeypatch):
    set_up(project, host, *options_for(host))
    paths: list[str] = []
    monkeypatch.setitem(HOSTS, host, with_longer_files(host, paths))
    set_up(project, host, *options_for(host))
    assert paths
    for path in paths:
        written = (project / path).read_text()
        assert written.startswith("\n")
        (project / path).write_text(written.removeprefix("\n"))
        arguments = ["--content", str(project / "content"), "--out", str(project), "--install", "statuary"]
        refused = CliRunner().invoke(statuary, ["setup", host, *options_for(host), *arguments])
        assert (refused.exit_code, f"{path} already exists with other" in refused.stderr) == (3, True)
        (project / path).write_text(written)
        set_up(project, host, *options_for(host))


def test_setup_replaces_file_without_digest(tmp_path):
    (tmp_path / "build.sh").write_text("true\n")
    file = HostFile("build.sh", add_digest_comment("true\n", "#"))
    refuse_edited_files([file], tmp_path, force=False)
    (tmp_path / "build.sh").write_text("false\n")
    with pytest.raises(StatuaryError, match="already exists"):
        refuse_edited_files([file], tmp_path, force=False)


def test_second_setup_updates_unedited_issue_form(project):
    set_up(project, "netlify")
    write_files(project / "content", {"components.yaml": COMPONENTS + "  bridge: {name: Bridge}\n"})
    set_up(project, "netlify")
    assert '"Bridge (bridge)"' in workflows(project)["status-form.yml"]
    form = project / ".github/workflows/status-form.yml"
    form.write_text(form.read_text().replace("Status form", "Mine"))
    write_files(project / "content", {"components.yaml": COMPONENTS})
    before = {file: file.read_bytes() for file in project.rglob("*") if file.is_file()}
    arguments = ["setup", "netlify", "--content", str(project / "content"), "--out", str(project)]
    refused = CliRunner().invoke(statuary, [*arguments, "--url", "https://other.example", "--install", "x"])
    assert (refused.exit_code, "status-form.yml already exists with other content" in refused.stderr) == (
        3,
        True,
    )
    assert {file: file.read_bytes() for file in project.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize(("horizon", "cron"), [(35, "23 4 1,15 * *"), (20, "23 4 * * 1"), (12, "23 4 * * *")])
def test_short_status_horizon_schedules_frequent_rebuilds(horizon, cron, project):
    write_files(
        project / "content", {"site.yaml": SITE.replace("horizon_days: 2", f"horizon_days: {horizon}")}
    )
    set_up(project, "netlify")
    assert yaml.safe_load(workflows(project)["rebuild.yml"])[True]["schedule"] == [{"cron": cron}]


def test_setup_asks_for_missing_settings(project, monkeypatch):
    monkeypatch.setattr(commands, "is_interactive", lambda: True)
    arguments = [
        "setup",
        "s3",
        "--content",
        str(project / "content"),
        "--out",
        str(project),
        "--install",
        "x",
    ]
    answers = "https://status.example.net\nn\ny\ns3://mine\n"
    done = CliRunner().invoke(statuary, arguments, input=answers)
    assert done.exit_code == 0, done.output
    assert set(workflows(project)) == {"site.yml", "alert.yml"}
    assert "build --to s3://mine ||" in workflows(project)["site.yml"]
    silent = CliRunner().invoke(statuary, [*arguments, "--yes"])
    assert (silent.exit_code, "Missing option '--to'" in silent.stderr) == (2, True)


def test_setup_on_gitlab_notes_github_workflows(project):
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    subprocess.run(
        ["git", "remote", "add", "origin", "https://gitlab.example/a/b.git"], cwd=project, check=True
    )
    done = set_up(project, "netlify")
    assert "the workflows are for GitHub" in done.stderr
    assert "status-form.yml" not in workflows(project)
    assert "git push origin" in done.stdout


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["geocities"], 2, "geocities"),
        (["netlify", "--url", "status"], 2, "is not an absolute http(s) URL"),
        (["netlify", "--to", "s3://b"], 2, "--to can be used only with s3"),
    ],
)
def test_setup_with_invalid_option_writes_nothing(options, code, message, project):
    before = sorted(project.rglob("*"))
    arguments = [*options, "--content", str(project / "content"), "--out", str(project), "--install", "x"]
    refused = CliRunner().invoke(statuary, ["setup", *arguments])
    assert (refused.exit_code, message in refused.output) == (code, True), refused.output
    assert sorted(project.rglob("*")) == before


@pytest.mark.parametrize("name", ["site.json", "site.yml"])
def test_existing_settings_are_edited_or_reported(name, project):
    """JSON is not edited; the message names the file and the place."""
    settings = yaml.safe_load(SITE)
    text = (
        SITE
        if name == "site.yml"
        else json.dumps(settings, default=lambda date: f"{date:%Y-%m-%dT%H:%M:%SZ}")
    )
    (project / "content/site.yaml").unlink()
    write_files(project / "content", {name: text})
    arguments = [
        "--content",
        str(project / "content"),
        "--out",
        str(project),
        "--yes",
        "--install",
        "statuary",
    ]
    done = CliRunner().invoke(
        statuary, ["setup", "netlify", *arguments, "--url", "https://status.example.net"]
    )
    if name == "site.yml":
        assert done.exit_code == 0, done.stderr
        assert "url: https://status.example.net" in (project / "content/site.yml").read_text("utf-8")
    else:
        assert done.exit_code == 3
        assert f"{project / 'content/site.json'}:1:" in done.stderr
        assert (project / "content/site.json").read_text("utf-8") == text


def test_setup_rejects_broken_site_yaml(project):
    write_files(project / "content", {"site.yaml": "page: [\n"})
    arguments = ["--content", str(project / "content"), "--out", str(project)]
    refused = CliRunner().invoke(statuary, ["setup", "netlify", *arguments])
    assert (refused.exit_code, "site.yaml:2:1: error: not YAML" in refused.stderr) == (1, True)
    shutil.rmtree(project / "content")
    assert CliRunner().invoke(statuary, ["setup", "netlify", *arguments]).exit_code == 1


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("statuary==0.2.0", "'statuary[s3,zstd]==0.2.0'"),
        (".", "'.[s3,zstd]'"),
        ("./wheels/statuary-0.2.0-py3-none-any.whl", "'./wheels/statuary-0.2.0-py3-none-any.whl[s3,zstd]'"),
        (
            "'statuary @ git+https://git.example/s.git@ab'",
            "'statuary[s3,zstd] @ git+https://git.example/s.git@ab'",
        ),
        ("'statuary[all]'", "'statuary[all]'"),
    ],
)
def test_package_extras_are_added_to_requirement(requirement, expected):
    assert add_extras(requirement, ["s3", "zstd"]) == expected
    assert add_extras(requirement, []) == requirement
