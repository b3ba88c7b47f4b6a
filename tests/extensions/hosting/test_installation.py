"""What a host installs follows from how statuary was installed (PEP 610)."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from packaging.requirements import Requirement

from statuary.cli.main import command as statuary
from statuary.extensions.hosting import commands as hosting
from statuary.extensions.hosting.installation import (
    BUILT_WHEEL,
    Installation,
    copy_or_build_wheel,
    make_installation,
)
from statuary.version import VERSION
from support.requirements import CHECKOUT
from support.sites import small_site, write_files

COMMIT = "0123456789abcdef0123456789abcdef01234567"
GIT = {"url": "https://git.example/statuary.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}}

CASES = {
    "an index": (None, f"statuary=={VERSION}"),
    "git": (GIT, f"statuary @ git+https://git.example/statuary.git@{COMMIT}"),
    "a folder in git": (
        GIT | {"subdirectory": "tools/statuary"},
        f"statuary @ git+https://git.example/statuary.git@{COMMIT}#subdirectory=tools/statuary",
    ),
    "an archive of the web": (
        {"url": "https://files.example/s.whl", "archive_info": {"hashes": {"sha256": "ab"}}},
        "statuary @ https://files.example/s.whl#sha256=ab",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_install_requirement_is_single_shell_word(case):
    direct_url, requirement = CASES[case]
    installation = make_installation(direct_url, Path())
    assert shlex.split(installation.requirement) == [requirement]
    assert Requirement(requirement).name == "statuary"
    assert installation.note == ""


def run(monkeypatch, installation, *arguments):
    monkeypatch.setattr(hosting, "detect_installation", lambda _: installation)
    result = CliRunner().invoke(hosting.hosting_command, list(arguments))
    assert result.exit_code == 0, result.output
    return result


def test_installed_wheel_is_copied_to_project(tmp_path, monkeypatch):
    wheel = tmp_path / "statuary-1.2-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    installation = make_installation({"url": wheel.as_uri(), "archive_info": {}}, tmp_path)
    assert installation == Installation("./wheels/statuary-1.2-py3-none-any.whl", wheel)
    content, out = small_site(tmp_path), tmp_path / "out"
    run(monkeypatch, installation, "vercel", "--content", str(content), "--out", str(out))
    assert (out / "wheels" / wheel.name).read_bytes() == b"a wheel"
    build = json.loads((out / "vercel.json").read_text())["buildCommand"]
    assert f"pip install -q ./wheels/{wheel.name} &&" in build


def test_wheel_inside_project_is_not_copied(tmp_path):
    wheel = write_files(tmp_path, {"wheels/statuary-1.2-py3-none-any.whl": "a wheel"}) / (
        "wheels/statuary-1.2-py3-none-any.whl"
    )
    assert copy_or_build_wheel(wheel, tmp_path) == wheel
    assert wheel.read_text() == "a wheel"


def test_missing_installed_wheel_is_reported(tmp_path):
    gone = make_installation({"url": (tmp_path / "gone.whl").as_uri(), "archive_info": {}}, tmp_path)
    assert "no longer exists" in gone.note


@pytest.fixture
def checkout(tmp_path):
    """Return a clone of a server: its remote has an https URL and holds the commit."""
    folder = tmp_path / "a checkout" / "statuary"
    write_files(folder, {"pyproject.toml": "", "packages/own/setup.py": ""})
    for command in (
        ["init", "-q", "-b", "main"],
        [
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.org",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "Start",
        ],
        ["remote", "add", "origin", "https://git.example/statuary.git"],
        ["add", "."],
        ["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "Files"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
    ):
        git(folder, *command)
    return folder


def git(folder, *arguments):
    return subprocess.run(
        ["git", "-C", folder, *arguments], check=True, capture_output=True, text=True
    ).stdout.strip()


def of_folder(folder, project):
    return make_installation({"url": folder.as_uri(), "dir_info": {"editable": True}}, project)


def test_clean_git_checkout_installs_from_commit(checkout, tmp_path):
    commit = git(checkout, "rev-parse", "HEAD")
    expected = f"statuary @ git+https://git.example/statuary.git@{commit}"
    assert of_folder(checkout, tmp_path) == Installation(f"'{expected}'")
    below = of_folder(checkout / "packages/own", tmp_path)
    assert below == Installation(f"'{expected}#subdirectory=packages/own'")


def test_statuary_checkout_installs_from_dot(checkout):
    assert of_folder(checkout, checkout) == Installation(".")


CHANGES = {
    "a change that is not committed": lambda folder: write_files(folder, {"pyproject.toml": "# changed"}),
    "a new file": lambda folder: write_files(folder, {"new.py": ""}),
    "a commit that is not pushed": lambda folder: git(folder, "update-ref", "-d", "refs/remotes/origin/main"),
    "a remote that asks for a key": lambda folder: git(
        folder, "remote", "set-url", "origin", "git@git.example:statuary.git"
    ),
    "a remote with a password": lambda folder: git(
        folder, "remote", "set-url", "origin", "https://user:secret@git.example/statuary.git"
    ),
    "a remote on this machine": lambda folder: git(
        folder, "remote", "set-url", "origin", "/srv/statuary.git"
    ),
    "no remote": lambda folder: git(folder, "remote", "remove", "origin"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_unpushed_git_checkout_becomes_wheel(change, checkout, tmp_path):
    CHANGES[change](checkout)
    assert of_folder(checkout, tmp_path) == Installation(f"./wheels/{BUILT_WHEEL}", checkout)


@pytest.mark.slow
def test_hosting_builds_wheel_of_source_folder(tmp_path, monkeypatch):
    content, out = small_site(tmp_path), tmp_path / "out"
    installation = Installation(f"./wheels/{BUILT_WHEEL}", CHECKOUT)
    run(monkeypatch, installation, "netlify", "--content", str(content), "--out", str(out))
    assert f"pip install -q ./wheels/{BUILT_WHEEL} &&" in (out / "netlify.toml").read_text()
    with ZipFile(out / "wheels" / BUILT_WHEEL) as wheel:
        assert "statuary/extensions/hosting/commands.py" in wheel.namelist()


def test_unbuildable_source_folder_writes_no_files(tmp_path, monkeypatch):
    content, out = small_site(tmp_path), tmp_path / "out"
    (source := tmp_path / "source").mkdir()
    monkeypatch.setattr(
        hosting, "detect_installation", lambda _: Installation(f"./wheels/{BUILT_WHEEL}", source)
    )
    result = CliRunner().invoke(
        statuary, ["hosting", "netlify", "--content", str(content), "--out", str(out)]
    )
    assert result.exit_code == 3
    assert f"the host cannot reach {source}" in result.stderr
    assert "--install" in result.stderr
    assert not (out / "netlify.toml").exists()


@pytest.mark.parametrize("name", hosting.HOSTS)
def test_remaining_setup_steps_are_numbered(name, tmp_path):
    content = small_site(tmp_path)
    arguments = [name, "--install", "statuary", "--content", str(content), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(hosting.hosting_command, arguments)
    numbers = [line[0] for line in result.stderr.splitlines() if line[1:3] == ". "]
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert len(numbers) >= 2


BY_NAME = re.compile(r"\b(?:pipx?|uv tool|uv pip) install [^\n`&|;]*?(?<![\w./-])statuary(?![\w/.-])")


def test_workflows_never_install_from_index():
    """Whoever owns that name there would run code with the tokens of the workflow."""
    folders = (".github", "content/pages", "src/statuary/extensions", "src/statuary/cli")
    texts = [
        file
        for folder in folders
        for ending in ("md", "yml", "yaml", "jinja", "toml", "html")
        for file in (CHECKOUT / folder).rglob(f"*.{ending}")
    ]
    assert len(texts) > 100
    found = {
        f"{file.relative_to(CHECKOUT)}: {match[0]}"
        for file in (*texts, CHECKOUT / "README.md", CHECKOUT / "netlify.toml")
        for match in BY_NAME.finditer(file.read_text("utf-8"))
    }
    assert found == set()
    assert BY_NAME.search("pip install --find-links dist statuary")
    assert BY_NAME.search("pipx install 'statuary[s3]==0.2.0'")
