"""The wheel in an empty environment, without a compiler: init, build and serve, as a stranger's first five minutes."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml

from support.requirements import CHECKOUT

pytestmark = pytest.mark.slow

GITHUB = CHECKOUT / ".github"

WHOLE_CONTAINER = "STATUARY_WHOLE_CONTAINER" in os.environ
"""Whether the container file's environment gets what statuary depends on too, which takes a minute."""


def without_compiler(**variables):
    """Return the environment of pip without a compiler to fall back on; modules are compiled when they are imported."""
    return {
        **os.environ,
        "PIP_NO_COMPILE": "1",
        "CC": "/bin/false",
        "CXX": "/bin/false",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        **variables,
    }


def shell(script, **options):
    """Run the text of a step in the shell that GitHub and container programs use."""
    subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], check=True, stdout=subprocess.DEVNULL, **options
    )


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """Return a folder with the source archive and the wheel built from it, as the release workflow builds them."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
    subprocess.run(command, cwd=CHECKOUT, check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="module")
def wheel(dist):
    [file] = dist.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def statuary(wheel, tmp_path_factory):
    """Return the program that the action's first step installs: the wheel, and what pip takes with it, wheels only.

    The Python that runs this test stands for the action's.
    """
    folder = tmp_path_factory.mktemp("action")
    steps = yaml.safe_load((GITHUB / "actions/statuary/action.yml").read_text())["runs"]["steps"]
    [install] = [step["run"] for step in steps if step.get("name") == "Install"]
    shell(
        install,
        env=without_compiler(
            PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            RUNNER_TEMP=str(folder),
            GITHUB_ACTION_PATH=str(GITHUB / "actions/statuary"),
            INSTALL=str(wheel),
            PIP_ONLY_BINARY=":all:",
        ),
    )
    return folder / "statuary/bin/statuary"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


def run(statuary, home, *arguments):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
    done = subprocess.run(
        [statuary, *arguments], cwd=home, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_wheel_initializes_and_builds_site(statuary, home):
    run(
        statuary,
        home,
        "init",
        "--name",
        "Example",
        "--url",
        "https://status.example.org",
        "--chain-id",
        "1337",
    )
    run(statuary, home, "build")
    assert (home / "build/index.html").is_file()
    assert (home / "build/api/v2/summary.json").is_file()


def test_wheel_serves_built_site(statuary, home):
    if not (home / "content").is_dir():
        test_wheel_initializes_and_builds_site(statuary, home)
    with subprocess.Popen(
        [statuary, "serve", "--port", "0"],
        cwd=home,
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        try:
            url = next(found[0] for line in server.stdout if (found := re.search(r"http://[\w.:]+", line)))
            with urlopen(f"{url}/api/v2/status.json", timeout=30) as response:
                assert response.status == 200
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)


def test_hosting_command_copies_installed_wheel(statuary, wheel, home):
    run(statuary, home, "hosting", "vercel", "--out", "project")
    assert (home / "project/wheels" / wheel.name).read_bytes() == Path(wheel).read_bytes()
    assert f"pip install -q ./wheels/{wheel.name}" in (home / "project/vercel.json").read_text()


def test_sdist_contains_test_files(dist):
    [archive] = dist.glob("*.tar.gz")
    with tarfile.open(archive) as members:
        names = {name.partition("/")[2] for name in members.getnames()}
    assert {"pyproject.toml", "src/statuary/__main__.py", "tests/conftest.py", "content/site.yaml"} <= names


def test_containerfile_commands_install_statuary_command(tmp_path):
    """The first stage has only what is copied; the second installs into an empty environment, without an index."""
    text = (GITHUB / "Containerfile").read_text().replace("\\\n", "")
    source = tmp_path / "source"
    source.mkdir()
    for files, target in re.findall(r"^COPY (.+) (\S+)$", text, re.MULTILINE):
        for name in files.split():
            copy = shutil.copytree if (CHECKOUT / name).is_dir() else shutil.copyfile
            (source / target).parent.mkdir(parents=True, exist_ok=True)
            copy(CHECKOUT / name, source / (name if target == "./" else target))
    *locked, project, install = re.findall(r"^RUN (?:--mount=\S+)?(.+)$", text, re.MULTILINE)
    assert all("--require-hashes" in command for command in locked)
    assert all("@sha256:" in image for image in re.findall(r"^FROM (\S+)", text, re.MULTILINE))
    install, _, user = install.partition("&&")
    assert user.startswith(" useradd ")
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    programs, more = Path(sys.executable).parent, " --no-deps"
    if WHOLE_CONTAINER:
        subprocess.run([sys.executable, "-m", "venv", tmp_path / "first"], check=True)
        programs, more = tmp_path / "first/bin", ""
    path = f"{programs}:{os.environ['PATH']}"
    for command, where in (
        *((command, {}) for command in (*(locked if WHOLE_CONTAINER else ()), project)),
        (install + more, {"PIP_PYTHON": str(venv / "bin/python")}),
    ):
        environment = without_compiler(PATH=path, **where)
        shell(command.replace("/wheels", str(tmp_path / "wheels")), cwd=source, env=environment)
    [entry] = json.loads(re.search(r"^ENTRYPOINT (.+)$", text, re.MULTILINE)[1])
    assert (venv / "bin" / entry).is_file()
    if WHOLE_CONTAINER:
        shell(f"{venv / 'bin' / entry} --version")
