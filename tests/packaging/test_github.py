"""The files under .github are valid by the public schemas and pinned, and their steps run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import check_jsonschema
import pytest
import yaml
from click.testing import CliRunner

from support.requirements import CHECKOUT
from support.sites import small_site, write_files

GITHUB = CHECKOUT / ".github"
ACTION = GITHUB / "actions/statuary/action.yml"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
PAGES = CHECKOUT / "src/statuary/extensions/hosting/templates/github-pages.yml.jinja"

ISSUES = GITHUB / "ISSUE_TEMPLATE"

STEPS = {
    **dict.fromkeys(WORKFLOWS, "vendor.github-workflows"),
    ACTION: "vendor.github-actions",
}
SCHEMAS = STEPS | {
    ISSUES / "bug.yml": "vendor.github-issue-forms",
    ISSUES / "idea.yml": "vendor.github-issue-forms",
    ISSUES / "config.yml": "vendor.github-issue-config",
}


def test_github_workflows_exist():
    assert {file.name for file in WORKFLOWS} >= {"ci.yml", "nightly.yml", "release.yml"}


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_scripts_in_github_workflows_exist(file):
    names = re.findall(r"(?<![\w/])(?:\.ci|tests)/[\w./-]+", file.read_text("utf-8"))
    assert names
    assert [name for name in names if not (CHECKOUT / name).is_file()] == []
    assert [name for name in names if "/" not in name[4:] and not os.access(CHECKOUT / name, os.X_OK)] == []


def test_nightly_workflow_uses_new_seed():
    workflow = yaml.safe_load((GITHUB / "workflows/nightly.yml").read_text("utf-8"))
    assert {"schedule", "workflow_call"} <= set(workflow[True])  # YAML 1.1 reads the key `on` so
    (step,) = (step for step in workflow["jobs"]["everything"]["steps"] if "env" in step)
    assert step["env"]["STATUARY_LARGE_RUNS"] == "${{ github.run_id }}"
    assert '-m ""' in step["run"]
    assert "--every all" in step["run"]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_workflow_matrix_covers_every_test_share(file):
    jobs = yaml.safe_load(file.read_text("utf-8"))["jobs"].values()
    for share in (job["strategy"]["matrix"]["share"] for job in jobs if "share" in str(job.get("strategy"))):
        assert share == [f"{part}/{len(share)}" for part in range(1, len(share) + 1)]


@pytest.mark.parametrize("schema", sorted(set(SCHEMAS.values())))
def test_github_files_match_public_schemas(schema):
    files = [file for file, name in SCHEMAS.items() if name == schema]
    done = CliRunner().invoke(check_jsonschema.main, ["--builtin-schema", schema, *map(str, files)])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("file", [*STEPS, PAGES], ids=lambda file: file.name)
def test_every_action_is_pinned_by_digest(file):
    used = re.findall(r"uses: *(\S+)", file.read_text(encoding="utf-8"))
    foreign = [action for action in used if not action.startswith("./")]
    assert [action for action in foreign if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)] == []
    assert used


@pytest.mark.slow
def test_ci_workflow_commands_build_site(tmp_path):
    steps = yaml.safe_load((GITHUB / "workflows/ci.yml").read_text())["jobs"]["platforms"]["steps"]
    commands = [step["run"] for step in steps if step.get("run", "").startswith("statuary ")]
    assert len(commands) == 2
    for command in commands:
        subprocess.run([sys.executable, "-m", *command.split()], cwd=tmp_path, check=True)
    assert (tmp_path / "first-site/build/index.html").is_file()


def steps():
    return {
        step["name"]: step for step in yaml.safe_load(ACTION.read_text())["runs"]["steps"] if "run" in step
    }


def run_step(step, folder, **variables):
    """Run a step of the action as the runner does, with the statuary of these tests installed."""
    programs = folder / "temp/statuary/bin"
    programs.mkdir(parents=True, exist_ok=True)
    program = programs / "statuary"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m statuary "$@"\n')
    program.chmod(0o755)
    assert set(step["env"]) == set(variables)
    environment = {
        **os.environ,
        **variables,
        "RUNNER_TEMP": str(folder / "temp"),
        "GITHUB_OUTPUT": str(folder / "output"),
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("install", "extras", "requirement"),
    [("", "", ""), ("", "s3,notify", "[s3,notify]"), ("./wheels/statuary.whl", "s3", None)],
)
def test_github_action_installs_own_commit(tmp_path, install, extras, requirement):
    tools = {"python3": '#!/bin/sh\nmkdir -p "$3/bin" && cp "$0" "$3/bin/pip"\n'}
    for name, text in tools.items():
        tool = tmp_path / "tools" / name
        tool.parent.mkdir()
        tool.write_text(text.replace('cp "$0"', f"cp '{tmp_path}/pip'"))
        tool.chmod(0o755)
    (tmp_path / "pip").write_text('#!/bin/sh\nprintf "%s " "$@"\necho\n')
    (tmp_path / "pip").chmod(0o755)
    step = steps()["Install"]
    assert set(step["env"]) == {"INSTALL", "EXTRAS"}
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        env={
            "PATH": f"{tmp_path}/tools:{os.environ['PATH']}",
            "RUNNER_TEMP": str(tmp_path / "temp"),
            "GITHUB_ACTION_PATH": str(ACTION.parent),
            "INSTALL": install,
            "EXTRAS": extras,
        },
        capture_output=True,
        text=True,
        check=True,
    )
    *before, last = done.stdout.splitlines()
    named = last.split()[-1]
    if requirement is None:
        assert (before, named) == ([], install)
    else:
        folder = named.removesuffix(requirement)
        assert Path(folder, "pyproject.toml").is_file(), named
        assert all("--require-hashes" in line for line in before)
        assert f"--no-build-isolation --constraint {tmp_path}/temp/versions.txt" in last
        versions = (tmp_path / "temp/versions.txt").read_text().splitlines()
        assert {line.partition("==")[0] for line in versions} >= {"click", "pydantic", "obstore"}
        assert all(re.match(r"[\w.-]+==[\w.]+(?: ; .+)?$", line) for line in versions)


def test_github_action_checks_and_builds_site(tmp_path):
    small_site(tmp_path)
    checked = run_step(steps()["Check"], tmp_path, CONTENT="content", STRICT="true")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    built = run_step(
        steps()["Build and publish"], tmp_path, CONTENT="content", OUT="site", TO="", STRICT="true"
    )
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "output").read_text() == "folder=site\ncode=0\n"
    assert (tmp_path / "site/api/v2/summary.json").is_file()


def test_github_action_deploys_site_with_faults(tmp_path):
    small_site(tmp_path)
    write_files(tmp_path, {"content/theme/templates/status.html": "{{ 1 / 0 }}"})
    values = {"CONTENT": "content", "OUT": "site", "TO": "", "STRICT": "false"}
    built = run_step(steps()["Build and publish"], tmp_path, **values)
    assert built.returncode == 0, built.stdout + built.stderr
    assert (tmp_path / "output").read_text() == "folder=site\ncode=4\n"
    assert (tmp_path / "site/api/v2/summary.json").is_file()


def test_github_action_fails_on_content_errors(tmp_path):
    small_site(tmp_path)
    write_files(tmp_path, {"content/components.yaml": "components: ["})
    values = {"CONTENT": "content", "OUT": "site", "TO": "", "STRICT": "false"}
    assert run_step(steps()["Build and publish"], tmp_path, **values).returncode == 1


def test_github_action_annotates_content_errors(tmp_path):
    small_site(tmp_path)
    write_files(tmp_path, {"content/incidents/bad.yaml": "name: Bad\nstauts: x\n"})
    checked = run_step(steps()["Check"], tmp_path, CONTENT="content", STRICT="false")
    assert checked.returncode == 1
    assert "::error file=content/incidents/bad.yaml,line=" in checked.stdout


def test_pre_commit_hook_checks_content(tmp_path):
    [hook] = yaml.safe_load((CHECKOUT / ".pre-commit-hooks.yaml").read_text())
    assert hook["pass_filenames"] is False
    small_site(tmp_path)
    entry = [sys.executable, "-m", *hook["entry"].split()]
    subprocess.run(entry, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    bad = "content/incidents/bad.yaml"
    write_files(tmp_path, {bad: "name: Bad\nstauts: x\n"})
    failed = subprocess.run(entry, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert failed.returncode == 1
    assert f"{bad}:2:1: error" in failed.stdout
    assert re.match(hook["files"], bad)


def test_npm_install_commands_use_ignore_scripts():
    lines = [
        (script.name, line.partition("#")[0])
        for script in sorted(path for path in (CHECKOUT / ".ci").iterdir() if path.is_file())
        for line in script.read_text().splitlines()
    ]
    installing = [(name, command) for name, command in lines if re.search(r"\bnpm (ci|install|i)\b", command)]
    assert installing
    for name, command in installing:
        assert "npm ci" in command, f"{name}: {command}"
        assert "--ignore-scripts" in command, f"{name}: {command}"
