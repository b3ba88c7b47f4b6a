"""What a host installs follows from how statuary was installed (PEP 610)."""

import json
import shlex

import pytest
from click.testing import CliRunner
from packaging.requirements import Requirement

from statuary.cli import hosting
from statuary.cli.installation import Installation, installation_of
from statuary.version import VERSION
from support.sites import small_site

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
def test_the_requirement_is_one_word_of_a_shell_that_pip_takes(case):
    direct_url, requirement = CASES[case]
    installation = installation_of(direct_url)
    assert shlex.split(installation.requirement) == [requirement]
    assert Requirement(requirement).name == "statuary"
    assert installation.note == ""


def test_a_wheel_goes_into_the_project(tmp_path, monkeypatch):
    wheel = tmp_path / "statuary-1.2-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    installation = installation_of({"url": wheel.as_uri(), "archive_info": {}})
    assert installation == Installation("./wheels/statuary-1.2-py3-none-any.whl", wheel)
    monkeypatch.setattr(hosting, "read_installation", lambda: installation)
    content, out = small_site(tmp_path), tmp_path / "out"
    result = CliRunner().invoke(hosting.command, ["vercel", "--content", str(content), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert (out / "wheels" / wheel.name).read_bytes() == b"a wheel"
    build = json.loads((out / "vercel.json").read_text())["buildCommand"]
    assert f"pip install -q ./wheels/{wheel.name} &&" in build


def test_a_wheel_that_is_gone_and_a_folder_are_reported(tmp_path):
    gone = installation_of({"url": (tmp_path / "gone.whl").as_uri(), "archive_info": {}})
    assert "no longer exists" in gone.note
    folder = installation_of({"url": tmp_path.as_uri(), "dir_info": {"editable": True}})
    assert f"installed from the folder {tmp_path}" in folder.note


@pytest.mark.parametrize("name", hosting.HOSTS)
def test_the_steps_that_are_left_are_numbered(name, tmp_path):
    content = small_site(tmp_path)
    arguments = [name, "--content", str(content), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(hosting.command, arguments)
    numbers = [line[0] for line in result.stderr.splitlines() if line[1:3] == ". "]
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert len(numbers) >= 2
