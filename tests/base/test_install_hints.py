"""The command that adds an extra follows from how this copy was installed (PEP 610)."""

import shlex
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from statuary.base.installation import extra_install_command, install_command, read_direct_url

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CLONE = {"url": "file:///home/ada/my%20tools/statuary", "dir_info": {"editable": True}}
CASES = {
    "an index": (None, "statuary[s3]"),
    "an editable clone": (CLONE, "-e|/home/ada/my tools/statuary[s3]"),
    "a clone": ({**CLONE, "dir_info": {}}, "/home/ada/my tools/statuary[s3]"),
    "a wheel": (
        {"url": "file:///tmp/statuary-0.2.0-py3-none-any.whl", "archive_info": {}},
        "/tmp/statuary-0.2.0-py3-none-any.whl[s3]",
    ),
    "git": (
        {"url": "https://git.example/s.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
        f"statuary[s3] @ git+https://git.example/s.git@{COMMIT}",
    ),
    "an archive of the web": (
        {"url": "https://files.example/s.whl", "archive_info": {}},
        "statuary[s3] @ https://files.example/s.whl",
    ),
}
TOOLS = {
    "pip install": "",
    "uv tool install --force": "uv-receipt.toml",
    "pipx install --force": "pipx_metadata.json",
}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("case", CASES)
def test_install_hint_matches_package_source(case, tool, tmp_path):
    direct_url, expected = CASES[case]
    if TOOLS[tool]:
        (tmp_path / TOOLS[tool]).touch()
    words = shlex.split(install_command("s3", direct_url, tmp_path))
    assert words == [*tool.split(), *expected.split("|")]
    if words[-1].startswith("statuary"):
        assert Requirement(words[-1]).extras == {"s3"}


def test_install_hint_matches_running_installation():
    direct_url = read_direct_url()
    assert "[s3]" in extra_install_command("s3")
    if direct_url is not None and direct_url["url"].startswith("file:"):
        assert Path(direct_url["url"].removeprefix("file://")).name in extra_install_command("s3")
