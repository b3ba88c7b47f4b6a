"""Every pipeline deploys a site that was published with faults, and its last step fails."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
import yaml

from statuary.extensions.hosting.host_files import make_log_script_files
from statuary.extensions.hosting.hosts import (
    HostOptions,
    make_github_pages_files,
    make_netlify_files,
    make_vercel_files,
)
from support.contracts import made_record
from support.hostile_shapes import at_address
from support.logs import KEY
from support.manual_blocks import file_in
from support.requirements import CHECKOUT
from support.sites import INCIDENT, SITE, SMALL_SITE, git, write_files
from support.tiers import few_by_default
from support.workflow_runs import set_up

MANUAL = CHECKOUT / "content/pages/manual"
ACTION = CHECKOUT / ".github/actions/statuary/action.yml"
PYTHON = f"""\
#!/bin/sh
[ "$2" = venv ] || exec "{sys.executable}" "$@"
for last; do :; done
mkdir -p "$last/bin"
cp "$STUBS/statuary" "$STUBS/pip" "$last/bin"
"""
STATUARY = f'#!/bin/sh\nexec "{sys.executable}" -m statuary "$@"\n'
LOG = f"{SITE}log:\n  origin: example-key.plinth.example/log\n  example_key: true\n"
SIGNED = f"{SITE}log:\n  origin: status.plinth.example/log\n"
FAULTS: dict[str, dict[str, Any]] = {
    "page template": {"theme/templates/status.html": "{{ 1 / 0 }}"},
    "record": dict([at_address(made_record() | {"abi": 7}, 1)]),
    "log at an unreachable site": {"site.yaml": f"{LOG}  url: http://127.0.0.1:1\n"},
    "descriptor": {
        "site.yaml": f"{SITE}clear_signing: {{}}\n",
        "clear-signing/registry/plinth/calldata-a.json": '{"context": 7}',
    },
}


class Run(NamedTuple):
    """What a pipeline did."""

    deployed: bool
    failed: bool


def github(steps: list[dict[str, Any]], values: dict[str, str], folder: Path, deploying: str) -> Run:
    """Run the steps of a job or an action as the runner does; `deploying` is a part of the step that deploys."""
    outputs: dict[str, str] = {}
    deployed = failed = False
    for step in steps:
        condition = step.get("if", "true")
        if failed or not evaluate(condition, outputs, values):
            continue
        deployed = deployed or deploying in yaml.safe_dump(step)
        if "run" in step:
            output = folder / "output"
            output.write_text("")
            environment = {name: fill(value, outputs, values) for name, value in step.get("env", {}).items()}
            done = shell(step["run"], folder, **environment, GITHUB_OUTPUT=str(output))
            failed = done.returncode != 0
            pairs = (line.partition("=") for line in output.read_text().splitlines())
            outputs |= {f"steps.{step.get('id')}.outputs.{name}": value for name, _, value in pairs}
    return Run(deployed, failed)


def evaluate(condition: str, outputs: dict[str, str], values: dict[str, str]) -> bool:
    """Return the value of a condition of the runner: terms joined with `&&`, each a comparison or a name."""
    return all(evaluate_term(term.strip(), {**outputs, **values}) for term in condition.split("&&"))


def evaluate_term(term: str, names: dict[str, str]) -> bool:
    name, operator, text = re.fullmatch(r"(\S+)(?: (==|!=) '(.*)')?", term).groups()
    if name == "true":
        return True
    value = names.get(name, "")
    return bool(value) if operator is None else (value == text) is (operator == "==")


def fill(text: str, outputs: dict[str, str], values: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ *(\S+) *\}\}", lambda found: {**outputs, **values}.get(found[1], ""), str(text))


def shell(command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    stubs = folder / "stubs"
    runner = {
        "STUBS": str(stubs),
        "RUNNER_TEMP": str(folder / "temp"),
        "GITHUB_ACTION_PATH": str(ACTION.parent),
    }
    environment = {**os.environ, **variables, **runner}
    environment["PATH"] = f"{stubs}{os.pathsep}{os.environ['PATH']}"
    command_line = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command]
    return subprocess.run(
        command_line, cwd=folder, env=environment, check=False, capture_output=True, text=True
    )


ALL_FAULTS = [
    pytest.param(name, marks=() if number == 0 else pytest.mark.slow) for number, name in enumerate(FAULTS)
]


@pytest.fixture(params=ALL_FAULTS)
def project(request, tmp_path) -> Path:
    """Return a project with a content of which one part is broken, and stubs of the programs of hosts."""
    return write_project(tmp_path, FAULTS[request.param])


@pytest.fixture
def plain_project(tmp_path) -> Path:
    """Return a project with a content in order."""
    return write_project(tmp_path, {})


def write_project(folder: Path, faults: dict[str, Any]) -> Path:
    write_files(folder / "content", dict(SMALL_SITE) | faults)
    programs = {"python3": PYTHON, "statuary": STATUARY}
    programs |= dict.fromkeys(("pip", "pipx", "npx"), "#!/bin/sh\n")
    for name, text in programs.items():
        program = write_files(folder / "stubs", {name: text}) / name
        program.chmod(0o755)
    return folder


def test_github_pages_deploys_faulty_site_then_fails(project):
    (file,) = make_github_pages_files(HostOptions())
    (job,) = yaml.safe_load(file.text)["jobs"].values()
    assert github(job["steps"], {}, project, "deploy-pages") == Run(deployed=True, failed=True)


def test_action_publishes_faulty_site_then_fails(project):
    write_files(
        project / "content", {"theme/templates/status.html": "{{ 1 / 0 }}"}
    )  # --to replaces the log's URL
    steps = yaml.safe_load(ACTION.read_text())["runs"]["steps"]
    values = {
        "content": "content",
        "out": "build",
        "publish": "true",
        "to": "elsewhere",
        "notify": "sent.json",
    }
    inputs = {f"inputs.{name}": value for name, value in values.items()}
    assert github(steps, inputs, project, 'statuary" notify') == Run(deployed=True, failed=True)
    assert (project / "elsewhere/api/v2/summary.json").is_file()


@pytest.mark.slow
def test_failed_publish_target_stops_deployment(plain_project):
    """Nobody is notified of what readers cannot see, and nothing else is deployed: the next run publishes it."""
    write_files(plain_project, {"elsewhere": "a file, where the folder of the target goes"})
    values = {
        "content": "content",
        "out": "build",
        "publish": "true",
        "to": "elsewhere",
        "notify": "sent.json",
    }
    inputs = {f"inputs.{name}": value for name, value in values.items()}
    steps = yaml.safe_load(ACTION.read_text())["runs"]["steps"]
    assert github(steps, inputs, plain_project, 'statuary" notify') == Run(deployed=False, failed=True)
    assert (plain_project / "build/api/v2/summary.json").is_file()
    set_up(plain_project, "s3", "--to", "elsewhere")
    workflow = yaml.safe_load((plain_project / ".github/workflows/site.yml").read_text("utf-8"))
    (job,) = workflow["jobs"].values()
    assert github(job["steps"], {}, plain_project, "Fail if documents").failed


def test_manual_contains_current_log_script():
    (script,) = make_log_script_files(HostOptions(enabled=frozenset({"log"})))
    assert script == ("build-with-log.sh", file_in(MANUAL / "log.md", "build-with-log.sh"))


@pytest.mark.slow
@pytest.mark.parametrize("host", ["github-pages", "cloudflare", "cloudflare-pages"])
def test_github_workflow_keeps_log_branch(host, tmp_path):
    """The site is down and the cache is gone: the outage is published, with the log of the branch."""
    project = write_project(tmp_path / "project", {"site.yaml": SIGNED})
    origin = with_origin(project, tmp_path / "origin.git")
    set_up(project, host)
    begun = shell("bash build-with-log.sh --init-log", project, STATUARY_LOG_KEY=KEY.text)
    assert begun.returncode == 0, begun.stderr
    workflow = yaml.safe_load((project / ".github/workflows/site.yml").read_text("utf-8"))
    assert workflow["permissions"]["contents"] == "write"
    (job,) = workflow["jobs"].values()
    sizes, outcomes = [kept_size(origin)], []
    for number, url in enumerate(
        ["", "  url: http://127.0.0.1:1\n", ""]
    ):  # the second time, the site is down
        shutil.rmtree(project / "build")
        news = {"site.yaml": f"{SIGNED}{url}", f"incidents/outage-{number}.yaml": INCIDENT}
        write_files(project / "content", news)
        deploying = "deploy-pages" if host == "github-pages" else "wrangler"
        outcomes.append(github(job["steps"], {"secrets.STATUARY_LOG_KEY": KEY.text}, project, deploying))
        assert (project / f"build/incidents/outage-{number}.json").is_file()
        sizes.append(kept_size(origin))
    assert outcomes == [Run(deployed=True, failed=failed) for failed in (False, True, False)]
    assert sizes[0] < sizes[1] == sizes[2] < sizes[3]


@pytest.mark.slow
@pytest.mark.parametrize("host", ["netlify", "vercel"])
def test_netlify_and_vercel_keep_log_branch(host, tmp_path):
    """Its checkout cannot push, its cache is lost, and the site is down: the log of the branch goes on."""
    project = write_project(tmp_path / "project", {"site.yaml": SIGNED})
    origin = with_origin(project, tmp_path / "origin.git")
    set_up(project, host)
    begun = shell("bash build-with-log.sh --init-log", project, STATUARY_LOG_KEY=KEY.text)
    assert begun.returncode == 0, begun.stderr
    git(project, "remote", "set-url", "--push", "origin", str(tmp_path / "refused"))
    variables = {"STATUARY_LOG_KEY": KEY.text, "STATUARY_LOG_REMOTE": str(origin)}
    sizes, faults = [kept_size(origin)], []
    for number, url in enumerate(["", "  url: http://127.0.0.1:1\n", ""]):
        shutil.rmtree(project / "build")
        shutil.rmtree(project / ".venv", ignore_errors=True)
        news = {"site.yaml": f"{SIGNED}{url}", f"incidents/outage-{number}.yaml": INCIDENT}
        write_files(project / "content", news)
        done = shell(build_command_of(host, project), project, **variables)
        assert done.returncode == 0, done.stderr
        assert (project / f"build/incidents/outage-{number}.json").is_file()
        faults.append((project / ".venv/faults").exists())
        sizes.append(kept_size(origin))
    assert faults == [False, True, False]
    assert sizes[0] < sizes[1] == sizes[2] < sizes[3]
    # without the variable, the build has what the host's cache has
    done = shell(build_command_of(host, project), project, STATUARY_LOG_KEY=KEY.text)
    assert done.returncode == 0, done.stderr
    assert kept_size(origin) == sizes[3]


@pytest.mark.slow
def test_failed_log_push_prints_no_password(tmp_path):
    project = write_project(tmp_path / "project", {"site.yaml": SIGNED})
    with_origin(project, tmp_path / "origin.git")
    set_up(project, "netlify")
    remote = "http://someone:PASSWORD@127.0.0.1:1/a.git"
    done = shell(
        "bash build-with-log.sh --init-log", project, STATUARY_LOG_KEY=KEY.text, STATUARY_LOG_REMOTE=remote
    )
    assert done.returncode == 4
    assert "could not be pushed to the branch log-copy" in done.stderr
    assert "PASSWORD" not in done.stdout + done.stderr
    assert (project / "build/api/v2/summary.json").is_file()


def build_command_of(host: str, project: Path) -> str:
    """Return the command of a host's configuration that builds the site."""
    if host == "vercel":
        command: str = orjson.loads((project / "vercel.json").read_bytes())["buildCommand"]
        return command
    return tomllib.loads((project / "netlify.toml").read_text("utf-8"))["build"]["command"]


