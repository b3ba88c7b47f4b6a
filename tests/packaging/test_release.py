"""What the owner has to set before a release is said, and the package's links follow from one setting."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

from statuary.version import VERSION
from support.requirements import CHECKOUT

SET = 'repository = "https://git.example/owner/statuary"'
FILES = (
    "pyproject.toml",
    "CHANGELOG.md",
    "src/statuary/version.py",
    ".github/actions/statuary/action.yml",
    ".ci/check-release",
)


@pytest.fixture
def copy(tmp_path):
    """Return a copy of the files that the check reads, in which everything is set."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, tmp_path / name)
    edit(tmp_path / "pyproject.toml", r'(?m)^repository = ".*?"', SET)
    edit(tmp_path / "CHANGELOG.md", "(?m)^## Unreleased$", "## More")
    return tmp_path


def edit(file, old, new):
    text, count = re.subn(old, new, file.read_text("utf-8"), count=1)
    file.write_text(text, "utf-8")
    return count


def check(folder, *tag):
    command = [sys.executable, folder / ".ci/check-release", *tag]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_release_in_which_everything_is_set_passes(copy):
    done = check(copy, f"v{VERSION}")
    assert (done.returncode, done.stdout) == (0, "everything is set\n")


UNSET = {
    "no repository": (
        "pyproject.toml",
        re.escape(SET),
        'repository = ""',
        "the address of the repository is not set",
    ),
    "another version": ("src/statuary/version.py", VERSION, "9.9", f"the version is not {VERSION}"),
    "an old action": (
        ".github/actions/statuary/action.yml",
        f"default: statuary=={VERSION}",
        "default: statuary==0.1",
        "does not install",
    ),
    "no section": (
        "CHANGELOG.md",
        f"(?m)^## {re.escape(VERSION)}$",
        "## Next",
        f"there is no section {VERSION}",
    ),
    "unreleased": ("CHANGELOG.md", "(?m)^## ", "## Unreleased\n\n## ", "a section is unreleased"),
}


@pytest.mark.parametrize("case", UNSET)
def test_what_is_unset_is_said(copy, case):
    name, old, new, message = UNSET[case]
    assert edit(copy / name, old, new) == 1
    done = check(copy)
    assert (done.returncode, message in done.stdout) == (1, True), done.stdout


def test_another_tag_is_said(copy):
    assert f"the tag is v9, and the version {VERSION}" in check(copy, "v9").stdout


@pytest.fixture(scope="module")
def hook():
    spec = importlib.util.spec_from_file_location("release_metadata", CHECKOUT / ".ci/metadata.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_links_of_the_readme_are_absolute_where_the_repository_is_set(hook):
    text = (CHECKOUT / "README.md").read_text("utf-8")
    assert hook.absolute_links(text, "", "1") == text
    links = re.findall(r"\]\(([^)]+)\)", hook.absolute_links(text, "https://git.example/o/s", "1.2"))
    assert len(links) > 10
    assert [link for link in links if not link.startswith("https://")] == []
    assert "https://git.example/o/s/raw/v1.2/.github/status-page.png" in links
    assert "https://git.example/o/s/blob/v1.2/content/pages/manual/hosting.md" in links


def test_the_addresses_lead_to_files(hook):
    for url in hook.addresses("https://git.example/o/s", "1.2").values():
        path = url.partition("/blob/v1.2/")[2]
        assert not path or (CHECKOUT / path).is_file()
    assert hook.addresses("", "1.2") == {}


def test_the_metadata_is_complete():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {"name", "version", "description", "license", "keywords", "classifiers", "requires-python"} <= set(
        project
    )
    assert project["dynamic"] == ["readme", "urls"]


def test_versions_of_the_changelog_have_their_sections():
    text = (CHECKOUT / "CHANGELOG.md").read_text("utf-8")
    section = text.partition(f"\n## {VERSION}\n")[2].partition("\n## ")[0]
    kinds = re.findall(r"(?m)^### (.+)$", section)
    known = ["Added", "Changed", "Fixed", "Removed"]
    assert kinds
    assert kinds == [kind for kind in known if kind in kinds]