@pytest.mark.slow
def test_build_without_log_branch_exits_4(tmp_path):
    """Git fails, so the log cannot be continued; the outage is published all the same, and the job fails later."""
    news = {"site.yaml": SIGNED, "incidents/outage.yaml": INCIDENT}
    project = write_project(tmp_path / "project", news)
    set_up(project, "github-pages")
    done = shell("bash build-with-log.sh", project, STATUARY_LOG_KEY=KEY.text, GIT_DIR=str(tmp_path / "gone"))
    assert done.returncode == 4, done.stderr
    assert (project / "build/incidents/outage.json").is_file()


def with_origin(project: Path, origin: Path) -> Path:
    """Make a project a repository, as a runner's checkout is, and return the one that it pushes to."""
    git(project, "init", "-q", "-b", "main")
    git(project, "init", "-q", "--bare", "-b", "main", str(origin))
    git(project, "remote", "add", "origin", str(origin))
    return origin


def kept_size(origin: Path) -> int:
    """Return the number of entries of the log in the branch of a repository."""
    return int(git(origin, "show", "log-copy:log/checkpoint").splitlines()[1])


@pytest.mark.parametrize("host", ["github-pages", "cloudflare"])
def test_workflow_without_log_has_read_permission(host, plain_project):
    set_up(plain_project, host)
    workflow = (plain_project / ".github/workflows/site.yml").read_text("utf-8")
    assert yaml.safe_load(workflow)["permissions"]["contents"] == "read"
    assert not (plain_project / "build-with-log.sh").exists()
    assert "LOG_KEY" not in workflow


def workflows(page: str) -> Iterator[list[dict[str, Any]]]:
    """Yield the steps of the workflows of a page that build a site with the command."""
    for block in re.findall(r"```yaml\n(.*?)```", (MANUAL / page).read_text("utf-8"), re.DOTALL):
        document = yaml.safe_load(block)
        jobs = document.get("jobs", {"job": document}).values()
        for steps in (job.get("steps", []) for job in jobs):
            if any("statuary build" in str(step.get("run")) for step in steps):
                yield steps


@pytest.mark.parametrize("host", few_by_default(["s3", "cloudflare", "cloudflare-pages"], 1))
def test_setup_workflow_deploys_faulty_site_then_fails(host, project):
    write_files(
        project / "content", {"theme/templates/status.html": "{{ 1 / 0 }}"}
    )  # --to replaces the log's URL
    with_origin(project, project / "origin.git")
    set_up(project, host, *(["--to", "elsewhere"] if host == "s3" else []))
    workflow = yaml.safe_load((project / ".github/workflows/site.yml").read_text("utf-8"))
    (job,) = workflow["jobs"].values()
    deploying = "build --to" if host == "s3" else "wrangler"
    assert github(job["steps"], {}, project, deploying) == Run(deployed=True, failed=True)


@pytest.mark.slow
@pytest.mark.parametrize(("page", "deploying"), [("automation.md", "statuary notify")])
def test_manual_workflow_deploys_faulty_site_then_fails(page, deploying, project):
    write_files(
        project / "content", {"theme/templates/status.html": "{{ 1 / 0 }}"}
    )  # --to replaces the log's URL
    (steps,) = workflows(page)
    for step in steps:
        step["run"] = step.get("run", "true").replace("s3://bucket/status", "elsewhere.json")
    assert github(steps, {}, project, deploying) == Run(deployed=True, failed=True)


@pytest.mark.slow
def test_vercel_build_command_builds_site(project):
    (file,) = make_vercel_files(HostOptions())
    done = shell(orjson.loads(file.text)["buildCommand"], project)
    assert done.returncode == 0, done.stderr
    assert (project / "build/api/v2/summary.json").is_file()


@pytest.mark.slow
def test_netlify_deploys_faulty_site_then_fails(project):
    files = {file.path: file.text for file in make_netlify_files(HostOptions())}
    write_files(project, files)
    done = shell(tomllib.loads(files["netlify.toml"])["build"]["command"], project)
    assert done.returncode == 0, done.stderr
    assert plugin_failures(project) == ["The site was deployed, except what the build command names."]


def test_netlify_plugin_succeeds_without_faults(tmp_path):
    write_files(tmp_path, {file.path: file.text for file in make_netlify_files(HostOptions())})
    assert plugin_failures(tmp_path) == []


def plugin_failures(project: Path) -> list[str]:
    """Return the messages with which the plugin of the build fails after the deploy."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node (apt install nodejs)")
    script = (
        "const said = [];"
        "require('./.keep-build').onSuccess({utils: {build: {failPlugin: (text) => said.push(text)}}});"
        "console.log(JSON.stringify(said));"
    )
    done = subprocess.run([node, "-e", script], cwd=project, check=True, capture_output=True)
    failures: list[str] = orjson.loads(done.stdout)
    return failures
